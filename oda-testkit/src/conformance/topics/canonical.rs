//! `oda-canonical.json`: JSON text to canonical bytes, and host values that have none.

use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde_json::{Value, json};

use super::super::case::{Case, Check, Malformed};
use super::super::load::VectorFile;
use super::List;

pub(super) const LISTS: &[List] = &[
    List::each("from_json_text", &["name"], from_json_text),
    List::each("host_values", &["name"], host_value),
];

fn from_json_text(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let text: String = case.read("json_text")?;
    let expected = json!({
        "canonical": case.read::<String>("canonical")?,
        "canonical_utf8_hex": case.read::<String>("canonical_utf8_hex")?,
        "sha256": case.read::<String>("sha256")?,
    });
    let actual = match oda_canon::canonicalize(text.as_bytes()) {
        Ok(bytes) => json!({
            "canonical": String::from_utf8_lossy(&bytes),
            "canonical_utf8_hex": hex::encode(&bytes),
            "sha256": oda_canon::digest_bytes(&bytes).to_string(),
        }),
        Err(error) => json!({ "error": error.code() }),
    };
    Ok(Check::compared(expected, actual))
}

fn host_value(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let notation: String = case.read("value")?;
    let answer = match notation.strip_prefix("JSON text ") {
        Some(text) => oda_canon::canonicalize(text.as_bytes()),
        None => match Host::parse(&notation) {
            Some(value) => oda_canon::to_vec(&value),
            None => {
                return Ok(Check::unchecked(
                    "there is no such value outside JavaScript",
                ));
            }
        },
    };
    let actual = match answer {
        Ok(bytes) => json!({ "ok": true, "canonical": String::from_utf8_lossy(&bytes) }),
        Err(error) => json!({
            "ok": false,
            "error": if error.code() == "json_non_finite" { "non-finite number" } else { error.code() },
            "at": error.place().map(ToString::to_string),
        }),
    };
    let mut expected = json!({ "ok": case.read::<bool>("ok")? });
    for key in ["canonical", "error", "at"] {
        if let Some(text) = case.optional::<String>(key)? {
            expected[key] = Value::String(text);
        }
    }
    Ok(Check::compared(expected, actual))
}

/// The values of the list that exist outside JavaScript: numbers that are not finite, and absent members.
#[derive(Debug, PartialEq)]
enum Host {
    Number(f64),
    Absent,
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl Host {
    /// Reads the list's own notation, a subset of JavaScript's literals.
    fn parse(notation: &str) -> Option<Self> {
        let (value, rest) = Self::value(notation.trim())?;
        (rest.trim().is_empty() && value != Self::Absent).then_some(value)
    }

    fn value(text: &str) -> Option<(Self, &str)> {
        let text = text.trim_start();
        if let Some(rest) = text.strip_prefix('[') {
            let (items, rest) = Self::items(rest, ']', |text| Self::value(text))?;
            return Some((Self::List(items), rest));
        }
        if let Some(rest) = text.strip_prefix('{') {
            let (members, rest) = Self::items(rest, '}', Self::member)?;
            return Some((Self::Object(members), rest));
        }
        let end = text.find([',', ']', '}']).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        let value = match word.trim() {
            "undefined" => Self::Absent,
            "NaN" => Self::Number(f64::NAN),
            "Infinity" => Self::Number(f64::INFINITY),
            "-Infinity" => Self::Number(f64::NEG_INFINITY),
            number if number.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
                Self::Number(number.parse().ok()?)
            }
            _ => return None,
        };
        Some((value, rest))
    }

    fn member(text: &str) -> Option<((String, Self), &str)> {
        let (key, rest) = text.split_once(':')?;
        let (value, rest) = Self::value(rest)?;
        Some(((key.trim().trim_matches('\'').to_owned(), value), rest))
    }

    fn items<'a, T>(
        mut text: &'a str,
        close: char,
        read: impl Fn(&'a str) -> Option<(T, &'a str)>,
    ) -> Option<(Vec<T>, &'a str)> {
        let mut items = Vec::new();
        loop {
            text = text.trim_start();
            if let Some(rest) = text.strip_prefix(close) {
                return Some((items, rest));
            }
            let (item, rest) = read(text)?;
            items.push(item);
            let rest = rest.trim_start();
            text = rest.strip_prefix(',').unwrap_or(rest);
        }
    }
}

impl Serialize for Host {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_f64(*number),
            // What a `None` is in a list. In an object it is left out, as `skip_serializing_if` does.
            Self::Absent => serializer.serialize_none(),
            Self::List(items) => {
                let mut list = serializer.serialize_seq(None)?;
                for item in items {
                    list.serialize_element(item)?;
                }
                list.end()
            }
            Self::Object(members) => {
                let mut map = serializer.serialize_map(None)?;
                for (key, value) in members.iter().filter(|(_, value)| *value != Self::Absent) {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}
