//! Properties over random documents, and agreement with two other implementations.

use std::cmp::Ordering;

use oda_canon::{canonicalize, digest, digest_bytes, parse_strict, to_string, to_vec};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Map, Number, Value};

/// Any double, with those that print in unusual ways made likely.
fn double() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<u64>()
            .prop_map(f64::from_bits)
            .prop_filter("finite", |value| value.is_finite()),
        (-400i32..400, -999i32..999).prop_map(|(e, m)| f64::from(m) * 10f64.powi(e / 10)),
        (0i32..1100)
            .prop_map(|e| 2f64.powi(e - 76))
            .prop_filter("finite", |value| value.is_finite()),
    ]
}

/// Text with escapes, several scripts and both sides of the surrogates.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c]{0,12}",
        "[\u{0}-\u{22}\\\\/a]{0,20}",
        "[\u{20}-\u{7f}]{0,70}",
        "[a\u{e9}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{1f600}\u{10ffff}]{0,10}",
        any::<String>(),
    ]
}

fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-(1i64 << 53)..=1 << 53).prop_map(Value::from),
        double().prop_map(|value| Number::from_f64(value).map_or(Value::Null, Value::Number)),
        text().prop_map(Value::String),
    ];
    leaf.prop_recursive(6, 80, 12, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..8).prop_map(Value::Array),
            btree_map(text(), inner, 0..12).prop_map(|map| Value::Object(Map::from_iter(map))),
        ]
    })
}

/// Writes a document in a random order of members, with random white space and spelling.
fn spell(value: &Value, dice: &mut impl FnMut(usize) -> usize, out: &mut String) {
    let space = |dice: &mut dyn FnMut(usize) -> usize, out: &mut String| {
        out.push_str(["", " ", "\n\t", "\r"][dice(4)]);
    };
    space(dice, out);
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                spell(item, dice, out);
            }
            space(dice, out);
            out.push(']');
        }
        Value::Object(map) => {
            let mut members: Vec<_> = map.iter().collect();
            for index in (1..members.len()).rev() {
                members.swap(index, dice(index + 1));
            }
            out.push('{');
            for (index, (key, item)) in members.into_iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                space(dice, out);
                spell_string(key, dice, out);
                space(dice, out);
                out.push(':');
                spell(item, dice, out);
            }
            space(dice, out);
            out.push('}');
        }
        Value::String(text) => spell_string(text, dice, out),
        other => out.push_str(&other.to_string()),
    }
    space(dice, out);
}

fn spell_string(text: &str, dice: &mut impl FnMut(usize) -> usize, out: &mut String) {
    out.push('"');
    for char in text.chars() {
        if char < ' ' || matches!(char, '"' | '\\') || dice(5) == 0 {
            for unit in char.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04X}"));
            }
        } else {
            out.push(char);
        }
    }
    out.push('"');
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn agrees_with_two_other_implementations(value in document()) {
        let ours = to_string(&value).unwrap();
        prop_assert_eq!(&ours, &serde_json_canonicalizer::to_string(&value).unwrap());
        prop_assert_eq!(&ours, &serde_jcs::to_string(&value).unwrap());
        prop_assert_eq!(digest(&value).unwrap(), digest_bytes(ours.as_bytes()));
    }

    #[test]
    fn spelling_does_not_matter(value in document(), seed in any::<u64>()) {
        let mut state = seed | 1;
        let mut dice = |sides: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state % 1_000_003).unwrap() % sides
        };
        let mut text = String::new();
        spell(&value, &mut dice, &mut text);
        let canonical = canonicalize(text.as_bytes()).unwrap();
        prop_assert_eq!(&canonical, &to_vec(&value).unwrap());
    }

    #[test]
    fn canonical_text_is_its_own_canonical_text(value in document()) {
        let once = to_vec(&value).unwrap();
        let text = serde_json::to_vec_pretty(&value).unwrap();
        prop_assert_eq!(&canonicalize(&text).unwrap(), &once);
        prop_assert_eq!(&canonicalize(&once).unwrap(), &once);
        let back: Value = parse_strict(&once).unwrap();
        // Equal as documents: numbers may have changed between integer and double.
        prop_assert_eq!(&canonicalize(&serde_json::to_vec(&back).unwrap()).unwrap(), &once);
    }

    #[test]
    fn doubles_keep_their_value_and_their_shortest_text(value in double()) {
        let text = to_string(&value).unwrap();
        prop_assert_eq!(text.parse::<f64>().unwrap(), value);
        prop_assert_eq!(&canonicalize(text.as_bytes()).unwrap(), text.as_bytes());
        // Rust prints the shortest digits too, but halfway between two of them it rounds up where
        // ECMAScript takes the even one.
        let digits = |text: &str| -> usize {
            let mantissa = text.split('e').next().unwrap_or_default();
            let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
            digits.trim_matches('0').len()
        };
        prop_assert_eq!(digits(&text), digits(&format!("{value:e}")));
    }

    #[test]
    fn integers_are_exact_or_refused(value in any::<i128>(), shift in 0u32..128) {
        let value = value >> shift;
        let exact = value == 0 || {
            let magnitude = value.unsigned_abs();
            128 - magnitude.leading_zeros() - magnitude.trailing_zeros() <= 53
        };
        let typed = to_string(&value);
        prop_assert_eq!(typed.is_ok(), exact);
        if let Ok(typed) = typed {
            prop_assert_eq!(canonicalize(value.to_string().as_bytes()).unwrap(), typed.as_bytes());
        }
    }

    #[test]
    fn keys_are_in_utf16_order(keys in proptest::collection::btree_set(text(), 0..20)) {
        let map: Map<String, Value> = keys.iter().map(|key| (key.clone(), Value::Null)).collect();
        let mut sorted: Vec<&String> = keys.iter().collect();
        sorted.sort_by(|a, b| a.encode_utf16().cmp(b.encode_utf16()));
        let expected: Vec<String> =
            sorted.iter().map(|key| format!("{}:null", to_string(*key).unwrap())).collect();
        prop_assert_eq!(to_string(&map).unwrap(), format!("{{{}}}", expected.join(",")));
    }

    #[test]
    fn any_bytes_are_accepted_or_refused_with_a_position(bytes in vec(any::<u8>(), 0..60)) {
        check_any_bytes(&bytes)?;
    }

    #[test]
    fn damaged_documents_are_accepted_or_refused_with_a_position(
        value in document(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = serde_json::to_vec(&value).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        check_any_bytes(&bytes)?;
    }
}

/// What we accept, `serde_json` accepts and the peer writes alike; what we refuse without it
/// being one of our stricter rules, `serde_json` refuses.
fn check_any_bytes(bytes: &[u8]) -> Result<(), TestCaseError> {
    let theirs = serde_json::from_slice::<Value>(bytes);
    match canonicalize(bytes) {
        Ok(ours) => {
            let theirs = theirs.unwrap();
            prop_assert_eq!(&ours, &serde_json_canonicalizer::to_vec(&theirs).unwrap());
        }
        Err(error) => {
            prop_assert_ne!(error.byte().unwrap().cmp(&bytes.len()), Ordering::Greater);
            let stricter = ["json_duplicate_key", "json_inexact_integer"];
            prop_assert!(
                theirs.is_err() || stricter.contains(&error.code()),
                "{}",
                error
            );
        }
    }
    Ok(())
}
