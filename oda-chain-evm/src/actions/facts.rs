//! What the policy is to judge about a transaction, read from the transaction itself.

use oda_core::{Built, Facts};

use crate::address::EvmAddress;
use crate::amount::Amount;
use crate::tokens::{TokenId, usd_value};
use crate::tx::EvmTx;

/// The money side of a transaction, before it becomes [`Facts`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Money {
    pub(crate) token: Option<TokenId>,
    pub(crate) amount: Option<Amount>,
    pub(crate) contract: Option<EvmAddress>,
    pub(crate) recipient: Option<EvmAddress>,
    pub(crate) spender: Option<EvmAddress>,
    pub(crate) worth: Worth,
}

/// What a transaction is worth in US dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Worth {
    /// By the table of stablecoins, else unknown.
    #[default]
    ByToken,
    /// It moves nothing and frees nothing.
    Nothing,
}

impl Money {
    /// The payload with its facts and its summary. The engine fills in the rest of the facts.
    pub(crate) fn built(self, payload: EvmTx, summary: String) -> Built<EvmTx> {
        let facts = self.facts(&payload.chain);
        Built {
            facts,
            ..Built::new(payload, summary)
        }
    }

    fn facts(&self, chain: &str) -> Facts {
        let usd_value = match (self.worth, self.token, self.amount) {
            (Worth::Nothing, ..) => Some(0.0),
            (Worth::ByToken, Some(token), Some(amount)) => usd_value(chain, token, amount),
            (Worth::ByToken, ..) => None,
        };
        Facts {
            token: self.token.map(|token| token.fact(chain)),
            token_amount_base_units: self.amount.map(|amount| amount.to_string()),
            usd_value,
            contract: self.contract.map(|contract| contract.to_string()),
            recipient: self.recipient.map(|recipient| recipient.to_string()),
            spender: self.spender.map(|spender| spender.to_string()),
            ..Facts::default()
        }
    }
}
