//! A story as the file tells it.

use std::collections::BTreeMap;

use oda_core::Nonce;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::super::case::{Case, Malformed};
use super::super::super::load::VectorFile;

/// One story, with everything that its replay needs.
#[derive(Debug)]
pub(super) struct Scenario {
    pub(super) secret: Vec<u8>,
    pub(super) clock_start_ms: u64,
    pub(super) nonces: Vec<Nonce>,
    pub(super) policy: String,
    pub(super) fail_send: bool,
    pub(super) simulator_fails: bool,
    pub(super) signer: SignerOption,
    pub(super) steps: Vec<Step>,
    /// The payloads that the story's actions build, by action.
    pub(super) builds: BTreeMap<String, Build>,
}

/// Which signer the story has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignerOption {
    None,
    /// A signer for EVM transactions and typed data.
    Evm,
    /// The same, and it sends Solana transactions.
    EvmAndSolana,
}

/// One step of a story.
#[derive(Debug)]
pub(super) enum Step {
    Prepare {
        action: String,
        input: Map<String, Value>,
        result: Value,
    },
    Execute {
        prepared: usize,
        result: Value,
    },
    Advance {
        ms: u64,
    },
}

/// What an action of the story builds. The reference's fake actions build one payload each.
#[derive(Debug, Clone)]
pub(super) struct Build {
    pub(super) unsigned: Value,
    pub(super) summary: String,
}

/// What a lengthened summary ends with, in the file.
pub(super) const REASON: &str = " <reason>";

#[derive(Deserialize)]
struct Meta {
    secret_hex: String,
    clock_start_ms: u64,
    nonces: Vec<Nonce>,
}

#[derive(Deserialize)]
struct Options {
    #[serde(default)]
    fail_send: bool,
    #[serde(default)]
    sim_throws: bool,
    signer: String,
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Record {
    intent: RecordedIntent,
}

#[derive(Deserialize)]
struct RecordedIntent {
    action: String,
    summary: String,
    unsigned: Value,
}

impl Scenario {
    /// Reads a story. The inner error says why it cannot be replayed.
    pub(super) fn read(case: &Case, file: &VectorFile) -> Result<Result<Self, String>, Malformed> {
        let meta: Meta = file
            .members
            .get("meta")
            .and_then(|raw| serde_json::from_str(raw.get()).ok())
            .ok_or_else(|| Malformed("`meta` has no secret, clock and nonces".to_owned()))?;
        let options: Options = case.read("options")?;
        if let Some((option, _)) = options.others.iter().find(|(_, value)| is_set(value)) {
            return Ok(Err(format!(
                "this runner does not know the option `{option}`"
            )));
        }
        let signer = match options.signer.as_str() {
            "none" => SignerOption::None,
            "viem-local" => SignerOption::Evm,
            "viem-local+solana" => SignerOption::EvmAndSolana,
            other => {
                return Ok(Err(format!(
                    "this runner does not know the signer `{other}`"
                )));
            }
        };
        let steps = match steps(case)? {
            Ok(steps) => steps,
            Err(reason) => return Ok(Err(reason)),
        };
        let scenario = Self {
            secret: hex::decode(&meta.secret_hex).map_err(|e| Malformed(e.to_string()))?,
            clock_start_ms: meta.clock_start_ms,
            nonces: meta.nonces,
            policy: case.raw("policy_file")?.get().to_owned(),
            fail_send: options.fail_send,
            simulator_fails: options.sim_throws,
            signer,
            steps,
            builds: builds(case.read("stored_records")?),
        };
        Ok(scenario.replayable())
    }

    /// The results that the file tells, step by step; `null` for steps without one.
    pub(super) fn results(&self) -> Vec<Value> {
        self.steps
            .iter()
            .map(|step| match step {
                Step::Prepare { result, .. } | Step::Execute { result, .. } => result.clone(),
                Step::Advance { .. } => Value::Null,
            })
            .collect()
    }

    fn replayable(self) -> Result<Self, String> {
        for build in self.builds.values() {
            let kind = build.unsigned["kind"].as_str().unwrap_or_default();
            match kind {
                "evm_tx" | "solana_tx" => {}
                "typed_data" if build.unsigned["submit"].is_null() => {}
                "typed_data" => {
                    return Err("filing Safe proposals comes with a later issue".to_owned());
                }
                "x402_payment" if self.signer == SignerOption::None => {}
                "x402_payment" => return Err("paying x402 comes with a later issue".to_owned()),
                other => {
                    return Err(format!(
                        "this runner does not know payloads of the kind `{other}`"
                    ));
                }
            }
        }
        Ok(self)
    }
}

/// An option that is `false`, `null` or absent changes nothing.
fn is_set(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false))
}

fn steps(case: &Case) -> Result<Result<Vec<Step>, String>, Malformed> {
    let texts: Vec<Map<String, Value>> = case.read("steps")?;
    Ok(texts.iter().map(step).collect())
}

fn step(text: &Map<String, Value>) -> Result<Step, String> {
    const KNOWN: [&str; 6] = [
        "prepare",
        "input",
        "execute",
        "advance_ms",
        "result",
        "error",
    ];
    const INPUT: [&str; 1] = ["usd"];
    if let Some(key) = text.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        return Err(format!("this runner does not know the step `{key}`"));
    }
    let result = || match text.get("error") {
        Some(error) => json!({ "error": error }),
        None => text.get("result").cloned().unwrap_or_default(),
    };
    if let Some(action) = text.get("prepare").and_then(Value::as_str) {
        let input = text
            .get("input")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        if let Some(key) = input.keys().find(|key| !INPUT.contains(&key.as_str())) {
            return Err(format!("what the input `{key}` does is not in the file"));
        }
        return Ok(Step::Prepare {
            action: action.to_owned(),
            input,
            result: result(),
        });
    }
    if let Some(index) = text.get("execute").and_then(Value::as_u64) {
        let prepared = usize::try_from(index).map_err(|error| error.to_string())?;
        return Ok(Step::Execute {
            prepared,
            result: result(),
        });
    }
    if let Some(ms) = text.get("advance_ms").and_then(Value::as_u64) {
        return Ok(Step::Advance { ms });
    }
    Err(format!(
        "this runner does not know the step {}",
        Value::Object(text.clone())
    ))
}

/// The file does not give what its fake actions build; the records show it.
fn builds(records: Vec<Record>) -> BTreeMap<String, Build> {
    records
        .into_iter()
        .map(|record| {
            let summary = record.intent.summary;
            let summary = summary.strip_suffix(REASON).unwrap_or(&summary).to_owned();
            (
                record.intent.action,
                Build {
                    unsigned: record.intent.unsigned,
                    summary,
                },
            )
        })
        .collect()
}
