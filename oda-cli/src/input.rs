//! The input of an action: JSON text, `@FILE`, or `-`.

use std::path::Path;

use serde_json::Value;

use crate::error::CliError;
use crate::files;

/// Reads `--input` strictly: duplicate keys, a byte order mark, trailing bytes and numbers that a double
/// cannot hold are errors with a position.
pub(crate) fn read(given: &str) -> Result<Value, CliError> {
    let bytes = match given.strip_prefix('@') {
        Some(path) => files::read("the input file", Path::new(path))?,
        None if given == "-" => files::read("the input", Path::new(given))?,
        None => given.as_bytes().to_vec(),
    };
    oda_canon::parse_strict(&bytes).map_err(CliError::Input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_document_is_named_with_its_place() {
        for (text, says) in [
            ("", "byte 0"),
            ("{\"a\":1,\"a\":2}", "stands twice"),
            ("{\"a\":1} x", "after the end"),
            ("{\"a\":9007199254740993}", "byte 5"),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!(error.code(), "invalid_input", "{text}");
            assert!(error.to_string().contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn a_file_is_read_and_a_missing_one_is_named() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("input.json");
        std::fs::write(&file, "{\"a\":1}").unwrap();
        assert_eq!(
            read(&format!("@{}", file.display())).unwrap(),
            serde_json::json!({ "a": 1 })
        );
        let missing = read("@no/such/file").unwrap_err();
        assert_eq!(missing.code(), "file_unreadable");
        assert!(missing.to_string().contains("no/such/file"));
    }
}
