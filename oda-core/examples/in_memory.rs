//! A chain of its own, plugged into the engine in one file: a ledger in memory.
//!
//! Run it with `cargo run -p oda-core --example in_memory`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use oda_core::{
    Action, ActionError, ActionId, Artifact, BuildContext, Built, ChainError, Custody,
    DESCRIPTOR_SCHEMA, Death, DeclaredPolicy, Descriptor, Effect, Engine, Fate, IntentSecret, Lane,
    MemoryStore, MovesFunds, Network, Payload, PayloadError, PayloadKind, Policy, ReceiptId,
    RuleId, Signed, Signer, SignerError, Simulation, SimulationNeed, Simulator, Submission,
    Submitter, TermsRequest, UnixMillis,
};
use serde::{Deserialize, Serialize};

/// The unsigned payload: who gets how much.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    kind: String,
    to: String,
    amount: u64,
}

impl Payload for Entry {
    const KIND: &'static str = "ledger_entry";
    const RECEIPT_ID: ReceiptId = ReceiptId::TxHash;
    type Terms = ();

    fn chain(&self) -> &str {
        "ledger"
    }

    fn network(&self) -> Network {
        Network::Fork
    }

    fn validate(&self) -> Result<(), PayloadError> {
        if self.amount == 0 {
            return Err(PayloadError::new(
                "ledger_entry.amount",
                "must be greater than 0",
            ));
        }
        Ok(())
    }

    fn simulation(&self) -> SimulationNeed {
        SimulationNeed::Required
    }
}

/// The whole chain: who has how much. Whatever is sent is in the next block.
#[derive(Debug, Default)]
struct Ledger {
    balances: Mutex<BTreeMap<String, u64>>,
    blocks: Mutex<Vec<String>>,
}

#[async_trait]
impl Simulator for Ledger {
    type Payload = Entry;

    async fn simulate(&self, entry: &Entry, now: UnixMillis) -> Result<Simulation, ChainError> {
        let fits = entry.amount <= 1_000;
        Ok(Simulation {
            ok: fits,
            method: "ledger".into(),
            block: None,
            gas_estimate: None,
            error: (!fits).then(|| "the ledger takes at most 1000 at once".into()),
            as_of: now.to_string(),
            effects: None,
        })
    }
}

#[async_trait]
impl Submitter for Ledger {
    type Payload = Entry;

    async fn lane(&self, _: &Entry, _: &str) -> Result<Option<Lane>, ChainError> {
        Ok(None)
    }

    async fn terms(&self, _: &Entry, _: &TermsRequest<'_>) -> Result<(), ChainError> {
        Ok(())
    }

    async fn submit(&self, entry: &Entry, artifact: &Artifact) -> Submission {
        let (Ok(mut balances), Ok(mut blocks)) = (self.balances.lock(), self.blocks.lock()) else {
            return Submission::Unknown {
                reason: "the ledger is broken".into(),
            };
        };
        if !blocks.contains(&artifact.id) {
            *balances.entry(entry.to.clone()).or_default() += entry.amount;
            blocks.push(artifact.id.clone());
        }
        Submission::Accepted
    }

    async fn fate(&self, _: &Entry, artifact: &Artifact) -> Result<Fate, ChainError> {
        let blocks = self.blocks.lock().map_err(|_| ChainError::Unavailable {
            node: "ledger".into(),
            reason: "the ledger is broken".into(),
        })?;
        Ok(match blocks.iter().position(|id| *id == artifact.id) {
            Some(height) => Fate::Included {
                block: height.to_string(),
                succeeded: true,
                confirmations: 1,
                reason: None,
            },
            None => Fate::Unseen,
        })
    }
}

/// Signs by hashing, which is enough for a ledger that believes everybody.
#[derive(Debug)]
struct Stamp;

#[async_trait]
impl Signer for Stamp {
    type Payload = Entry;

    fn kind(&self) -> &str {
        "stamp"
    }

    async fn address(&self, _: &str) -> Result<String, SignerError> {
        Ok("treasury".into())
    }

    async fn sign(&self, entry: &Entry, (): &()) -> Result<Signed, SignerError> {
        let failed = |error: oda_canon::CanonError| SignerError::Failed {
            reason: error.to_string(),
        };
        Ok(Signed {
            id: oda_canon::digest(entry).map_err(failed)?.to_string(),
            bytes: oda_canon::to_vec(entry).map_err(failed)?,
            death: Death::Unknown,
        })
    }
}

/// The action that an agent calls.
#[derive(Debug)]
struct Pay {
    descriptor: Descriptor,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PayInput {
    to: String,
    amount: u64,
}

#[async_trait]
impl Action for Pay {
    type Input = PayInput;
    type Payload = Entry;

    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    async fn build(
        &self,
        input: PayInput,
        _: &BuildContext<'_>,
    ) -> Result<Built<Entry>, ActionError> {
        let summary = format!("Pay {} to {}.", input.amount, input.to);
        let entry = Entry {
            kind: Entry::KIND.into(),
            to: input.to,
            amount: input.amount,
        };
        Ok(Built::new(entry, summary))
    }
}

fn descriptor() -> Result<Descriptor, Box<dyn std::error::Error>> {
    let id: ActionId = "ledger.pay".parse()?;
    Ok(Descriptor {
        schema: DESCRIPTOR_SCHEMA.into(),
        name: id.tool_name()?,
        id,
        version: "0.1.0".into(),
        title: "Pay from the ledger".into(),
        description: "Prepares a payment from the ledger. Sends nothing until it is executed."
            .into(),
        effects: vec![Effect::Sign, Effect::Broadcast],
        custody: Custody {
            reads_key: false,
            sends_key: false,
            moves_funds: MovesFunds::WithApproval,
        },
        chains: vec!["base-sepolia".into()],
        input_schema: object_schema(),
        output_schema: object_schema(),
        policy: DeclaredPolicy {
            rules: vec![RuleId::SimulationFailed],
        },
        receipt: true,
        fixtures: Vec::new(),
        upstream: BTreeMap::new(),
        sponsored: None,
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ledger = Arc::new(Ledger::default());
    let kind = PayloadKind::new()
        .simulator(ledger.clone())
        .signer(Arc::new(Stamp))
        .submitter(ledger.clone());
    let secret = IntentSecret::new(b"a secret of at least sixteen bytes")?;
    let policy = Policy::parse(br#"{"schema": "sato.policy/v1", "allow_chains": ["ledger"]}"#)?;
    let engine = Engine::builder(Arc::new(MemoryStore::new()), secret, policy)
        .kind(kind)
        .action(Pay {
            descriptor: descriptor()?,
        })
        .build()?;

    let intent = engine
        .prepare(
            "ledger.pay",
            &serde_json::json!({"to": "alice", "amount": 5}),
        )
        .await?;
    tell(&format!(
        "prepared   {}: {}",
        intent.intent_id, intent.summary
    ))?;
    let executed = engine.execute(&intent.intent_id).await?;
    tell(&format!("executed   {:?}", executed.state))?;
    let settled = engine.reconcile(&intent.intent_id).await?;
    tell(&format!(
        "reconciled {:?} in block {:?}",
        settled.state, settled.block
    ))?;
    let again = engine.execute(&intent.intent_id).await;
    tell(&format!(
        "again      {}",
        again
            .err()
            .map_or_else(String::new, |error| error.to_string())
    ))?;

    let refused = engine
        .prepare(
            "ledger.pay",
            &serde_json::json!({"to": "alice", "amount": 5000}),
        )
        .await?;
    tell(&format!(
        "refused    {}",
        refused.policy.refusals[0].message
    ))?;
    Ok(())
}

fn tell(line: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    writeln!(std::io::stdout(), "{line}")
}

fn object_schema() -> serde_json::Map<String, serde_json::Value> {
    serde_json::Map::from_iter([("type".to_owned(), "object".into())])
}
