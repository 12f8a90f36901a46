//! The number file of the RFC 8785 suite, generated here and checked by its published digests.

use std::path::Path;

use oda_canon::{digest_bytes, parse_strict, to_vec};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::suites;

#[derive(Deserialize)]
struct Facts {
    #[serde(rename = "static")]
    fixed: Vec<String>,
    checkpoints: Vec<Checkpoint>,
}

#[derive(Deserialize)]
struct Checkpoint {
    lines: u64,
    bytes: u64,
    sha256: String,
}

#[test]
fn the_first_million_lines_match() {
    check_up_to(1_000_000);
}

/// All hundred million lines, 4 GB of text:
///
/// ```text
/// cargo test --release -p oda-canon --test it -- --ignored hundred_million
/// ```
#[test]
#[ignore = "half a minute with --release, far longer without"]
fn all_hundred_million_lines_match() {
    check_up_to(100_000_000);
}

fn check_up_to(lines: u64) {
    let Some(suite) = suites::folder("jcs") else {
        return;
    };
    let facts = read_facts(&suite);
    let due: Vec<_> = facts
        .checkpoints
        .iter()
        .filter(|point| point.lines <= lines)
        .collect();
    assert_eq!(
        due.last().unwrap().lines,
        lines,
        "there is a checkpoint at the end"
    );
    let mut due = due.into_iter();
    let mut next = due.next();
    let mut written = (0, 0);
    let mut hasher = Sha256::new();
    let mut buffer = Vec::new();
    for bits in sequence(&facts.fixed) {
        let Some(point) = next else { return };
        buffer.extend_from_slice(format!("{bits:x},").as_bytes());
        buffer.extend_from_slice(&to_vec(&f64::from_bits(bits)).unwrap());
        buffer.push(b'\n');
        written.0 += 1;
        if buffer.len() > 8192 || written.0 == point.lines {
            written.1 += u64::try_from(buffer.len()).unwrap();
            hasher.update(&buffer);
            buffer.clear();
        }
        if written.0 == point.lines {
            assert_eq!(written.1, point.bytes, "after {} lines", point.lines);
            let digest = hasher.clone().finalize();
            let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hex, point.sha256, "after {} lines", point.lines);
            next = due.next();
        }
    }
}

fn read_facts(suite: &Path) -> Facts {
    parse_strict(&std::fs::read(suite.join("es6-floats.json")).unwrap()).unwrap()
}

/// The bits of the doubles of the file, in order, without end.
fn sequence(fixed: &[String]) -> impl Iterator<Item = u64> {
    let fixed: Vec<u64> = fixed
        .iter()
        .map(|bits| u64::from_str_radix(bits, 16).unwrap())
        .collect();
    let serial = (0..2000).map(|i| 0x0010_0000_0000_0000 + i);
    let blocks = std::iter::successors(Some([0; 32]), |block: &[u8; 32]| {
        Some(*digest_bytes(block).as_bytes())
    });
    let random = blocks.skip(1).flat_map(|block| {
        let (words, _) = block.as_chunks::<8>();
        let bits: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        bits
    });
    let usable = |bits: &u64| {
        let value = f64::from_bits(*bits);
        value.is_finite() && value != 0.0
    };
    fixed.into_iter().chain(serial).chain(random.filter(usable))
}
