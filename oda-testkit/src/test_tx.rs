//! The fake chain's own payload, shaped like `evm_tx`.

use oda_core::{Network, Payload, PayloadError, ReceiptId, SimulationNeed};
use serde::{Deserialize, Serialize};

/// The chain id that the fake chain serves: Base Sepolia's, a test network.
pub const TEST_CHAIN_ID: u64 = 84_532;

/// The chain name that goes with it.
pub const TEST_CHAIN: &str = "base-sepolia";

/// A transaction of the fake chain, with the members of `evm_tx` (ODA draft 0, section 6).
///
/// It is not the real thing: the EVM crate has that, with every check. Here only the kind, the chain and the
/// receiver are checked, so that tests of the engine need no EVM.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestTx {
    kind: String,
    /// The chain's name.
    pub chain: String,
    /// The chain's id.
    pub chain_id: u64,
    /// Who sends; `None` leaves it to the signer.
    pub from: Option<String>,
    /// Who receives.
    pub to: String,
    /// The call data, `0x` hex.
    pub data: String,
    /// The value in wei, decimal.
    pub value: String,
}

impl TestTx {
    /// A plain transfer of `value` wei to `to` on [`TEST_CHAIN`].
    #[must_use]
    pub fn transfer(to: impl Into<String>, value: u64) -> Self {
        Self {
            kind: Self::KIND.to_owned(),
            chain: TEST_CHAIN.to_owned(),
            chain_id: TEST_CHAIN_ID,
            from: None,
            to: to.into(),
            data: "0x".to_owned(),
            value: value.to_string(),
        }
    }
}

/// What the fake chain fixes at the moment of signing: the sequence number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestTerms {
    /// The account that signs.
    pub sender: String,
    /// Its sequence number.
    pub nonce: u64,
}

impl Payload for TestTx {
    const KIND: &'static str = "evm_tx";
    const RECEIPT_ID: ReceiptId = ReceiptId::TxHash;
    type Terms = TestTerms;

    fn chain(&self) -> &str {
        &self.chain
    }

    /// A test network for [`TEST_CHAIN_ID`], the main network for every other id: a test that invents an id
    /// is treated with the greater caution.
    fn network(&self) -> Network {
        if self.chain_id == TEST_CHAIN_ID {
            Network::Testnet
        } else {
            Network::Mainnet
        }
    }

    fn validate(&self) -> Result<(), PayloadError> {
        if self.kind != Self::KIND {
            return Err(PayloadError::new(
                "kind",
                format!("must be `{}`", Self::KIND),
            ));
        }
        if self.chain.is_empty() {
            return Err(PayloadError::new("evm_tx.chain", "must not be empty"));
        }
        let is_address = self.to.len() == 42
            && self.to.starts_with("0x")
            && self.to.bytes().skip(2).all(|byte| byte.is_ascii_hexdigit());
        if !is_address {
            return Err(PayloadError::new(
                "evm_tx.to",
                "must be 0x and 40 hex digits",
            ));
        }
        if self.value.is_empty() || !self.value.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(PayloadError::new("evm_tx.value", "must be decimal digits"));
        }
        Ok(())
    }

    fn simulation(&self) -> SimulationNeed {
        SimulationNeed::Required
    }
}
