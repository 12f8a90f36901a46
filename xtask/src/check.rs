//! `cargo xtask check`: what must hold besides the tests.

use std::path::Path;
use std::time::Instant;

use crate::process::{self, Outcome};
use crate::{features, graph, text};

/// One check, and what to do when it fails.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    hint: &'static str,
    run: fn(&Path) -> Outcome,
}

/// Quick ones first; then those that compile, of which each uses what the one before compiled.
pub(crate) const STEPS: &[Step] = &[
    Step {
        name: "format",
        about: "rustfmt has nothing to change",
        hint: "run `cargo fmt --all`",
        run: format,
    },
    Step {
        name: "length",
        about: "no Rust file is longer than 600 lines",
        hint: "a long file holds more than one concept: give each a file of its own",
        run: text::lengths,
    },
    Step {
        name: "words",
        about: "no file names a registry's host or a folder of one machine",
        hint: "say \"the npm registry\" or \"crates.io\" in words; use a path below the repository",
        run: text::words,
    },
    Step {
        name: "directions",
        about: "dependencies between our crates only point down",
        hint: "ARCHITECTURE.md has the arrows, xtask/src/graph.rs the table",
        run: graph::directions,
    },
    Step {
        name: "isolation",
        about: "no crate brings in a chain that it is not about",
        hint: "put the dependency behind a feature of the crate that is about that chain",
        run: graph::isolation,
    },
    Step {
        name: "json",
        about: "serde_json has no feature that changes digests",
        hint: "`cargo tree --workspace -e features -i serde_json` shows who switches it on",
        run: graph::json_features,
    },
    Step {
        name: "clippy",
        about: "the lints of the workspace, warnings denied",
        hint: "`cargo clippy --fix` repairs some; the table of lints is in Cargo.toml",
        run: clippy,
    },
    Step {
        name: "docs",
        about: "rustdoc, warnings denied",
        hint: "run `RUSTDOCFLAGS=\"-D warnings\" cargo doc -p CRATE --no-deps`",
        run: docs,
    },
    Step {
        name: "features",
        about: "each crate alone compiles with every combination of its features",
        hint: "run the line above; most often a dependency lacks a feature that it must name itself",
        run: features::powerset,
    },
];

pub(crate) fn run(root: &Path, names: &[String]) -> Outcome {
    let mut failed = Vec::new();
    for step in chosen(names)? {
        println!("\n== {}: {}", step.name, step.about);
        let started = Instant::now();
        match (step.run)(root) {
            Ok(()) => println!("== {}: ok, {} s", step.name, started.elapsed().as_secs()),
            Err(message) => {
                println!("{message}\n== {}: FAILED. {}", step.name, step.hint);
                failed.push(step.name);
            }
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!("check failed: {}", failed.join(", ")))
}

fn chosen(names: &[String]) -> Result<Vec<&'static Step>, String> {
    if names.is_empty() {
        return Ok(STEPS.iter().collect());
    }
    let find = |name: &String| {
        STEPS.iter().find(|step| step.name == name).ok_or_else(|| {
            let known: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
            format!("no step `{name}`; there are: {}", known.join(", "))
        })
    };
    names.iter().map(find).collect()
}

fn format(root: &Path) -> Outcome {
    process::run(process::cargo(root).args(["fmt", "--all", "--", "--check"]))
}

fn clippy(root: &Path) -> Outcome {
    process::run(process::cargo(root).args([
        "clippy",
        "--workspace",
        "--all-targets",
        "--locked",
        "--",
        "-D",
        "warnings",
    ]))
}

fn docs(root: &Path) -> Outcome {
    process::run(
        process::cargo(root)
            .args(["doc", "--workspace", "--no-deps", "--locked"])
            .env("RUSTDOCFLAGS", "-D warnings"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_chosen_by_name_in_the_order_given() {
        let names: Vec<String> = ["words", "format"].map(str::to_owned).into();
        let chosen: Vec<&str> = chosen(&names)
            .unwrap()
            .iter()
            .map(|step| step.name)
            .collect();
        assert_eq!(chosen, ["words", "format"]);
    }

    #[test]
    fn without_names_every_step_runs_and_an_unknown_one_is_refused() {
        assert_eq!(chosen(&[]).unwrap().len(), STEPS.len());
        assert!(
            chosen(&["fromat".to_owned()])
                .unwrap_err()
                .contains("`fromat`")
        );
    }
}
