//! Tracing through a node: `eth_simulateV1`, `debug_traceCall`, or both.

use alloy::primitives::{Address, B256, Bytes, U64, U256, address};
use serde::Deserialize;
use serde_json::json;

use crate::node::{CallOutcome, CallRequest, NodeError};
use crate::revert::revert_reason;
use crate::rpc_client::RpcClient;
use crate::rpc_frames::{Frame, Walk};
use crate::rpc_node::RpcCall;
use crate::text::foreign;
use crate::token_check::{self, TokenBalance};
use crate::trace::{Internals, NativeTransfer, Trace, TracedCall, TracedLog};

/// The address under which `eth_simulateV1` with `traceTransfers` logs movements of native currency
/// (execution-apis, `eth_simulateV1`). No code can live there.
const NATIVE_PSEUDO_TOKEN: Address = address!("eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");

/// `Transfer(address,address,uint256)`.
const TRANSFER: B256 = crate::effects::TRANSFER;

/// Traces with what the node has.
///
/// All three questions go out at once. `eth_simulateV1` tells logs and movements in the order of the
/// chain; the tracers add what leaves no log. Without `eth_simulateV1` the call tracer stands in for it.
pub(crate) async fn trace(
    client: &RpcClient,
    request: &CallRequest,
    block: u64,
) -> Result<Trace, NodeError> {
    let (simulated, frames, storage_changed, code) = tokio::join!(
        simulate(client, request, block),
        frames(client, request, block),
        storage_changed(client, request, block),
        sender_code(client, request, block),
    );
    let mut traced = match (simulated, &frames) {
        (Ok(simulated), _) => simulated,
        (Err(NodeError::Rpc { .. }), Ok(frame)) => from_frames(frame),
        (
            Err(NodeError::Rpc { message: first, .. }),
            Err(NodeError::Rpc {
                message: second, ..
            }),
        ) => {
            return Ok(Trace::Unsupported {
                reason: format!(
                    "{} traced it neither by eth_simulateV1 ({first}) nor by debug_traceCall ({second})",
                    client.label()
                ),
            });
        }
        (Err(NodeError::Rpc { .. }), Err(_)) => return Err(only_error(frames)),
        (Err(error), _) => return Err(error),
    };
    if let (Ok(frame), true) = (&frames, traced.outcome.is_success()) {
        // Not every node logs what a SELFDESTRUCT moves; its frame tells.
        traced.transfers = Walk::of(frame, request.from).transfers;
    }
    traced.internals = internals(
        request,
        frames.as_ref().ok(),
        storage_changed,
        code.as_ref(),
    );
    check_tokens(client, request, block, &mut traced).await;
    Ok(Trace::Traced(Box::new(traced)))
}

fn only_error(frames: Result<Frame, NodeError>) -> NodeError {
    match frames {
        Err(error) => error,
        // The caller matched on an error already.
        Ok(_) => NodeError::unsupported("the node", "tracing"),
    }
}

#[derive(Deserialize)]
struct SimulatedBlock {
    calls: Vec<SimulatedCall>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SimulatedCall {
    return_data: Bytes,
    #[serde(default)]
    logs: Vec<RpcLog>,
    gas_used: U64,
    status: U64,
    #[serde(default)]
    error: Option<SimulatedError>,
}

#[derive(Deserialize)]
struct SimulatedError {
    #[serde(default)]
    code: i64,
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
pub(crate) struct RpcLog {
    pub(crate) address: Address,
    #[serde(default)]
    pub(crate) topics: Vec<B256>,
    #[serde(default)]
    pub(crate) data: Bytes,
}

impl From<RpcLog> for TracedLog {
    fn from(log: RpcLog) -> Self {
        Self {
            address: log.address,
            topics: log.topics,
            data: log.data,
        }
    }
}

async fn simulated_calls(
    client: &RpcClient,
    calls: &[RpcCall<'_>],
    block: u64,
) -> Result<Vec<SimulatedCall>, NodeError> {
    const METHOD: &str = "eth_simulateV1";
    // Without validation fees are not charged, as in eth_call: whether the sender can pay them is
    // checked when the terms are fixed.
    let options = json!({
        "blockStateCalls": [{ "calls": calls }],
        "traceTransfers": true,
        "validation": false,
    });
    let blocks: Vec<SimulatedBlock> = client.ask(METHOD, (options, U64::from(block))).await?;
    let results = blocks
        .into_iter()
        .next()
        .map(|block| block.calls)
        .unwrap_or_default();
    if results.len() == calls.len() {
        Ok(results)
    } else {
        Err(NodeError::Malformed {
            node: client.label().to_owned(),
            method: METHOD.to_owned(),
            reason: format!("{} results for {} calls", results.len(), calls.len()),
        })
    }
}

async fn simulate(
    client: &RpcClient,
    request: &CallRequest,
    block: u64,
) -> Result<TracedCall, NodeError> {
    let results = simulated_calls(client, &[RpcCall::from(request)], block).await?;
    let Some(result) = results.into_iter().next() else {
        return Err(NodeError::unsupported(client.label(), "eth_simulateV1"));
    };
    let outcome = outcome_of(&result);
    let mut transfers = Vec::new();
    let mut logs = Vec::new();
    for log in result.logs {
        match native_transfer(&log) {
            Some(transfer) => transfers.push(transfer),
            None => logs.push(TracedLog::from(log)),
        }
    }
    Ok(TracedCall {
        method: "eth_simulateV1",
        outcome,
        gas_used: Some(result.gas_used.to()),
        logs,
        transfers,
        internals: Internals::default(),
        token_balances: None,
    })
}

fn outcome_of(result: &SimulatedCall) -> CallOutcome {
    if result.status == U64::from(1) {
        return CallOutcome::Success {
            output: result.return_data.clone(),
        };
    }
    let (code, message) = result
        .error
        .as_ref()
        .map_or((0, ""), |error| (error.code, error.message.as_str()));
    if code == 3 || !result.return_data.is_empty() || message.contains("revert") {
        let data = result.return_data.clone();
        let reason = revert_reason(&data);
        CallOutcome::Revert { data, reason }
    } else {
        CallOutcome::Failed {
            reason: foreign(message),
        }
    }
}

fn native_transfer(log: &RpcLog) -> Option<NativeTransfer> {
    let [topic, from, to] = log.topics.as_slice() else {
        return None;
    };
    if log.address != NATIVE_PSEUDO_TOKEN || *topic != TRANSFER || log.data.len() != 32 {
        return None;
    }
    Some(NativeTransfer {
        from: Address::from_word(*from),
        to: Address::from_word(*to),
        value: U256::from_be_slice(&log.data),
    })
}

async fn frames(client: &RpcClient, request: &CallRequest, block: u64) -> Result<Frame, NodeError> {
    let options = json!({ "tracer": "callTracer", "tracerConfig": { "withLog": true } });
    let params = (RpcCall::from(request), U64::from(block), options);
    Ok(client.ask("debug_traceCall", params).await?)
}

fn from_frames(frame: &Frame) -> TracedCall {
    let walk = Walk::of(frame, None);
    TracedCall {
        method: "debug_traceCall",
        outcome: frame.outcome(),
        gas_used: u64::try_from(frame.gas_used).ok(),
        logs: walk.logs,
        transfers: walk.transfers,
        internals: Internals::default(),
        token_balances: None,
    }
}

#[derive(Deserialize)]
struct StateDifference {
    #[serde(default)]
    pre: std::collections::BTreeMap<Address, AccountDifference>,
    #[serde(default)]
    post: std::collections::BTreeMap<Address, AccountDifference>,
}

#[derive(Deserialize)]
struct AccountDifference {
    #[serde(default)]
    storage: std::collections::BTreeMap<B256, B256>,
}

/// Accounts whose storage differs after the call. `None` when the node cannot tell, for whatever reason:
/// the rest of the trace stands without it, and the effects say what could not be seen.
async fn storage_changed(
    client: &RpcClient,
    request: &CallRequest,
    block: u64,
) -> Option<Vec<Address>> {
    let options = json!({ "tracer": "prestateTracer", "tracerConfig": { "diffMode": true } });
    let params = (RpcCall::from(request), U64::from(block), options);
    let difference: StateDifference = client.ask("debug_traceCall", params).await.ok()?;
    // A slot that is cleared stands in `pre` only, a fresh one in `post` only.
    let mut accounts: Vec<Address> = difference
        .pre
        .iter()
        .chain(&difference.post)
        .filter(|(_, account)| !account.storage.is_empty())
        .map(|(address, _)| *address)
        .collect();
    accounts.sort_unstable();
    accounts.dedup();
    Some(accounts)
}

async fn sender_code(client: &RpcClient, request: &CallRequest, block: u64) -> Option<Bytes> {
    let from = request.from?;
    client
        .ask("eth_getCode", (from, U64::from(block)))
        .await
        .ok()
}

fn internals(
    request: &CallRequest,
    frame: Option<&Frame>,
    storage_changed: Option<Vec<Address>>,
    code: Option<&Bytes>,
) -> Internals {
    let walk = frame.map(|frame| Walk::of(frame, request.from));
    let ran_as_sender = match code {
        // An account without code runs no code, and only its own code can lend it to others.
        Some(code) if code.is_empty() => Some(Vec::new()),
        Some(code) => walk
            .as_ref()
            .map(|walk| walk.ran_as_sender(delegate_of(code), request.from)),
        None => None,
    };
    Internals {
        created: walk.as_ref().map(|walk| walk.created.clone()),
        destroyed: walk.as_ref().map(|walk| walk.destroyed.clone()),
        ran_as_sender,
        storage_changed,
    }
}

/// The account whose code runs when an account with this code is called (EIP-7702: `0xef0100` and an
/// address).
fn delegate_of(code: &[u8]) -> Option<Address> {
    let delegate = code.strip_prefix(&[0xef, 0x01, 0x00])?;
    (delegate.len() == Address::len_bytes()).then(|| Address::from_slice(delegate))
}

/// Measures what the tokens themselves say, in one more call to `eth_simulateV1`.
async fn check_tokens(
    client: &RpcClient,
    request: &CallRequest,
    block: u64,
    traced: &mut TracedCall,
) {
    let Some(holder) = request.from else { return };
    if traced.method != "eth_simulateV1" || !traced.outcome.is_success() {
        return;
    }
    let tokens = token_check::candidates(traced, holder);
    if tokens.is_empty() {
        traced.token_balances = Some(Vec::new());
        return;
    }
    let questions: Vec<CallRequest> = tokens
        .iter()
        .map(|token| token_check::balance_of(*token, holder))
        .collect();
    let calls: Vec<RpcCall<'_>> = questions
        .iter()
        .chain([request])
        .chain(&questions)
        .map(RpcCall::from)
        .collect();
    let Ok(results) = simulated_calls(client, &calls, block).await else {
        return;
    };
    let number = |index: usize| results.get(index).and_then(read_number);
    let measured = tokens.iter().enumerate().filter_map(|(index, token)| {
        let before = number(index)?;
        let after = number(tokens.len() + 1 + index)?;
        Some(TokenBalance {
            token: *token,
            before,
            after,
        })
    });
    traced.token_balances = Some(measured.collect());
}

fn read_number(result: &SimulatedCall) -> Option<U256> {
    (result.status == U64::from(1))
        .then(|| token_check::read_balance(&result.return_data))
        .flatten()
}
