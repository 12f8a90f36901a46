//! What SQLite says, in the words of the store.

use std::fmt;

use oda_core::StoreError;
use rusqlite::{Error, ErrorCode};

use super::connection::BUSY_TIMEOUT;

/// Turns SQLite's errors into the store's, naming what was being done.
pub(super) fn failed(action: &'static str) -> impl Fn(Error) -> StoreError {
    move |error| translate(action, &error)
}

/// A row, or a value in it, is not what this version writes.
pub(super) fn corrupt(what: impl fmt::Display, reason: impl fmt::Display) -> StoreError {
    StoreError::Corrupt {
        what: what.to_string(),
        reason: reason.to_string(),
    }
}

/// The store could not do it, for a reason that has nothing to do with what it holds.
pub(super) fn unavailable(action: &'static str, reason: impl fmt::Display) -> StoreError {
    StoreError::Unavailable {
        action,
        reason: reason.to_string(),
    }
}

fn translate(action: &'static str, error: &Error) -> StoreError {
    let Some(code) = error.sqlite_error_code() else {
        // Everything else a query here can meet is a value of another type than the column has.
        return corrupt("value", error);
    };
    match code {
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => corrupt(
            "store file",
            format_args!("{error}; it was damaged or is not a SQLite file: restore a copy"),
        ),
        ErrorCode::DiskFull => unavailable(
            action,
            "the disk is full; nothing was changed, free some space and try again",
        ),
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => unavailable(
            action,
            format_args!(
                "another process has held the store for {} seconds; try again",
                BUSY_TIMEOUT.as_secs()
            ),
        ),
        ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied => unavailable(
            action,
            format_args!("{error}; the file and its directory must be writable by this user"),
        ),
        _ => unavailable(action, error),
    }
}
