//! JSON text to canonical bytes: what is written, what is refused, and where.

use oda_canon::canonicalize;

fn canonical(text: &str) -> String {
    let bytes = canonicalize(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
    String::from_utf8(bytes).unwrap()
}

#[track_caller]
fn refused(text: impl AsRef<[u8]>, code: &str, byte: usize) {
    let error = canonicalize(text.as_ref()).unwrap_err();
    assert_eq!((error.code(), error.byte()), (code, Some(byte)), "{error}");
}

#[test]
fn strings_have_the_fewest_escapes() {
    assert_eq!(
        canonical(r#""\u0041\/\u00e9\u20ac\ud83d\ude00""#),
        "\"A/é€😀\""
    );
    assert_eq!(
        canonical(r#""\u0008\u0009\u000A\u000c\u000D\u0022\u005C""#),
        r#""\b\t\n\f\r\"\\""#
    );
    assert_eq!(
        canonical(r#""\u0000\u001F\u007f\u2028""#),
        "\"\\u0000\\u001f\u{7f}\u{2028}\""
    );
    // Escapes at every place of an eight-byte word, and at its borders.
    for before in 0..40 {
        let plain = "x".repeat(before);
        for after in [0, 1, 7, 8, 9, 33] {
            let rest = "y".repeat(after);
            let text = format!("\"{plain}\\n{rest}\"");
            assert_eq!(canonical(&text), text);
            let spelled = format!("\"{plain}\\u000a{rest}\"");
            assert_eq!(canonical(&spelled), text);
        }
    }
}

#[test]
fn keys_sort_by_utf16_units_of_their_text() {
    assert_eq!(
        canonical(r#"{"\ufb33":1,"\ud83d\ude00":2,"\u20ac":3}"#),
        "{\"€\":3,\"😀\":2,\"\u{fb33}\":1}"
    );
    // The difference lies beyond the first eight bytes.
    assert_eq!(
        canonical(r#"{"12345678b":1,"12345678a":2}"#),
        r#"{"12345678a":2,"12345678b":1}"#
    );
    assert_eq!(
        canonical("{\"12345678\u{e000}\":1,\"12345678😀\":2,\"12345678\":3}"),
        "{\"12345678\":3,\"12345678😀\":2,\"12345678\u{e000}\":1}"
    );
    // The escape of a line feed starts with a backslash, which would sort after letters.
    assert_eq!(
        canonical(r#"{"Z":1,"\n":2,"":3,"\u0000":4,"\"":5,"!":6}"#),
        r#"{"":3,"\u0000":4,"\n":2,"!":6,"\"":5,"Z":1}"#
    );
    assert_eq!(
        canonical(r#"{"a\u0000":1,"a":2,"a\u0000\u0000b":3,"a\u0000\u0000":4}"#),
        r#"{"a":2,"a\u0000":1,"a\u0000\u0000":4,"a\u0000\u0000b":3}"#
    );
    assert_eq!(
        canonical(r#"{"10":1,"9":2,"1":3}"#),
        r#"{"1":3,"10":1,"9":2}"#
    );
}

#[test]
fn unsorted_inside_sorted_inside_unsorted() {
    let text =
        r#"{"b":[{"a":{"z":1,"y":[{"q":0,"p":{}}]},"c":2},3],"a":{"m":{"o":1,"n":2}},"c":[]}"#;
    let expected =
        r#"{"a":{"m":{"n":2,"o":1}},"b":[{"a":{"y":[{"p":{},"q":0}],"z":1},"c":2},3],"c":[]}"#;
    assert_eq!(canonical(text), expected);
    assert_eq!(canonical(expected), expected);
}

#[test]
fn duplicates_are_found_wherever_they_stand() {
    refused(r#"{"a":1,"a":2}"#, "json_duplicate_key", 7);
    refused(r#"{"b":1,"a":2,"c":3,"b":4}"#, "json_duplicate_key", 19);
    refused(r#"[{"x":{"b":1,"a":{},"b":4}}]"#, "json_duplicate_key", 20);
    // The same text, spelled differently.
    refused(r#"{"a":1,"\u0061":2}"#, "json_duplicate_key", 7);
    refused(r#"{"\n":1,"b":1,"\u000a":2}"#, "json_duplicate_key", 14);
    refused(r#"{"":1,"":2}"#, "json_duplicate_key", 6);
    let long = "k".repeat(500);
    refused(
        format!(r#"{{"{long}":1,"a":1,"{long}":2}}"#),
        "json_duplicate_key",
        512,
    );
    // Among so many that they are sorted in another way.
    let many: String = (0..200).rev().map(|key| format!("\"{key}\":0,")).collect();
    let at = many.len() + 1;
    refused(format!("{{{many}\"77\":1}}"), "json_duplicate_key", at);
    let error = canonicalize(format!(r#"{{"{long}":1,"{long}":2}}"#).as_bytes()).unwrap_err();
    assert!(error.to_string().len() < 200, "{error}");
    // Not duplicates.
    assert_eq!(
        canonical(r#"{"e\u0301":1,"é":2}"#),
        "{\"e\u{301}\":1,\"é\":2}"
    );
    assert_eq!(
        canonical(r#"{"a":{"a":1},"A":1}"#),
        r#"{"A":1,"a":{"a":1}}"#
    );
}

#[test]
fn numbers_are_those_of_ecmascript() {
    let cases = [
        ("-0", "0"),
        ("0.0", "0"),
        ("-0.0e5", "0"),
        ("0e99999999999999999999", "0"),
        ("1.0", "1"),
        ("1.50", "1.5"),
        ("1E2", "100"),
        ("1e+2", "100"),
        ("0.000001", "0.000001"),
        ("0.0000001", "1e-7"),
        ("0.0000015", "0.0000015"),
        ("0.00000015", "1.5e-7"),
        ("123e-10", "1.23e-8"),
        ("1e20", "100000000000000000000"),
        ("1e21", "1e+21"),
        ("123456789012345e6", "123456789012345000000"),
        ("123456789012345e7", "1.23456789012345e+21"),
        ("-1.25e3", "-1250"),
        ("0.1", "0.1"),
        ("0.30000000000000004", "0.30000000000000004"),
        ("0.1000000000000000055511151231257827", "0.1"),
        ("5e-324", "5e-324"),
        ("4.9e-324", "5e-324"),
        ("1e-400", "0"),
        ("-1e-400", "0"),
        ("2.2250738585072014e-308", "2.2250738585072014e-308"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("9007199254740991", "9007199254740991"),
        ("9007199254740992.0", "9007199254740992"),
        ("9007199254740993.5", "9007199254740994"),
        ("1e23", "1e+23"),
        ("100000000000000000000000", "1e+23"),
        ("999999999999999900000", "999999999999999900000"),
        ("919108597226491.25", "919108597226491.2"),
        ("12345.678e-3", "12.345678"),
        // 2^60, 2^64, 2^68: exact, or as ECMAScript writes them.
        ("1152921504606846976", "1152921504606847000"),
        ("1152921504606847000", "1152921504606847000"),
        ("18446744073709551616", "18446744073709552000"),
        ("18446744073709551616e0", "18446744073709552000"),
        ("295147905179352825856", "295147905179352830000"),
        ("295147905179352830000", "295147905179352830000"),
        ("1152921504606846976000e-3", "1152921504606847000"),
    ];
    for (text, expected) in cases {
        assert_eq!(canonical(text), expected, "{text}");
        assert_eq!(canonical(expected), expected, "{text}");
        let serde = serde_json::from_str::<f64>(text).unwrap();
        assert_eq!(oda_canon::to_string(&serde).unwrap(), expected, "{text}");
    }
}

/// Found by the fuzz target: the saturated exponent and the zeros before the first digit added
/// up to the smallest `i64`, whose magnitude is not an `i64`, and a short mantissa then took the
/// path for ordinary exponents.
#[test]
fn exponents_beyond_all_bounds_saturate() {
    let huge = "9".repeat(100);
    for zeros in 0..20 {
        let zeros = "0".repeat(zeros);
        for mantissa in ["1", "108", "12345678901234567"] {
            assert_eq!(canonical(&format!("0.{zeros}{mantissa}e-{huge}")), "0");
            assert_eq!(
                canonical(&format!("-{mantissa}{zeros}.0{zeros}e-{huge}")),
                "0"
            );
            refused(format!("0.{zeros}{mantissa}e{huge}"), "json_non_finite", 0);
            refused(
                format!("{mantissa}{zeros}.0{zeros}e+{huge}"),
                "json_non_finite",
                0,
            );
        }
    }
    for exponent in [i64::MIN, i64::MIN + 1, i64::MIN + 2] {
        assert_eq!(canonical(&format!("0.001e{exponent}")), "0");
    }
}

#[test]
fn integers_that_would_change_are_refused() {
    for text in [
        "9007199254740993",
        "-9007199254740993",
        "9007199254740993.0",
        "9007199254740993e0",
        "90071992547409930e-1",
        "900719925474099.3e1",
        "1152921504606846977",
        "18446744073709551615",
        "18446744073709551615.00",
        "295147905179352825857",
        "123456789012345678901234567890",
        "100000000000000000000001",
        "179769313486231570000000000000000000001e270",
    ] {
        refused(text, "json_inexact_integer", 0);
        refused(format!("[1, {text}]"), "json_inexact_integer", 4);
    }
    let long = canonicalize("7".repeat(300).as_bytes()).unwrap_err();
    assert!(long.to_string().len() < 200, "{long}");
    for text in ["1e309", "-1e309", "1e99999999999999999999999", "1.8e308"] {
        refused(text, "json_non_finite", 0);
    }
    refused("7".repeat(400), "json_non_finite", 0);
}

#[test]
fn broken_text_is_refused_where_it_breaks() {
    for (text, code, byte) in [
        ("", "json_syntax", 0),
        ("  ", "json_syntax", 2),
        ("[1,]", "json_syntax", 3),
        ("[1 2]", "json_syntax", 3),
        ("{\"a\"}", "json_syntax", 4),
        ("{\"a\":}", "json_syntax", 5),
        ("{\"a\":1,}", "json_syntax", 7),
        ("{a:1}", "json_syntax", 1),
        ("{\"a\":1", "json_syntax", 6),
        ("[", "json_syntax", 1),
        ("]", "json_syntax", 0),
        ("[1}", "json_syntax", 2),
        ("{\"a\":1]", "json_syntax", 6),
        ("nul", "json_syntax", 3),
        ("nulL", "json_syntax", 3),
        ("01", "json_syntax", 1),
        ("-", "json_syntax", 1),
        ("1.", "json_syntax", 2),
        ("1e", "json_syntax", 2),
        ("1e+", "json_syntax", 3),
        (".5", "json_syntax", 0),
        ("+1", "json_syntax", 0),
        ("1.5.5", "json_trailing_bytes", 3),
        ("\"a", "json_syntax", 2),
        ("\"a\nb\"", "json_syntax", 2),
        ("\"\\x\"", "json_syntax", 2),
        ("\"\\u12\"", "json_syntax", 5),
        ("\"\\u12G4\"", "json_syntax", 5),
        ("NaN", "json_syntax", 0),
        ("'a'", "json_syntax", 0),
        ("1 // one", "json_trailing_bytes", 2),
        ("null\0", "json_trailing_bytes", 4),
        ("{} {}", "json_trailing_bytes", 3),
        ("\u{a0}1", "json_syntax", 0),
        ("\"\\ud800\"", "json_lone_surrogate", 1),
        ("\"x\\udc00y\"", "json_lone_surrogate", 2),
        ("\"\\ud800\\ud800\"", "json_lone_surrogate", 1),
        ("\"\\ud800\\n\"", "json_lone_surrogate", 1),
        ("\"\\ud800\\u\"", "json_syntax", 9),
        ("{\"\\ud800\":1}", "json_lone_surrogate", 2),
        ("\u{feff}1", "json_byte_order_mark", 0),
    ] {
        let error = canonicalize(text.as_bytes()).unwrap_err();
        assert_eq!(
            (error.code(), error.byte()),
            (code, Some(byte)),
            "{text:?}: {error}"
        );
    }
    refused(b"[\"\xff\"]", "json_invalid_utf8", 2);
    refused(b"[1,\xc0\x80]", "json_invalid_utf8", 3);
    refused(b"\xed\xa0\x80", "json_invalid_utf8", 0);
}

/// The UTF-8 check is not the standard library's; it must agree with it at every length.
#[test]
fn invalid_utf8_is_found_at_its_first_byte() {
    for before in 0..200 {
        for after in [0, 1, 50] {
            for bad in [
                &b"\xff"[..],
                b"\xc3",
                b"\xe2\x82",
                b"\xf0\x9f\x98",
                b"\xc0\xaf",
                b"\xed\xbf\xbf",
                b"\xf4\x90\x80\x80",
            ] {
                let mut text = b"\"".to_vec();
                text.extend("\u{e9}".bytes().cycle().take(before / 2 * 2));
                text.extend(std::iter::repeat_n(b'x', before % 2));
                text.extend(bad);
                text.extend(std::iter::repeat_n(b'y', after));
                text.push(b'"');
                let expected = std::str::from_utf8(&text).unwrap_err().valid_up_to();
                refused(&text, "json_invalid_utf8", expected);
            }
        }
    }
}
