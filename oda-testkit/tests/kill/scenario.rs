//! What the killed processes were doing, and what the world did meanwhile.

use oda_core::ExecutionState;
use serde_json::json;

use crate::chain::{Chain, SENDER};
use crate::run::{Run, Start};

/// Code that reverts whatever it is called with: `PUSH1 0 PUSH1 0 REVERT`.
const REVERTS: &str = "0x60006000fd";

/// Blocks after which anvil calls a block final, with room to spare.
const FINAL: u64 = 100;

/// Lets the intent reach nobody else than one account that it does not pay.
const CLOSED_POLICY: &str = r#"{ "schema": "sato.policy/v1", "version": 1, "network": "testnet",
    "allow_recipients": ["base-sepolia:0x70997970C51812dc3A010C7d01b50e0d17dc79C8"] }"#;

/// The port on which nobody listens.
const NO_NODE: &str = "http://127.0.0.1:1";

/// Where the bytes have left already.
const SENT: &[&str] = &["after-submit:1", "before-accept:1", "after-accept:1"];

/// An hour: every intent that was prepared now has expired by then.
const AFTER_EXPIRY_MS: u64 = 3_600_000;

#[derive(Debug)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// Whether the intent is prepared before the first process starts.
    pub(crate) prepared: bool,
    /// What the first process does.
    pub(crate) first: fn() -> Start,
    /// Where the first process is killed; at every point that it reaches, and at none, when this is empty.
    pub(crate) only: &'static [&'static str],
    /// What happens on the chain between the two processes; tells how many transactions it sent.
    pub(crate) between: fn(&Run, &Chain) -> u128,
    /// What the intent may have come to when all is over; `None` stands for no intent at all.
    pub(crate) ends: &'static [Option<ExecutionState>],
}

pub(crate) const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "transfer",
        prepared: true,
        first: Start::execute,
        only: &[],
        between: nothing,
        ends: &[
            Some(ExecutionState::Confirmed),
            Some(ExecutionState::Failed),
            Some(ExecutionState::Prepared),
        ],
    },
    Scenario {
        name: "included meanwhile",
        prepared: true,
        first: Start::execute,
        only: SENT,
        between: a_block_is_made,
        ends: &[Some(ExecutionState::Confirmed)],
    },
    Scenario {
        name: "forgotten by the node",
        prepared: true,
        first: Start::execute,
        only: SENT,
        between: the_node_forgets,
        ends: &[Some(ExecutionState::Confirmed)],
    },
    Scenario {
        name: "prepare",
        prepared: false,
        first: prepare,
        only: &[],
        between: nothing,
        ends: &[None, Some(ExecutionState::Prepared)],
    },
    Scenario {
        name: "expired",
        prepared: true,
        first: execute_late,
        only: &[],
        between: nothing,
        ends: &[
            Some(ExecutionState::Prepared),
            Some(ExecutionState::Expired),
        ],
    },
    Scenario {
        name: "refused at execute",
        prepared: true,
        first: execute_under_another_policy,
        only: &[],
        between: nothing,
        ends: &[
            Some(ExecutionState::Prepared),
            Some(ExecutionState::Failed),
            Some(ExecutionState::Refused),
        ],
    },
    Scenario {
        name: "node away",
        prepared: true,
        first: execute_without_node,
        only: &[],
        between: nothing,
        ends: &[Some(ExecutionState::Prepared), Some(ExecutionState::Failed)],
    },
    Scenario {
        name: "reverted",
        prepared: true,
        first: Start::execute,
        only: &["after-submit:1"],
        between: recipient_starts_to_revert,
        ends: &[Some(ExecutionState::Reverted)],
    },
    Scenario {
        name: "nonce taken",
        prepared: true,
        first: Start::execute,
        only: &["after-sign:1", "before-submit:1"],
        between: another_takes_the_nonce,
        ends: &[Some(ExecutionState::Dead)],
    },
];

fn nothing(_: &Run, _: &Chain) -> u128 {
    0
}

fn a_block_is_made(_: &Run, chain: &Chain) -> u128 {
    chain.mine(1);
    0
}

/// As a node does that restarts without having kept its pool.
fn the_node_forgets(_: &Run, chain: &Chain) -> u128 {
    chain.ask("anvil_dropAllTransactions", json!([]));
    0
}

fn recipient_starts_to_revert(run: &Run, chain: &Chain) -> u128 {
    chain.ask("anvil_setCode", json!([run.recipient(), REVERTS]));
    0
}

fn another_takes_the_nonce(_: &Run, chain: &Chain) -> u128 {
    let transaction = json!({ "from": SENDER, "to": SENDER, "value": "0x1" });
    chain.ask("eth_sendTransaction", json!([transaction]));
    chain.mine(FINAL);
    1
}

fn prepare() -> Start {
    Start {
        role: "prepare",
        ..Start::execute()
    }
}

fn execute_late() -> Start {
    Start {
        ahead_ms: AFTER_EXPIRY_MS,
        ..Start::execute()
    }
}

fn execute_under_another_policy() -> Start {
    Start {
        policy: CLOSED_POLICY,
        ..Start::execute()
    }
}

fn execute_without_node() -> Start {
    Start {
        node: Some(NO_NODE.to_owned()),
        ..Start::execute()
    }
}
