//! The state directory with its store, its secret and its receipts log, and the engine over them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use oda_core::{Approver, Engine, EngineError, IntentId, IntentSecret, MemoryStore, SECRET_BYTES};
use oda_receipts::{JsonlLog, Repair};
use oda_store::{OdaHome, ReceiptMirror, SqliteStore};

use crate::chains::Chains;
use crate::environment::{self, Environment};
use crate::error::CliError;
use crate::policy::LoadedPolicy;

/// An engine over a state directory, and what was noticed while opening it.
#[derive(Debug)]
pub(crate) struct Installation {
    pub(crate) engine: Arc<Engine>,
    pub(crate) notes: Vec<String>,
}

/// The state directory: `ODA_HOME`, else `.oda` in the working directory.
pub(crate) fn root(environment: &Environment) -> PathBuf {
    environment
        .path(environment::HOME)
        .unwrap_or_else(|| PathBuf::from(OdaHome::DIRECTORY))
}

/// The receipts log of the state directory, which is not opened for this: an auditor may read it without
/// being allowed to write there.
pub(crate) fn receipts(environment: &Environment) -> PathBuf {
    root(environment).join(RECEIPTS)
}

/// The name that [`OdaHome`] gives the receipts log.
pub(crate) const RECEIPTS: &str = "receipts.jsonl";

impl Installation {
    /// Opens the state directory, and creates what is missing in it.
    pub(crate) fn open(
        root: &Path,
        policy: LoadedPolicy,
        chains: Chains,
        approver: Option<Arc<dyn Approver>>,
    ) -> Result<Self, CliError> {
        let home = OdaHome::open(root)?;
        let secret = home.load_secret()?;
        let store = SqliteStore::open(home.store())?;
        let (log, repair) = JsonlLog::open(home.receipts())?;
        let mut notes: Vec<String> = policy.note().into_iter().collect();
        notes.extend(repair.as_ref().map(repaired));
        let mut engine = Engine::builder(Arc::new(store), secret, policy.policy)
            .log(Arc::new(ReceiptMirror::new(log)));
        if let Some(approver) = approver {
            engine = engine.approver(approver);
        }
        let engine = Arc::new(chains.plug(engine).build()?);
        Ok(Self { engine, notes })
    }

    /// Opens the state directory that holds an intent. Looking for one does not create a directory.
    pub(crate) fn open_for(
        id: &IntentId,
        root: &Path,
        policy: LoadedPolicy,
        chains: Chains,
        approver: Option<Arc<dyn Approver>>,
    ) -> Result<Self, CliError> {
        if !is_there(root) {
            return Err(EngineError::UnknownIntent { id: id.clone() }.into());
        }
        Self::open(root, policy, chains, approver)
    }
}

/// What was done to a log whose last write was cut short.
fn repaired(repair: &Repair) -> String {
    match repair {
        Repair::LineEndAdded { receipt } => format!(
            "the receipts log had lost the end of its last line, receipt {}; it was added",
            receipt.seq
        ),
        Repair::TornLineMoved { bytes, kept_in, .. } => format!(
            "the receipts log ended in a torn line; its {bytes} bytes are kept in {}",
            kept_in.display()
        ),
        other => format!("the receipts log was repaired: {other:?}"),
    }
}

/// Whether there is a state directory at all.
pub(crate) fn is_there(root: &Path) -> bool {
    root.symlink_metadata().is_ok()
}

/// An engine that forgets: for calls that store nothing, so that they leave nothing on the disk.
pub(crate) fn without_state(policy: LoadedPolicy, chains: Chains) -> Result<Engine, CliError> {
    // Nothing that is made under this secret outlives the process or leaves it.
    let secret = IntentSecret::new(&[0; SECRET_BYTES]).map_err(|error| CliError::Runtime {
        source: std::io::Error::other(error),
    })?;
    let engine = Engine::builder(Arc::new(MemoryStore::default()), secret, policy.policy);
    Ok(chains.plug(engine).build()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_where_the_home_puts_it() {
        let place = tempfile::tempdir().unwrap();
        let home = OdaHome::open(place.path().join("home")).unwrap();
        let root = home.root().display().to_string();
        let environment = Environment::of(&[(environment::HOME, &root)]);
        assert_eq!(receipts(&environment), home.receipts());
    }
}
