//! Opening the database file: who may read it, and how SQLite is told to treat it.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use oda_core::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::error::{corrupt, failed, unavailable};
use super::schema;
use crate::private_file::{self, Exposure};

/// How long a call waits for another process to finish its transaction.
///
/// A transaction takes microseconds plus one disk sync, so even a slow disk and dozens of processes stay far
/// below it. A process that was stopped in the middle of one is what reaches it.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The log of changes is cut back to this size after a burst, in bytes.
const WAL_SIZE_LIMIT: i64 = 16 * 1024 * 1024;

/// The smallest page that SQLite makes, in bytes. It takes a shorter file for a new one, and a store that
/// was truncated would come up empty.
const SMALLEST_FILE: u64 = 512;

/// Room for every statement of this crate: none is ever parsed twice.
const STATEMENT_CACHE: usize = 32;

/// How often a change of the journal mode is tried again while another process has the file.
const JOURNAL_MODE_RETRY: Duration = Duration::from_millis(5);

const OPENING: &str = "open its file";

/// The two connections of an open store.
pub(super) struct Pair {
    pub(super) writer: Connection,
    pub(super) reader: Connection,
}

/// Opens the store's file, creating and migrating it when needed.
pub(super) fn open_pair(path: &Path) -> Result<Pair, StoreError> {
    create_if_missing(path)?;
    check_files(path)?;
    let writer = open(path)?;
    schema::migrate(&writer)?;
    use_write_ahead_log(&writer)?;
    let reader = open(path)?;
    reader
        .pragma_update(None, "query_only", true)
        .map_err(failed(OPENING))?;
    Ok(Pair { writer, reader })
}

/// Makes a new store beside its place and links it in, so that the place is either empty or holds a whole
/// store: a file without any content is then a truncated store, and never silently a new one.
///
/// Nothing here opens the file at `path` itself. Closing any descriptor of a file gives up every POSIX lock
/// that this process has on it, those of another `SqliteStore` of the process included.
fn create_if_missing(path: &Path) -> Result<(), StoreError> {
    if fs::symlink_metadata(path).is_ok() {
        return Ok(());
    }
    let creating = |error: io::Error| unavailable("create its file", describe(path, &error));
    let draft = private_file::Draft::beside(path).map_err(creating)?;
    {
        let connection = open(draft.path())?;
        schema::create(&connection)?;
        use_write_ahead_log(&connection)?;
        connection
            .close()
            .map_err(|(_, error)| failed("create its file")(error))?;
    }
    // `false` means that another process was quicker: its store is as good as ours.
    draft.publish(path).map(|_first| ()).map_err(creating)
}

fn check_files(path: &Path) -> Result<(), StoreError> {
    let metadata =
        fs::metadata(path).map_err(|error| unavailable(OPENING, describe(path, &error)))?;
    if !metadata.is_file() {
        return Err(unavailable(
            OPENING,
            format_args!("{} is not a regular file", path.display()),
        ));
    }
    if metadata.size() < SMALLEST_FILE {
        return Err(corrupt(
            "store file",
            format_args!(
                "{} has only {} bytes, so it was truncated or is not a store; restore a copy, or \
                 remove it to start anew",
                path.display(),
                metadata.size()
            ),
        ));
    }
    // SQLite gives its side files the mode of the main file, so a looser one was set by somebody else.
    for file in [path.to_owned(), beside(path, "-wal"), beside(path, "-shm")] {
        match private_file::exposure(&file) {
            Ok(Exposure::Private) => {}
            Ok(exposed) => return Err(unavailable(OPENING, exposed.advice(&file))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(unavailable(OPENING, describe(&file, &error))),
        }
    }
    Ok(())
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn describe(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}

fn open(path: &Path) -> Result<Connection, StoreError> {
    // Without `CREATE` and `URI`: the path is a path, and the file is there.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(failed(OPENING))?;
    configure(&connection).map_err(failed(OPENING))?;
    // SQLite falls back to reading when it may not write, and would say so at the first change only.
    if connection.is_readonly("main").map_err(failed(OPENING))? {
        return Err(unavailable(
            OPENING,
            format_args!("{} is read-only for this user", path.display()),
        ));
    }
    Ok(connection)
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    // The file may have been edited by somebody: its schema gets no say beyond its tables, SQL cannot write
    // to SQLite's own tables, and a damaged page is found when it is read.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // `Ok` means durable: every commit syncs the log, and on Apple systems with the call that really does.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true)?;
    // Signed bytes must not reach a temporary file outside the store's directory.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update_and_check(None, "journal_size_limit", WAL_SIZE_LIMIT, |_| Ok(()))
}

/// A file is put into this mode once and stays in it. SQLite does not wait for other processes here, so the
/// waiting is done by hand.
fn use_write_ahead_log(connection: &Connection) -> Result<(), StoreError> {
    let action = "switch on its write-ahead log";
    let deadline = Instant::now() + BUSY_TIMEOUT;
    let mode = loop {
        let asked =
            connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0));
        match asked {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && Instant::now() < deadline =>
            {
                std::thread::sleep(JOURNAL_MODE_RETRY);
            }
            asked => break asked.map_err(failed(action))?,
        }
    };
    let mode: String = mode;
    if mode.eq_ignore_ascii_case("wal") {
        return Ok(());
    }
    Err(unavailable(
        action,
        format_args!(
            "the file system does not support it (journal mode `{mode}`); \
             keep the store on a local disk, not on a network share"
        ),
    ))
}
