//! The `oda` command: prepare, approve and execute onchain actions, and verify what was done.
//!
//! What it promises to the programs that call it:
//!
//! - With `--json`, standard output holds exactly one JSON document, whatever happens: `{"ok": true,
//!   "command": …, "result": …}`, or `{"ok": false, "command": …, "error": {"code", "message", …}}`. A call that
//!   found something and still did not come out well, such as a refused `prepare`, carries both `error`
//!   and `result`.
//! - `ok` is true exactly when the exit code is 0. The code is 2 when the policy refused and 1 for
//!   everything else, wrong flags included. Error codes never change their meaning.
//! - Text for people goes to standard output, notes and errors to standard error. No secret is printed.
//!
//! Where to start reading: [`args`] has the commands, [`commands`] one file for each, [`installation`] puts the
//! engine together, and `demo` walks one action down the whole path.

mod answer;
mod args;
mod chains;
mod commands;
#[cfg(feature = "evm")]
mod demo;
mod environment;
mod error;
mod files;
mod input;
mod installation;
mod interrupt;
mod logging;
mod output;
mod page;
mod policy;
mod show;
mod terminal;
mod usage;

use std::process::ExitCode;

use clap::Parser as _;

use answer::{Failure, Outcome};
use args::Cli;
use environment::Environment;
use error::CliError;
use output::Output;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return usage::report(&error, &arguments),
    };
    let output = Output::new(cli.global.json);
    let command = cli.command.name();
    let outcome = run(cli);
    output.print(command, outcome)
}

fn run(cli: Cli) -> Outcome {
    let environment = Environment::of_process();
    logging::start(&environment, cli.global.verbose)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKER_THREADS)
        .enable_all()
        .build()
        .map_err(|source| Failure::from(CliError::Runtime { source }))?;
    let outcome = runtime.block_on(commands::run(cli, &environment));
    // A thread that still waits for a person's answer must not keep the process alive.
    runtime.shutdown_background();
    outcome
}

/// One for the call itself and one for what it waits on: a signal must be seen while a disk sync blocks.
const WORKER_THREADS: usize = 2;
