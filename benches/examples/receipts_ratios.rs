//! Prints the ratios of verification and of durable appends as two tables.
//!
//! The contenders take turns, so that what else the machine does hits all of them alike. For
//! verification the smallest time counts. A disk sync is bimodal, so for appends each round does
//! one of each kind, and the table shows mean and median over all rounds. Run, with the folder
//! on the disk to be measured (the system's temporary folder when left out):
//!
//! ```text
//! cargo run --release -p oda-benches --example receipts_ratios -- [FOLDER]
//! ```

#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a program that prints measurements"
)]

use std::fs::{File, OpenOptions};
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use oda_benches::{chain, draft};
use oda_receipts::{Checks, JsonlLog, Receipt, Status, Verifier};
use serde_json::Value;
use sha2::{Digest, Sha256};

const RECEIPTS: u64 = 5_000;
const VERIFY_ROUNDS: usize = 15;
const APPEND_ROUNDS: u64 = 3_000;
const WRITERS: u64 = 64;
const APPENDS_PER_WRITER: u64 = 100;
const WRITER_ROUNDS: u64 = 8;

fn main() {
    verification();
    let folder = std::env::args_os()
        .nth(1)
        .unwrap_or_else(|| std::env::temp_dir().into());
    appends(&tempfile::tempdir_in(folder).expect("a folder"));
}

fn verification() {
    let receipts = chain(RECEIPTS).expect("seals");
    let ours: String = receipts.iter().map(Receipt::to_line).collect();
    let foreign: String = receipts.iter().map(reversed).collect();
    let contenders: [&dyn Fn(); 5] = [
        &|| verify(Checks::full(), ours.as_bytes()),
        &|| verify(Checks::chain_only(), ours.as_bytes()),
        &|| verify(Checks::full(), foreign.as_bytes()),
        &|| peer_verify(ours.as_bytes()),
        &|| {
            black_box(Sha256::digest(black_box(ours.as_bytes())));
        },
    ];
    let mut best = [Duration::MAX; 5];
    for _ in 0..VERIFY_ROUNDS {
        for (best, contender) in best.iter_mut().zip(contenders) {
            let start = Instant::now();
            contender();
            *best = (*best).min(start.elapsed());
        }
    }
    let per_second = |time: Duration| RECEIPTS as f64 / time.as_secs_f64();
    let peer = best[3].as_secs_f64();
    let sha = best[4].as_secs_f64();
    println!(
        "Verifying {RECEIPTS} receipts of {} bytes, one core.\n",
        ours.len() as u64 / RECEIPTS
    );
    println!(
        "| what | µs per receipt | receipts per second | times the peers | times plain SHA-256 |"
    );
    println!("|---|---|---|---|---|");
    let names = [
        "oda-receipts, full checks",
        "oda-receipts, chain only",
        "oda-receipts, full checks, other key order",
        "serde_json + serde_json_canonicalizer + sha2 (chain only)",
        "SHA-256 over the same bytes",
    ];
    for (name, time) in names.iter().zip(best) {
        println!(
            "| {name} | {:.2} | {:.0} | {:.1} | {:.2} |",
            time.as_secs_f64() * 1e6 / RECEIPTS as f64,
            per_second(time),
            peer / time.as_secs_f64(),
            time.as_secs_f64() / sha,
        );
    }
}

/// The line with its members in reverse order, as another implementation may write it.
fn reversed(receipt: &Receipt) -> String {
    let value: Value = serde_json::from_str(receipt.as_json()).expect("JSON");
    let members = value.as_object().expect("an object").iter().rev();
    let members: Vec<String> = members
        .map(|(key, value)| format!("\"{key}\":{value}"))
        .collect();
    format!("{{{}}}\n", members.join(","))
}

fn verify(checks: Checks, log: &[u8]) {
    black_box(Verifier::new(checks).verify_buffered(log).expect("whole"));
}

/// The chain check made of the field's usual crates.
fn peer_verify(log: &[u8]) {
    let mut prev_hash = format!("sha256:{}", "0".repeat(64));
    for (index, line) in log
        .split(|b| *b == b'\n')
        .filter(|l| !l.is_empty())
        .enumerate()
    {
        let mut value: Value = serde_json::from_slice(line).expect("JSON");
        let hash = value
            .as_object_mut()
            .and_then(|o| o.remove("hash"))
            .expect("a hash");
        let canonical = serde_json_canonicalizer::to_vec(&value).expect("canonical");
        let digest = Sha256::digest(canonical);
        let computed = format!("sha256:{digest:x}");
        assert_eq!(value["seq"].as_u64(), Some(index as u64));
        assert_eq!(value["prev_hash"], prev_hash.as_str());
        assert_eq!(hash, computed.as_str());
        prev_hash = computed;
    }
}

fn appends(folder: &tempfile::TempDir) {
    let mut bare = Vec::new();
    let mut durable = Vec::new();
    {
        let mut file = append_to(&folder.path().join("bare"));
        let (log, _) = JsonlLog::open(folder.path().join("log.jsonl")).expect("opens");
        let line = chain(1).expect("seals")[0].to_line();
        for number in 0..APPEND_ROUNDS {
            let start = Instant::now();
            file.write_all(line.as_bytes()).expect("writes");
            file.sync_data().expect("syncs");
            bare.push(start.elapsed());
            let draft = draft(number, Status::Prepared);
            let start = Instant::now();
            black_box(log.append(draft).expect("appends"));
            durable.push(start.elapsed());
        }
    }
    let mut grouped = Vec::new();
    let mut floor = Vec::new();
    for round in 0..WRITER_ROUNDS {
        grouped.push(many_writers(folder.path(), round));
        floor.push(bare_batches(&folder.path().join("batches")));
    }
    let base = mean(&bare);
    let single = mean(&durable);
    println!(
        "\nDurable appends, {APPEND_ROUNDS} of each, taking turns; {WRITERS} writers: {WRITER_ROUNDS} runs of {} each.\n",
        WRITERS * APPENDS_PER_WRITER
    );
    println!(
        "| what | mean µs | median µs | mean / bare | median / bare | appends per second | times one writer |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (name, times) in [
        ("bare write + fdatasync", &bare),
        ("log, one writer", &durable),
        ("log, 64 writers (per append)", &grouped),
        ("bare write of 64 lines + fdatasync (per line)", &floor),
    ] {
        println!(
            "| {name} | {:.1} | {:.1} | {:.2} | {:.2} | {:.0} | {:.1} |",
            mean(times) * 1e6,
            median(times) * 1e6,
            mean(times) / base,
            median(times) / median(&bare),
            1.0 / mean(times),
            single / mean(times),
        );
    }
}

/// What the disk allows when 64 lines share one sync: the time per line, with no threads and
/// nothing sealed.
fn bare_batches(path: &Path) -> Duration {
    let mut file = append_to(path);
    let lines = chain(1).expect("seals")[0]
        .to_line()
        .repeat(usize::try_from(WRITERS).unwrap_or(1));
    let began = Instant::now();
    for _ in 0..APPENDS_PER_WRITER {
        file.write_all(lines.as_bytes()).expect("writes");
        file.sync_data().expect("syncs");
    }
    began.elapsed() / u32::try_from(WRITERS * APPENDS_PER_WRITER).unwrap_or(1)
}

fn append_to(path: &Path) -> File {
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .expect("opens")
}

/// The time per append when many threads append to one log.
fn many_writers(folder: &Path, round: u64) -> Duration {
    let (log, _) = JsonlLog::open(folder.join(format!("many-{round}.jsonl"))).expect("opens");
    let start = Arc::new(Barrier::new(usize::try_from(WRITERS).unwrap_or(1) + 1));
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (log, start) = (log.clone(), Arc::clone(&start));
            let drafts: Vec<_> = (0..APPENDS_PER_WRITER)
                .map(|n| draft(writer * APPENDS_PER_WRITER + n, Status::Prepared))
                .collect();
            thread::spawn(move || {
                start.wait();
                for draft in drafts {
                    black_box(log.append(draft).expect("appends"));
                }
            })
        })
        .collect();
    start.wait();
    let began = Instant::now();
    for writer in writers {
        writer.join().expect("a writer");
    }
    began.elapsed() / u32::try_from(WRITERS * APPENDS_PER_WRITER).unwrap_or(1)
}

fn mean(times: &[Duration]) -> f64 {
    times.iter().sum::<Duration>().as_secs_f64() / times.len() as f64
}

fn median(times: &[Duration]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted[sorted.len() / 2].as_secs_f64()
}
