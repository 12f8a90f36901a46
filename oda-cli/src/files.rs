//! Reading files that somebody named, standard input included.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::error::CliError;

/// The largest file that is read as one text: the largest that strict parsing accepts.
const MAX_BYTES: u64 = oda_canon::MAX_TEXT_BYTES as u64;

/// What stands for standard input.
const STDIN: &str = "-";

/// Reads a whole file, or standard input for `-`.
pub(crate) fn read(what: &'static str, path: &Path) -> Result<Vec<u8>, CliError> {
    let unreadable = |reason: String| CliError::File {
        what,
        path: path.to_owned(),
        reason,
    };
    let mut bytes = Vec::new();
    open(what, path)?
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(error.to_string()))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(unreadable(format!("it is larger than {MAX_BYTES} bytes")));
    }
    Ok(bytes)
}

/// Opens a file for reading from its start, or standard input for `-`.
pub(crate) fn open(what: &'static str, path: &Path) -> Result<Box<dyn Read>, CliError> {
    if path == Path::new(STDIN) {
        return Ok(Box::new(io::stdin().lock()));
    }
    let opened = File::open(path).and_then(|file| match file.metadata()?.is_dir() {
        true => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        false => Ok(file),
    });
    match opened {
        Ok(file) => Ok(Box::new(file)),
        Err(error) => Err(CliError::File {
            what,
            path: path.to_owned(),
            reason: error.to_string(),
        }),
    }
}
