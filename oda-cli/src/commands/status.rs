//! `oda status`: where the intents stand, what is open, what the day's cap holds.

use std::path::Path;

use oda_core::{
    Clock as _, DaySpend, Engine, EngineError, ExecutionState, Policy, StoredIntent, SystemClock,
    UnixMillis, UsdMicros,
};
use serde_json::{Map, Value, json};

use super::{intent_id, recover};
use crate::answer::{Answer, Outcome};
use crate::args::StatusArgs;
use crate::chains::{Chains, Key};
use crate::environment::Environment;
use crate::error::CliError;
use crate::installation::{self, Installation};
use crate::page::Page;
use crate::policy::LoadedPolicy;
use crate::show;

/// How many intents of one state are counted. Beyond it, the number is a lower bound and says so.
const COUNTED: usize = 10_000;

pub(super) async fn run(args: &StatusArgs, environment: &Environment) -> Outcome {
    let policy = LoadedPolicy::load(&args.policy)?;
    let root = installation::root(environment);
    let one = args.intent.as_deref().map(intent_id).transpose()?;
    let chains = Chains::connect(&args.nodes, Key::Unused, environment).await?;
    if let Some(id) = one {
        let Installation { engine, notes, .. } =
            Installation::open_for(&id, &root, policy, chains, None)?;
        return Ok(of_one(&engine, &id).await?.noting(notes));
    }
    if !installation::is_there(&root) {
        return Ok(nothing(&root));
    }
    let Installation { engine, notes, .. } = Installation::open(&root, policy, chains, None)?;
    let recovered = recover::quietly(&engine).await;
    let overview = Overview::take(&engine).await?;
    let answer = Answer::new(
        overview.text(engine.policy()),
        overview.json(engine.policy()),
    );
    Ok(answer.noting(notes).noting(recovered))
}

fn nothing(root: &Path) -> Answer {
    let text = format!(
        "there is no state in {} yet: `oda prepare` makes it\n",
        root.display()
    );
    Answer::new(
        text,
        json!({ "states": {}, "prepared": [], "open": [], "day": null }),
    )
}

/// One intent with its receipts, after it was looked after.
async fn of_one(engine: &Engine, id: &oda_core::IntentId) -> Result<Answer, CliError> {
    let note = match engine.reconcile(id).await {
        Ok(_) => None,
        Err(error @ (EngineError::UnknownIntent { .. } | EngineError::Integrity { .. })) => {
            return Err(error.into());
        }
        Err(error) => Some(format!("could not look after it now: {error}")),
    };
    engine.sync_log().await?;
    let intent = engine.intent(id).await?;
    let receipts = engine.store().receipts_of(id).await?;
    let mut page = Page::new();
    show::stored::write(&mut page, &intent, SystemClock.now());
    let rows: Vec<_> = receipts.iter().map(show::receipt::row).collect();
    page.blank().line("receipts").table(&rows);
    let mut result = show::stored::json(&intent);
    result["receipts"] = receipts
        .iter()
        .map(|receipt| serde_json::from_str::<Value>(receipt.as_json()).unwrap_or_default())
        .collect();
    Ok(Answer::new(page.finish(), result).noting(note))
}

/// Everything that is stored, at one moment.
struct Overview {
    now: UnixMillis,
    states: Vec<(ExecutionState, usize)>,
    prepared: Vec<StoredIntent>,
    open: Vec<StoredIntent>,
    day: DaySpend,
}

impl Overview {
    async fn take(engine: &Engine) -> Result<Self, CliError> {
        let mut overview = Self {
            now: SystemClock.now(),
            states: Vec::new(),
            prepared: Vec::new(),
            open: Vec::new(),
            day: engine.spent_today().await?,
        };
        for state in ExecutionState::ALL {
            let intents = engine.list(&[state], COUNTED).await?;
            if !intents.is_empty() {
                overview.states.push((state, intents.len()));
            }
            match state {
                ExecutionState::Prepared => overview.prepared = intents,
                _ if !state.is_final() => overview.open.extend(intents),
                _ => {}
            }
        }
        // What nobody can execute any more is counted, not shown.
        let now = overview.now;
        overview
            .prepared
            .retain(|intent| now < intent.record.expires_at);
        Ok(overview)
    }

    fn text(&self, policy: &Policy) -> String {
        let mut page = Page::new();
        let counts: Vec<String> = self
            .states
            .iter()
            .map(|(state, count)| {
                let more = if *count == COUNTED { " or more" } else { "" };
                format!("{count}{more} {state}")
            })
            .collect();
        let counts = if counts.is_empty() {
            "none yet".to_owned()
        } else {
            counts.join(", ")
        };
        page.pair("intents", counts);
        page.pair("day's cap", self.day_text(policy));
        for intent in &self.prepared {
            page.blank();
            show::stored::write(&mut page, intent, self.now);
            page.pair("expires", &intent.record.intent.expires_at);
            let approved = intent
                .progress
                .approved_at
                .map(|at| format!("yes, at {at}"));
            page.pair(
                "approved",
                approved.unwrap_or_else(|| "not by a person".to_owned()),
            );
        }
        for intent in &self.open {
            page.blank();
            show::stored::write(&mut page, intent, self.now);
        }
        page.finish()
    }

    fn day_text(&self, policy: &Policy) -> String {
        let DaySpend {
            day,
            reserved,
            committed,
            unknown,
        } = self.day;
        let held = format!(
            "{} USD reserved, {} USD spent on {day}",
            show::stored::dollars(reserved),
            show::stored::dollars(committed)
        );
        let unknown = match unknown {
            0 => String::new(),
            count => format!(", and {count} of unknown value"),
        };
        let free = match self.free(policy) {
            None => "no cap".to_owned(),
            Some(free) => format!("{} USD free", show::stored::dollars(free)),
        };
        format!("{held}{unknown}; {free}")
    }

    /// What is left of the day's cap. What is of unknown value is not subtracted: it refuses by itself.
    fn free(&self, policy: &Policy) -> Option<UsdMicros> {
        let cap = UsdMicros::cap_from_f64(policy.max_usd_per_day?)?;
        let held = self.day.reserved.checked_add(self.day.committed)?;
        Some(cap.saturating_sub(held))
    }

    fn json(&self, policy: &Policy) -> Value {
        let states: Map<String, Value> = self
            .states
            .iter()
            .map(|(state, count)| (state.to_string(), json!(count)))
            .collect();
        let list = |intents: &[StoredIntent]| -> Value {
            intents.iter().map(show::stored::json).collect()
        };
        json!({
            "states": states,
            "prepared": list(&self.prepared),
            "open": list(&self.open),
            "day": {
                "day": self.day.day,
                "reserved_usd": show::stored::dollars(self.day.reserved),
                "committed_usd": show::stored::dollars(self.day.committed),
                "unknown": self.day.unknown,
                "cap_usd": policy.max_usd_per_day,
                "free_usd": self.free(policy).map(show::stored::dollars),
            },
        })
    }
}
