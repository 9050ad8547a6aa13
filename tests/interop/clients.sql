-- What a stock client finds (tests/interop/clients); CLIENT stands for its name.
CREATE DATABASE shop_CLIENT;
CREATE TABLE shop_CLIENT.goods (
  id INT NOT NULL COMMENT 'number of the article',
  name VARCHAR(50) COMMENT 'größe & more',
  price DECIMAL(10,2),
  sold DATETIME(3),
  day DATE,
  active BOOLEAN,
  stock BIGINT DEFAULT "0"
) UNIQUE KEY(id) COMMENT 'what is sold' DISTRIBUTED BY HASH(id) BUCKETS 3 PROPERTIES ('replication_num' = '1');
CREATE TABLE shop_CLIENT.notes (id INT NOT NULL, note STRING) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES ('replication_num' = '1');
CREATE VIEW shop_CLIENT.cheap AS SELECT id, name FROM shop_CLIENT.goods WHERE price < 5;
INSERT INTO shop_CLIENT.goods VALUES
  (1, 'pencil', 0.50, '2026-01-02 03:04:05.678', '2026-01-02', TRUE, 9007199254740993),
  (2, 'größer 😀 ''quoted''', 99999999.99, '9999-12-31 23:59:59.999', '9999-12-31', FALSE, -1),
  (3, NULL, NULL, NULL, NULL, NULL, NULL);
