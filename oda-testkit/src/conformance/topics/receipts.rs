//! `oda-receipts.json`: sealing a chain and finding the first broken line.

use oda_canon::Digest;
use oda_receipts::{Checks, Link, Receipt, ReceiptError, Verifier};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::case::{Case, Check, Malformed};
use super::super::load::VectorFile;
use super::List;

pub(super) const LISTS: &[List] = &[
    List::each("genesis_prev_hash", &[], genesis),
    List::each("chain", &["hash"], chain),
    List::each("verify", &["name"], verify),
];

fn genesis(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    Ok(Check::compared(
        case.whole::<Value>()?,
        Digest::ZERO.to_string(),
    ))
}

/// Seals what the receipt says onto the place that it names, and reads the reference's own line.
fn chain(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let receipt: Value = case.read("receipt")?;
    let expected = json!({
        "receipt": receipt,
        "hash_input": case.read::<String>("hash_input")?,
        "hash": case.read::<String>("hash")?,
        "line": receipt,
    });
    let line: String = case.read("line")?;
    let actual = match reseal(&receipt, &line) {
        Ok(actual) => actual,
        Err(error) => json!({ "error": error.code(), "message": error.to_string() }),
    };
    Ok(Check::compared(expected, actual))
}

fn reseal(receipt: &Value, line: &str) -> Result<Value, ReceiptError> {
    let read = Receipt::try_from(receipt)?;
    let previous = read.seq().checked_sub(1).map(|seq| Link {
        seq,
        hash: read.prev_hash(),
    });
    let sealed = Receipt::seal(read.into_draft(), previous)?;
    let own_hash = format!("\"hash\":\"{}\",", sealed.hash());
    let from_line = Receipt::from_line(line.as_bytes())?;
    Ok(json!({
        "receipt": sealed,
        "hash_input": sealed.as_json().replacen(&own_hash, "", 1),
        "hash": sealed.hash().to_string(),
        "line": from_line,
    }))
}

/// The reference checks the chain and nothing else; [`Checks::chain_only`] does the same.
fn verify(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let lines: Vec<Box<RawValue>> = case.read("lines")?;
    let expected = json!({
        "ok": case.read::<bool>("ok")?,
        "broken_at": case.read::<Option<u64>>("broken_at")?,
    });
    let log: String = lines.iter().map(|line| one_line(line.get())).collect();
    let actual = match Verifier::new(Checks::chain_only()).verify(log.as_bytes()) {
        Ok(_) => json!({ "ok": true, "broken_at": null }),
        Err(ReceiptError::Broken(fault)) => json!({ "ok": false, "broken_at": fault.index }),
        Err(error) => json!({ "error": error.code(), "message": error.to_string() }),
    };
    Ok(Check::compared(expected, actual))
}

/// The vector file may be indented; inside JSON a line break is white space only between tokens.
fn one_line(text: &str) -> String {
    let mut line = text.replace(['\r', '\n'], " ");
    line.push('\n');
    line
}
