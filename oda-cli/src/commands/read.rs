//! `oda read`: ask an action that only reads. Nothing is stored.

use crate::answer::{Answer, Outcome};
use crate::args::CallArgs;
use crate::chains::{Chains, Key};
use crate::environment::Environment;
use crate::policy::LoadedPolicy;
use crate::{input, installation};

pub(super) async fn run(args: &CallArgs, environment: &Environment) -> Outcome {
    let input = input::read(&args.input)?;
    let policy = LoadedPolicy::load(&args.policy)?;
    let chains = Chains::connect(&args.nodes, Key::Address(&args.keystore), environment).await?;
    let engine = installation::without_state(policy, chains)?;
    let answer = engine.query(&args.action, &input).await?;
    Ok(Answer::new(format!("{answer:#}\n"), answer))
}
