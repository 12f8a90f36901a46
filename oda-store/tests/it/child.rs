//! Real processes: this test binary, started again with a part to play.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use oda_core::{Commit, CommitOutcome, Store, StoreError};
use oda_store::{OdaHome, SqliteStore, load_or_create_secret};

use crate::fixtures::{draft, holding, intent, next, prepared_draft, reserved, usd};

const PART: &str = "ODA_STORE_TEST_PART";
const PLACE: &str = "ODA_STORE_TEST_PLACE";
const NUMBER: &str = "ODA_STORE_TEST_NUMBER";

/// Exit codes of a child, beyond those of the test harness.
pub(crate) const WON: i32 = 60;
pub(crate) const LOST: i32 = 61;

/// The holds that each child of [`Part::Hold`] tries to take, and the size of each.
pub(crate) const HOLDS_EACH: u64 = 12;
pub(crate) const HOLD: u64 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Opens the store, inserts intent `number` and exits with `WON`.
    Insert,
    /// Claims intent 0 and tells by its exit code whether it won.
    Claim,
    /// Takes holds under a cap of the given number of millionths.
    Hold,
    /// Inserts and moves intents until it is killed, noting each receipt that was acknowledged.
    WriteForever,
    /// Prints the error of opening the store.
    OpenStore,
    /// Prints the error of opening the state directory.
    OpenHome,
    /// Prints the error of loading the secret.
    LoadSecret,
}

const PARTS: [Part; 7] = [
    Part::Insert,
    Part::Claim,
    Part::Hold,
    Part::WriteForever,
    Part::OpenStore,
    Part::OpenHome,
    Part::LoadSecret,
];

impl Part {
    fn command(self, binary: &Path, place: &Path, number: u64) -> Command {
        let mut command = Command::new(binary);
        command
            .args([
                "--exact",
                "child::plays_its_part",
                "--ignored",
                "--nocapture",
            ])
            .env(PART, format!("{self:?}"))
            .env(PLACE, place)
            .env(NUMBER, number.to_string());
        command
    }

    pub(crate) fn start(self, place: &Path, number: u64) -> Running {
        let binary = std::env::current_exe().unwrap();
        let mut command = self.command(&binary, place, number);
        command.stdout(std::process::Stdio::null());
        Running(command.spawn().unwrap())
    }

    /// Plays the part as a user that is not root, and gives back what it printed.
    pub(crate) fn output_as_ordinary_user(self, place: &Path) -> String {
        use std::os::unix::process::CommandExt;

        let binary = std::env::current_exe().unwrap();
        // The folder that this binary was built in may be closed to other users.
        let stage = tempfile::tempdir().unwrap();
        open_to_all(stage.path());
        let copy = stage.path().join("binary");
        std::fs::copy(&binary, &copy).unwrap();
        let mut command = self.command(&copy, place, 0);
        if rustix::process::geteuid().is_root() {
            command.uid(ORDINARY_USER).gid(ORDINARY_USER);
        }
        let output = command.current_dir("/").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

/// The user `nobody` of most systems; any user but root will do.
pub(crate) const ORDINARY_USER: u32 = 65_534;

pub(crate) fn open_to_all(directory: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(directory, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A child that is ended, by its process id, when the test is over.
pub(crate) struct Running(Child);

impl Running {
    pub(crate) fn exit_code(&mut self) -> Option<i32> {
        self.0.wait().unwrap().code()
    }

    pub(crate) fn kill(&mut self) -> ExitStatus {
        self.0.kill().unwrap();
        self.0.wait().unwrap()
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// All children start their work when this file is there, so that they meet.
pub(crate) fn gate(store: &Path) -> PathBuf {
    store.with_extension("go")
}

/// Where child `number` notes what the store acknowledged.
pub(crate) fn notes(store: &Path, number: u64) -> PathBuf {
    store.with_extension(format!("notes-{number}"))
}

fn wait_for_gate(store: &Path) {
    while !gate(store).exists() {
        std::thread::sleep(Duration::from_micros(200));
    }
}

#[tokio::test]
#[ignore = "played by the children that other tests start"]
async fn plays_its_part() {
    let part = std::env::var(PART).unwrap();
    let place = PathBuf::from(std::env::var_os(PLACE).unwrap());
    let number: u64 = std::env::var(NUMBER).unwrap().parse().unwrap();
    let part = PARTS.into_iter().find(|known| format!("{known:?}") == part);
    match part.unwrap() {
        Part::Insert => insert(&place, number).await,
        Part::Claim => claim(&place, number).await,
        Part::Hold => hold(&place, number).await,
        Part::WriteForever => write_forever(&place, number).await,
        Part::OpenStore => show(SqliteStore::open(&place), StoreError::code),
        Part::OpenHome => show(OdaHome::open(&place), oda_store::HomeError::code),
        Part::LoadSecret => show(
            load_or_create_secret(&place),
            oda_store::SecretFileError::code,
        ),
    }
}

fn show<T, E: std::fmt::Display>(result: Result<T, E>, code: impl Fn(&E) -> &'static str) {
    match result {
        Ok(_) => println!("<ok>"),
        Err(error) => println!("<{}> {error}", code(&error)),
    }
}

async fn insert(place: &Path, number: u64) {
    wait_for_gate(place);
    let store = SqliteStore::open(place).unwrap();
    let intent = intent(number);
    store
        .insert(&intent, prepared_draft(&intent))
        .await
        .unwrap();
    drop(store);
    std::process::exit(WON);
}

async fn claim(place: &Path, number: u64) {
    let store = SqliteStore::open(place).unwrap();
    let claim = holding(&intent(0), reserved(number));
    wait_for_gate(place);
    let outcome = store
        .commit(Commit {
            next: &claim,
            receipt: None,
            cap: None,
        })
        .await
        .unwrap();
    std::process::exit(match outcome {
        CommitOutcome::Committed { .. } => WON,
        CommitOutcome::Stale { .. } => LOST,
        CommitOutcome::CapExceeded { .. } => 1,
    });
}

async fn hold(place: &Path, number: u64) {
    let store = SqliteStore::open(place).unwrap();
    let cap: u64 = std::fs::read_to_string(place.with_extension("cap"))
        .unwrap()
        .parse()
        .unwrap();
    wait_for_gate(place);
    for n in 0..HOLDS_EACH {
        let intent = intent(1_000 * (number + 1) + n);
        store
            .insert(&intent, prepared_draft(&intent))
            .await
            .unwrap();
        let claim = holding(&intent, reserved(HOLD));
        store
            .commit(Commit {
                next: &claim,
                receipt: None,
                cap: Some(usd(cap)),
            })
            .await
            .unwrap();
    }
    drop(store);
    std::process::exit(WON);
}

async fn write_forever(place: &Path, number: u64) {
    use std::io::Write;

    let store = SqliteStore::open(place).unwrap();
    let mut notes = std::fs::File::create(notes(place, number)).unwrap();
    let mut note = |seq: u64| writeln!(notes, "{seq}").unwrap();
    for n in 0_u64.. {
        let intent = intent(1_000_000 * (number + 1) + n);
        let receipt = store.insert(&intent, prepared_draft(&intent)).await;
        note(receipt.unwrap().seq());
        let claim = holding(&intent, reserved(HOLD));
        let sent = next(&claim, |progress| progress.note = Some("sent".to_owned()));
        for (next, receipt) in [
            (&claim, None),
            (&sent, Some(draft(&sent, oda_receipts::Status::Executed))),
        ] {
            let cap = None;
            let outcome = store.commit(Commit { next, receipt, cap }).await.unwrap();
            if let CommitOutcome::Committed {
                receipt: Some(receipt),
            } = outcome
            {
                note(receipt.seq());
            }
        }
    }
}
