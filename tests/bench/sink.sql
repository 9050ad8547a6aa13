-- Doris: the columns of the table that is read, in a table that takes loads and throws their rows away.
CREATE DATABASE bench;
CREATE TABLE bench.sink (
  id BIGINT NOT NULL, a INT, b BIGINT, score DOUBLE, amount DECIMAL(15, 2), at DATETIME, name VARCHAR(40), note VARCHAR(100)
) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 8 PROPERTIES ("replication_num" = "1");
CREATE TABLE bench.kept (
  id BIGINT NOT NULL, a INT, b BIGINT, score DOUBLE, amount DECIMAL(15, 2), at DATETIME, name VARCHAR(40), note VARCHAR(100)
) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 8 PROPERTIES ("replication_num" = "1");
-- flink
id BIGINT
a INT
b BIGINT
score DOUBLE
amount DECIMAL(15, 2)
at TIMESTAMP(0)
name VARCHAR(2147483647)
note VARCHAR(2147483647)
