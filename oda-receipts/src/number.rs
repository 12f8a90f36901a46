//! Numbers on their way from JSON text into `serde_json` values and back.

use serde_json::{Number, Value};

/// The largest integer up to which every integer is a double of its own.
const MAX_EXACT: u64 = 1 << 53;

/// Turns large integers that are the shortest text of a double into that double.
///
/// Canonical JSON writes the double 1e20 as `100000000000000000000`, and `serde_json` reads such
/// text as an integer when it fits 64 bits. Taken as an integer it would be refused, because
/// other integers beside it would hash alike. An integer that is not the shortest text of a
/// double is left alone, and is refused later.
pub(crate) fn restore_doubles(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(double) = as_double(number) {
                *number = double;
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(restore_doubles),
        Value::Object(members) => members.values_mut().for_each(restore_doubles),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

fn as_double(number: &Number) -> Option<Number> {
    let magnitude = number
        .as_u64()
        .or_else(|| number.as_i64().map(i64::unsigned_abs))?;
    if magnitude <= MAX_EXACT {
        return None;
    }
    let double = number.as_f64()?;
    // Below 1e21 Rust and ECMAScript write a double alike: shortest digits, no exponent.
    (double.to_string() == number.to_string()).then(|| Number::from_f64(double))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_the_text_of_a_double_becomes_one() {
        let mut value: Value = serde_json::from_str(
            "[1, 9007199254740992, 9007199254740993, 2900728529233645000, -2900728529233645000,
              2900728529233645001, 18446744073709552000, 0.5]",
        )
        .unwrap();
        restore_doubles(&mut value);
        let expected = json!([
            1,
            9_007_199_254_740_992_u64,
            9_007_199_254_740_993_u64,
            2_900_728_529_233_645_000.0,
            -2_900_728_529_233_645_000.0,
            2_900_728_529_233_645_001_u64,
            18_446_744_073_709_552_000.0,
            0.5
        ]);
        assert_eq!(value, expected);
    }
}
