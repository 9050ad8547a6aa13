//! What an enumerator asks about a table whose changes are followed: facts, newest position, account zone, partitions, probe.

use std::future::pending;
use std::time::Duration;

use doris_client::ErrorKind;
use doris_client::read::changelog::{Changelog, TableFacts};
use doris_standin::{Standin, StandinConfig};

use crate::scripted::{Scripted, Step, answer};
use crate::support::{Read, assert_error, bounded, cluster, cluster_with, read};

const HISTORY: &str = "CREATE DATABASE db; CREATE TABLE db.t (id BIGINT NOT NULL, name STRING) UNIQUE KEY(id) \
    DISTRIBUTED BY HASH(id) BUCKETS 2 PROPERTIES ('replication_num' = '1', 'changelog.enable' = 'true', \
    'changelog.need_historical_value' = 'true', 'changelog.ttl_seconds' = '7200');";

const COLUMNS: [(&str, &str); 2] = [("id", "BIGINT NOT NULL"), ("name", "STRING")];

fn following(standin: &Standin, table: &str) -> Read {
    read(standin, table, &COLUMNS).with("changelog.increment-type", "detail")
}

fn changelog(read: &Read) -> Changelog {
    Changelog::new(read.config()).unwrap()
}

async fn facts(read: &Read) -> Result<TableFacts, doris_client::Error> {
    bounded(changelog(read).table(pending())).await
}

/// Statements that front ends were asked to run over REST, and other REST calls of interest.
fn asked(standin: &Standin, part: &str) -> usize {
    let journal = standin.journal();
    journal
        .iter()
        .filter(|entry| {
            entry.channel == "fe.http" && (entry.path.contains(part) || entry.statement.contains(part))
        })
        .count()
}

#[tokio::test]
async fn a_table_with_history_tells_all_and_warns_of_nothing() {
    let standin = cluster(HISTORY).await;
    let found = facts(&following(&standin, "db.t")).await.unwrap();
    assert_eq!(found.keys, "UNIQUE_KEYS");
    assert!(found.history);
    assert_eq!(found.ttl_seconds, 7200);
    assert_eq!(found.warnings, [""; 0]);
    let min_delta = following(&standin, "db.t").with("changelog.increment-type", "min_delta");
    assert_eq!(facts(&min_delta).await.unwrap(), found);
    assert_eq!(standin.stats().flight_sessions, 0);
}

#[tokio::test]
async fn a_table_that_is_made_anew_has_another_id() {
    let standin = cluster(HISTORY).await;
    let read = following(&standin, "db.t");
    let first = facts(&read).await.unwrap();
    assert!(first.table_id.is_some(), "{first:?}");
    assert_eq!(facts(&read).await.unwrap(), first);
    standin.execute("DROP TABLE db.t").await.unwrap();
    standin
        .execute(HISTORY.split_once("db;").unwrap().1)
        .await
        .unwrap();
    assert_ne!(facts(&read).await.unwrap().table_id, first.table_id);
}

#[tokio::test]
async fn the_former_names_mean_the_same() {
    let standin = cluster_with("", |config| config.profile = "doris-5.0-binlog".to_owned()).await;
    standin
        .execute(
            "CREATE DATABASE db; CREATE TABLE db.t (id BIGINT NOT NULL, name STRING) UNIQUE KEY(id) DISTRIBUTED BY \
             HASH(id) BUCKETS 1 PROPERTIES ('replication_num' = '1', 'binlog.enable' = 'true', 'binlog.format' = 'ROW', \
             'binlog.need_historical_value' = 'true', 'binlog.ttl_seconds' = '60')",
        )
        .await
        .unwrap();
    let found = facts(&following(&standin, "db.t")).await.unwrap();
    assert!(found.history);
    assert_eq!(found.ttl_seconds, 60);
}

#[tokio::test]
async fn without_history_detail_warns_with_both_repairs() {
    let standin = cluster(&HISTORY.replace("'changelog.need_historical_value' = 'true', ", "")).await;
    let found = facts(&following(&standin, "db.t")).await.unwrap();
    assert!(!found.history);
    let [warning] = &found.warnings[..] else {
        panic!("{found:?}")
    };
    for part in [
        "\"changelog.need_historical_value\" = \"true\"",
        "'table.exec.source.cdc-events-duplicate' = 'true'",
        "primary key",
    ] {
        assert!(warning.contains(part), "'{part}' is not in: {warning}");
    }
    let append_only = following(&standin, "db.t").with("changelog.increment-type", "append_only");
    assert_eq!(facts(&append_only).await.unwrap().warnings, [""; 0]);
    let min_delta = following(&standin, "db.t").with("changelog.increment-type", "min_delta");
    let error = facts(&min_delta).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Config,
        &[
            "min_delta",
            "db.t",
            "changelog.need_historical_value",
            "set detail",
        ],
    );
}

#[tokio::test]
async fn duplicate_tables_are_followed_but_not_netted() {
    let standin = cluster(
        "CREATE DATABASE db; CREATE TABLE db.d (id BIGINT NOT NULL, name STRING) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) \
         BUCKETS 2 PROPERTIES ('replication_num' = '1', 'changelog.enable' = 'true');",
    )
    .await;
    let found = facts(&following(&standin, "db.d")).await.unwrap();
    assert_eq!(
        (&*found.keys, found.history, found.ttl_seconds),
        ("DUP_KEYS", false, 86_400)
    );
    assert_eq!(found.warnings, [""; 0]);
    let min_delta = following(&standin, "db.d").with("changelog.increment-type", "min_delta");
    let error = facts(&min_delta).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Config,
        &["min_delta", "db.d", "Duplicate", "append_only"],
    );
}

#[tokio::test]
async fn what_cannot_be_followed_is_refused_with_the_reasons() {
    let standin = cluster(
        "CREATE DATABASE db; \
         CREATE TABLE db.plain (id BIGINT NOT NULL, name STRING) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1; \
         CREATE TABLE db.agg (id BIGINT NOT NULL, name STRING REPLACE) AGGREGATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1; \
         CREATE TABLE db.odd (id BIGINT NOT NULL AUTO_INCREMENT, name STRING, v VARIANT) UNIQUE KEY(id) \
         DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES ('enable_unique_key_merge_on_write' = 'false'); \
         CREATE VIEW db.v AS SELECT id, name FROM db.plain;",
    )
    .await;
    for (table, parts) in [
        (
            "db.plain",
            &[
                "keeps no changelog",
                "\"changelog.enable\" = \"true\"",
                "source.scan.mode = snapshot",
            ][..],
        ),
        ("db.agg", &["Aggregate table", "keeps no changelog"]),
        (
            "db.odd",
            &[
                "merge-on-read",
                "keeps no changelog",
                "column v is of type VARIANT",
                "column id is AUTO_INCREMENT",
            ],
        ),
        ("db.v", &["is a view"]),
    ] {
        let error = facts(&following(&standin, table)).await.unwrap_err();
        assert_error(&error, ErrorKind::Schema, &[&[table], parts].concat());
    }
    let error = facts(&following(&standin, "db.plian")).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::NotFound,
        &["db.plian", "did you mean 'plain'?"],
    );
    let other = read(&standin, "db.plain", &[("id", "INT NOT NULL"), ("nam", "STRING")])
        .with("changelog.increment-type", "detail");
    let error = facts(&other).await.unwrap_err();
    assert_error(&error, ErrorKind::Schema, &["does not fit", "'id'", "'nam'"]);
}

#[tokio::test]
async fn a_look_that_is_cancelled_leaves_no_session() {
    let standin = cluster(HISTORY).await;
    let held = standin
        .add_fault_json(r#"{"at": "fe.api", "match": {"statement": "/_schema"}, "do": {"hold": true}}"#)
        .unwrap();
    let changelog = changelog(&following(&standin, "db.t"));
    let cancel = tokio::sync::Notify::new();
    let (facts, ()) = tokio::join!(bounded(changelog.table(cancel.notified())), async {
        crate::support::until("the fault struck", || {
            standin.faults().iter().any(|rule| rule.fired > 0)
        })
        .await;
        cancel.notify_one();
    });
    assert_error(&facts.unwrap_err(), ErrorKind::Closed, &["closed"]);
    assert_eq!(standin.stats().flight_sessions, 0);
    assert!(standin.delete_fault(held));
}

#[tokio::test]
async fn the_newest_position_follows_the_clock_and_the_way_is_remembered() {
    for (tso_status, tried, then) in [
        ("committed", 1, "tso_status"),
        ("plain", 1, "tso_status"),
        ("absent", 1, "/api/tso"),
    ] {
        let standin = cluster_with(HISTORY, |config| {
            config.set = vec![format!("tso_status={tso_status}")];
        })
        .await;
        let changelog = changelog(&following(&standin, "db.t"));
        let first = bounded(changelog.position()).await.unwrap();
        assert_eq!(first.tso >> 18, first.millis);
        assert_eq!(asked(&standin, "tso_status"), tried);
        standin.shift_clock(3_600_000);
        let second = bounded(changelog.position()).await.unwrap();
        assert!(second.millis >= first.millis + 3_600_000, "{first:?} {second:?}");
        assert!(second.millis < first.millis + 3_660_000, "{first:?} {second:?}");
        let questions = asked(&standin, "tso_status") + asked(&standin, "/api/tso");
        let wasted = usize::from(then == "/api/tso");
        assert_eq!(questions, 2 + wasted, "{tso_status}");
        // A row that is committed now lies at or above what was told before.
        standin.execute("INSERT INTO db.t VALUES (1, 'a')").await.unwrap();
        assert!(bounded(changelog.position()).await.unwrap().tso >= second.tso);
        standin.shift_clock(-3_600_000);
        let back = bounded(changelog.position()).await.unwrap();
        assert!(back.millis < second.millis);
    }
}

#[tokio::test]
async fn without_a_tso_there_is_no_position() {
    for set in [
        &["profile=doris-4.1"][..],
        &["tso_status=absent", "tso_api=absent"],
    ] {
        let standin = cluster_with("CREATE DATABASE db", |config| match set {
            ["profile=doris-4.1"] => config.profile = "doris-4.1".to_owned(),
            set => config.set = set.iter().map(|s| (*s).to_owned()).collect(),
        })
        .await;
        let error = bounded(changelog(&following(&standin, "db.t")).position())
            .await
            .unwrap_err();
        assert_error(
            &error,
            ErrorKind::Query,
            &["newest position", &standin.fenodes(), "Doris 5.0", "/api/tso"],
        );
    }
}

fn two_frontends(config: &mut StandinConfig) {
    config.frontends = 2;
}

#[tokio::test]
async fn another_front_end_tells_the_position_when_one_is_gone() {
    let standin = cluster_with(HISTORY, two_frontends).await;
    let changelog = changelog(&following(&standin, "db.t").with("doris.request.connect.timeout", "2000"));
    let before = bounded(changelog.position()).await.unwrap();
    for gone in [1, 0] {
        standin.stop_frontend(gone).await.unwrap();
        assert!(bounded(changelog.position()).await.unwrap().tso >= before.tso);
        standin.start_frontend(gone).await.unwrap();
    }
    // Followers of earlier servers refuse, the master answers.
    let standin = cluster_with(HISTORY, |config| {
        two_frontends(config);
        config.set = vec!["tso_status=absent".to_owned(), "tso_api=master".to_owned()];
    })
    .await;
    for _ in 0..4 {
        bounded(self::changelog(&following(&standin, "db.t")).position())
            .await
            .unwrap();
    }
}

async fn instant(zone: &str, text: &str) -> Result<(i64, String), doris_client::Error> {
    let standin = cluster_with("", |config| config.time_zone = zone.to_owned()).await;
    let changelog = changelog(&following(&standin, "db.t"));
    let instant = bounded(changelog.instant(text)).await?;
    // Asked for once.
    bounded(changelog.instant("2026-01-01 00:00:00")).await?;
    assert_eq!(asked(&standin, "@@time_zone"), 1);
    Ok((instant.millis, instant.zone))
}

#[tokio::test]
async fn wall_clocks_are_those_of_the_account() {
    for (zone, text, millis) in [
        ("+08:00", "2026-10-09 10:00:00", 1_791_511_200_000),
        ("+00:00", "2026-10-09 10:00:00", 1_791_540_000_000),
        ("America/New_York", "2026-10-09 10:00:00", 1_791_554_400_000),
        // The gap of spring ends at 07:00 UTC; the hour that autumn repeats is the first of both.
        ("America/New_York", "2026-03-08 02:30:00", 1_772_953_200_000),
        ("America/New_York", "2026-11-01 01:30:00", 1_793_511_000_000),
    ] {
        assert_eq!(
            instant(zone, text).await.unwrap(),
            (millis, zone.to_owned()),
            "{zone} {text}"
        );
    }
    let standin = cluster("").await;
    let changelog = changelog(&following(&standin, "db.t"));
    for text in [
        "2026-02-30 00:00:00",
        "2026-10-09T10:00:00",
        "2026-10-09 10:00:00.5",
        "now",
    ] {
        let error = bounded(changelog.instant(text)).await.unwrap_err();
        assert_error(&error, ErrorKind::Config, &[text, "yyyy-MM-dd HH:mm:ss"]);
    }
}

#[tokio::test]
async fn the_hosts_zone_stands_in_where_the_account_says_system() {
    for (host, expected) in [
        ("Asia/Shanghai", Ok(1_791_511_200_000)),
        ("Mars/Base", Err("'Mars/Base'")),
    ] {
        let body = format!(
            r#"{{"msg":"success","code":0,"data":{{"type":"result_set","meta":[{{"name":"account"}},{{"name":"host"}}],"data":[["SYSTEM","{host}"]]}},"count":0}}"#
        );
        let frontend = Scripted::start(move |_, _| vec![Step::ReadAll, answer(200, body.clone())]).await;
        let standin = cluster("").await;
        let read = following(&standin, "db.t").with("fenodes", &frontend.address.to_string());
        let told = bounded(changelog(&read).instant("2026-10-09 10:00:00")).await;
        match (told, expected) {
            (Ok(instant), Ok(millis)) => assert_eq!((instant.millis, &*instant.zone), (millis, host)),
            (Err(error), Err(part)) => assert_error(&error, ErrorKind::Config, &[part, "time_zone"]),
            (told, _) => panic!("{told:?}"),
        }
    }
}

const PARTITIONED: &str = "CREATE DATABASE db; CREATE TABLE db.p (id BIGINT NOT NULL, name STRING) UNIQUE KEY(id) \
    PARTITION BY RANGE(id) (PARTITION p1 VALUES LESS THAN (10), PARTITION p2 VALUES LESS THAN (20)) \
    DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES ('replication_num' = '1', 'changelog.enable' = 'true');";

#[tokio::test]
async fn partitions_come_and_go_by_their_ids() {
    let standin = cluster(PARTITIONED).await;
    let changelog = changelog(&following(&standin, "db.p"));
    let before = bounded(changelog.partitions()).await.unwrap();
    let names: Vec<&str> = before.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["p1", "p2"]);
    standin
        .execute("ALTER TABLE db.p ADD TEMPORARY PARTITION tp VALUES [('30'), ('40'))")
        .await
        .unwrap();
    assert_eq!(bounded(changelog.partitions()).await.unwrap(), before);
    standin
        .execute("ALTER TABLE db.p DROP PARTITION p2")
        .await
        .unwrap();
    assert_eq!(bounded(changelog.partitions()).await.unwrap(), before[..1]);
    standin
        .execute("ALTER TABLE db.p ADD PARTITION p2 VALUES LESS THAN ('20')")
        .await
        .unwrap();
    let after = bounded(changelog.partitions()).await.unwrap();
    assert_eq!(after[0], before[0]);
    assert!(after[1].name == "p2" && after[1].id != before[1].id, "{after:?}");
}

#[tokio::test]
async fn a_table_without_partitions_has_one() {
    let standin = cluster(HISTORY).await;
    let partitions = bounded(changelog(&following(&standin, "db.t")).partitions())
        .await
        .unwrap();
    assert_eq!(partitions.len(), 1);
    assert_eq!(partitions[0].name, "t");
}

#[tokio::test]
async fn the_master_lists_partitions_whoever_is_asked() {
    let standin = cluster_with(PARTITIONED, two_frontends).await;
    let follower = format!("127.0.0.1:{}", standin.ports().fe[1].http);
    let changelog = changelog(&following(&standin, "db.p").with("fenodes", &follower));
    assert_eq!(bounded(changelog.partitions()).await.unwrap().len(), 2);
    let listed_at = |standin: &Standin| -> Vec<String> {
        let journal = standin.journal();
        journal
            .iter()
            .filter(|entry| entry.statement.starts_with("SHOW PARTITIONS"))
            .map(|entry| entry.node.clone())
            .collect()
    };
    assert_eq!(listed_at(&standin), ["fe0"]);
    // The follower takes over.
    standin.stop_frontend(0).await.unwrap();
    assert_eq!(bounded(changelog.partitions()).await.unwrap().len(), 2);
    assert_eq!(listed_at(&standin), ["fe0", "fe1"]);
}

#[tokio::test]
async fn a_listing_that_fails_says_where() {
    let standin = cluster(PARTITIONED).await;
    let missing = changelog(&following(&standin, "db.none"));
    let error = bounded(missing.partitions()).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Query,
        &["db.none", "master front end", &standin.fenodes()],
    );
}

#[tokio::test]
async fn the_probe_is_the_same_each_time() {
    let standin = cluster(HISTORY).await;
    let changelog = changelog(&following(&standin, "db.t"));
    let first = bounded(changelog.probe()).await.unwrap();
    assert_eq!(bounded(changelog.probe()).await.unwrap(), first);
    assert!(i32::try_from(first).is_ok() && first != 0, "{first}");
}

#[tokio::test]
async fn snapshots_have_no_changes_to_follow() {
    let standin = cluster("").await;
    let error = Changelog::new(read(&standin, "db.t", &COLUMNS).config()).unwrap_err();
    assert_error(&error, ErrorKind::Config, &["snapshot mode"]);
}

#[tokio::test]
async fn nobody_there_is_said_with_the_addresses() {
    let standin = cluster(HISTORY).await;
    let read = following(&standin, "db.t").with("doris.request.retries", "0");
    let fenodes = standin.fenodes();
    standin.stop().await;
    let changelog = changelog(&read);
    let limit = Duration::from_secs(20);
    let errors = tokio::time::timeout(limit, async {
        [
            changelog.table(pending()).await.unwrap_err(),
            changelog.position().await.unwrap_err(),
            changelog.instant("2026-10-09 10:00:00").await.unwrap_err(),
            changelog.partitions().await.unwrap_err(),
            changelog.probe().await.unwrap_err(),
        ]
    });
    for error in errors.await.unwrap() {
        assert_error(&error, ErrorKind::Connect, &[&fenodes]);
    }
}
