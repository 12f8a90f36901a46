//! The committed artifacts are what the pinned Solidity compiler makes of the sources.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn artifacts_are_what_the_pinned_compiler_makes_of_the_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let Some(solc) = installed_compiler(&root) else {
        // Written past the capture of test output: a skipped check must be seen.
        writeln!(
            std::io::stderr(),
            "skipped: solc or node not installed; run `cargo xtask test`"
        )
        .unwrap();
        return;
    };
    let checked = Command::new("node")
        .args(["tools/contracts.mjs", "check"])
        .env("ODA_SOLC", solc)
        .current_dir(&root)
        .output()
        .expect("node starts: the compiler is a JavaScript program");
    let told = String::from_utf8_lossy(&checked.stdout);
    assert!(
        checked.status.success() && told.contains("artifacts are what the pinned compiler makes"),
        "{told}{}",
        String::from_utf8_lossy(&checked.stderr)
    );
}

/// What `ODA_SOLC` names must be there, and node with it; without the variable, whatever an earlier
/// run has installed is used if it can be.
fn installed_compiler(root: &Path) -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("ODA_SOLC") {
        return Some(PathBuf::from(named));
    }
    Command::new("node").arg("--version").output().ok()?;
    root.join("target/tools/node_modules/solc")
        .canonicalize()
        .ok()
}
