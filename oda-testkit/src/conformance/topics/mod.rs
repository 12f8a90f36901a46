//! Which files and lists are known, and how each case is checked.

mod actions;
mod approval;
mod canonical;
#[cfg(feature = "evm")]
mod evm;
mod flow;
mod intents;
mod lint;
mod names;
#[cfg(feature = "evm")]
mod own_actions;
mod policy;
mod receipts;
#[cfg(feature = "evm")]
mod usd;
mod validate;

use super::case::{Case, Check, Malformed};
use super::load::VectorFile;

/// What is known of a file.
#[derive(Debug, Clone, Copy)]
pub(super) enum Topic {
    /// Its lists are checked.
    Known(&'static [List]),
    /// It concerns a part of the project that does not exist yet.
    Later(&'static str),
    /// Nobody knows it.
    Unknown,
}

/// One case list of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct List {
    /// The member that holds it.
    pub(super) name: &'static str,
    /// The members that tell its cases apart for a reader.
    pub(super) label: &'static [&'static str],
    pub(super) checker: Checker,
}

/// How the cases of a list are checked.
#[derive(Debug, Clone, Copy)]
pub(super) enum Checker {
    /// One by one. The file is passed along for what its cases share.
    Each(fn(&Case, &VectorFile) -> Result<Check, Malformed>),
    /// Not at all, for this reason.
    None(&'static str),
}

impl List {
    const fn each(
        name: &'static str,
        label: &'static [&'static str],
        check: fn(&Case, &VectorFile) -> Result<Check, Malformed>,
    ) -> Self {
        Self {
            name,
            label,
            checker: Checker::Each(check),
        }
    }

    const fn none(name: &'static str, reason: &'static str) -> Self {
        Self {
            name,
            label: &["name"],
            checker: Checker::None(reason),
        }
    }
}

const SOLANA: &str = "the Solana crate comes with a later issue";
const X402: &str = "the x402 crate comes with a later issue";
const COMPILERS: &str = "compiling a policy for hosted wallets comes with a later issue";
const MANDATES: &str = "KATA mandates come with a later issue";

/// The topic of a file, by its name.
pub(super) fn of(file: &str) -> Topic {
    match file {
        "oda-canonical.json" => Topic::Known(canonical::LISTS),
        "oda-actions.json" => Topic::Known(actions::LISTS),
        "oda-lint.json" => Topic::Known(lint::LISTS),
        "oda-validate.json" => Topic::Known(validate::LISTS),
        "oda-names.json" => Topic::Known(names::LISTS),
        "oda-approval.json" => Topic::Known(approval::LISTS),
        "oda-intents.json" => Topic::Known(intents::LISTS),
        "oda-policy.json" => Topic::Known(policy::LISTS),
        "oda-flow.json" => Topic::Known(flow::LISTS),
        "oda-receipts.json" => Topic::Known(receipts::LISTS),
        #[cfg(feature = "evm")]
        "oda-evm.json" => Topic::Known(evm::LISTS),
        #[cfg(feature = "evm")]
        "oda-usd.json" => Topic::Known(usd::LISTS),
        #[cfg(not(feature = "evm"))]
        "oda-evm.json" | "oda-usd.json" => {
            Topic::Later("this build has no EVM crate (feature `evm`)")
        }
        "oda-solana.json" => Topic::Later(SOLANA),
        "oda-x402.json" => Topic::Later(X402),
        "oda-compile.json" => Topic::Later(COMPILERS),
        kata if kata.starts_with("kata-") => Topic::Later(MANDATES),
        _ => Topic::Unknown,
    }
}
