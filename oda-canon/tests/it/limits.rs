//! Depth and size limits, at their edges.

use oda_canon::{Canon, Limits, MAX_DEPTH, MAX_LIMIT_BYTES, MAX_TEXT_BYTES, canonicalize, to_vec};
use serde_json::Value;

fn nested(levels: usize) -> String {
    format!("{}1{}", "[".repeat(levels), "]".repeat(levels))
}

#[test]
fn depth_is_exact_at_both_doors() {
    let deepest = usize::from(MAX_DEPTH);
    assert!(canonicalize(nested(deepest).as_bytes()).is_ok());
    let error = canonicalize(nested(deepest + 1).as_bytes()).unwrap_err();
    assert_eq!(
        (error.code(), error.byte()),
        ("json_too_deep", Some(deepest))
    );

    let value: Value = serde_json::from_str(&nested(deepest)).unwrap();
    assert!(to_vec(&value).is_ok());
    let error = to_vec(&[value]).unwrap_err();
    assert_eq!(error.code(), "json_too_deep");
    assert_eq!(error.path().unwrap(), format!("${}", "[0]".repeat(deepest)));
}

#[test]
fn objects_variants_and_empty_containers_count() {
    #[derive(serde::Serialize)]
    enum Wrapped {
        One(Vec<u8>),
    }
    let two = Canon::new().with_limits(Limits::default().with_depth(2));
    assert!(two.canonicalize(br#"{"a":[]}"#).is_ok());
    assert_eq!(
        two.canonicalize(br#"{"a":[{}]}"#).unwrap_err().byte(),
        Some(6)
    );
    assert!(two.to_vec(&Wrapped::One(vec![])).is_ok());
    let error = two.to_vec(&[Wrapped::One(vec![])]).unwrap_err();
    assert_eq!(error.path(), Some("$[0].One"));
    let none = Canon::new().with_limits(Limits::default().with_depth(0));
    assert!(none.canonicalize(b"1").is_ok());
    assert_eq!(
        none.canonicalize(b"[]").unwrap_err().code(),
        "json_too_deep"
    );
}

#[test]
fn size_is_exact_at_both_doors() {
    let ten = Canon::new().with_limits(Limits::default().with_bytes(10));
    assert!(ten.canonicalize(b"\"12345678\"").is_ok());
    assert_eq!(
        ten.canonicalize(b"\"123456789\"").unwrap_err().code(),
        "json_too_large"
    );
    // White space counts in a text that is read, not in one that is written.
    assert_eq!(
        ten.canonicalize(b"          1").unwrap_err().code(),
        "json_too_large"
    );
    assert!(ten.to_vec("12345678").is_ok());
    for refused in [ten.to_vec("123456789"), ten.to_vec(&"\n".repeat(5))] {
        assert_eq!(refused.unwrap_err().code(), "json_too_large");
    }
    // Text can grow while it is written.
    assert_eq!(
        ten.canonicalize(b"1e20").unwrap_err().code(),
        "json_too_large"
    );
    let error = ten.to_vec(&[vec![1; 3], vec![2; 3]]).unwrap_err();
    assert_eq!(error.code(), "json_too_large");
    assert!(error.path().is_some());
}

#[test]
fn the_default_size_limit_holds() {
    let text = format!("\"{}\"", "x".repeat(MAX_TEXT_BYTES - 2));
    assert!(canonicalize(text.as_bytes()).is_ok());
    let text = format!("\"{}\"", "x".repeat(MAX_TEXT_BYTES - 1));
    let error = canonicalize(text.as_bytes()).unwrap_err();
    assert_eq!(
        (error.code(), error.byte()),
        ("json_too_large", Some(MAX_TEXT_BYTES))
    );
}

#[test]
fn endless_values_are_stopped() {
    struct Endless;
    impl serde::Serialize for Endless {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(std::iter::repeat(1))
        }
    }
    struct EndlessText;
    impl std::fmt::Display for EndlessText {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            loop {
                f.write_str("again and ")?;
            }
        }
    }
    struct Shown;
    impl serde::Serialize for Shown {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(&EndlessText)
        }
    }
    let small = Canon::new().with_limits(Limits::default().with_bytes(1000));
    assert_eq!(small.to_vec(&Endless).unwrap_err().code(), "json_too_large");
    assert_eq!(small.to_vec(&Shown).unwrap_err().code(), "json_too_large");
}

#[test]
fn the_size_limit_has_a_ceiling() {
    assert_eq!(
        Limits::default().with_bytes(usize::MAX).bytes(),
        MAX_LIMIT_BYTES
    );
    assert_eq!(Limits::default().depth(), MAX_DEPTH);
}
