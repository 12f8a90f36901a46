//! Where the reference's answer depends on the order of an object's keys.

use serde_json::Value;

use super::Place;
use crate::conformance::case::Case;

/// RFC 8259 gives an object's keys no order; refused keys are named in sorted order here.
pub(super) fn keys_have_no_order(_: &Place<'_>, _: &Case, expected: &Value) -> Option<Value> {
    let mut answer = expected.clone();
    let keys = answer.get_mut("refused_keys")?.as_array_mut()?;
    keys.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
    Some(answer)
}
