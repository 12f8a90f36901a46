//! What the actions share: the chain of an input, the sender, and errors on their way to the caller.

use std::fmt;

use oda_core::{ActionError, ChainError, PayloadError, UnixMillis};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::address::EvmAddress;
use crate::chains::chain_names;
use crate::error::{EvmError, quoted};
use crate::node::NodeError;

/// One of the EVM chains that ODA draft 0 names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvmChain(&'static str);

impl EvmChain {
    /// The chain with this name; `None` when ODA draft 0 names no such EVM chain.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        chain_names().find(|known| *known == name).map(Self)
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for EvmChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Serialize for EvmChain {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for EvmChain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;

        impl Visitor<'_> for Name {
            type Value = EvmChain;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of an EVM chain")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<EvmChain, E> {
                EvmChain::named(text).ok_or_else(|| {
                    let known = chain_names().collect::<Vec<_>>().join(", ");
                    E::custom(format!(
                        "{} is not an EVM chain; use one of {known}",
                        quoted(text, 40)
                    ))
                })
            }
        }

        deserializer.deserialize_str(Name)
    }
}

/// Which standard an approval follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ApprovalKind {
    /// An allowance in base units (`approve`).
    #[default]
    Erc20,
    /// An operator of a whole collection (`setApprovalForAll`).
    Erc721,
    /// The same, for ERC-1155.
    Erc1155,
}

/// Who signs: the input's word, else the signer that the actions were set up with.
pub(crate) fn sender(
    given: Option<EvmAddress>,
    default: Option<EvmAddress>,
) -> Result<EvmAddress, ActionError> {
    given.or(default).ok_or_else(|| {
        ActionError::invalid(
            "from",
            "is required: no signer is configured whose address could be used",
        )
    })
}

/// The instant that an answer was read at.
pub(crate) fn as_of(now: UnixMillis) -> String {
    now.to_string()
}

/// An ABI error names its own place in the input.
pub(crate) fn invalid_abi(error: EvmError) -> ActionError {
    match error {
        EvmError::Abi { path, rule } => ActionError::invalid(path, rule),
        other => ActionError::invalid("abi", other.to_string()),
    }
}

pub(crate) fn invalid_payload(error: PayloadError) -> ActionError {
    ActionError::invalid(error.field, error.rule)
}

/// A node's error as an action tells it.
pub(crate) fn node(error: NodeError) -> ActionError {
    ChainError::from(error).into()
}

/// Refuses an amount of nothing, which would only cost a fee.
pub(crate) fn above_zero(amount: crate::Amount) -> Result<crate::Amount, ActionError> {
    if amount.is_zero() {
        return Err(ActionError::invalid("amount", "must be more than 0"));
    }
    Ok(amount)
}

/// Refuses the two recipients from which nothing comes back.
pub(crate) fn recipient(
    to: EvmAddress,
    token: Option<EvmAddress>,
) -> Result<EvmAddress, ActionError> {
    if to.is_zero() {
        return Err(ActionError::invalid(
            "to",
            "is the zero address, which nobody holds the key of: what is sent there is lost",
        ));
    }
    if token == Some(to) {
        return Err(ActionError::invalid(
            "to",
            "is the token contract itself: tokens that are sent to their own contract are lost",
        ));
    }
    Ok(to)
}
