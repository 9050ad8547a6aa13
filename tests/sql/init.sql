-- What an interactive session starts with: the table of Doris, as Flink sees it.
CREATE TABLE student (
  id INT NOT NULL, name STRING, age INT, score DECIMAL(5, 1), enrolled TIMESTAMP(0),
  PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector' = 'doris', 'fenodes' = '127.0.0.1:8030', 'table.identifier' = 'test.student',
  'username' = 'root', 'password' = ''
);
SET 'sql-client.execution.result-mode' = 'tableau';
SET 'execution.runtime-mode' = 'batch';
