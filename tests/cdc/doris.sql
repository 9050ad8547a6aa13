-- The tables of postgres.sql in Doris. A delete of typed_default has its key alone, so its other columns may be NULL.
CREATE TABLE test.typed_full (
  id BIGINT,
  small SMALLINT, medium INT, big BIGINT NOT NULL,
  price DECIMAL(10, 2), exact DECIMAL(38, 18) NOT NULL, ratio FLOAT, measure DOUBLE, flag BOOLEAN,
  code VARCHAR(24), name VARCHAR(160) NOT NULL, body STRING,
  day DATE, at VARCHAR(20), moment DATETIME(6), moment_ms DATETIME(3), instant DATETIME(6),
  uid VARCHAR(36), doc JSON, docb JSON, raw VARBINARY(1000), feeling VARCHAR(20), numbers ARRAY<INT>, words ARRAY<STRING>)
UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 3
PROPERTIES ("replication_num" = "1", "enable_unique_key_merge_on_write" = "true");

CREATE TABLE test.typed_default (
  tenant SMALLINT, id VARCHAR(80),
  small SMALLINT, medium INT, big BIGINT,
  price DECIMAL(10, 2), exact DECIMAL(38, 18), ratio FLOAT, measure DOUBLE, flag BOOLEAN,
  code VARCHAR(24), name VARCHAR(160), body STRING,
  day DATE, at BIGINT, moment DATETIME(6), moment_ms DATETIME(3), instant DATETIME(6),
  uid VARCHAR(36), doc JSON, docb JSON, raw VARBINARY(1000), feeling VARCHAR(20), numbers STRING, words STRING)
UNIQUE KEY(tenant, id) DISTRIBUTED BY HASH(id) BUCKETS 3
PROPERTIES ("replication_num" = "1", "enable_unique_key_merge_on_write" = "true");
