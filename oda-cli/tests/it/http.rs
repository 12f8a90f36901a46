//! Just enough HTTP for JSON-RPC: a client, and a server whose answers a test decides.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use serde_json::{Value, json};

/// Asks a node and returns the `result`.
#[track_caller]
pub(crate) fn rpc(url: &str, method: &str, params: Value) -> Value {
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let answer: Value = serde_json::from_slice(&post(url, request.to_string().as_bytes())).unwrap();
    assert!(answer.get("error").is_none(), "{method}: {answer}");
    answer["result"].clone()
}

/// Posts a body and returns the body of the answer.
pub(crate) fn post(url: &str, body: &[u8]) -> Vec<u8> {
    let host = url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let head = format!(
        "POST / HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    read_message(&mut BufReader::new(stream)).unwrap()
}

/// Reads head and body of one message that states its length.
fn read_message(reader: &mut BufReader<TcpStream>) -> io::Result<Vec<u8>> {
    let mut length = 0;
    let mut line = String::new();
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let header = line.trim().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

/// What a scripted node does with one request.
pub(crate) enum Reply {
    /// Answers with this `result`.
    Result(Value),
    /// Answers with these bytes.
    Body(Vec<u8>),
    /// Closes the connection without a word.
    HangUp,
    /// Says nothing until the node is stopped.
    Silence,
}

/// A node on a loopback port whose replies a test decides. It is stopped when dropped.
pub(crate) struct ScriptedNode {
    url: String,
    port: u16,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ScriptedNode {
    pub(crate) fn start(reply: impl Fn(&str, &[u8]) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let stopped = Arc::new(AtomicBool::new(false));
        let (flag, reply) = (Arc::clone(&stopped), Arc::new(reply));
        let thread = std::thread::spawn(move || {
            // Connections that get no answer are kept open for as long as the node runs.
            let mut silent = Vec::new();
            let mut serving = Vec::new();
            for stream in listener.incoming().map_while(Result::ok) {
                if flag.load(Ordering::SeqCst) {
                    break;
                }
                silent.push(stream.try_clone().unwrap());
                let reply = Arc::clone(&reply);
                serving.push(std::thread::spawn(move || serve(stream, &*reply)));
            }
            for stream in silent {
                // It may be closed already.
                let _ = stream.shutdown(Shutdown::Both);
            }
            for thread in serving {
                thread.join().unwrap();
            }
        });
        Self {
            url: format!("http://127.0.0.1:{port}"),
            port,
            stopped,
            thread: Some(thread),
        }
    }

    /// A node that serves a chain id and knows nothing else.
    pub(crate) fn of_chain(id: u64) -> Self {
        Self::start(move |method, _| match method {
            "eth_chainId" => Reply::Result(json!(format!("{id:#x}"))),
            _ => Reply::HangUp,
        })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for ScriptedNode {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for a connection.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(stream: TcpStream, reply: &(impl Fn(&str, &[u8]) -> Reply + ?Sized)) {
    let mut writer = stream.try_clone().unwrap();
    let mut reader = BufReader::new(stream);
    while let Ok(body) = read_message(&mut reader) {
        let request: Value = serde_json::from_slice(&body).unwrap();
        let answer = match reply(request["method"].as_str().unwrap_or_default(), &body) {
            Reply::Result(result) => {
                json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })
                    .to_string()
                    .into_bytes()
            }
            Reply::Body(body) => body,
            Reply::HangUp => {
                let _ = writer.shutdown(Shutdown::Both);
                return;
            }
            Reply::Silence => {
                // Returns when the other side gives up or the node is stopped.
                let _ = reader.read(&mut [0]);
                return;
            }
        };
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            answer.len()
        );
        if writer
            .write_all(head.as_bytes())
            .and_then(|()| writer.write_all(&answer))
            .is_err()
        {
            return;
        }
    }
}
