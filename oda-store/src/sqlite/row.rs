//! Intents and receipts as rows: canonical JSON in, strictly parsed JSON out.

use oda_core::{ExecutionState, IntentId, IntentRecord, Progress, StoreError, StoredIntent};
use oda_receipts::{Link, Receipt};
use rusqlite::Row;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::{corrupt, unavailable};

/// The columns of [`read_intent`], in order.
macro_rules! intent_columns {
    () => {
        "id, state, version, updated_at, record, record_seal, progress, progress_seal"
    };
}
/// The columns of [`read_receipt`], in order.
macro_rules! receipt_columns {
    () => {
        "seq, intent_id, status, hash, prev_hash, line"
    };
}
pub(super) use {intent_columns, receipt_columns};

/// An intent ready to be bound. Made on the caller's thread, so that the writer's thread only writes.
pub(super) struct IntentRow {
    pub(super) id: IntentId,
    pub(super) state: ExecutionState,
    pub(super) version: i64,
    pub(super) updated_at: i64,
    pub(super) record: String,
    pub(super) record_seal: String,
    pub(super) progress: String,
    pub(super) progress_seal: String,
}

impl IntentRow {
    pub(super) fn new(intent: &StoredIntent) -> Result<Self, StoreError> {
        Ok(Self {
            id: intent.id().clone(),
            state: intent.progress.state,
            version: integer(intent.progress.version, "version")?,
            updated_at: integer(intent.progress.updated_at.as_u64(), "updated_at")?,
            record: canonical(&intent.record)?,
            record_seal: intent.record_seal.clone(),
            progress: canonical(&intent.progress)?,
            progress_seal: intent.progress_seal.clone(),
        })
    }
}

fn canonical(part: &impl Serialize) -> Result<String, StoreError> {
    oda_canon::to_string(part).map_err(|error| unavailable("write an intent", error))
}

/// A number as SQLite holds it.
pub(super) fn integer(number: u64, what: &str) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(|_| {
        unavailable(
            "write a number",
            format_args!("{what} is {number}; at most {} can be stored", i64::MAX),
        )
    })
}

/// A number as SQLite held it.
pub(super) fn natural(number: i64, what: &str) -> Result<u64, StoreError> {
    u64::try_from(number).map_err(|_| corrupt(what, format_args!("{number} is negative")))
}

/// A number of rows as SQLite takes it.
pub(super) fn row_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

fn column<T: rusqlite::types::FromSql>(
    row: &Row<'_>,
    index: usize,
    what: &str,
) -> Result<T, StoreError> {
    row.get(index).map_err(|error| corrupt(what, error))
}

/// Reads a row of `intent_columns`. What the row says twice must be the same both times.
pub(super) fn read_intent(row: &Row<'_>) -> Result<StoredIntent, StoreError> {
    let id: String = column(row, 0, "intent id")?;
    let what = format!("intent {id}");
    let intent = StoredIntent {
        record: parse::<IntentRecord>(&column::<String>(row, 4, &what)?, &what, "record")?,
        record_seal: column(row, 5, &what)?,
        progress: parse::<Progress>(&column::<String>(row, 6, &what)?, &what, "progress")?,
        progress_seal: column(row, 7, &what)?,
    };
    if intent.id().as_str() != id {
        return Err(corrupt(what, "its record is that of another intent"));
    }
    let state: String = column(row, 1, &what)?;
    let version = natural(column(row, 2, &what)?, &what)?;
    let updated_at = natural(column(row, 3, &what)?, &what)?;
    let progress = &intent.progress;
    if (state.as_str(), version, updated_at)
        != (
            progress.state.as_str(),
            progress.version,
            progress.updated_at.as_u64(),
        )
    {
        return Err(corrupt(
            what,
            "its state, version or time of change differs from its progress",
        ));
    }
    Ok(intent)
}

/// Reads one part of an intent, naming the intent when it cannot be read.
pub(super) fn parse<T: DeserializeOwned>(
    text: &str,
    what: &str,
    part: &str,
) -> Result<T, StoreError> {
    oda_canon::parse_strict(text.as_bytes())
        .map_err(|error| corrupt(what, format_args!("its {part}: {error}")))
}

/// Reads a row of `receipt_columns`. The hash in the line covers everything else.
pub(super) fn read_receipt(row: &Row<'_>) -> Result<Receipt, StoreError> {
    let seq = natural(column(row, 0, "receipt number")?, "receipt number")?;
    let what = format!("receipt {seq}");
    let line: String = column(row, 5, &what)?;
    let receipt = Receipt::from_line(line.as_bytes()).map_err(|error| corrupt(&what, error))?;
    let stored = (
        seq,
        column::<String>(row, 1, &what)?,
        column::<String>(row, 2, &what)?,
        column::<String>(row, 3, &what)?,
        column::<String>(row, 4, &what)?,
    );
    let written = (
        receipt.seq(),
        receipt.intent_id().to_owned(),
        receipt.status().as_str().to_owned(),
        receipt.hash().to_string(),
        receipt.prev_hash().to_string(),
    );
    if stored != written {
        return Err(corrupt(what, "its columns differ from its line"));
    }
    Ok(receipt)
}

/// Reads `seq, hash` of the last receipt.
pub(super) fn read_link(row: &Row<'_>) -> Result<Link, StoreError> {
    let seq = natural(column(row, 0, "receipt number")?, "receipt number")?;
    let what = format!("receipt {seq}");
    let hash = column::<String>(row, 1, &what)?
        .parse()
        .map_err(|error| corrupt(what, error))?;
    Ok(Link { seq, hash })
}
