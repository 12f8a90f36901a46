//! `oda recover`: find out what became of executions whose outcome is open.

use std::sync::Arc;

use oda_core::{Engine, EngineError, Execution, ExecutionState, IntentId};
use serde_json::{Value, json};

use crate::answer::{Answer, Outcome};
use crate::args::RecoverArgs;
use crate::chains::{Chains, Key};
use crate::environment::Environment;
use crate::error::CliError;
use crate::installation::{self, Installation};
use crate::page::Page;
use crate::policy::LoadedPolicy;
use crate::show;

/// What recovery found for one intent.
type Settled = (IntentId, Result<Execution, EngineError>);

pub(super) async fn run(args: &RecoverArgs, environment: &Environment) -> Outcome {
    let policy = LoadedPolicy::load(&args.policy)?;
    let root = installation::root(environment);
    if !installation::is_there(&root) {
        return Ok(Answer::new(
            "nothing is open: there is no state here yet\n",
            json!([]),
        ));
    }
    let chains = Chains::connect(&args.nodes, Key::Unused, environment).await?;
    let Installation { engine, notes, .. } = Installation::open(&root, policy, chains, None)?;
    let settled = engine.recover().await?;
    let open = settled.iter().filter(|found| is_open(found)).count();
    let answer = Answer::new(text(&settled), json(&settled)).noting(notes);
    if open == 0 {
        return Ok(answer);
    }
    let error = CliError::RecoveryIncomplete { open };
    let next = error.next();
    let mut failure = answer.failed(error);
    failure.next = next;
    Err(failure)
}

/// Recovers before another command does its own work. What cannot be settled now is a note, not an error.
pub(super) async fn quietly(engine: &Arc<Engine>) -> Vec<String> {
    match engine.recover().await {
        Ok(settled) => settled.iter().map(line).collect(),
        Err(error) => vec![format!("recovery could not begin: {error}")],
    }
}

/// Recovery for programs.
pub(super) fn json(settled: &[Settled]) -> Value {
    let entry = |(id, result): &Settled| match result {
        Ok(execution) => show::execution::json(execution),
        Err(error) => json!({
            "intent_id": id,
            "error": { "code": error.code(), "message": error.to_string() },
        }),
    };
    settled.iter().map(entry).collect()
}

fn text(settled: &[Settled]) -> String {
    if settled.is_empty() {
        return "nothing is open\n".to_owned();
    }
    let mut page = Page::new();
    for found in settled {
        match &found.1 {
            Ok(execution) => show::execution::write(&mut page, execution),
            Err(_) => {
                page.line(line(found));
            }
        }
        page.blank();
    }
    page.finish()
}

/// One sentence on one intent.
pub(super) fn line((id, result): &Settled) -> String {
    match result {
        Ok(execution) => format!(
            "looked after {id}: {}, {}",
            execution.state,
            show::execution::meaning(execution.state)
        ),
        Err(error) => format!("could not look after {id}: {error}"),
    }
}

/// Whether it still has to be looked after. One that was accepted and waits for its block does not.
fn is_open((_, result): &Settled) -> bool {
    match result {
        Ok(execution) => {
            let state = execution.state;
            state != ExecutionState::Submitted && !state.is_final()
        }
        Err(_) => true,
    }
}
