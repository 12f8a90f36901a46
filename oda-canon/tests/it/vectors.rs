//! The shared vectors: golden results of the ODA reference implementation.

use std::path::Path;

use oda_canon::{canonicalize, digest, digest_bytes, digest_text, parse_strict, to_string};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Vectors {
    from_json_text: Vec<TextCase>,
    host_values: Vec<HostCase>,
}

#[derive(Deserialize)]
struct TextCase {
    name: String,
    json_text: String,
    canonical: String,
    canonical_utf8_hex: String,
    sha256: String,
}

#[derive(Deserialize)]
struct HostCase {
    name: String,
    ok: bool,
    canonical: Option<String>,
    at: Option<String>,
}

/// Where we refuse what the reference accepts, and with which code: the table of the crate docs.
const STRICTER: [(&str, &str); 5] = [
    ("lone high surrogate in a string", "json_lone_surrogate"),
    ("lone low surrogate in a string", "json_lone_surrogate"),
    ("number 2^53+1 rounds", "json_inexact_integer"),
    ("number uint256 max loses digits", "json_inexact_integer"),
    ("duplicate keys: last wins at parse", "json_duplicate_key"),
];

fn vectors() -> Vectors {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../oda-testkit/testdata/vectors/oda-canonical.json");
    parse_strict(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn every_text_case_matches_or_is_refused_on_purpose() {
    let cases = vectors().from_json_text;
    let mut refused = 0;
    for case in &cases {
        let result = canonicalize(case.json_text.as_bytes());
        if let Some((_, code)) = STRICTER.iter().find(|(name, _)| *name == case.name) {
            assert_eq!(result.unwrap_err().code(), *code, "{}", case.name);
            refused += 1;
            continue;
        }
        let bytes = result.unwrap_or_else(|error| panic!("{}: {error}", case.name));
        assert_eq!(
            String::from_utf8_lossy(&bytes),
            case.canonical,
            "{}",
            case.name
        );
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, case.canonical_utf8_hex, "{}", case.name);
        assert_eq!(
            digest_bytes(&bytes).to_string(),
            case.sha256,
            "{}",
            case.name
        );
        assert_eq!(
            digest_text(case.json_text.as_bytes()).unwrap().to_string(),
            case.sha256
        );
        // The same document through the typed door.
        let value: Value = serde_json::from_str(&case.json_text).unwrap();
        assert_eq!(
            digest(&value).unwrap().to_string(),
            case.sha256,
            "{}",
            case.name
        );
        assert_eq!(canonicalize(&bytes).unwrap(), bytes, "{}", case.name);
    }
    assert_eq!(
        refused,
        STRICTER.len(),
        "a stricter case is gone from the vectors"
    );
}

/// The host values that exist in Rust, as Rust has them. The others (functions, symbols, bigint,
/// boxed numbers, sparse arrays, `toJSON`, a `Date` or `Map` losing its content) have no
/// counterpart: what cannot be written cannot be written wrongly.
#[test]
fn host_values_that_exist_in_rust_agree() {
    #[derive(Serialize)]
    struct Absent {
        #[serde(skip_serializing_if = "Option::is_none")]
        a: Option<u8>,
        b: u8,
        c: Inner,
    }
    #[derive(Serialize)]
    struct Inner {
        #[serde(skip_serializing_if = "Option::is_none")]
        d: Option<u8>,
    }
    let nan = f64::NAN;
    let nested = Keyed("a", Keyed("b", (1, nan)));
    let results = [
        ("NaN root", to_string(&nan)),
        ("Infinity root", to_string(&f64::INFINITY)),
        (
            "-Infinity in object",
            to_string(&Keyed("a", f64::NEG_INFINITY)),
        ),
        ("NaN in nested array", to_string(&nested)),
        (
            "undefined property omitted",
            to_string(&Absent {
                a: None,
                b: 1,
                c: Inner { d: None },
            }),
        ),
        (
            "undefined array element is null",
            to_string(&[Some(1), None, Some(2)]),
        ),
    ];
    let cases = vectors().host_values;
    for (name, result) in results {
        let case = cases.iter().find(|case| case.name == name).unwrap();
        match result {
            Ok(text) => assert!(
                case.ok && case.canonical.as_deref() == Some(&*text),
                "{name}: {text}"
            ),
            Err(error) => {
                assert!(!case.ok, "{name}");
                assert_eq!(error.code(), "json_non_finite", "{name}");
                assert_eq!(error.path(), case.at.as_deref(), "{name}");
            }
        }
    }
    let overflow = cases
        .iter()
        .find(|case| case.name.starts_with("JSON text 1e400"))
        .unwrap();
    assert!(!overflow.ok);
    assert_eq!(
        canonicalize(b"1e400").unwrap_err().code(),
        "json_non_finite"
    );
    let spaced = to_string(&Keyed("a b", [Keyed("c", nan)])).unwrap_err();
    assert_eq!(spaced.path(), Some("$.a b[0].c"), "dotted keys and [i]");
    assert_eq!(to_string(&json!({})).unwrap(), "{}");
}

/// An object with one member.
struct Keyed<T>(&'static str, T);

impl<T: Serialize> Serialize for Keyed<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(self.0, &self.1)])
    }
}
