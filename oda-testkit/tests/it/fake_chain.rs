//! The fake chain and the mock signers, driven by the real engine: each fault does what its name says, and what
//! really happened is counted.

use std::sync::Arc;

use async_trait::async_trait;
use oda_core::{
    Action, ActionError, BuildContext, Built, Descriptor, Engine, EngineError, ExecutionState,
    Facts, IntentId, IntentSecret, MemoryStore, Nonce, Policy,
};
use oda_testkit::{
    Call, FakeChain, Fault, ManualClock, MockSigner, RecordingApprover, ScriptedNonces, SignerStep,
    TEST_SENDER, TestTx,
};
use serde_json::{Map, Value, json};

const NOON: u64 = 1_790_424_000_000;
const RECEIVER: &str = "0x000000000000000000000000000000000000dEaD";

struct Send(Descriptor);

#[async_trait]
impl Action for Send {
    type Input = Map<String, Value>;
    type Payload = TestTx;

    fn descriptor(&self) -> &Descriptor {
        &self.0
    }

    async fn build(
        &self,
        _: Self::Input,
        _: &BuildContext<'_>,
    ) -> Result<Built<TestTx>, ActionError> {
        let mut built = Built::new(TestTx::transfer(RECEIVER, 1_000), "Send 1000 wei.");
        built.facts = Facts {
            usd_value: Some(1.0),
            ..Facts::default()
        };
        Ok(built)
    }
}

fn descriptor() -> Descriptor {
    serde_json::from_value(json!({
        "schema": "sato.action/v1", "id": "test.send", "name": "test_send", "version": "0.1.0",
        "title": "Send", "description": "Sends a little.", "effects": ["sign", "broadcast"],
        "custody": { "reads_key": false, "sends_key": false, "moves_funds": "with_approval" },
        "chains": ["base-sepolia"], "input_schema": { "type": "object" },
        "output_schema": { "type": "object" }, "policy": { "rules": [] }, "receipt": true,
        "fixtures": ["none"], "upstream": {}, "sponsored": null,
    }))
    .unwrap()
}

struct World {
    chain: FakeChain,
    signer: MockSigner,
    clock: ManualClock,
    approver: RecordingApprover,
    engine: Engine,
}

impl World {
    fn new() -> Self {
        Self::with_policy(&json!({ "schema": "sato.policy/v1" }))
    }

    fn with_policy(policy: &Value) -> Self {
        let chain = FakeChain::new();
        let signer = MockSigner::accepting();
        let clock = ManualClock::at(NOON);
        let approver = RecordingApprover::approving();
        let secret = IntentSecret::new(&[7; 32]).unwrap();
        let policy = Policy::parse(policy.to_string().as_bytes()).unwrap();
        let nonces = (0..9).map(|byte| Nonce::from_bytes([byte; 16]));
        let engine = Engine::builder(Arc::new(MemoryStore::new()), secret, policy)
            .clock(Arc::new(clock.clone()))
            .nonces(Arc::new(ScriptedNonces::new(nonces)))
            .approver(Arc::new(approver.clone()))
            .action(Send(descriptor()))
            .kind(chain.kind(Arc::new(signer.clone())))
            .build()
            .unwrap();
        Self {
            chain,
            signer,
            clock,
            approver,
            engine,
        }
    }

    async fn prepare(&self) -> IntentId {
        self.engine
            .prepare("test.send", &json!({}))
            .await
            .unwrap()
            .intent_id
    }

    async fn execute(&self, id: &IntentId) -> ExecutionState {
        self.engine.execute(id).await.unwrap().state
    }

    async fn reconcile(&self, id: &IntentId) -> ExecutionState {
        self.engine.reconcile(id).await.unwrap().state
    }
}

#[tokio::test]
async fn the_ordinary_way_is_one_effect() {
    let world = World::new();
    let id = world.prepare().await;
    assert_eq!(world.execute(&id).await, ExecutionState::Submitted);
    assert!(world.chain.effects().is_empty(), "nothing is mined yet");
    world.chain.mine();
    assert_eq!(world.reconcile(&id).await, ExecutionState::Confirmed);
    assert_eq!(world.chain.effects().len(), 1);
    assert_eq!(world.chain.effects()[0], world.signer.signed()[0].id);
}

/// Whatever is lost on the way back, the transaction is in, the engine is told nothing certain, and asking again
/// settles it with one effect.
#[tokio::test]
async fn a_lost_answer_is_settled_with_one_effect() {
    for fault in [Fault::ReplyLost, Fault::ServerErrorAfterAccept] {
        let world = World::new();
        world.chain.script(Call::Submit, [fault.clone()]);
        let id = world.prepare().await;
        assert_eq!(
            world.execute(&id).await,
            ExecutionState::Uncertain,
            "{fault:?}"
        );
        world.chain.mine();
        assert_eq!(
            world.reconcile(&id).await,
            ExecutionState::Confirmed,
            "{fault:?}"
        );
        assert_eq!(world.chain.effects().len(), 1, "{fault:?}");
        assert_eq!(world.chain.faults_left(), 0);
    }
}

#[tokio::test]
async fn bytes_that_arrive_twice_are_one_effect() {
    let world = World::new();
    world.chain.script(Call::Submit, [Fault::Duplicate]);
    let id = world.prepare().await;
    assert_eq!(world.execute(&id).await, ExecutionState::Submitted);
    assert_eq!(world.chain.arrivals().len(), 2);
    world.chain.mine();
    assert_eq!(world.chain.effects().len(), 1);
}

#[tokio::test]
async fn bytes_that_are_held_back_arrive_behind_later_ones() {
    let world = World::new();
    world.chain.script(Call::Submit, [Fault::Reordered]);
    let (first, second) = (world.prepare().await, world.prepare().await);
    assert_eq!(world.execute(&first).await, ExecutionState::Uncertain);
    assert_eq!(world.execute(&second).await, ExecutionState::Submitted);
    world.chain.mine();
    assert!(
        world.chain.effects().is_empty(),
        "the second waits for the first one's number"
    );
    assert_eq!(world.chain.deliver_held(), 1);
    world.chain.mine();
    world.chain.mine();
    assert_eq!(world.chain.effects().len(), 2);
    assert_eq!(world.reconcile(&first).await, ExecutionState::Confirmed);
    assert_eq!(world.reconcile(&second).await, ExecutionState::Confirmed);
}

#[tokio::test]
async fn a_certain_refusal_is_no_effect() {
    let world = World::new();
    world.chain.script(
        Call::Submit,
        [Fault::Refused {
            reason: "insufficient funds".to_owned(),
        }],
    );
    let id = world.prepare().await;
    let error = world.engine.execute(&id).await.unwrap_err();
    assert!(
        matches!(error, EngineError::SubmitRefused { .. }),
        "{error}"
    );
    world.chain.mine();
    assert!(world.chain.effects().is_empty());
}

#[tokio::test]
async fn an_unreachable_node_before_signing_leaves_the_intent_executable() {
    for call in [Call::Simulate, Call::Lane, Call::Terms] {
        let world = World::new();
        let id = world.prepare().await;
        world.chain.script(call, [Fault::Unavailable]);
        let error = world.engine.execute(&id).await.unwrap_err();
        assert!(
            matches!(error, EngineError::Chain { .. }),
            "{call:?}: {error}"
        );
        assert_eq!(world.signer.asked(), 0);
        assert_eq!(
            world.execute(&id).await,
            ExecutionState::Submitted,
            "{call:?}"
        );
    }
}

#[tokio::test]
async fn a_failing_simulation_at_execute_refuses() {
    let world = World::new();
    let id = world.prepare().await;
    world.chain.script(
        Call::Simulate,
        [Fault::WouldFail {
            reason: "paused".to_owned(),
        }],
    );
    let error = world.engine.execute(&id).await.unwrap_err();
    assert_eq!(error.refusals()[0].observed, "paused");
    assert_eq!(world.signer.asked(), 0);
}

#[tokio::test]
async fn a_node_that_restarts_forgets_and_the_same_bytes_go_again() {
    let world = World::new();
    world
        .chain
        .script(Call::Submit, [Fault::AcceptedThenForgotten]);
    let id = world.prepare().await;
    assert_eq!(world.execute(&id).await, ExecutionState::Submitted);
    world.chain.mine();
    assert!(world.chain.effects().is_empty());
    world.reconcile(&id).await;
    world.chain.mine();
    world.reconcile(&id).await;
    world.chain.mine();
    assert_eq!(world.chain.effects().len(), 1);
    let signed: Vec<String> = world
        .signer
        .signed()
        .iter()
        .map(|tx| tx.id.clone())
        .collect();
    assert_eq!(signed.len(), 1, "no other bytes were signed");
    assert!(world.chain.arrivals().iter().all(|id| *id == signed[0]));
}

#[tokio::test]
async fn a_revert_in_the_block_is_told() {
    let world = World::new();
    world.chain.script(
        Call::Submit,
        [Fault::WillRevert {
            reason: "too late".to_owned(),
        }],
    );
    let id = world.prepare().await;
    assert_eq!(world.execute(&id).await, ExecutionState::Submitted);
    world.chain.mine();
    assert_eq!(world.reconcile(&id).await, ExecutionState::Reverted);
    assert!(world.chain.effects().is_empty());
}

/// Dead only once the block that took the number is final: until then it could be undone.
#[tokio::test]
async fn a_number_taken_by_another_wallet_is_death_at_finality() {
    let world = World::new();
    world.chain.script(Call::Submit, [Fault::Reordered]);
    let id = world.prepare().await;
    assert_eq!(world.execute(&id).await, ExecutionState::Uncertain);
    assert_eq!(world.chain.foreign_transaction(TEST_SENDER), 0);
    assert_eq!(world.reconcile(&id).await, ExecutionState::Uncertain);
    world.chain.finalize();
    assert_eq!(world.reconcile(&id).await, ExecutionState::Dead);
    world.chain.deliver_held();
    world.chain.mine();
    assert!(world.chain.effects().is_empty());
}

#[tokio::test]
async fn a_slow_node_waits_for_the_test_and_for_no_clock() {
    let world = Arc::new(World::new());
    let id = world.prepare().await;
    world.chain.script(Call::Submit, [Fault::Slow]);
    let executing = tokio::spawn({
        let (world, id) = (Arc::clone(&world), id.clone());
        async move { world.execute(&id).await }
    });
    world.chain.until_slow().await;
    let second = world.engine.execute(&id).await.unwrap_err();
    assert!(matches!(second, EngineError::InProgress { .. }), "{second}");
    world.chain.release();
    assert_eq!(executing.await.unwrap(), ExecutionState::Submitted);
    world.chain.mine();
    assert_eq!(world.chain.effects().len(), 1);
}

#[tokio::test]
async fn signers_that_refuse_or_crash_leave_no_effect() {
    for step in [
        SignerStep::Refuse {
            reason: "no".to_owned(),
        },
        SignerStep::CrashAfterSigning,
    ] {
        let world = World::new();
        world.signer.script([step.clone()]);
        let id = world.prepare().await;
        let error = world.engine.execute(&id).await.unwrap_err();
        assert!(
            matches!(error, EngineError::Signer { .. }),
            "{step:?}: {error}"
        );
        assert!(world.chain.arrivals().is_empty());
        let handed_over = usize::from(step == SignerStep::CrashAfterSigning);
        assert_eq!(world.signer.signed().len(), handed_over);
    }
}

#[tokio::test]
async fn a_crash_hook_sees_the_bytes() {
    let seen = Arc::new(std::sync::Mutex::new(None));
    let signer = MockSigner::with_crash(SignerStep::CrashAfterSigning, {
        let seen = Arc::clone(&seen);
        move |signed| *seen.lock().unwrap() = Some(signed.id.clone())
    });
    let terms = oda_testkit::TestTerms {
        sender: TEST_SENDER.to_owned(),
        nonce: 0,
    };
    let payload = TestTx::transfer(RECEIVER, 1);
    oda_core::Signer::sign(&signer, &payload, &terms)
        .await
        .unwrap_err();
    assert_eq!(*seen.lock().unwrap(), Some(signer.signed()[0].id.clone()));
}

#[tokio::test]
async fn a_hanging_signer_goes_on_when_it_is_released() {
    let world = Arc::new(World::new());
    world.signer.script([SignerStep::Hang]);
    let id = world.prepare().await;
    // Released before it hangs: the permit waits for it, so no order of threads can lose it.
    world.signer.release();
    assert_eq!(world.execute(&id).await, ExecutionState::Submitted);
    assert_eq!(world.signer.asked(), 1);
}

#[tokio::test]
async fn the_approver_is_shown_the_intent_and_the_clock_moves_by_hand() {
    let policy = json!({ "schema": "sato.policy/v1", "human_approval": true });
    let world = World::with_policy(&policy);
    let id = world.prepare().await;
    world.approver.script([oda_core::Decision::Denied {
        reason: "not today".to_owned(),
    }]);
    let denied = world.engine.execute(&id).await.unwrap_err();
    assert!(
        matches!(denied, EngineError::ApprovalDenied { .. }),
        "{denied}"
    );
    assert_eq!(world.execute(&id).await, ExecutionState::Submitted);
    assert_eq!(world.approver.shown().len(), 2);
    assert_eq!(world.approver.shown()[0].intent_id, id);

    let late = world.prepare().await;
    world.clock.advance(300_000);
    let expired = world.engine.execute(&late).await.unwrap_err();
    assert!(matches!(expired, EngineError::Expired { .. }), "{expired}");
}

#[tokio::test]
async fn nonces_that_are_used_up_are_an_error() {
    let world = World::new();
    for _ in 0..9 {
        world.prepare().await;
    }
    let error = world
        .engine
        .prepare("test.send", &json!({}))
        .await
        .unwrap_err();
    assert!(matches!(error, EngineError::Nonce(_)), "{error}");
}
