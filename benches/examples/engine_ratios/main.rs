//! Prints what the engine itself costs, on an embedded EVM with real signatures.
//!
//! Simulator, signer and submitter are wrapped so that the time inside them is known; what is left of
//! `prepare` and `execute` is the engine's own: reading the input, canonical bytes, digests and seals, the
//! policy, the store in memory. The bare chain does the same calls without the engine, in the same run,
//! turn by turn. The median of all rounds counts.
//!
//! ```text
//! cargo run --release -p oda-benches --example engine_ratios
//! ```

#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a program that prints measurements"
)]

mod scene;

use std::future::Future;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use oda_chain_evm::EvmTx;
use oda_core::{
    Artifact, ChainError, Engine, Facts, Fate, IntentSecret, Lane, MemoryStore, PayloadKind,
    Policy, Signed, Signer, SignerError, Simulation, Simulator, Submission, Submitter,
    TermsRequest, UnixMillis, evaluate,
};
use serde_json::{Value, json};

use crate::scene::{Scene, scene, signer};

const ROUNDS: usize = 400;

/// Time spent inside the parts, in nanoseconds.
#[derive(Debug, Default)]
struct Inside {
    simulator: AtomicU64,
    others: AtomicU64,
}

async fn timed<T>(counter: &AtomicU64, part: impl Future<Output = T>) -> T {
    let start = Instant::now();
    let answer = part.await;
    let nanos = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    counter.fetch_add(nanos, Ordering::Relaxed);
    answer
}

#[derive(Debug)]
struct Timed<P> {
    part: P,
    inside: Arc<Inside>,
}

#[async_trait]
impl<P: Simulator<Payload = EvmTx>> Simulator for Timed<P> {
    type Payload = EvmTx;
    async fn simulate(&self, payload: &EvmTx, now: UnixMillis) -> Result<Simulation, ChainError> {
        timed(&self.inside.simulator, self.part.simulate(payload, now)).await
    }
}

#[async_trait]
impl<P: Signer<Payload = EvmTx>> Signer for Timed<P> {
    type Payload = EvmTx;
    fn kind(&self) -> &str {
        self.part.kind()
    }
    async fn address(&self, chain: &str) -> Result<String, SignerError> {
        self.part.address(chain).await
    }
    async fn sign(
        &self,
        payload: &EvmTx,
        terms: &oda_chain_evm::EvmTerms,
    ) -> Result<Signed, SignerError> {
        timed(&self.inside.others, self.part.sign(payload, terms)).await
    }
}

#[async_trait]
impl<P: Submitter<Payload = EvmTx>> Submitter for Timed<P> {
    type Payload = EvmTx;
    async fn lane(&self, payload: &EvmTx, sender: &str) -> Result<Option<Lane>, ChainError> {
        timed(&self.inside.others, self.part.lane(payload, sender)).await
    }
    async fn terms(
        &self,
        payload: &EvmTx,
        request: &TermsRequest<'_>,
    ) -> Result<oda_chain_evm::EvmTerms, ChainError> {
        timed(&self.inside.others, self.part.terms(payload, request)).await
    }
    async fn submit(&self, payload: &EvmTx, artifact: &Artifact) -> Submission {
        timed(&self.inside.others, self.part.submit(payload, artifact)).await
    }
    async fn fate(&self, payload: &EvmTx, artifact: &Artifact) -> Result<Fate, ChainError> {
        timed(&self.inside.others, self.part.fate(payload, artifact)).await
    }
}

fn policy() -> Policy {
    let policy = json!({
        "schema": "sato.policy/v1", "network": "testnet", "allow_chains": ["base-sepolia"],
        "max_usd_per_day": 1_000_000, "unknown_verdict": "allow",
    });
    Policy::from_value(&policy).expect("a policy")
}

/// One round with the engine: total, inside the simulator, inside the other parts.
async fn with_engine(engine: &Engine, inside: &Inside, input: &Value) -> [Duration; 3] {
    inside.simulator.store(0, Ordering::Relaxed);
    inside.others.store(0, Ordering::Relaxed);
    let start = Instant::now();
    let intent = engine
        .prepare("evm.transfer", input)
        .await
        .expect("prepares");
    engine.execute(&intent.intent_id).await.expect("executes");
    let total = start.elapsed();
    let nanos = |counter: &AtomicU64| Duration::from_nanos(counter.load(Ordering::Relaxed));
    [total, nanos(&inside.simulator), nanos(&inside.others)]
}

/// The same calls of the same parts without an engine between them.
async fn bare(scene: &Scene, payload: &EvmTx) -> Duration {
    let start = Instant::now();
    let now = UnixMillis::new(1_790_424_000_000);
    let _prepared = black_box(
        scene
            .simulator
            .simulate(payload, now)
            .await
            .expect("simulates"),
    );
    let simulation = scene
        .simulator
        .simulate(payload, now)
        .await
        .expect("simulates");
    let sender = scene
        .signer
        .address("base-sepolia")
        .await
        .expect("an address");
    let lane = scene
        .submitter
        .lane(payload, &sender)
        .await
        .expect("answers")
        .expect("a lane");
    let request = TermsRequest {
        sender: &sender,
        sequence: Some(lane.floor),
        simulation: Some(&simulation),
    };
    let terms = scene
        .submitter
        .terms(payload, &request)
        .await
        .expect("terms");
    let signed = scene.signer.sign(payload, &terms).await.expect("signs");
    let artifact = Artifact {
        id: signed.id,
        sender,
        bytes: Some(hex::encode(signed.bytes)),
        death: signed.death,
    };
    let submission = scene.submitter.submit(payload, &artifact).await;
    assert_eq!(submission, Submission::Accepted);
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times
        .get(times.len() / 2)
        .map_or(0.0, |time| time.as_secs_f64() * 1e6)
}

/// What is done around the simulator: reading the payload back, its checks, and the evaluation.
fn around_the_simulator(payload: &EvmTx) -> f64 {
    let unsigned = serde_json::to_value(payload).expect("serialises");
    let (policy, facts) = (
        policy(),
        Facts {
            ttl_s: Some(60.0),
            ..Facts::default()
        },
    );
    let times = (0..ROUNDS * 10)
        .map(|_| {
            let start = Instant::now();
            let read: EvmTx = serde_json::from_value(unsigned.clone()).expect("reads");
            oda_core::Payload::validate(&read).expect("is valid");
            black_box(evaluate(&policy, &facts));
            start.elapsed()
        })
        .collect();
    median(times)
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let engine_scene = scene();
    let inside = Arc::new(Inside::default());
    let kind = PayloadKind::new()
        .simulator(Arc::new(Timed {
            part: engine_scene.simulator.clone(),
            inside: inside.clone(),
        }))
        .signer(Arc::new(Timed {
            part: signer(),
            inside: inside.clone(),
        }))
        .submitter(Arc::new(Timed {
            part: engine_scene.submitter.clone(),
            inside: inside.clone(),
        }));
    let secret = IntentSecret::new(&[7; 32]).expect("a secret");
    let engine = Engine::builder(Arc::new(MemoryStore::new()), secret, policy())
        .kind(kind)
        .action(engine_scene.transfer())
        .build()
        .expect("an engine");
    let bare_scene = scene();
    let payload = bare_scene.payload();
    let input = bare_scene.input();

    let mut rounds = [Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        let [total, simulator, others] = with_engine(&engine, &inside, &input).await;
        let bare = bare(&bare_scene, &payload).await;
        let own = total.saturating_sub(simulator + others);
        for (times, time) in rounds.iter_mut().zip([total, simulator, others, own, bare]) {
            times.push(time);
        }
    }
    let [total, simulator, others, own, bare] = rounds.map(median);
    println!("A native transfer, {ROUNDS} rounds, medians in µs.\n");
    println!("| what | µs |");
    println!("|---|---|");
    println!("| prepare + execute | {total:.0} |");
    println!("| of it inside the simulator (two simulations) | {simulator:.0} |");
    println!("| of it inside signer and submitter | {others:.0} |");
    println!("| the engine's own share, store in memory | {own:.0} |");
    println!(
        "| of that, around one simulation (payload, checks, rules) | {:.1} |",
        around_the_simulator(&payload)
    );
    println!("| the same calls without an engine | {bare:.0} |");
    println!(
        "| prepare + execute / the same calls | {:.2} |",
        total / bare
    );
}
