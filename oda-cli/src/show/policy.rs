//! A policy with its defaults filled in.

use oda_canon::Digest;
use oda_core::Policy;
use serde_json::{Value, json};

use crate::page::Page;

/// The parsed policy, where it came from, and the digest that mandates carry.
pub(crate) fn json(policy: &Policy, digest: Digest, file: Option<String>) -> Value {
    json!({ "file": file, "policy": policy, "policy_digest": digest })
}

/// Every member, defaults included.
pub(crate) fn text(policy: &Policy, digest: Digest, file: Option<&str>) -> String {
    let mut page = Page::new();
    page.pair("file", file.unwrap_or("none: this is the default policy"));
    let members = json!(policy);
    let rows: Vec<[String; 2]> = members
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| [name.clone(), words(value)])
        .collect();
    page.table(&rows);
    page.pair("digest", digest);
    page.finish()
}

fn words(value: &Value) -> String {
    match value {
        Value::Null => "no limit".to_owned(),
        Value::Array(list) if list.is_empty() => "any".to_owned(),
        Value::Array(list) => {
            let entries: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            entries.join(" ")
        }
        Value::Object(caps) if caps.is_empty() => "no limit".to_owned(),
        Value::Object(caps) => {
            let caps: Vec<String> = caps
                .iter()
                .map(|(key, cap)| format!("{key} {}", words(cap)))
                .collect();
            caps.join(", ")
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
