//! Which policy is in force.

use std::path::{Path, PathBuf};

use oda_core::Policy;

use crate::args::PolicyArgs;
use crate::error::CliError;
use crate::files;

/// The policy file of a working directory.
pub(crate) const FILE: &str = "policy.json";

/// A policy and where it came from.
#[derive(Debug, Clone)]
pub(crate) struct LoadedPolicy {
    pub(crate) policy: Policy,
    /// The file; `None` for the default policy.
    pub(crate) file: Option<PathBuf>,
}

impl Default for LoadedPolicy {
    /// The default policy, which no file says.
    fn default() -> Self {
        Self {
            policy: Policy::default_policy(),
            file: None,
        }
    }
}

impl LoadedPolicy {
    /// The file that was asked for, else the one of the working directory, else the default policy. A file
    /// that is there and broken is an error, never the default.
    pub(crate) fn load(args: &PolicyArgs) -> Result<Self, CliError> {
        match &args.file {
            Some(file) => Self::read(file),
            None if is_there(Path::new(FILE)) => Self::read(Path::new(FILE)),
            None => Ok(Self::default()),
        }
    }

    pub(crate) fn read(file: &Path) -> Result<Self, CliError> {
        let text = files::read("the policy file", file)?;
        let policy = Policy::parse(&text).map_err(|source| CliError::Policy {
            path: file.to_owned(),
            source,
        })?;
        Ok(Self {
            policy,
            file: Some(file.to_owned()),
        })
    }

    /// Says that nobody wrote a policy, when that is so.
    pub(crate) fn note(&self) -> Option<String> {
        self.file.is_none().then(|| {
            format!(
                "there is no {FILE} here: the default policy is in force (no mainnet, no caps, no lists)"
            )
        })
    }
}

/// A link to nothing is there: somebody meant it to be a policy.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
