//! JSON texts that the reference reads and this project refuses.
//!
//! Each rule has its own small reader, so that it does not ask the code that it judges.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Value, json};

use super::Place;
use crate::conformance::case::Case;

/// What a checker gives as the reference's answer for a case that cannot even be read here.
pub(crate) const READABLE: &str = "readable";

/// Half of a surrogate pair: no UTF-8 text can hold it.
pub(super) fn lone_surrogate(_: &Place<'_>, case: &Case, expected: &Value) -> Option<Value> {
    let found = if expected == READABLE {
        has_lone_surrogate(case.text())
    } else {
        has_lone_surrogate(&case.read::<String>("json_text").ok()?)
    };
    found.then(|| json!({ "error": "json_lone_surrogate" }))
}

/// A key that stands twice in one object: readers disagree about its value.
pub(super) fn duplicate_keys(_: &Place<'_>, case: &Case, _: &Value) -> Option<Value> {
    let text: String = case.read("json_text").ok()?;
    let Unique(unique) = serde_json::from_str(&text).ok()?;
    (!unique).then(|| json!({ "error": "json_duplicate_key" }))
}

/// An integer that would be hashed like its neighbour, because a double cannot hold it.
pub(super) fn inexact_integer(_: &Place<'_>, case: &Case, _: &Value) -> Option<Value> {
    let text: String = case.read("json_text").ok()?;
    numbers(&text)
        .into_iter()
        .any(is_inexact)
        .then(|| json!({ "error": "json_inexact_integer" }))
}

/// Whether a JSON text escapes half of a surrogate pair.
pub(crate) fn has_lone_surrogate(text: &str) -> bool {
    let units = escapes(text);
    units
        .iter()
        .enumerate()
        .any(|(place, (at, unit))| match unit {
            0xD800..=0xDBFF => !matches!(
                units.get(place + 1),
                Some((next, 0xDC00..=0xDFFF)) if *next == at + 6
            ),
            0xDC00..=0xDFFF => !matches!(
                place.checked_sub(1).and_then(|before| units.get(before)),
                Some((last, 0xD800..=0xDBFF)) if *last + 6 == *at
            ),
            _ => false,
        })
}

/// Every `\uXXXX` of a text, with its place in bytes.
fn escapes(text: &str) -> Vec<(usize, u32)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        let digits = text.get(at + 2..at + 6);
        match (
            bytes.get(at + 1),
            digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()),
        ) {
            (Some(b'u'), Some(unit)) => {
                found.push((at, unit));
                at += 6;
            }
            _ => at += 2,
        }
    }
    found
}

/// The number literals of a JSON text.
fn numbers(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
        rest = &rest[start..];
        if let Some(inside) = rest.strip_prefix('"') {
            rest = after_string(inside);
        } else {
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            found.push(&rest[..end]);
            rest = &rest[end..];
        }
    }
    found
}

fn after_string(inside: &str) -> &str {
    let mut escaped = false;
    for (at, c) in inside.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return &inside[at + 1..],
            _ => {}
        }
    }
    ""
}

/// A literal without a fraction whose digits are neither those of its double nor those of the double's shortest
/// text.
fn is_inexact(literal: &str) -> bool {
    let Some(digits) = integer_digits(literal) else {
        return false;
    };
    let Ok(double) = literal.parse::<f64>() else {
        return false;
    };
    if !double.is_finite() {
        return false;
    }
    let exact = format!("{:.0}", double.abs());
    let shortest = integer_digits(&format!("{:e}", double.abs()));
    digits != exact && Some(digits) != shortest
}

/// The decimal digits of an integer literal, its exponent written out; `None` for one with a fraction.
fn integer_digits(literal: &str) -> Option<String> {
    // Longer than the longest double written out: such a literal is not finite.
    const MOST_ZEROS: usize = 400;
    let literal = literal.trim_start_matches('-');
    let (mantissa, exponent) = literal.split_once(['e', 'E']).unwrap_or((literal, "0"));
    let exponent: usize = exponent.trim_start_matches('+').parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if exponent > MOST_ZEROS || fraction.len() > exponent {
        return None;
    }
    let zeros = "0".repeat(exponent - fraction.len());
    let digits = format!("{whole}{fraction}{zeros}");
    let trimmed = digits.trim_start_matches('0');
    Some(if trimmed.is_empty() {
        "0".to_owned()
    } else {
        trimmed.to_owned()
    })
}

/// Whether no object of a document has a key twice.
struct Unique(bool);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Unique;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Unique, E> {
        Ok(Unique(true))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Unique, E> {
        Ok(Unique(true))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Unique, E> {
        Ok(Unique(true))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Unique, E> {
        Ok(Unique(true))
    }

    fn visit_str<E>(self, _: &str) -> Result<Unique, E> {
        Ok(Unique(true))
    }

    fn visit_unit<E>(self) -> Result<Unique, E> {
        Ok(Unique(true))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Unique, A::Error> {
        let mut unique = true;
        while let Some(Unique(inner)) = items.next_element()? {
            unique &= inner;
        }
        Ok(Unique(unique))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Unique, A::Error> {
        let mut keys = HashSet::new();
        let mut unique = true;
        while let Some((key, Unique(inner))) = members.next_entry::<String, Unique>()? {
            unique &= inner & keys.insert(key);
        }
        Ok(Unique(unique))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates() {
        for lone in [
            r#""\ud800""#,
            r#""\udc00""#,
            r#""\udc00\ud800""#,
            r#""\ud800x\udc00""#,
        ] {
            assert!(has_lone_surrogate(lone), "{lone}");
        }
        for whole in [
            r#""\ud83d\ude00""#,
            r#""\\ud800""#,
            r#""é\uffff""#,
            r#"{"a":1}"#,
        ] {
            assert!(!has_lone_surrogate(whole), "{whole}");
        }
    }

    #[test]
    fn repeated_keys() {
        let unique = |text| serde_json::from_str::<Unique>(text).unwrap().0;
        assert!(unique(r#"{"a":{"b":1},"b":[{"a":1},{"a":2}]}"#));
        assert!(!unique(r#"{"a":[{"b":1,"b":1}]}"#));
        assert!(!unique(r#"{"a":1,"\u0061":2}"#));
    }

    #[test]
    fn inexact_integers() {
        for inexact in [
            "9007199254740993",
            "-9007199254740993",
            "115792089237316195423570985008687907853269984665640564039457584007913129639935",
        ] {
            assert!(is_inexact(inexact), "{inexact}");
        }
        for exact in [
            "0",
            "-0",
            "9007199254740992",
            "1e23",
            "295147905179352830000",
            "100000000000000000000000",
            "0.1",
            "1e400",
            "1.5e3",
        ] {
            assert!(!is_inexact(exact), "{exact}");
        }
        assert_eq!(numbers(r#"{"1":[-2,"3\"4",5e6]}"#), ["-2", "5e6"]);
    }
}
