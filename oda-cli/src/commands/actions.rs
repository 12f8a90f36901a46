//! `oda actions` and `oda describe`: what there is.

use oda_core::{Descriptor, Engine};
use serde_json::{Value, json};

use crate::answer::{Answer, Outcome};
use crate::args::DescribeArgs;
use crate::chains::Chains;
use crate::error::CliError;
use crate::page::Page;
use crate::policy::LoadedPolicy;
use crate::{installation, show};

/// Lists the actions with what a host wants to know first.
pub(super) fn list() -> Outcome {
    let catalogue = catalogue()?;
    let mut page = Page::new();
    let rows: Vec<[String; 4]> = catalogue.descriptors().map(row).collect();
    let heading = ["action", "effects", "asks a person", "title"].map(str::to_owned);
    page.table(&[vec![heading], rows].concat());
    let list: Vec<Value> = catalogue.descriptors().map(entry).collect();
    Ok(Answer::new(page.finish(), json!(list)))
}

/// Prints one descriptor with its approval hints.
pub(super) fn describe(args: &DescribeArgs) -> Outcome {
    let catalogue = catalogue()?;
    let descriptor = catalogue.describe(&args.action)?;
    Ok(Answer::new(
        show::descriptor::text(descriptor),
        show::descriptor::json(descriptor),
    ))
}

/// The actions without nodes, key, policy file or state: what there is does not depend on them.
fn catalogue() -> Result<Engine, CliError> {
    let policy = LoadedPolicy::default();
    installation::without_state(policy, Chains::unconnected())
}

fn row(descriptor: &Descriptor) -> [String; 4] {
    let effects: Vec<&str> = descriptor
        .effects
        .iter()
        .map(|effect| effect.as_str())
        .collect();
    let asks = descriptor.approval_hints().requires_user_interaction;
    [
        descriptor.id.to_string(),
        effects.join(","),
        if asks { "yes" } else { "no" }.to_owned(),
        descriptor.title.clone(),
    ]
}

fn entry(descriptor: &Descriptor) -> Value {
    json!({
        "id": descriptor.id,
        "name": descriptor.name,
        "title": descriptor.title,
        "effects": descriptor.effects,
        "chains": descriptor.chains,
        "approval_hints": descriptor.approval_hints(),
    })
}
