//! `oda prepare`: build, simulate, judge. Nothing is signed.

use serde_json::json;

use crate::answer::{Answer, Outcome};
use crate::args::CallArgs;
use crate::chains::{Chains, Key};
use crate::environment::Environment;
use crate::error::CliError;
use crate::installation::{self, Installation};
use crate::page::Page;
use crate::policy::LoadedPolicy;
use crate::{input, show};

pub(super) async fn run(args: &CallArgs, environment: &Environment) -> Outcome {
    let input = input::read(&args.input)?;
    let policy = LoadedPolicy::load(&args.policy)?;
    let chains = Chains::connect(&args.nodes, Key::Address(&args.keystore), environment).await?;
    let root = installation::root(environment);
    if !installation::is_there(&root) {
        // A first call that fails must leave no state directory behind, so it is rehearsed without one.
        let rehearsal = installation::without_state(policy.clone(), chains.clone())?;
        rehearsal.prepare(&args.action, &input).await?;
    }
    let Installation { engine, notes, .. } = Installation::open(&root, policy, chains, None)?;
    let intent = engine.prepare(&args.action, &input).await?;

    let mut page = Page::new();
    show::intent::write(&mut page, &intent);
    let refusals = intent.policy.refusals.clone();
    if intent.policy.ok {
        page.pair(
            "next",
            format_args!("oda execute --intent {}", intent.intent_id),
        );
    }
    let answer = Answer::new(page.finish(), json!(intent)).noting(notes);
    if intent.policy.ok {
        Ok(answer)
    } else {
        Err(answer.failed(CliError::RefusedAtPrepare { refusals }))
    }
}
