//! The path, step by step. Each step tells what it does and fails when it does not come out as it must.

use std::fs;

use oda_core::{ApprovalHints, ExecutionState, IntentId, PreparedIntent};
use oda_receipts::{Checks, Fault, ReceiptError, Report, Verifier};
use serde_json::{Value, json};

use super::stage::{Balances, CHAIN, LIMIT, Stage};
use crate::error::CliError;
use crate::page::Page;
use crate::show;

const ACTION: &str = "token.transfer";

/// 25 tokens of 6 decimals, within the policy's limit.
const FITS: &str = "25000000";
/// 75 tokens, beyond it.
const TOO_MUCH: &str = "75000000";

pub(super) fn opening(page: &mut Page, stage: &Stage) {
    page.line("An EVM in this process, a token, and one transfer down the whole path. No network is used.")
        .pair("directory", stage.directory.display())
        .pair("chain", format_args!("{CHAIN} in memory; the token is {}", stage.token));
}

/// 1. What the host of an agent reads before it lets the agent call anything.
pub(super) fn describe(page: &mut Page, stage: &Stage) -> Result<ApprovalHints, CliError> {
    page.line("\n1. The descriptor: what the action is, and whether a host should ask a person");
    let descriptor = stage.engine.describe(ACTION)?;
    show::descriptor::heading(page, descriptor);
    let hints = descriptor.approval_hints();
    ensure("describe", hints == ApprovalHints::CONSEQUENTIAL, || {
        format!("{hints:?}")
    })?;
    Ok(hints)
}

/// 2. Build, simulate, judge, store. Nothing is signed.
pub(super) async fn prepare(page: &mut Page, stage: &Stage) -> Result<PreparedIntent, CliError> {
    page.line("\n2. prepare 25 DEMO: build, simulate, judge. Nothing is signed");
    let intent = stage.engine.prepare(ACTION, &stage.transfer(FITS)).await?;
    show::intent::write(page, &intent);
    let simulated = intent
        .simulation
        .as_ref()
        .is_some_and(|simulation| simulation.ok);
    ensure("prepare", intent.policy.ok && simulated, || {
        format!("{:?}", intent.policy)
    })?;
    Ok(intent)
}

/// 3. The same with more than the policy allows: a refusal with its rule, limit and observed value.
pub(super) async fn prepare_too_much(
    page: &mut Page,
    stage: &Stage,
) -> Result<PreparedIntent, CliError> {
    page.line("\n3. prepare 75 DEMO: the policy refuses");
    let intent = stage
        .engine
        .prepare(ACTION, &stage.transfer(TOO_MUCH))
        .await?;
    show::intent::verdict(page, &intent.policy);
    let as_expected = matches!(
        intent.policy.refusals.as_slice(),
        [refusal] if refusal.rule == "max_per_trade"
            && refusal.limit == LIMIT
            && refusal.observed == TOO_MUCH
    );
    ensure("refuse", as_expected, || format!("{:?}", intent.policy))?;
    let executed = stage.engine.execute(&intent.intent_id).await;
    let code = executed.as_ref().err().map(oda_core::EngineError::code);
    ensure("execute what was refused", code == Some("refused"), || {
        format!("{executed:?}")
    })?;
    Ok(intent)
}

/// 4. By the id alone: recheck, sign, send; then look the transaction up on the chain.
pub(super) async fn execute(
    page: &mut Page,
    stage: &Stage,
    intent: &PreparedIntent,
) -> Result<Value, CliError> {
    page.line("\n4. execute by the intent's id alone: recheck, sign, send, look it up");
    let id: &IntentId = &intent.intent_id;
    let execution = stage.engine.execute(id).await?;
    show::execution::write(page, &execution);
    ensure(
        "execute",
        execution.state == ExecutionState::Submitted,
        || format!("{execution:?}"),
    )?;
    let settled = stage.engine.reconcile(id).await?;
    let block = settled.block.as_deref().unwrap_or("?");
    page.pair("then", format_args!("{}, in block {block}", settled.state));
    ensure(
        "confirm",
        settled.state == ExecutionState::Confirmed,
        || format!("{settled:?}"),
    )?;
    let again = stage.engine.execute(id).await;
    let code = again.as_ref().err().map(oda_core::EngineError::code);
    ensure("execute twice", code == Some("already_executed"), || {
        format!("{again:?}")
    })?;
    Ok(show::execution::json(&execution))
}

/// 5. What changed on the chain: exactly the transfer.
pub(super) fn compare(
    page: &mut Page,
    before: &Balances,
    after: &Balances,
) -> Result<(), CliError> {
    page.line("\n5. The balances, read back from the chain (base units)");
    page.pair("payer", format_args!("{} -> {}", before.payer, after.payer));
    page.pair("payee", format_args!("{} -> {}", before.payee, after.payee));
    let expected = (
        Balances::of("1000000000", "0"),
        Balances::of("975000000", FITS),
    );
    ensure(
        "balances",
        (before, after) == (&expected.0, &expected.1),
        || format!("{before:?} and {after:?}"),
    )
}

/// 6. The receipts log that the steps above wrote.
pub(super) fn verify(page: &mut Page, stage: &Stage) -> Result<Value, CliError> {
    page.line("\n6. receipts verify .oda/receipts.jsonl: prepared, refused, executed");
    let log = read_log(stage)?;
    let Report { lines, last, .. } = Verifier::new(Checks::exact()).verify(log.as_slice())?;
    ensure("receipts", lines == 3 && last.is_some(), || {
        format!("{lines} receipts")
    })?;
    let head = last.map(|last| last.hash.to_string()).unwrap_or_default();
    page.pair("whole", format_args!("{lines} lines, head {head}"));
    Ok(json!({ "receipts": lines, "head": head }))
}

/// 7. Somebody makes the refused amount look harmless.
pub(super) fn change_one_byte(page: &mut Page, stage: &Stage) -> Result<Value, CliError> {
    let mut log = read_log(stage)?;
    let at =
        position(&log, b"\"observed\":\"75000000\"").map(|start| start + b"\"observed\":\"".len());
    let byte = at.and_then(|at| log.get_mut(at));
    let Some((at, byte)) = at.zip(byte) else {
        return Err(failed(
            "change one byte",
            "the refused receipt is not in the log",
        ));
    };
    *byte = b'4';
    let copy = stage.directory.join("changed.jsonl");
    fs::write(&copy, &log).map_err(|error| failed("change one byte", error.to_string()))?;
    page.line("\n7. The same log with one byte changed: changed.jsonl");
    page.pair(
        "byte",
        format_args!("{at}: observed 75000000 became 45000000, below the limit"),
    );
    match Verifier::new(Checks::exact()).verify(log.as_slice()) {
        Err(ReceiptError::Broken(fault)) if fault.line == 2 => {
            let Fault { line, kind, .. } = *fault;
            page.pair("broken", format_args!("line {line}: {kind}"));
            Ok(json!({ "line": line, "kind": kind.code(), "message": kind.to_string() }))
        }
        other => Err(failed("find the changed byte", format!("{other:?}"))),
    }
}

fn read_log(stage: &Stage) -> Result<Vec<u8>, CliError> {
    fs::read(&stage.log).map_err(|error| failed("read the log", error.to_string()))
}

fn position(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len())
        .position(|window| window == wanted)
}

fn ensure(step: &'static str, holds: bool, found: impl FnOnce() -> String) -> Result<(), CliError> {
    if holds {
        Ok(())
    } else {
        Err(failed(step, found()))
    }
}

fn failed(step: &'static str, found: impl Into<String>) -> CliError {
    CliError::Demo {
        step,
        found: found.into(),
    }
}

impl Balances {
    fn of(payer: &str, payee: &str) -> Self {
        Self {
            payer: payer.to_owned(),
            payee: payee.to_owned(),
        }
    }
}
