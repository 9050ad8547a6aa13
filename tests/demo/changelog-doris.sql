-- Doris: a table that records its changes, and one that takes the positions of those who follow it.
CREATE TABLE test.student_changelog_source (id INT, name VARCHAR(50), age INT)
UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1
PROPERTIES ("replication_num" = "1", "changelog.enable" = "true",
            "changelog.need_historical_value" = "true", "changelog.ttl_seconds" = "86400");
INSERT INTO test.student_changelog_source VALUES (1, 'Alice', 18);

CREATE DATABASE IF NOT EXISTS ops;
CREATE TABLE ops.flink_source_offsets (consumer_id VARCHAR(256) NOT NULL, offset_timestamp DATETIME NOT NULL, update_time DATETIMEV2(3) NOT NULL)
UNIQUE KEY(consumer_id) DISTRIBUTED BY HASH(consumer_id) BUCKETS 1 PROPERTIES ("replication_num" = "1");
