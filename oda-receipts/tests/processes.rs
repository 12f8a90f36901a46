//! The log under several processes, one of them killed.
//!
//! The test program starts itself again as a child: a child runs only the test named
//! `child_appends`, which does nothing unless the environment tells it what to do.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use common::draft;
use oda_receipts::{Checks, JsonlLog, Receipt, Status, Verifier};

const LOG: &str = "ODA_RECEIPTS_TEST_LOG";
const FIRST: &str = "ODA_RECEIPTS_TEST_FIRST";
const COUNT: &str = "ODA_RECEIPTS_TEST_COUNT";
const ACKNOWLEDGED: &str = "acknowledged ";

/// The child: appends its share and says each acknowledged hash on standard output.
#[test]
fn child_appends() {
    let Some(path) = std::env::var_os(LOG) else {
        return;
    };
    let number = |name| std::env::var(name).unwrap().parse::<u64>().unwrap();
    let (log, _) = JsonlLog::open(path).unwrap();
    let mut out = std::io::stdout().lock();
    for intent in number(FIRST)..number(FIRST) + number(COUNT) {
        let receipt = log.append(draft(intent, Status::Prepared)).unwrap();
        // In one write, so that a kill leaves a whole line or none.
        out.write_all(format!("\n{ACKNOWLEDGED}{}\n", receipt.hash()).as_bytes())
            .unwrap();
        out.flush().unwrap();
    }
}

fn start(log: &Path, first: u64, count: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([
            "child_appends",
            "--exact",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(LOG, log)
        .env(FIRST, first.to_string())
        .env(COUNT, count.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The hashes that a child heard to be durable, up to `enough` of them or to its end.
fn acknowledged(child: &mut Child, enough: usize) -> Vec<String> {
    let mut hashes = Vec::new();
    let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    while hashes.len() < enough
        && let Some(Ok(line)) = lines.next()
    {
        if let Some((_, hash)) = line.split_once(ACKNOWLEDGED) {
            hashes.push(hash.to_owned());
        }
    }
    hashes
}

fn hashes_in(log: &Path) -> HashSet<String> {
    let text = fs::read_to_string(log).unwrap();
    text.lines()
        .map(|line| {
            Receipt::from_line(line.as_bytes())
                .unwrap()
                .hash()
                .to_string()
        })
        .collect()
}

#[test]
fn processes_share_one_chain() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("receipts.jsonl");
    let mut children: Vec<Child> = (0..4).map(|n| start(&log, n * 1000, 40)).collect();
    let mut heard = HashSet::new();
    for child in &mut children {
        heard.extend(acknowledged(child, usize::MAX));
        assert!(child.wait().unwrap().success());
    }
    let report = Verifier::new(Checks::exact())
        .verify(File::open(&log).unwrap())
        .unwrap();
    assert_eq!(report.lines, 160);
    assert_eq!(heard, hashes_in(&log));
}

#[test]
fn a_killed_process_takes_nothing_with_it_and_frees_the_lock() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("receipts.jsonl");
    let mut survivor = start(&log, 0, 60);
    let mut heard = Vec::new();
    for round in 1..=5 {
        let mut victim = start(&log, round * 10_000, 1_000_000);
        heard.extend(acknowledged(&mut victim, 7));
        victim.kill().unwrap();
        // What it had said before it died, but was not read yet, counts too.
        heard.extend(acknowledged(&mut victim, usize::MAX));
        victim.wait().unwrap();
    }
    heard.extend(acknowledged(&mut survivor, usize::MAX));
    assert!(
        survivor.wait().unwrap().success(),
        "the survivor was never locked out"
    );

    let (reopened, _) = JsonlLog::open(&log).unwrap();
    reopened.append(draft(999_999, Status::Prepared)).unwrap();
    Verifier::new(Checks::exact())
        .verify(File::open(&log).unwrap())
        .unwrap();
    let kept = hashes_in(&log);
    assert!(heard.len() >= 60 + 5 * 7);
    assert!(
        heard.iter().all(|hash| kept.contains(hash)),
        "an acknowledged receipt is gone"
    );
}
