//! `serde_json` features are shared by the whole build. Two of them would change what is hashed;
//! one must be on. Any crate of the graph could switch them.

use serde_json::{Map, Value};

#[test]
fn preserve_order_is_off() {
    let mut map = Map::new();
    map.insert("b".to_owned(), Value::Null);
    map.insert("a".to_owned(), Value::Null);
    let keys: Vec<_> = map.keys().collect();
    assert_eq!(
        keys,
        ["a", "b"],
        "serde_json has `preserve_order` switched on"
    );
}

#[test]
fn arbitrary_precision_is_off() {
    let value: Value = serde_json::from_str("1.00000000000000000000000001").unwrap();
    assert_eq!(
        value.to_string(),
        "1.0",
        "serde_json has `arbitrary_precision` switched on"
    );
}

#[test]
fn float_roundtrip_is_on() {
    // Read without it, this is one unit off in the last place.
    let text = "51.24817837550540";
    let read: f64 = serde_json::from_str(text).unwrap();
    assert_eq!(read.to_bits(), text.parse::<f64>().unwrap().to_bits());
    for seed in 0..20_000u64 {
        let value = f64::from_bits(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        if value.is_finite() {
            let read: f64 = serde_json::from_str(&format!("{value:e}")).unwrap();
            assert_eq!(read.to_bits(), value.to_bits(), "{value:e}");
        }
    }
}
