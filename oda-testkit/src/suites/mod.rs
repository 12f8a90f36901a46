//! The public test suites: where they are and what is in them.

mod ethers;
mod jcs;
mod json_parsing;
mod wycheproof;

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

pub use ethers::{EthersAccess, EthersAccount, EthersFields, EthersHash, EthersTransaction};
pub use jcs::{Es6Checkpoint, Es6Numbers, JcsCase};
pub use json_parsing::{ParsingCase, ParsingRule};
pub use wycheproof::{EcdsaCase, EcdsaEncoding, MacCase};

/// The environment variable that says where the suites are.
const VARIABLE: &str = "ODA_SUITES";

/// Where they are otherwise, from the folder of this crate: next to the repository.
const BESIDE_THE_REPOSITORY: &str = "../../shared/suites";

/// The folder of public test suites: RFC 8785 triples, the JSON parsing suite, Wycheproof, ethers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suites {
    root: PathBuf,
}

impl Suites {
    /// Finds the folder: the environment variable `ODA_SUITES`, else `../shared/suites` beside the
    /// repository. `None` when neither is there; say "skipped: suite not found" then.
    ///
    /// # Errors
    ///
    /// [`SuiteError::NotAFolder`] when `ODA_SUITES` is set to something that is not a folder: whoever set it
    /// does not want the suites skipped.
    pub fn locate() -> Result<Option<Self>, SuiteError> {
        if let Some(set) = std::env::var_os(VARIABLE) {
            return Self::at(set).map(Some);
        }
        let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join(BESIDE_THE_REPOSITORY);
        Ok(Self::at(beside).ok())
    }

    /// The suites in a given folder.
    ///
    /// # Errors
    ///
    /// [`SuiteError::NotAFolder`] when there is no such folder.
    pub fn at(root: impl Into<PathBuf>) -> Result<Self, SuiteError> {
        let root = root.into();
        if root.is_dir() {
            Ok(Self { root })
        } else {
            Err(SuiteError::NotAFolder { path: root })
        }
    }

    /// The folder itself.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn read(&self, file: impl AsRef<Path>) -> Result<Vec<u8>, SuiteError> {
        let path = self.root.join(file);
        std::fs::read(&path).map_err(|source| SuiteError::Unreadable { path, source })
    }

    fn json<T: DeserializeOwned>(&self, file: impl AsRef<Path>) -> Result<T, SuiteError> {
        let bytes = self.read(&file)?;
        parse(&bytes, &self.root.join(file))
    }

    /// The names of the files in a folder of the suites, sorted.
    fn names(&self, folder: &str) -> Result<Vec<String>, SuiteError> {
        let path = self.root.join(folder);
        let unreadable = |source| SuiteError::Unreadable {
            path: path.clone(),
            source,
        };
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&path).map_err(unreadable)? {
            names.push(
                entry
                    .map_err(unreadable)?
                    .file_name()
                    .to_string_lossy()
                    .into_owned(),
            );
        }
        names.sort();
        Ok(names)
    }
}

fn parse<T: DeserializeOwned>(bytes: &[u8], path: &Path) -> Result<T, SuiteError> {
    serde_json::from_slice(bytes).map_err(|error| SuiteError::malformed(path, error.to_string()))
}

/// Bytes of a hex text of a suite file.
fn bytes_of(text: &str, path: &Path) -> Result<Vec<u8>, SuiteError> {
    hex::decode(text.strip_prefix("0x").unwrap_or(text))
        .map_err(|error| SuiteError::malformed(path, format!("`{text}` is not hex: {error}")))
}

/// A suite is not there, or is not what it should be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SuiteError {
    /// There is no such folder.
    #[error("{} is not a folder: point {VARIABLE} at the public test suites, or unset it", path.display())]
    NotAFolder {
        /// The path.
        path: PathBuf,
    },
    /// A file cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// A file does not have the form of its suite.
    #[error("{} is not a file of its suite: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl SuiteError {
    fn malformed(path: &Path, reason: impl Into<String>) -> Self {
        Self::Malformed {
            path: path.to_owned(),
            reason: reason.into(),
        }
    }

    /// The stable code of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotAFolder { .. } => "suite_not_found",
            Self::Unreadable { .. } => "suite_unreadable",
            Self::Malformed { .. } => "suite_malformed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let error = Suites::at("/nowhere/at/all").unwrap_err();
        assert_eq!(error.code(), "suite_not_found");
        assert!(error.to_string().contains("ODA_SUITES"), "{error}");
    }

    #[test]
    fn a_missing_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = Suites::at(folder.path())
            .unwrap()
            .es6_numbers()
            .unwrap_err();
        assert_eq!(error.code(), "suite_unreadable");
        assert!(error.to_string().contains("es6-floats.json"), "{error}");
    }

    #[test]
    fn a_file_of_another_form_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("jcs")).unwrap();
        std::fs::write(folder.path().join("jcs/es6-floats.json"), "[]").unwrap();
        let error = Suites::at(folder.path())
            .unwrap()
            .es6_numbers()
            .unwrap_err();
        assert_eq!(error.code(), "suite_malformed");
    }
}
