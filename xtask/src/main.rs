//! Runs the checks and the tests of this repository after installing what they need.
//!
//! `cargo xtask --help` lists the commands and every step of `check`. Nothing here is part of the
//! product: it may print, and an error is a sentence for the person who ran it.
#![expect(
    clippy::print_stdout,
    reason = "this is a command, and its reader sits at a terminal"
)]

mod check;
mod contracts;
mod features;
mod graph;
mod process;
mod test;
mod text;
mod tools;

use std::path::PathBuf;
use std::process::ExitCode;

use process::Outcome;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            println!("\nxtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Outcome {
    let (command, rest) = match arguments.split_first() {
        None => {
            print!("{}", help());
            return Err("name a command".to_owned());
        }
        Some((command, rest)) => (command.as_str(), rest),
    };
    match command {
        "-h" | "--help" | "help" => {
            print!("{}", help());
            Ok(())
        }
        "check" => check::run(&repository_root()?, rest),
        "test" => test::run(&repository_root()?, rest),
        "contracts" => contracts::run(&repository_root()?, rest),
        other => Err(format!(
            "no command `{other}`: `cargo xtask --help` lists them"
        )),
    }
}

/// The folder of the workspace, as `cargo run` tells it: a binary that was built in one clone and
/// found again through a shared target folder still works on the clone it is started from.
fn repository_root() -> Result<PathBuf, String> {
    let manifest_dir = std::env::var_os("CARGO_MANIFEST_DIR")
        .ok_or("CARGO_MANIFEST_DIR is not set: start this as `cargo xtask …`")?;
    let manifest_dir = PathBuf::from(manifest_dir);
    let root = manifest_dir.parent().ok_or("xtask has no parent folder")?;
    Ok(root.to_path_buf())
}

fn help() -> String {
    let mut text = String::from(
        "\
cargo xtask check [STEP…]            every check that runs no test, or only the steps named
cargo xtask test [--skip-node] [-- ARGUMENTS OF CARGO TEST]
                                     install the pinned tools into target/tools, then run every test
cargo xtask contracts [--check]      compile the Solidity test contracts, or compare with what is there

steps of `check`, in this order:
",
    );
    for step in check::STEPS {
        text.push_str(&format!("  {:<12} {}\n", step.name, step.about));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_lists_every_step() {
        let text = help();
        for step in check::STEPS {
            assert!(
                text.contains(step.name) && text.contains(step.about),
                "{}",
                step.name
            );
        }
    }

    #[test]
    fn an_unknown_command_is_an_error_that_names_it() {
        let refused = dispatch(&["tset".to_owned()]).unwrap_err();
        assert!(refused.contains("`tset`"), "{refused}");
        assert!(dispatch(&[]).is_err());
    }
}
