//! The tables, and how a file says which version of them it holds.

use std::collections::BTreeSet;

use oda_core::StoreError;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::error::{corrupt, failed};

/// Marks a SQLite file as a store of this project: the ASCII letters `oda1`.
const APPLICATION_ID: i32 = 0x6f64_6131;

/// Each entry leads from the schema version of its index to the next one. Entries are never edited once
/// released: a file out there was made by them.
const MIGRATIONS: [&str; 1] = [VERSION_1];

/// Counters and numbers are checked by the database as well: a bug above must fail, not be stored.
/// `state`, `version` and `updated_at` repeat what `progress` says, for the compare-and-set and the index;
/// reading refuses a row in which they differ.
const VERSION_1: &str = "
CREATE TABLE intents (
    id            TEXT    NOT NULL PRIMARY KEY CHECK (length(id) = 46 AND id GLOB 'si_*'),
    state         TEXT    NOT NULL CHECK (state IN (
                      'prepared', 'refused', 'expired', 'claimed', 'signed', 'submitting',
                      'uncertain', 'submitted', 'confirmed', 'reverted', 'failed', 'dead')),
    version       INTEGER NOT NULL CHECK (version >= 0),
    updated_at    INTEGER NOT NULL CHECK (updated_at >= 0),
    record        TEXT    NOT NULL,
    record_seal   TEXT    NOT NULL,
    progress      TEXT    NOT NULL,
    progress_seal TEXT    NOT NULL
) STRICT;
CREATE INDEX intents_by_state ON intents (state, updated_at, id);

CREATE TABLE receipts (
    seq       INTEGER NOT NULL PRIMARY KEY CHECK (seq >= 0),
    intent_id TEXT    NOT NULL REFERENCES intents (id),
    status    TEXT    NOT NULL CHECK (status IN (
                  'prepared', 'refused', 'executed', 'failed', 'expired')),
    hash      TEXT    NOT NULL,
    prev_hash TEXT    NOT NULL,
    line      TEXT    NOT NULL
) STRICT;
CREATE INDEX receipts_by_intent ON receipts (intent_id, seq);

CREATE TRIGGER receipts_have_no_gap BEFORE INSERT ON receipts
WHEN NEW.seq <> (SELECT coalesce(max(seq) + 1, 0) FROM receipts)
BEGIN SELECT RAISE(ABORT, 'a receipt must follow the last one'); END;
CREATE TRIGGER receipts_are_final BEFORE UPDATE ON receipts
BEGIN SELECT RAISE(ABORT, 'receipts are never changed'); END;
CREATE TRIGGER receipts_stay BEFORE DELETE ON receipts
BEGIN SELECT RAISE(ABORT, 'receipts are never removed'); END;

CREATE TABLE day_counters (
    day       INTEGER NOT NULL PRIMARY KEY CHECK (day >= 0),
    reserved  INTEGER NOT NULL CHECK (reserved >= 0),
    committed INTEGER NOT NULL CHECK (committed >= 0),
    unknown   INTEGER NOT NULL CHECK (unknown >= 0)
) STRICT;

CREATE TABLE sequences (
    lane      TEXT    NOT NULL,
    number    INTEGER NOT NULL CHECK (number >= 0),
    intent_id TEXT    NOT NULL REFERENCES intents (id),
    PRIMARY KEY (lane, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX sequences_by_intent ON sequences (intent_id);
";

/// What a SQLite file says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Identity {
    /// Nothing was ever written into it.
    Blank,
    /// A store of this schema version.
    Store(usize),
}

/// Makes a store of a new, blank file that nobody else has open.
pub(super) fn create(connection: &Connection) -> Result<(), StoreError> {
    climb(connection, &MIGRATIONS, Identity::Blank)
}

/// Brings the file of a store to the newest schema version, and makes sure that its tables are the ones
/// that this crate makes. A file that is up to date is only read.
pub(super) fn migrate(connection: &Connection) -> Result<(), StoreError> {
    climb(connection, &MIGRATIONS, Identity::Store(1))?;
    compare(connection, &MIGRATIONS)
}

/// Takes the steps that the file has not taken, when it is at least as far as `lowest`.
///
/// The whole way up is one transaction that nobody else can write beside, and how far the file is is looked
/// up again inside it: of two processes that open an old store at once, one migrates and the other finds
/// the work done.
fn climb(connection: &Connection, steps: &[&str], lowest: Identity) -> Result<(), StoreError> {
    if identity(connection, steps.len(), lowest)? == Identity::Store(steps.len()) {
        return Ok(());
    }
    let writing = failed("prepare its tables");
    let transaction =
        Transaction::new_unchecked(connection, TransactionBehavior::Exclusive).map_err(&writing)?;
    let taken = match identity(&transaction, steps.len(), lowest)? {
        Identity::Blank => 0,
        Identity::Store(version) => version,
    };
    for step in steps.iter().skip(taken) {
        transaction.execute_batch(step).map_err(&writing)?;
    }
    let set = |pragma, value| transaction.pragma_update(None, pragma, value);
    set("application_id", i64::from(APPLICATION_ID)).map_err(&writing)?;
    set("user_version", i64::from(number_of(steps.len()))).map_err(&writing)?;
    transaction.commit().map_err(&writing)
}

/// A schema version as the file and the errors hold it.
fn number_of(version: usize) -> u32 {
    u32::try_from(version).unwrap_or(u32::MAX)
}

fn identity(
    connection: &Connection,
    known: usize,
    lowest: Identity,
) -> Result<Identity, StoreError> {
    let reading = failed("read its version");
    let number = |pragma: &str| -> Result<i32, StoreError> {
        connection
            .pragma_query_value(None, pragma, |row| row.get(0))
            .map_err(&reading)
    };
    let (application, version) = (number("application_id")?, number("user_version")?);
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(&reading)?;
    match (application, usize::try_from(version)) {
        (0, Ok(0)) if tables == 0 && lowest == Identity::Blank => Ok(Identity::Blank),
        (APPLICATION_ID, Ok(version)) if version > known => Err(StoreError::NewerSchema {
            found: number_of(version),
            known: number_of(known),
        }),
        (APPLICATION_ID, Ok(version)) if version > 0 => Ok(Identity::Store(version)),
        (APPLICATION_ID, _) => Err(corrupt(
            "store file",
            format_args!("it is marked as an oda store of schema version {version}, which is none"),
        )),
        (other, _) => Err(corrupt(
            "store file",
            format_args!(
                "it is a SQLite file but not an oda store (application id {other}); \
                 use another path, it was left as it is"
            ),
        )),
    }
}

/// Refuses a file with other tables, indexes or triggers than the steps make. A trigger that somebody added
/// would run with every change, and one that somebody removed no longer guards the receipts.
fn compare(connection: &Connection, steps: &[&str]) -> Result<(), StoreError> {
    let action = "compare its tables";
    let model = Connection::open_in_memory().map_err(failed(action))?;
    for step in steps {
        model.execute_batch(step).map_err(failed(action))?;
    }
    let found = objects(connection).map_err(failed(action))?;
    let expected = objects(&model).map_err(failed(action))?;
    let differs = found
        .symmetric_difference(&expected)
        .next()
        .map(|object| format!("{} {}", object.kind, object.name));
    match differs {
        None => Ok(()),
        Some(object) => Err(corrupt(
            "store file",
            format_args!("its {object} was added, removed or changed by somebody else"),
        )),
    }
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Object {
    kind: String,
    name: String,
    /// Absent for the indexes that SQLite makes for keys.
    sql: Option<String>,
}

fn objects(connection: &Connection) -> rusqlite::Result<BTreeSet<Object>> {
    connection
        .prepare("SELECT type, name, sql FROM sqlite_schema")?
        .query_map([], |row| {
            Ok(Object {
                kind: row.get(0)?,
                name: row.get(1)?,
                sql: row.get(2)?,
            })
        })?
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: [&str; 1] = ["CREATE TABLE runs (step TEXT); INSERT INTO runs VALUES ('one')"];
    const NEW: [&str; 3] = [
        OLD[0],
        "INSERT INTO runs VALUES ('two')",
        "ALTER TABLE runs ADD COLUMN more TEXT; INSERT INTO runs (step) VALUES ('three')",
    ];

    fn runs(connection: &Connection) -> Vec<String> {
        connection
            .prepare("SELECT step FROM runs ORDER BY rowid")
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap()
    }

    #[test]
    fn an_old_file_takes_the_missing_steps_once_whoever_opens_it() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("old.db");
        let open = || {
            let connection = Connection::open(&path).unwrap();
            connection
                .busy_timeout(std::time::Duration::from_secs(30))
                .unwrap();
            connection
        };
        climb(&open(), &OLD, Identity::Blank).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| climb(&open(), &NEW, Identity::Store(1)).unwrap());
            }
        });
        assert_eq!(runs(&open()), ["one", "two", "three"]);
        compare(&open(), &NEW).unwrap();
        let error = climb(&open(), &OLD, Identity::Store(1)).unwrap_err();
        let newer = StoreError::NewerSchema { found: 3, known: 1 };
        assert_eq!(error.to_string(), newer.to_string());
    }

    #[test]
    fn a_step_that_fails_leaves_the_file_as_it_was() {
        let connection = Connection::open_in_memory().unwrap();
        climb(&connection, &OLD, Identity::Blank).unwrap();
        let broken = [
            OLD[0],
            "INSERT INTO runs VALUES ('two')",
            "no such statement",
        ];
        climb(&connection, &broken, Identity::Store(1)).unwrap_err();
        assert_eq!(runs(&connection), ["one"]);
        climb(&connection, &NEW, Identity::Store(1)).unwrap();
    }

    #[test]
    fn the_states_in_the_tables_are_those_of_the_engine() {
        for state in oda_core::ExecutionState::ALL {
            assert!(VERSION_1.contains(&format!("'{state}'")), "{state}");
        }
    }
}
