//! `oda lint`: is this file the descriptor of an action that hosts can use?

use oda_core::{lint_descriptor_text, validate_descriptor_text};
use serde_json::json;

use crate::answer::{Answer, Outcome};
use crate::args::LintArgs;
use crate::error::CliError;
use crate::files;
use crate::page::Page;

/// Reports what is structurally wrong, then what the lints of ODA draft 0 dislike.
pub(super) fn run(args: &LintArgs) -> Outcome {
    let bytes = files::read("the descriptor", &args.file)?;
    let unreadable = |reason: String| CliError::File {
        what: "the descriptor",
        path: args.file.clone(),
        reason,
    };
    let text = String::from_utf8(bytes).map_err(|error| unreadable(error.to_string()))?;
    let structure =
        validate_descriptor_text(&text).map_err(|error| unreadable(error.to_string()))?;
    let lint = lint_descriptor_text(&text).map_err(|error| unreadable(error.to_string()))?;
    let mut page = Page::new();
    for fault in &structure {
        page.line(format_args!("structure  {fault}"));
    }
    for issue in &lint {
        page.line(format_args!("lint       {issue}"));
    }
    let faults = structure.len() + lint.len();
    if faults == 0 {
        page.line("ok: a descriptor of sato.action/v1, and no lint has anything to say");
    }
    let structure: Vec<_> = structure
        .iter()
        .map(|fault| json!({ "field": fault.name(), "rule": fault.rule() }))
        .collect();
    let answer = Answer::new(
        page.finish(),
        json!({ "structure": structure, "lint": lint }),
    );
    if faults == 0 {
        Ok(answer)
    } else {
        Err(answer.failed(CliError::DescriptorFaults(faults)))
    }
}
