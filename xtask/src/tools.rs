//! The pinned tools of `tools/`: a node binary for EVM tests (anvil) and the Solidity compiler.
//!
//! They are installed from the npm registry into `target/tools`, with `npm ci`, so that the lock
//! file decides every byte, and with `--ignore-scripts`, so that no package runs code of its own.

use std::env::consts::{ARCH, OS};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::process::{self, Outcome};

/// What an installation is made from, copied beside it.
const INPUTS: [&str; 3] = ["package.json", "package-lock.json", ".npmrc"];

/// Written last, with the lock file's text: its presence means that `npm ci` came to its end.
const STAMP: &str = "installed-lock.json";

/// The oldest Node.js that the pinned packages run on.
const OLDEST_NODE: u32 = 20;

/// Installed tools.
#[derive(Debug)]
pub(crate) struct Tools {
    /// The anvil binary.
    pub(crate) anvil: PathBuf,
    /// The folder of the `solc` package.
    pub(crate) solc: PathBuf,
}

/// Installs what `tools/package-lock.json` pins, unless exactly that is there already.
pub(crate) fn install(root: &Path) -> Result<Tools, String> {
    require_node()?;
    let source = root.join("tools");
    let target = root.join("target").join("tools");
    let lock = read(&source.join("package-lock.json"))?;
    let stamp = target.join(STAMP);
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == lock) {
        println!("tools: {} is up to date", target.display());
    } else {
        install_anew(&source, &target)?;
        write(&stamp, &lock)?;
    }
    locate(&target.join("node_modules"))
}

fn install_anew(source: &Path, target: &Path) -> Outcome {
    fs::create_dir_all(target)
        .map_err(|error| format!("cannot create {}: {error}", target.display()))?;
    let stamp = target.join(STAMP);
    if stamp.exists() {
        fs::remove_file(&stamp)
            .map_err(|error| format!("cannot remove {}: {error}", stamp.display()))?;
    }
    for input in INPUTS {
        write(&target.join(input), &read(&source.join(input))?)?;
    }
    process::run(
        Command::new(npm())
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
            .current_dir(target),
    )
    .map_err(|error| {
        format!("{error}\nit needs the npm registry once; then target/tools is reused")
    })
}

fn locate(modules: &Path) -> Result<Tools, String> {
    let tools = Tools {
        anvil: modules
            .join("@foundry-rs")
            .join(anvil_package()?)
            .join("bin")
            .join(anvil_file()),
        solc: modules.join("solc"),
    };
    for path in [&tools.anvil, &tools.solc] {
        if !path.exists() {
            return Err(format!(
                "{} is missing after the installation: remove target/tools and try again",
                path.display()
            ));
        }
    }
    Ok(tools)
}

/// The package that carries the binary for this machine.
fn anvil_package() -> Result<&'static str, String> {
    match (OS, ARCH) {
        ("linux", "x86_64") => Ok("anvil-linux-amd64"),
        ("linux", "aarch64") => Ok("anvil-linux-arm64"),
        ("macos", "x86_64") => Ok("anvil-darwin-amd64"),
        ("macos", "aarch64") => Ok("anvil-darwin-arm64"),
        ("windows", "x86_64") => Ok("anvil-win32-amd64"),
        _ => Err(format!(
            "the npm registry has no anvil for {OS} on {ARCH}: \
             `cargo xtask test --skip-node` runs what needs none"
        )),
    }
}

fn anvil_file() -> &'static str {
    if cfg!(windows) { "anvil.exe" } else { "anvil" }
}

fn npm() -> &'static str {
    if cfg!(windows) { "npm.cmd" } else { "npm" }
}

fn require_node() -> Outcome {
    let version = version_of("node")?;
    if major(&version).is_none_or(|major| major < OLDEST_NODE) {
        return Err(format!(
            "node is {version}, and {OLDEST_NODE} or newer is needed"
        ));
    }
    version_of(npm()).map(|_| ())
}

fn version_of(program: &str) -> Result<String, String> {
    let missing = || {
        format!(
            "`{program}` is not installed. Install Node.js {OLDEST_NODE} or newer with npm \
             (Debian: `apt-get install nodejs npm`), or run `cargo xtask test --skip-node`, \
             which leaves out the tests against a real node and the compiler check"
        )
    };
    let output = Command::new(program)
        .arg("--version")
        .stderr(Stdio::null())
        .output()
        .map_err(|_| missing())?;
    if !output.status.success() {
        return Err(missing());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The first number of `v20.20.2`.
fn major(version: &str) -> Option<u32> {
    version
        .trim_start_matches('v')
        .split('.')
        .next()?
        .parse()
        .ok()
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Outcome {
    fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read_from_what_node_prints() {
        assert_eq!(major("v20.20.2"), Some(20));
        assert_eq!(major("v9.1.0"), Some(9));
        assert_eq!(major("not a version"), None);
    }

    #[test]
    fn a_missing_program_says_what_to_install() {
        let message = version_of("no-such-program-here").unwrap_err();
        assert!(message.contains("Install Node.js"), "{message}");
        assert!(message.contains("--skip-node"), "{message}");
    }

    #[test]
    fn an_incomplete_installation_is_not_taken_for_a_good_one() {
        let nowhere = Path::new("no-such-folder-here");
        assert!(locate(nowhere).is_err());
    }
}
