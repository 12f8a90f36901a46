//! A JSON document that remembers the order of its keys.
//!
//! The errors of ODA's validators and lints come in the order in which the document names its
//! keys. The maps of `serde_json` sort theirs (they have to: a hash must not depend on the
//! order), so the validators read into this instead.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use oda_canon::CanonError;

/// One JSON value. Numbers are doubles, as in ECMAScript.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Tree {
    Null,
    Bool(bool),
    Number(f64),
    String(String),
    Array(Vec<Tree>),
    Object(Entries),
}

/// The entries of an object, in ECMAScript's order: keys that are array indices first, ascending,
/// then the others as they stood.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Entries(Vec<(String, Tree)>);

impl Tree {
    /// Reads text with every strict check of `oda-canon`.
    pub(crate) fn parse(text: &[u8]) -> Result<Self, CanonError> {
        oda_canon::parse_strict(text)
    }

    /// Copies a value, whose keys are already sorted.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(b) => Self::Bool(*b),
            // A number that is no double does not exist without `arbitrary_precision`.
            Value::Number(n) => n.as_f64().map_or(Self::Null, Self::Number),
            Value::String(s) => Self::String(s.clone()),
            Value::Array(items) => Self::Array(items.iter().map(Self::of).collect()),
            Value::Object(map) => Self::Object(Entries::ordered(
                map.iter()
                    .map(|(key, value)| (key.clone(), Self::of(value)))
                    .collect(),
            )),
        }
    }

    pub(crate) fn as_object(&self) -> Option<&Entries> {
        match self {
            Self::Object(entries) => Some(entries),
            _ => None,
        }
    }

    pub(crate) fn as_array(&self) -> Option<&[Tree]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(b) => Some(*b),
            _ => None,
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

impl Entries {
    fn ordered(mut entries: Vec<(String, Tree)>) -> Self {
        entries.sort_by_key(|(key, _)| array_index(key).map_or((1, 0), |index| (0, index)));
        Self(entries)
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Tree> {
        self.0
            .iter()
            .find(|(known, _)| known == key)
            .map(|(_, value)| value)
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.as_str())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Tree)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }
}

/// The canonical decimal text of an integer below 2^32 - 1.
fn array_index(key: &str) -> Option<u32> {
    let index: u32 = key.parse().ok()?;
    (index != u32::MAX && index.to_string() == key).then_some(index)
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Bool(value))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "JSON numbers are doubles; strict parsing has refused integers that are none"
    )]
    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Number(value as f64))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "JSON numbers are doubles; strict parsing has refused integers that are none"
    )]
    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Tree, E> {
        Ok(Tree::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Tree, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Tree::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Tree::Object(Entries::ordered(entries)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<String> {
        let tree = Tree::parse(text.as_bytes()).unwrap();
        let keys = tree.as_object().unwrap().keys();
        keys.map(str::to_owned).collect()
    }

    #[test]
    fn keys_keep_their_order_with_array_indices_first() {
        assert_eq!(keys(r#"{"b":1,"a":2}"#), ["b", "a"]);
        assert_eq!(
            keys(r#"{"b":1,"10":2,"9":3,"09":4,"4294967295":5}"#),
            ["9", "10", "b", "09", "4294967295"]
        );
    }

    #[test]
    fn text_and_value_give_the_same_tree() {
        let text = r#"{"a":[null,true,-1.5,18014398509481984,"x"],"b":{}}"#;
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(Tree::parse(text.as_bytes()).unwrap(), Tree::of(&value));
    }

    #[test]
    fn repeated_keys_are_refused() {
        let error = Tree::parse(br#"{"a":1,"a":2}"#).unwrap_err();
        assert_eq!(error.code(), "json_duplicate_key");
    }
}
