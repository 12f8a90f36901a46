//! The descriptor of one action: `sato.action/v1`, ODA draft 0, section 1.

use std::collections::BTreeMap;

use oda_canon::CanonError;
use oda_receipts::FieldError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::descriptor_lint;
use crate::descriptor_validate;
use crate::effect::{ApprovalHints, Effect, approval_hints};
use crate::lint::LintIssue;
use crate::names::{ActionId, ToolName};
use crate::refusal::RuleId;
use crate::tree::Tree;

/// The schema name that every descriptor carries.
pub const DESCRIPTOR_SCHEMA: &str = "sato.action/v1";

/// The longest title, in UTF-16 code units (ODA draft 0, section 1).
pub const MAX_TITLE: usize = 120;

/// What one action is named, what it touches, what it can do with a key and with money.
///
/// [`Descriptor::parse`] is the door for text: what it returns has passed
/// [`validate_descriptor`](crate::validate_descriptor) and every lint. A descriptor that was put
/// together in code is held to the same by [`Descriptor::check`].
///
/// ```
/// use oda_core::Descriptor;
///
/// let descriptor = Descriptor::parse(r#"{
///     "schema": "sato.action/v1", "id": "token.transfer", "name": "token_transfer",
///     "version": "0.1.0", "title": "Transfer a token",
///     "description": "Prepares a transfer of one token to one recipient. Signs nothing.",
///     "effects": ["sign", "broadcast"],
///     "custody": {"reads_key": false, "sends_key": false, "moves_funds": "with_approval"},
///     "chains": ["base"], "input_schema": {"type": "object"}, "output_schema": {"type": "object"},
///     "policy": {"rules": ["intent_ttl"]}, "receipt": true, "fixtures": [], "upstream": {},
///     "sponsored": null
/// }"#)?;
/// assert!(descriptor.approval_hints().requires_user_interaction);
/// # Ok::<(), oda_core::DescriptorError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Descriptor {
    /// [`DESCRIPTOR_SCHEMA`].
    pub schema: String,
    /// The ODA id.
    pub id: ActionId,
    /// The tool name, which follows from the id.
    pub name: ToolName,
    /// MAJOR.MINOR.PATCH.
    pub version: String,
    /// For a list of tools: one line.
    pub title: String,
    /// What it does, when to use it, when not to, and its effect.
    pub description: String,
    /// What it does to the world.
    pub effects: Vec<Effect>,
    /// What it can do with a key and with money.
    pub custody: Custody,
    /// ODA chain names.
    pub chains: Vec<String>,
    /// A portable JSON schema of the input.
    pub input_schema: Map<String, Value>,
    /// A portable JSON schema of the output.
    pub output_schema: Map<String, Value>,
    /// The rules that concern it.
    pub policy: DeclaredPolicy,
    /// Whether calling it writes a receipt.
    pub receipt: bool,
    /// Relative paths of recorded examples.
    pub fixtures: Vec<String>,
    /// The packages it is built on, with exact versions.
    pub upstream: BTreeMap<String, String>,
    /// Who pays for its being listed; `None` for nobody. The key has to be present.
    #[serde(deserialize_with = "Option::deserialize")]
    pub sponsored: Option<Sponsored>,
}

/// The author's statement about keys and funds (`sato.custody/v1`, three of its questions).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Custody {
    /// It reads a key.
    pub reads_key: bool,
    /// A key leaves the process.
    pub sends_key: bool,
    /// It moves funds.
    pub moves_funds: MovesFunds,
}

/// Whether an action moves funds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MovesFunds {
    /// It never does.
    Never,
    /// After somebody approved.
    WithApproval,
    /// On its own.
    Autonomous,
}

/// The rules that an action says concern it. All rules run whatever stands here.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredPolicy {
    /// Rule ids.
    pub rules: Vec<RuleId>,
}

/// Who pays for an action's being listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sponsored {
    /// Who.
    pub by: String,
    /// Since when, YYYY-MM-DD.
    pub since: String,
}

/// Why something is not a descriptor that hosts can use.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DescriptorError {
    /// Not strict JSON.
    #[error("the descriptor is not strict JSON: {0}")]
    Json(#[from] CanonError),
    /// Not the structure of a descriptor.
    #[error("the descriptor is malformed: {}", joined(.0))]
    Structure(Vec<FieldError>),
    /// The structure of a descriptor with content that hosts dislike.
    #[error("the descriptor does not pass the lints: {}", joined(.0))]
    Lint(Vec<LintIssue>),
}

impl DescriptorError {
    /// The stable code of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Json(_) => "descriptor_json",
            Self::Structure(_) => "descriptor_structure",
            Self::Lint(_) => "descriptor_lint",
        }
    }
}

fn joined<T: ToString>(faults: &[T]) -> String {
    let faults: Vec<String> = faults.iter().map(T::to_string).collect();
    faults.join("; ")
}

impl Descriptor {
    /// Reads a descriptor from JSON text.
    ///
    /// # Errors
    ///
    /// [`DescriptorError`]: not strict JSON, not a descriptor, or one that does not pass the lints.
    pub fn parse(text: &str) -> Result<Self, DescriptorError> {
        let tree = Tree::parse(text.as_bytes())?;
        accept(&tree)?;
        Ok(oda_canon::parse_strict(text.as_bytes())?)
    }

    /// Holds a descriptor that was put together in code to the rules of [`Descriptor::parse`].
    ///
    /// # Errors
    ///
    /// As [`Descriptor::parse`].
    pub fn check(&self) -> Result<(), DescriptorError> {
        accept(&Tree::parse(&oda_canon::to_vec(self)?)?)
    }

    /// What a host is told about asking for approval.
    #[must_use]
    pub fn approval_hints(&self) -> ApprovalHints {
        approval_hints(&self.effects)
    }
}

fn accept(tree: &Tree) -> Result<(), DescriptorError> {
    let errors = descriptor_validate::validate(tree);
    if !errors.is_empty() {
        return Err(DescriptorError::Structure(errors));
    }
    let issues = descriptor_lint::lint(tree);
    if !issues.is_empty() {
        return Err(DescriptorError::Lint(issues));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sample() -> Value {
        json!({
            "schema": "sato.action/v1", "id": "chain.read", "name": "chain_read",
            "version": "0.1.0", "title": "Read", "description": "Reads one value.",
            "effects": ["read"],
            "custody": {"reads_key": false, "sends_key": false, "moves_funds": "never"},
            "chains": ["base"],
            "input_schema": {"type": "object"}, "output_schema": {"type": "object"},
            "policy": {"rules": []}, "receipt": false, "fixtures": [], "upstream": {},
            "sponsored": {"by": "somebody", "since": "2026-01-01"},
        })
    }

    #[test]
    fn a_descriptor_survives_the_round_trip() {
        let descriptor = Descriptor::parse(&sample().to_string()).unwrap();
        assert_eq!(serde_json::to_value(&descriptor).unwrap(), sample());
        assert_eq!(descriptor.check(), Ok(()));
        assert_eq!(descriptor.approval_hints(), ApprovalHints::PASSIVE);
    }

    #[test]
    fn each_kind_of_fault_has_its_code() {
        let code = |text: &str| Descriptor::parse(text).unwrap_err().code();
        assert_eq!(code("{"), "descriptor_json");
        assert_eq!(code("{}"), "descriptor_structure");
        let mut claim = sample();
        claim["description"] = json!("The best reads.");
        assert_eq!(code(&claim.to_string()), "descriptor_lint");
        let error = Descriptor::parse(&claim.to_string()).unwrap_err();
        assert!(error.to_string().contains("description_claim"), "{error}");
    }

    #[test]
    fn a_descriptor_made_in_code_is_held_to_the_same_rules() {
        let mut descriptor = Descriptor::parse(&sample().to_string()).unwrap();
        descriptor.name = "other_name".parse().unwrap();
        assert_eq!(descriptor.check().unwrap_err().code(), "descriptor_lint");
        descriptor.chains.clear();
        assert_eq!(
            descriptor.check().unwrap_err().code(),
            "descriptor_structure"
        );
    }

    #[test]
    fn a_missing_sponsored_is_not_a_null_one() {
        let mut descriptor = sample();
        descriptor.as_object_mut().unwrap().remove("sponsored");
        assert!(serde_json::from_value::<Descriptor>(descriptor.clone()).is_err());
        descriptor["sponsored"] = json!(null);
        assert_eq!(
            serde_json::from_value::<Descriptor>(descriptor)
                .unwrap()
                .sponsored,
            None
        );
    }
}
