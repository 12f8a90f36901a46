//! `oda demo`: fresh each time, readable in one screen, and true.

use std::fs;
use std::path::PathBuf;

use crate::sandbox::{Run, Sandbox};

/// What fits on a screen without scrolling far.
const LINES: usize = 50;
const COLUMNS: usize = 100;

#[test]
fn it_fits_on_a_screen_and_runs_again_in_a_fresh_directory() {
    let sandbox = Sandbox::new();
    let runs = [sandbox.run(&["demo"]), sandbox.run(&["demo"])];
    let directories: Vec<PathBuf> = runs.iter().map(directory_of).collect();
    assert_ne!(directories[0], directories[1]);
    for (run, directory) in runs.iter().zip(&directories) {
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
        assert!(run.stdout.lines().count() <= LINES, "{}", run.stdout);
        let widest = run
            .stdout
            .lines()
            .map(|line| line.chars().count())
            .max()
            .unwrap();
        assert!(widest <= COLUMNS, "{widest}");
        for says in [
            "requiresUserInteraction yes",
            "-25000000 of",
            "max_per_trade: limit 50000000, observed 75000000",
            "confirmed, in block",
            "1000000000 -> 975000000",
            "0 -> 25000000",
            "3 lines, head sha256:",
            "line 2: hash:",
        ] {
            assert!(
                run.stdout.contains(says),
                "{says} is missing in\n{}",
                run.stdout
            );
        }
        // The files are those of a real installation, and the other commands read them.
        let log = directory.join(".oda/receipts.jsonl");
        let verified = sandbox.run(&[
            "receipts",
            "verify",
            log.to_str().unwrap(),
            "--exact",
            "--json",
        ]);
        assert_eq!(verified.result()["receipts"], 3);
        let changed = directory.join("changed.jsonl");
        let broken = sandbox.run(&["receipts", "verify", changed.to_str().unwrap(), "--json"]);
        broken.failed("receipts_broken", &["line 2", "hash"]);
        assert_eq!(broken.json()["result"]["fault"]["line"], 2);
        assert!(
            directory.join(".oda/store.db").is_file() && directory.join("policy.json").is_file()
        );
        let home = directory.join(".oda");
        let status = sandbox.run_with(
            &["status", "--json"],
            &[("ODA_HOME", home.to_str().unwrap())],
        );
        assert_eq!(
            status.result()["states"],
            serde_json::json!({ "confirmed": 1, "refused": 1 })
        );
    }
}

#[test]
fn it_is_one_document_and_goes_where_it_is_told() {
    let sandbox = Sandbox::new();
    let parent = sandbox.path().join("demos");
    fs::create_dir(&parent).unwrap();
    let result = sandbox.run(&["demo", "--dir", "demos", "--json"]).result();
    assert_eq!(fs::read_dir(&parent).unwrap().count(), 1);
    assert_eq!(
        result["refused"]["policy"]["refusals"][0]["rule"],
        "max_per_trade"
    );
    assert_eq!(result["balances"]["after"]["payee"], "25000000");
    assert_eq!(result["tampered"]["line"], 2);
    assert_eq!(result["execution"]["receipt"]["status"], "executed");
}

#[test]
fn a_place_that_cannot_be_written_is_an_error() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["demo", "--dir", "/proc/no-such-place", "--json"]);
    run.failed("file_unreadable", &["/proc/no-such-place"]);
}

fn directory_of(run: &Run) -> PathBuf {
    let line = run
        .stdout
        .lines()
        .find(|line| line.starts_with("directory"))
        .unwrap();
    PathBuf::from(line.split_whitespace().nth(1).unwrap())
}
