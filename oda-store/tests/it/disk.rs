//! A disk that is full.

use std::path::Path;
use std::process::Command;

use oda_core::Store;
use oda_store::SqliteStore;

use crate::fixtures::{claimed, intent, next, prepared_draft};
use crate::suite::{commit, is_committed, put, verified_receipts};

/// A small file system in memory, unmounted at the end of the test.
struct SmallDisk {
    directory: tempfile::TempDir,
}

impl SmallDisk {
    /// `None` where this user may not mount anything.
    fn mount() -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"])
            .arg(directory.path())
            .stderr(std::process::Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        mounted.then_some(Self { directory })
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).status();
    }
}

#[tokio::test]
async fn a_full_disk_changes_nothing_and_is_survived() {
    let Some(disk) = SmallDisk::mount() else {
        println!("skipped: no right to mount; the unit test `a_file_that_may_not_grow` covers it");
        return;
    };
    let store = SqliteStore::open(disk.path().join("store.db")).unwrap();
    let first = put(&store, 0).await;
    let filler = disk.path().join("filler");
    let filled = std::fs::write(&filler, vec![0; 2 << 20]);
    assert!(filled.is_err(), "the disk takes no more");

    let mut inserted = 1;
    let error = loop {
        let intent = intent(inserted);
        match store.insert(&intent, prepared_draft(&intent)).await {
            Ok(_) => inserted += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(error.code(), "store_unavailable");
    assert!(error.to_string().contains("the disk is full"), "{error}");
    let fat = next(&first, |progress| progress.note = Some("x".repeat(100_000)));
    let refused = store
        .commit(oda_core::Commit {
            next: &fat,
            receipt: None,
            cap: None,
        })
        .await;
    assert_eq!(refused.unwrap_err().code(), "store_unavailable");
    // Nothing of it is there, and everything that was acknowledged is.
    let failed = intent(inserted);
    assert_eq!(store.get(failed.id()).await.unwrap(), None);
    assert_eq!(store.get(first.id()).await.unwrap(), Some(first.clone()));
    assert_eq!(verified_receipts(&store).await.len() as u64, inserted);

    std::fs::remove_file(&filler).unwrap();
    put(&store, inserted).await;
    assert!(is_committed(&commit(&store, &claimed(&first)).await));
    store.check().await.unwrap();
}

#[tokio::test]
async fn a_full_disk_leaves_no_half_made_store() {
    let Some(disk) = SmallDisk::mount() else {
        println!("skipped: no right to mount");
        return;
    };
    let filler = disk.path().join("filler");
    assert!(std::fs::write(&filler, vec![0; 2 << 20]).is_err());
    let path = disk.path().join("store.db");
    let error = SqliteStore::open(&path).unwrap_err();
    assert_eq!(error.code(), "store_unavailable");
    assert_eq!(
        std::fs::read_dir(disk.path()).unwrap().count(),
        1,
        "{error}"
    );
    let key = disk.path().join("intent.key");
    let error = oda_store::load_or_create_secret(&key).unwrap_err();
    assert_eq!(error.code(), "secret_io");
    assert_eq!(
        std::fs::read_dir(disk.path()).unwrap().count(),
        1,
        "{error}"
    );
    std::fs::remove_file(&filler).unwrap();
    oda_store::load_or_create_secret(&key).unwrap();
    put(&SqliteStore::open(&path).unwrap(), 0).await;
}
