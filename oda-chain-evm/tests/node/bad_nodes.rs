//! Nodes that are down, slow, wrong, or no nodes at all. Each kind of failure has its own name, and none
//! reveals what the URL held.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use alloy::primitives::{Address, B256, U256};
use oda_chain_evm::{
    CallOutcome, CallRequest, EvmNetworks, EvmNode, EvmSimulator, NodeError, RpcNode, RpcTimeouts,
    SendOutcome, Trace,
};
use oda_core::{ChainError, SimulatedEffects, UnixMillis};
use serde_json::{Value, json};

/// A server on a free loopback port that gives every request the answer of `answer`. It ends with the test
/// process; its listener is the only thing it holds.
struct Server {
    address: SocketAddr,
    asked: Arc<AtomicUsize>,
}

impl Server {
    /// `answer` gets the method and the id, and returns the raw HTTP response.
    fn raw(answer: impl Fn(&str, &Value) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let Some(request) = read_request(&stream) else {
                    continue;
                };
                counter.fetch_add(1, Ordering::SeqCst);
                let method = request["method"].as_str().unwrap_or_default();
                let mut stream = stream;
                let _ = stream.write_all(&answer(method, &request["id"]));
            }
        });
        Self { address, asked }
    }

    fn http(status: &'static str, body: &'static str) -> Self {
        Self::raw(move |_, _| response(status, body.as_bytes()))
    }

    /// Answers JSON-RPC: `Ok` a result, `Err` an error object.
    fn rpc(answer: impl Fn(&str) -> Result<Value, Value> + Send + 'static) -> Self {
        Self::raw(move |method, id| {
            let body = match answer(method) {
                Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
                Err(error) => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
            };
            response("200 OK", body.to_string().as_bytes())
        })
    }

    fn node(&self) -> RpcNode {
        self.node_with_timeout(Duration::from_secs(20))
    }

    fn node_with_timeout(&self, request: Duration) -> RpcNode {
        let url = format!(
            "http://user:hunter2@{}/v3/secret-key?token=secret-token",
            self.address
        );
        RpcNode::with_timeouts(
            &url,
            RpcTimeouts {
                request,
                ..RpcTimeouts::default()
            },
        )
        .unwrap()
    }
}

fn response(status: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

fn read_request(mut stream: &TcpStream) -> Option<Value> {
    let mut seen = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let count = stream.read(&mut chunk).ok().filter(|count| *count > 0)?;
        seen.extend_from_slice(&chunk[..count]);
        let Some(end) = seen.windows(4).position(|window| window == b"\r\n\r\n") else {
            continue;
        };
        // The body is one JSON object: it is complete when it parses.
        if let Ok(request) = serde_json::from_slice(&seen[end + 4..]) {
            return Some(request);
        }
    }
}

/// Asks for the chain id and checks that the error gives nothing away.
async fn error_of(node: &RpcNode) -> NodeError {
    let error = node.chain_id().await.unwrap_err();
    let shown = format!(
        "{error} {error:?} {} {node:?}",
        ChainError::from(error.clone())
    );
    for secret in ["hunter2", "secret-key", "secret-token", "user"] {
        assert!(!shown.contains(secret), "{shown}");
    }
    assert!(shown.contains("http://127.0.0.1:"), "{shown}");
    error
}

#[tokio::test]
async fn down() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let url = format!("http://user:hunter2@{address}/v3/secret-key?token=secret-token");
    let node = RpcNode::new(&url).unwrap();
    assert_eq!(error_of(&node).await.code(), "rpc_unreachable");
    let SendOutcome::Unknown { reason } = node.send_raw(&[2]).await else {
        panic!("not unknown")
    };
    assert!(reason.ends_with("this call sent nothing"), "{reason}");
}

#[tokio::test]
async fn slow() {
    let server = Server::raw(|_, _| {
        // Longer than the client waits. The client gives up; nothing here waits for the end of it.
        std::thread::sleep(Duration::from_secs(30));
        Vec::new()
    });
    let node = server.node_with_timeout(Duration::from_millis(50));
    let error = error_of(&node).await;
    assert_eq!(error.code(), "rpc_timeout");
    assert!(
        error
            .to_string()
            .contains("did not answer eth_chainId within 50 ms"),
        "{error}"
    );
    assert!(matches!(
        node.send_raw(&[2]).await,
        SendOutcome::Unknown { .. }
    ));
}

#[tokio::test]
async fn an_html_page() {
    let server = Server::http("200 OK", "<html><body>\u{1b}[2JWelcome</body></html>");
    let error = error_of(&server.node()).await;
    assert_eq!(error.code(), "rpc_malformed");
    let text = error.to_string();
    assert!(text.contains("it begins with `<html>"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
}

#[tokio::test]
async fn http_errors() {
    for (status, number, advice) in [
        ("500 Internal Server Error", 500, "try again"),
        ("503 Service Unavailable", 503, "try again"),
        ("401 Unauthorized", 401, "credentials"),
        ("404 Not Found", 404, "path"),
        ("429 Too Many Requests", 429, "limits the rate"),
    ] {
        let server = Server::http(status, "sorry");
        let error = error_of(&server.node()).await;
        assert_eq!(error.code(), "rpc_http_status");
        let text = error.to_string();
        assert!(
            text.contains(&format!("HTTP status {number} (`sorry`)")),
            "{text}"
        );
        assert!(text.contains(advice), "{text}");
        // A 5xx can hide that the node took the transaction.
        assert!(matches!(
            server.node().send_raw(&[2]).await,
            SendOutcome::Unknown { .. }
        ));
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let target = Server::rpc(|_| Ok(json!("0x14a34")));
    let location = format!("http://{}/", target.address);
    let server = Server::raw(move |_, _| {
        format!(
            "HTTP/1.1 307 Temporary Redirect\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n"
        )
        .into_bytes()
    });
    let error = error_of(&server.node()).await;
    assert!(
        error.to_string().contains("redirects are not followed"),
        "{error}"
    );
    assert_eq!(target.asked.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn truncated_json() {
    let server = Server::http("200 OK", r#"{"jsonrpc":"2.0","id":1,"resul"#);
    assert_eq!(error_of(&server.node()).await.code(), "rpc_malformed");
}

#[tokio::test]
async fn a_body_that_breaks_off() {
    let server = Server::raw(|_, _| {
        b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,".to_vec()
    });
    assert_eq!(error_of(&server.node()).await.code(), "rpc_unreachable");
    assert!(matches!(
        server.node().send_raw(&[2]).await,
        SendOutcome::Unknown { .. }
    ));
}

#[tokio::test]
async fn a_connection_that_closes_without_an_answer() {
    let server = Server::raw(|_, _| Vec::new());
    assert_eq!(error_of(&server.node()).await.code(), "rpc_unreachable");
    let SendOutcome::Unknown { reason } = server.node().send_raw(&[2]).await else {
        panic!("not unknown")
    };
    assert!(!reason.contains("sent nothing"), "{reason}");
}

#[tokio::test]
async fn an_answer_without_end_is_cut_off() {
    let server = Server::raw(|_, _| {
        let body = vec![b' '; oda_chain_evm::MAX_ANSWER_BYTES + 1];
        response("200 OK", &body)
    });
    let error = error_of(&server.node()).await;
    assert!(
        error.to_string().contains("larger than 33554432 bytes"),
        "{error}"
    );
}

#[tokio::test]
async fn the_answer_to_another_question() {
    let server =
        Server::raw(|_, _| response("200 OK", br#"{"jsonrpc":"2.0","id":999,"result":"0x1"}"#));
    assert_eq!(error_of(&server.node()).await.code(), "rpc_malformed");
}

#[tokio::test]
async fn a_result_of_the_wrong_type() {
    let server = Server::rpc(|_| Ok(json!({ "chain": 1 })));
    let error = error_of(&server.node()).await;
    assert_eq!(error.code(), "rpc_malformed");
    assert!(
        error.to_string().contains("`result` does not fit"),
        "{error}"
    );
}

#[tokio::test]
async fn a_json_rpc_error() {
    let server = Server::rpc(|_| Err(json!({ "code": -32005, "message": "too many\nrequests" })));
    let error = error_of(&server.node()).await;
    assert_eq!(error.code(), "rpc_error");
    assert!(
        error
            .to_string()
            .contains("error -32005: too many\\u{a}requests"),
        "{error}"
    );
}

#[tokio::test]
async fn a_json_rpc_error_inside_an_http_error() {
    let server = Server::http(
        "400 Bad Request",
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"nope"}}"#,
    );
    assert_eq!(error_of(&server.node()).await.code(), "rpc_error");
}

#[tokio::test]
async fn another_chain_is_refused_before_anything_else_is_asked() {
    let server = Server::rpc(|_| Ok(json!("0x1")));
    let networks = EvmNetworks::new().with_node("base-sepolia", Arc::new(server.node()));
    let error = networks.checked("base-sepolia").await.unwrap_err();
    assert_eq!(error.code(), "wrong_chain");
    let text = error.to_string();
    assert!(
        text.contains("serves chain id 1, not 84532 (base-sepolia)"),
        "{text}"
    );
    let simulator = EvmSimulator::new(Arc::new(networks));
    let request = CallRequest {
        from: None,
        to: Address::ZERO,
        data: vec![].into(),
        value: U256::ZERO,
    };
    let now = UnixMillis::new(0);
    let error = simulator
        .simulate_call("base-sepolia", &request, now)
        .await
        .unwrap_err();
    assert_eq!(error.code(), "wrong_chain");
    assert_eq!(server.asked.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_node_that_starts_to_lie_is_caught_at_the_next_question() {
    let answers = AtomicUsize::new(0);
    let server = Server::rpc(move |_| {
        let first = answers.fetch_add(1, Ordering::SeqCst) == 0;
        Ok(json!(if first { "0x14a34" } else { "0x2105" }))
    });
    let networks = EvmNetworks::new().with_node("base-sepolia", Arc::new(server.node()));
    assert!(networks.checked("base-sepolia").await.is_ok());
    assert_eq!(
        networks.checked("base-sepolia").await.unwrap_err().code(),
        "wrong_chain"
    );
}

#[tokio::test]
async fn chains_without_a_node_or_an_id() {
    let server = Server::rpc(|_| Ok(json!("0x539")));
    let networks = EvmNetworks::new().with_node("my-chain", Arc::new(server.node()));
    for chain in ["base", "my-chain"] {
        assert_eq!(networks.checked(chain).await.unwrap_err().code(), "no_node");
    }
    let networks = networks.with_chain("my-chain", 1337, Arc::new(server.node()));
    assert!(networks.checked("my-chain").await.is_ok());
}

#[test]
fn urls_that_cannot_be_used_are_not_repeated() {
    for url in [
        "",
        "localhost:8545",
        "ws://127.0.0.1:8545",
        "file:///etc/passwd",
        "http://",
        "secret",
    ] {
        let error = RpcNode::new(url).unwrap_err();
        assert_eq!(error.code(), "node_url");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}

fn no_tracing(method: &str) -> Result<Value, Value> {
    match method {
        "eth_chainId" => Ok(json!("0x14a34")),
        "eth_getBlockByNumber" => Ok(json!({
            "number": "0x10", "hash": B256::ZERO, "timestamp": "0x1", "gasLimit": "0x1c9c380",
        })),
        "eth_call" => Ok(json!("0x")),
        "eth_estimateGas" => Ok(json!("0x5208")),
        "eth_getCode" => Ok(json!("0x")),
        _ => {
            Err(json!({ "code": -32601, "message": format!("the method {method} does not exist") }))
        }
    }
}

#[tokio::test]
async fn without_tracing_the_effects_are_unknown_and_say_why() {
    let server = Server::rpc(no_tracing);
    let networks = EvmNetworks::new().with_node("base-sepolia", Arc::new(server.node()));
    let request = CallRequest {
        from: Some(Address::with_last_byte(1)),
        to: Address::ZERO,
        data: vec![].into(),
        value: U256::ZERO,
    };
    let simulation = EvmSimulator::new(Arc::new(networks))
        .simulate_call("base-sepolia", &request, UnixMillis::new(0))
        .await
        .unwrap();
    assert!(simulation.ok);
    assert_eq!(simulation.method, "eth_call+eth_estimateGas");
    assert_eq!(simulation.block.as_deref(), Some("16"));
    assert_eq!(simulation.gas_estimate.as_deref(), Some("21000"));
    let Some(SimulatedEffects::Unknown { reason }) = simulation.effects else {
        panic!("known")
    };
    assert!(reason.contains("neither by eth_simulateV1"), "{reason}");
}

#[tokio::test]
async fn with_the_call_tracer_only_effects_are_known_and_blind_spots_named() {
    let sender = Address::with_last_byte(1);
    let server = Server::raw(move |method, id| {
        let body = match method {
            "debug_traceCall" => json!({ "jsonrpc": "2.0", "id": id, "result": {
                "type": "CALL", "from": sender, "to": Address::ZERO, "value": "0x9",
                "gas": "0x1", "gasUsed": "0x5208", "input": "0x", "output": "0x",
                "calls": [
                    { "type": "CALL", "from": Address::ZERO, "to": sender, "value": "0x2", "input": "0x",
                      "gas": "0x0", "gasUsed": "0x0" },
                    { "type": "CALL", "from": Address::ZERO, "to": sender, "value": "0x4", "input": "0x",
                      "gas": "0x0", "gasUsed": "0x0", "error": "out of gas" },
                ],
            }}),
            other => match no_tracing(other) {
                Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
                Err(error) => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
            },
        };
        response("200 OK", body.to_string().as_bytes())
    });
    let request = CallRequest {
        from: Some(sender),
        to: Address::ZERO,
        data: vec![].into(),
        value: U256::from(9),
    };
    let Trace::Traced(traced) = server.node().trace(&request, 16).await.unwrap() else {
        panic!("unsupported")
    };
    assert_eq!(traced.method, "debug_traceCall");
    let SimulatedEffects::Known { changes, .. } = oda_chain_evm::effects_of(&traced, sender) else {
        panic!("unknown")
    };
    assert_eq!(changes.len(), 1);
    assert!(format!("{changes:?}").contains("\"-7\""), "{changes:?}");
}

#[tokio::test]
async fn errors_about_the_call_are_told_from_errors_of_the_node() {
    let text = "0x08c379a0\
        0000000000000000000000000000000000000000000000000000000000000020\
        0000000000000000000000000000000000000000000000000000000000000002\
        6e6f000000000000000000000000000000000000000000000000000000000000";
    let revert = CallOutcome::Revert {
        data: text.parse().unwrap(),
        reason: "no".to_owned(),
    };
    let request = CallRequest {
        from: None,
        to: Address::ZERO,
        data: vec![].into(),
        value: U256::ZERO,
    };
    for (error, expected) in [
        (
            json!({ "code": 3, "message": "execution reverted: no", "data": text }),
            Some(revert.clone()),
        ),
        (
            json!({ "code": -32015, "message": "VM execution error.", "data": format!("Reverted {text}") }),
            Some(revert.clone()),
        ),
        (
            json!({ "code": -32000, "message": "execution reverted: no" }),
            Some(CallOutcome::Revert {
                data: vec![].into(),
                reason: "no".to_owned(),
            }),
        ),
        (
            json!({ "code": -32000, "message": "out of gas" }),
            Some(CallOutcome::Failed {
                reason: "out of gas".to_owned(),
            }),
        ),
        (
            json!({ "code": -32000, "message": "header not found" }),
            None,
        ),
        (
            json!({ "code": -32005, "message": "daily request limit reached" }),
            None,
        ),
    ] {
        let shown = error.to_string();
        let server = Server::rpc(move |_| Err(error.clone()));
        let outcome = server.node().call(&request, 1).await;
        match expected {
            Some(expected) => assert_eq!(outcome, Ok(expected), "{shown}"),
            None => assert_eq!(outcome.unwrap_err().code(), "rpc_error", "{shown}"),
        }
    }
}

#[tokio::test]
async fn only_an_unknown_tag_counts_as_no_finality() {
    for (error, none) in [
        (
            json!({ "code": -32602, "message": "invalid block tag" }),
            true,
        ),
        (json!({ "code": -39001, "message": "Unknown block" }), true),
        (
            json!({ "code": -32000, "message": "finalized block not found" }),
            true,
        ),
        (json!({ "code": -32005, "message": "rate limit" }), false),
        (
            json!({ "code": -32603, "message": "internal error" }),
            false,
        ),
    ] {
        let shown = error.to_string();
        let server = Server::rpc(move |_| Err(error.clone()));
        match server.node().finalized().await {
            Ok(found) => assert!(none && found.is_none(), "{shown}"),
            Err(error) => assert!(!none && error.code() == "rpc_error", "{shown}"),
        }
    }
}

#[tokio::test]
async fn answers_about_another_transaction_are_refused() {
    let server = Server::rpc(|method| match method {
        "eth_getTransactionByHash" => Ok(json!({
            "hash": B256::repeat_byte(9), "blockNumber": null, "from": Address::ZERO, "nonce": "0x0",
        })),
        _ => Ok(json!({
            "transactionHash": B256::repeat_byte(9), "blockNumber": "0x1", "blockHash": B256::ZERO,
            "status": "0x1", "gasUsed": "0x5208",
        })),
    });
    let asked = B256::repeat_byte(8);
    assert_eq!(
        server.node().transaction(asked).await.unwrap_err().code(),
        "rpc_malformed"
    );
    assert_eq!(
        server.node().receipt(asked).await.unwrap_err().code(),
        "rpc_malformed"
    );
}
