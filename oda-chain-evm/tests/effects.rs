//! Effects of arbitrary traces: nothing breaks them, nothing is lost silently.

#![expect(clippy::panic, reason = "a test fails by panicking")]

use alloy::primitives::{Address, B256, Bytes, U256, keccak256};
use oda_chain_evm::{
    CallOutcome, Internals, MAX_CHANGES, MAX_NOT_ATTRIBUTED, NativeTransfer, PERMIT2, TokenBalance,
    TracedCall, TracedLog, effects_of,
};
use oda_core::{Change, SimulatedEffects};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

const SENDER: Address = Address::with_last_byte(1);

fn traced(logs: Vec<TracedLog>, transfers: Vec<NativeTransfer>) -> TracedCall {
    TracedCall {
        method: "test",
        outcome: CallOutcome::Success {
            output: Bytes::new(),
        },
        gas_used: None,
        logs,
        transfers,
        internals: Internals {
            created: Some(vec![]),
            destroyed: Some(vec![]),
            ran_as_sender: Some(vec![]),
            storage_changed: Some(vec![]),
        },
        token_balances: Some(vec![]),
    }
}

fn known(traced: &TracedCall) -> (Vec<Change>, Vec<String>) {
    match effects_of(traced, SENDER) {
        SimulatedEffects::Known {
            changes,
            not_attributed,
        } => (changes, not_attributed),
        other @ SimulatedEffects::Unknown { .. } => panic!("{other:?}"),
    }
}

fn event(signature: &str) -> B256 {
    keccak256(signature)
}

fn erc20_transfer(from: Address, to: Address, amount: u64) -> TracedLog {
    TracedLog {
        address: Address::with_last_byte(0x20),
        topics: vec![
            event("Transfer(address,address,uint256)"),
            from.into_word(),
            to.into_word(),
        ],
        data: U256::from(amount).to_be_bytes::<32>().into(),
    }
}

#[test]
fn movements_of_one_asset_are_summed() {
    let other = Address::with_last_byte(2);
    let logs = vec![
        erc20_transfer(SENDER, other, 100),
        erc20_transfer(other, SENDER, 30),
        erc20_transfer(SENDER, SENDER, 1_000),
        erc20_transfer(other, Address::ZERO, 7),
    ];
    let transfers = vec![
        NativeTransfer {
            from: SENDER,
            to: other,
            value: U256::MAX,
        },
        NativeTransfer {
            from: SENDER,
            to: other,
            value: U256::MAX,
        },
        NativeTransfer {
            from: other,
            to: SENDER,
            value: U256::from(1),
        },
    ];
    let mut traced = traced(logs, transfers);
    traced.token_balances = Some(vec![TokenBalance {
        token: Address::with_last_byte(0x20),
        before: U256::from(500),
        after: U256::from(430),
    }]);
    let (changes, lines) = known(&traced);
    let twice = (alloy::primitives::U512::from(U256::MAX) << 1) - alloy::primitives::U512::from(1);
    assert_eq!(
        changes,
        [
            Change::Balance {
                account: SENDER.to_string(),
                asset: "native".to_owned(),
                delta: format!("-{twice}"),
            },
            Change::Balance {
                account: SENDER.to_string(),
                asset: Address::with_last_byte(0x20).to_string(),
                delta: "-70".to_owned(),
            },
        ]
    );
    assert_eq!(lines, [] as [String; 0]);
}

#[test]
fn what_went_out_and_came_back_is_no_change() {
    let other = Address::with_last_byte(2);
    let logs = vec![
        erc20_transfer(SENDER, other, 5),
        erc20_transfer(other, SENDER, 5),
    ];
    assert_eq!(known(&traced(logs, vec![])), (vec![], vec![]));
}

#[test]
fn the_last_setting_of_an_allowance_counts() {
    let approval = |amount: u64| TracedLog {
        address: Address::with_last_byte(0x20),
        topics: vec![
            event("Approval(address,address,uint256)"),
            SENDER.into_word(),
            Address::with_last_byte(9).into_word(),
        ],
        data: U256::from(amount).to_be_bytes::<32>().into(),
    };
    let (changes, _) = known(&traced(vec![approval(0), approval(77)], vec![]));
    assert_eq!(changes.len(), 1);
    assert!(matches!(&changes[0], Change::Allowance { amount, .. } if amount == "77"));
}

#[test]
fn logs_that_only_resemble_known_ones_are_listed() {
    let good = erc20_transfer(SENDER, Address::with_last_byte(2), 5);
    let mut dirty_address = good.clone();
    dirty_address.topics[1] = B256::repeat_byte(0xff);
    let mut short = good.clone();
    short.data = vec![0; 31].into();
    let mut long = good.clone();
    long.data = vec![0; 64].into();
    let mut topicless = good.clone();
    topicless.topics.clear();
    let mut odd_flag = good.clone();
    odd_flag.topics[0] = event("ApprovalForAll(address,address,bool)");
    odd_flag.data = U256::from(2).to_be_bytes::<32>().into();
    let (changes, lines) = known(&traced(
        vec![dirty_address, short, long, topicless, odd_flag],
        vec![],
    ));
    assert_eq!(changes, vec![]);
    assert_eq!(lines.len(), 5, "{lines:?}");
}

#[test]
fn blind_spots_of_the_tracer_are_named() {
    let mut traced = traced(vec![erc20_transfer(SENDER, Address::ZERO, 1)], vec![]);
    traced.internals = Internals::default();
    traced.token_balances = None;
    let (changes, lines) = known(&traced);
    assert_eq!(changes.len(), 1);
    assert_eq!(
        lines,
        [
            "token balances are taken from logs: this node could not measure them",
            "not visible through test: contracts created, SELFDESTRUCT, code run as the sender, \
             storage changed without a log",
        ]
    );
}

#[test]
fn lists_are_cut_with_a_count_never_silently() {
    let approval = |spender: u64| TracedLog {
        address: Address::with_last_byte(0x20),
        topics: vec![
            event("Approval(address,address,uint256)"),
            SENDER.into_word(),
            B256::from(U256::from(spender)),
        ],
        data: U256::ONE.to_be_bytes::<32>().into(),
    };
    let unknown = TracedLog {
        address: Address::ZERO,
        topics: vec![],
        data: Bytes::new(),
    };
    let extra = 5;
    let mut logs: Vec<_> = (0..MAX_CHANGES + extra)
        .map(|n| approval(n as u64))
        .collect();
    logs.extend(std::iter::repeat_n(unknown, MAX_NOT_ATTRIBUTED + 3));
    let (changes, lines) = known(&traced(logs, vec![]));
    assert_eq!(changes.len(), MAX_CHANGES);
    assert_eq!(lines.len(), MAX_NOT_ATTRIBUTED + 2);
    assert_eq!(
        lines[MAX_NOT_ATTRIBUTED],
        "3 more lines of this kind are left out"
    );
    assert_eq!(lines[MAX_NOT_ATTRIBUTED + 1], "5 more changes are left out");
}

fn any_account() -> impl Strategy<Value = Address> {
    prop_oneof![
        Just(SENDER),
        Just(Address::with_last_byte(2)),
        Just(PERMIT2),
        any::<[u8; 20]>().prop_map(Address::from),
    ]
}

fn any_topic() -> impl Strategy<Value = B256> {
    prop_oneof![
        Just(event("Transfer(address,address,uint256)")),
        Just(event("Approval(address,address,uint256)")),
        Just(event("ApprovalForAll(address,address,bool)")),
        Just(event(
            "TransferSingle(address,address,address,uint256,uint256)"
        )),
        Just(event("Approval(address,address,address,uint160,uint48)")),
        Just(event(
            "Permit(address,address,address,uint160,uint48,uint48)"
        )),
        Just(event("Lockdown(address,address,address)")),
        any_account().prop_map(|account| account.into_word()),
        any::<[u8; 32]>().prop_map(B256::from),
    ]
}

prop_compose! {
    fn any_log()(
        address in any_account(),
        topics in vec(any_topic(), 0..6),
        words in vec(any_topic(), 0..4),
        cut in 0_usize..40,
    ) -> TracedLog {
        let mut data = words.concat();
        // Mostly whole words, sometimes a torn one.
        data.truncate(data.len().saturating_sub(if cut < 32 { 0 } else { cut - 31 }));
        TracedLog { address, topics, data: data.into() }
    }
}

prop_compose! {
    fn any_trace()(
        logs in vec(any_log(), 0..30),
        transfers in vec((any_account(), any_account(), any::<[u64; 4]>()), 0..20),
        created in option::of(vec(any_account(), 0..70)),
        changed in option::of(vec(any_account(), 0..70)),
        measured in option::of(vec((any_account(), any::<[u64; 4]>(), any::<[u64; 4]>()), 0..20)),
    ) -> TracedCall {
        let mut trace = traced(logs, transfers.into_iter().map(|(from, to, value)| {
            NativeTransfer { from, to, value: U256::from_limbs(value) }
        }).collect());
        trace.internals.created = created;
        trace.internals.storage_changed = changed;
        trace.token_balances = measured.map(|measured| measured.into_iter().map(|(token, before, after)| {
            TokenBalance { token, before: U256::from_limbs(before), after: U256::from_limbs(after) }
        }).collect());
        trace
    }
}

proptest! {
    #[test]
    fn no_trace_breaks_it(trace in any_trace()) {
        let (changes, lines) = known(&trace);
        prop_assert!(changes.len() <= MAX_CHANGES);
        prop_assert!(lines.len() <= MAX_NOT_ATTRIBUTED + 2);
        for change in &changes {
            match change {
                Change::Balance { account, delta, .. } => {
                    prop_assert_eq!(account, &SENDER.to_string());
                    prop_assert!(delta != "0");
                }
                Change::Allowance { owner, .. }
                | Change::TokenApproval { owner, .. }
                | Change::OperatorApproval { owner, .. } => {
                    prop_assert_eq!(owner, &SENDER.to_string());
                }
            }
        }
        for line in &lines {
            prop_assert!(!line.chars().any(char::is_control));
            prop_assert!(line.len() < 1_000);
        }
    }

    /// The sum over assets of what was logged is what is reported, in whatever order it happened.
    #[test]
    fn the_order_of_movements_does_not_matter(
        amounts in vec((any::<bool>(), any::<u32>()), 1..30),
    ) {
        let other = Address::with_last_byte(2);
        let logs: Vec<_> = amounts.iter().map(|(out, amount)| {
            let (from, to) = if *out { (SENDER, other) } else { (other, SENDER) };
            erc20_transfer(from, to, u64::from(*amount))
        }).collect();
        let total: i128 = amounts.iter()
            .map(|(out, amount)| if *out { -i128::from(*amount) } else { i128::from(*amount) })
            .sum();
        let mut reversed = logs.clone();
        reversed.reverse();
        for logs in [logs, reversed] {
            let (changes, _) = known(&traced(logs, vec![]));
            match changes.as_slice() {
                [] => prop_assert_eq!(total, 0),
                [Change::Balance { delta, .. }] => prop_assert_eq!(delta, &total.to_string()),
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}
