//! The process that is killed: it opens the installation and executes or recovers, as `oda` does.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use oda_chain_evm::{
    EvmNetworks, EvmSimulator, EvmSubmitter, EvmTransfer, EvmTx, LocalSigner, MainnetAccess,
    RpcNode,
};
use oda_core::{
    CRASH_POINTS, Clock, Engine, ExecutionState, IntentId, PayloadKind, Policy, SystemClock,
    UnixMillis, watch_crash_points,
};
use oda_receipts::JsonlLog;
use oda_store::{OdaHome, ReceiptMirror, SqliteStore, load_or_create_secret};
use oda_testkit::Anvil;
use secrecy::SecretString;
use serde_json::json;

use crate::chain::Chain;

/// The chain that every anvil here says it is.
pub(crate) const CHAIN: &str = "base-sepolia";

/// What one transfer moves, in wei.
pub(crate) const AMOUNT: u128 = 1_000;

/// How often a recovering process looks, a block being made between two looks.
const ROUNDS: u32 = 6;

pub(crate) const ROLE: &str = "ODA_KILL_ROLE";
pub(crate) const HOME: &str = "ODA_KILL_HOME";
pub(crate) const NODE: &str = "ODA_KILL_NODE";
pub(crate) const BLOCKS: &str = "ODA_KILL_BLOCKS";
pub(crate) const INTENT: &str = "ODA_KILL_INTENT";
pub(crate) const RECIPIENT: &str = "ODA_KILL_RECIPIENT";
pub(crate) const POLICY: &str = "ODA_KILL_POLICY";
pub(crate) const AHEAD_MS: &str = "ODA_KILL_AHEAD_MS";
pub(crate) const STOP_AT: &str = "ODA_KILL_STOP_AT";
pub(crate) const TRACE: &str = "ODA_KILL_TRACE";

/// The machine's clock, moved ahead.
#[derive(Debug)]
struct ClockAhead(u64);

impl Clock for ClockAhead {
    fn now(&self) -> UnixMillis {
        SystemClock.now().plus_millis(self.0)
    }
}

/// An engine over a state directory and a node.
pub(crate) fn engine(home: &Path, node: &str, policy: &str, ahead_ms: u64) -> Engine {
    let home = OdaHome::open(home).unwrap();
    let secret = load_or_create_secret(home.secret()).unwrap();
    let store = SqliteStore::open(home.store()).unwrap();
    let (log, _) = JsonlLog::open(home.receipts()).unwrap();
    let networks = EvmNetworks::new().with_node(CHAIN, Arc::new(RpcNode::new(node).unwrap()));
    let networks = Arc::new(networks);
    let key = SecretString::from(Anvil::KEYS[0]);
    let signer = LocalSigner::from_secret(&key, MainnetAccess::Refused).unwrap();
    let sender = signer.evm_address();
    let kind = PayloadKind::<EvmTx>::new()
        .simulator(Arc::new(EvmSimulator::new(Arc::clone(&networks))))
        .submitter(Arc::new(EvmSubmitter::new(Arc::clone(&networks))))
        .signer(Arc::new(signer));
    Engine::builder(
        Arc::new(store),
        secret,
        Policy::parse(policy.as_bytes()).unwrap(),
    )
    .log(Arc::new(ReceiptMirror::new(log)))
    .clock(Arc::new(ClockAhead(ahead_ms)))
    .action(EvmTransfer::new(networks, Some(sender)))
    .kind(kind)
    .build()
    .unwrap()
}

/// Prepares the one transfer that a run is about.
pub(crate) async fn prepare(engine: &Engine, recipient: &str) -> IntentId {
    let input = json!({ "chain": CHAIN, "to": recipient, "amount": AMOUNT.to_string() });
    let prepared = engine.prepare("evm.transfer", &input).await.unwrap();
    assert!(prepared.policy.ok, "{:?}", prepared.policy);
    prepared.intent_id
}

/// Not a test of its own: the other processes of the kill tests are this program, started again for it.
#[test]
#[ignore = "started by the kill tests, in processes of its own"]
fn act() {
    watch_crash_points(observe);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let end = runtime.block_on(play());
    note(&format!("end {end}"));
}

async fn play() -> String {
    let ahead_ms = setting(AHEAD_MS).parse().unwrap();
    let home = setting(HOME);
    let engine = engine(Path::new(&home), &setting(NODE), &setting(POLICY), ahead_ms);
    match setting(ROLE).as_str() {
        "prepare" => prepare(&engine, &setting(RECIPIENT)).await.to_string(),
        "execute" => match engine.execute(&setting(INTENT).parse().unwrap()).await {
            Ok(execution) => execution.state.to_string(),
            Err(error) => error.code().to_owned(),
        },
        "recover" => recover(&engine).await,
        other => panic!("no role {other}"),
    }
}

/// Looks after what is open until nothing is, a block being made between two looks.
async fn recover(engine: &Engine) -> String {
    let chain = Chain::at(&setting(BLOCKS));
    for _ in 0..ROUNDS {
        let looked_after = engine.recover().await.unwrap();
        let open = looked_after.iter().any(|(_, result)| match result {
            Ok(execution) => !execution.state.is_final(),
            Err(_) => true,
        });
        if !open {
            return "settled".to_owned();
        }
        chain.mine(1);
    }
    let open = engine.list(&ExecutionState::ALL, 10).await.unwrap();
    panic!("still open: {:?}", open[0].progress);
}

/// Writes down that a point is reached, and sleeps there when that is asked for.
fn observe(point: &'static str) {
    assert!(CRASH_POINTS.contains(&point), "`{point}` is not listed");
    note(&format!("point {point}"));
    if std::env::var(STOP_AT).as_deref() == Ok(point) {
        let own = std::process::id().to_string();
        let sent = Command::new("kill").args(["-STOP", &own]).status().unwrap();
        assert!(sent.success());
        // A signal may arrive a moment after it was sent; nothing may happen in that moment.
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn note(line: &str) {
    static TO: OnceLock<File> = OnceLock::new();
    let mut file = TO.get_or_init(|| {
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(setting(TRACE))
            .unwrap()
    });
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
}

fn setting(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set: see the kill tests"))
}
