//! Several processes on one installation.

use std::process::Stdio;

use oda_testkit::Anvil;
use serde_json::json;

use crate::node::Stage;
use crate::sandbox::{Run, Sandbox};

/// How often the race is run. The processes start together, and each round can come out either way.
const ROUNDS: u128 = 5;

#[test]
fn two_executions_of_one_intent_make_exactly_one_effect() {
    let Some(stage) = Stage::set() else { return };
    for round in 1..=ROUNDS {
        let id = stage.prepare("10");
        let runs = together(&stage, &vec![vec!["execute", "--intent", &id]; 2]);
        let won = runs.iter().filter(|run| run.code == 0).count();
        assert_eq!(won, 1, "{runs:?}");
        let lost = runs.iter().find(|run| run.code != 0).unwrap().json();
        let code = lost["error"]["code"].as_str().unwrap();
        assert!(
            ["in_progress", "already_executed"].contains(&code),
            "{lost}"
        );
        assert_eq!((stage.sent(), stage.received()), (round, round * 10));
    }
    let expected = ["prepared", "executed"].repeat(usize::try_from(ROUNDS).unwrap());
    assert_eq!(stage.receipts(), expected);
}

#[test]
fn executions_of_different_intents_take_different_nonces() {
    let Some(stage) = Stage::set() else { return };
    let ids: Vec<String> = (0..4).map(|_| stage.prepare("1")).collect();
    let calls: Vec<Vec<&str>> = ids
        .iter()
        .map(|id| vec!["execute", "--intent", id.as_str()])
        .collect();
    for run in together(&stage, &calls) {
        run.result();
    }
    assert_eq!((stage.sent(), stage.received()), (4, 4));
    let status = stage.run(&["status"]).result();
    assert_eq!(status["states"], json!({ "confirmed": 4 }));
    assert_eq!(stage.receipts().len(), 8);
}

#[test]
fn the_first_calls_of_a_new_installation_share_one_secret_and_one_log() {
    let Some(stage) = Stage::set() else { return };
    let input = Sandbox::transfer("1");
    let calls = vec![vec!["prepare", "evm.transfer", "--input", &input]; 4];
    for run in together(&stage, &calls) {
        let intent = run.result();
        let id = intent["intent_id"].as_str().unwrap();
        // Its seals hold under the secret that is on the disk.
        stage.run(&["status", "--intent", id]).result();
    }
    assert_eq!(stage.receipts(), ["prepared"; 4]);
}

/// Starts all of them, then waits for all of them.
fn together(stage: &Stage, calls: &[Vec<&str>]) -> Vec<Run> {
    let url = stage.anvil.url();
    let children: Vec<_> = calls
        .iter()
        .map(|call| {
            stage
                .sandbox
                .command(call)
                .args(["--json", "--rpc", &url])
                .env("ODA_EVM_KEY", Anvil::KEYS[0])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    children
        .into_iter()
        .map(|child| Run::of(child.wait_with_output().unwrap()))
        .collect()
}
