//! A prepared intent, as the person who approves it reads it.

use oda_core::{Change, PolicyOutcome, PreparedIntent, SimulatedEffects, Simulation};
use serde_json::Value;

use crate::page::Page;

/// The whole intent.
pub(crate) fn text(intent: &PreparedIntent) -> String {
    let mut page = Page::new();
    write(&mut page, intent);
    page.finish()
}

/// Writes the whole intent onto a page.
pub(crate) fn write(page: &mut Page, intent: &PreparedIntent) {
    page.pair(
        "intent",
        format_args!("{} ({})", intent.intent_id, intent.action),
    )
    .pair("summary", &intent.summary)
    .pair("expires", &intent.expires_at);
    simulation(page, intent.simulation.as_ref());
    match &intent.fee_disclosure {
        None => page.pair("fees", "none but the chain's own: no venue takes part"),
        Some(fee) => {
            let bps = fee
                .fee_bps
                .map_or_else(|| "not stated".to_owned(), |bps| format!("{bps} bps"));
            page.pair(
                "fees",
                format_args!("{}: {bps}. {}", fee.venue, fee.statement),
            )
        }
    };
    verdict(page, &intent.policy);
    page.pair("unsigned", compact(&intent.unsigned));
}

/// What the simulation found, and what would change hands.
fn simulation(page: &mut Page, simulation: Option<&Simulation>) {
    let Some(simulation) = simulation else {
        page.pair("simulation", "none");
        return;
    };
    let block = simulation.block.as_deref().unwrap_or("an unknown block");
    let outcome = match (&simulation.error, &simulation.gas_estimate) {
        (Some(error), _) => format!("FAILS: {error}"),
        (None, Some(gas)) => format!("succeeds, gas {gas}"),
        (None, None) => "succeeds".to_owned(),
    };
    page.pair(
        "simulation",
        format_args!("{outcome} (at block {block}, by {})", simulation.method),
    );
    let effects = match &simulation.effects {
        None => vec!["the simulator does not report any".to_owned()],
        Some(SimulatedEffects::Unknown { reason }) => vec![format!("UNKNOWN: {reason}")],
        Some(SimulatedEffects::Known {
            changes,
            not_attributed,
        }) => {
            let named = changes.iter().map(change);
            let unnamed = not_attributed
                .iter()
                .map(|what| format!("not attributed: {what}"));
            named.chain(unnamed).collect()
        }
    };
    if effects.is_empty() {
        page.pair("effects", "none seen");
    }
    let mut label = "effects";
    for effect in effects {
        page.pair(label, effect);
        label = "";
    }
}

fn change(change: &Change) -> String {
    match change {
        Change::Balance {
            account,
            asset,
            delta,
        } => format!("{account} {delta} of {asset}"),
        Change::Allowance {
            owner,
            spender,
            asset,
            amount,
            standard,
        } => {
            format!("{owner} lets {spender} take {amount} of {asset} ({standard})")
        }
        Change::TokenApproval {
            owner,
            operator,
            asset,
            token_id,
        } => {
            format!("{owner} lets {operator} move token {token_id} of {asset}")
        }
        Change::OperatorApproval {
            owner,
            operator,
            asset,
            approved,
        } => {
            let verb = if *approved { "lets" } else { "no longer lets" };
            format!("{owner} {verb} {operator} move every token of {asset}")
        }
    }
}

/// The verdict of the policy with every refusal. The message of a refusal says the same in a sentence.
pub(crate) fn verdict(page: &mut Page, policy: &PolicyOutcome) {
    page.pair(
        "verdict",
        if policy.ok {
            "allowed by the policy"
        } else {
            "REFUSED by the policy"
        },
    );
    for refusal in &policy.refusals {
        page.pair(
            "",
            format_args!(
                "{}: limit {}, observed {}",
                refusal.rule, refusal.limit, refusal.observed
            ),
        );
    }
}

/// One line of JSON with the keys in the order of the canonical form.
fn compact(value: &Value) -> String {
    oda_canon::to_string(value).unwrap_or_else(|_| value.to_string())
}
