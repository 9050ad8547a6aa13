-- Doris: eight columns, four tablets, every change recorded with the values before it. The rows come in pieces of PIECE, numbered from FIRST on;
-- each piece is inserted and then updated, so that a row gives three changes.
CREATE DATABASE bench;
CREATE TABLE bench.changelog (
  id BIGINT NOT NULL, a INT, b BIGINT, score DOUBLE, amount DECIMAL(15, 2), at DATETIME, name VARCHAR(40), note VARCHAR(100)
) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 4
PROPERTIES ("replication_num" = "1", "changelog.enable" = "true", "changelog.need_historical_value" = "true");
-- insert
INSERT INTO bench.changelog
SELECT number + FIRST, number % 100000, number * 31, number * 0.25, CAST(number AS DECIMAL(15, 2)) / 4,
  from_unixtime(1767225600 + number), concat('name-', number),
  IF(number % 20 = 0, NULL, concat('a text of some forty characters, number ', number))
FROM numbers("number" = "PIECE");
-- update
INSERT INTO bench.changelog
SELECT number + FIRST, number % 100000 + 1, number * 31, number * 0.25, CAST(number AS DECIMAL(15, 2)) / 4,
  from_unixtime(1767225600 + number), concat('name-', number),
  IF(number % 20 = 0, NULL, concat('a text of some forty characters, number ', number))
FROM numbers("number" = "PIECE");
-- flink
id BIGINT
a INT
b BIGINT
score DOUBLE
amount DECIMAL(15, 2)
at TIMESTAMP(0)
name VARCHAR(2147483647)
note VARCHAR(2147483647)
