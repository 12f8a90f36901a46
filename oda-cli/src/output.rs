//! The only place that writes to standard output and standard error.

use std::io::{self, Write};
use std::process::ExitCode;

use oda_core::Refusal;
use serde_json::{Value, json};

use crate::answer::{Answer, Failure, Outcome};

/// How a call reports: text for people, or one JSON document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    Text,
    Json,
}

impl Output {
    pub(crate) const fn new(json: bool) -> Self {
        if json { Self::Json } else { Self::Text }
    }

    /// Prints what a command came to and says how the process ends.
    pub(crate) fn print(self, command: &str, outcome: Outcome) -> ExitCode {
        let code = match &outcome {
            Ok(_) => ExitCode::SUCCESS,
            Err(failure) => ExitCode::from(failure.error.exit_code()),
        };
        let written = match self {
            Self::Json => print_json(command, outcome),
            Self::Text => print_text(outcome),
        };
        match written {
            Ok(()) => code,
            // Whoever read the output has seen enough, as `head` does.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => code,
            Err(error) => {
                let _ = writeln!(io::stderr(), "error: the output cannot be written: {error}");
                ExitCode::FAILURE
            }
        }
    }
}

fn print_json(command: &str, outcome: Outcome) -> io::Result<()> {
    let mut document = json!({ "ok": outcome.is_ok(), "command": command });
    let (answer, failure) = match outcome {
        Ok(answer) => (Some(answer), None),
        Err(failure) => {
            let error = error_json(&failure);
            (failure.answer.map(|answer| *answer), Some(error))
        }
    };
    if let Some(error) = failure {
        document["error"] = error;
    }
    if let Some(Answer { result, notes, .. }) = answer {
        // A call that failed before it found anything has none.
        if document["ok"] == true || !result.is_null() {
            document["result"] = result;
        }
        if !notes.is_empty() {
            document["notes"] = json!(notes);
        }
    }
    let mut stdout = io::stdout().lock();
    serde_json::to_writer(&mut stdout, &document)?;
    stdout.write_all(b"\n")?;
    stdout.flush()
}

fn error_json(failure: &Failure) -> Value {
    let mut error = json!({
        "code": failure.error.code(),
        "message": failure.error.to_string(),
    });
    let refusals = failure.error.refusals();
    if !refusals.is_empty() {
        error["refusals"] = json!(refusals);
    }
    if let Some(next) = &failure.next {
        error["next"] = json!(next);
    }
    error
}

fn print_text(outcome: Outcome) -> io::Result<()> {
    let (answer, failure) = match outcome {
        Ok(answer) => (answer, None),
        Err(mut failure) => {
            let answer = failure
                .answer
                .take()
                .map_or_else(Answer::default, |answer| *answer);
            (answer, Some(failure))
        }
    };
    // Notes and errors are shown even when nobody reads the rest any more.
    let written = write_out(&answer.text);
    let mut stderr = io::stderr().lock();
    for note in &answer.notes {
        writeln!(stderr, "note: {}", visible(note))?;
    }
    if let Some(failure) = failure {
        let code = failure.error.code();
        writeln!(
            stderr,
            "error: {} ({code})",
            visible(&failure.error.to_string())
        )?;
        for Refusal {
            rule,
            limit,
            observed,
            ..
        } in failure.error.refusals()
        {
            let line = format!("  {rule}: limit {limit}, observed {observed}");
            writeln!(stderr, "{}", visible(&line))?;
        }
        if let Some(next) = &failure.next {
            writeln!(stderr, "next: {}", visible(next))?;
        }
    }
    written
}

fn write_out(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(visible(text).as_bytes())?;
    stdout.flush()
}

/// Says something at once, to a person who waits. A standard error that nobody reads is no reason to stop.
pub(crate) fn tell(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", visible(line));
}

/// Asks at once, without a line end.
pub(crate) fn ask(text: &str) -> io::Result<()> {
    let mut stderr = io::stderr().lock();
    stderr.write_all(visible(text).as_bytes())?;
    stderr.flush()
}

/// Text as a terminal may show it. What came from a chain, a node or a file must not move the cursor, hide
/// itself, or turn the direction of reading.
pub(crate) fn visible(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            _ if c.is_control() || is_direction(c) => char::REPLACEMENT_CHARACTER,
            _ => c,
        })
        .collect()
}

/// The characters of Unicode that change the direction of what follows.
const fn is_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_cannot_drive_the_terminal() {
        assert_eq!(
            visible("a\u{1b}[2Jb\u{202e}c\r\n\td"),
            "a\u{fffd}[2Jb\u{fffd}c\u{fffd}\n\td"
        );
    }
}
