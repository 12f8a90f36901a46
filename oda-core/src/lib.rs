//! Onchain actions for agents that are not trusted with the money.

#[allow(dead_code)]
mod chain;
mod description_lint;
mod descriptor;
mod descriptor_lint;
mod descriptor_validate;
#[allow(dead_code)]
mod ecma;
mod effect;
#[allow(dead_code)]
mod form;
mod lint;
mod names;
mod nearest;
mod refusal;
mod schema_lint;
#[allow(dead_code)]
mod tree;

pub use chain::{
    Network, ODA_CHAINS, evm_chain_id, evm_chain_name, network_of_chain, network_of_evm_chain_id,
};
pub use description_lint::{MAX_DESCRIPTION, lint_description};
pub use descriptor::{
    Custody, DESCRIPTOR_SCHEMA, DeclaredPolicy, Descriptor, DescriptorError, MAX_TITLE, MovesFunds,
    Sponsored,
};
pub use descriptor_lint::{lint_descriptor, lint_descriptor_text};
pub use descriptor_validate::{validate_descriptor, validate_descriptor_text};
pub use ecma::number_text;
pub use effect::{ApprovalHints, Effect, UnknownEffect, approval_hints, approval_hints_of_words};
pub use lint::{LintIssue, LintRule};
pub use names::{ActionId, MAX_TOOL_NAME, NameError, ToolName, id_to_name, name_to_id};
pub use nearest::nearest;
pub use refusal::{RuleId, UnknownRule};
pub use schema_lint::{lint_portable_schema, lint_portable_schema_text};

pub use oda_receipts::FieldError;
