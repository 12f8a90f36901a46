//! `oda-flow.json`: whole stories of prepare and execute, replayed through the real engine.
//!
//! Clock, secret and nonces are those of the file. Simulator and signer are fakes, as they were in the
//! reference; everything between them is this project's own.

mod kinds;
mod replay;
mod scenario;
mod tell;

use serde_json::{Value, json};

use super::super::case::{Case, Check, Malformed};
use super::super::load::VectorFile;
use super::List;
use scenario::Scenario;

pub(super) const LISTS: &[List] = &[List::each("flows", &["name"], flow)];

/// Stories that record what the reference does wrong have no right answer in the file.
const DEFECT: &str = "the case is named a defect of the reference, so its answer is not the right one; \
                      the engine has a test named after each defect";

fn flow(case: &Case, file: &VectorFile) -> Result<Check, Malformed> {
    if case.read::<String>("name")?.contains("reference defect") {
        return Ok(Check::unchecked(DEFECT));
    }
    let scenario = match Scenario::read(case, file)? {
        Ok(scenario) => scenario,
        Err(reason) => return Ok(Check::unchecked(reason)),
    };
    let expected = expected(case, &scenario)?;
    match replay_apart(&scenario) {
        Ok(actual) => Ok(Check::compared(expected, actual)),
        Err(reason) => Ok(Check::compared(
            expected,
            json!({ "cannot_replay": reason }),
        )),
    }
}

/// What the reference gives: the results of the steps, then everything that is left behind.
fn expected(case: &Case, scenario: &Scenario) -> Result<Value, Malformed> {
    Ok(json!({
        "steps": scenario.results(),
        "stored_records": case.read::<Value>("stored_records")?,
        "receipts": case.read::<Value>("receipts")?,
        "collaborator_calls": case.read::<Value>("collaborator_calls")?,
    }))
}

/// Replays on a thread of its own: the caller may be inside a runtime, where another cannot be started.
fn replay_apart(scenario: &Scenario) -> Result<Value, String> {
    std::thread::scope(|scope| {
        let replaying = scope.spawn(|| {
            tokio::runtime::Builder::new_current_thread()
                .build()
                .map_err(|error| format!("no runtime: {error}"))?
                .block_on(replay::replay(scenario))
        });
        replaying
            .join()
            .map_err(|_| "the replay panicked".to_owned())?
    })
}
