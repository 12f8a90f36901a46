//! Where the public test suites are.

use std::path::{Path, PathBuf};

/// The folder of a suite; `None`, and a note, when it is not there.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("ODA_SUITES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/suites"),
        PathBuf::from,
    );
    let folder = root.join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: suite not found: {}", folder.display());
    None
}

/// The files of a folder, by name.
pub(crate) fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect();
    files.sort();
    files
}
