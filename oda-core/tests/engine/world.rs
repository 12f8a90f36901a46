//! One engine, one chain, one store, and the action that all these tests prepare.
#![expect(
    clippy::unwrap_used,
    reason = "a test world that cannot be built is a failed test"
)]

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use oda_core::{
    Action, ActionError, ActionId, BuildContext, Built, Custody, DESCRIPTOR_SCHEMA, DeclaredPolicy,
    Descriptor, Effect, Engine, EngineBuilder, Facts, IntentId, IntentSecret, MemoryStore,
    MovesFunds, Policy, Store, UnixMillis,
};
use oda_receipts::Status;
use oda_testkit::{FakeChain, ManualClock, MockSigner, TestTx};
use serde::Deserialize;
use serde_json::{Value, json};

/// 2026-09-26T12:00:00.000Z.
pub(crate) const START: u64 = 1_790_424_000_000;

pub(crate) struct World {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) clock: ManualClock,
    pub(crate) chain: FakeChain,
    pub(crate) signer: MockSigner,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::signing(MockSigner::accepting())
    }

    pub(crate) fn signing(signer: MockSigner) -> Self {
        Self {
            store: Arc::new(MemoryStore::new()),
            clock: ManualClock::at(START),
            chain: FakeChain::new(),
            signer,
        }
    }

    /// An engine under this policy on the shared store.
    pub(crate) fn engine(&self, policy: &Value) -> Engine {
        self.builder(policy).build().unwrap()
    }

    pub(crate) fn builder(&self, policy: &Value) -> EngineBuilder {
        self.builder_on(self.store.clone(), policy)
    }

    pub(crate) fn builder_on(&self, store: Arc<dyn Store>, policy: &Value) -> EngineBuilder {
        Engine::builder(store, IntentSecret::new(&[7; 32]).unwrap(), parse(policy))
            .clock(Arc::new(self.clock.clone()))
            .action(Send::new())
            .kind(self.chain.kind(Arc::new(self.signer.clone())))
    }

    /// The statuses of an intent's receipts, in order.
    pub(crate) async fn told(&self, id: &IntentId) -> Vec<Status> {
        self.store
            .receipts_of(id)
            .await
            .unwrap()
            .iter()
            .map(oda_receipts::Receipt::status)
            .collect()
    }

    /// How much of the day's cap is held, in millionths of a dollar: open and spent.
    pub(crate) async fn held(&self) -> (u64, u64) {
        let spent = self
            .store
            .spent(UnixMillis::new(START).day())
            .await
            .unwrap();
        (spent.reserved.as_micros(), spent.committed.as_micros())
    }
}

pub(crate) fn parse(policy: &Value) -> Policy {
    let mut file = json!({"schema": "sato.policy/v1"});
    file.as_object_mut()
        .unwrap()
        .extend(policy.as_object().unwrap().clone());
    Policy::from_value(&file).unwrap()
}

/// Prepares one transfer worth `usd` dollars and expects it to be allowed.
pub(crate) async fn prepared(engine: &Engine, usd: f64) -> IntentId {
    let intent = engine
        .prepare("test.send", &json!({ "usd": usd }))
        .await
        .unwrap();
    assert!(intent.policy.ok, "{:?}", intent.policy.refusals);
    intent.intent_id
}

pub(crate) struct Send {
    descriptor: Descriptor,
}

impl Send {
    pub(crate) fn new() -> Self {
        let id: ActionId = "test.send".parse().unwrap();
        Self {
            descriptor: Descriptor {
                schema: DESCRIPTOR_SCHEMA.into(),
                name: id.tool_name().unwrap(),
                id,
                version: "0.1.0".into(),
                title: "Send".into(),
                description: "Prepares a transfer on the fake chain.".into(),
                effects: vec![Effect::Sign, Effect::Broadcast],
                custody: Custody {
                    reads_key: false,
                    sends_key: false,
                    moves_funds: MovesFunds::WithApproval,
                },
                chains: vec!["base-sepolia".into()],
                input_schema: object_schema(),
                output_schema: object_schema(),
                policy: DeclaredPolicy::default(),
                receipt: true,
                fixtures: vec!["fixtures/send.json".into()],
                upstream: BTreeMap::new(),
                sponsored: None,
            },
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SendInput {
    #[serde(default)]
    usd: Option<f64>,
    #[serde(default)]
    chain_id: Option<u64>,
}

#[async_trait]
impl Action for Send {
    type Input = SendInput;
    type Payload = TestTx;

    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    async fn build(
        &self,
        input: SendInput,
        _: &BuildContext<'_>,
    ) -> Result<Built<TestTx>, ActionError> {
        let mut payload = TestTx::transfer("0x000000000000000000000000000000000000dEaD", 1_000);
        payload.chain_id = input.chain_id.unwrap_or(payload.chain_id);
        let mut built = Built::new(payload, "Send 1000 wei.");
        // The engine overwrites network and spend, whatever an action claims.
        built.facts = Facts {
            usd_value: input.usd,
            usd_spent_today: Some(0.0),
            network: Some(oda_core::Network::Fork),
            ..Facts::default()
        };
        Ok(built)
    }
}

fn object_schema() -> serde_json::Map<String, serde_json::Value> {
    serde_json::Map::from_iter([("type".to_owned(), "object".into())])
}
