-- Jobs that both connectors run. DORIS(table, options) becomes the options of a connector; OFFICIALLY(options) are for the official one alone.
-- "-- look SQL" is what is compared afterwards, in Doris. With "-- known TEXT" the official connector 25.0.0 has a fault there, and "-- row TEXT"
-- lines say what is right; the case then passes when ours gives these rows and the official one does not.

-- case json-types
-- look SELECT * FROM SIDE.json_types ORDER BY id
CREATE TABLE snk (id INT, b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, g STRING, f FLOAT, d DOUBLE, d9 DECIMAL(9, 2), d38 DECIMAL(38, 18),
  c CHAR(12), v VARCHAR(100), txt STRING, j STRING, dt DATE, t0 TIMESTAMP(0), t3 TIMESTAMP(3), t6 TIMESTAMP(6))
  DORIS(json_types, 'sink.properties.format' = 'json', 'sink.properties.compress_type' = 'gz');
INSERT INTO snk VALUES
  (1, true, CAST(127 AS TINYINT), CAST(32767 AS SMALLINT), 2147483647, 9223372036854775807, '170141183460469231731687303715884105727', CAST(1.5 AS FLOAT), 2.25E0,
   9999999.99, CAST('12345678901234567890.123456789012345678' AS DECIMAL(38, 18)), CAST('char' AS CHAR(12)), 'varchar', 'line
break	tab "quoted" \ back', '{"a":1,"b":[true,null]}', DATE '2026-10-09', TIMESTAMP '2026-10-09 10:00:00', TIMESTAMP '2026-10-09 10:00:00.123', TIMESTAMP '2026-10-09 10:00:00.123456'),
  (2, false, CAST(-128 AS TINYINT), CAST(-32768 AS SMALLINT), -2147483648, -9223372036854775807, '-1', CAST(-0.1 AS FLOAT), -1.0E-7, -0.01, CAST('0.000000000000000001' AS DECIMAL(38, 18)),
   CAST('äöü' AS CHAR(12)), '漢字', '😀', '"text"', DATE '0001-01-01', TIMESTAMP '1969-12-31 23:59:59', TIMESTAMP '9999-12-31 23:59:59.999', TIMESTAMP '0001-01-01 00:00:00.000001'),
  (3, CAST(NULL AS BOOLEAN), CAST(NULL AS TINYINT), CAST(NULL AS SMALLINT), CAST(NULL AS INT), CAST(NULL AS BIGINT), CAST(NULL AS STRING), CAST(NULL AS FLOAT),
   CAST(NULL AS DOUBLE), CAST(NULL AS DECIMAL(9, 2)), CAST(NULL AS DECIMAL(38, 18)), CAST(NULL AS CHAR(12)), CAST(NULL AS STRING), '', CAST(NULL AS STRING),
   CAST(NULL AS DATE), CAST(NULL AS TIMESTAMP(0)), CAST(NULL AS TIMESTAMP(3)), CAST(NULL AS TIMESTAMP(6)));

-- case csv-types
-- look SELECT * FROM SIDE.csv_types ORDER BY id
CREATE TABLE snk (id INT, b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, g STRING, f FLOAT, d DOUBLE, d9 DECIMAL(9, 2), d38 DECIMAL(38, 18),
  c CHAR(12), v VARCHAR(100), txt STRING, j STRING, dt DATE, t0 TIMESTAMP(0), t3 TIMESTAMP(3), t6 TIMESTAMP(6))
  DORIS(csv_types, 'sink.properties.format' = 'csv', 'sink.properties.column_separator' = '\x01', 'sink.properties.line_delimiter' = '\x02',
    'sink.properties.compress_type' = 'gz');
INSERT INTO snk VALUES
  (1, true, CAST(127 AS TINYINT), CAST(32767 AS SMALLINT), 2147483647, 9223372036854775807, '170141183460469231731687303715884105727', CAST(1.5 AS FLOAT), 2.25E0,
   9999999.99, CAST('12345678901234567890.123456789012345678' AS DECIMAL(38, 18)), CAST('char' AS CHAR(12)), 'varchar', 'line
break	tab "quoted" \ back', '{"a":1,"b":[true,null]}', DATE '2026-10-09', TIMESTAMP '2026-10-09 10:00:00', TIMESTAMP '2026-10-09 10:00:00.123', TIMESTAMP '2026-10-09 10:00:00.123456'),
  (2, false, CAST(-128 AS TINYINT), CAST(-32768 AS SMALLINT), -2147483648, -9223372036854775807, '-1', CAST(-0.1 AS FLOAT), -1.0E-7, -0.01, CAST('0.000000000000000001' AS DECIMAL(38, 18)),
   CAST('äöü' AS CHAR(12)), '漢字', '😀', '"text"', DATE '0001-01-01', TIMESTAMP '1969-12-31 23:59:59', TIMESTAMP '9999-12-31 23:59:59.999', TIMESTAMP '0001-01-01 00:00:00.000001'),
  (3, CAST(NULL AS BOOLEAN), CAST(NULL AS TINYINT), CAST(NULL AS SMALLINT), CAST(NULL AS INT), CAST(NULL AS BIGINT), CAST(NULL AS STRING), CAST(NULL AS FLOAT),
   CAST(NULL AS DOUBLE), CAST(NULL AS DECIMAL(9, 2)), CAST(NULL AS DECIMAL(38, 18)), CAST(NULL AS CHAR(12)), CAST(NULL AS STRING), '', CAST(NULL AS STRING),
   CAST(NULL AS DATE), CAST(NULL AS TIMESTAMP(0)), CAST(NULL AS TIMESTAMP(3)), CAST(NULL AS TIMESTAMP(6)));

-- case arrow-types
-- look SELECT * FROM SIDE.arrow_types ORDER BY id
CREATE TABLE snk (id INT, b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, d9 DECIMAL(9, 2), d38 DECIMAL(38, 18),
  v VARCHAR(100), txt STRING, dt DATE, t0 TIMESTAMP(0), t3 TIMESTAMP(3), t6 TIMESTAMP(6))
  DORIS(arrow_types, 'sink.properties.format' = 'arrow', 'sink.enable-delete' = 'false');
INSERT INTO snk VALUES
  (1, true, CAST(127 AS TINYINT), CAST(32767 AS SMALLINT), 2147483647, 9223372036854775807, CAST(1.5 AS FLOAT), 2.25E0,
   9999999.99, CAST('12345678901234567890.123456789012345678' AS DECIMAL(38, 18)), 'varchar', 'text', DATE '2026-10-09', TIMESTAMP '2026-10-09 10:00:00', TIMESTAMP '2026-10-09 10:00:00.123', TIMESTAMP '2026-10-09 10:00:00.123456'),
  (2, false, CAST(-128 AS TINYINT), CAST(-32768 AS SMALLINT), -2147483648, -9223372036854775807, CAST(-0.1 AS FLOAT), -1.0E-7, -0.01, CAST('0.000000000000000001' AS DECIMAL(38, 18)),
   '漢字', '😀', DATE '1971-01-01', TIMESTAMP '1971-12-31 23:59:59', TIMESTAMP '9999-12-31 23:59:59.999', TIMESTAMP '2001-01-01 00:00:00.000001'),
  (3, CAST(NULL AS BOOLEAN), CAST(NULL AS TINYINT), CAST(NULL AS SMALLINT), CAST(NULL AS INT), CAST(NULL AS BIGINT), CAST(NULL AS FLOAT),
   CAST(NULL AS DOUBLE), CAST(NULL AS DECIMAL(9, 2)), CAST(NULL AS DECIMAL(38, 18)), CAST(NULL AS STRING), '',
   CAST(NULL AS DATE), CAST(NULL AS TIMESTAMP(0)), CAST(NULL AS TIMESTAMP(3)), CAST(NULL AS TIMESTAMP(6)));

-- case json-nested
-- look SELECT id, ai, astr, map_size(m), m['x'], m['y'], r FROM SIDE.json_nested ORDER BY id
CREATE TABLE snk (id INT, ai ARRAY<INT>, astr ARRAY<STRING>, m MAP<STRING, INT>, r ROW<a INT, b STRING>)
  DORIS(json_nested, 'sink.properties.format' = 'json');
INSERT INTO snk VALUES (1, ARRAY[1, 2, 3], ARRAY['a', 'b'], MAP['x', 1, 'y', 2], ROW(1, 'one'));

-- case json-strings-in-arrays
-- known strings in arrays are joined without quotes
-- row | 1  | ["a,b", "c]\"d", ""] |
-- look SELECT * FROM SIDE.json_strings_in_arrays ORDER BY id
CREATE TABLE snk (id INT, astr ARRAY<STRING>) DORIS(json_strings_in_arrays, 'sink.properties.format' = 'json');
INSERT INTO snk VALUES (1, ARRAY['a,b', 'c]"d', '']);

-- case rows-in-arrays
-- known arrays of rows arrive as NULL
-- row | 1  | [{"a":"x", "b":1}] | ["2024-01-31"] |
-- look SELECT * FROM SIDE.rows_in_arrays ORDER BY id
CREATE TABLE snk (id INT, rows_ ARRAY<ROW<a STRING, b INT>>, dates ARRAY<DATE>) DORIS(rows_in_arrays, 'sink.properties.format' = 'json');
INSERT INTO snk VALUES (1, ARRAY[ROW('x', 1)], ARRAY[DATE '2024-01-31']);

-- case csv-strings-in-arrays
-- known strings in arrays are joined without quotes
-- row | 1  | ["a,b", "c]\"d", ""] |
-- look SELECT * FROM SIDE.csv_strings_in_arrays ORDER BY id
CREATE TABLE snk (id INT, astr ARRAY<STRING>) DORIS(csv_strings_in_arrays, 'sink.properties.format' = 'csv');
INSERT INTO snk VALUES (1, ARRAY['a,b', 'c]"d', '']);

-- case json-changes
-- look SELECT * FROM SIDE.json_changes ORDER BY id
CREATE TABLE snk (id INT, name STRING, qty INT, PRIMARY KEY (id) NOT ENFORCED) DORIS(json_changes, 'sink.properties.format' = 'json');
INSERT INTO snk SELECT * FROM changes;

-- case csv-changes
-- look SELECT * FROM SIDE.csv_changes ORDER BY id
CREATE TABLE snk (id INT, name STRING, qty INT, PRIMARY KEY (id) NOT ENFORCED) DORIS(csv_changes, 'sink.properties.format' = 'csv');
INSERT INTO snk SELECT * FROM changes;

-- case arrow-changes
-- known Arrow is refused while deletes are on
-- row | 1  | again | NULL |
-- look SELECT * FROM SIDE.arrow_changes ORDER BY id
CREATE TABLE snk (id INT, name STRING, qty INT, PRIMARY KEY (id) NOT ENFORCED) DORIS(arrow_changes, 'sink.properties.format' = 'arrow');
INSERT INTO snk SELECT * FROM changes;

-- case batch-mode
-- look SELECT * FROM SIDE.batch_changes ORDER BY id
CREATE TABLE snk (id INT, name STRING, qty INT, PRIMARY KEY (id) NOT ENFORCED)
  DORIS(batch_changes, 'sink.properties.format' = 'json' OFFICIALLY(, 'sink.enable.batch-mode' = 'true', 'sink.properties.compress_type' = 'gz'));
INSERT INTO snk SELECT * FROM changes;

-- case without-2pc
-- look SELECT * FROM SIDE.without_2pc ORDER BY id
CREATE TABLE snk (id INT, name STRING, qty INT, PRIMARY KEY (id) NOT ENFORCED)
  DORIS(without_2pc, 'sink.properties.format' = 'json', 'sink.enable-2pc' = 'false');
INSERT INTO snk SELECT * FROM changes;

-- case after-a-failure
-- look SELECT count(*), count(DISTINCT id), min(id), max(id) FROM SIDE.after_a_failure
-- row | 3000     | 3000               | 0       | 2999    |
CREATE TABLE snk (id BIGINT) DORIS(after_a_failure, 'sink.properties.format' = 'json', 'sink.properties.compress_type' = 'gz');
INSERT INTO snk SELECT * FROM numbers_and_a_failure;

-- case instants
-- known TIMESTAMP_LTZ is written as the wall clock of UTC, whatever table.local-time-zone is
-- row | 1  | 2024-01-01 08:00:00.000 |
-- look SELECT * FROM SIDE.instants ORDER BY id
CREATE TABLE snk (id INT, `at` TIMESTAMP_LTZ(3)) DORIS(instants, 'sink.properties.format' = 'json');
INSERT INTO snk VALUES (1, TO_TIMESTAMP_LTZ(1704067200000, 3));

-- case csv-separators
-- known a text that holds the separator shifts the columns
-- row | 1  | a	b | c |
-- look SELECT * FROM SIDE.csv_separators ORDER BY id
CREATE TABLE snk (id INT, a STRING, b STRING)
  DORIS(csv_separators, 'sink.properties.format' = 'csv', 'sink.properties.enclose' = '"', 'sink.properties.escape' = '\');
INSERT INTO snk VALUES (1, 'a	b', 'c');

-- case bytes
-- known BINARY cannot be written
-- row | 1  | 5L2g |
-- look SELECT * FROM SIDE.bytes_ ORDER BY id
CREATE TABLE snk (id INT, v BYTES) DORIS(bytes_, 'sink.properties.format' = 'json');
INSERT INTO snk VALUES (1, x'E4BDA0');
