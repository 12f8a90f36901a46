//! Flags, help, versions, completions, and output that nobody reads to its end.

use std::process::Stdio;

use serde_json::json;

use crate::sandbox::{Run, Sandbox};

#[test]
fn wrong_flags_exit_1_and_are_json_when_json_was_asked_for() {
    let sandbox = Sandbox::new();
    for arguments in [
        &["excute"][..],
        &["execute"],
        &["execute", "--intent"],
        &["execute", "--intent", "a", "--input", "{}"],
        &["prepare", "evm.transfer"],
        &["approve", "--intent", "a", "--yes", "--no"],
        &["receipts"],
        &["receipts", "verify", "--exact", "--chain-only"],
        &["completions", "tcsh7"],
        &["--nope"],
        &[],
    ] {
        let text = sandbox.run(arguments);
        assert_eq!((text.code, text.stdout.as_str()), (1, ""), "{text:?}");
        assert!(text.stderr.starts_with("error: "), "{text:?}");
        let with_json = [arguments, &["--json"]].concat();
        sandbox.run(&with_json).failed("usage", &[]);
    }
    sandbox
        .run(&["excute", "--json"])
        .failed("usage", &["execute"]);
    assert!(sandbox.files().is_empty());
}

#[test]
fn execute_takes_nothing_that_could_change_the_action() {
    let help = Sandbox::new().run(&["execute", "--help"]);
    assert_eq!(help.code, 0);
    let flags: Vec<&str> = help
        .stdout
        .split_whitespace()
        .filter(|word| word.starts_with("--"))
        .collect();
    for flag in &flags {
        let known = [
            "--intent",
            "--policy",
            "--rpc",
            "--keystore",
            "--allow-mainnet-signing",
            "--json",
            "--verbose...",
            "--help",
        ];
        assert!(known.contains(flag), "{flag}");
    }
    assert!(
        flags.contains(&"--policy"),
        "an intent can be executed under the policy it was made under"
    );
}

#[test]
fn help_and_version_are_answers() {
    let sandbox = Sandbox::new();
    let help = sandbox.run(&["--help"]);
    assert_eq!((help.code, help.stderr.as_str()), (0, ""));
    for word in [
        "demo",
        "receipts",
        "Examples:",
        "Exit codes",
        "ODA_RPC_URL_",
    ] {
        assert!(help.stdout.contains(word), "{word}");
    }
    let version = sandbox.run(&["--version"]);
    assert_eq!(
        version.stdout,
        format!("oda {}\n", env!("CARGO_PKG_VERSION"))
    );
    let document = sandbox.run(&["--version", "--json"]).result();
    assert_eq!(
        document,
        json!({ "name": "oda", "version": env!("CARGO_PKG_VERSION") })
    );
    assert!(
        sandbox
            .run(&["receipts", "verify", "--help", "--json"])
            .result()["text"]
            .is_string()
    );
}

#[test]
fn every_shell_gets_a_script() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sandbox.run(&["completions", shell]);
        assert_eq!(script.code, 0);
        assert!(script.stdout.contains("conformance"), "{shell}");
        let document = sandbox.run(&["completions", shell, "--json"]).result();
        assert_eq!(document["script"], script.stdout.as_str());
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_panic() {
    let sandbox = Sandbox::new();
    for arguments in [
        &["completions", "bash"][..],
        &["actions", "--json"],
        &["--help"],
    ] {
        let mut child = sandbox
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The pipe has no reader before the first byte is written, or loses it while they are.
        drop(child.stdout.take());
        let run = Run::of(child.wait_with_output().unwrap());
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{arguments:?}");
    }
}

#[test]
fn the_log_level_is_a_level() {
    let sandbox = Sandbox::new();
    let run = sandbox.run_with(&["actions", "--json"], &[("ODA_LOG", "oda=loud")]);
    run.failed("invalid_argument", &["ODA_LOG"]);
    let run = sandbox.run_with(&["actions", "--json"], &[("ODA_LOG", "oda_core=debug")]);
    assert_eq!(run.code, 0);
}
