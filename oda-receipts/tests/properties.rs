//! Properties of sealing and verification over random receipts.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use common::{any_draft, any_json, any_text, chain, log_text, seal_all};
use oda_receipts::{
    Checks, Fault, Receipt, ReceiptError, Report, Status, Verifier, validate_receipt,
};
use proptest::prelude::*;
use serde_json::Value;

fn verify(checks: Checks, log: &[u8]) -> Result<Report, Box<Fault>> {
    match Verifier::new(checks).verify(log) {
        Ok(report) => Ok(report),
        Err(ReceiptError::Broken(fault)) => Err(fault),
        Err(other) => panic!("{other}"),
    }
}

fn any_log() -> impl Strategy<Value = Vec<Receipt>> {
    let drafts = (1_u64..6).prop_flat_map(|count| (0..count).map(any_draft).collect::<Vec<_>>());
    drafts.prop_map(seal_all)
}

proptest! {
    #[test]
    fn what_is_sealed_verifies_and_reads_back(receipts in any_log()) {
        let text = log_text(&receipts);
        for checks in [Checks::exact(), Checks::full(), Checks::chain_only()] {
            let report = verify(checks, text.as_bytes()).unwrap();
            prop_assert_eq!(report.lines, receipts.len() as u64);
            prop_assert_eq!(report.bytes, text.len() as u64);
            prop_assert_eq!(report.last, receipts.last().map(Receipt::link));
        }
        for receipt in &receipts {
            let read = Receipt::from_line(receipt.to_line().as_bytes()).unwrap();
            let before = receipt.seq().checked_sub(1).map(|seq| oda_receipts::Link {
                seq, hash: receipt.prev_hash(),
            });
            prop_assert_eq!(&Receipt::seal(read.draft().clone(), before).unwrap(), receipt);
            prop_assert_eq!(read.link(), receipt.link());
            let value = serde_json::to_value(receipt).unwrap();
            prop_assert_eq!(validate_receipt(&value), vec![]);
            prop_assert_eq!(&serde_json::from_value::<Receipt>(value).unwrap(), receipt);
            prop_assert_eq!(
                oda_canon::canonicalize(receipt.as_json().as_bytes()).unwrap(),
                receipt.as_json().as_bytes()
            );
        }
    }

    #[test]
    fn any_changed_byte_is_found_on_its_line(
        receipts in any_log(), place in any::<prop::sample::Index>(), flip in 1_u8..=255,
    ) {
        let mut bytes = log_text(&receipts).into_bytes();
        let at = place.index(bytes.len());
        let line = bytes[..at].iter().filter(|b| **b == b'\n').count() as u64;
        bytes[at] ^= flip;
        let fault = verify(Checks::exact(), &bytes).unwrap_err();
        prop_assert_eq!((fault.index, fault.line), (line, line + 1), "{}", fault);
        // Without the demand for exact bytes, a change that keeps the meaning may pass.
        match verify(Checks::full(), &bytes) {
            Err(fault) => prop_assert_eq!(fault.index, line),
            Ok(_) => {
                let mut canonical = Vec::new();
                for changed in bytes.split_inclusive(|b| *b == b'\n') {
                    canonical.extend(oda_canon::canonicalize(changed).unwrap());
                    canonical.push(b'\n');
                }
                prop_assert_eq!(canonical, log_text(&receipts).into_bytes());
            }
        }
    }

    #[test]
    fn a_cut_log_verifies_up_to_the_cut(receipts in any_log(), place in any::<prop::sample::Index>()) {
        let text = log_text(&receipts).into_bytes();
        let cut = &text[..place.index(text.len())];
        let whole = cut.iter().filter(|b| **b == b'\n').count() as u64;
        match verify(Checks::exact(), cut) {
            Ok(report) => {
                prop_assert!(matches!(cut.last(), None | Some(b'\n')));
                prop_assert_eq!(report.lines, whole);
            }
            Err(fault) => prop_assert_eq!((fault.index, fault.kind.code()), (whole, "torn")),
        }
    }

    #[test]
    fn dropped_repeated_and_swapped_lines_are_found(
        count in 3_u64..8, place in any::<prop::sample::Index>(), what in 0..3,
    ) {
        let mut receipts = chain(count);
        let at = place.index(receipts.len() - 1);
        match what {
            0 => drop(receipts.remove(at)),
            1 => receipts.insert(at, receipts[at].clone()),
            _ => receipts.swap(at, at + 1),
        }
        let bad = if what == 1 { at + 1 } else { at };
        let fault = verify(Checks::full(), log_text(&receipts).as_bytes()).unwrap_err();
        prop_assert_eq!((fault.index, fault.kind.code()), (bad as u64, "sequence"));
        prop_assert_eq!(fault.last_good, (bad > 0).then(|| receipts[bad - 1].link()));
    }

    #[test]
    fn key_order_and_white_space_do_not_matter(receipts in any_log()) {
        let foreign: String = receipts.iter().map(|receipt| {
            let value = serde_json::to_value(receipt).unwrap();
            let members: Vec<String> = value.as_object().unwrap().iter().rev()
                .map(|(key, value)| format!("{} : {value}", Value::from(key.as_str())))
                .collect();
            format!("{{ {} }}\r\n", members.join(" ,"))
        }).collect();
        prop_assert_eq!(verify(Checks::full(), foreign.as_bytes()).unwrap().lines, receipts.len() as u64);
        prop_assert!(verify(Checks::exact(), foreign.as_bytes()).is_err());
    }

    /// The one-pass reader and the validator of parsed values are two ways to the same verdict.
    #[test]
    fn a_changed_member_gets_the_same_verdict_on_every_way(
        receipt in any_draft(1), member in 0_usize..24, value in any_json(), key in any_text(),
    ) {
        let sealed = Receipt::seal(receipt, None).unwrap();
        let mut changed = serde_json::to_value(&sealed).unwrap();
        let keys: Vec<String> = changed.as_object().unwrap().keys().cloned().collect();
        match member {
            0 => drop(changed.as_object_mut().unwrap().insert(key, value)),
            1 => drop(changed["mandate"].as_object_mut().unwrap().insert(key, value)),
            2 => drop(changed["policy"].as_object_mut().unwrap().insert(key, value)),
            3 => drop(changed.as_object_mut().unwrap().remove(&keys[key.len() % keys.len()])),
            4 => drop(changed["mandate"].as_object_mut().unwrap().remove("kind")),
            n => changed[&keys[n % keys.len()]] = value,
        }
        let errors = validate_receipt(&changed);
        let canonical = oda_canon::to_vec(&changed).unwrap();
        match Receipt::from_line(&canonical) {
            Err(ReceiptError::Shape(found)) => prop_assert_eq!(found, errors),
            Ok(_) | Err(ReceiptError::Hash) => prop_assert_eq!(errors, vec![]),
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = Verifier::new(Checks::full()).verify(&bytes[..]);
        let _ = Verifier::new(Checks::chain_only()).verify(&bytes[..]);
    }
}

#[test]
fn a_log_without_its_last_line_feed_is_whole_unless_exact_bytes_are_asked_for() {
    let text = log_text(&chain(2));
    assert_eq!(
        verify(Checks::full(), text.trim_end().as_bytes())
            .unwrap()
            .lines,
        2
    );
    let fault = verify(Checks::exact(), text.trim_end().as_bytes()).unwrap_err();
    assert_eq!((fault.index, fault.kind.code()), (1, "torn"));
}

#[test]
fn blank_lines_are_faults_unless_only_the_chain_is_asked_for() {
    let receipts = chain(2);
    let text = format!("{}\n{}", receipts[0].to_line(), receipts[1].to_line());
    let fault = verify(Checks::full(), text.as_bytes()).unwrap_err();
    assert_eq!((fault.line, fault.index, fault.kind.code()), (2, 1, "json"));
    assert_eq!(
        verify(Checks::chain_only(), text.as_bytes()).unwrap().lines,
        2
    );
}

#[test]
fn an_endless_line_is_refused_in_bounded_memory() {
    let endless = std::io::Read::take(std::io::repeat(b' '), 1 << 30);
    let Err(ReceiptError::Broken(fault)) = Verifier::new(Checks::full()).verify(endless) else {
        panic!("verified");
    };
    assert_eq!(fault.kind.code(), "too_long");
}

#[test]
fn a_chain_is_taken_up_after_a_trusted_receipt() {
    let receipts = chain(6);
    let rest = log_text(&receipts[3..]);
    let report = Verifier::after(Checks::full(), receipts[2].link())
        .verify(rest.as_bytes())
        .unwrap();
    assert_eq!(report.last, receipts.last().map(Receipt::link));
    assert!(
        Verifier::after(Checks::full(), receipts[1].link())
            .verify(rest.as_bytes())
            .is_err()
    );
}

#[test]
fn extra_members_below_the_root_survive_reading_and_writing() {
    let sealed = chain(1).remove(0);
    let mut value = serde_json::to_value(&sealed).unwrap();
    value["policy"]["note"] = Value::from("kept");
    value.as_object_mut().unwrap().remove("hash");
    value["hash"] = Value::from(oda_canon::digest(&value).unwrap().to_string());
    let read = Receipt::try_from(&value).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), value);
    assert!(read.to_line().contains("\"note\":\"kept\""));
}

#[test]
fn contradictions_are_not_sealed() {
    let seal = |change: fn(&mut oda_receipts::ReceiptDraft)| {
        let mut draft = common::draft(1, Status::Prepared);
        change(&mut draft);
        match Receipt::seal(draft, None) {
            Err(ReceiptError::Draft { field, .. }) => field,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(seal(|d| d.intent_id = "si_a".into()), "intent_id");
    assert_eq!(seal(|d| d.action = "transfer".into()), "action");
    assert_eq!(seal(|d| d.chain = String::new()), "chain");
    assert_eq!(
        seal(|d| d.simulation = Some(Value::from("x"))),
        "simulation"
    );
    assert_eq!(
        seal(|d| d.fee_disclosure = Some(Value::Null)),
        "fee_disclosure"
    );
    assert_eq!(seal(|d| d.tx_hash = Some(String::new())), "tx_hash");
    assert_eq!(
        seal(|d| d.safe_tx_hash = Some("0x1".into())),
        "safe_tx_hash"
    );
    assert_eq!(seal(|d| d.signature = Some("0".repeat(87))), "signature");
    assert_eq!(
        seal(|d| d.typed_data_signature = Some("0x".into())),
        "typed_data_signature"
    );
    assert_eq!(
        seal(|d| d.created_at = "2026-02-30T00:00:00Z".into()),
        "created_at"
    );
    assert_eq!(
        seal(|d| d.mandate.expires_at = "soon".into()),
        "mandate.expires_at"
    );
    assert_eq!(
        seal(|d| d.mandate.intent_id = common::intent(2)),
        "mandate.intent_id"
    );
    assert_eq!(seal(|d| d.mandate.action = "a.b".into()), "mandate.action");
    assert_eq!(seal(|d| d.policy.ok = false), "policy.ok");
}
