//! The changes. Each runs inside a transaction that [`super::batch`] begins and ends.

use oda_core::{
    CommitOutcome, CounterChange, DaySpend, ExecutionState, Hold, IntentId, Progress, Sequence,
    StoreError, UsdMicros,
};
use oda_receipts::{Receipt, ReceiptDraft};
use rusqlite::{Connection, Params, params};

use super::error::{corrupt, failed};
use super::read;
use super::row::{IntentRow, integer, natural, parse};

const INSERT_INTENT: &str = "INSERT INTO intents \
    (id, state, version, updated_at, record, record_seal, progress, progress_seal) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (id) DO NOTHING";

const UPDATE_INTENT: &str = "UPDATE intents SET state = ?2, version = ?3, updated_at = ?4, \
    record = ?5, record_seal = ?6, progress = ?7, progress_seal = ?8 WHERE id = ?1";

const STORED_PROGRESS: &str = "SELECT progress, version FROM intents WHERE id = ?1";

const INSERT_RECEIPT: &str = "INSERT INTO receipts \
    (seq, intent_id, status, hash, prev_hash, line) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

const SET_COUNTERS: &str = "INSERT INTO day_counters (day, reserved, committed, unknown) \
    VALUES (?1, ?2, ?3, ?4) ON CONFLICT (day) DO UPDATE SET \
    reserved = excluded.reserved, committed = excluded.committed, unknown = excluded.unknown";

/// NULL for lane and number gives every number of the intent free.
const FREE_SEQUENCES: &str = "DELETE FROM sequences \
    WHERE intent_id = ?1 AND (lane, number) IS NOT (?2, ?3)";

const OWN_SEQUENCE: &str = "SELECT number FROM sequences \
    WHERE intent_id = ?1 AND lane = ?2 AND number >= ?3 ORDER BY number LIMIT 1";

const TAKEN_SEQUENCES: &str =
    "SELECT number FROM sequences WHERE lane = ?1 AND number >= ?2 ORDER BY number";

const TAKE_SEQUENCE: &str = "INSERT INTO sequences (lane, number, intent_id) VALUES (?1, ?2, ?3)";

/// A change of an intent, made ready on the caller's thread.
pub(super) struct Change {
    pub(super) row: IntentRow,
    /// The version that must be stored for the change to apply; `None` when there can be none.
    pub(super) onto: Option<u64>,
    pub(super) hold: Option<Hold>,
    pub(super) sequence: Option<Sequence>,
    pub(super) receipt: Option<ReceiptDraft>,
    pub(super) cap: Option<UsdMicros>,
}

pub(super) fn insert(
    connection: &Connection,
    row: &IntentRow,
    receipt: ReceiptDraft,
) -> Result<Receipt, StoreError> {
    let written = put_intent(connection, INSERT_INTENT, row)?;
    if written == 0 {
        return Err(StoreError::Duplicate { id: row.id.clone() });
    }
    append(connection, &row.id, receipt)
}

pub(super) fn commit(connection: &Connection, change: Change) -> Result<CommitOutcome, StoreError> {
    let Stored { version, progress } = stored(connection, &change.row.id)?;
    if change.onto != Some(version) {
        return Ok(CommitOutcome::Stale {
            version,
            state: progress.state,
        });
    }
    let mut counters = Vec::new();
    for (day, moved) in CounterChange::between(progress.hold.as_ref(), change.hold.as_ref()) {
        let spent = read::spent(connection, day)?;
        match spent.after(&moved, change.cap) {
            Some(next) => counters.push(next),
            None => return Ok(CommitOutcome::CapExceeded { spent }),
        }
    }
    for next in &counters {
        set_counters(connection, next)?;
    }
    free_sequences(connection, &change.row.id, change.sequence.as_ref())?;
    put_intent(connection, UPDATE_INTENT, &change.row)?;
    let receipt = change
        .receipt
        .map(|draft| append(connection, &change.row.id, draft))
        .transpose()?;
    Ok(CommitOutcome::Committed { receipt })
}

pub(super) fn reserve_sequence(
    connection: &Connection,
    lane: &str,
    floor: u64,
    id: &IntentId,
) -> Result<u64, StoreError> {
    let action = "reserve a sequence number";
    // Also what keeps a number from being taken forever by an intent that does not exist or has ended.
    let state = stored(connection, id)?.progress.state;
    if state.is_final() {
        return Err(StoreError::Ended {
            id: id.clone(),
            state,
        });
    }
    let floor = integer(floor, "the sequence number of the account")?;
    let own = read::one(
        connection,
        action,
        OWN_SEQUENCE,
        params![id.as_str(), lane, floor],
        |row| row.get::<_, i64>(0).map_err(failed(action)),
    )?;
    if let Some(own) = own {
        return natural(own, "sequence number");
    }
    let number = first_free(connection, lane, floor).map_err(failed(action))?;
    let number = number.ok_or_else(|| StoreError::Unavailable {
        action,
        reason: format!("every number from {floor} on is taken"),
    })?;
    execute(
        connection,
        action,
        TAKE_SEQUENCE,
        params![lane, number, id.as_str()],
    )?;
    natural(number, "sequence number")
}

fn first_free(connection: &Connection, lane: &str, floor: i64) -> rusqlite::Result<Option<i64>> {
    let mut statement = connection.prepare_cached(TAKEN_SEQUENCES)?;
    let mut rows = statement.query(params![lane, floor])?;
    let mut number = Some(floor);
    while let Some(row) = rows.next()? {
        if Some(row.get::<_, i64>(0)?) != number {
            break;
        }
        number = number.and_then(|number| number.checked_add(1));
    }
    Ok(number)
}

struct Stored {
    version: u64,
    progress: Progress,
}

fn stored(connection: &Connection, id: &IntentId) -> Result<Stored, StoreError> {
    let action = "read an intent";
    let found = read::one(connection, action, STORED_PROGRESS, [id.as_str()], |row| {
        let text: String = row.get(0).map_err(failed(action))?;
        let version: i64 = row.get(1).map_err(failed(action))?;
        let what = format!("intent {id}");
        let progress: Progress = parse(&text, &what, "progress")?;
        let version = natural(version, &what)?;
        if version != progress.version {
            return Err(corrupt(what, "its version differs from its progress"));
        }
        Ok(Stored { version, progress })
    })?;
    found.ok_or_else(|| StoreError::Missing { id: id.clone() })
}

fn put_intent(connection: &Connection, sql: &str, row: &IntentRow) -> Result<usize, StoreError> {
    execute(
        connection,
        "write an intent",
        sql,
        params![
            row.id.as_str(),
            ExecutionState::as_str(row.state),
            row.version,
            row.updated_at,
            row.record,
            row.record_seal,
            row.progress,
            row.progress_seal,
        ],
    )
}

/// Seals the draft onto the chain's last receipt, which nobody can move before this transaction ends.
fn append(
    connection: &Connection,
    id: &IntentId,
    draft: ReceiptDraft,
) -> Result<Receipt, StoreError> {
    if draft.intent_id != id.as_str() {
        return Err(StoreError::Receipt(format!(
            "it tells of {}, the change is one of {id}",
            draft.intent_id
        )));
    }
    let receipt = Receipt::seal(draft, read::head(connection)?)
        .map_err(|error| StoreError::Receipt(error.to_string()))?;
    execute(
        connection,
        "write a receipt",
        INSERT_RECEIPT,
        params![
            integer(receipt.seq(), "seq")?,
            id.as_str(),
            receipt.status().as_str(),
            receipt.hash().to_string(),
            receipt.prev_hash().to_string(),
            receipt.as_json(),
        ],
    )?;
    Ok(receipt)
}

fn set_counters(connection: &Connection, next: &DaySpend) -> Result<(), StoreError> {
    let values = params![
        integer(next.day.number(), "day")?,
        integer(next.reserved.as_micros(), "the reserved amount of a day")?,
        integer(next.committed.as_micros(), "the committed amount of a day")?,
        integer(next.unknown, "the number of unknown values of a day")?,
    ];
    execute(connection, "write a day's counters", SET_COUNTERS, values).map(|_| ())
}

fn free_sequences(
    connection: &Connection,
    id: &IntentId,
    kept: Option<&Sequence>,
) -> Result<(), StoreError> {
    let (lane, number) = match kept {
        Some(kept) => (
            Some(kept.lane.as_str()),
            Some(integer(kept.number, "the sequence number of the intent")?),
        ),
        None => (None, None),
    };
    execute(
        connection,
        "free a sequence number",
        FREE_SEQUENCES,
        params![id.as_str(), lane, number],
    )
    .map(|_| ())
}

fn execute(
    connection: &Connection,
    action: &'static str,
    sql: &str,
    values: impl Params,
) -> Result<usize, StoreError> {
    connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.execute(values))
        .map_err(failed(action))
}
