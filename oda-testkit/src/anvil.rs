//! A real EVM node for tests: anvil, started on a free loopback port and stopped when it is dropped.

use std::ffi::OsStr;
use std::fmt;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;

/// Names the anvil binary.
const BINARY_VARIABLE: &str = "ODA_ANVIL";

/// `1` makes an absent binary an error.
const REQUIRE_VARIABLE: &str = "ODA_REQUIRE_ANVIL";

/// Where `cargo xtask test` installs the binary, below the repository.
const INSTALLED: &str = "target/tools/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil";

/// How many ports are tried. Between choosing a free port and anvil taking it, another process can take it.
const PORT_ATTEMPTS: u32 = 5;

/// A running anvil. It is killed, by its process id, when this is dropped.
///
/// ```no_run
/// use oda_testkit::Anvil;
///
/// let Some(anvil) = Anvil::start(&["--chain-id", "84532"])? else { return Ok(()) };
/// println!("{} has its first funded account under the key {}", anvil.url(), Anvil::KEYS[0]);
/// # Ok::<(), oda_testkit::AnvilError>(())
/// ```
#[derive(Debug)]
pub struct Anvil {
    child: Child,
    port: u16,
}

/// anvil cannot be started.
#[derive(Debug)]
pub struct AnvilError {
    reason: String,
}

impl fmt::Display for AnvilError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "anvil: {}", self.reason)
    }
}

impl std::error::Error for AnvilError {}

impl Anvil {
    /// The private keys of the first funded accounts of every anvil. They are published with it: whatever is
    /// sent to them on a public chain is lost.
    pub const KEYS: [&'static str; 3] = [
        "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
        "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
        "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
    ];

    /// Starts anvil with these arguments on a port of its own, and waits until it listens.
    ///
    /// `None` when it is not installed; a line on standard output says so. The binary is the one that
    /// `ODA_ANVIL` names, else the one that `cargo xtask test` installs.
    ///
    /// # Errors
    ///
    /// When it does not start, or is not installed although `ODA_REQUIRE_ANVIL` is `1`.
    pub fn start(arguments: &[&str]) -> Result<Option<Self>, AnvilError> {
        let Some(binary) = locate()? else {
            return Ok(None);
        };
        let mut last = String::new();
        for _ in 0..PORT_ATTEMPTS {
            match launch(&binary, arguments) {
                Ok(anvil) => return Ok(Some(anvil)),
                Err(error) => last = error.reason,
            }
        }
        Err(broken(&last))
    }

    /// Where it answers JSON-RPC over HTTP.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Its process id.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Anvil {
    fn drop(&mut self) {
        // Either fails only when the process is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn locate() -> Result<Option<PathBuf>, AnvilError> {
    if let Some(named) = std::env::var_os(BINARY_VARIABLE) {
        let path = PathBuf::from(named);
        return if path.is_file() {
            Ok(Some(path))
        } else {
            Err(broken(&format!(
                "{BINARY_VARIABLE} names {}, which is no file",
                path.display()
            )))
        };
    }
    let installed = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(INSTALLED);
    if installed.is_file() {
        return Ok(Some(installed));
    }
    if std::env::var_os(REQUIRE_VARIABLE).as_deref() == Some(OsStr::new("1")) {
        return Err(broken(&format!(
            "not installed, and {REQUIRE_VARIABLE}=1 asks for it; run `cargo xtask test`"
        )));
    }
    say("skipped: anvil not installed; run `cargo xtask test`");
    Ok(None)
}

#[expect(
    clippy::print_stdout,
    reason = "a test that is skipped has to say so in the test's output"
)]
fn say(line: &str) {
    println!("{line}");
}

fn launch(binary: &Path, arguments: &[&str]) -> Result<Anvil, AnvilError> {
    let port = free_port()?;
    let mut child = Command::new(binary)
        .args(["--host", "127.0.0.1", "--port", &port.to_string()])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| broken(&format!("{} does not start: {error}", binary.display())))?;
    let output = child.stdout.take();
    let anvil = Anvil { child, port };
    let output = output.ok_or_else(|| broken("its output cannot be read"))?;
    let (ready, listening) = mpsc::channel();
    // It writes a line per request: somebody has to read them, or it stops.
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if line.starts_with("Listening on ") {
                let _ = ready.send(());
            }
        }
    });
    listening
        .recv()
        .map_err(|_| broken(&format!("it ended before it listened on port {port}")))?;
    Ok(anvil)
}

fn free_port() -> Result<u16, AnvilError> {
    let chosen = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    chosen
        .map(|address| address.port())
        .map_err(|error| broken(&format!("no free port: {error}")))
}

fn broken(reason: &str) -> AnvilError {
    AnvilError {
        reason: reason.to_owned(),
    }
}
