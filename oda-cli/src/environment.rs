//! Environment variables, read in one place.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::error::CliError;

/// The state directory.
pub(crate) const HOME: &str = "ODA_HOME";
/// What is logged to standard error.
pub(crate) const LOG: &str = "ODA_LOG";

/// The environment variables of this process, or of a test.
#[derive(Clone, Default)]
pub(crate) struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

/// Only the names: a value can be a key.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

impl Environment {
    pub(crate) fn of_process() -> Self {
        Self {
            variables: std::env::vars_os().collect(),
        }
    }

    #[cfg(test)]
    pub(crate) fn of(pairs: &[(&str, &str)]) -> Self {
        Self {
            variables: pairs
                .iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        }
    }

    /// A variable that is set and not empty.
    ///
    /// # Errors
    ///
    /// When its value is not UTF-8. The value is not repeated.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>, CliError> {
        let Some(value) = self.variables.get(std::ffi::OsStr::new(name)) else {
            return Ok(None);
        };
        match value.to_str() {
            Some(text) => Ok(Some(text).filter(|text| !text.is_empty())),
            None => Err(CliError::argument(name, "must be UTF-8 text")),
        }
    }

    /// A variable that names a path.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        self.variables
            .get(std::ffi::OsStr::new(name))
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    }

    /// A variable that is `1` or not set.
    ///
    /// # Errors
    ///
    /// For any other value: a switch that opens something must not be set by accident.
    #[cfg_attr(
        not(feature = "evm"),
        expect(dead_code, reason = "the chains read it, and this build has none")
    )]
    pub(crate) fn switch(&self, name: &str) -> Result<bool, CliError> {
        match self.text(name)? {
            None | Some("0") => Ok(false),
            Some("1") => Ok(true),
            Some(_) => Err(CliError::argument(name, "must be 1, 0 or not set")),
        }
    }
}
