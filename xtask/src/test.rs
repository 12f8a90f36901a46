//! `cargo xtask test`: every test of the workspace, with the tools that they need.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::process::{self, Outcome};
use crate::tools;

/// What the tests read to find the tools, and whether their absence is an error.
const ANVIL: &str = "ODA_ANVIL";
const SOLC: &str = "ODA_SOLC";
const REQUIRE_ANVIL: &str = "ODA_REQUIRE_ANVIL";

pub(crate) fn run(root: &Path, arguments: &[String]) -> Outcome {
    let (own, passed_on) = split_arguments(arguments);
    let mut command = process::cargo(root);
    command.args(["test", "--locked", "--no-fail-fast"]);
    // Without arguments that is every crate; `--workspace` would override a `-p` among them.
    command.args(passed_on);
    match own {
        [] => use_tools(&mut command, root)?,
        [flag] if flag == "--skip-node" => {
            for variable in [ANVIL, SOLC, REQUIRE_ANVIL] {
                command.env_remove(variable);
            }
            println!(
                "--skip-node: nothing is installed; tests against anvil and the check of the \
                 contract artifacts use what an earlier run left, or say that they are skipped"
            );
        }
        _ => {
            return Err(
                "usage: cargo xtask test [--skip-node] [-- ARGUMENTS OF CARGO TEST]".to_owned(),
            );
        }
    }
    let started = Instant::now();
    let tally = run_and_count(&mut command)?;
    println!(
        "\n{} test programs in {} s\ntests: {} passed, {} failed, {} skipped",
        tally.programs,
        started.elapsed().as_secs(),
        tally.passed,
        tally.failed,
        tally.ignored
    );
    tally.verdict()
}

/// Our own arguments, and what comes after `--`, which is cargo's.
fn split_arguments(arguments: &[String]) -> (&[String], &[String]) {
    match arguments.iter().position(|argument| argument == "--") {
        Some(at) => (&arguments[..at], &arguments[at + 1..]),
        None => (arguments, &[]),
    }
}

fn use_tools(command: &mut Command, root: &Path) -> Outcome {
    let tools = tools::install(root)?;
    println!(
        "{ANVIL}={}\n{SOLC}={}",
        tools.anvil.display(),
        tools.solc.display()
    );
    command
        .env(ANVIL, tools.anvil)
        .env(SOLC, tools.solc)
        .env(REQUIRE_ANVIL, "1");
    Ok(())
}

/// What libtest's closing lines add up to.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    programs: u64,
    passed: u64,
    failed: u64,
    ignored: u64,
    cargo_failed: bool,
}

impl Tally {
    /// Counts the line in when it closes a test program:
    /// `test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; …`
    fn read(&mut self, line: &str) {
        let Some(counts) = line.strip_prefix("test result: ") else {
            return;
        };
        self.programs += 1;
        for part in counts.split([';', '.']) {
            let mut words = part.split_whitespace();
            let (Some(number), Some(what)) = (words.next(), words.next()) else {
                continue;
            };
            let Ok(number) = number.parse::<u64>() else {
                continue;
            };
            match what {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }

    fn verdict(&self) -> Outcome {
        if self.failed > 0 || self.cargo_failed {
            return Err("test failed: read the failures above; run one again with \
                 `cargo xtask test -- -p CRATE NAME`"
                .to_owned());
        }
        if self.passed == 0 {
            return Err("test failed: no test ran".to_owned());
        }
        Ok(())
    }
}

fn run_and_count(command: &mut Command) -> Result<Tally, String> {
    let shown = process::announce(command);
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("`{shown}` cannot be started: {error}"))?;
    let mut tally = Tally::default();
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).split(b'\n') {
            let line =
                line.map_err(|error| format!("the output of `{shown}` broke off: {error}"))?;
            let line = String::from_utf8_lossy(&line);
            println!("{line}");
            tally.read(&line);
        }
    }
    let status = child
        .wait()
        .map_err(|error| format!("`{shown}` was lost: {error}"))?;
    tally.cargo_failed = !status.success();
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally_of(lines: &[&str]) -> Tally {
        let mut tally = Tally::default();
        for line in lines {
            tally.read(line);
        }
        tally
    }

    #[test]
    fn closing_lines_are_added_up_and_others_are_not() {
        let tally = tally_of(&[
            "running 2 tests",
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.01s",
            "test x ... ok",
            "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 12.50s",
        ]);
        let expected = Tally {
            programs: 2,
            passed: 13,
            failed: 2,
            ignored: 1,
            cargo_failed: false,
        };
        assert_eq!(tally, expected);
        assert!(tally.verdict().is_err());
    }

    #[test]
    fn a_run_without_tests_has_not_passed() {
        assert!(
            Tally::default()
                .verdict()
                .unwrap_err()
                .contains("no test ran")
        );
    }

    #[test]
    fn a_crate_that_does_not_compile_fails_the_run_whatever_was_counted() {
        let tally = Tally {
            passed: 3,
            cargo_failed: true,
            ..Tally::default()
        };
        assert!(tally.verdict().is_err());
    }

    #[test]
    fn what_follows_two_dashes_is_for_cargo() {
        let words: Vec<String> = ["--skip-node", "--", "-p", "oda-core"]
            .map(str::to_owned)
            .into();
        let (own, passed_on) = split_arguments(&words);
        assert_eq!((own, passed_on), (&words[..1], &words[2..]));
    }
}
