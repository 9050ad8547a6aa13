-- Doris: a table of students in four buckets.
CREATE DATABASE IF NOT EXISTS test;
CREATE TABLE test.student (id INT NOT NULL, name VARCHAR(50), age INT, score DECIMAL(5, 1), enrolled DATETIME)
UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 4 PROPERTIES ("replication_num" = "1");
INSERT INTO test.student VALUES
  (1, 'Alice', 18, 91.5, '2026-09-01 08:00:00'),
  (2, 'Bob', 21, 78.0, '2023-09-01 08:30:00'),
  (3, 'Chen', 19, 88.2, '2025-09-01 09:00:00'),
  (4, 'Dana', 24, NULL, '2020-02-29 10:00:00'),
  (5, 'Erik', 21, 64.9, NULL),
  (6, '😀 Fumiko', 18, 99.9, '2026-09-02 08:00:00');
