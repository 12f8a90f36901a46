//! Reading a folder of vector files.

use std::path::{Path, PathBuf};

use serde_json::value::RawValue;

use super::case::{Case, Members};

/// The member that says where a file comes from. It holds no cases.
const META: &str = "meta";

/// A vector file.
#[derive(Debug)]
pub(super) struct VectorFile {
    /// Its name, such as `oda-names.json`.
    pub(super) name: String,
    /// Every member but the lists.
    pub(super) members: Members,
    /// The case lists in the order of their names. A member that is not a list is a list of one.
    pub(super) lists: Vec<(String, Vec<Case>)>,
}

/// The `*.json` files of a folder, sorted by name.
pub(super) fn folder(dir: &Path) -> Result<Vec<VectorFile>, ConformanceError> {
    let unreadable = |source| ConformanceError::Unreadable {
        path: dir.to_owned(),
        source,
    };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Err(ConformanceError::NoFiles {
            path: dir.to_owned(),
        });
    }
    paths.sort();
    paths.iter().map(|path| file(path)).collect()
}

fn file(path: &Path) -> Result<VectorFile, ConformanceError> {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let bytes = std::fs::read(path).map_err(|source| ConformanceError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    let bad = |reason: String| ConformanceError::NotVectors {
        path: path.to_owned(),
        reason,
    };
    let members: Members =
        serde_json::from_slice(&bytes).map_err(|error| bad(error.to_string()))?;
    let lists = members
        .iter()
        .filter(|(key, _)| *key != META)
        .map(|(key, raw)| (key.clone(), cases(raw)))
        .collect();
    Ok(VectorFile {
        name,
        members,
        lists,
    })
}

fn cases(raw: &RawValue) -> Vec<Case> {
    match serde_json::from_str::<Vec<Box<RawValue>>>(raw.get()) {
        Ok(elements) => elements.into_iter().map(Case::new).collect(),
        Err(_) => vec![Case::new(raw.to_owned())],
    }
}

/// The folder cannot be checked at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConformanceError {
    /// The folder or a file cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable {
        /// Which one.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// The folder has no vector files.
    #[error("{} has no `*.json` files: name a folder of vectors", path.display())]
    NoFiles {
        /// The folder.
        path: PathBuf,
    },
    /// A file is not a JSON object.
    #[error("{} is not a file of vectors: a JSON object is expected: {reason}", path.display())]
    NotVectors {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// `docs/differences.md` and the code do not fit.
    #[error("docs/differences.md, line {line}: {reason}")]
    Differences {
        /// The line, counted from 1; 0 when a line is missing.
        line: usize,
        /// What does not fit.
        reason: String,
    },
    /// The machine could not run the flows.
    #[error("the flows could not be run: {reason}")]
    Runtime {
        /// What went wrong.
        reason: String,
    },
}

impl ConformanceError {
    /// The stable code of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "vectors_unreadable",
            Self::NoFiles { .. } => "vectors_not_found",
            Self::NotVectors { .. } => "vectors_malformed",
            Self::Differences { .. } => "differences_malformed",
            Self::Runtime { .. } => "runtime",
        }
    }
}
