//! The client side of the protocol against servers that play single moments of it.

use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::*;
use crate::config::cluster::Login;

type Server = Packets<TcpStream>;

const NONCE: &[u8; 20] = b"abcdefghijklmnopqrst";
const OTHER_NONCE: &[u8; 20] = b"ABCDEFGHIJKLMNOPQRST";
const OK: &[u8] = b"\0\0\0\x02\0\0\0";

fn cluster(timeout: Duration) -> Cluster {
    Cluster {
        fenodes: Vec::new(),
        login: Login {
            user: "reader".to_owned(),
            password: "s3cret".to_owned(),
        },
        retries: 0,
        connect_timeout: timeout,
        read_timeout: timeout,
    }
}

fn patient() -> Cluster {
    cluster(Duration::from_secs(20))
}

/// A server for one connection.
async fn server<F, Fut>(play: F) -> (Address, JoinHandle<io::Result<()>>)
where
    F: FnOnce(Server) -> Fut + Send + 'static,
    Fut: Future<Output = io::Result<()>> + Send,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = Address::new("127.0.0.1", listener.local_addr().unwrap().port());
    let task = tokio::spawn(async move {
        let (stream, _) = listener.accept().await?;
        play(Packets::new(stream)).await
    });
    (address, task)
}

fn greeting() -> Vec<u8> {
    let mut out = b"\x0a5.7.99\0\x01\0\0\0".to_vec();
    out.extend(&NONCE[..8]);
    // Filler, capabilities, character set, status, capabilities, length of the nonce, filler.
    out.extend(b"\0\x0f\xa2\x21\x02\0\x08\0\x15\0\0\0\0\0\0\0\0\0\0");
    out.extend(&NONCE[8..]);
    out.extend(b"\0mysql_native_password\0");
    out
}

fn error_packet(code: u16, text: &str) -> Vec<u8> {
    let mut out = vec![0xff];
    out.extend(code.to_le_bytes());
    out.extend(b"#HY000");
    out.extend(text.as_bytes());
    out
}

fn proof(nonce: &[u8]) -> Vec<u8> {
    mysql_common::scramble::scramble_native(nonce, b"s3cret")
        .unwrap()
        .to_vec()
}

/// Greets, and checks who logs in.
async fn welcome(server: &mut Server) -> io::Result<()> {
    server.write(&greeting()).await?;
    let response = server.read().await?;
    let contains = |wanted: &[u8]| response.windows(wanted.len()).any(|part| part == wanted);
    assert!(contains(b"reader\0") && contains(&proof(NONCE)) && !contains(b"s3cret"));
    server.write(OK).await
}

async fn failure(nodes: &[Address], cluster: &Cluster) -> Error {
    let error = match Connection::open(nodes, cluster).await {
        Ok(_) => panic!("nobody should be logged in"),
        Err(error) => error,
    };
    assert!(!error.to_string().contains("s3cret"), "{error}");
    error
}

#[tokio::test]
async fn rows_nulls_and_counts() {
    let (node, served) = server(|mut server| async move {
        welcome(&mut server).await?;
        server.restart();
        assert_eq!(server.read().await?, b"\x03SELECT 1");
        server.write(b"\x02").await?;
        for name in ["a", "b"] {
            let definition = format!("\x03def\0\0\0\x01{name}\0\x0c!\0\0\0\0\0\u{3}\0\0\0\0\0");
            server.write(definition.as_bytes()).await?;
        }
        server.write(b"\xfe\0\0\x02\0").await?;
        server.write(b"\x01x\xfb").await?;
        server.write(b"\0\x02\xc3\xa9").await?;
        server.write(b"\xfe\0\0\x02\0").await?;
        server.restart();
        server.read().await?;
        server.write(b"\0\xfc\x2c\x01\0\x02\0\0\0").await?;
        server.restart();
        server.read().await?;
        server
            .write(&error_packet(1105, "errCode = 2, detailMessage = no"))
            .await?;
        server.restart();
        assert_eq!(server.read().await?, [QUIT]);
        Ok(())
    })
    .await;
    let mut connection = Connection::open(std::slice::from_ref(&node), &patient())
        .await
        .unwrap();
    assert_eq!(connection.node(), &node);
    let rows = match connection.query("SELECT 1").await.unwrap() {
        Answer::Rows(rows) => rows,
        other => panic!("{other:?}"),
    };
    assert_eq!(rows.columns, ["a", "b"]);
    let cell = |text: &str| Some(text.to_owned());
    assert_eq!(rows.rows, [vec![cell("x"), None], vec![cell(""), cell("é")]]);
    assert_eq!(
        connection.query("INSERT").await.unwrap(),
        Answer::Done { affected: 300 }
    );
    match connection.query("BAD").await {
        Err(Failure::Refused(refusal)) => {
            assert_eq!(
                refusal.to_string(),
                "errCode = 2, detailMessage = no (error 1105)"
            );
        }
        other => panic!("{other:?}"),
    }
    connection.close().await;
    served.await.unwrap().unwrap();
}

#[tokio::test]
async fn another_nonce_is_answered_and_another_method_is_not() {
    let (node, served) = server(|mut server| async move {
        server.write(&greeting()).await?;
        server.read().await?;
        let switch = [b"\xfemysql_native_password\0", &OTHER_NONCE[..], b"\0"].concat();
        server.write(&switch).await?;
        assert_eq!(server.read().await?, proof(OTHER_NONCE));
        server.write(OK).await
    })
    .await;
    assert!(Connection::open(&[node], &patient()).await.is_ok());
    served.await.unwrap().unwrap();

    let (node, served) = server(|mut server| async move {
        server.write(&greeting()).await?;
        server.read().await?;
        server.write(b"\xfemysql_clear_password\0").await?;
        // The password must not come.
        assert!(server.read().await.is_err());
        Ok(())
    })
    .await;
    let error = failure(&[node], &patient()).await;
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("'mysql_clear_password'"), "{error}");
    served.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_wrong_password_is_wrong_everywhere() {
    let (node, served) = server(|mut server| async move {
        server.write(&greeting()).await?;
        server.read().await?;
        server
            .write(&error_packet(1045, "Access denied for user 'reader'"))
            .await
    })
    .await;
    // The second node would be dialled in vain.
    let error = failure(&[node, Address::new("127.0.0.1", 1)], &patient()).await;
    assert_eq!(error.kind(), ErrorKind::Auth);
    assert!(
        error.to_string().contains("user 'reader'") && !error.is_retryable(),
        "{error}"
    );
    served.await.unwrap().unwrap();
}

#[tokio::test]
async fn nodes_are_tried_in_turn() {
    let (full, first) =
        server(|mut server| async move { server.write(&error_packet(1040, "Too many connections")).await })
            .await;
    let (usable, second) = server(|mut server| async move { welcome(&mut server).await }).await;
    let closed = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Address::new("127.0.0.1", listener.local_addr().unwrap().port())
    };
    let nodes = [closed.clone(), full, usable.clone()];
    let connection = Connection::open(&nodes, &patient()).await.unwrap();
    assert_eq!(connection.node(), &usable);
    for served in [first, second] {
        served.await.unwrap().unwrap();
    }
    let error = failure(&nodes, &patient()).await;
    assert!(
        error.is_retryable() && error.kind() == ErrorKind::Connect,
        "{error:?}"
    );
    assert!(
        nodes
            .iter()
            .all(|node| error.to_string().contains(&node.to_string())),
        "{error}"
    );
    let nowhere = failure(&[Address::new("no.such.host.invalid", 9030)], &patient()).await;
    assert!(
        nowhere.to_string().contains("'no.such.host.invalid'"),
        "{nowhere}"
    );
}

#[tokio::test]
async fn silence_has_a_limit() {
    let (silent, served) = server(|mut server| async move {
        // Ends when the client has given up.
        assert!(server.read().await.is_err());
        Ok(())
    })
    .await;
    // No port of MySQL waits for its client: asking again gives the same.
    let error = failure(&[silent], &cluster(Duration::from_millis(100))).await;
    assert!(
        error.kind() == ErrorKind::Connect && !error.is_retryable(),
        "{error:?}"
    );
    assert!(error.to_string().contains("query_port, 9030"), "{error}");
    served.await.unwrap().unwrap();

    let (silent, served) = server(|mut server| async move {
        server.write(&greeting()).await?;
        server.read().await?;
        assert!(server.read().await.is_err());
        Ok(())
    })
    .await;
    let error = failure(&[silent], &cluster(Duration::from_millis(100))).await;
    assert!(
        error.kind() == ErrorKind::Timeout && error.is_retryable(),
        "{error:?}"
    );
    served.await.unwrap().unwrap();

    let (silent, served) = server(|mut server| async move {
        welcome(&mut server).await?;
        server.restart();
        server.read().await?;
        assert!(server.read().await.is_err());
        Ok(())
    })
    .await;
    let mut connection = Connection::open(&[silent], &cluster(Duration::from_millis(500)))
        .await
        .unwrap();
    match connection.query("SELECT 1").await {
        Err(Failure::Broken(error)) => assert_eq!(error.kind(), ErrorKind::Timeout),
        other => panic!("{other:?}"),
    }
    drop(connection);
    served.await.unwrap().unwrap();
}

#[tokio::test]
async fn what_is_no_mysql_server_is_said_to_be_none() {
    for (answer, part) in [
        (&b"\x0a5.7"[..], "greeting"),
        (b"HTTP/1.1 400 Bad Request", "broken MySQL protocol"),
    ] {
        let (node, served) = server(move |mut server| async move {
            if answer.starts_with(b"HTTP") {
                return server.write_raw(answer).await;
            }
            server.write(answer).await
        })
        .await;
        let error = failure(&[node], &patient()).await;
        assert_eq!(error.kind(), ErrorKind::Transport, "{error}");
        assert!(error.to_string().contains(part), "{error}");
        served.await.unwrap().unwrap();
    }
}
