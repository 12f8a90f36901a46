//! `oda completions`: a script that completes commands and flags in a shell.

use clap::CommandFactory as _;
use serde_json::json;

use crate::answer::Answer;
use crate::args::{Cli, CompletionsArgs};

pub(super) fn run(args: &CompletionsArgs) -> Answer {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "oda", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    let result = json!({ "shell": args.shell.to_string(), "script": script });
    Answer::new(script, result)
}
