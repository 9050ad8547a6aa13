-- The content of the table first, then its changes as they are made. Progress is in the checkpoints, and published in a table of Doris.
-- Both intervals are 10s by default.
SET 'execution.checkpointing.interval' = '1s';

CREATE TABLE student_changelog (id INT, name STRING, age INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'doris', 'fenodes' = '127.0.0.1:8030', 'table.identifier' = 'test.student_changelog_source',
  'username' = 'root', 'password' = '', 'source.scan.mode' = 'initial', 'source.changelog.poll-interval' = '1s',
  'jdbc-url' = 'jdbc:mysql://127.0.0.1:9030', 'source.changelog.offset-table' = 'ops.flink_source_offsets',
  'source.changelog.consumer-id' = 'student-sync'
);

SELECT * FROM student_changelog;
