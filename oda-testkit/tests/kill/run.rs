//! One run: an installation, an intent, the processes that are started for it, and what must hold at the end.

use std::fs::File;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use oda_core::{CLAIM_LEASE_MS, ExecutionState, HoldStatus, IntentId, Store as _};
use oda_receipts::{Checks, Receipt, Verifier};
use oda_store::{OdaHome, SqliteStore};
use tempfile::TempDir;

use crate::chain::Chain;
use crate::child::{self, AMOUNT};

/// The number of the signal that `abort` raises.
const SIGABRT: i32 = 6;

/// A recovering process runs when every lease has passed.
const AFTER_LEASE_MS: u64 = CLAIM_LEASE_MS + 1_000;

/// How long a process may take to stop or to end before the test gives up on it.
const PATIENCE: Duration = Duration::from_secs(30);

/// What everything here is allowed to do.
pub(crate) const OPEN_POLICY: &str =
    r#"{ "schema": "sato.policy/v1", "version": 1, "network": "testnet" }"#;

/// How a process is started.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    pub(crate) role: &'static str,
    pub(crate) node: Option<String>,
    pub(crate) policy: &'static str,
    pub(crate) ahead_ms: u64,
    pub(crate) crash_at: Option<String>,
    pub(crate) stop_at: Option<String>,
}

impl Start {
    pub(crate) fn execute() -> Self {
        Self {
            role: "execute",
            node: None,
            policy: OPEN_POLICY,
            ahead_ms: 0,
            crash_at: None,
            stop_at: None,
        }
    }

    pub(crate) fn recover() -> Self {
        Self {
            role: "recover",
            ahead_ms: AFTER_LEASE_MS,
            ..Self::execute()
        }
    }

    pub(crate) fn crash_at(mut self, point: &str) -> Self {
        self.crash_at = Some(point.to_owned());
        self
    }
}

/// What a process left behind.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The crash points that it passed, as `name:pass`.
    pub(crate) points: Vec<String>,
    /// What it came to; `None` when it was killed.
    pub(crate) end: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Run {
    place: TempDir,
    chain: Chain,
    recipient: String,
    intent: String,
    sent_before: u128,
    children: u32,
}

impl Run {
    /// A fresh installation and a recipient that has nothing yet.
    pub(crate) fn new(chain: &Chain, number: u64) -> Self {
        Self {
            place: tempfile::tempdir().unwrap(),
            chain: chain.clone(),
            recipient: format!("0x0da0{number:036x}"),
            intent: String::new(),
            sent_before: chain.sent(),
            children: 0,
        }
    }

    pub(crate) fn recipient(&self) -> &str {
        &self.recipient
    }

    fn home(&self) -> PathBuf {
        self.place.path().join("home")
    }

    /// Prepares the transfer in this process.
    pub(crate) fn prepare(&mut self) {
        let engine = child::engine(&self.home(), &self.chain.url(), OPEN_POLICY, 0);
        let intent = block_on(child::prepare(&engine, &self.recipient));
        self.intent = intent.to_string();
    }

    /// Starts a process and waits for its end. One that is to crash must, and no other may.
    pub(crate) fn play(&mut self, start: &Start) -> Ended {
        let mut child = self.start(start);
        let status = wait(&mut child);
        Self::ended(&self.trace(), start, status)
    }

    pub(crate) fn start(&mut self, start: &Start) -> Child {
        self.children += 1;
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "child::act", "--ignored", "--nocapture"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(self.trace().with_extension("stderr")).unwrap())
            .env_remove("ODA_CRASH_AT")
            .env_remove(child::STOP_AT)
            .env(child::ROLE, start.role)
            .env(child::HOME, self.home())
            .env(
                child::NODE,
                start.node.clone().unwrap_or_else(|| self.chain.url()),
            )
            .env(child::BLOCKS, self.chain.url())
            .env(child::INTENT, &self.intent)
            .env(child::RECIPIENT, &self.recipient)
            .env(child::POLICY, start.policy)
            .env(child::AHEAD_MS, start.ahead_ms.to_string())
            .env(child::TRACE, self.trace());
        if let Some(point) = &start.crash_at {
            command.env("ODA_CRASH_AT", point);
        }
        if let Some(point) = &start.stop_at {
            command.env(child::STOP_AT, point);
        }
        command.spawn().unwrap()
    }

    /// Reads what a process left behind in its trace.
    pub(crate) fn ended(trace: &Path, start: &Start, status: ExitStatus) -> Ended {
        let stderr = || std::fs::read_to_string(trace.with_extension("stderr")).unwrap();
        match &start.crash_at {
            Some(point) => assert_eq!(
                status.signal(),
                Some(SIGABRT),
                "{} did not die at {point}: {}",
                start.role,
                stderr()
            ),
            None => assert!(status.success(), "{start:?}: {status}: {}", stderr()),
        }
        let trace = std::fs::read_to_string(trace).unwrap();
        let names: Vec<&str> = trace
            .lines()
            .filter_map(|line| line.strip_prefix("point "))
            .collect();
        let points = names.iter().enumerate().map(|(at, name)| {
            let pass = names[..=at].iter().filter(|other| *other == name).count();
            format!("{name}:{pass}")
        });
        Ended {
            points: points.collect(),
            end: trace
                .lines()
                .find_map(|line| line.strip_prefix("end "))
                .map(str::to_owned),
        }
    }

    /// Everything that must hold once a run is over; tells how many effects the chain has, and the state.
    ///
    /// `foreign` transactions of the same account were sent by the test itself; a reverted one is in a block
    /// and has no effect.
    pub(crate) fn verify(&self, foreign: u128) -> (u128, Option<ExecutionState>) {
        // Whatever still waits in the node's pool is included now.
        self.chain.mine(1);
        let balance = self.chain.balance(&self.recipient);
        assert!(balance == 0 || balance == AMOUNT, "moved {balance} wei");
        let effects = balance / AMOUNT;
        let state = block_on(self.verify_store(effects));
        let reverted = u128::from(state == Some(ExecutionState::Reverted));
        assert_eq!(
            self.chain.sent() - self.sent_before,
            effects + reverted + foreign,
            "transactions in blocks"
        );
        (effects, state)
    }

    async fn verify_store(&self, effects: u128) -> Option<ExecutionState> {
        let home = OdaHome::open(self.home()).unwrap();
        let store = SqliteStore::open(home.store()).unwrap();
        store.check().await.unwrap();
        let receipts = store.receipts_after(None, 1_000).await.unwrap();
        let log = std::fs::read(home.receipts()).unwrap();
        let report = Verifier::new(Checks::Exact).verify(&log[..]).unwrap();
        assert_eq!(report.last, store.head().await.unwrap());
        let stored: String = receipts.iter().map(Receipt::to_line).collect();
        assert_eq!(String::from_utf8(log).unwrap(), stored);

        let mut all = store.list(&ExecutionState::ALL, 10).await.unwrap();
        assert!(all.len() <= 1, "{all:?}");
        let intent = all.pop()?;
        let progress = &intent.progress;
        let told = |word: &str| receipts.iter().any(|r| r.draft().status.as_str() == word);
        let hold = progress.hold.map(|hold| hold.status);
        match progress.state {
            ExecutionState::Confirmed => {
                assert_eq!((effects, hold), (1, Some(HoldStatus::Committed)));
                assert!(told("executed") && !told("failed"));
            }
            ExecutionState::Reverted => {
                assert_eq!((effects, hold), (0, None));
                assert!(told("executed") && told("failed"));
            }
            ExecutionState::Failed | ExecutionState::Dead => {
                assert_eq!((effects, hold), (0, None));
                assert!(told("failed") && !told("executed"));
            }
            ExecutionState::Refused => {
                assert_eq!((effects, hold), (0, None));
                assert!(told("refused"));
            }
            ExecutionState::Expired => {
                assert_eq!((effects, hold), (0, None));
                assert!(told("expired"));
            }
            ExecutionState::Prepared => {
                assert_eq!((effects, hold, receipts.len()), (0, None, 1));
            }
            open => panic!("not settled: {open}, {progress:?}"),
        }
        let id: IntentId = intent.id().clone();
        assert!(self.intent.is_empty() || id.to_string() == self.intent);
        Some(progress.state)
    }

    /// Where the process that was started last writes its trace.
    pub(crate) fn trace(&self) -> PathBuf {
        self.place.path().join(format!("trace-{}", self.children))
    }
}

/// Waits for the end of a process, and ends one that hangs.
pub(crate) fn wait(child: &mut Child) -> ExitStatus {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if started.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("a process hangs");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until a process sleeps under SIGSTOP.
pub(crate) fn wait_until_stopped(child: &mut Child) {
    let started = Instant::now();
    let path = format!("/proc/{}/stat", child.id());
    loop {
        let stat = std::fs::read_to_string(&path).unwrap();
        // The state is the first word after the name in brackets.
        if stat
            .rsplit(')')
            .next()
            .unwrap()
            .trim_start()
            .starts_with('T')
        {
            return;
        }
        if started.elapsed() > PATIENCE || child.try_wait().unwrap().is_some() {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("it did not stop");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}
