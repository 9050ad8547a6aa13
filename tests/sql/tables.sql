-- The tables of the stand-in, as Flink sees them: there in an interactive session, and for FILE= (but those that the file creates itself).
CREATE TABLE student (
  id INT NOT NULL, name STRING, age INT, score DECIMAL(5, 1), enrolled TIMESTAMP(0),
  PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector' = 'doris', 'fenodes' = '127.0.0.1:8030', 'table.identifier' = 'test.student',
  'username' = 'root', 'password' = ''
);

CREATE TABLE student_changelog (
  id INT, name STRING, age INT,
  PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector' = 'doris', 'fenodes' = '127.0.0.1:8030', 'table.identifier' = 'test.student_changelog_source',
  'username' = 'root', 'password' = '', 'source.scan.mode' = 'initial', 'source.changelog.poll-interval' = '1s'
);
