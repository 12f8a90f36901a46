//! Verification against the field's usual crates and plain SHA-256, sealing, and durable appends
//! against a bare write and fdatasync.
//!
//! ```text
//! cargo bench -p oda-benches --bench receipts
//! ```
//!
//! The `receipts_ratios` example measures the same things taking turns, with 64 writers, and
//! prints the ratios: a disk sync is bimodal, so appends measured one after the other compare
//! badly.

#![allow(clippy::expect_used, reason = "a benchmark that cannot run must stop")]

use std::fs::OpenOptions;
use std::io::Write as _;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use oda_benches::{chain, draft};
use oda_receipts::{Checks, JsonlLog, Receipt, Status, Verifier};
use serde_json::Value;
use sha2::{Digest, Sha256};

const RECEIPTS: u64 = 1_000;

fn verify(criterion: &mut Criterion) {
    let receipts = chain(RECEIPTS).expect("seals");
    let log: String = receipts.iter().map(Receipt::to_line).collect();
    let mut group = criterion.benchmark_group("verify");
    group.throughput(Throughput::Elements(RECEIPTS));
    for (name, checks) in [
        ("full", Checks::full()),
        ("exact", Checks::exact()),
        ("chain only", Checks::chain_only()),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                Verifier::new(checks)
                    .verify_buffered(log.as_bytes())
                    .expect("whole")
            });
        });
    }
    group.bench_function("serde_json + serde_json_canonicalizer + sha2", |bencher| {
        bencher.iter(|| log.lines().map(peer_digest).collect::<Vec<_>>());
    });
    group.bench_function("plain SHA-256", |bencher| {
        bencher.iter(|| Sha256::digest(&log));
    });
    group.finish();
}

fn peer_digest(line: &str) -> [u8; 32] {
    let mut value: Value = serde_json::from_str(line).expect("JSON");
    value
        .as_object_mut()
        .and_then(|root| root.remove("hash"))
        .expect("a hash");
    Sha256::digest(serde_json_canonicalizer::to_vec(&value).expect("canonical")).into()
}

fn seal(criterion: &mut Criterion) {
    criterion.bench_function("seal", |bencher| {
        bencher.iter_batched(
            || draft(1, Status::Prepared),
            |draft| Receipt::seal(draft, None).expect("seals"),
            BatchSize::SmallInput,
        );
    });
}

fn append(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut group = criterion.benchmark_group("append");
    group.throughput(Throughput::Elements(1));
    let line = chain(1).expect("seals")[0].to_line();
    let bare = folder.path().join("bare");
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(bare)
        .expect("opens");
    group.bench_function("bare write + fdatasync", |bencher| {
        bencher.iter(|| {
            file.write_all(line.as_bytes()).expect("writes");
            file.sync_data().expect("syncs");
        });
    });
    let (log, _) = JsonlLog::open(folder.path().join("log.jsonl")).expect("opens");
    group.bench_function("log, one writer", |bencher| {
        bencher.iter_batched(
            || draft(1, Status::Prepared),
            |draft| log.append(draft).expect("appends"),
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

criterion_group!(benches, verify, seal, append);
criterion_main!(benches);
