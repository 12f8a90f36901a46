//! The frames of geth's call tracer.

use alloy::primitives::{Address, Bytes, U64, U256};
use serde::Deserialize;

use crate::node::CallOutcome;
use crate::revert::revert_reason;
use crate::rpc_trace::RpcLog;
use crate::text::foreign;
use crate::trace::{NativeTransfer, TracedLog};

/// One frame, as `callTracer` with `withLog` tells it.
///
/// The JSON reader refuses answers nested deeper than 128 levels, which bounds every recursion here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Frame {
    #[serde(rename = "type")]
    kind: String,
    from: Address,
    #[serde(default)]
    to: Option<Address>,
    #[serde(default)]
    value: Option<U256>,
    #[serde(default)]
    pub(crate) gas_used: U256,
    #[serde(default)]
    output: Option<Bytes>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    calls: Vec<Frame>,
    #[serde(default)]
    logs: Vec<FrameLog>,
}

#[derive(Deserialize)]
struct FrameLog {
    #[serde(flatten)]
    log: RpcLog,
    /// How many calls the frame had made before it wrote this log.
    #[serde(default)]
    position: U64,
}

impl Frame {
    pub(crate) fn outcome(&self) -> CallOutcome {
        let data = self.output.clone().unwrap_or_default();
        match &self.error {
            None => CallOutcome::Success { output: data },
            Some(error) if error.contains("revert") => {
                let reason = revert_reason(&data);
                CallOutcome::Revert { data, reason }
            }
            Some(error) => CallOutcome::Failed {
                reason: foreign(error),
            },
        }
    }
}

/// What the frames did that lasted.
#[derive(Default)]
pub(crate) struct Walk {
    pub(crate) logs: Vec<TracedLog>,
    pub(crate) transfers: Vec<NativeTransfer>,
    pub(crate) created: Vec<Address>,
    pub(crate) destroyed: Vec<Address>,
    lent: Vec<Address>,
    sender_called: bool,
}

impl Walk {
    pub(crate) fn of(frame: &Frame, sender: Option<Address>) -> Self {
        let mut walk = Self::default();
        walk.enter(frame, sender);
        walk
    }

    fn enter(&mut self, frame: &Frame, sender: Option<Address>) {
        if frame.error.is_some() {
            return;
        }
        self.note(frame, sender);
        let mut logs = frame.logs.iter().peekable();
        for (made, call) in frame.calls.iter().enumerate() {
            while let Some(log) = logs.next_if(|log| log.position <= U64::from(made)) {
                self.logs.push(traced(log));
            }
            self.enter(call, sender);
        }
        self.logs.extend(logs.map(traced));
    }

    fn note(&mut self, frame: &Frame, sender: Option<Address>) {
        let value = frame.value.unwrap_or_default();
        let Some(to) = frame.to else { return };
        match frame.kind.as_str() {
            "CALL" => {
                self.sender_called |= sender == Some(to);
                self.pay(frame.from, to, value);
            }
            "CREATE" | "CREATE2" => {
                self.created.push(to);
                self.pay(frame.from, to, value);
            }
            "SELFDESTRUCT" => {
                self.destroyed.push(frame.from);
                self.pay(frame.from, to, value);
            }
            "DELEGATECALL" | "CALLCODE" if sender == Some(frame.from) => self.lent.push(to),
            _ => {}
        }
    }

    fn pay(&mut self, from: Address, to: Address, value: U256) {
        if !value.is_zero() {
            self.transfers.push(NativeTransfer { from, to, value });
        }
    }

    /// Whose code ran as the sender: its own account's code when it was called, and what that lent itself to.
    pub(crate) fn ran_as_sender(
        &self,
        delegate: Option<Address>,
        sender: Option<Address>,
    ) -> Vec<Address> {
        let own = self.sender_called.then(|| delegate.or(sender)).flatten();
        let mut ran: Vec<Address> = Vec::new();
        for address in own.into_iter().chain(self.lent.iter().copied()) {
            if !ran.contains(&address) {
                ran.push(address);
            }
        }
        ran
    }
}

fn traced(log: &FrameLog) -> TracedLog {
    TracedLog {
        address: log.log.address,
        topics: log.log.topics.clone(),
        data: log.log.data.clone(),
    }
}
