//! Looking for damage in the whole file.

use std::collections::BTreeMap;

use oda_core::{CounterChange, Day, DaySpend, StoreError, StoredIntent};
use oda_receipts::{Link, Receipt};
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::error::{corrupt, failed};
use super::read;
use super::row::{intent_columns, natural, read_intent, read_receipt, receipt_columns};

const CHECKING: &str = "check its file";

const ALL_INTENTS: &str = concat!("SELECT ", intent_columns!(), " FROM intents");

const ALL_RECEIPTS: &str = concat!("SELECT ", receipt_columns!(), " FROM receipts ORDER BY seq");

const ALL_DAYS: &str = "SELECT day FROM day_counters";

/// Everything is read in one transaction, so that other processes may go on meanwhile.
pub(super) fn check(connection: &Connection) -> Result<(), StoreError> {
    let snapshot = Transaction::new_unchecked(connection, TransactionBehavior::Deferred)
        .map_err(failed(CHECKING))?;
    check_pages(&snapshot)?;
    check_references(&snapshot)?;
    check_receipts(&snapshot)?;
    check_counters(&snapshot)
}

fn check_pages(connection: &Connection) -> Result<(), StoreError> {
    let found: String = connection
        .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
        .map_err(failed(CHECKING))?;
    if found == "ok" {
        Ok(())
    } else {
        Err(corrupt("store file", found))
    }
}

fn check_references(connection: &Connection) -> Result<(), StoreError> {
    let sql = "PRAGMA foreign_key_check";
    let orphan = read::one(connection, CHECKING, sql, [], |row| {
        row.get::<_, String>(0).map_err(failed(CHECKING))
    })?;
    match orphan {
        None => Ok(()),
        Some(table) => Err(corrupt(
            format_args!("row of {table}"),
            "it belongs to an intent that is not stored",
        )),
    }
}

fn check_receipts(connection: &Connection) -> Result<(), StoreError> {
    let mut last: Option<Link> = None;
    read::each(connection, CHECKING, ALL_RECEIPTS, [], |row| {
        let receipt: Receipt = read_receipt(row)?;
        let (seq, prev_hash) = match last {
            None => (0, oda_canon::Digest::ZERO),
            Some(last) => (last.seq + 1, last.hash),
        };
        if (receipt.seq(), receipt.prev_hash()) != (seq, prev_hash) {
            return Err(corrupt(
                format_args!("receipt {}", receipt.seq()),
                "it does not follow the receipt before it",
            ));
        }
        last = Some(receipt.link());
        Ok(())
    })
}

/// Nothing seals the counters. They are what the intents hold together, so that is what they are held to.
fn check_counters(connection: &Connection) -> Result<(), StoreError> {
    let mut held: BTreeMap<Day, DaySpend> = BTreeMap::new();
    read::each(connection, CHECKING, ALL_INTENTS, [], |row| {
        let intent: StoredIntent = read_intent(row)?;
        for (day, change) in CounterChange::between(None, intent.progress.hold.as_ref()) {
            let sum = held.entry(day).or_insert(DaySpend::none(day));
            *sum = sum.after(&change, None).ok_or_else(|| {
                corrupt(
                    format_args!("intent {}", intent.id()),
                    "its hold is beyond what a day can count",
                )
            })?;
        }
        Ok(())
    })?;
    read::each(connection, CHECKING, ALL_DAYS, [], |row| {
        let day = natural(row.get(0).map_err(failed(CHECKING))?, "day counter")?;
        let day = Day::from_number(day);
        held.entry(day).or_insert(DaySpend::none(day));
        Ok(())
    })?;
    for (day, expected) in held {
        let counted = read::spent(connection, day)?;
        if counted != expected {
            return Err(corrupt(
                format_args!("counters of {day}"),
                format_args!("they say {counted:?}, the intents hold {expected:?}"),
            ));
        }
    }
    Ok(())
}
