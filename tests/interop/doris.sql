-- What both connectors read: several tablets, NULLs, edge values.
CREATE DATABASE interop;

CREATE TABLE interop.numbers (
  id INT NOT NULL, b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, g LARGEINT, f FLOAT, d DOUBLE,
  d9 DECIMAL(9, 2), d18 DECIMAL(18, 6), d38 DECIMAL(38, 10)
) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 4 PROPERTIES ("replication_num" = "1");
INSERT INTO interop.numbers VALUES
  (1, true, 127, 32767, 2147483647, 9223372036854775807, 170141183460469231731687303715884105727, 1.5, 2.25, 9999999.99, 999999999999.999999, 9999999999999999999999999999.9999999999),
  (2, false, -128, -32768, -2147483648, -9223372036854775808, -170141183460469231731687303715884105728, -1.5, -2.25, -9999999.99, -999999999999.999999, -9999999999999999999999999999.9999999999),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (4, false, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
  (5, true, 1, 1, 1, 1, 1, 0.1, 0.1, 0.10, 0.100000, 0.1000000000),
  (6, true, -1, -1, -1, -1, -1, 3.4028235e38, 1.7976931348623157e308, 1200.00, 0.000001, 0.0000000001),
  (7, true, 7, 7, 7, 7, 7, 1e-45, 4.9e-324, 7.70, 7.700000, 7.7000000000);

CREATE TABLE interop.texts (
  id INT NOT NULL, c CHAR(12), v VARCHAR(100), s STRING, j JSON
) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 3 PROPERTIES ("replication_num" = "1");
INSERT INTO interop.texts VALUES
  (1, 'char', 'varchar', 'string', '{"a":1,"b":[true,null]}'),
  (2, '', '', '', '{}'),
  (3, NULL, NULL, NULL, NULL),
  (4, 'äöü', '漢字', '😀 emoji', '"text"'),
  (5, 'a''b', 'quote " and \\ back', 'line\nbreak\ttab', '[1,2.5,"x"]'),
  (6, 'a b', ' blanks around ', '%_`', '{"k":"😀"}');

CREATE TABLE interop.times (
  id INT NOT NULL, d DATE, t0 DATETIME, t3 DATETIME(3), t6 DATETIME(6)
) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 3 PROPERTIES ("replication_num" = "1");
INSERT INTO interop.times VALUES
  (1, '2026-10-09', '2026-10-09 10:00:00', '2026-10-09 10:00:00.123', '2026-10-09 10:00:00.123456'),
  (2, '1971-01-01', '1971-01-01 00:00:01', '1971-01-01 00:00:00.001', '1971-01-01 00:00:00.000001'),
  (3, NULL, NULL, NULL, NULL),
  (4, '2286-01-01', '2286-01-01 23:59:59', '2286-01-01 23:59:59.999', '2286-01-01 23:59:59.999999'),
  (5, '2024-02-29', '2024-02-29 12:34:56', '2024-02-29 12:34:56.700', '2024-02-29 12:34:56.700000'),
  (6, '0000-01-01', '2000-01-01 00:00:00', '2000-01-01 00:00:00', '2000-01-01 00:00:00'),
  (7, '9999-12-31', '2000-01-01 00:00:00', '2000-01-01 00:00:00', '2000-01-01 00:00:00');

CREATE TABLE interop.far_times (
  id INT NOT NULL, t0 DATETIME, t3 DATETIME(3), t6 DATETIME(6)
) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES ("replication_num" = "1");
INSERT INTO interop.far_times VALUES
  (1, '9999-12-31 23:59:59', '1969-12-31 23:59:59.999', '1960-01-01 00:00:00.000001');

CREATE TABLE interop.nested (
  id INT NOT NULL, ai ARRAY<INT>, astr ARRAY<STRING>, adec ARRAY<DECIMAL(10, 2)>, aai ARRAY<ARRAY<INT>>, m MAP<STRING, INT>, r STRUCT<a: INT, b: STRING>
) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 3 PROPERTIES ("replication_num" = "1");
INSERT INTO interop.nested VALUES
  (1, [1, 2, 3], ['a', 'b'], [1.25, -2.50], [[1], [2, 3]], {'x': 1, 'y': 2}, {1, 'one'}),
  (2, [], [], [], [], {}, {2, ''}),
  (3, NULL, NULL, NULL, NULL, NULL, NULL),
  (4, [1, NULL, 3], ['😀', NULL, ''], [NULL, 99999999.99], [[], NULL, [4, NULL]], {'n': NULL}, {-4, '漢字'});

CREATE TABLE interop.official_faults (
  id INT NOT NULL, ad ARRAY<DATE>, mi MAP<INT, STRING>, r STRUCT<a: INT, b: STRING, c: INT>
) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES ("replication_num" = "1");
INSERT INTO interop.official_faults VALUES (1, ['2026-10-09'], {7: 'seven'}, {1, NULL, 3});

CREATE TABLE interop.addresses (
  id INT NOT NULL, v4 IPV4, v6 IPV6
) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES ("replication_num" = "1");
INSERT INTO interop.addresses VALUES (1, '10.0.0.1', '::1'), (2, NULL, NULL), (3, '127.255.255.255', 'fe80::1');

CREATE TABLE interop.wide_decimals (
  id INT NOT NULL, w DECIMAL(60, 5)
) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES ("replication_num" = "1");
INSERT INTO interop.wide_decimals VALUES (1, 12345678901234567890123456789012345678901.50000);

CREATE TABLE interop.keyed (
  k INT NOT NULL, name VARCHAR(40) NOT NULL, qty BIGINT
) UNIQUE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 8 PROPERTIES ("replication_num" = "1");
INSERT INTO interop.keyed SELECT number, concat('name-', number), number * 10 FROM numbers("number" = "20000");
INSERT INTO interop.keyed SELECT number, concat('again-', number), NULL FROM numbers("number" = "1000");

CREATE TABLE interop.ranges (
  day DATE NOT NULL, n INT, x DOUBLE
) DUPLICATE KEY(day) PARTITION BY RANGE(day) (
  PARTITION p1 VALUES LESS THAN ('2026-02-01'),
  PARTITION p2 VALUES LESS THAN ('2026-03-01'),
  PARTITION p3 VALUES LESS THAN ('2026-04-01')
) DISTRIBUTED BY HASH(n) BUCKETS 2 PROPERTIES ("replication_num" = "1");
INSERT INTO interop.ranges VALUES ('2026-01-15', 1, 1.5), ('2026-01-31', 2, NULL), ('2026-02-01', 3, 3.5), ('2026-02-28', NULL, 4.5), ('2026-03-01', 5, 5.5);

CREATE TABLE interop.empty (id INT NOT NULL, v STRING)
DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 2 PROPERTIES ("replication_num" = "1");
