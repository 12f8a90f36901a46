//! `cargo xtask contracts`: the artifacts of the Solidity test contracts.

use std::path::Path;
use std::process::Command;

use crate::process::{self, Outcome};
use crate::tools;

pub(crate) fn run(root: &Path, arguments: &[String]) -> Outcome {
    let mode = match arguments {
        [] => "write",
        [flag] if flag == "--check" => "check",
        _ => return Err("usage: cargo xtask contracts [--check]".to_owned()),
    };
    let solc = tools::install(root)?.solc;
    process::run(
        Command::new("node")
            .args(["tools/contracts.mjs", mode])
            .env("ODA_SOLC", solc)
            .current_dir(root),
    )
}
