//! A descriptor and its approval hints.

use oda_core::{ApprovalHints, Descriptor, MovesFunds};
use serde_json::{Map, Value, json};

use crate::page::Page;

/// The descriptor with `approval_hints` beside its own keys, as `describe` answers in ODA draft 0.
pub(crate) fn json(descriptor: &Descriptor) -> Value {
    let mut value = json!(descriptor);
    value["approval_hints"] = json!(descriptor.approval_hints());
    value
}

/// The whole descriptor for people.
pub(crate) fn text(descriptor: &Descriptor) -> String {
    let mut page = Page::new();
    heading(&mut page, descriptor);
    page.pair("description", &descriptor.description);
    page.pair("chains", descriptor.chains.join(", "));
    let rules: Vec<&str> = descriptor
        .policy
        .rules
        .iter()
        .map(|rule| rule.as_str())
        .collect();
    page.pair(
        "rules",
        if rules.is_empty() {
            "none".to_owned()
        } else {
            rules.join(", ")
        },
    );
    page.pair(
        "receipt",
        if descriptor.receipt {
            "every call leaves one"
        } else {
            "none"
        },
    );
    let upstream: Vec<String> = descriptor
        .upstream
        .iter()
        .map(|(name, version)| format!("{name} {version}"))
        .collect();
    if !upstream.is_empty() {
        page.pair("built on", upstream.join(", "));
    }
    schema(&mut page, "input", &descriptor.input_schema);
    schema(&mut page, "output", &descriptor.output_schema);
    page.finish()
}

/// What an agent's host looks at first: what it is, what it does, and whether to ask a person.
pub(crate) fn heading(page: &mut Page, descriptor: &Descriptor) {
    let effects: Vec<&str> = descriptor
        .effects
        .iter()
        .map(|effect| effect.as_str())
        .collect();
    page.pair(
        "action",
        format_args!("{} ({})", descriptor.id, descriptor.title),
    )
    .pair("effects", effects.join(", "))
    .pair("custody", custody(descriptor))
    .pair("hints", hints(&descriptor.approval_hints()));
}

fn custody(descriptor: &Descriptor) -> String {
    let custody = &descriptor.custody;
    let key = match (custody.reads_key, custody.sends_key) {
        (false, false) => "reads no key",
        (true, false) => "reads a key that stays in the process",
        (_, true) => "SENDS a key out of the process",
    };
    let funds = match custody.moves_funds {
        MovesFunds::Never => "never moves funds",
        MovesFunds::WithApproval => "moves funds with approval",
        MovesFunds::Autonomous => "moves funds ON ITS OWN",
    };
    format!("{key}, {funds}")
}

/// The hints by the names that hosts know them by.
fn hints(hints: &ApprovalHints) -> String {
    let named = [
        ("readOnlyHint", hints.read_only_hint),
        ("idempotentHint", hints.idempotent_hint),
        ("destructiveHint", hints.destructive_hint),
        ("requiresUserInteraction", hints.requires_user_interaction),
    ];
    let words = named.map(|(name, holds)| format!("{name} {}", if holds { "yes" } else { "no" }));
    words.join(", ")
}

/// The fields of an object schema, one line each; the whole schema is in the JSON document.
fn schema(page: &mut Page, label: &str, schema: &Map<String, Value>) {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let fields = schema.get("properties").and_then(Value::as_object);
    let mut label = label;
    for (name, field) in fields.into_iter().flatten() {
        let marked = if required.contains(&name.as_str()) {
            "*"
        } else {
            ""
        };
        page.pair(label, format_args!("{name}{marked}: {}", kind(field)));
        label = "";
    }
}

fn kind(field: &Value) -> String {
    let text = |key: &str| field.get(key).and_then(Value::as_str);
    if let Some(values) = field.get("enum").and_then(Value::as_array) {
        let values: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
        return format!("one of {}", values.join(", "));
    }
    match (text("type"), text("pattern")) {
        (Some(kind), Some(pattern)) => format!("{kind} {pattern}"),
        (Some(kind), None) => kind.to_owned(),
        (None, _) => "any".to_owned(),
    }
}
