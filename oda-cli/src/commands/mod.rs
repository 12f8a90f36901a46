//! One file for each command.

mod actions;
mod approve;
mod completions;
mod conformance;
mod execute;
mod lint;
mod policy;
mod prepare;
mod read;
mod receipts;
mod recover;
mod status;

use oda_core::{EngineError, IntentId, RequestError};

use crate::answer::Outcome;
use crate::args::{Cli, Command, PolicyCommand, ReceiptsCommand};
use crate::environment::Environment;
use crate::error::CliError;

/// Runs one command.
pub(crate) async fn run(cli: Cli, environment: &Environment) -> Outcome {
    match cli.command {
        #[cfg(feature = "evm")]
        Command::Demo(args) => crate::demo::run(&args).await,
        Command::Actions => actions::list(),
        Command::Describe(args) => actions::describe(&args),
        Command::Lint(args) => lint::run(&args),
        Command::Read(args) => read::run(&args, environment).await,
        Command::Prepare(args) => prepare::run(&args, environment).await,
        Command::Execute(args) => execute::run(&args, environment).await,
        Command::Approve(args) => approve::run(&args, environment).await,
        Command::Status(args) => status::run(&args, environment).await,
        Command::Recover(args) => recover::run(&args, environment).await,
        Command::Receipts(ReceiptsCommand::Verify(args)) => receipts::verify(&args, environment),
        Command::Receipts(ReceiptsCommand::Show(args)) => receipts::show(&args, environment),
        Command::Policy(PolicyCommand::Check(args)) => policy::check(&args),
        Command::Conformance(args) => conformance::run(&args),
        Command::Completions(args) => Ok(completions::run(&args)),
    }
}

/// Reads an intent's id from a flag, with the code that an execute request has.
fn intent_id(text: &str) -> Result<IntentId, CliError> {
    text.parse()
        .map_err(|_| EngineError::from(RequestError::MalformedId).into())
}
