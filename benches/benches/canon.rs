//! Canonicalisation and digest against two peers and against plain serialisation, on five corpora,
//! for typed values and for JSON text.
//!
//! ```text
//! cargo bench -p oda-benches --bench canon
//! ```
//!
//! The `canon_ratios` example measures the same things interleaved and prints the ratios.

#![allow(clippy::expect_used, reason = "a benchmark that cannot run must stop")]

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use oda_benches::{deep, intents, numbers, receipts, unicode};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

const DOCUMENTS: u64 = 16;

fn canon(criterion: &mut Criterion) {
    corpus(criterion, "receipts", &receipts(DOCUMENTS));
    corpus(criterion, "intents", &intents(DOCUMENTS));
    corpus(criterion, "deep", &deep(DOCUMENTS));
    corpus(criterion, "unicode", &unicode(DOCUMENTS));
    corpus(criterion, "numbers", &numbers(DOCUMENTS));
}

fn corpus<T: Serialize>(criterion: &mut Criterion, name: &str, documents: &[T]) {
    let texts: Vec<Vec<u8>> = documents
        .iter()
        .map(|document| serde_json::to_vec(document).expect("JSON"))
        .collect();
    let bytes = texts.iter().map(Vec::len).sum::<usize>();
    let throughput = Throughput::Bytes(u64::try_from(bytes).unwrap_or(u64::MAX));

    let mut group = criterion.benchmark_group(format!("typed/{name}"));
    group.throughput(throughput.clone());
    each(&mut group, "oda-canon", documents, |document| {
        oda_canon::to_vec(document).expect("canonical")
    });
    each(&mut group, "serde_json", documents, |document| {
        serde_json::to_vec(document).expect("JSON")
    });
    each(
        &mut group,
        "serde_json_canonicalizer",
        documents,
        |document| serde_json_canonicalizer::to_vec(document).expect("canonical"),
    );
    each(&mut group, "serde_jcs", documents, |document| {
        serde_jcs::to_vec(document).expect("canonical")
    });
    group.finish();

    let mut group = criterion.benchmark_group(format!("digest/{name}"));
    group.throughput(throughput.clone());
    each(&mut group, "oda-canon", documents, |document| {
        oda_canon::digest(document).expect("canonical")
    });
    each(
        &mut group,
        "serde_json_canonicalizer",
        documents,
        |document| Sha256::digest(serde_json_canonicalizer::to_vec(document).expect("canonical")),
    );
    each(&mut group, "serde_jcs", documents, |document| {
        Sha256::digest(serde_jcs::to_vec(document).expect("canonical"))
    });
    group.finish();

    let mut group = criterion.benchmark_group(format!("text/{name}"));
    group.throughput(throughput);
    each(&mut group, "oda-canon", &texts, |text| {
        oda_canon::canonicalize(text).expect("canonical")
    });
    each(
        &mut group,
        "serde_json + serde_json_canonicalizer",
        &texts,
        |text| serde_json_canonicalizer::to_vec(&parse(text)).expect("canonical"),
    );
    each(&mut group, "serde_json + serde_jcs", &texts, |text| {
        serde_jcs::to_vec(&parse(text)).expect("canonical")
    });
    group.finish();
}

fn parse(text: &[u8]) -> Value {
    serde_json::from_slice(text).expect("JSON")
}

/// Measures `work` over every document of the corpus.
fn each<T, R>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    documents: &[T],
    work: impl Fn(&T) -> R,
) {
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            for document in documents {
                std::hint::black_box(work(document));
            }
        });
    });
}

criterion_group!(benches, canon);
criterion_main!(benches);
