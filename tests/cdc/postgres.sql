-- Tables of make cdc beside that of docs/cdc.md: every type, with the whole row or its key alone as the row before.
CREATE TYPE mood AS ENUM ('sad', 'so so', 'it''s "fine"');

CREATE TABLE typed_full (
  id BIGINT PRIMARY KEY,
  small SMALLINT, medium INTEGER, big BIGINT NOT NULL,
  price NUMERIC(10, 2), exact NUMERIC(38, 18) NOT NULL, ratio REAL, measure DOUBLE PRECISION, flag BOOLEAN,
  code CHAR(6), name VARCHAR(40) NOT NULL, body TEXT,
  day DATE, at TIME(0), moment TIMESTAMP, moment_ms TIMESTAMP(3), instant TIMESTAMPTZ,
  uid UUID, doc JSON, docb JSONB, raw BYTEA, feeling MOOD, numbers INTEGER[], words TEXT[]);
ALTER TABLE typed_full REPLICA IDENTITY FULL;
-- Long texts are stored beside the row: an update that does not touch one leaves it out of the log.
ALTER TABLE typed_full ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE typed_default (
  tenant SMALLINT, id VARCHAR(20),
  small SMALLINT, medium INTEGER, big BIGINT NOT NULL,
  price NUMERIC(10, 2), exact NUMERIC(38, 18) NOT NULL, ratio REAL, measure DOUBLE PRECISION, flag BOOLEAN,
  code CHAR(6), name VARCHAR(40) NOT NULL, body TEXT,
  day DATE, at TIME, moment TIMESTAMP, moment_ms TIMESTAMP(3), instant TIMESTAMPTZ,
  uid UUID, doc JSON, docb JSONB, raw BYTEA, feeling MOOD, numbers INTEGER[], words TEXT[],
  PRIMARY KEY (tenant, id));

ALTER PUBLICATION dbz_publication ADD TABLE typed_full, typed_default;
GRANT SELECT ON typed_full, typed_default TO flink;
