//! The shared vectors: golden results of the ODA reference implementation.

use std::path::Path;

use serde::de::DeserializeOwned;

/// Reads one file of the repository's own copy.
pub(crate) fn load<T: DeserializeOwned>(name: &str) -> T {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../oda-testkit/testdata/vectors")
        .join(name);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}
