//! `oda approve`: a person's yes or no.

use oda_core::{Approver as _, Decision, EngineError, ExecutionState, PreparedIntent};
use serde_json::json;

use super::intent_id;
use crate::answer::{Answer, Outcome};
use crate::args::ApproveArgs;
use crate::chains::Chains;
use crate::environment::Environment;
use crate::error::CliError;
use crate::installation::{self, Installation};
use crate::page::Page;
use crate::policy::LoadedPolicy;
use crate::show;
use crate::terminal::Terminal;

/// The reason of a no that gave none.
const NO_REASON: &str = "no reason was given";

pub(super) async fn run(args: &ApproveArgs, environment: &Environment) -> Outcome {
    let id = intent_id(&args.intent)?;
    if args.reason.is_some() && !args.no {
        return Err(CliError::argument("--reason", "goes with --no").into());
    }
    let policy = LoadedPolicy::load(&args.policy)?;
    let root = installation::root(environment);
    let Installation { engine, notes, .. } =
        Installation::open_for(&id, &root, policy, Chains::unconnected(), None)?;
    let stored = engine.intent(&id).await?;
    if stored.progress.state == ExecutionState::Prepared {
        let decision = decide(args, &stored.record.intent).await?;
        let decided = engine.decide(&id, &decision).await?;
        return Ok(answer(&decided.record.intent, &decision, args).noting(notes));
    }
    // It cannot be decided any more: the engine says why, and expires it when that is the reason.
    engine.decide(&id, &Decision::Approved).await?;
    Err(EngineError::InProgress {
        id,
        state: stored.progress.state,
    }
    .into())
}

async fn decide(args: &ApproveArgs, intent: &PreparedIntent) -> Result<Decision, CliError> {
    if args.yes {
        return Ok(Decision::Approved);
    }
    if args.no {
        let reason = args.reason.clone().unwrap_or_else(|| NO_REASON.to_owned());
        return Ok(Decision::Denied { reason });
    }
    match Terminal::find() {
        Some(terminal) => Ok(terminal.ask(intent).await),
        None => Err(CliError::NoTerminal),
    }
}

fn answer(intent: &PreparedIntent, decision: &Decision, args: &ApproveArgs) -> Answer {
    let mut page = Page::new();
    if args.yes || args.no {
        show::intent::write(&mut page, intent);
    }
    let id = &intent.intent_id;
    let (word, reason) = match decision {
        Decision::Approved => {
            page.pair("decision", "approved");
            page.pair("next", format_args!("oda execute --intent {id}"));
            ("approved", None)
        }
        Decision::Denied { reason } => {
            page.pair("decision", format_args!("denied: {reason}"));
            page.pair(
                "",
                "the intent stays alive until it expires, and can still be approved",
            );
            ("denied", Some(reason))
        }
    };
    let result = json!({ "intent_id": id, "decision": word, "reason": reason, "intent": intent });
    Answer::new(page.finish(), result)
}
