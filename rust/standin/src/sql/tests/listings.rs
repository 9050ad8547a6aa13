//! `SHOW`, `DESC`, variables and `information_schema`.

use super::Fixture;

#[tokio::test]
async fn variables_are_set_and_read() {
    let mut f = Fixture::new().await;
    f.run("SET query_timeout = 300, @@session.batch_size = 1024, exec_mem_limit = '8589934592'")
        .await;
    assert_eq!(
        f.texts("SELECT @@query_timeout, @@session.batch_size, @@exec_mem_limit")
            .await,
        ["300|1024|8589934592"]
    );
    f.run("SET NAMES utf8mb4; SET autocommit = 1; SET SESSION insert_timeout = 10; SET @x = 5")
        .await;
    assert_eq!(
        f.texts("SELECT @x + 1, @@global.insert_timeout, @@insert_timeout")
            .await,
        ["6|14400|10"]
    );
    assert!(f.texts("SELECT @@version_comment").await[0].contains("Doris"));
    assert!(
        f.error("SET no_such = 1")
            .await
            .contains("Unknown system variable 'no_such'")
    );
    assert_eq!(
        f.texts("SELECT @@character_set_database, @@enable_parallel_result_sink")
            .await,
        ["utf8mb4|0"]
    );
    assert!(f.error("SELECT @@no_such").await.contains("no_such"));
    assert!(f.error("SET time_zone = 'Mars'").await.contains("Mars"));
    assert!(f.error("SET query_timeout = 'soon'").await.contains("soon"));
    for refused in ["query_timeout = 0", "batch_size = 0", "batch_size = 65536"] {
        let name = refused.split(' ').next().unwrap();
        assert!(
            f.error(&format!("SET {refused}")).await.contains(name),
            "{refused}"
        );
    }
    f.run("SET batch_size = 65535").await;
    assert_eq!(
        f.texts("SELECT @@batch_size, @@query_timeout, @@global.exec_mem_limit")
            .await,
        ["65535|300|100147483648"]
    );
    assert_eq!(
        f.texts("SHOW VARIABLES LIKE 'query_timeout'").await,
        ["query_timeout|300|900|1"]
    );
    assert_eq!(
        f.texts("SHOW VARIABLES WHERE Variable_name = 'time_zone'").await,
        ["time_zone|+00:00|+00:00|0"]
    );
}

#[tokio::test]
async fn a_java_driver_gets_its_start_up_answers() {
    let mut f = Fixture::new().await;
    let sql = "/* mysql-connector-j-8.0.33 */SELECT  @@session.auto_increment_increment AS auto_increment_increment, @@character_set_client AS character_set_client, @@character_set_connection AS character_set_connection, @@character_set_results AS character_set_results, @@character_set_server AS character_set_server, @@collation_server AS collation_server, @@collation_connection AS collation_connection, @@init_connect AS init_connect, @@interactive_timeout AS interactive_timeout, @@license AS license, @@lower_case_table_names AS lower_case_table_names, @@max_allowed_packet AS max_allowed_packet, @@net_write_timeout AS net_write_timeout, @@performance_schema AS performance_schema, @@sql_mode AS sql_mode, @@system_time_zone AS system_time_zone, @@time_zone AS time_zone, @@transaction_isolation AS transaction_isolation, @@wait_timeout AS wait_timeout";
    let rows = f.rows(sql).await;
    assert_eq!((rows.columns.len(), rows.row_count()), (19, 1));
    assert_eq!(rows.columns[0].name, "auto_increment_increment");
    let rows = f.rows("select @@version_comment limit 1").await;
    assert_eq!(rows.columns[0].name, "@@version_comment");
    assert_eq!(f.texts("SELECT 1").await, ["1"]);
    assert_eq!(f.texts("select DATABASE(), USER() limit 1").await.len(), 1);
}

#[tokio::test]
async fn nodes_are_shown_as_the_wire_reference_has_them() {
    let mut f = Fixture::new().await;
    let rows = f.rows("show frontends").await;
    let names: Vec<&str> = rows.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(
        names[..7],
        [
            "Name",
            "Host",
            "EditLogPort",
            "HttpPort",
            "QueryPort",
            "RpcPort",
            "ArrowFlightSqlPort"
        ]
    );
    assert_eq!(names.len(), 19);
    assert!(
        f.texts("SHOW FRONTENDS").await[0]
            .starts_with("fe_0|127.0.0.1|9010|8030|9030|9020|9611|FOLLOWER|true|")
    );
    assert_eq!(f.texts("SHOW BACKENDS").await.len(), 3);
    f.engine.cluster().frontends.write().unwrap()[0].flight = 0;
    assert!(f.texts("SHOW FRONTENDS").await[0].contains("|9020|-1|"));
}

#[tokio::test]
async fn columns_are_described() {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE t (id INT NOT NULL COMMENT 'key', Price DECIMAL(10,2) DEFAULT '0', at DATETIME(3), tags ARRAY<INT>, s STRUCT<a:INT,b:ARRAY<VARCHAR(10)>>, txt STRING)
         UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1",
    )
    .await;
    assert_eq!(
        f.texts("SELECT COLUMN_NAME, ORDINAL_POSITION, COLUMN_DEFAULT, IS_NULLABLE, DATA_TYPE, NUMERIC_PRECISION, NUMERIC_SCALE, DATETIME_PRECISION, COLUMN_TYPE, COLUMN_KEY, COLUMN_COMMENT
                 FROM information_schema.columns WHERE TABLE_SCHEMA = 'd' AND TABLE_NAME = 't' ORDER BY ORDINAL_POSITION").await,
        [
            "id|1|NULL|NO|int|10|0|NULL|int|UNI|key",
            "Price|2|0|YES|decimal|10|2|NULL|decimal(10,2)||",
            "at|3|NULL|YES|datetime|NULL|NULL|3|datetime(3)||",
            "tags|4|NULL|YES|array|NULL|NULL|NULL|array<int>||",
            "s|5|NULL|YES|struct|NULL|NULL|NULL|struct<a:int,b:array<varchar(10)>>||",
            "txt|6|NULL|YES|text|NULL|NULL|NULL|text||",
        ]
    );
    let rows = f
        .rows("select column_name, IS_NULLABLE from INFORMATION_SCHEMA.COLUMNS where table_schema = 'd'")
        .await;
    assert_eq!(rows.columns[0].name, "column_name");
    assert_eq!(rows.row_count(), 6);
    assert_eq!(f.texts("DESC d.t").await[0], "id|int|No|true|NULL|");
    assert_eq!(
        f.texts("SHOW FULL COLUMNS FROM t LIKE 'pr%'").await,
        ["Price|decimal(10,2)|NULL|YES|NO|0|NONE||"]
    );
}

#[tokio::test]
async fn tables_databases_partitions_and_tablets_are_listed() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE a (id INT) DISTRIBUTED BY HASH(id) BUCKETS 2; CREATE VIEW v AS SELECT 1 AS x; INSERT INTO a VALUES (1), (2)").await;
    assert_eq!(f.texts("SHOW TABLES").await, ["a", "v"]);
    assert_eq!(f.texts("SHOW TABLES FROM d LIKE 'a%'").await, ["a"]);
    assert_eq!(
        f.texts("SHOW FULL TABLES").await,
        ["a|BASE TABLE|V2|V3", "v|VIEW|V2|V3"]
    );
    assert_eq!(
        f.texts("SHOW DATABASES").await,
        ["__internal_schema", "d", "information_schema", "mysql"]
    );
    assert_eq!(
        f.texts("SELECT table_name, TABLE_TYPE, ENGINE, TABLE_ROWS FROM information_schema.tables WHERE TABLE_SCHEMA = 'd' ORDER BY 1").await,
        ["a|BASE TABLE|Doris|2", "v|VIEW|View|NULL"]
    );
    assert_eq!(
        f.texts("SELECT schema_name FROM information_schema.schemata WHERE schema_name = 'd'")
            .await,
        ["d"]
    );
    let partitions = f.texts("SHOW PARTITIONS FROM a").await;
    assert!(
        partitions.len() == 1 && partitions[0].contains("|a|2|"),
        "{partitions:?}"
    );
    assert!(f.error("SHOW NONSENSE").await.contains("NONSENSE"));
}
