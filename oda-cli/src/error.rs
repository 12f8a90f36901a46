//! Everything that can go wrong at the command line.

use std::io;
use std::path::PathBuf;

use oda_canon::CanonError;
use oda_core::{
    ActionError, BuildEngineError, ChainError, EngineError, ExecutionState, IntentId, PolicyError,
    Refusal, StoreError,
};
use oda_receipts::{Link, ReceiptError};
use oda_store::{HomeError, SecretFileError};
use oda_testkit::conformance::ConformanceError;

/// Why a command did not come out well. The code of each variant is part of the interface.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum CliError {
    /// The flags do not fit. Code `usage`.
    #[error("{0}")]
    Usage(String),
    /// The value of a flag or of an environment variable breaks a rule. Code `invalid_argument`.
    #[error("{name} {rule}")]
    Argument { name: String, rule: String },
    /// A file cannot be read. Code `file_unreadable`.
    #[error("{what} {} cannot be read: {reason}", path.display())]
    File {
        what: &'static str,
        path: PathBuf,
        reason: String,
    },
    /// The input is not strict JSON. Code `invalid_input`.
    #[error("--input is not strict JSON: {0}")]
    Input(CanonError),
    /// The policy file breaks a rule. Code `invalid_policy`.
    #[error("{}: {source}; nothing runs under a broken policy", path.display())]
    Policy { path: PathBuf, source: PolicyError },
    /// There is nobody to ask. Code `no_terminal`.
    #[error("there is no terminal to ask on: say --yes, or --no with --reason")]
    NoTerminal,
    /// The signals of the operating system cannot be received, or threads not be started. Code `runtime`.
    #[error("the program cannot be started: {source}")]
    Runtime { source: io::Error },
    /// The state directory.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// The intent secret.
    #[error(transparent)]
    Secret(#[from] SecretFileError),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The receipts log or a receipts file.
    #[error("{0}")]
    Receipts(#[from] ReceiptError),
    /// The engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The parts of the engine contradict each other: a defect of this program. Code `engine_parts`.
    #[error(transparent)]
    Build(#[from] BuildEngineError),
    /// A chain's key or keystore.
    #[cfg(feature = "evm")]
    #[error(transparent)]
    Key(#[from] oda_chain_evm::EvmError),
    /// A folder of vectors.
    #[error("{0}")]
    Conformance(#[from] ConformanceError),
    /// The policy refused what was prepared. Code `refused`.
    #[error("the policy refuses it: {}", sentences(.refusals))]
    RefusedAtPrepare { refusals: Vec<Refusal> },
    /// Nobody knows whether the chain has it. Code `uncertain`.
    #[error("intent {id}: it is not known whether the chain has it ({reason})")]
    Uncertain { id: IntentId, reason: String },
    /// It is in a block and failed there. Code `reverted`.
    #[error("intent {id}: it is in a block and failed there: {reason}")]
    Reverted { id: IntentId, reason: String },
    /// It did not end in a state that means success. Code `not_executed`.
    #[error("intent {id} is {state}: {reason}")]
    NotExecuted {
        id: IntentId,
        state: ExecutionState,
        reason: String,
    },
    /// Recovery could not ask about every open intent. Code `recovery_incomplete`.
    #[error("{open} open intent(s) could not be settled now")]
    RecoveryIncomplete { open: usize },
    /// A second signal ended the wait. Code `interrupted`.
    #[error("{0}")]
    Interrupted(String),
    /// A descriptor has faults. Code `descriptor_faults`.
    #[error("the descriptor has {0} fault(s)")]
    DescriptorFaults(usize),
    /// The log ends elsewhere than was demanded. Code `receipts_head`.
    #[error("the log is whole but ends at {}, not at {expected}: it was cut, continued or exchanged", place(.found))]
    Head {
        expected: String,
        found: Option<Link>,
    },
    /// Vectors failed. Code `conformance_failed`.
    #[error("{0} case(s) failed")]
    ConformanceFailed(usize),
    /// The demo did not come out as it must. Code `demo_failed`.
    #[cfg(feature = "evm")]
    #[error("the demo failed at \"{step}\": {found}")]
    Demo { step: &'static str, found: String },
}

fn sentences(refusals: &[Refusal]) -> String {
    let messages: Vec<_> = refusals
        .iter()
        .map(|refusal| refusal.message.as_str())
        .collect();
    messages.join("; ")
}

fn place(link: &Option<Link>) -> String {
    link.map_or_else(
        || "nothing".to_owned(),
        |link| format!("receipt {} with {}", link.seq, link.hash),
    )
}

/// The exit code of a refusal by the policy.
const REFUSED: u8 = 2;

/// The exit code of everything else that did not come out well.
const FAILED: u8 = 1;

impl CliError {
    pub(crate) fn argument(name: impl Into<String>, rule: impl Into<String>) -> Self {
        Self::Argument {
            name: name.into(),
            rule: rule.into(),
        }
    }

    /// The stable code.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Usage(_) => "usage",
            Self::Argument { .. } => "invalid_argument",
            Self::File { .. } => "file_unreadable",
            Self::Input(_) => "invalid_input",
            Self::Policy { source, .. } => source.code(),
            Self::NoTerminal => "no_terminal",
            Self::Runtime { .. } => "runtime",
            Self::Home(error) => error.code(),
            Self::Secret(error) => error.code(),
            Self::Store(error) => error.code(),
            Self::Receipts(error) => error.code(),
            Self::Engine(error) => error.code(),
            Self::Build(_) => "engine_parts",
            #[cfg(feature = "evm")]
            Self::Key(error) => error.code(),
            Self::Conformance(error) => error.code(),
            Self::RefusedAtPrepare { .. } => "refused",
            Self::Uncertain { .. } => "uncertain",
            Self::Reverted { .. } => "reverted",
            Self::NotExecuted { .. } => "not_executed",
            Self::RecoveryIncomplete { .. } => "recovery_incomplete",
            Self::Interrupted(_) => "interrupted",
            Self::DescriptorFaults(_) => "descriptor_faults",
            Self::Head { .. } => "receipts_head",
            Self::ConformanceFailed(_) => "conformance_failed",
            #[cfg(feature = "evm")]
            Self::Demo { .. } => "demo_failed",
        }
    }

    /// The refusals, when a rule refused.
    pub(crate) fn refusals(&self) -> &[Refusal] {
        match self {
            Self::RefusedAtPrepare { refusals } => refusals,
            Self::Engine(error) => error.refusals(),
            _ => &[],
        }
    }

    /// 2 when the policy refused, 1 for everything else.
    pub(crate) const fn exit_code(&self) -> u8 {
        match self {
            Self::RefusedAtPrepare { .. }
            | Self::Engine(
                EngineError::Refused { .. }
                | EngineError::Action {
                    source: ActionError::Refused { .. },
                    ..
                },
            ) => REFUSED,
            _ => FAILED,
        }
    }

    /// What to do next, where the message alone does not say it in terms of this command line.
    pub(crate) fn next(&self) -> Option<String> {
        match self {
            Self::Engine(error) => next_after(error),
            Self::Uncertain { .. } | Self::RecoveryIncomplete { .. } => Some(
                "run `oda recover` with the same connection flags until it is settled; never prepare the \
                 same action again before"
                    .to_owned(),
            ),
            _ => None,
        }
    }
}

/// What to do when a chain has no node.
const GIVE_A_NODE: &str = "give --rpc URL, or set ODA_RPC_URL_<CHAIN> or ETH_RPC_URL";

fn next_after(error: &EngineError) -> Option<String> {
    match error {
        EngineError::UnknownAction { .. } => Some("`oda actions` lists what there is".to_owned()),
        EngineError::UnknownIntent { .. } => Some(
            "`oda status` lists the intents of this state directory (ODA_HOME names another)"
                .to_owned(),
        ),
        EngineError::ApprovalRequired { id } => Some(format!("oda approve --intent {id}")),
        EngineError::NoSigner { .. } => Some(
            "set ODA_EVM_KEY, or give --keystore FILE with ODA_KEYSTORE_PASSWORD_FILE".to_owned(),
        ),
        EngineError::Unrecorded { .. }
        | EngineError::InProgress { .. }
        | EngineError::OutcomeOpen { .. } => Some("oda recover".to_owned()),
        EngineError::Chain {
            source: ChainError::NoNode { .. },
        }
        | EngineError::Action {
            source: ActionError::Chain(ChainError::NoNode { .. }),
            ..
        } => Some(GIVE_A_NODE.to_owned()),
        _ => None,
    }
}
