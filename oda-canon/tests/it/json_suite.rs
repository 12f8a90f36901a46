//! The JSON parsing suite: every `y_` case is accepted, every `n_` case refused, and what we do
//! with each `i_` case is written down here.

use std::collections::BTreeSet;

use oda_canon::{canonicalize, parse_strict, to_vec};
use serde_json::Value;

use crate::suites;

/// `y_` cases that are refused on purpose: RFC 8259 allows duplicate keys, and says that what
/// readers make of them is unpredictable.
const REFUSED_Y: [(&str, &str); 2] = [
    ("y_object_duplicated_key.json", "json_duplicate_key"),
    (
        "y_object_duplicated_key_and_value.json",
        "json_duplicate_key",
    ),
];

/// What an `i_` case gives: its canonical text, or the error code.
type Choice = (&'static str, Result<&'static str, &'static str>);

/// The suite leaves these open; this is our choice for each.
const CHOICES: [Choice; 35] = [
    ("i_number_double_huge_neg_exp.json", Ok("[0]")),
    ("i_number_huge_exp.json", Err("json_non_finite")),
    ("i_number_neg_int_huge_exp.json", Err("json_non_finite")),
    ("i_number_pos_double_huge_exp.json", Err("json_non_finite")),
    ("i_number_real_neg_overflow.json", Err("json_non_finite")),
    ("i_number_real_pos_overflow.json", Err("json_non_finite")),
    ("i_number_real_underflow.json", Ok("[0]")),
    ("i_number_too_big_neg_int.json", Err("json_inexact_integer")),
    // 10^20 is exactly a double.
    (
        "i_number_too_big_pos_int.json",
        Ok("[100000000000000000000]"),
    ),
    (
        "i_number_very_big_negative_int.json",
        Err("json_inexact_integer"),
    ),
    (
        "i_object_key_lone_2nd_surrogate.json",
        Err("json_lone_surrogate"),
    ),
    (
        "i_string_1st_surrogate_but_2nd_missing.json",
        Err("json_lone_surrogate"),
    ),
    (
        "i_string_1st_valid_surrogate_2nd_invalid.json",
        Err("json_lone_surrogate"),
    ),
    ("i_string_UTF-16LE_with_BOM.json", Err("json_invalid_utf8")),
    (
        "i_string_UTF-8_invalid_sequence.json",
        Err("json_invalid_utf8"),
    ),
    (
        "i_string_UTF8_surrogate_U+D800.json",
        Err("json_invalid_utf8"),
    ),
    (
        "i_string_incomplete_surrogate_and_escape_valid.json",
        Err("json_lone_surrogate"),
    ),
    (
        "i_string_incomplete_surrogate_pair.json",
        Err("json_lone_surrogate"),
    ),
    (
        "i_string_incomplete_surrogates_escape_valid.json",
        Err("json_lone_surrogate"),
    ),
    (
        "i_string_invalid_lonely_surrogate.json",
        Err("json_lone_surrogate"),
    ),
    (
        "i_string_invalid_surrogate.json",
        Err("json_lone_surrogate"),
    ),
    ("i_string_invalid_utf-8.json", Err("json_invalid_utf8")),
    (
        "i_string_inverted_surrogates_U+1D11E.json",
        Err("json_lone_surrogate"),
    ),
    ("i_string_iso_latin_1.json", Err("json_invalid_utf8")),
    (
        "i_string_lone_second_surrogate.json",
        Err("json_lone_surrogate"),
    ),
    (
        "i_string_lone_utf8_continuation_byte.json",
        Err("json_invalid_utf8"),
    ),
    (
        "i_string_not_in_unicode_range.json",
        Err("json_invalid_utf8"),
    ),
    (
        "i_string_overlong_sequence_2_bytes.json",
        Err("json_invalid_utf8"),
    ),
    (
        "i_string_overlong_sequence_6_bytes.json",
        Err("json_invalid_utf8"),
    ),
    (
        "i_string_overlong_sequence_6_bytes_null.json",
        Err("json_invalid_utf8"),
    ),
    ("i_string_truncated-utf-8.json", Err("json_invalid_utf8")),
    ("i_string_utf16BE_no_BOM.json", Err("json_invalid_utf8")),
    ("i_string_utf16LE_no_BOM.json", Err("json_invalid_utf8")),
    ("i_structure_500_nested_arrays.json", Err("json_too_deep")),
    (
        "i_structure_UTF-8_BOM_empty_object.json",
        Err("json_byte_order_mark"),
    ),
];

#[test]
fn every_y_case_is_accepted_and_agrees_with_serde_json() {
    let Some(suite) = suites::folder("json-parsing") else {
        return;
    };
    let mut seen = 0;
    for (name, text) in suites::files(&suite) {
        if !name.starts_with("y_") {
            continue;
        }
        seen += 1;
        let result = canonicalize(&text);
        if let Some((_, code)) = REFUSED_Y.iter().find(|(refused, _)| *refused == name) {
            assert_eq!(result.unwrap_err().code(), *code, "{name}");
            continue;
        }
        let bytes = result.unwrap_or_else(|error| panic!("{name}: {error}"));
        let value: Value = parse_strict(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(to_vec(&value).unwrap(), bytes, "{name}");
        assert_eq!(
            serde_json_canonicalizer::to_vec(&value).unwrap(),
            bytes,
            "{name}"
        );
    }
    assert!(seen >= 95, "only {seen} cases");
}

#[test]
fn every_n_case_is_refused_with_a_position() {
    let Some(suite) = suites::folder("json-parsing") else {
        return;
    };
    let mut seen = 0;
    for (name, text) in suites::files(&suite) {
        if !name.starts_with("n_") {
            continue;
        }
        seen += 1;
        let Err(error) = canonicalize(&text) else {
            panic!("{name} was accepted")
        };
        let byte = error
            .byte()
            .unwrap_or_else(|| panic!("{name}: no position in {error}"));
        assert!(byte <= text.len(), "{name}: byte {byte} of {}", text.len());
        assert_eq!(parse_strict::<Value>(&text).unwrap_err(), error, "{name}");
    }
    assert!(seen >= 185, "only {seen} cases");
}

#[test]
fn every_i_case_has_a_choice_and_keeps_it() {
    let Some(suite) = suites::folder("json-parsing") else {
        return;
    };
    let mut open: BTreeSet<&str> = CHOICES.iter().map(|(name, _)| *name).collect();
    for (name, text) in suites::files(&suite) {
        if !name.starts_with("i_") {
            continue;
        }
        let choice = CHOICES.iter().find(|(known, _)| *known == name);
        let (known, expected) = choice.unwrap_or_else(|| panic!("no choice for {name}"));
        let actual = canonicalize(&text);
        let actual = actual
            .as_deref()
            .map(String::from_utf8_lossy)
            .map_err(oda_canon::CanonError::code);
        assert_eq!(
            actual.as_deref(),
            expected.as_ref().map(|text| *text),
            "{name}"
        );
        open.remove(known);
    }
    assert!(open.is_empty(), "choices without a case: {open:?}");
}
