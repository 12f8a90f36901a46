//! What every lint reports.

use std::fmt;

use serde::Serialize;

/// A rule of the portable-schema lint, the description lint or the descriptor lint (ODA draft 0,
/// sections 2 to 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LintRule {
    /// The root of a schema is not an object with `"type": "object"`.
    RootNotObject,
    /// `oneOf`, `anyOf`, `allOf` or `not` at the root of a schema.
    RootCombinator,
    /// A `$ref`.
    RefForbidden,
    /// `$defs` or `definitions`.
    DefsForbidden,
    /// A list of types.
    TypeArray,
    /// A property named like an amount that is a number.
    AmountNotString,
    /// A property named like an amount whose string has no decimal pattern.
    AmountNoPattern,
    /// A property named like an address that is not a string with a pattern.
    AddressNotPatternedString,
    /// A property named like a chain without an `enum`.
    ChainNotEnum,
    /// More than 1000 UTF-16 code units.
    DescriptionTooLong,
    /// A date.
    DescriptionDate,
    /// A count.
    DescriptionCount,
    /// A price or a fee.
    DescriptionPrice,
    /// Sponsorship.
    DescriptionSponsorship,
    /// A claim such as "secure" or "best".
    DescriptionClaim,
    /// Not an ODA id, or one whose tool name is too long.
    IdInvalid,
    /// A name that is not the one derived from the id.
    NameMismatch,
    /// No output schema.
    OutputSchemaMissing,
}

impl LintRule {
    /// The rule's stable name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RootNotObject => "root_not_object",
            Self::RootCombinator => "root_combinator",
            Self::RefForbidden => "ref_forbidden",
            Self::DefsForbidden => "defs_forbidden",
            Self::TypeArray => "type_array",
            Self::AmountNotString => "amount_not_string",
            Self::AmountNoPattern => "amount_no_pattern",
            Self::AddressNotPatternedString => "address_not_patterned_string",
            Self::ChainNotEnum => "chain_not_enum",
            Self::DescriptionTooLong => "description_too_long",
            Self::DescriptionDate => "description_date",
            Self::DescriptionCount => "description_count",
            Self::DescriptionPrice => "description_price",
            Self::DescriptionSponsorship => "description_sponsorship",
            Self::DescriptionClaim => "description_claim",
            Self::IdInvalid => "id_invalid",
            Self::NameMismatch => "name_mismatch",
            Self::OutputSchemaMissing => "output_schema_missing",
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn advice(self) -> &'static str {
        match self {
            Self::RootNotObject => "make the root an object with `\"type\": \"object\"`",
            Self::RootCombinator => "move oneOf, anyOf, allOf and not below the root",
            Self::RefForbidden => {
                "write the schema out instead of `$ref`; some hosts do not resolve it"
            }
            Self::DefsForbidden => "write definitions out where they are used",
            Self::TypeArray => "give the node one type",
            Self::AmountNotString => "carry amounts as strings of base units; numbers lose digits",
            Self::AmountNoPattern => "give the amount a decimal pattern, such as ^[0-9]{1,78}$",
            Self::AddressNotPatternedString => "make the address a string with a pattern",
            Self::ChainNotEnum => "list the chains in an enum",
            Self::DescriptionTooLong => "shorten it to 1000 UTF-16 code units",
            Self::DescriptionDate => "leave dates out of descriptions; they change",
            Self::DescriptionCount => "leave counts out of descriptions; they change",
            Self::DescriptionPrice => "leave prices and fees out of descriptions; they change",
            Self::DescriptionSponsorship => {
                "state sponsorship in `sponsored`, not in the description"
            }
            Self::DescriptionClaim => {
                "leave out claims that the action is safe, secure, best or guaranteed"
            }
            Self::IdInvalid => {
                "use two or more lower-case segments joined by `.`, at most 40 characters"
            }
            Self::NameMismatch => "make the name the id with every `.` replaced by `_`",
            Self::OutputSchemaMissing => "add an output schema",
        }
    }
}

impl fmt::Display for LintRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One thing that a lint found.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct LintIssue {
    /// Where: `$.properties.a.items` in a schema, `description` or `output_schema.$ref` in a
    /// descriptor.
    pub path: String,
    /// Which rule.
    pub rule: LintRule,
    /// What is wrong and what to do, for a person.
    pub message: String,
}

impl LintIssue {
    pub(crate) fn new(path: impl Into<String>, rule: LintRule) -> Self {
        let path = path.into();
        let message = format!("{path}: {}", rule.advice());
        Self {
            path,
            rule,
            message,
        }
    }
}

impl fmt::Display for LintIssue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.rule)
    }
}
