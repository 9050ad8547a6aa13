-- A stream of made-up students. The job takes a checkpoint every three seconds: rows become visible with each.
SET 'execution.checkpointing.interval' = '3s';

CREATE TABLE student_source (id INT, name STRING, age INT) WITH (
  'connector' = 'datagen', 'rows-per-second' = '1', 'fields.name.length' = '20',
  'fields.id.min' = '1', 'fields.id.max' = '100000', 'fields.age.min' = '3', 'fields.age.max' = '30'
);

CREATE TABLE student_sink (id INT, name STRING, age INT) WITH (
  'connector' = 'doris', 'fenodes' = '127.0.0.1:8030', 'table.identifier' = 'test.student',
  'username' = 'root', 'password' = '', 'sink.label-prefix' = 'doris_label'
);

INSERT INTO student_sink SELECT * FROM student_source;
