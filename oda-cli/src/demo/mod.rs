//! `oda demo`: one action down the whole path, on an EVM in this process.
//!
//! [`stage`] sets the scene with the parts that a real installation has: the SQLite store, the secret file and
//! the receipts log in a fresh directory. Only the node is a chain in memory. [`story`] is the path itself,
//! one function for each step, and each checks that it came out as it must.

mod stage;
mod story;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::answer::{Answer, Outcome};
use crate::args::DemoArgs;
use crate::error::CliError;
use crate::page::Page;
use stage::Stage;

pub(crate) async fn run(args: &DemoArgs) -> Outcome {
    let directory = fresh_directory(args.dir.as_deref())?;
    let mut page = Page::new();
    match walk(&directory, &mut page).await {
        Ok(result) => Ok(Answer::new(page.finish(), result)),
        // What was told up to there says more than the error alone.
        Err(error) => {
            let result = json!({ "directory": directory });
            Err(Answer::new(page.finish(), result).failed(error))
        }
    }
}

async fn walk(directory: &Path, page: &mut Page) -> Result<Value, CliError> {
    let stage = Stage::set(directory).await?;
    story::opening(page, &stage);
    let before = stage.balances().await?;
    let hints = story::describe(page, &stage)?;
    let allowed = story::prepare(page, &stage).await?;
    let refused = story::prepare_too_much(page, &stage).await?;
    let execution = story::execute(page, &stage, &allowed).await?;
    let after = stage.balances().await?;
    story::compare(page, &before, &after)?;
    let report = story::verify(page, &stage)?;
    let fault = story::change_one_byte(page, &stage)?;
    Ok(json!({
        "directory": directory,
        "approval_hints": hints,
        "allowed": allowed,
        "refused": refused,
        "execution": execution,
        "balances": { "before": before, "after": after },
        "receipts": report,
        "tampered": fault,
    }))
}

fn fresh_directory(parent: Option<&Path>) -> Result<PathBuf, CliError> {
    let parent = parent.map_or_else(std::env::temp_dir, Path::to_owned);
    let made = tempfile::Builder::new()
        .prefix("oda-demo-")
        .tempdir_in(&parent);
    made.map(tempfile::TempDir::keep)
        .map_err(|error| CliError::File {
            what: "the demo's directory in",
            path: parent,
            reason: format!("it cannot be made: {error}"),
        })
}
