//! The log on a real file system.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use std::collections::HashSet;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::{Arc, Barrier};
use std::thread;

use common::{chain, draft, log_text};
use oda_receipts::{
    Checks, Follower, JsonlLog, Receipt, ReceiptError, Repair, Report, Status, Verifier,
};
use tempfile::TempDir;

fn folder() -> (TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("receipts.jsonl");
    (folder, path)
}

fn verify(path: &std::path::Path) -> Report {
    Verifier::new(Checks::exact())
        .verify(File::open(path).unwrap())
        .unwrap()
}

#[test]
fn a_new_log_is_private_and_continues_after_reopening() {
    let (_folder, path) = folder();
    let (log, repair) = JsonlLog::open(&path).unwrap();
    assert_eq!((repair, log.last()), (None, None));
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let first = log.append(draft(1, Status::Prepared)).unwrap();
    drop(log);
    let (log, repair) = JsonlLog::open(&path).unwrap();
    assert_eq!((repair, log.last()), (None, Some(first.link())));
    let second = log.append(draft(2, Status::Prepared)).unwrap();
    assert_eq!((second.seq(), second.prev_hash()), (1, first.hash()));
    assert_eq!(verify(&path).last, Some(second.link()));
    assert_eq!(log.path(), path);
}

#[test]
fn a_bad_draft_is_refused_before_anything_is_written() {
    let (_folder, path) = folder();
    let (log, _) = JsonlLog::open(&path).unwrap();
    let mut bad = draft(1, Status::Prepared);
    bad.mandate.action = "other.action".into();
    assert_eq!(log.append(bad).unwrap_err().code(), "receipt_draft");
    assert_eq!(fs::metadata(&path).unwrap().len(), 0);
}

#[test]
fn a_missing_or_read_only_place_is_an_error_that_names_the_file() {
    let (folder, _) = folder();
    let missing = folder.path().join("no/such/folder/receipts.jsonl");
    let error = JsonlLog::open(&missing).unwrap_err();
    assert_eq!(error.code(), "log_io");
    assert!(
        error.to_string().contains("no/such/folder/receipts.jsonl"),
        "{error}"
    );
    let error = JsonlLog::open(folder.path()).unwrap_err();
    assert_eq!(error.code(), "log_io");
    assert_eq!(JsonlLog::open("/dev/null").unwrap_err().code(), "log_io");
}

#[test]
fn threads_share_one_chain() {
    const THREADS: u64 = 16;
    const EACH: u64 = 25;
    let (_folder, path) = folder();
    let (log, _) = JsonlLog::open(&path).unwrap();
    let start = Arc::new(Barrier::new(usize::try_from(THREADS).unwrap()));
    let threads: Vec<_> = (0..THREADS)
        .map(|thread| {
            let (log, start) = (log.clone(), Arc::clone(&start));
            thread::spawn(move || {
                start.wait();
                let append = |n| {
                    log.append(draft(thread * EACH + n, Status::Prepared))
                        .unwrap()
                };
                (0..EACH).map(append).collect::<Vec<Receipt>>()
            })
        })
        .collect();
    let sealed: Vec<Receipt> = threads
        .into_iter()
        .flat_map(|t| t.join().unwrap())
        .collect();
    assert_eq!(verify(&path).lines, THREADS * EACH);
    let places: HashSet<u64> = sealed.iter().map(Receipt::seq).collect();
    assert_eq!(places, (0..THREADS * EACH).collect());
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        sealed
            .iter()
            .all(|receipt| text.contains(&receipt.to_line()))
    );
}

#[test]
fn two_handles_share_one_chain() {
    let (_folder, path) = folder();
    let (left, _) = JsonlLog::open(&path).unwrap();
    let (right, _) = JsonlLog::open(&path).unwrap();
    for number in 0..10 {
        let log = if number % 2 == 0 { &left } else { &right };
        assert_eq!(
            log.append(draft(number, Status::Prepared)).unwrap().seq(),
            number
        );
    }
    assert_eq!(left.last().unwrap().seq, 8, "what this handle knows");
    assert_eq!(left.refresh().unwrap(), right.last());
    assert_eq!(verify(&path).lines, 10);
}

#[test]
fn a_torn_line_is_kept_beside_the_log() {
    let (folder, path) = folder();
    let receipts = chain(3);
    let text = log_text(&receipts);
    let good = log_text(&receipts[..2]).len();
    fs::write(&path, &text[..text.len() - 100]).unwrap();
    let (log, repair) = JsonlLog::open(&path).unwrap();
    let Some(Repair::TornLineMoved {
        offset, kept_in, ..
    }) = repair
    else {
        panic!("{repair:?}");
    };
    assert_eq!(offset, good as u64);
    assert_eq!(
        kept_in,
        folder.path().join(format!("receipts.jsonl.torn-{good}"))
    );
    assert_eq!(
        fs::read_to_string(&kept_in).unwrap(),
        text[good..text.len() - 100]
    );
    assert_eq!(
        fs::metadata(&kept_in).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert_eq!(log.append(draft(9, Status::Prepared)).unwrap().seq(), 2);
    assert_eq!(verify(&path).lines, 3);
}

#[test]
fn torn_lines_at_the_same_place_do_not_overwrite_one_another() {
    let (folder, path) = folder();
    let line = chain(1)[0].to_line();
    for cut in [50, 60, 60, 70] {
        fs::write(&path, &line[..cut]).unwrap();
        JsonlLog::open(&path).unwrap();
    }
    let mut kept: Vec<u64> = ["torn-0", "torn-0-1", "torn-0-2"]
        .iter()
        .map(|end| {
            fs::metadata(folder.path().join(format!("receipts.jsonl.{end}")))
                .unwrap()
                .len()
        })
        .collect();
    kept.sort_unstable();
    assert_eq!(kept, [50, 60, 70], "the same bytes are kept once");
}

#[test]
fn a_whole_last_line_gets_its_line_feed() {
    let (_folder, path) = folder();
    let receipts = chain(2);
    fs::write(&path, log_text(&receipts).trim_end()).unwrap();
    let (log, repair) = JsonlLog::open(&path).unwrap();
    assert_eq!(
        repair,
        Some(Repair::LineEndAdded {
            receipt: receipts[1].link()
        })
    );
    assert_eq!(log.last(), Some(receipts[1].link()));
    assert_eq!(fs::read_to_string(&path).unwrap(), log_text(&receipts));
}

#[test]
fn a_log_written_by_another_implementation_is_continued() {
    let (_folder, path) = folder();
    let line = chain(1)[0].to_line();
    let rest = line
        .trim_end()
        .strip_prefix("{\"action\":\"token.transfer\",")
        .unwrap();
    let rest = rest.strip_suffix('}').unwrap();
    let foreign = format!("{{{rest}, \"action\": \"token.transfer\"}}\n");
    fs::write(&path, &foreign).unwrap();
    let (log, repair) = JsonlLog::open(&path).unwrap();
    assert_eq!(repair, None);
    log.append(draft(5, Status::Prepared)).unwrap();
    let report = Verifier::new(Checks::full())
        .verify(File::open(&path).unwrap())
        .unwrap();
    assert_eq!(report.lines, 2);
    let exact = Verifier::new(Checks::exact()).verify(File::open(&path).unwrap());
    let Err(ReceiptError::Broken(fault)) = exact else {
        panic!("{exact:?}")
    };
    assert_eq!((fault.index, fault.kind.code()), (0, "form"));
}

#[test]
fn a_log_moved_away_takes_no_more_appends() {
    let (folder, path) = folder();
    let (log, _) = JsonlLog::open(&path).unwrap();
    log.append(draft(1, Status::Prepared)).unwrap();
    fs::rename(&path, folder.path().join("old.jsonl")).unwrap();
    assert_eq!(
        log.append(draft(2, Status::Prepared)).unwrap_err().code(),
        "log_replaced"
    );
    assert_eq!(verify(&folder.path().join("old.jsonl")).lines, 1);
}

#[test]
fn a_mirror_catches_up_with_its_rows() {
    let (_folder, path) = folder();
    let receipts = chain(20);
    let (log, _) = JsonlLog::open(&path).unwrap();
    assert_eq!(log.append_sealed(&receipts[..7]).unwrap().appended, 7);
    drop(log);
    let (log, _) = JsonlLog::open(&path).unwrap();
    let mirrored = log.append_sealed(&receipts).unwrap();
    assert_eq!((mirrored.skipped, mirrored.appended), (7, 13));
    assert_eq!(fs::read_to_string(&path).unwrap(), log_text(&receipts));
}

#[test]
fn a_follower_gives_complete_lines_as_they_come() {
    let (_folder, path) = folder();
    assert_eq!(Follower::open(&path).unwrap_err().code(), "log_io");
    let (log, _) = JsonlLog::open(&path).unwrap();
    let mut follower = Follower::open(&path).unwrap();
    let mut verifier = Verifier::new(Checks::exact());
    assert_eq!(follower.next_line().unwrap(), None);
    for number in 0..5 {
        for more in 0..=number {
            log.append(draft(number * 10 + more, Status::Prepared))
                .unwrap();
        }
        while let Some(line) = follower.next_line().unwrap() {
            verifier.feed(line).unwrap();
        }
        assert_eq!(verifier.report().last, log.last());
    }
    let whole = fs::read(&path).unwrap();
    fs::write(&path, [&whole[..], b"{\"action\":\"to"].concat()).unwrap();
    assert_eq!(
        follower.next_line().unwrap(),
        None,
        "a torn line is not given"
    );
    log.append(draft(99, Status::Prepared)).unwrap();
    verifier
        .feed(follower.next_line().unwrap().unwrap())
        .unwrap();
    fs::write(&path, &whole).unwrap();
    assert_eq!(follower.next_line().unwrap_err().code(), "log_truncated");
}

#[test]
fn a_follower_reads_a_moved_log_to_its_end() {
    let (folder, path) = folder();
    let (log, _) = JsonlLog::open(&path).unwrap();
    log.append_sealed(&chain(2)).unwrap();
    let mut follower = Follower::open(&path).unwrap();
    fs::rename(&path, folder.path().join("old.jsonl")).unwrap();
    assert!(follower.next_line().unwrap().is_some());
    assert!(follower.next_line().unwrap().is_some());
    assert_eq!(follower.next_line().unwrap_err().code(), "log_replaced");
}

#[test]
fn long_lines_are_found_from_the_end() {
    let (_folder, path) = folder();
    let (log, _) = JsonlLog::open(&path).unwrap();
    for number in 0..3 {
        let mut long = draft(number, Status::Prepared);
        long.simulation = Some(serde_json::json!({ "trace": "x".repeat(300_000) }));
        log.append(long).unwrap();
    }
    let (reopened, repair) = JsonlLog::open(&path).unwrap();
    assert_eq!((repair, reopened.last()), (None, log.last()));
    let mut follower = Follower::open(&path).unwrap();
    for _ in 0..3 {
        assert!(follower.next_line().unwrap().is_some());
    }
    let mut beyond = draft(4, Status::Prepared);
    beyond.simulation = Some(serde_json::json!({ "trace": "x".repeat(1 << 20) }));
    assert_eq!(log.append(beyond).unwrap_err().code(), "receipt_too_large");
    assert_eq!(verify(&path).lines, 3);
}
