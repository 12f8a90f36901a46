//! The commands and their flags.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Shown below `--help`.
const EXAMPLES: &str = "\
Examples:
  oda demo                                       one action down the whole path, without a network
  oda prepare token.transfer --rpc http://127.0.0.1:8545 --input '{\"chain\":\"base-sepolia\",…}'
  oda execute --intent si_…                      takes the id and nothing that could change the action
  oda status                                     where every intent stands
  oda receipts verify .oda/receipts.jsonl        is the log whole?

State lives in .oda (ODA_HOME replaces it), the policy in policy.json in the working directory.
A node for a chain comes from --rpc, else ODA_RPC_URL_<CHAIN> (such as ODA_RPC_URL_BASE_SEPOLIA), else
ETH_RPC_URL; it may take ODA_RPC_TIMEOUT_S seconds (15) to answer. The signer is ODA_EVM_KEY (a raw key
in hex) or --keystore FILE, whose password is in ODA_KEYSTORE_PASSWORD_FILE or ODA_KEYSTORE_PASSWORD.
ODA_LOG sets what is logged to standard error.

Exit codes: 0 done, 2 refused by the policy, 1 anything else.";

/// Onchain actions for agents that are not trusted with the money: prepare, approve, execute, verify.
#[derive(Debug, Parser)]
#[command(name = "oda", version, after_help = EXAMPLES, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command takes.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Print one JSON document instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Log what happens to standard error; twice for more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Walk one action down the whole path, on an EVM in this process
    #[cfg(feature = "evm")]
    Demo(DemoArgs),
    /// List the actions
    Actions,
    /// Print the descriptor of an action and its approval hints
    Describe(DescribeArgs),
    /// Check the descriptor of an action in a file
    Lint(LintArgs),
    /// Ask an action that only reads
    Read(CallArgs),
    /// Prepare an action: build, simulate, judge. Nothing is signed
    Prepare(CallArgs),
    /// Execute a prepared intent, at most once
    Execute(ExecuteArgs),
    /// Record a person's yes or no to a prepared intent
    Approve(ApproveArgs),
    /// Show where the intents stand and what the day's cap holds
    Status(StatusArgs),
    /// Find out what became of executions whose outcome is open
    Recover(RecoverArgs),
    /// Verify or show a receipts log
    #[command(subcommand)]
    Receipts(ReceiptsCommand),
    /// Check a policy file
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Run a folder of test vectors
    Conformance(ConformanceArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
}

#[derive(Debug, Subcommand)]
pub(crate) enum ReceiptsCommand {
    /// Verify a log: shape, sequence, links, hashes, order of states
    Verify(VerifyArgs),
    /// Show the receipts of a log, one line each
    Show(ShowArgs),
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Print the policy with its defaults and its digest, or the first rule that it breaks
    Check(PolicyCheckArgs),
}

impl Command {
    /// The name in the JSON document.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            #[cfg(feature = "evm")]
            Self::Demo(_) => "demo",
            Self::Actions => "actions",
            Self::Describe(_) => "describe",
            Self::Lint(_) => "lint",
            Self::Read(_) => "read",
            Self::Prepare(_) => "prepare",
            Self::Execute(_) => "execute",
            Self::Approve(_) => "approve",
            Self::Status(_) => "status",
            Self::Recover(_) => "recover",
            Self::Receipts(ReceiptsCommand::Verify(_)) => "receipts verify",
            Self::Receipts(ReceiptsCommand::Show(_)) => "receipts show",
            Self::Policy(PolicyCommand::Check(_)) => "policy check",
            Self::Conformance(_) => "conformance",
            Self::Completions(_) => "completions",
        }
    }
}

/// The demo.
#[cfg(feature = "evm")]
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Make the demo's directory here instead of in the system's place for temporary files
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct DescribeArgs {
    /// The action's id or tool name, such as token.transfer
    pub(crate) action: String,
}

#[derive(Debug, Args)]
pub(crate) struct LintArgs {
    /// The file with one descriptor; `-` is standard input
    pub(crate) file: PathBuf,
}

/// A call of an action.
#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// The action's id or tool name, such as token.transfer
    pub(crate) action: String,
    /// The input: JSON text, `@FILE`, or `-` for standard input
    #[arg(long, value_name = "JSON")]
    pub(crate) input: String,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    #[command(flatten)]
    pub(crate) nodes: NodeArgs,
    #[command(flatten)]
    pub(crate) keystore: KeystoreArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ExecuteArgs {
    /// The intent's id, as prepare printed it
    #[arg(long, value_name = "ID")]
    pub(crate) intent: String,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    #[command(flatten)]
    pub(crate) nodes: NodeArgs,
    #[command(flatten)]
    pub(crate) keystore: KeystoreArgs,
    /// Let the local key sign on chains where real money moves (or ODA_ALLOW_MAINNET_SIGNING=1)
    #[arg(long)]
    pub(crate) allow_mainnet_signing: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// The intent's id
    #[arg(long, value_name = "ID")]
    pub(crate) intent: String,
    /// Approve without being asked
    #[arg(long, conflicts_with = "no")]
    pub(crate) yes: bool,
    /// Deny without being asked; the intent stays alive until it expires
    #[arg(long)]
    pub(crate) no: bool,
    /// Why it is denied
    #[arg(long, value_name = "TEXT", conflicts_with = "yes")]
    pub(crate) reason: Option<String>,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// Only this intent, with its receipts
    #[arg(long, value_name = "ID")]
    pub(crate) intent: Option<String>,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    #[command(flatten)]
    pub(crate) nodes: NodeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct RecoverArgs {
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    #[command(flatten)]
    pub(crate) nodes: NodeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The log; `-` is standard input. The log of this installation when absent
    pub(crate) file: Option<PathBuf>,
    /// Also demand that every line is byte for byte what oda writes
    #[arg(long, conflicts_with = "chain_only")]
    pub(crate) exact: bool,
    /// Check the chain alone, as the reference implementation does
    #[arg(long)]
    pub(crate) chain_only: bool,
    /// Demand that the last receipt has this hash: a cut tail is found by nothing else
    #[arg(long, value_name = "DIGEST")]
    pub(crate) head: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The log; `-` is standard input. The log of this installation when absent
    pub(crate) file: Option<PathBuf>,
    /// Only the receipts of this intent
    #[arg(long, value_name = "ID")]
    pub(crate) intent: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct PolicyCheckArgs {
    /// The file; `-` is standard input. policy.json when absent
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ConformanceArgs {
    /// The folder of vector files
    pub(crate) dir: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// Which shell
    pub(crate) shell: clap_complete::Shell,
}

/// Which policy is in force.
#[derive(Debug, Args)]
pub(crate) struct PolicyArgs {
    /// The policy file instead of policy.json in the working directory
    #[arg(long = "policy", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

/// Which node serves which chain.
#[derive(Debug, Default, Args)]
pub(crate) struct NodeArgs {
    /// The node to ask, or CHAIN=URL for one chain; repeatable
    // Read as text and parsed by `chains`: clap would repeat a broken value, and a URL can hold a key.
    #[arg(long, value_name = "URL")]
    pub(crate) rpc: Vec<String>,
}

/// Where the local key is.
#[derive(Debug, Default, Args)]
pub(crate) struct KeystoreArgs {
    /// The encrypted keystore of the signing key, instead of ODA_EVM_KEY
    #[arg(long, value_name = "FILE")]
    pub(crate) keystore: Option<PathBuf>,
}
