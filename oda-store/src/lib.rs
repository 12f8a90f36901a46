//! Durable stores of intents and receipts.
//!
//! [`SqliteStore`] keeps them in one file that the command line, the server and the approval page of one
//! machine share. [`OdaHome`] is the directory it lies in, and [`load_or_create_secret`] keeps the secret
//! under which intents are sealed. The crate is for Unix systems: who may read the files is part of what it
//! promises.
//!
//! ```
//! use oda_core::Store;
//! use oda_store::{OdaHome, SqliteStore};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let place = tempfile::tempdir()?;
//! let home = OdaHome::open(place.path().join(OdaHome::DIRECTORY))?;
//! let secret = home.load_secret()?;
//! let store = SqliteStore::open(home.store())?;
//! let of_another_process = SqliteStore::open(home.store())?;
//!
//! assert_eq!(format!("{secret:?}"), "IntentSecret(…)");
//! assert!(store.receipts_after(None, 100).await?.is_empty());
//! assert!(of_another_process.head().await?.is_none());
//! store.check().await?;
//! # Ok(())
//! # }
//! ```
//!
//! # What it promises
//!
//! - A state change, its receipt, and its share of the day's cap are one transaction, synced to disk before
//!   the call returns. A process that is killed at any point leaves all of it or nothing.
//! - Two processes that change one intent at once: one wins, the other is told what is stored now.
//! - The receipts of all processes form one chain.
//! - A damaged, foreign or newer file is an error that says so, never a panic and never an empty store.
//! - Files are readable for their owner only, and files that others could have read or changed are refused.

mod home;
mod private_file;
mod receipt_mirror;
mod secret_file;
#[cfg(feature = "sqlite")]
mod sqlite;

pub use home::{HomeError, OdaHome};
pub use receipt_mirror::ReceiptMirror;
pub use secret_file::{SecretFileError, load_or_create_secret};
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;
