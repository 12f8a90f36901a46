//! Files that were damaged, truncated, made by somebody else or by a newer program.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use oda_core::{ExecutionState, Store, StoreError, StoredIntent};
use oda_receipts::{Receipt, Status};
use oda_store::SqliteStore;
use rusqlite::Connection;

use crate::fixtures::{draft, holding, next, reserved, secret, today};
use crate::suite::{commit, put};

fn place() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    (directory, path)
}

fn write_private(path: &Path, content: &[u8]) {
    for side in ["-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{side}", path.display()));
    }
    fs::write(path, content).unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
}

/// A closed store with some intents in it, and what they are.
async fn filled(path: &Path) -> (Vec<StoredIntent>, Vec<Receipt>) {
    let store = SqliteStore::open(path).unwrap();
    for n in 0..12 {
        let intent = put(&store, n).await;
        if n % 2 == 0 {
            commit(&store, &holding(&intent, reserved(n))).await;
            store
                .reserve_sequence("lane", 0, intent.id())
                .await
                .unwrap();
        }
    }
    let intents = store.list(&ExecutionState::ALL, 99).await.unwrap();
    let receipts = store.receipts_after(None, 99).await.unwrap();
    (intents, receipts)
}

#[tokio::test]
async fn the_file_and_its_side_files_are_private() {
    let (directory, path) = place();
    let store = SqliteStore::open(&path).unwrap();
    put(&store, 1).await;
    let mut names = Vec::new();
    for entry in fs::read_dir(directory.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode, 0o600, "{:?}", entry.path());
        names.push(entry.file_name().into_string().unwrap());
    }
    names.sort();
    assert_eq!(names, ["store.db", "store.db-shm", "store.db-wal"]);
    drop(store);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn a_file_that_others_can_read_is_refused() {
    let (_directory, path) = place();
    drop(SqliteStore::open(&path).unwrap());
    fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
    let error = SqliteStore::open(&path).unwrap_err();
    assert_eq!(error.code(), "store_unavailable");
    assert!(error.to_string().contains("chmod 600"), "{error}");
}

#[tokio::test]
async fn a_store_of_a_newer_program_is_left_alone() {
    let (_directory, path) = place();
    filled(&path).await;
    let file = Connection::open(&path).unwrap();
    file.pragma_update(None, "user_version", 7).unwrap();
    file.close().unwrap();
    let before = fs::read(&path).unwrap();
    let error = SqliteStore::open(&path).unwrap_err();
    assert!(matches!(
        error,
        StoreError::NewerSchema { found: 7, known: 1 }
    ));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn the_database_of_another_program_is_left_alone() {
    for setup in [
        "CREATE TABLE theirs (x)",
        "PRAGMA application_id = 42",
        "PRAGMA user_version = 1",
        "PRAGMA application_id = 0x6f646131; CREATE TABLE intents (x)",
    ] {
        let (_directory, path) = place();
        write_private(&path, b"");
        let file = Connection::open(&path).unwrap();
        file.execute_batch(setup).unwrap();
        file.close().unwrap();
        let before = fs::read(&path).unwrap();
        let error = SqliteStore::open(&path).unwrap_err();
        assert_eq!(error.code(), "store_corrupt", "{setup}");
        assert!(error.to_string().contains("an oda store"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before, "{setup}");
    }
}

#[tokio::test]
async fn what_is_not_a_database_is_refused_and_left_alone() {
    let contents: [&[u8]; 4] = [b"", b"\n", &[b'x'; 5000], b"SQLite format 3\0"];
    for content in contents {
        let (_directory, path) = place();
        write_private(&path, content);
        let error = SqliteStore::open(&path).unwrap_err();
        assert_eq!(error.code(), "store_corrupt", "{content:?}: {error}");
        assert_eq!(fs::read(&path).unwrap(), content);
    }
    let directory = tempfile::tempdir().unwrap();
    let error = SqliteStore::open(directory.path()).unwrap_err();
    assert!(error.to_string().contains("not a regular file"), "{error}");
    let error = SqliteStore::open(directory.path().join("no/store.db")).unwrap_err();
    assert_eq!(error.code(), "store_unavailable");
    assert!(error.to_string().contains("no/store.db"), "{error}");
}

#[tokio::test]
async fn a_truncated_file_is_reported() {
    let (_directory, path) = place();
    filled(&path).await;
    let whole = fs::read(&path).unwrap();
    for length in [0, 50, 100, 4096, whole.len() / 2, whole.len() - 4096] {
        write_private(&path, &whole[..length]);
        let error = match SqliteStore::open(&path) {
            Err(error) => error,
            Ok(store) => store.check().await.unwrap_err(),
        };
        assert_eq!(error.code(), "store_corrupt", "{length} bytes: {error}");
    }
}

/// One byte is changed at a time, all over the file. Nothing may panic, and nothing that was changed may be
/// taken for what was written: it is an error here, or a seal that does not hold, or found by `check`.
#[tokio::test]
async fn no_flipped_byte_is_believed() {
    let (_directory, path) = place();
    let (intents, receipts) = filled(&path).await;
    let whole = fs::read(&path).unwrap();
    let mut found = 0;
    // Coprime to the page size, so every kind of place in a page is met; the header is met byte by byte.
    for position in (0..100).chain((100..whole.len()).step_by(293)) {
        let mut damaged = whole.clone();
        damaged[position] ^= 0x55;
        write_private(&path, &damaged);
        match believed(&path, &intents, &receipts).await {
            Ok(()) => {}
            Err(error) => {
                found += 1;
                assert!(
                    matches!(
                        error,
                        StoreError::Corrupt { .. }
                            | StoreError::Unavailable { .. }
                            | StoreError::NewerSchema { .. }
                    ),
                    "byte {position}: {error}"
                );
            }
        }
    }
    assert!(found > 30, "only {found} changes were found");
}

/// Reads everything. `Ok` when all of it is what was written.
async fn believed(
    path: &Path,
    intents: &[StoredIntent],
    receipts: &[Receipt],
) -> Result<(), StoreError> {
    let store = SqliteStore::open(path)?;
    for intent in intents {
        let Some(read) = store.get(intent.id()).await? else {
            store.check().await?;
            panic!("an intent is gone and nothing says so");
        };
        if read != *intent {
            read.verify(&secret()).unwrap_err();
        }
    }
    store.list(&ExecutionState::ALL, 99).await?;
    store.spent(today()).await?;
    let read = store.receipts_after(None, 99).await?;
    if read != receipts {
        store.check().await?;
        panic!("the receipts differ and nothing says so");
    }
    // Writing onto a damaged file must not panic either.
    let moved = next(&intents[0], |progress| {
        progress.state = ExecutionState::Failed;
        progress.hold = None;
    });
    store
        .commit(oda_core::Commit {
            next: &moved,
            receipt: Some(draft(&moved, Status::Failed)),
            cap: None,
        })
        .await?;
    store.check().await
}

#[tokio::test]
async fn an_edited_row_is_reported_with_its_id() {
    let (_directory, path) = place();
    let (intents, _) = filled(&path).await;
    let id = intents[0].id();
    for (edit, names) in [
        ("UPDATE intents SET state = 'confirmed'", "differs"),
        ("UPDATE intents SET version = version + 1", "differs"),
        ("UPDATE intents SET record = '{}'", "record"),
        ("UPDATE intents SET progress = 'x'", "progress"),
        (
            "UPDATE intents SET progress = replace(progress, '\"note\":null', '\"note\":null,\"x\":1')",
            "progress",
        ),
        (
            "UPDATE intents SET record = (SELECT record FROM intents ORDER BY id DESC LIMIT 1)",
            "another intent",
        ),
    ] {
        let (_directory, copy) = place();
        write_private(&copy, &fs::read(&path).unwrap());
        let file = Connection::open(&copy).unwrap();
        let last = intents.iter().map(StoredIntent::id).max();
        assert_ne!(Some(id), last);
        file.execute(&format!("{edit} WHERE id = ?1"), [id.as_str()])
            .unwrap();
        file.close().unwrap();
        let store = SqliteStore::open(&copy).unwrap();
        let error = store.get(id).await.unwrap_err();
        assert_eq!(error.code(), "store_corrupt");
        let text = error.to_string();
        assert!(text.contains(id.as_str()) && text.contains(names), "{text}");
        assert_eq!(store.check().await.unwrap_err().code(), "store_corrupt");
    }
}

#[tokio::test]
async fn edited_counters_receipts_and_tables_are_found() {
    let (_directory, path) = place();
    filled(&path).await;
    for edit in [
        "UPDATE day_counters SET reserved = 0",
        "DELETE FROM day_counters",
        "DROP TRIGGER receipts_stay; DELETE FROM receipts WHERE seq = 3",
        "DROP TRIGGER receipts_are_final; UPDATE receipts SET status = 'failed' WHERE seq = 3",
        "DROP INDEX receipts_by_intent",
        "CREATE TRIGGER spend AFTER UPDATE ON intents BEGIN UPDATE day_counters SET reserved = 0; END",
    ] {
        let (_directory, copy) = place();
        write_private(&copy, &fs::read(&path).unwrap());
        let file = Connection::open(&copy).unwrap();
        file.execute_batch(edit).unwrap();
        file.close().unwrap();
        let error = match SqliteStore::open(&copy) {
            Ok(store) => store.check().await.unwrap_err(),
            Err(error) => error,
        };
        assert_eq!(error.code(), "store_corrupt", "{edit}");
    }
}

#[tokio::test]
async fn receipts_cannot_be_changed_removed_or_skipped() {
    let (_directory, path) = place();
    filled(&path).await;
    let file = Connection::open(&path).unwrap();
    for edit in [
        "UPDATE receipts SET line = '{}' WHERE seq = 0",
        "DELETE FROM receipts",
        "INSERT INTO receipts SELECT 99, intent_id, status, hash, prev_hash, line FROM receipts WHERE seq = 0",
    ] {
        assert!(file.execute_batch(edit).is_err(), "{edit}");
    }
}
