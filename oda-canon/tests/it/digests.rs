//! The digest type.

use oda_canon::{Digest, canonicalize, digest, digest_bytes, digest_text, feed, to_vec};
use serde_json::json;

const ABC: &str = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

#[test]
fn the_text_form_is_strict_both_ways() {
    let abc = digest_bytes(b"abc");
    assert_eq!(abc.to_string(), ABC);
    assert_eq!(format!("{abc:?}"), ABC);
    assert_eq!(ABC.parse::<Digest>().unwrap(), abc);
    assert_eq!(serde_json::to_string(&abc).unwrap(), format!("\"{ABC}\""));
    assert_eq!(
        serde_json::from_str::<Digest>(&format!("\"{ABC}\"")).unwrap(),
        abc
    );
    assert_eq!(abc.as_bytes()[..2], [0xba, 0x78]);
    let wrong = [
        ABC.to_uppercase(),
        ABC.replace('b', "B"),
        ABC.replace("sha256:", ""),
        ABC.replace("sha256:", "sha512:"),
        ABC[..ABC.len() - 1].to_owned(),
        format!("{ABC}0"),
        format!(" {ABC}"),
        ABC.replace("ad", "ag"),
        // 64 bytes, but not 64 characters.
        format!("sha256:{}", "é".repeat(32)),
        String::new(),
    ];
    for text in wrong {
        assert_eq!(
            text.parse::<Digest>().unwrap_err().code(),
            "digest_malformed",
            "{text}"
        );
        assert!(
            serde_json::from_value::<Digest>(json!(text)).is_err(),
            "{text}"
        );
    }
    assert!(serde_json::from_str::<Digest>("[1]").is_err());
}

#[test]
fn zero_is_64_zeros() {
    assert_eq!(
        Digest::ZERO.to_string(),
        format!("sha256:{}", "0".repeat(64))
    );
    assert!(Digest::ZERO < digest_bytes(b""));
}

#[test]
fn every_door_hashes_the_same_bytes() {
    // Pieces below, at and above the sizes in which they are gathered.
    for size in [
        0, 1, 31, 32, 33, 500, 991, 992, 993, 1023, 1024, 1025, 3000, 70_000,
    ] {
        let value = json!({"z": 1, "long": "x".repeat(size), "a": {"y": [], "b": "é\n"}, "k": [{"d": 1, "c": 2}]});
        let bytes = to_vec(&value).unwrap();
        assert_eq!(digest(&value).unwrap(), digest_bytes(&bytes), "{size}");
        let text = serde_json::to_vec_pretty(&value).unwrap();
        assert_eq!(digest_text(&text).unwrap(), digest_bytes(&bytes), "{size}");
        let mut fed = Vec::new();
        feed(&value, |piece| fed.extend_from_slice(piece)).unwrap();
        assert_eq!(fed, bytes, "{size}");
        assert_eq!(canonicalize(&text).unwrap(), bytes, "{size}");
    }
}

#[test]
fn nothing_is_fed_of_a_refused_value() {
    let refused = feed(&("fine", f64::NAN), |_| panic!("fed a refused value"));
    assert_eq!(refused.unwrap_err().path(), Some("$[1]"));
}
