//! What an execution came to.

use oda_core::{Execution, ExecutionState};
use serde_json::{Value, json};

use crate::answer::{Answer, Outcome};
use crate::error::CliError;
use crate::page::Page;

/// The execution for programs. The receipt stands in it whole.
pub(crate) fn json(execution: &Execution) -> Value {
    let receipt = execution
        .receipt
        .as_ref()
        .and_then(|receipt| serde_json::from_str::<Value>(receipt.as_json()).ok());
    json!({
        "intent_id": execution.intent_id,
        "state": execution.state,
        "transaction": execution.transaction,
        "block": execution.block,
        "note": execution.note,
        "receipt": receipt,
    })
}

/// Writes the execution onto a page.
pub(crate) fn write(page: &mut Page, execution: &Execution) {
    page.pair("intent", &execution.intent_id);
    page.pair(
        "state",
        format_args!("{}: {}", execution.state, meaning(execution.state)),
    );
    if let Some(transaction) = &execution.transaction {
        page.pair("transaction", transaction);
    }
    if let Some(block) = &execution.block {
        page.pair("block", block);
    }
    if let Some(note) = &execution.note {
        page.pair("note", note);
    }
    if let Some(receipt) = &execution.receipt {
        let status = receipt.draft().status.as_str();
        page.pair(
            "receipt",
            format_args!("{} `{status}` {}", receipt.seq(), receipt.hash()),
        );
    }
}

/// What a state means to somebody who has not read the diagram.
pub(crate) const fn meaning(state: ExecutionState) -> &'static str {
    match state {
        ExecutionState::Prepared => "allowed, and nothing is signed",
        ExecutionState::Refused => "the policy refuses it",
        ExecutionState::Expired => "its time is over",
        ExecutionState::Claimed => "a process holds it, and nothing is signed yet",
        ExecutionState::Signed => "signed, and not sent",
        ExecutionState::Submitting => "it may be on its way",
        ExecutionState::Uncertain => "nobody knows whether the chain has it",
        ExecutionState::Submitted => "the chain accepted it; it is not confirmed yet",
        ExecutionState::Confirmed => "it is in a block and succeeded",
        ExecutionState::Reverted => "it is in a block and failed there",
        ExecutionState::Failed => "certainly without effect",
        ExecutionState::Dead => "provably without effect, now and for ever",
    }
}

/// The answer of `execute`: an execution that is not certainly handed over is no success.
pub(crate) fn outcome(execution: &Execution, notes: Vec<String>) -> Outcome {
    let mut page = Page::new();
    write(&mut page, execution);
    let mut notes = notes;
    notes.extend(execution.log_behind.iter().map(|reason| {
        format!("the step is safe in the store, but the receipts log is behind: {reason}")
    }));
    let answer = Answer::new(page.finish(), json(execution)).noting(notes);
    let id = execution.intent_id.clone();
    let reason = || {
        let meaning = meaning(execution.state).to_owned();
        execution.note.clone().unwrap_or(meaning)
    };
    let error = match execution.state {
        ExecutionState::Submitted | ExecutionState::Confirmed => return Ok(answer),
        ExecutionState::Uncertain | ExecutionState::Submitting | ExecutionState::Signed => {
            CliError::Uncertain {
                id,
                reason: reason(),
            }
        }
        ExecutionState::Reverted => CliError::Reverted {
            id,
            reason: reason(),
        },
        state => CliError::NotExecuted {
            id,
            state,
            reason: reason(),
        },
    };
    let next = error.next();
    let mut failure = answer.failed(error);
    failure.next = next;
    Err(failure)
}
