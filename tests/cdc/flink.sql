-- The job of the path `sql` beside that of docs/cdc.md, one sink in each of the other formats.
SET 'execution.checkpointing.interval' = '10s';
SET 'table.local-time-zone' = 'America/New_York';
CREATE TABLE typed_full (
  id BIGINT,
  small SMALLINT, medium INT, big BIGINT,
  price DECIMAL(10, 2), exact DECIMAL(38, 18), ratio FLOAT, measure DOUBLE, flag BOOLEAN,
  code STRING, name STRING, body STRING,
  `day` DATE, `at` TIME, moment TIMESTAMP(6), moment_ms TIMESTAMP(3), instant TIMESTAMP_LTZ(6),
  uid STRING, doc STRING, docb STRING, `raw` BYTES, feeling STRING, numbers STRING, words STRING,
  PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'postgres-cdc', 'hostname' = '127.0.0.1', 'port' = '5432', 'username' = 'flink', 'password' = 'secret',
  'database-name' = 'shop', 'schema-name' = 'public', 'table-name' = 'typed_full', 'slot.name' = 'typed_full',
  'decoding.plugin.name' = 'pgoutput', 'scan.incremental.snapshot.enabled' = 'true',
  'scan.incremental.snapshot.chunk.size' = '500');
CREATE TABLE typed_default (
  tenant SMALLINT, id STRING,
  small SMALLINT, medium INT, big BIGINT,
  price DECIMAL(10, 2), exact DECIMAL(38, 18), ratio FLOAT, measure DOUBLE, flag BOOLEAN,
  code STRING, name STRING, body STRING,
  `day` DATE, `at` BIGINT, moment TIMESTAMP(6), moment_ms TIMESTAMP(3), instant TIMESTAMP_LTZ(6),
  uid STRING, doc STRING, docb STRING, `raw` BYTES, feeling STRING, numbers STRING, words STRING,
  PRIMARY KEY (tenant, id) NOT ENFORCED) WITH (
  'connector' = 'postgres-cdc', 'hostname' = '127.0.0.1', 'port' = '5432', 'username' = 'flink', 'password' = 'secret',
  'database-name' = 'shop', 'schema-name' = 'public', 'table-name' = 'typed_default', 'slot.name' = 'typed_default',
  'decoding.plugin.name' = 'pgoutput', 'scan.incremental.snapshot.enabled' = 'true',
  'scan.incremental.snapshot.chunk.size' = '500', 'changelog-mode' = 'upsert');
CREATE TABLE typed_full_sink WITH (
  'connector' = 'doris', 'fenodes' = '127.0.0.1:8030', 'table.identifier' = 'test.typed_full', 'sink.label-prefix' = 'typed_full',
  'username' = 'root', 'password' = '', 'sink.properties.format' = 'json')
LIKE typed_full (EXCLUDING OPTIONS);
CREATE TABLE typed_default_sink WITH (
  'connector' = 'doris', 'fenodes' = '127.0.0.1:8030', 'table.identifier' = 'test.typed_default', 'sink.label-prefix' = 'typed_default',
  'username' = 'root', 'password' = '', 'sink.properties.format' = 'arrow')
LIKE typed_default (EXCLUDING OPTIONS);
EXECUTE STATEMENT SET BEGIN
INSERT INTO typed_full_sink SELECT * FROM typed_full;
INSERT INTO typed_default_sink SELECT * FROM typed_default;
END;
