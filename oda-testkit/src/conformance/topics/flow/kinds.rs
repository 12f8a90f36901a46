//! The payload kinds of the stories, with fakes for what the reference faked: simulator and signer.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use oda_core::{
    Artifact, ChainError, Death, Fate, Lane, Network, Payload, PayloadError, PayloadKind,
    ReceiptId, Signed, Signer, SignerError, Simulation, SimulationNeed, Simulator, Submission,
    Submitter, TermsRequest, UnixMillis,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::scenario::{Scenario, SignerOption};

/// The calls that the fakes received, and how many of them the reference would have made too: its fake
/// transaction hash is that number.
#[derive(Debug, Default)]
pub(super) struct Calls {
    inner: Mutex<Counted>,
}

#[derive(Debug, Default)]
struct Counted {
    names: Vec<&'static str>,
    shared_with_reference: usize,
    executing: bool,
}

impl Calls {
    /// Whether the engine executes. The reference simulates at prepare only.
    pub(super) fn executing(&self, executing: bool) {
        self.inner
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .executing = executing;
    }

    pub(super) fn names(&self) -> Vec<&'static str> {
        self.inner
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .names
            .clone()
    }

    fn simulated(&self, name: &'static str) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.names.push(name);
        if !inner.executing {
            inner.shared_with_reference += 1;
        }
    }

    /// Notes a send; returns its place among the reference's calls, from 1.
    fn sent(&self, name: &'static str) -> usize {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.names.push(name);
        inner.shared_with_reference += 1;
        inner.shared_with_reference
    }
}

/// What sets the four kinds apart.
pub(super) trait Shape: Send + Sync + std::fmt::Debug + Clone + 'static {
    const KIND: &'static str;
    const RECEIPT_ID: ReceiptId;
    /// The member that names the chain.
    const CHAIN: &'static str;
    const SIMULATION: SimulationNeed;
    /// What the fake simulator is called, and what it calls its method.
    const SIMULATOR: (&'static str, &'static str);
    /// What the fake signer is called.
    const SENDER: &'static str;

    fn network(payload: &Value) -> Network;

    /// The id of what was sent, given the place of the call.
    fn id(place: usize) -> String;
}

macro_rules! shape {
    ($name:ident { $($body:tt)* }) => {
        #[derive(Debug, Clone)]
        pub(super) struct $name;
        impl Shape for $name { $($body)* }
    };
}

shape!(EvmTx {
    const KIND: &'static str = "evm_tx";
    const RECEIPT_ID: ReceiptId = ReceiptId::TxHash;
    const CHAIN: &'static str = "chain";
    const SIMULATION: SimulationNeed = SimulationNeed::Required;
    const SIMULATOR: (&'static str, &'static str) = ("simulate", "eth_call");
    const SENDER: &'static str = "sendTransaction";

    fn network(payload: &Value) -> Network {
        network_of_id(&payload["chain_id"])
    }

    fn id(place: usize) -> String {
        format!("0x{place:064x}")
    }
});

shape!(TypedData {
    const KIND: &'static str = "typed_data";
    const RECEIPT_ID: ReceiptId = ReceiptId::TypedDataSignature;
    const CHAIN: &'static str = "chain";
    const SIMULATION: SimulationNeed = SimulationNeed::NotApplicable {
        reason: "A signature over typed data has no effect on the chain by itself.",
    };
    const SIMULATOR: (&'static str, &'static str) = ("", "");
    const SENDER: &'static str = "signTypedData";

    fn network(payload: &Value) -> Network {
        network_of_id(&payload["chain_id"])
    }

    fn id(_: usize) -> String {
        format!("0x{}", "11".repeat(65))
    }
});

shape!(SolanaTx {
    const KIND: &'static str = "solana_tx";
    const RECEIPT_ID: ReceiptId = ReceiptId::Signature;
    const CHAIN: &'static str = "chain";
    const SIMULATION: SimulationNeed = SimulationNeed::Required;
    const SIMULATOR: (&'static str, &'static str) = ("simulateSolana", "simulateTransaction");
    const SENDER: &'static str = "sendSolanaTransaction";

    fn network(payload: &Value) -> Network {
        if payload["chain"] == "solana-devnet" { Network::Testnet } else { Network::Mainnet }
    }

    fn id(_: usize) -> String {
        "5".repeat(88)
    }
});

shape!(X402Payment {
    const KIND: &'static str = "x402_payment";
    const RECEIPT_ID: ReceiptId = ReceiptId::TxHash;
    const CHAIN: &'static str = "network";
    // The reference adds no sentence about it to the summary; an empty one is contained in every summary.
    const SIMULATION: SimulationNeed = SimulationNeed::NotApplicable { reason: "" };
    const SIMULATOR: (&'static str, &'static str) = ("", "");
    const SENDER: &'static str = "pay";

    fn network(payload: &Value) -> Network {
        let id = payload["network"].as_str().and_then(|text| text.strip_prefix("eip155:"));
        network_of_number(id.and_then(|id| id.parse().ok()))
    }

    fn id(place: usize) -> String {
        format!("0x{place:064x}")
    }
});

fn network_of_id(id: &Value) -> Network {
    network_of_number(id.as_u64())
}

/// Without an id that is known to be a test network, real money is assumed.
fn network_of_number(id: Option<u64>) -> Network {
    id.map_or(Network::Mainnet, oda_core::network_of_evm_chain_id)
}

/// A payload of one of the stories, kept as it stands.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent, bound = "")]
pub(super) struct Told<S> {
    value: Value,
    #[serde(skip)]
    shape: PhantomData<S>,
}

impl<S: Shape> Told<S> {
    pub(super) fn new(value: Value) -> Self {
        Self {
            value,
            shape: PhantomData,
        }
    }
}

impl<S: Shape> Payload for Told<S> {
    const KIND: &'static str = S::KIND;
    const RECEIPT_ID: ReceiptId = S::RECEIPT_ID;
    type Terms = ();

    fn chain(&self) -> &str {
        self.value[S::CHAIN].as_str().unwrap_or_default()
    }

    fn network(&self) -> Network {
        S::network(&self.value)
    }

    fn validate(&self) -> Result<(), PayloadError> {
        if self.value["kind"] == S::KIND {
            Ok(())
        } else {
            Err(PayloadError::new("kind", format!("must be `{}`", S::KIND)))
        }
    }

    fn simulation(&self) -> SimulationNeed {
        S::SIMULATION
    }
}

/// Simulator, signer and submitter of one kind.
#[derive(Debug)]
struct Fake<S> {
    calls: Arc<Calls>,
    as_of: String,
    simulator_fails: bool,
    fail_send: bool,
    shape: PhantomData<S>,
}

/// The parts that a story has for one kind.
pub(super) fn parts<S: Shape>(scenario: &Scenario, calls: &Arc<Calls>) -> PayloadKind<Told<S>> {
    let fake = Arc::new(Fake::<S> {
        calls: Arc::clone(calls),
        as_of: UnixMillis::new(scenario.clock_start_ms).to_string(),
        simulator_fails: scenario.simulator_fails,
        fail_send: scenario.fail_send,
        shape: PhantomData,
    });
    let mut parts = PayloadKind::new();
    if S::SIMULATION == SimulationNeed::Required {
        parts = parts.simulator(fake.clone());
    }
    let sends_solana = scenario.signer == SignerOption::EvmAndSolana;
    if scenario.signer != SignerOption::None {
        parts = parts.signer(fake.clone());
    }
    // What the reference calls a missing capability is a kind that nobody can send.
    if S::KIND != SolanaTx::KIND || sends_solana {
        parts = parts.submitter(fake);
    }
    parts
}

#[async_trait]
impl<S: Shape> Simulator for Fake<S> {
    type Payload = Told<S>;

    async fn simulate(&self, _: &Told<S>, _: UnixMillis) -> Result<Simulation, ChainError> {
        let (name, method) = S::SIMULATOR;
        self.calls.simulated(name);
        if self.simulator_fails {
            return Err(ChainError::Unavailable {
                node: "the fake simulator".to_owned(),
                reason: "it throws in this story".to_owned(),
            });
        }
        // The reference's fake answers the same at any time, the time included.
        Ok(Simulation {
            ok: true,
            method: method.to_owned(),
            block: Some("1".to_owned()),
            gas_estimate: Some("21000".to_owned()),
            error: None,
            as_of: self.as_of.clone(),
            effects: None,
        })
    }
}

#[async_trait]
impl<S: Shape> Signer for Fake<S> {
    type Payload = Told<S>;

    fn kind(&self) -> &str {
        "fake"
    }

    async fn address(&self, _: &str) -> Result<String, SignerError> {
        Ok("0x0000000000000000000000000000000000000001".to_owned())
    }

    /// The reference's signer signs and sends in one call; the call is noted here.
    async fn sign(&self, _: &Told<S>, (): &()) -> Result<Signed, SignerError> {
        let place = self.calls.sent(S::SENDER);
        if self.fail_send {
            return Err(SignerError::Failed {
                reason: "it throws in this story".to_owned(),
            });
        }
        Ok(Signed {
            id: S::id(place),
            bytes: vec![1],
            death: Death::Unknown,
        })
    }
}

#[async_trait]
impl<S: Shape> Submitter for Fake<S> {
    type Payload = Told<S>;

    async fn lane(&self, _: &Told<S>, _: &str) -> Result<Option<Lane>, ChainError> {
        Ok(None)
    }

    async fn terms(&self, _: &Told<S>, _: &TermsRequest<'_>) -> Result<(), ChainError> {
        Ok(())
    }

    async fn submit(&self, _: &Told<S>, _: &Artifact) -> Submission {
        Submission::Accepted
    }

    async fn fate(&self, _: &Told<S>, _: &Artifact) -> Result<Fate, ChainError> {
        Ok(Fate::Unseen)
    }
}
