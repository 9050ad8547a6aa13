//! Which node gets a load: redirects, lists, turns, dead nodes.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use doris_client::ErrorKind;

use crate::scripted::{Scripted, Step, answer, success};
use crate::sink_support::*;
use crate::support::assert_error;

async fn taking() -> Scripted {
    Scripted::start(|n, head| {
        let label = head.header("label").unwrap_or_default().to_owned();
        vec![Step::Continue, Step::ReadAll, success(&label, n as i64 + 1, 1)]
    })
    .await
}

/// An address where nobody listens.
fn dead() -> SocketAddr {
    std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
}

async fn one_row(sink: &doris_client::write::sink::Sink) -> Result<(), doris_client::Error> {
    let load = sink.open_load(raw()).unwrap();
    put(&load, b"1", 1).await?;
    end(&load).await.map(|_| ())
}

#[tokio::test]
async fn net_1_benodes_are_the_only_targets() {
    let (one, two) = (taking().await, taking().await);
    let fe = front_end(dead(), |_| "UNKNOWN".to_owned()).await;
    for auto_redirect in ["true", "false"] {
        let sink = write(&fe.address.to_string())
            .with("auto-redirect", auto_redirect)
            .with(
                "benodes",
                &format!(" {} , {},{}", dead(), one.address, two.address),
            )
            .sink();
        for _ in 0..3 {
            one_row(&sink).await.unwrap();
        }
    }
    assert_eq!(one.seen("_stream_load").len() + two.seen("_stream_load").len(), 6);
    assert!(fe.seen("").is_empty());
}

#[tokio::test]
async fn net_1_when_no_benode_answers_the_error_lists_all() {
    let (one, two) = (dead(), dead());
    let sink = write("127.0.0.1:1")
        .with("benodes", &format!("{one},{two}"))
        .with("sink.max-retries", "0")
        .sink();
    let error = one_row(&sink).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Connect,
        &[
            "db.t",
            "'l_0'",
            "benodes",
            &one.to_string(),
            &two.to_string(),
            "cannot be reached",
        ],
    );
    assert!(error.is_retryable());
}

#[tokio::test]
async fn net_2_without_redirect_the_alive_ones_are_used_in_turn() {
    let nodes = [taking().await, taking().await, taking().await];
    let list = nodes
        .iter()
        .map(|n| {
            format!(
                r#"{{"ip":"127.0.0.1","http_port":{},"is_alive":true}}"#,
                n.address.port()
            )
        })
        .collect::<Vec<_>>()
        .join(",");
    let fe = Scripted::start(move |_, head| {
        assert_eq!(head.path, "/api/backends?is_alive=true");
        vec![answer(
            200,
            format!(r#"{{"msg":"success","code":0,"data":{{"backends":[{list}]}},"count":0}}"#),
        )]
    })
    .await;
    // NET-8: as many on each. What other tests of the process take from the turn makes it uneven at most by theirs.
    let mut loads = Vec::new();
    for _ in 0..30 {
        let sink = write(&fe.address.to_string())
            .with("auto-redirect", "false")
            .sink();
        for _ in 0..2 {
            one_row(&sink).await.unwrap();
        }
        loads.push(sink);
    }
    assert_eq!(fe.seen("backends").len(), 60);
    for node in &nodes {
        let taken = node.seen("_stream_load").len();
        assert!(taken >= 16, "{taken}");
    }
}

#[tokio::test]
async fn each_load_goes_where_the_front_end_names_now() {
    let (old, new) = (taking().await, taking().await);
    let named = Arc::new(Mutex::new(old.address));
    let fe = Scripted::start({
        let named = named.clone();
        move |_, head| {
            let node = *named.lock().unwrap();
            let location = format!("Location: http://{node}{}?\r\n", head.path);
            vec![Step::Answer(307, location, String::new())]
        }
    })
    .await;
    let sink = write(&fe.address.to_string()).sink();
    for _ in 0..5 {
        one_row(&sink).await.unwrap();
    }
    *named.lock().unwrap() = new.address;
    for _ in 0..12 {
        one_row(&sink).await.unwrap();
    }
    assert_eq!(
        (old.seen("_stream_load").len(), new.seen("_stream_load").len()),
        (5, 12)
    );
}

/// Commits take turns of their own, or every other node would get all loads.
#[tokio::test]
async fn loads_of_one_sink_take_turns_whatever_is_committed_between_them() {
    let nodes = [taking().await, taking().await];
    let list = format!("{},{}", nodes[0].address, nodes[1].address);
    let sink = write("127.0.0.1:1").with("benodes", &list).sink();
    for n in 0..40 {
        one_row(&sink).await.unwrap();
        // A load's answer says that it is done.
        let _ = sink.commit("db", "t", n + 1, "l_0").await;
    }
    for node in &nodes {
        let loads = node
            .seen("_stream_load")
            .iter()
            .filter(|s| !s.head.path.contains("2pc"))
            .count();
        let commits = node.seen("_stream_load_2pc").len();
        // What other tests of the process take from the turns makes them uneven at most by theirs.
        assert!(loads >= 10 && commits >= 10, "{loads} {commits}");
    }
}

#[tokio::test]
async fn net_7_a_node_that_shows_a_login_page_elsewhere_takes_loads() {
    for status in [401, 403, 404] {
        let be = Scripted::start(move |n, head| {
            if !head.path.contains("_stream_load") {
                return vec![answer(status, "log in")];
            }
            let label = head.header("label").unwrap_or_default().to_owned();
            vec![Step::Continue, Step::ReadAll, success(&label, n as i64 + 1, 1)]
        })
        .await;
        let sink = write("127.0.0.1:1")
            .with("benodes", &be.address.to_string())
            .sink();
        one_row(&sink).await.unwrap();
        assert_eq!(be.seen("_stream_load").len(), 1);
    }
}

#[tokio::test]
async fn two_pc_11_a_back_end_that_died_is_left_for_a_live_one() {
    let live = taking().await;
    let gone = Arc::new(Mutex::new(Some(taking().await)));
    let first = gone.lock().unwrap().as_ref().unwrap().address;
    let second = live.address;
    let asked = Arc::new(Mutex::new(0));
    let fe = Scripted::start({
        let (gone, asked) = (gone.clone(), asked.clone());
        move |_, head| {
            *asked.lock().unwrap() += 1;
            // Names the dead one for a while, as a front end does until it has noticed.
            let node = if gone.lock().unwrap().is_some() || *asked.lock().unwrap() < 4 {
                first
            } else {
                second
            };
            vec![Step::Answer(
                307,
                format!("Location: http://{node}{}?\r\n", head.path),
                String::new(),
            )]
        }
    })
    .await;
    let sink = write(&fe.address.to_string())
        .with("sink.max-retries", "0")
        .sink();
    one_row(&sink).await.unwrap();
    gone.lock().unwrap().take();
    // The one that is named refuses connections: another is asked for.
    one_row(&sink).await.unwrap();
    assert_eq!(live.seen("_stream_load").len(), 1);
}

#[tokio::test]
async fn redirects_to_https_or_nowhere_are_refused() {
    for (location, part, kind, asked) in [
        (
            "https://root:s3cret@be1:8443/api/db/t/_stream_load",
            "https",
            ErrorKind::Unsupported,
            1,
        ),
        // The page of something in between passes.
        ("/login", "not an http address", ErrorKind::Transport, 2),
    ] {
        let fe = Scripted::start(move |_, _| {
            vec![Step::Answer(
                307,
                format!("Location: {location}\r\n"),
                String::new(),
            )]
        })
        .await;
        let sink = write(&fe.address.to_string())
            .with("sink.max-retries", "0")
            .sink();
        let error = one_row(&sink).await.unwrap_err();
        assert_error(
            &error,
            kind,
            &[part, "db.t", "'l_0'", "status 307", &fe.address.to_string()],
        );
        assert_eq!(fe.seen("").len(), asked);
    }
}

#[tokio::test]
async fn refusals_of_a_front_end_are_told_apart() {
    for (text, kind, again) in [
        (
            r#"{"msg":"Unauthorized","code":401,"data":"Need auth information.","count":0}"#,
            ErrorKind::Auth,
            false,
        ),
        (
            r#"{"msg":"Unauthorized","code":401,"data":"Access denied; you need (at least one of) the LOAD privilege(s) for this operation","count":0}"#,
            ErrorKind::Auth,
            false,
        ),
        (
            r#"{"status":"FAILED","msg":"No backend load available, policy: x"}"#,
            ErrorKind::Connect,
            true,
        ),
        (
            r#"{"status":"FAILED","msg":"unknown database, database=db"}"#,
            ErrorKind::NotFound,
            false,
        ),
        (
            r#"{"status":"FAILED","msg":"There is no 100-continue header"}"#,
            ErrorKind::Load,
            false,
        ),
    ] {
        let fe = Scripted::start(move |_, _| vec![answer(200, text)]).await;
        let sink = write(&fe.address.to_string())
            .with("sink.max-retries", "0")
            .with("doris.request.retries", "0")
            .sink();
        let error = one_row(&sink).await.unwrap_err();
        assert_error(&error, kind, &[&fe.address.to_string()]);
        assert_eq!(error.is_retryable(), again, "{error}");
    }
}

#[tokio::test]
async fn a_follower_may_name_the_master_which_names_a_back_end() {
    let be = taking().await;
    let master = front_end(be.address, |_| "UNKNOWN".to_owned()).await;
    let follower = front_end(master.address, |_| "UNKNOWN".to_owned()).await;
    // Until the order of front ends begins with the follower.
    for _ in 0..20 {
        let sink = write(&format!("{},{}", follower.address, master.address)).sink();
        one_row(&sink).await.unwrap();
    }
    assert_eq!(be.seen("_stream_load").len(), 20);
    assert!(!follower.seen("").is_empty());
}
