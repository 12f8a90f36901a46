//! The action descriptor `sato.action/v1`: what a host reads to wire its approval, and an auditor to know
//! what an action may touch (ODA draft 0, section 1).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::effect::{ApprovalHints, Effect, approval_hints};
use crate::names::{ActionId, ToolName};

/// A descriptor: sixteen members, all required, no others. Reading one checks the form of every member;
/// the rules beyond form are those of the descriptor lint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Descriptor {
    /// Always `sato.action/v1`.
    pub schema: DescriptorSchema,
    /// The action's id, such as `token.transfer`.
    pub id: ActionId,
    /// The tool name that follows from the id.
    pub name: ToolName,
    /// `MAJOR.MINOR.PATCH`.
    pub version: String,
    /// A short title for people.
    pub title: String,
    /// What it does, when to use it, when not to, and its effect.
    pub description: String,
    /// What it does to the world, in rising consequence.
    pub effects: Vec<Effect>,
    /// What it does with keys and funds.
    pub custody: Custody,
    /// The chains it works on, by ODA name.
    pub chains: Vec<String>,
    /// The JSON Schema of its input.
    pub input_schema: Value,
    /// The JSON Schema of its output.
    pub output_schema: Value,
    /// The rules it is judged by.
    pub policy: DeclaredPolicy,
    /// Whether it leaves receipts.
    pub receipt: bool,
    /// Relative paths of fixtures.
    pub fixtures: Vec<String>,
    /// The packages it builds on, name to exact version.
    pub upstream: BTreeMap<String, String>,
    /// Who pays for its placement, when somebody does.
    pub sponsored: Option<Sponsored>,
}

/// The one schema of a [`Descriptor`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum DescriptorSchema {
    /// `sato.action/v1`.
    #[default]
    #[serde(rename = "sato.action/v1")]
    V1,
}

/// The author's statement about keys and funds (`sato.custody/v1`, the first three questions).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Custody {
    /// Whether it reads a key.
    pub reads_key: bool,
    /// Whether a key leaves the process.
    pub sends_key: bool,
    /// Whether it can move funds.
    pub moves_funds: MovesFunds,
}

/// Whether an action can move funds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MovesFunds {
    /// It cannot.
    Never,
    /// It can, after an approval.
    WithApproval,
    /// It can, on its own.
    Autonomous,
}

/// The rules that a descriptor declares, by id.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredPolicy {
    /// Rule ids, such as `chain_allowlist`.
    pub rules: Vec<String>,
}

/// Who sponsors an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sponsored {
    /// By whom.
    pub by: String,
    /// Since which day, `YYYY-MM-DD`.
    pub since: String,
}

impl Descriptor {
    /// What a host should ask of the user before this action runs (ODA draft 0, section 5).
    #[must_use]
    pub fn approval_hints(&self) -> ApprovalHints {
        approval_hints(&self.effects)
    }
}
