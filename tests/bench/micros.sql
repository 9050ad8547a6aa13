-- Doris: as scan.sql, but with microseconds, so that batches pass through untouched. The rows come in pieces of PIECE, numbered from FIRST on.
CREATE DATABASE bench;
CREATE TABLE bench.micros (
  id BIGINT NOT NULL, a INT, b BIGINT, score DOUBLE, amount DECIMAL(15, 2), at DATETIME(6), name VARCHAR(40), note VARCHAR(100)
) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 8 PROPERTIES ("replication_num" = "1");
-- piece
INSERT INTO bench.micros
SELECT number + FIRST, number % 100000, number * 31, number * 0.25, CAST(number AS DECIMAL(15, 2)) / 4,
  from_unixtime(1767225600 + number), concat('name-', number),
  IF(number % 20 = 0, NULL, concat('a text of some forty characters, number ', number))
FROM numbers("number" = "PIECE");
-- flink
id BIGINT
a INT
b BIGINT
score DOUBLE
amount DECIMAL(15, 2)
at TIMESTAMP(6)
name VARCHAR(2147483647)
note VARCHAR(2147483647)
