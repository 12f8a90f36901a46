//! Nodes that are down, slow, on another chain, or that lose an answer.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use oda_testkit::Anvil;
use serde_json::json;

use crate::http::{Reply, ScriptedNode, post};
use crate::node::Stage;
use crate::sandbox::{Run, Sandbox};

fn prepare(sandbox: &Sandbox, more: &[&str], variables: &[(&str, &str)]) -> Run {
    let transfer = Sandbox::transfer("1");
    let arguments = ["prepare", "evm.transfer", "--json", "--input", &transfer];
    sandbox.run_with(&[&arguments[..], more].concat(), variables)
}

#[test]
fn a_chain_without_a_node_says_how_to_name_one() {
    let sandbox = Sandbox::new();
    let run = prepare(&sandbox, &[], &[]);
    run.failed("no_node", &["base-sepolia"]);
    assert!(
        run.json()["error"]["next"]
            .as_str()
            .unwrap()
            .contains("--rpc")
    );
    assert!(sandbox.files().is_empty());
}

#[test]
fn a_node_that_is_down_is_named_and_nothing_is_stored() {
    let sandbox = Sandbox::new();
    // A port that was free a moment ago, and that nobody listens on.
    let port = TcpListener::bind(("127.0.0.1", 0))
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let url = format!("http://127.0.0.1:{port}");
    prepare(&sandbox, &["--rpc", &url], &[]).failed("chain_unavailable", &[&url]);
    prepare(&sandbox, &[], &[("ETH_RPC_URL", &url)]).failed("chain_unavailable", &[&url]);
    assert!(sandbox.files().is_empty());
}

#[test]
fn a_node_that_is_slow_is_not_waited_for_for_ever() {
    let sandbox = Sandbox::new();
    let node = ScriptedNode::start(|_, _| Reply::Silence);
    let run = prepare(
        &sandbox,
        &["--rpc", node.url()],
        &[("ODA_RPC_TIMEOUT_S", "1")],
    );
    run.failed("chain_unavailable", &[node.url()]);
    assert!(sandbox.files().is_empty());
}

#[test]
fn a_node_of_another_chain_is_refused_with_both_ids() {
    let sandbox = Sandbox::new();
    let node = ScriptedNode::of_chain(8_453);
    prepare(&sandbox, &["--rpc", node.url()], &[]).failed("wrong_chain", &["8453", "84532"]);
    let of_chain = format!("base-sepolia={}", node.url());
    prepare(&sandbox, &["--rpc", &of_chain], &[]).failed("wrong_chain", &["8453", "84532"]);
    assert!(sandbox.files().is_empty());
}

#[test]
fn a_node_that_talks_nonsense_is_refused() {
    let sandbox = Sandbox::new();
    for nonsense in [
        "",
        "<html>",
        "{}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"many\"}",
    ] {
        let node = ScriptedNode::start(move |_, _| Reply::Body(nonsense.into()));
        let run = prepare(&sandbox, &["--rpc", node.url()], &[]);
        run.failed("chain_unavailable", &[node.url()]);
    }
    assert!(sandbox.files().is_empty());
}

/// It says the right id when it is asked first, and another one when it matters.
#[test]
fn a_node_that_changes_its_chain_between_two_questions_gets_nothing() {
    let Some(stage) = Stage::set() else { return };
    let id = stage.prepare("1");
    let (url, asked) = (stage.anvil.url(), AtomicBool::new(false));
    let liar = ScriptedNode::start(move |method, body| {
        assert_ne!(
            method, "eth_sendRawTransaction",
            "nothing may be sent to it"
        );
        if method == "eth_chainId" && asked.swap(true, Ordering::SeqCst) {
            return Reply::Result(json!("0x1"));
        }
        Reply::Body(post(&url, body))
    });
    let run = stage.run(&["execute", "--intent", &id, "--rpc", liar.url()]);
    run.failed("wrong_chain", &["84532"]);
    assert_eq!(stage.sent(), 0);
    // It was given back, and an honest node executes it.
    stage.run(&["execute", "--intent", &id]).result();
    assert_eq!((stage.sent(), stage.received()), (1, 1));
}

/// The transaction arrives and the answer does not: the case in which money is sent twice. As long as the node
/// still answers, it is asked at once whether it has the transaction.
#[test]
fn a_lost_answer_is_looked_up_at_once() {
    let Some(stage) = Stage::set() else { return };
    let id = stage.prepare("55");
    let url = stage.anvil.url();
    let lossy = ScriptedNode::start(move |method, body| match (method, post(&url, body)) {
        ("eth_sendRawTransaction", _) => Reply::HangUp,
        (_, answer) => Reply::Body(answer),
    });
    let executed = stage.run(&["execute", "--intent", &id, "--rpc", lossy.url()]);
    assert_eq!(executed.result()["state"], "submitted");
    assert_eq!((stage.sent(), stage.received()), (1, 55));
    assert_eq!(stage.receipts(), ["prepared", "executed"]);
}

/// The same with a node that is gone afterwards.
#[test]
fn a_lost_answer_is_uncertain_and_recovery_finds_the_one_effect() {
    let Some(stage) = Stage::set() else { return };
    let id = stage.prepare("55");
    let (url, gone) = (stage.anvil.url(), AtomicBool::new(false));
    let lossy = ScriptedNode::start(move |method, body| {
        if gone.load(Ordering::SeqCst) {
            return Reply::HangUp;
        }
        let answer = post(&url, body);
        if method == "eth_sendRawTransaction" {
            gone.store(true, Ordering::SeqCst);
            return Reply::HangUp;
        }
        Reply::Body(answer)
    });
    let run = stage.run(&["execute", "--intent", &id, "--rpc", lossy.url()]);
    run.failed("uncertain", &[&id]);
    let document = run.json();
    assert_eq!(document["result"]["state"], "uncertain");
    assert!(
        document["error"]["next"]
            .as_str()
            .unwrap()
            .contains("oda recover")
    );
    assert_eq!((stage.sent(), stage.received()), (1, 55), "it did arrive");
    stage
        .run(&["execute", "--intent", &id, "--rpc", lossy.url()])
        .failed("uncertain", &[&id]);
    let settled = stage.run(&["recover"]).result();
    assert_eq!(settled[0]["state"], "confirmed");
    stage
        .run(&["execute", "--intent", &id])
        .failed("already_executed", &[]);
    assert_eq!((stage.sent(), stage.received()), (1, 55));
    assert_eq!(stage.receipts(), ["prepared", "executed"]);
}

/// Nobody can be asked about it: `recover` says so, `status` shows it, and it stays as it is.
#[test]
fn an_open_outcome_stays_open_while_nobody_answers() {
    let Some(stage) = Stage::set() else { return };
    let id = stage.prepare("6");
    let (url, gone) = (stage.anvil.url(), Arc::new(AtomicBool::new(false)));
    let flag = Arc::clone(&gone);
    let dying = ScriptedNode::start(move |method, body| {
        if method == "eth_sendRawTransaction" {
            flag.store(true, Ordering::SeqCst);
        }
        if flag.load(Ordering::SeqCst) {
            return Reply::HangUp;
        }
        Reply::Body(post(&url, body))
    });
    let call = |arguments: &[&str]| {
        stage.sandbox.run_with(
            &[arguments, &["--json", "--rpc", dying.url()]].concat(),
            &[("ODA_EVM_KEY", Anvil::KEYS[0])],
        )
    };
    call(&["execute", "--intent", &id]).failed("uncertain", &[]);
    assert!(gone.load(Ordering::SeqCst));
    call(&["recover"]).failed("recovery_incomplete", &["1 open"]);
    call(&["execute", "--intent", &id]).failed("uncertain", &[&id]);
    let open = call(&["status"]).result()["open"][0].clone();
    assert_eq!(
        (&open["state"], &open["intent_id"]),
        (&json!("uncertain"), &json!(id))
    );
    assert!(
        open["waits_for"].as_str().unwrap().contains("nonce 0"),
        "{open}"
    );
    assert_eq!(stage.sent(), 0, "it never arrived");
    // An honest node gets the same bytes, once.
    stage.run(&["status"]).result();
    stage.run(&["status"]).result();
    assert_eq!((stage.sent(), stage.received()), (1, 6));
    assert_eq!(stage.receipts(), ["prepared", "executed"]);
}
