-- Tables and queries that both connectors run. DORIS(db.table) becomes the options of a connector.
-- "-- case NAME" names the query that follows, "-- only PROFILE" limits it to a server generation. With "-- known TEXT" the official connector 25.0.0 has a fault there, and
-- "-- row TEXT" lines say what is right; the case then passes when ours gives these rows and the official one does not.

CREATE TABLE numbers (id INT, b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, g STRING, f FLOAT, d DOUBLE,
  d9 DECIMAL(9, 2), d18 DECIMAL(18, 6), d38 DECIMAL(38, 10)) DORIS(interop.numbers);
CREATE TABLE texts (id INT, c CHAR(12), v VARCHAR(100), s STRING, j STRING) DORIS(interop.texts);
CREATE TABLE times (id INT, d DATE, t0 TIMESTAMP(0), t3 TIMESTAMP(3), t6 TIMESTAMP(6)) DORIS(interop.times);
CREATE TABLE far_times (id INT, t0 TIMESTAMP(0), t3 TIMESTAMP(3), t6 TIMESTAMP(6)) DORIS(interop.far_times);
CREATE TABLE nested (id INT, ai ARRAY<INT>, astr ARRAY<STRING>, adec ARRAY<DECIMAL(10, 2)>, aai ARRAY<ARRAY<INT>>,
  m MAP<STRING, INT>, r ROW<a INT, b STRING>) DORIS(interop.nested);
CREATE TABLE nested_text (id INT, ai STRING, r STRING) DORIS(interop.nested);
CREATE TABLE official_faults (id INT, ad ARRAY<DATE>, mi MAP<INT, STRING>, r ROW<a INT, b STRING, c INT>)
  DORIS(interop.official_faults);
CREATE TABLE addresses (id INT, v4 STRING, v6 STRING) DORIS(interop.addresses);
CREATE TABLE wide_decimals (id INT, w STRING) DORIS(interop.wide_decimals);
CREATE TABLE keyed (k INT, name VARCHAR(40), qty BIGINT) DORIS(interop.keyed);
CREATE TABLE ranges (`day` DATE, n INT, x DOUBLE) DORIS(interop.ranges);
CREATE TABLE empty_table (id INT, v STRING) DORIS(interop.empty);

-- case boolean-and-integers
SELECT id, b, t, s, i, l FROM numbers;
-- case largeint
SELECT id, g FROM numbers;
-- case float-and-double
SELECT id, f, d FROM numbers;
-- case decimals
SELECT id, d9, d18, d38 FROM numbers;
-- case all-columns
SELECT * FROM numbers;
-- case char-varchar-string
SELECT id, c, v, s FROM texts;
-- case date
SELECT id, d FROM times;
-- case datetime-seconds
SELECT id, t0 FROM times;
-- case datetime-milliseconds
SELECT id, t3 FROM times;
-- case datetime-microseconds
SELECT id, t6 FROM times;
-- case arrays
SELECT id, ai, astr, adec, aai FROM nested;
-- case map
SELECT id, m FROM nested;
-- case struct
SELECT id, r FROM nested;
-- case eight-tablets
SELECT * FROM keyed;
-- case aggregate-over-tablets
SELECT COUNT(*), COUNT(qty), MAX(k), MIN(name) FROM keyed;
-- case partitions
SELECT * FROM ranges;
-- case empty-table
SELECT * FROM empty_table;
-- case projection-in-another-order
SELECT s, id FROM texts;
-- case filter-equal
SELECT k, name FROM keyed WHERE k = 777;
-- case filter-range-and-null
SELECT * FROM keyed WHERE k >= 995 AND k < 1005 AND (qty IS NULL OR qty > 10010);
-- case filter-text
SELECT id, v FROM texts WHERE v = '漢字' OR v LIKE 'quote%';
-- case filter-date
SELECT * FROM ranges WHERE `day` > DATE '2026-01-20' AND `day` <= DATE '2026-02-28';
-- case filter-timestamp
SELECT id, t6 FROM times WHERE t6 = TIMESTAMP '2026-10-09 10:00:00.123456';
-- case filter-none-left
SELECT * FROM keyed WHERE k > 1000000;
-- case filter-not-null
SELECT id, d38 FROM numbers WHERE d38 IS NOT NULL AND i <> 0;

-- case known-json
-- known the type name JSON in a table's schema, which servers have given since 2.1, is not known before 25.1.0
-- row (1, '{"a":1,"b":[true,null]}')
-- row (2, '{}')
-- row (3, NULL)
-- row (4, '"text"')
-- row (5, '[1,2.5,"x"]')
-- row (6, '{"k":"😀"}')
SELECT id, j FROM texts;
-- case known-far-seconds
-- known the unit of a DATETIME is guessed from its size: seconds from 2286-11-20 on are taken for milliseconds
-- row (1, 9999-12-31T23:59:59)
SELECT id, t0 FROM far_times;
-- case known-early-milliseconds
-- known the unit of a DATETIME is guessed from its size: milliseconds before 1970-04-26 are taken for seconds
-- row (1, 1969-12-31T23:59:59.999)
SELECT id, t3 FROM far_times;
-- case known-early-microseconds
-- known the unit of a DATETIME is guessed from its size: microseconds before 1970-04-26 are taken for another
-- row (1, 1960-01-01T00:00:00.000001)
SELECT id, t6 FROM far_times;
-- case known-array-of-dates
-- known elements of ARRAY<DATE> reach the row converter as numbers, which it refuses
-- row (1, [2026-10-09])
SELECT id, ad FROM official_faults;
-- case known-map-with-number-keys
-- known keys of a MAP always become text, whatever the declared type
-- row (1, {7='seven'})
SELECT id, mi FROM official_faults;
-- case known-null-field-of-a-struct
-- known NULL fields of a STRUCT are dropped and the later ones move up
-- row (1, (1, NULL, 3))
SELECT id, r FROM official_faults;
-- case ipv6-as-number
-- only doris-2.1
SELECT id, v6 FROM addresses;
-- case known-ipv6
-- only doris-5.0
-- known IPV6 is expected as a decimal number, as servers before 2.1.3 sent it
-- row (1, '::1')
-- row (2, NULL)
-- row (3, 'fe80::1')
SELECT id, v6 FROM addresses;
-- case ipv4
SELECT id, v4 FROM addresses;
-- case known-wide-decimal
-- known DECIMAL with more than 38 digits is refused as an unsupported type
-- row (1, '12345678901234567890123456789012345678901.50000')
SELECT id, w FROM wide_decimals;
-- case known-nested-as-text
-- known ARRAY and STRUCT declared STRING are printed by Java, not as Doris prints them
-- row (1, '[1, 2, 3]', '{"a":1, "b":"one"}')
-- row (2, '[]', '{"a":2, "b":""}')
-- row (3, NULL, NULL)
-- row (4, '[1, null, 3]', '{"a":-4, "b":"漢字"}')
SELECT id, ai, r FROM nested_text;
