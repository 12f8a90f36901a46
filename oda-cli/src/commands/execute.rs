//! `oda execute`: claim, recheck, sign, send. Takes the id and nothing that could change the action.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use oda_core::Approver;

use super::{intent_id, recover};
use crate::answer::Outcome;
use crate::args::ExecuteArgs;
use crate::chains::{Chains, Key};
use crate::environment::Environment;
use crate::installation::{self, Installation};
use crate::policy::LoadedPolicy;
use crate::terminal::Terminal;
use crate::{interrupt, show};

pub(super) async fn run(args: &ExecuteArgs, environment: &Environment) -> Outcome {
    let id = intent_id(&args.intent)?;
    let policy = LoadedPolicy::load(&args.policy)?;
    let key = Key::Signing {
        keystore: &args.keystore,
        allow_mainnet: args.allow_mainnet_signing,
    };
    let chains = Chains::connect(&args.nodes, key, environment).await?;
    let (approver, person_is_asked) = person();
    let root = installation::root(environment);
    let Installation {
        engine, mut notes, ..
    } = Installation::open_for(&id, &root, policy, chains, approver)?;
    // What an earlier execution left open may hold the day's cap and the account's next nonce.
    notes.extend(recover::quietly(&engine).await);
    match interrupt::execute(&engine, &id, &person_is_asked).await {
        Ok(execution) => show::execution::outcome(&execution, notes),
        Err(mut failure) => {
            let answer = failure
                .answer
                .take()
                .map_or_else(Default::default, |answer| *answer);
            failure.answer = Some(Box::new(answer.noting(notes)));
            Err(failure)
        }
    }
}

/// Whom to ask when the policy wants a person, and whether they are being asked right now.
fn person() -> (Option<Arc<dyn Approver>>, Arc<AtomicBool>) {
    match Terminal::find() {
        None => (None, Arc::default()),
        Some(terminal) => {
            let waiting = terminal.waiting();
            (Some(Arc::new(terminal)), waiting)
        }
    }
}
