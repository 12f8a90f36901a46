//! `oda receipts verify` and `oda receipts show`.

use std::io::{BufRead as _, BufReader, Read};
use std::path::PathBuf;

use oda_canon::Digest;
use oda_core::IntentId;
use oda_receipts::{Checks, Fault, Link, MAX_LINE_BYTES, Receipt, ReceiptError, Report, Verifier};
use serde_json::{Value, json};

use super::intent_id;
use crate::answer::{Answer, Failure, Outcome};
use crate::args::{ShowArgs, VerifyArgs};
use crate::environment::Environment;
use crate::error::CliError;
use crate::page::Page;
use crate::{files, installation, show};

const WHAT: &str = "the receipts log";

/// Verifies a log in constant memory: whole, or the first bad line and why.
pub(super) fn verify(args: &VerifyArgs, environment: &Environment) -> Outcome {
    let (checks, named) = match (args.exact, args.chain_only) {
        (true, _) => (Checks::exact(), "exact"),
        (_, true) => (Checks::chain_only(), "chain_only"),
        _ => (Checks::full(), "full"),
    };
    let head = args.head.as_deref().map(digest).transpose()?;
    let reader = open(args.file.as_ref(), environment)?;
    match Verifier::new(checks).verify(reader) {
        Ok(report) => whole(&report, named, head),
        Err(ReceiptError::Broken(fault)) => Err(broken(&fault)),
        Err(error) => Err(error.into()),
    }
}

/// A log that verifies, and ends where it was expected to.
pub(crate) fn whole(report: &Report, checks: &str, head: Option<Digest>) -> Outcome {
    let mut page = Page::new();
    page.line(format_args!(
        "ok: {} receipt(s), {} bytes",
        report.lines, report.bytes
    ));
    match report.last {
        Some(Link { seq, hash }) => page.pair("head", format_args!("{seq} {hash}")),
        None => page.pair("head", "none: the log is empty"),
    };
    let mut notes = Vec::new();
    if report.forgotten_intents > 0 {
        notes.push(format!(
            "the order of states is not known to be right for {} intent(s): the log has more than are kept",
            report.forgotten_intents
        ));
    }
    let result = json!({
        "receipts": report.lines,
        "bytes": report.bytes,
        "head": report.last.map(link),
        "forgotten_intents": report.forgotten_intents,
        "checks": checks,
    });
    let answer = Answer::new(page.finish(), result).noting(notes);
    match head {
        Some(expected) if report.last.map(|last| last.hash) != Some(expected) => Err(answer
            .failed(CliError::Head {
                expected: expected.to_string(),
                found: report.last,
            })),
        _ => Ok(answer),
    }
}

/// A log with a bad line.
pub(crate) fn broken(fault: &Fault) -> Failure {
    let result = json!({ "fault": {
        "line": fault.line,
        "index": fault.index,
        "byte": fault.offset,
        "kind": fault.kind.code(),
        "message": fault.kind.to_string(),
        "last_good": fault.last_good.map(link),
    } });
    let error = ReceiptError::Broken(Box::new(fault.clone()));
    Answer::new("", result).failed(error)
}

fn link(link: Link) -> Value {
    json!({ "seq": link.seq, "hash": link.hash })
}

fn digest(text: &str) -> Result<Digest, CliError> {
    text.parse()
        .map_err(|_| CliError::argument("--head", "must be `sha256:` and 64 lower-case hex digits"))
}

/// Shows the receipts of a log. Each line is read and its own hash checked; the chain is for `verify`.
pub(super) fn show(args: &ShowArgs, environment: &Environment) -> Outcome {
    let wanted = args.intent.as_deref().map(intent_id).transpose()?;
    let reader = open(args.file.as_ref(), environment)?;
    let receipts = read_all(reader, wanted.as_ref())?;
    let mut page = Page::new();
    let rows: Vec<_> = receipts.iter().map(show::receipt::row).collect();
    page.table(&rows);
    if rows.is_empty() {
        page.line("no receipts");
    }
    let list: Vec<Value> = receipts
        .iter()
        .map(|receipt| serde_json::from_str(receipt.as_json()).unwrap_or_default())
        .collect();
    Ok(Answer::new(page.finish(), json!(list)))
}

fn read_all(reader: impl Read, wanted: Option<&IntentId>) -> Result<Vec<Receipt>, CliError> {
    let mut reader = BufReader::new(reader);
    let mut receipts = Vec::new();
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        let limit = MAX_LINE_BYTES as u64 + 1;
        let read = (&mut reader).take(limit).read_until(b'\n', &mut line);
        let unreadable = |reason: String| CliError::File {
            what: WHAT,
            path: PathBuf::from(format!("(line {number})")),
            reason,
        };
        if read.map_err(|error| unreadable(error.to_string()))? == 0 {
            break;
        }
        let receipt = Receipt::from_line(&line).map_err(|error| unreadable(error.to_string()))?;
        if wanted.is_none_or(|id| id.as_str() == receipt.draft().intent_id) {
            receipts.push(receipt);
        }
    }
    Ok(receipts)
}

/// The file that was named, else the log of this installation.
fn open(file: Option<&PathBuf>, environment: &Environment) -> Result<Box<dyn Read>, CliError> {
    match file {
        Some(file) => files::open(WHAT, file),
        None => files::open(WHAT, &installation::receipts(environment)),
    }
}
