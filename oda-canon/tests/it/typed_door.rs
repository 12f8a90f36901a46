//! Typed values to canonical bytes.

use std::collections::{BTreeMap, HashMap};

use oda_canon::{Canon, CanonError, Limits, to_string, to_vec};
use serde::ser::{SerializeMap, SerializeStruct};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

#[derive(Serialize, Clone)]
struct Everything {
    unit: (),
    none: Option<u8>,
    some: Option<u8>,
    truth: bool,
    char: char,
    bytes: &'static [u8],
    newtype: Newtype,
    tuple: (u8, &'static str),
    tuple_struct: Tuple,
    unit_struct: Unit,
    variants: Vec<Variant>,
    map: BTreeMap<String, i64>,
    float: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<u8>,
    #[serde(rename = "quo\"te")]
    quoted: u8,
}

#[derive(Serialize, Clone)]
struct Newtype(u8);

#[derive(Serialize, Clone)]
struct Tuple(u8, u8);

#[derive(Serialize, Clone)]
struct Unit;

#[derive(Serialize, Clone)]
enum Variant {
    Unit,
    Newtype(u8),
    Tuple(u8, u8),
    Struct { z: u8, a: u8 },
}

fn everything() -> Everything {
    Everything {
        unit: (),
        none: None,
        some: Some(1),
        truth: true,
        char: '\n',
        bytes: b"\x00\xff",
        newtype: Newtype(2),
        tuple: (3, "t"),
        tuple_struct: Tuple(4, 5),
        unit_struct: Unit,
        variants: vec![
            Variant::Unit,
            Variant::Newtype(6),
            Variant::Tuple(7, 8),
            Variant::Struct { z: 9, a: 10 },
        ],
        map: BTreeMap::from([("k".to_owned(), -5)]),
        float: 1.0,
        skipped: None,
        quoted: 11,
    }
}

#[test]
fn the_shape_is_that_of_serde_json() {
    let value = everything();
    let expected = concat!(
        r#"{"bytes":[0,255],"char":"\n","float":1,"map":{"k":-5},"newtype":2,"none":null,"#,
        r#""quo\"te":11,"some":1,"truth":true,"tuple":[3,"t"],"tuple_struct":[4,5],"unit":null,"#,
        r#""unit_struct":null,"variants":["Unit",{"Newtype":6},{"Tuple":[7,8]},{"Struct":{"a":10,"z":9}}]}"#
    );
    assert_eq!(to_string(&value).unwrap(), expected);
    let as_value = serde_json::to_value(&value).unwrap();
    assert_eq!(to_string(&as_value).unwrap(), expected);
    assert_eq!(
        serde_json_canonicalizer::to_string(&value).unwrap(),
        expected
    );
}

#[test]
fn numbers_must_be_doubles() {
    let fine: [(&dyn erased::Value, &str); 12] = [
        (&i8::MIN, "-128"),
        (&i64::MIN, "-9223372036854776000"),
        (&9_007_199_254_740_992u64, "9007199254740992"),
        (&-9_007_199_254_740_992i64, "-9007199254740992"),
        (&(1u64 << 60), "1152921504606847000"),
        (&(1u128 << 127), "1.7014118346046923e+38"),
        (&i128::MIN, "-1.7014118346046923e+38"),
        (&-0.0f64, "0"),
        (&0.1f32, "0.10000000149011612"),
        (&f64::MAX, "1.7976931348623157e+308"),
        (&f64::MIN_POSITIVE, "2.2250738585072014e-308"),
        (&0i128, "0"),
    ];
    for (value, expected) in fine {
        assert_eq!(value.canonical().unwrap(), expected);
    }
    let inexact: [&dyn erased::Value; 6] = [
        &9_007_199_254_740_993u64,
        &-9_007_199_254_740_993i64,
        &u64::MAX,
        &i64::MAX,
        &u128::MAX,
        // Prints as ECMAScript prints 2^60, and is another number.
        &1_152_921_504_606_847_000u64,
    ];
    for value in inexact {
        assert_eq!(
            value.canonical().unwrap_err().code(),
            "json_inexact_integer"
        );
    }
    let not_finite: [&dyn erased::Value; 3] = [&f64::NAN, &f64::NEG_INFINITY, &f32::INFINITY];
    for value in not_finite {
        assert_eq!(value.canonical().unwrap_err().code(), "json_non_finite");
    }
}

/// Values of several types in one list.
mod erased {
    use oda_canon::CanonError;

    pub(super) trait Value {
        fn canonical(&self) -> Result<String, CanonError>;
    }

    impl<T: serde::Serialize> Value for T {
        fn canonical(&self) -> Result<String, CanonError> {
            oda_canon::to_string(self)
        }
    }
}

#[track_caller]
fn refused<T: Serialize>(value: &T, code: &str, path: &str) -> CanonError {
    let error = to_vec(value).unwrap_err();
    assert_eq!((error.code(), error.path()), (code, Some(path)), "{error}");
    error
}

#[test]
fn errors_carry_the_path() {
    #[derive(Serialize)]
    struct Deep {
        list: Vec<HashMap<String, Inner>>,
    }
    #[derive(Serialize)]
    enum Inner {
        Newtype(f64),
        Tuple(u8, f64),
        Struct { field: (u8, f64) },
    }
    let at = |inner| Deep {
        list: vec![HashMap::new(), HashMap::from([("k".to_owned(), inner)])],
    };
    refused(
        &at(Inner::Newtype(f64::NAN)),
        "json_non_finite",
        "$.list[1].k.Newtype",
    );
    refused(
        &at(Inner::Tuple(1, f64::NAN)),
        "json_non_finite",
        "$.list[1].k.Tuple[1]",
    );
    refused(
        &at(Inner::Struct {
            field: (1, f64::NAN),
        }),
        "json_non_finite",
        "$.list[1].k.Struct.field[1]",
    );
    refused(&u64::MAX, "json_inexact_integer", "$");
    let weird = BTreeMap::from([("new\nline \"q\"", BTreeMap::from([("", u64::MAX)]))]);
    refused(&weird, "json_inexact_integer", "$.new\\nline \"q\".");
    let long = BTreeMap::from([("k".repeat(1000), f64::NAN)]);
    assert!(to_vec(&long).unwrap_err().to_string().len() < 200);
}

#[test]
fn keys_must_be_strings() {
    refused(&BTreeMap::from([(1, 2)]), "json_key_not_string", "$");
    refused(
        &[BTreeMap::from([(true, 2)])],
        "json_key_not_string",
        "$[0]",
    );
    refused(
        &BTreeMap::from([(None::<u8>, 2)]),
        "json_key_not_string",
        "$",
    );
    refused(&BTreeMap::from([(vec![1], 2)]), "json_key_not_string", "$");
    refused(&BTreeMap::from([((1, 2), 2)]), "json_key_not_string", "$");
    #[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
    enum Key {
        Beta,
        Alpha,
    }
    let enums = BTreeMap::from([(Key::Beta, 1), (Key::Alpha, 2)]);
    assert_eq!(to_string(&enums).unwrap(), r#"{"Alpha":2,"Beta":1}"#);
    let chars = BTreeMap::from([('b', 1), ('"', 2)]);
    assert_eq!(to_string(&chars).unwrap(), r#"{"\"":2,"b":1}"#);
    let shown = BTreeMap::from([(oda_canon::Digest::ZERO, 1)]);
    assert!(to_string(&shown).unwrap().starts_with(r#"{"sha256:000"#));
}

#[test]
fn duplicate_keys_of_a_serialize_implementation_are_refused() {
    #[derive(Serialize)]
    struct Outer {
        id: u8,
        name: u8,
        #[serde(flatten)]
        rest: BTreeMap<String, u8>,
    }
    let outer = |key: &str| Outer {
        id: 1,
        name: 2,
        rest: BTreeMap::from([(key.to_owned(), 3)]),
    };
    assert_eq!(
        to_string(&outer("extra")).unwrap(),
        r#"{"extra":3,"id":1,"name":2}"#
    );
    let error = refused(&[outer("id")], "json_duplicate_key", "$[0]");
    assert!(error.to_string().contains("\"id\""), "{error}");
    refused(&outer("name"), "json_duplicate_key", "$");
}

/// A value that shows itself in pieces, with characters to escape.
struct Shown(&'static [&'static str]);

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|piece| f.write_str(piece))
    }
}

impl Serialize for Shown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[test]
fn displayed_text_is_text_like_any_other() {
    assert_eq!(
        to_string(&Shown(&["a\"", "", "é\n", "zzzzzzzzz"])).unwrap(),
        r#""a\"é\nzzzzzzzzz""#
    );
    struct Keys;
    impl Serialize for Keys {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(None)?;
            map.serialize_entry(&Shown(&["Z"]), &1)?;
            map.serialize_entry(&Shown(&["\n", "b"]), &2)?;
            map.serialize_entry(&Shown(&["\n", "a"]), &3)?;
            map.end()
        }
    }
    assert_eq!(to_string(&Keys).unwrap(), r#"{"\na":3,"\nb":2,"Z":1}"#);
}

#[test]
fn raw_values_are_canonicalised() {
    let raw: Box<RawValue> = serde_json::from_str(r#"{ "b": 1.0, "a": [ "\u0041" ] }"#).unwrap();
    let value = BTreeMap::from([("z", raw.clone()), ("y", raw)]);
    let inner = r#"{"a":["A"],"b":1}"#;
    assert_eq!(
        to_string(&value).unwrap(),
        format!(r#"{{"y":{inner},"z":{inner}}}"#)
    );
    let duplicate: Box<RawValue> = serde_json::from_str(r#"{"a":1,"a":2}"#).unwrap();
    let error = refused(&(1, duplicate), "json_raw_value", "$[1]");
    assert!(error.to_string().contains("byte 7"), "{error}");
    // Depth counts through.
    let three = Canon::new().with_limits(Limits::default().with_depth(3));
    let nested: Box<RawValue> = serde_json::from_str("[[1]]").unwrap();
    assert!(three.to_vec(&[&nested]).is_ok());
    assert!(three.to_vec(&[[&nested]]).is_err());
}

/// What `serde_json::Number` looks like when some crate switches `arbitrary_precision` on: it
/// must not be written as a struct.
#[test]
fn numbers_in_text_form_are_numbers() {
    struct Number(&'static str);
    impl Serialize for Number {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut number = serializer.serialize_struct("$serde_json::private::Number", 1)?;
            number.serialize_field("$serde_json::private::Number", self.0)?;
            number.end()
        }
    }
    assert_eq!(to_string(&[Number("1.50")]).unwrap(), "[1.5]");
    refused(&[Number("9007199254740993")], "json_raw_value", "$[0]");
}

#[test]
fn errors_of_the_value_itself_are_passed_on() {
    struct Grumpy;
    impl Serialize for Grumpy {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("not today"))
        }
    }
    let error = refused(&json_list(Grumpy), "json_value_refused", "$[1]");
    assert_eq!(error.to_string(), "$[1]: not today");
}

fn json_list<T>(value: T) -> (Value, T) {
    (json!({"b": [], "a": {}}), value)
}

/// The working memory is kept per thread; a value that canonicalises another one while it is
/// being written must not disturb it.
#[test]
fn a_value_may_hash_another_while_it_is_written() {
    struct Hashed(Value);
    impl Serialize for Hashed {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let digest = oda_canon::digest(&self.0).map_err(serde::ser::Error::custom)?;
            serializer.collect_map([("z", digest), ("a", digest)])
        }
    }
    let inner = json!({"y": 1, "x": [2]});
    let digest = oda_canon::digest(&inner).unwrap();
    let expected = format!(r#"[{{"a":"{digest}","z":"{digest}"}},1]"#);
    assert_eq!(to_string(&(Hashed(inner), 1)).unwrap(), expected);
    // And an error in between leaves nothing behind.
    assert!(to_string(&json_list(f64::NAN)).is_err());
    assert_eq!(to_string(&[1]).unwrap(), "[1]");
}
