//! Tests of the stores through the door that the engine uses, with real processes and real files.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "the whole crate is tests, the shared parts of them included"
)]

mod child;
mod cost;
mod damage;
mod disk;
mod fixtures;
mod model;
mod permissions;
mod processes;
mod suite;

mod memory_store {
    use oda_core::MemoryStore;

    crate::suite::store_behaviour!((MemoryStore::new(), ()));
}

mod sqlite_store {
    crate::suite::store_behaviour!({
        let place = tempfile::tempdir().unwrap();
        let store = oda_store::SqliteStore::open(place.path().join("store.db")).unwrap();
        (store, place)
    });
}
