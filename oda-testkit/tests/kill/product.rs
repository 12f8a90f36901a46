//! The crash points are in these tests and nowhere else.

use std::path::Path;
use std::process::Command;

/// The features of `oda-core` in a graph, one line per way in which it is built.
fn features_of_core(package: &str, edges: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let output = Command::new(env!("CARGO"))
        .current_dir(root)
        .args(["tree", "--locked", "--offline", "--package", package])
        .args([
            "--edges",
            edges,
            "--prefix=none",
            "--format={p} features: {f}",
        ])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().filter(|line| line.starts_with("oda-core "));
    let found = lines.map(|line| format!("{line}\n")).collect::<String>();
    assert!(
        !found.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    found
}

#[test]
fn the_product_is_built_without_crash_points() {
    for package in ["oda-cli", "oda-testkit", "oda-store", "oda-chain-evm"] {
        let features = features_of_core(package, "normal,build");
        assert!(!features.contains("crash-points"), "{package}: {features}");
    }
    // The question can be answered with yes: the tests' own graph has them.
    assert!(features_of_core("oda-testkit", "normal,dev").contains("crash-points"));
}
