//! `prepare` and `execute` on the embedded EVM, against the same calls of the same chain without the engine.
//!
//! ```text
//! cargo bench -p oda-benches --bench engine
//! ```

#![allow(missing_docs, clippy::expect_used, reason = "a benchmark")]

use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use oda_core::{
    Artifact, Engine, IntentSecret, MemoryStore, PayloadKind, Policy, Signer as _, Simulator as _,
    Submission, Submitter as _, TermsRequest, UnixMillis,
};

#[path = "../examples/engine_ratios/scene.rs"]
mod scene;

use scene::{Scene, scene, signer};

fn engine(scene: &Scene) -> Engine {
    let kind = PayloadKind::new()
        .simulator(Arc::new(scene.simulator.clone()))
        .signer(Arc::new(signer()))
        .submitter(Arc::new(scene.submitter.clone()));
    let secret = IntentSecret::new(&[7; 32]).expect("a secret");
    let policy = Policy::parse(br#"{"schema": "sato.policy/v1", "network": "testnet"}"#);
    Engine::builder(
        Arc::new(MemoryStore::new()),
        secret,
        policy.expect("a policy"),
    )
    .kind(kind)
    .action(scene.transfer())
    .build()
    .expect("an engine")
}

async fn bare(scene: &Scene) {
    let payload = scene.payload();
    let now = UnixMillis::new(1_790_424_000_000);
    for _ in 0..2 {
        scene
            .simulator
            .simulate(&payload, now)
            .await
            .expect("simulates");
    }
    let sender = scene
        .signer
        .address("base-sepolia")
        .await
        .expect("an address");
    let lane = scene
        .submitter
        .lane(&payload, &sender)
        .await
        .expect("answers")
        .expect("a lane");
    let request = TermsRequest {
        sender: &sender,
        sequence: Some(lane.floor),
        simulation: None,
    };
    let terms = scene
        .submitter
        .terms(&payload, &request)
        .await
        .expect("terms");
    let signed = scene.signer.sign(&payload, &terms).await.expect("signs");
    let bytes = Some(hex::encode(signed.bytes));
    let artifact = Artifact {
        id: signed.id,
        sender,
        bytes,
        death: signed.death,
    };
    assert_eq!(
        scene.submitter.submit(&payload, &artifact).await,
        Submission::Accepted
    );
}

fn transfer(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    let mut group = criterion.benchmark_group("native transfer on the embedded EVM");
    let engine_scene = scene();
    let engine = engine(&engine_scene);
    let input = engine_scene.input();
    group.bench_function("prepare + execute", |bencher| {
        bencher.iter(|| {
            runtime.block_on(async {
                let intent = engine
                    .prepare("evm.transfer", &input)
                    .await
                    .expect("prepares");
                engine.execute(&intent.intent_id).await.expect("executes")
            })
        });
    });
    let bare_scene = scene();
    group.bench_function("the same calls without an engine", |bencher| {
        bencher.iter(|| runtime.block_on(bare(&bare_scene)));
    });
    group.finish();
}

criterion_group!(benches, transfer);
criterion_main!(benches);
