//! Disks and files that are not as they should be.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use oda_testkit::Anvil;
use serde_json::json;

use crate::node::Stage;
use crate::sandbox::{Run, Sandbox};

#[test]
fn a_directory_that_cannot_be_written_is_an_error_that_names_it() {
    let Some(stage) = Stage::set() else { return };
    let url = stage.anvil.url();
    let transfer = Sandbox::transfer("1");
    // Nobody may make files there, root included.
    let variables = [
        ("ODA_HOME", "/proc/oda-home"),
        ("ODA_RPC_URL_BASE_SEPOLIA", url.as_str()),
    ];
    let prepare = ["prepare", "evm.transfer", "--json", "--input", &transfer];
    let run = stage.sandbox.run_with(&prepare, &variables);
    run.failed("home_create", &["/proc/oda-home"]);
    assert!(stage.sandbox.files().is_empty());
}

#[test]
fn a_home_that_others_may_write_is_refused() {
    let Some(stage) = Stage::set() else { return };
    let id = stage.prepare("1");
    let home = stage.sandbox.path().join(".oda");
    fs::set_permissions(&home, fs::Permissions::from_mode(0o777)).unwrap();
    let run = stage.run(&["execute", "--intent", &id]);
    run.failed("home_open_to_others", &["chmod 700"]);
    fs::set_permissions(&home, fs::Permissions::from_mode(0o700)).unwrap();
    let key = home.join("intent.key");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    let run = stage.run(&["execute", "--intent", &id]);
    assert_ne!(run.code, 0);
    assert!(
        run.json()["error"]["message"]
            .as_str()
            .unwrap()
            .contains("intent.key"),
        "{run:?}"
    );
    assert_eq!(stage.sent(), 0);
}

#[test]
fn a_store_of_a_newer_program_is_left_alone() {
    let Some(stage) = Stage::set() else { return };
    let id = stage.prepare("1");
    let store = stage.sandbox.path().join(".oda/store.db");
    // The schema version of a SQLite file is the number at byte 60.
    let mut bytes = fs::read(&store).unwrap();
    bytes[60..64].copy_from_slice(&999_u32.to_be_bytes());
    fs::write(&store, &bytes).unwrap();
    for arguments in [
        &["execute", "--intent", &id][..],
        &["status"],
        &["recover"],
        &["approve", "--intent", &id, "--yes"],
        &[
            "prepare",
            "evm.transfer",
            "--input",
            &Sandbox::transfer("1"),
        ],
    ] {
        stage
            .run(arguments)
            .failed("store_newer_schema", &["999", "newer program"]);
    }
    assert_eq!(fs::read(&store).unwrap(), bytes);
    assert_eq!(stage.sent(), 0);
}

#[test]
fn an_edited_intent_is_detected() {
    let Some(stage) = Stage::set() else { return };
    let id = stage.prepare("1111111111");
    let store = stage.sandbox.path().join(".oda/store.db");
    let mut bytes = fs::read(&store).unwrap();
    let wanted = b"1111111111";
    let places: Vec<usize> = (0..bytes.len() - wanted.len())
        .filter(|at| &bytes[*at..*at + wanted.len()] == wanted)
        .collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at] = b'9';
    }
    fs::write(&store, bytes).unwrap();
    let run = stage.run(&["execute", "--intent", &id]);
    assert_eq!(run.code, 1, "{run:?}");
    let code = run.json()["error"]["code"].clone();
    assert!(code == "integrity" || code == "store_corrupt", "{run:?}");
    assert_eq!((stage.sent(), stage.received()), (0, 0));
}

/// A limit on the size of files stands in for a disk that is full: writing beyond it fails.
#[test]
fn a_full_disk_is_an_error_and_the_state_is_whole_afterwards() {
    let Some(stage) = Stage::set() else { return };
    let first = stage.prepare("1");
    let url = stage.anvil.url();
    let limited = |arguments: &[&str]| {
        let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
        let mut command = std::process::Command::new("/bin/sh");
        command
            .args(["-c", script, env!("CARGO_BIN_EXE_oda")])
            .args(arguments)
            .args(["--json", "--rpc", &url])
            .current_dir(stage.sandbox.path())
            .env_clear()
            .env("ODA_EVM_KEY", Anvil::KEYS[0]);
        Run::of(command.output().unwrap())
    };
    let run = limited(&[
        "prepare",
        "evm.transfer",
        "--input",
        &Sandbox::transfer("2"),
    ]);
    assert_eq!(run.code, 1, "{run:?}");
    let error = run.json()["error"].clone();
    assert!(
        error["code"].as_str().unwrap().starts_with("store"),
        "{error}"
    );
    let run = limited(&["execute", "--intent", &first]);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(stage.sent(), 0);
    assert_eq!(stage.receipts(), ["prepared"]);
    stage.run(&["execute", "--intent", &first]).result();
    assert_eq!(stage.receipts(), ["prepared", "executed"]);
}

#[test]
fn a_log_is_verified_to_its_first_bad_line() {
    let Some(stage) = Stage::set() else { return };
    for _ in 0..3 {
        stage.prepare("1");
    }
    let sandbox = &stage.sandbox;
    let log = sandbox.path().join(".oda/receipts.jsonl");
    let whole = sandbox
        .run(&["receipts", "verify", ".oda/receipts.jsonl", "--json"])
        .result();
    assert_eq!(
        (&whole["receipts"], &whole["head"]["seq"]),
        (&json!(3), &json!(2))
    );
    let head = whole["head"]["hash"].as_str().unwrap().to_owned();
    let verify = |more: &[&str]| {
        sandbox.run(&[&["receipts", "verify", "copy.jsonl", "--json"], more].concat())
    };
    let text = fs::read_to_string(&log).unwrap();
    let lines: Vec<&str> = text.lines().collect();

    sandbox.write("copy.jsonl", &text);
    verify(&["--exact", "--head", &head]).result();
    verify(&["--chain-only"]).result();
    verify(&["--head", "sha256:12"]).failed("invalid_argument", &["--head"]);
    // A cut tail verifies, and only a head kept elsewhere tells.
    sandbox.write("copy.jsonl", format!("{}\n{}\n", lines[0], lines[1]));
    verify(&[]).result();
    verify(&["--head", &head]).failed("receipts_head", &["cut"]);
    for (content, line, kind) in [
        (
            format!("{}\n{}\n{}\n", lines[0], lines[2], lines[1]),
            2,
            "sequence",
        ),
        (text.replacen("evm.transfer", "evm.transfes", 1), 1, "hash"),
        (format!("{text}{}\n", lines[2]), 4, "sequence"),
        (format!("{text}{{\"seq\""), 4, "torn"),
        (format!("{text}not json\n"), 4, "json"),
        (format!("{text}{{}}\n"), 4, "shape"),
    ] {
        sandbox.write("copy.jsonl", content);
        let run = verify(&[]);
        run.failed("receipts_broken", &[&format!("line {line}"), kind]);
        let fault = run.json()["result"]["fault"].clone();
        assert_eq!(
            (&fault["line"], &fault["kind"]),
            (&json!(line), &json!(kind))
        );
        let text = sandbox.run(&["receipts", "verify", "copy.jsonl"]);
        assert!(
            text.code == 1 && text.stderr.contains(&format!("line {line}")),
            "{text:?}"
        );
    }
    sandbox.write("copy.jsonl", "");
    assert_eq!(verify(&[]).result()["head"], json!(null));
    sandbox.write("copy.jsonl", "{}\n");
    let shown = sandbox.run(&["receipts", "show", "copy.jsonl", "--json"]);
    shown.failed("file_unreadable", &["line 1"]);
    let absent = sandbox.run(&["receipts", "verify", "absent.jsonl", "--json"]);
    absent.failed("file_unreadable", &["absent.jsonl"]);
}

/// A log that lost its end in a crash is brought up to date from the store, with a word about it.
#[test]
fn a_torn_log_is_repaired_and_catches_up() {
    let Some(stage) = Stage::set() else { return };
    stage.prepare("1");
    stage.prepare("2");
    let log = stage.sandbox.path().join(".oda/receipts.jsonl");
    let bytes = fs::read(&log).unwrap();
    fs::write(&log, &bytes[..bytes.len() - 40]).unwrap();
    let run = stage.run(&["recover"]);
    assert!(run.json()["notes"].to_string().contains("torn"), "{run:?}");
    assert_eq!(fs::read(&log).unwrap(), bytes);
    // A log of another history is never continued.
    fs::write(&log, b"").unwrap();
    stage.run(&["recover"]).result();
    assert_eq!(fs::read(&log).unwrap(), bytes);
}
