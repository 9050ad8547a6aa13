//! A server that does what a script says, down to single packets: for what no real server can be brought to do at will.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// The head of a request.
#[derive(Clone, Debug, Default)]
pub struct Head {
    pub method: String,
    pub path: String,
    headers: Vec<(String, String)>,
}

impl Head {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, v)| v.as_str())
    }

    pub fn count(&self, name: &str) -> usize {
        self.headers
            .iter()
            .filter(|(n, _)| n.eq_ignore_ascii_case(name))
            .count()
    }
}

/// A request as far as it was read.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub head: Head,
    pub body: Vec<u8>,
    /// Whether the body came to its proper end.
    pub complete: bool,
}

/// One step of a script.
#[derive(Clone)]
pub enum Step {
    /// `100 Continue`.
    Continue,
    /// Reads the body to its end, or to the end of the connection.
    ReadAll,
    /// Reads so many bytes of the body.
    Read(usize),
    /// A final answer: status, further header lines, body.
    Answer(u16, String, String),
    /// Waits until told.
    Wait(Arc<Notify>),
    /// Resets the connection.
    Reset,
}

pub fn answer(status: u16, body: impl Into<String>) -> Step {
    Step::Answer(status, String::new(), body.into())
}

/// The answer to a load that succeeded.
pub fn success(label: &str, txn: i64, rows: i64) -> Step {
    answer(
        200,
        format!(
            r#"{{"TxnId": {txn}, "Label": "{label}", "Comment": "", "TwoPhaseCommit": "true", "Status": "Success", "Message": "OK", "NumberTotalRows": {rows}, "NumberLoadedRows": "{rows}", "NumberFilteredRows": 0, "NumberUnselectedRows": 0, "LoadBytes": 34, "LoadTimeMs": 28, "NewField": {{"a": 1}}, "TxnId": {txn}}}"#
        ),
    )
}

pub fn fail(message: &str) -> Step {
    answer(
        200,
        format!(
            r#"{{"TxnId": -1, "Label": "l", "Status": "Fail", "Message": "{message}", "NumberTotalRows": 0}}"#
        ),
    )
}

pub fn exists(status: &str) -> Step {
    answer(
        200,
        format!(
            r#"{{"TxnId": -1, "Label": "l", "TwoPhaseCommit": "true", "Status": "Label Already Exists", "ExistingJobStatus": "{status}", "Message": "[LABEL_ALREADY_EXISTS]TStatus: errCode = 2, detailMessage = Label [l] has already been used, relate to txn [4005]"}}"#
        ),
    )
}

/// Answers the request number `n` (counted from 0 over the whole server).
pub type Script = dyn Fn(usize, &Head) -> Vec<Step> + Send + Sync;

/// A running server.
pub struct Scripted {
    pub address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    open: Arc<Mutex<usize>>,
    task: JoinHandle<()>,
}

impl Scripted {
    pub async fn start(script: impl Fn(usize, &Head) -> Vec<Step> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let open = Arc::new(Mutex::new(0));
        let script: Arc<Script> = Arc::new(script);
        let task = tokio::spawn({
            let (seen, open) = (seen.clone(), open.clone());
            async move {
                while let Ok((stream, _)) = listener.accept().await {
                    let (script, seen, open) = (script.clone(), seen.clone(), open.clone());
                    tokio::spawn(async move {
                        *open.lock().unwrap() += 1;
                        let _ = serve(stream, &*script, &seen).await;
                        *open.lock().unwrap() -= 1;
                    });
                }
            }
        });
        Self {
            address,
            seen,
            open,
            task,
        }
    }

    /// The requests so far whose path contains the text.
    pub fn seen(&self, path: &str) -> Vec<Seen> {
        let seen = self.seen.lock().unwrap();
        seen.iter()
            .filter(|s| s.head.path.contains(path))
            .cloned()
            .collect()
    }

    /// Connections that are open.
    pub fn open(&self) -> usize {
        *self.open.lock().unwrap()
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(stream: TcpStream, script: &Script, seen: &Mutex<Vec<Seen>>) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let Some(head) = read_head(&mut stream).await? else {
            return Ok(());
        };
        let number = {
            let mut seen = seen.lock().unwrap();
            seen.push(Seen {
                head: head.clone(),
                ..Seen::default()
            });
            seen.len() - 1
        };
        let mut body = Body::new(&head);
        for step in script(number, &head) {
            match step {
                Step::Continue => stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?,
                Step::ReadAll => {
                    body.read(&mut stream, usize::MAX, |bytes, end| {
                        note(seen, number, bytes, end)
                    })
                    .await?;
                }
                Step::Read(n) => {
                    body.read(&mut stream, n, |bytes, end| note(seen, number, bytes, end))
                        .await?;
                }
                Step::Answer(status, headers, text) => {
                    let length = text.len();
                    let whole =
                        format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n{headers}\r\n{text}");
                    stream.write_all(whole.as_bytes()).await?;
                }
                Step::Wait(notify) => {
                    // The end of the connection ends the wait as well.
                    tokio::select! {
                        () = notify.notified() => {}
                        read = body.read(&mut stream, usize::MAX, |bytes, end| note(seen, number, bytes, end)) => {
                            read?;
                            notify.notified().await;
                        }
                    }
                }
                Step::Reset => {
                    let stream = stream.into_inner().into_std()?;
                    let socket = TcpStream::from_std(stream)?;
                    socket.set_zero_linger()?;
                    return Ok(());
                }
            }
        }
        if !body.ended {
            return Ok(());
        }
    }
}

fn note(seen: &Mutex<Vec<Seen>>, number: usize, bytes: &[u8], end: bool) {
    let mut seen = seen.lock().unwrap();
    seen[number].body.extend_from_slice(bytes);
    seen[number].complete |= end;
}

async fn read_line(stream: &mut BufReader<TcpStream>) -> std::io::Result<Option<String>> {
    let mut line = Vec::new();
    loop {
        let mut byte = [0];
        if stream.read(&mut byte).await? == 0 {
            return Ok(None);
        }
        line.push(byte[0]);
        if line.ends_with(b"\r\n") {
            line.truncate(line.len() - 2);
            return Ok(Some(String::from_utf8(line).unwrap()));
        }
    }
}

async fn read_head(stream: &mut BufReader<TcpStream>) -> std::io::Result<Option<Head>> {
    let Some(first) = read_line(stream).await? else {
        return Ok(None);
    };
    let mut parts = first.split(' ');
    let mut head = Head {
        method: parts.next().unwrap_or_default().to_owned(),
        path: parts.next().unwrap_or_default().to_owned(),
        headers: Vec::new(),
    };
    loop {
        match read_line(stream).await? {
            None => return Ok(None),
            Some(line) if line.is_empty() => return Ok(Some(head)),
            Some(line) => {
                let (name, value) = line.split_once(':').unwrap();
                head.headers.push((name.to_owned(), value.trim().to_owned()));
            }
        }
    }
}

/// A body by length or in chunks.
struct Body {
    chunked: bool,
    /// Left of the chunk or of the whole.
    left: usize,
    ended: bool,
}

impl Body {
    fn new(head: &Head) -> Self {
        let length = head.header("content-length").map_or(0, |l| l.parse().unwrap());
        let chunked = head.header("transfer-encoding").is_some();
        Self {
            chunked,
            left: length,
            ended: !chunked && length == 0,
        }
    }

    async fn read(
        &mut self,
        stream: &mut BufReader<TcpStream>,
        mut most: usize,
        mut note: impl FnMut(&[u8], bool),
    ) -> std::io::Result<()> {
        if self.ended {
            note(&[], true);
        }
        while !self.ended && most > 0 {
            if self.left == 0 && self.chunked {
                let Some(size) = read_line(stream).await? else {
                    return Ok(());
                };
                self.left = usize::from_str_radix(&size, 16).unwrap();
                if self.left == 0 {
                    read_line(stream).await?;
                    self.ended = true;
                    note(&[], true);
                    return Ok(());
                }
            }
            let mut bytes = vec![0; self.left.min(most).min(65536)];
            let n = stream.read(&mut bytes).await?;
            if n == 0 {
                return Ok(());
            }
            note(&bytes[..n], false);
            self.left -= n;
            most = most.saturating_sub(n);
            if self.left == 0 {
                if self.chunked {
                    read_line(stream).await?;
                } else {
                    self.ended = true;
                    note(&[], true);
                }
            }
        }
        Ok(())
    }
}
