//! Replaying a story.

use std::sync::Arc;

use async_trait::async_trait;
use oda_core::{
    Action, ActionError, BuildContext, Built, Descriptor, Engine, Facts, IntentSecret, MemoryStore,
    Policy, Store,
};
use serde_json::{Map, Value, json};

use super::kinds::{Calls, EvmTx, Shape, SolanaTx, Told, TypedData, X402Payment, parts};
use super::scenario::{Build, Scenario, Step};
use super::tell;
use crate::world::{ManualClock, ScriptedNonces};

/// What an action of the stories is worth when its input does not say.
const USD: f64 = 1.0;

/// Replays a story; returns its steps' results and what it left behind, in the form of the file.
pub(super) async fn replay(scenario: &Scenario) -> Result<Value, String> {
    let clock = ManualClock::at(scenario.clock_start_ms);
    let calls = Arc::new(Calls::default());
    let store = Arc::new(MemoryStore::new());
    let engine = engine(
        scenario,
        &clock,
        &calls,
        Arc::clone(&store) as Arc<dyn Store>,
    )?;

    let mut steps = Vec::new();
    let mut prepared = Vec::new();
    for step in &scenario.steps {
        steps.push(match step {
            Step::Advance { ms } => {
                clock.advance(*ms);
                Value::Null
            }
            Step::Prepare { action, input, .. } => {
                calls.executing(false);
                let summary = scenario
                    .builds
                    .get(action)
                    .map_or("", |build| &build.summary);
                match engine.prepare(action, &Value::Object(input.clone())).await {
                    Ok(intent) => {
                        let told = tell::prepared(&intent, summary);
                        prepared.push((intent.intent_id, summary));
                        told
                    }
                    Err(error) => tell::failed(&error),
                }
            }
            Step::Execute {
                prepared: place, ..
            } => {
                calls.executing(true);
                let (id, _) = prepared
                    .get(*place)
                    .ok_or("it executes what was not prepared")?;
                match engine.execute(id).await {
                    Ok(execution) => tell::executed(&execution),
                    Err(error) => tell::failed(&error),
                }
            }
        });
    }
    let mut records = Vec::new();
    for (id, summary) in &prepared {
        let stored = engine.intent(id).await.map_err(|error| error.to_string())?;
        records.push(tell::record(&stored, summary));
    }
    let receipts = store
        .receipts_after(None, usize::MAX)
        .await
        .map_err(|error| error.to_string())?;
    Ok(json!({
        "steps": steps,
        "stored_records": records,
        "receipts": receipts.iter().map(tell::receipt).collect::<Vec<_>>(),
        "collaborator_calls": calls.names(),
    }))
}

fn engine(
    scenario: &Scenario,
    clock: &ManualClock,
    calls: &Arc<Calls>,
    store: Arc<dyn Store>,
) -> Result<Engine, String> {
    let secret = IntentSecret::new(&scenario.secret).map_err(|error| error.to_string())?;
    let policy = Policy::parse(scenario.policy.as_bytes()).map_err(|error| error.to_string())?;
    let mut builder = Engine::builder(store, secret, policy)
        .clock(Arc::new(clock.clone()))
        .nonces(Arc::new(ScriptedNonces::new(
            scenario.nonces.iter().cloned(),
        )))
        .kind(parts::<EvmTx>(scenario, calls))
        .kind(parts::<TypedData>(scenario, calls))
        .kind(parts::<SolanaTx>(scenario, calls))
        .kind(parts::<X402Payment>(scenario, calls));
    for (id, build) in &scenario.builds {
        builder = match build.unsigned["kind"].as_str() {
            Some(TypedData::KIND) => builder.action(TestAction::<TypedData>::new(id, build)?),
            Some(SolanaTx::KIND) => builder.action(TestAction::<SolanaTx>::new(id, build)?),
            Some(X402Payment::KIND) => builder.action(TestAction::<X402Payment>::new(id, build)?),
            _ => builder.action(TestAction::<EvmTx>::new(id, build)?),
        };
    }
    builder.build().map_err(|error| error.to_string())
}

/// An action of the stories: it builds one payload and reads nothing but the value from its input.
struct TestAction<S> {
    descriptor: Descriptor,
    payload: Told<S>,
    summary: String,
}

impl<S: Shape> TestAction<S> {
    fn new(id: &str, build: &Build) -> Result<Self, String> {
        Ok(Self {
            descriptor: descriptor(id)?,
            payload: Told::new(build.unsigned.clone()),
            summary: build.summary.clone(),
        })
    }
}

#[async_trait]
impl<S: Shape> Action for TestAction<S> {
    type Input = Map<String, Value>;
    type Payload = Told<S>;

    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    async fn build(
        &self,
        input: Self::Input,
        _: &BuildContext<'_>,
    ) -> Result<Built<Told<S>>, ActionError> {
        let usd = match input.get("usd") {
            None => Some(USD),
            Some(value) => value.as_f64(),
        };
        let mut built = Built::new(self.payload.clone(), self.summary.clone());
        built.facts = Facts {
            usd_value: usd,
            ..Facts::default()
        };
        Ok(built)
    }
}

fn descriptor(id: &str) -> Result<Descriptor, String> {
    let text = json!({
        "schema": "sato.action/v1",
        "id": id,
        "name": id.replace('.', "_"),
        "version": "0.1.0",
        "title": "An action of the vectors",
        "description": "Builds the payload of a story.",
        "effects": ["sign", "broadcast"],
        "custody": { "reads_key": false, "sends_key": false, "moves_funds": "with_approval" },
        "chains": ["base-sepolia"],
        "input_schema": { "type": "object" },
        "output_schema": { "type": "object" },
        "policy": { "rules": [] },
        "receipt": true,
        "fixtures": ["none"],
        "upstream": {},
        "sponsored": null,
    });
    serde_json::from_value(text).map_err(|error| error.to_string())
}
