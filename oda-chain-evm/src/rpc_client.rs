//! One JSON-RPC call over HTTP: one request, one answer, no second try.
//!
//! The HTTP client is the one that alloy's transport is made of; the envelope is our own, because three
//! things must hold that alloy's transport leaves open: an answer is bounded in size, a redirect is not
//! followed, and every way to fail keeps its own name.

use std::error::Error as _;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use alloy::primitives::hex;
use alloy::transports::http::reqwest;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use url::Url;

use crate::node::NodeError;
use crate::text::foreign;

/// How long a connection may take. A node that does not accept within this time is down or too far away.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long one call may take from the first byte sent to the last byte read. Tracing a large call takes
/// seconds on a busy node; the person who waits for `prepare` should not wait longer than this.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);

/// The largest answer that is read. The largest honest ones, state differences with code, stay far below;
/// a larger one would only serve to fill this machine's memory.
pub const MAX_ANSWER_BYTES: usize = 32 * 1024 * 1024;

/// How many bytes of the body of an HTTP error are read, to quote its beginning.
const MAX_ERROR_BODY_BYTES: usize = 4 * 1024;

/// How long calls to a node may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RpcTimeouts {
    /// For the connection.
    pub connect: Duration,
    /// For the whole call, the connection included.
    pub request: Duration,
}

impl Default for RpcTimeouts {
    fn default() -> Self {
        Self {
            connect: CONNECT_TIMEOUT,
            request: REQUEST_TIMEOUT,
        }
    }
}

/// The URL of a node cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the URL of the node {rule}; give one such as http://127.0.0.1:8545 or https://node.example/v3/key"
)]
pub struct NodeUrlError {
    /// The rule that it breaks. The URL itself is not repeated: it may hold a key.
    pub rule: String,
}

impl NodeUrlError {
    /// The stable code of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        "node_url"
    }
}

/// A JSON-RPC endpoint.
pub(crate) struct RpcClient {
    http: reqwest::Client,
    url: Url,
    label: String,
    timeouts: RpcTimeouts,
    next_id: AtomicU64,
}

impl fmt::Debug for RpcClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RpcClient")
            .field("node", &self.label)
            .field("timeouts", &self.timeouts)
            .finish_non_exhaustive()
    }
}

impl RpcClient {
    pub(crate) fn new(url: &str, timeouts: RpcTimeouts) -> Result<Self, NodeUrlError> {
        let broken = |rule: &str| NodeUrlError {
            rule: rule.to_owned(),
        };
        let url =
            Url::parse(url.trim()).map_err(|error| broken(&format!("is not one: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(broken("must begin with http:// or https://"));
        }
        let host = url.host_str().ok_or_else(|| broken("names no host"))?;
        let port = url
            .port()
            .map(|port| format!(":{port}"))
            .unwrap_or_default();
        let label = format!("{}://{host}{port}", url.scheme());
        let mut builder = reqwest::Client::builder()
            .connect_timeout(timeouts.connect)
            .timeout(timeouts.request)
            // A redirect would hand a signed transaction, and perhaps credentials, to another server.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("oda/", env!("CARGO_PKG_VERSION")));
        if is_loopback(&url) {
            builder = builder.no_proxy();
        }
        let http = builder
            .build()
            .map_err(|error| broken(&format!("cannot be used: {}", causes(error))))?;
        Ok(Self {
            http,
            url,
            label,
            timeouts,
            next_id: AtomicU64::new(1),
        })
    }

    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    /// Asks, and reads the answer as `T`.
    pub(crate) async fn ask<P, T>(&self, method: &str, params: P) -> Result<T, RpcFailure>
    where
        P: Serialize + Send,
        T: DeserializeOwned,
    {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let request = Request {
            jsonrpc: "2.0",
            id,
            method,
            params,
        };
        let body = serde_json::to_vec(&request).map_err(|error| {
            self.malformed(method, &format!("the question has no JSON: {error}"))
        })?;
        let answer = self.exchange(method, body).await?;
        self.read(method, id, &answer)
    }

    async fn exchange(&self, method: &str, body: Vec<u8>) -> Result<Vec<u8>, RpcFailure> {
        let response = self
            .http
            .post(self.url.clone())
            .header("content-type", "application/json")
            .body(body)
            .send()
            .await
            .map_err(|error| self.broken_exchange(method, error))?;
        let status = response.status();
        if status.is_success() {
            return self
                .body(method, response, MAX_ANSWER_BYTES)
                .await?
                .ok_or_else(|| {
                    self.malformed(
                        method,
                        &format!("it is larger than {MAX_ANSWER_BYTES} bytes"),
                    )
                });
        }
        // Some nodes wrap a JSON-RPC error in an HTTP error: then the inner one says more.
        let body = match self.body(method, response, MAX_ERROR_BODY_BYTES).await {
            Ok(Some(body)) => body,
            _ => Vec::new(),
        };
        if status.is_client_error()
            && serde_json::from_slice::<Answer<'_>>(&body)
                .is_ok_and(|answer| answer.error.is_some())
        {
            return Ok(body);
        }
        Err(RpcFailure::from(NodeError::HttpStatus {
            node: self.label.clone(),
            method: method.to_owned(),
            status: status.as_u16(),
            excerpt: foreign(String::from_utf8_lossy(&body).trim()),
        }))
    }

    /// The body; `None` when it is larger than `limit`.
    async fn body(
        &self,
        method: &str,
        mut response: reqwest::Response,
        limit: usize,
    ) -> Result<Option<Vec<u8>>, RpcFailure> {
        let mut body = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| self.broken_exchange(method, error))?
        {
            if body.len() + chunk.len() > limit {
                return Ok(None);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Some(body))
    }

    fn read<T: DeserializeOwned>(
        &self,
        method: &str,
        id: u64,
        body: &[u8],
    ) -> Result<T, RpcFailure> {
        let answer: Answer<'_> = serde_json::from_slice(body).map_err(|error| {
            let begins = foreign(&String::from_utf8_lossy(&body[..body.len().min(80)]));
            self.malformed(
                method,
                &format!("not JSON-RPC ({error}); it begins with `{begins}`"),
            )
        })?;
        if let Some(error) = answer.error {
            return Err(self.refusal(method, &error));
        }
        // An error may lack the id of the question; a result for another question is nobody's.
        if answer.id.is_none_or(|found| found.get() != id.to_string()) {
            return Err(self.malformed(method, "it answers another question (`id` differs)"));
        }
        let result = answer.result.map_or("null", RawValue::get);
        serde_json::from_str(result)
            .map_err(|error| self.malformed(method, &format!("`result` does not fit: {error}")))
    }

    fn refusal(&self, method: &str, error: &ErrorObject<'_>) -> RpcFailure {
        let data = error.data.and_then(revert_data);
        RpcFailure {
            error: NodeError::Rpc {
                node: self.label.clone(),
                method: method.to_owned(),
                error_code: error.code,
                message: foreign(&error.message),
            },
            data,
            connected: true,
        }
    }

    fn malformed(&self, method: &str, reason: &str) -> RpcFailure {
        RpcFailure::from(NodeError::Malformed {
            node: self.label.clone(),
            method: method.to_owned(),
            reason: foreign(reason),
        })
    }

    fn broken_exchange(&self, method: &str, error: reqwest::Error) -> RpcFailure {
        let node = self.label.clone();
        let connected = !error.is_connect();
        let error = if error.is_timeout() {
            let limit = if connected {
                self.timeouts.request
            } else {
                self.timeouts.connect
            };
            NodeError::Timeout {
                node,
                method: method.to_owned(),
                millis: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
            }
        } else {
            NodeError::Unreachable {
                node,
                reason: causes(error),
            }
        };
        RpcFailure {
            error,
            data: None,
            connected,
        }
    }
}

/// Why a call failed, with what only some callers need.
#[derive(Debug)]
pub(crate) struct RpcFailure {
    pub(crate) error: NodeError,
    /// The revert data that came with a JSON-RPC error.
    pub(crate) data: Option<Vec<u8>>,
    /// Whether there was a connection, so that bytes of the question may have arrived.
    pub(crate) connected: bool,
}

impl From<NodeError> for RpcFailure {
    fn from(error: NodeError) -> Self {
        Self {
            error,
            data: None,
            connected: true,
        }
    }
}

impl From<RpcFailure> for NodeError {
    fn from(failure: RpcFailure) -> Self {
        failure.error
    }
}

#[derive(Serialize)]
struct Request<'a, P> {
    jsonrpc: &'static str,
    id: u64,
    method: &'a str,
    params: P,
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<ErrorObject<'a>>,
}

#[derive(Deserialize)]
struct ErrorObject<'a> {
    #[serde(default)]
    code: i64,
    #[serde(default)]
    message: String,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

/// The revert data in the `data` member of an error. Nodes put it there as a string, in an object under
/// `data`, `result` or `output`, or behind a word such as `Reverted 0x…`.
fn revert_data(data: &RawValue) -> Option<Vec<u8>> {
    let value: serde_json::Value = serde_json::from_str(data.get()).ok()?;
    let text = match &value {
        serde_json::Value::String(text) => text.as_str(),
        serde_json::Value::Object(members) => ["data", "result", "output"]
            .iter()
            .find_map(|key| members.get(*key)?.as_str())?,
        _ => return None,
    };
    let digits = text
        .strip_prefix("Reverted ")
        .unwrap_or(text)
        .trim()
        .strip_prefix("0x")?;
    hex::decode(digits).ok()
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// An error with its causes, without the URL.
fn causes(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text.push_str(": ");
            text.push_str(&inner_text);
        }
        cause = inner.source();
    }
    foreign(&text)
}
