//! `oda-names.json` and `oda-approval.json`.

use oda_core::{ApprovalHints, approval_hints_of_words, id_to_name, name_to_id};
use serde::Deserialize;

use crate::vectors::load;

#[derive(Deserialize)]
struct Names {
    id_to_name: Vec<IdCase>,
    name_to_id: Vec<NameCase>,
}

#[derive(Deserialize)]
struct IdCase {
    id: String,
    valid_id: bool,
    name: Option<String>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct NameCase {
    name: String,
    known_ids: Option<Vec<String>>,
    id: Option<String>,
}

#[derive(Deserialize)]
struct Approval {
    table: Vec<ApprovalCase>,
}

#[derive(Deserialize)]
struct ApprovalCase {
    effects: Vec<String>,
    #[serde(default)]
    out_of_contract: bool,
    #[serde(flatten)]
    hints: ApprovalHints,
}

#[test]
fn ids_become_names() {
    let file: Names = load("oda-names.json");
    assert!(file.id_to_name.len() >= 20);
    for case in file.id_to_name {
        assert_eq!(case.id.parse::<oda_core::ActionId>().is_ok(), case.valid_id);
        let derived = id_to_name(&case.id);
        let error = derived.as_ref().err().map(|error| error.code().to_owned());
        assert_eq!(error, case.error, "{:?}", case.id);
        assert_eq!(derived.ok().map(String::from), case.name, "{:?}", case.id);
    }
}

#[test]
fn names_become_ids() {
    let file: Names = load("oda-names.json");
    assert!(file.name_to_id.len() >= 15);
    for case in file.name_to_id {
        let known: Option<Vec<&str>> = case
            .known_ids
            .as_ref()
            .map(|ids| ids.iter().map(String::as_str).collect());
        let id = name_to_id(&case.name, known.as_deref()).map(String::from);
        assert_eq!(id, case.id, "{:?} of {known:?}", case.name);
    }
}

/// Where we are cautious and the reference gives no hint at all.
const CAUTIOUS: [&[&str]; 2] = [&["mint"], &["READ"]];

#[test]
fn effects_become_hints() {
    let file: Approval = load("oda-approval.json");
    let mut cautious = 0;
    for case in file.table {
        let hints = approval_hints_of_words(&case.effects);
        if CAUTIOUS.iter().any(|words| *words == case.effects) {
            assert!(case.out_of_contract);
            assert_eq!(hints, ApprovalHints::CONSEQUENTIAL, "{:?}", case.effects);
            cautious += 1;
        } else {
            assert_eq!(hints, case.hints, "{:?}", case.effects);
        }
    }
    assert_eq!(cautious, CAUTIOUS.len());
}
