//! One case of a vector file, read without losing the order of its keys.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

/// The members of a JSON object, each as the text that stands there.
pub(super) type Members = BTreeMap<String, Box<RawValue>>;

/// One case: an element of a list, or a member that is not a list.
#[derive(Debug, Clone)]
pub(super) struct Case {
    text: Box<RawValue>,
    members: Members,
}

impl Case {
    pub(super) fn new(text: Box<RawValue>) -> Self {
        let members = serde_json::from_str(text.get()).unwrap_or_default();
        Self { text, members }
    }

    /// The text of the whole case.
    pub(super) fn text(&self) -> &str {
        self.text.get()
    }

    /// The text of a member.
    pub(super) fn raw(&self, key: &str) -> Result<&RawValue, Malformed> {
        self.members
            .get(key)
            .map(Box::as_ref)
            .ok_or_else(|| Malformed(format!("it has no `{key}`")))
    }

    /// A member, read.
    pub(super) fn read<T: DeserializeOwned>(&self, key: &str) -> Result<T, Malformed> {
        serde_json::from_str(self.raw(key)?.get())
            .map_err(|error| Malformed(format!("`{key}`: {error}")))
    }

    /// A member, read; `None` when it is absent.
    pub(super) fn optional<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, Malformed> {
        if self.members.contains_key(key) {
            self.read(key).map(Some)
        } else {
            Ok(None)
        }
    }

    /// The whole case, read.
    pub(super) fn whole<T: DeserializeOwned>(&self) -> Result<T, Malformed> {
        serde_json::from_str(self.text()).map_err(|error| Malformed(error.to_string()))
    }

    /// Every member, in the order of its keys.
    pub(super) fn members(&self) -> &Members {
        &self.members
    }

    /// What the case is called: its `name`, else its text, shortened, else its place.
    pub(super) fn label(&self, keys: &[&str], place: usize) -> String {
        let parts: Vec<String> = keys
            .iter()
            .filter_map(|key| self.members.get(*key))
            .map(|raw| match serde_json::from_str::<Value>(raw.get()) {
                Ok(Value::String(text)) => text,
                Ok(other) => other.to_string(),
                Err(_) => raw.get().to_owned(),
            })
            .collect();
        if parts.is_empty() {
            format!("#{place}")
        } else {
            shortened(&parts.join(" | "))
        }
    }
}

/// A name that fits one line.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 80;
    let text = text.replace(['\n', '\r'], " ");
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// A case does not have the form of its list. That is a failure: it could not be checked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the case does not have the form of its list: {0}")]
pub(super) struct Malformed(pub(super) String);

/// What came of checking one case.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Check {
    /// It ran. `expected` is what the reference gives, `actual` what this project gives.
    Compared { expected: Value, actual: Value },
    /// It did not run.
    Unchecked { reason: String },
}

impl Check {
    pub(super) fn compared(expected: impl Into<Value>, actual: impl Into<Value>) -> Self {
        Self::Compared {
            expected: expected.into(),
            actual: actual.into(),
        }
    }

    pub(super) fn unchecked(reason: impl Into<String>) -> Self {
        Self::Unchecked {
            reason: reason.into(),
        }
    }
}
