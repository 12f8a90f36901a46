//! Reading into a type, after the strict checks.

use serde::de::DeserializeOwned;

use crate::CanonError;
use crate::error::Place;

/// Reads text that passed the strict checks.
pub(crate) fn deserialize<T: DeserializeOwned>(text: &[u8]) -> Result<T, CanonError> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        CanonError::TypeMismatch {
            place: Place::Path(rooted(&path)),
            byte: byte_of(text, inner.line(), inner.column()),
            message: without_position(&inner),
        }
    })
}

/// `serde_path_to_error` shows the root as `.` and starts other paths without a `$`.
fn rooted(path: &str) -> String {
    match path.as_bytes().first() {
        None | Some(b'.') => "$".to_owned(),
        Some(b'[') => format!("${path}"),
        Some(_) => format!("$.{path}"),
    }
}

/// `serde_json` counts lines from 1 and the bytes already read of the last line.
fn byte_of(text: &[u8], line: usize, column: usize) -> usize {
    let before: usize = text
        .split_inclusive(|&byte| byte == b'\n')
        .take(line.saturating_sub(1))
        .map(<[u8]>::len)
        .sum();
    (before + column.saturating_sub(1)).min(text.len())
}

fn without_position(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let suffix = format!(" at line {} column {}", error.line(), error.column());
    message
        .strip_suffix(&suffix)
        .map(str::to_owned)
        .unwrap_or(message)
}
