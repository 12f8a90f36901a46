//! Where the key comes from, and that it goes nowhere.

use oda_chain_evm::create_keystore;
use oda_testkit::Anvil;
use serde_json::json;

use crate::http::{ScriptedNode, rpc};
use crate::node::Stage;
use crate::sandbox::Sandbox;

const PASSWORD: &str = "correct horse";

#[test]
fn a_keystore_signs_with_a_password_from_a_private_file() {
    let Some(stage) = Stage::set() else { return };
    let sandbox = &stage.sandbox;
    let path = sandbox.path().join("key.json");
    let address = create_keystore(&path, &PASSWORD.into())
        .unwrap()
        .to_string();
    let funds = json!([address, "0xde0b6b3a7640000"]);
    rpc(&stage.anvil.url(), "anvil_setBalance", funds);
    let url = stage.anvil.url();
    let call = |arguments: &[&str], variables: &[(&str, &str)]| {
        let common = ["--json", "--rpc", &url, "--keystore", "key.json"];
        sandbox.run_with(&[arguments, &common].concat(), variables)
    };
    let input = json!({ "chain": "base-sepolia", "to": crate::sandbox::RECIPIENT, "amount": "9" });
    // No password is needed to know who sends.
    let intent = call(
        &["prepare", "evm.transfer", "--input", &input.to_string()],
        &[],
    )
    .result();
    assert_eq!(intent["unsigned"]["from"], address.as_str());
    let id = intent["intent_id"].as_str().unwrap();
    let execute = ["execute", "--intent", id];

    call(&execute, &[]).failed("invalid_argument", &["ODA_KEYSTORE_PASSWORD_FILE"]);
    let wrong = call(&execute, &[("ODA_KEYSTORE_PASSWORD", "hunter2")]);
    wrong.failed("keystore_password", &["key.json"]);
    assert!(!format!("{wrong:?}").contains("hunter2"));
    let file = sandbox.write("password", format!("{PASSWORD}\n"));
    open_to(&file, 0o644);
    let exposed = call(&execute, &[("ODA_KEYSTORE_PASSWORD_FILE", "password")]);
    exposed.failed("keystore_invalid", &["chmod 600"]);
    assert_eq!(stage.received(), 0, "nothing was sent so far");
    open_to(&file, 0o600);
    let executed = call(&execute, &[("ODA_KEYSTORE_PASSWORD_FILE", "password")]);
    assert_eq!(executed.result()["state"], "submitted");
    assert_eq!(stage.received(), 9);
}

#[test]
fn without_a_key_nothing_is_executed_and_the_intent_lives() {
    let Some(stage) = Stage::set() else { return };
    let id = stage.prepare("3");
    let url = stage.anvil.url();
    let run = stage
        .sandbox
        .run(&["execute", "--intent", &id, "--rpc", &url, "--json"]);
    run.failed("no_signer", &[]);
    assert!(
        run.json()["error"]["next"]
            .as_str()
            .unwrap()
            .contains("ODA_EVM_KEY")
    );
    stage.run(&["execute", "--intent", &id]).result();
    assert_eq!(stage.received(), 3);
}

#[test]
fn a_mainnet_is_signed_for_only_when_that_was_said() {
    let Some(anvil) = Anvil::start(&["--chain-id", "8453"]).unwrap() else {
        return;
    };
    let sandbox = Sandbox::new();
    sandbox.write_policy(&json!({ "network": "mainnet" }));
    let url = anvil.url();
    let call = |arguments: &[&str], more: &[(&str, &str)]| {
        let variables = [&[("ODA_EVM_KEY", Anvil::KEYS[0])], more].concat();
        sandbox.run_with(
            &[arguments, &["--json", "--rpc", &url]].concat(),
            &variables,
        )
    };
    let prepare = || {
        let input = Sandbox::transfer("1").replace("base-sepolia", "base");
        let intent = call(&["prepare", "evm.transfer", "--input", &input], &[]).result();
        intent["intent_id"].as_str().unwrap().to_owned()
    };
    let refused = prepare();
    let run = call(&["execute", "--intent", &refused], &[]);
    run.failed("signer_error", &["mainnet"]);
    let meant = [("ODA_ALLOW_MAINNET_SIGNING", "true")];
    call(&["execute", "--intent", &refused], &meant)
        .failed("invalid_argument", &["ODA_ALLOW_MAINNET_SIGNING"]);
    let by_flag = ["execute", "--intent", &prepare(), "--allow-mainnet-signing"];
    assert_eq!(call(&by_flag, &[]).result()["state"], "submitted");
    let by_variable = [("ODA_ALLOW_MAINNET_SIGNING", "1")];
    let run = call(&["execute", "--intent", &prepare()], &by_variable);
    assert_eq!(run.result()["state"], "submitted");
}

/// Secrets in variables, flags and URLs, with every command that could repeat one.
#[test]
fn no_secret_is_ever_printed() {
    let sandbox = Sandbox::new();
    let node = ScriptedNode::of_chain(1);
    let url = node.url().replace("http://", "http://user:hunter2@") + "/v3/hunter2?key=hunter2";
    let key = format!("0x{}", "5ec7e7".repeat(11));
    let transfer = Sandbox::transfer("1");
    for arguments in [
        &["prepare", "evm.transfer", "--input", &transfer][..],
        &[
            "prepare",
            "evm.transfer",
            "--input",
            &transfer,
            "--rpc",
            &url,
        ],
        &[
            "prepare",
            "evm.transfer",
            "--input",
            &transfer,
            "--rpc",
            "hunter2://hunter2",
        ],
        &["status", "--rpc", &url, "--rpc", &url],
        &["read", "chain.read", "--input", "{}", "--rpc", &url],
    ] {
        for json in [&["--json", "-vvv"][..], &["-vvv"]] {
            let run = sandbox.run_with(
                &[arguments, json].concat(),
                &[
                    ("ODA_EVM_KEY", key.as_str()),
                    ("ETH_RPC_URL", url.as_str()),
                    ("ODA_KEYSTORE_PASSWORD", "hunter2"),
                    ("ODA_LOG", "trace"),
                ],
            );
            let all = format!("{run:?}");
            assert!(
                !all.contains("hunter2") && !all.contains("5ec7e7"),
                "{arguments:?} {all}"
            );
        }
    }
}

fn open_to(path: &std::path::Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}
