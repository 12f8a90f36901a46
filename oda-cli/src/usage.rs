//! Wrong flags, `--help` and `--version`: what clap found, told as everything else is told.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use serde_json::json;

use crate::answer::{Answer, Failure};
use crate::error::CliError;
use crate::output::Output;

/// Prints what clap found and says how the process ends: 0 for `--help` and `--version`, 1 otherwise.
pub(crate) fn report(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    let output = Output::new(asks_for_json(arguments));
    let text = error.render().to_string();
    match error.kind() {
        ErrorKind::DisplayHelp => {
            let result = json!({ "text": text });
            output.print("help", Ok(Answer::new(text, result)))
        }
        ErrorKind::DisplayVersion => {
            let result = json!({ "name": "oda", "version": env!("CARGO_PKG_VERSION") });
            output.print("version", Ok(Answer::new(text, result)))
        }
        _ => output.print(&command_of(arguments), Err(failure(error, &text))),
    }
}

fn failure(error: &clap::Error, text: &str) -> Failure {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let failure = Failure::from(CliError::Usage("a command is missing".to_owned()));
        return failure.next("oda --help");
    }
    // clap's text is "error: what", then tips, then the usage line.
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let (what, usage) = text.split_once("\n\nUsage: ").unwrap_or((text, ""));
    let what: Vec<&str> = what.split_whitespace().collect();
    let failure = Failure::from(CliError::Usage(what.join(" ")));
    match usage.lines().next().filter(|line| !line.is_empty()) {
        Some(usage) => failure.next(usage),
        None => failure.next("oda --help"),
    }
}

/// clap stopped before it knew the flag, so it is looked for by hand.
fn asks_for_json(arguments: &[OsString]) -> bool {
    arguments
        .iter()
        .skip(1)
        .take_while(|argument| *argument != "--")
        .any(|argument| argument == "--json")
}

/// The command that was meant: the first argument that is no flag.
fn command_of(arguments: &[OsString]) -> String {
    arguments
        .iter()
        .skip(1)
        .map(|argument| argument.to_string_lossy())
        .find(|argument| !argument.starts_with('-'))
        .map_or_else(|| "none".to_owned(), std::borrow::Cow::into_owned)
}
