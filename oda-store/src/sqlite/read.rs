//! The queries. Each is one statement, so each sees one committed state.

use oda_core::{Day, DaySpend, ExecutionState, IntentId, StoreError, StoredIntent, UsdMicros};
use oda_receipts::{Link, Receipt};
use rusqlite::{Connection, Params, Row, params, params_from_iter};

use super::error::failed;
use super::row::{
    integer, intent_columns, natural, read_intent, read_link, read_receipt, receipt_columns,
    row_limit,
};

const GET: &str = concat!("SELECT ", intent_columns!(), " FROM intents WHERE id = ?1");

/// One place per state; the unused ones stay NULL, which equals nothing.
const LIST: &str = concat!(
    "SELECT ",
    intent_columns!(),
    " FROM intents WHERE state IN (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
    " ORDER BY updated_at, id LIMIT ?1"
);
const LIST_STATES: usize = ExecutionState::ALL.len();

const RECEIPTS_AFTER: &str = concat!(
    "SELECT ",
    receipt_columns!(),
    " FROM receipts WHERE seq > ?1 ORDER BY seq LIMIT ?2"
);

const RECEIPTS_OF: &str = concat!(
    "SELECT ",
    receipt_columns!(),
    " FROM receipts WHERE intent_id = ?1 ORDER BY seq"
);

const HEAD: &str = "SELECT seq, hash FROM receipts ORDER BY seq DESC LIMIT 1";

const SPENT: &str = "SELECT reserved, committed, unknown FROM day_counters WHERE day = ?1";

pub(super) fn get(
    connection: &Connection,
    id: &IntentId,
) -> Result<Option<StoredIntent>, StoreError> {
    one(
        connection,
        "read an intent",
        GET,
        [id.as_str()],
        read_intent,
    )
}

pub(super) fn list(
    connection: &Connection,
    states: &[ExecutionState],
    limit: usize,
) -> Result<Vec<StoredIntent>, StoreError> {
    let mut wanted = states.to_vec();
    wanted.sort_unstable();
    wanted.dedup();
    let mut names: Vec<Option<&str>> = wanted.iter().map(|state| Some(state.as_str())).collect();
    names.resize(LIST_STATES, None);
    let limit = row_limit(limit);
    let values = std::iter::once(&limit as &dyn rusqlite::ToSql)
        .chain(names.iter().map(|name| name as &dyn rusqlite::ToSql));
    many(
        connection,
        "list intents",
        LIST,
        params_from_iter(values),
        read_intent,
    )
}

pub(super) fn receipts_after(
    connection: &Connection,
    seq: Option<u64>,
    limit: usize,
) -> Result<Vec<Receipt>, StoreError> {
    // Beyond what can be stored there is nothing.
    let after = seq.map_or(-1, |seq| i64::try_from(seq).unwrap_or(i64::MAX));
    many(
        connection,
        "read receipts",
        RECEIPTS_AFTER,
        params![after, row_limit(limit)],
        read_receipt,
    )
}

pub(super) fn receipts_of(
    connection: &Connection,
    id: &IntentId,
) -> Result<Vec<Receipt>, StoreError> {
    many(
        connection,
        "read receipts",
        RECEIPTS_OF,
        [id.as_str()],
        read_receipt,
    )
}

pub(super) fn head(connection: &Connection) -> Result<Option<Link>, StoreError> {
    one(connection, "read the last receipt", HEAD, [], read_link)
}

pub(super) fn spent(connection: &Connection, day: Day) -> Result<DaySpend, StoreError> {
    let stored = one(
        connection,
        "read a day's counters",
        SPENT,
        [integer(day.number(), "day")?],
        |row| {
            let number = |index: usize| {
                natural(
                    row.get(index).map_err(failed("read a day's counters"))?,
                    "day counter",
                )
            };
            Ok(DaySpend {
                day,
                reserved: UsdMicros::from_micros(number(0)?),
                committed: UsdMicros::from_micros(number(1)?),
                unknown: number(2)?,
            })
        },
    )?;
    Ok(stored.unwrap_or(DaySpend::none(day)))
}

/// The first row of a query, if there is one.
pub(super) fn one<T>(
    connection: &Connection,
    action: &'static str,
    sql: &str,
    values: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T, StoreError>,
) -> Result<Option<T>, StoreError> {
    let reading = failed(action);
    let mut statement = connection.prepare_cached(sql).map_err(&reading)?;
    let mut rows = statement.query(values).map_err(&reading)?;
    rows.next().map_err(&reading)?.map(read).transpose()
}

fn many<T>(
    connection: &Connection,
    action: &'static str,
    sql: &str,
    values: impl Params,
    read: impl Fn(&Row<'_>) -> Result<T, StoreError>,
) -> Result<Vec<T>, StoreError> {
    let mut found = Vec::new();
    each(connection, action, sql, values, |row| {
        found.push(read(row)?);
        Ok(())
    })?;
    Ok(found)
}

/// Hands over one row after the other, without keeping them.
pub(super) fn each(
    connection: &Connection,
    action: &'static str,
    sql: &str,
    values: impl Params,
    mut read: impl FnMut(&Row<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let reading = failed(action);
    let mut statement = connection.prepare_cached(sql).map_err(&reading)?;
    let mut rows = statement.query(values).map_err(&reading)?;
    while let Some(row) = rows.next().map_err(&reading)? {
        read(row)?;
    }
    Ok(())
}
