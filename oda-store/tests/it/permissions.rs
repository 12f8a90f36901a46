//! Places that this user may not use.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;

use oda_store::SqliteStore;

use crate::child::{ORDINARY_USER, Part, open_to_all};

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Root may write anywhere, so as root the tests below act as somebody else.
fn give_away(path: &Path) {
    if rustix::process::geteuid().is_root() {
        chown(path, Some(ORDINARY_USER), Some(ORDINARY_USER)).unwrap();
    }
}

#[test]
fn a_read_only_directory_is_refused_clearly() {
    let place = tempfile::tempdir().unwrap();
    open_to_all(place.path());
    let home = place.path().join(".oda");
    fs::create_dir(&home).unwrap();
    give_away(&home);
    chmod(&home, 0o500);

    let said = Part::OpenHome.output_as_ordinary_user(&home);
    assert!(said.contains("<home_read_only>"), "{said}");
    assert!(said.contains("make it writable"), "{said}");
    let said = Part::OpenStore.output_as_ordinary_user(&home.join("store.db"));
    assert!(said.contains("<store_unavailable>"), "{said}");
    let said = Part::LoadSecret.output_as_ordinary_user(&home.join("intent.key"));
    assert!(said.contains("<secret_io>"), "{said}");
    assert_eq!(fs::read_dir(&home).unwrap().count(), 0);

    let said = Part::OpenHome.output_as_ordinary_user(&home.join("below"));
    assert!(said.contains("<home_create>"), "{said}");
    chmod(&home, 0o700);
}

#[test]
fn a_store_in_a_directory_that_became_read_only_is_refused_clearly() {
    let place = tempfile::tempdir().unwrap();
    open_to_all(place.path());
    let home = place.path().join(".oda");
    fs::create_dir(&home).unwrap();
    let path = home.join("store.db");
    drop(SqliteStore::open(&path).unwrap());
    give_away(&home);
    give_away(&path);
    assert!(
        Part::OpenStore
            .output_as_ordinary_user(&path)
            .contains("<ok>")
    );
    chmod(&home, 0o500);
    let said = Part::OpenStore.output_as_ordinary_user(&path);
    assert!(said.contains("<store_unavailable>"), "{said}");
    assert!(said.contains("writable"), "{said}");
    chmod(&home, 0o700);
    chmod(&path, 0o400);
    let said = Part::OpenStore.output_as_ordinary_user(&path);
    assert!(said.contains("<store_unavailable>"), "{said}");
    assert!(said.contains("read-only"), "{said}");
}

#[test]
fn what_belongs_to_another_user_is_refused() {
    if !rustix::process::geteuid().is_root() {
        println!("skipped: only root can give files away");
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("store.db");
    drop(SqliteStore::open(&path).unwrap());
    chown(&path, Some(ORDINARY_USER), None).unwrap();
    let error = SqliteStore::open(&path).unwrap_err();
    assert!(
        error.to_string().contains("belongs to user 65534"),
        "{error}"
    );

    let key = place.path().join("intent.key");
    oda_store::load_or_create_secret(&key).unwrap();
    chown(&key, Some(ORDINARY_USER), None).unwrap();
    let error = oda_store::load_or_create_secret(&key).unwrap_err();
    assert_eq!(error.code(), "secret_exposed");

    chown(place.path(), Some(ORDINARY_USER), None).unwrap();
    let error = oda_store::OdaHome::open(place.path()).unwrap_err();
    assert_eq!(error.code(), "home_foreign_owner");
    chown(place.path(), Some(0), None).unwrap();
}
