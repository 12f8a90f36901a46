//! Prints the ratios of canonicalisation against its peers as a table.
//!
//! Every column is measured in turn, round by round, so that what else the machine does hits
//! all of them alike; the smallest time per document counts. Run:
//!
//! ```text
//! cargo run --release -p oda-benches --example canon_ratios
//! ```

#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a program that prints measurements"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use oda_benches::{deep, intents, numbers, receipts, unicode};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

const ROUNDS: usize = 300;
const DOCUMENTS: u64 = 16;

fn main() {
    println!("Typed value, ns per document; ratios are time of the other / time of oda-canon.\n");
    println!(
        "| corpus | bytes | oda-canon | serde_json | canonicalizer | jcs | oda / serde_json | canonicalizer / oda | jcs / oda | digest | peer + sha2 / oda digest |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    typed("receipts", &receipts(DOCUMENTS));
    typed("intents", &intents(DOCUMENTS));
    typed("deep", &deep(DOCUMENTS));
    typed("unicode-heavy", &unicode(DOCUMENTS));
    typed("number-heavy", &numbers(DOCUMENTS));
    println!(
        "\nJSON text, ns per document; the peers parse with serde_json first and check less.\n"
    );
    println!(
        "| corpus | oda-canon | serde_json + canonicalizer | serde_json + jcs | canonicalizer / oda | jcs / oda |"
    );
    println!("|---|---|---|---|---|---|");
    text("receipts", &receipts(DOCUMENTS));
    text("intents", &intents(DOCUMENTS));
    text("deep", &deep(DOCUMENTS));
    text("unicode-heavy", &unicode(DOCUMENTS));
    text("number-heavy", &numbers(DOCUMENTS));
}

fn typed<T: Serialize>(name: &str, documents: &[T]) {
    let times = race(
        documents,
        &[
            &|document| keep(oda_canon::to_vec(document).expect("canonical")),
            &|document| keep(serde_json::to_vec(document).expect("JSON")),
            &|document| keep(serde_json_canonicalizer::to_vec(document).expect("canonical")),
            &|document| keep(serde_jcs::to_vec(document).expect("canonical")),
            &|document| {
                black_box(oda_canon::digest(document).expect("canonical"));
            },
            &|document| {
                let bytes = serde_json_canonicalizer::to_vec(document).expect("canonical");
                black_box(Sha256::digest(bytes));
            },
        ],
    );
    let bytes: usize = documents
        .iter()
        .map(|d| oda_canon::to_vec(d).expect("canonical").len())
        .sum();
    let [oda, plain, canonicalizer, jcs, digest, peer_digest] = times[..] else {
        return;
    };
    println!(
        "| {name} | {} | {oda:.0} | {plain:.0} | {canonicalizer:.0} | {jcs:.0} | {:.2} | {:.1} | {:.1} | {digest:.0} | {:.1} |",
        bytes / documents.len(),
        oda / plain,
        canonicalizer / oda,
        jcs / oda,
        peer_digest / digest,
    );
}

fn text<T: Serialize>(name: &str, documents: &[T]) {
    let texts: Vec<Vec<u8>> = documents
        .iter()
        .map(|document| serde_json::to_vec(document).expect("JSON"))
        .collect();
    let times = race(
        &texts,
        &[
            &|text| keep(oda_canon::canonicalize(text).expect("canonical")),
            &|text| {
                let value: Value = serde_json::from_slice(text).expect("JSON");
                black_box(serde_json_canonicalizer::to_vec(&value).expect("canonical"));
            },
            &|text| {
                let value: Value = serde_json::from_slice(text).expect("JSON");
                black_box(serde_jcs::to_vec(&value).expect("canonical"));
            },
        ],
    );
    let [oda, canonicalizer, jcs] = times[..] else {
        return;
    };
    println!(
        "| {name} | {oda:.0} | {canonicalizer:.0} | {jcs:.0} | {:.1} | {:.1} |",
        canonicalizer / oda,
        jcs / oda,
    );
}

/// Uses a result, so that computing it is not optimised away.
fn keep<T>(result: T) {
    black_box(result);
}

/// The smallest time per document of each contender, in nanoseconds.
fn race<T>(documents: &[T], contenders: &[&dyn Fn(&T)]) -> Vec<f64> {
    let mut best = vec![Duration::MAX; contenders.len()];
    for _ in 0..ROUNDS {
        for (best, contender) in best.iter_mut().zip(contenders) {
            let start = Instant::now();
            documents.iter().for_each(contender);
            *best = (*best).min(start.elapsed());
        }
    }
    let count = f64::from(u32::try_from(documents.len()).unwrap_or(u32::MAX));
    best.iter()
        .map(|time| time.as_secs_f64() * 1e9 / count)
        .collect()
}
