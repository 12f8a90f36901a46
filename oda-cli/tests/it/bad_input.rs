//! Bad input names the field and the rule, and changes nothing.

use serde_json::{Value, json};

use crate::sandbox::{RECIPIENT, SENDER, Sandbox};

/// 2^256, one more than fits.
const TOO_LARGE: &str =
    "115792089237316195423570985008687907853269984665640564039457584007913129639936";

#[test]
fn amounts_are_whole_base_units_and_nothing_else() {
    let sandbox = Sandbox::new();
    for (amount, rule) in [
        (json!("-1"), "sign"),
        (json!("+1"), "sign"),
        (json!("1.5"), "point"),
        (json!("1e3"), "exponent"),
        (json!(" 1"), "space"),
        (json!("1 "), "space"),
        (json!(TOO_LARGE), "256"),
        (json!(""), "empty"),
        (json!("0x10"), "amount"),
        (json!(5), "string"),
        (json!(null), "null"),
    ] {
        refused(&sandbox, &with("amount", &amount), &["`amount`", rule]);
    }
}

#[test]
fn addresses_are_checked_with_their_checksum() {
    let sandbox = Sandbox::new();
    // One letter in the other case.
    let wrong = SENDER.replacen('F', "f", 1);
    for (address, rule) in [
        (json!(wrong), "checksum"),
        (json!("0x12"), "40"),
        (json!(&RECIPIENT[2..]), "0x"),
        (json!(format!("{}zz", &RECIPIENT[..40])), "hexadecimal"),
        (json!(["a"]), "address"),
    ] {
        refused(&sandbox, &with("to", &address), &["`to`", rule]);
    }
}

#[test]
fn keys_and_chains_are_known_or_refused() {
    let sandbox = Sandbox::new();
    refused(&sandbox, &with("memo", &json!("hi")), &["`memo`"]);
    refused(
        &sandbox,
        &with("chain", &json!("base-sepolai")),
        &["`chain`", "base-sepolia"],
    );
    refused(&sandbox, &with("chain", &json!(1)), &["`chain`"]);
    let mut missing = with("amount", &json!("1"));
    missing.as_object_mut().unwrap().remove("to");
    refused(&sandbox, &missing, &["`to`"]);
    refused(&sandbox, &json!([]), &["input"]);
    refused(&sandbox, &json!("text"), &["input"]);
}

#[test]
fn malformed_json_is_named_with_its_place() {
    let sandbox = Sandbox::new();
    for (text, says) in [
        ("{", "byte 1"),
        ("", "byte 0"),
        ("{\"chain\":\"base\",\"chain\":\"base\"}", "stands twice"),
        ("{} {}", "byte 3"),
        ("\u{feff}{}", "byte order mark"),
        ("{\"a\":\"\\ud800\"}", "surrogate"),
        (&"[".repeat(200), "levels"),
    ] {
        for command in ["prepare", "read"] {
            let run = sandbox.run(&[command, "evm.transfer", "--json", "--input", text]);
            run.failed("invalid_input", &["--input", says]);
        }
    }
    assert!(sandbox.files().is_empty());
    sandbox.write("input.json", "{");
    let run = sandbox.run(&[
        "prepare",
        "evm.transfer",
        "--json",
        "--input",
        "@input.json",
    ]);
    run.failed("invalid_input", &["byte 1"]);
    let run = sandbox.run(&[
        "prepare",
        "evm.transfer",
        "--json",
        "--input",
        "@absent.json",
    ]);
    run.failed("file_unreadable", &["absent.json"]);
}

#[test]
fn an_action_that_does_not_exist_gets_the_nearest_one() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["prepare", "token.tranfser", "--json", "--input", "{}"]);
    run.failed(
        "unknown_action",
        &["token.tranfser", "did you mean `token.transfer`?"],
    );
    let run = sandbox.run(&["read", "chain.raed", "--json", "--input", "{}"]);
    run.failed("unknown_action", &["did you mean `chain.read`?"]);
    assert!(sandbox.files().is_empty());
}

#[test]
fn a_call_of_the_wrong_kind_says_which_one_fits() {
    let sandbox = Sandbox::new();
    let question = json!({ "kind": "block_number", "chain": "base-sepolia" }).to_string();
    let run = sandbox.run(&["prepare", "chain.read", "--json", "--input", &question]);
    run.failed("wrong_command", &["`read`"]);
    let transfer = Sandbox::transfer("1");
    let run = sandbox.run(&["read", "evm.transfer", "--json", "--input", &transfer]);
    run.failed("wrong_command", &["`prepare`"]);
    assert!(sandbox.files().is_empty());
}

#[test]
fn intents_are_looked_for_by_well_formed_ids_only() {
    let sandbox = Sandbox::new();
    let unknown = format!("si_{}", "A".repeat(43));
    for (command, more) in [
        ("execute", None),
        ("approve", Some("--yes")),
        ("status", None),
    ] {
        for bad in ["si_short", "", &unknown[1..], &format!("{unknown}A")] {
            let arguments = [command, "--json", "--intent", bad];
            let run = sandbox.run(&[&arguments[..], more.as_slice()].concat());
            run.failed("malformed_intent_id", &["si_"]);
        }
        let arguments = [command, "--json", "--intent", &unknown];
        let run = sandbox.run(&[&arguments[..], more.as_slice()].concat());
        run.failed("unknown_intent", &[&unknown]);
    }
    assert!(
        sandbox.files().is_empty(),
        "looking for an intent makes no directory"
    );
}

#[test]
fn a_sender_has_to_come_from_somewhere() {
    let sandbox = Sandbox::new();
    let mut input = with("amount", &json!("1"));
    input.as_object_mut().unwrap().remove("from");
    refused(&sandbox, &input, &["`from`", "signer"]);
}

#[test]
fn an_amount_of_nothing_is_refused() {
    let sandbox = Sandbox::new();
    refused(
        &sandbox,
        &with("amount", &json!("0")),
        &["`amount`", "more than 0"],
    );
}

fn with(key: &str, value: &Value) -> Value {
    let mut input: Value = serde_json::from_str(&Sandbox::transfer("1")).unwrap();
    input[key] = value.clone();
    input
}

/// The error of `prepare`, without a node: a wrong input is found before anybody is asked.
#[track_caller]
fn refused(sandbox: &Sandbox, input: &Value, says: &[&str]) {
    let text = input.to_string();
    let run = sandbox.run(&["prepare", "evm.transfer", "--json", "--input", &text]);
    run.failed("invalid_input", says);
    assert!(sandbox.files().is_empty(), "{input}");
}
