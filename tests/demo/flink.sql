-- The table of Doris, as Flink sees it. Rows come by Arrow Flight SQL; its port is found through the front end.
CREATE TABLE student (
  id INT NOT NULL, name STRING, age INT, score DECIMAL(5, 1), enrolled TIMESTAMP(0),
  PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector' = 'doris', 'fenodes' = '127.0.0.1:8030', 'table.identifier' = 'test.student',
  'username' = 'root', 'password' = ''
);

-- Numbers from Flink itself, to join with.
CREATE TABLE course (course_id INT) WITH (
  'connector' = 'datagen', 'number-of-rows' = '6', 'fields.course_id.kind' = 'sequence',
  'fields.course_id.start' = '1', 'fields.course_id.end' = '6'
);

SET 'execution.runtime-mode' = 'batch';

-- 1. Everything.
SELECT * FROM student ORDER BY id;

-- 2. A filter and a projection: Doris evaluates the filter and sends these two columns only ...
SELECT name, age FROM student WHERE age >= 19 AND score IS NOT NULL ORDER BY name;
-- ... as the plan shows: see filter=[...] and project=[...] of the table source.
EXPLAIN SELECT name, age FROM student WHERE age >= 19 AND score IS NOT NULL;

-- 3. An aggregate.
SELECT age, COUNT(*) AS students, AVG(score) AS average FROM student GROUP BY age ORDER BY age;

-- 4. A join with a table that is not in Doris.
SELECT c.course_id, s.name FROM course c JOIN student s ON s.id = c.course_id ORDER BY c.course_id;
