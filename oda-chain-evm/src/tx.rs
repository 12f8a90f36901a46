//! The `evm_tx` payload: a call of one account on one EVM chain, unsigned (ODA draft 0, section 6).

use oda_core::{
    Network, Payload, PayloadError, ReceiptId, SimulationNeed, network_of_evm_chain_id,
};
use serde::{Deserialize, Deserializer, Serialize};

use crate::address::EvmAddress;
use crate::amount::{Amount, Calldata};
use crate::chains::{chain_id_of, chain_names};
use crate::terms::EvmTerms;

/// An unsigned EVM transaction without nonce, gas and fees: those are [`EvmTerms`].
///
/// Written with `kind`, addresses with their checksum, `data` in lower case and `value` in decimal without
/// leading zeros, so that equal payloads have equal bytes and digests. Reading refuses unknown and
/// missing keys, a wrong checksum, a `value` in another spelling, and everything that its fields refuse.
///
/// ```
/// use oda_chain_evm::{Amount, Calldata, EvmTx};
/// use oda_core::Payload;
///
/// let to = "0x000000000000000000000000000000000000dEaD".parse()?;
/// let tx = EvmTx::new("base-sepolia", None, to, Calldata::default(), Amount::from(1_000_u64))?;
/// tx.validate()?;
/// assert_eq!(
///     serde_json::to_value(&tx)?,
///     serde_json::json!({
///         "kind": "evm_tx", "chain": "base-sepolia", "chain_id": 84532, "from": null,
///         "to": "0x000000000000000000000000000000000000dEaD", "data": "0x", "value": "1000",
///     })
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Wire", from = "Wire")]
pub struct EvmTx {
    /// The chain's name in ODA draft 0, such as `base-sepolia`.
    pub chain: String,
    /// The chain's id (EIP-155). It must be the id of `chain`.
    pub chain_id: u64,
    /// The account that must sign, or `None` when any may.
    pub from: Option<EvmAddress>,
    /// The account that is called. There is no contract creation.
    pub to: EvmAddress,
    /// The input of the call.
    pub data: Calldata,
    /// The native currency that goes along, in wei.
    pub value: Amount,
}

impl EvmTx {
    /// A transaction on a chain that ODA draft 0 names.
    ///
    /// # Errors
    ///
    /// [`PayloadError`] when it does not name the chain.
    pub fn new(
        chain: impl Into<String>,
        from: Option<EvmAddress>,
        to: EvmAddress,
        data: Calldata,
        value: Amount,
    ) -> Result<Self, PayloadError> {
        let chain = chain.into();
        let chain_id = chain_id_of(&chain).ok_or_else(|| unknown_chain(&chain))?;
        Ok(Self {
            chain,
            chain_id,
            from,
            to,
            data,
            value,
        })
    }
}

impl Payload for EvmTx {
    const KIND: &'static str = "evm_tx";
    const RECEIPT_ID: ReceiptId = ReceiptId::TxHash;

    type Terms = EvmTerms;

    fn chain(&self) -> &str {
        &self.chain
    }

    fn network(&self) -> Network {
        network_of_evm_chain_id(self.chain_id)
    }

    fn validate(&self) -> Result<(), PayloadError> {
        match chain_id_of(&self.chain) {
            None => Err(unknown_chain(&self.chain)),
            Some(id) if id != self.chain_id => Err(PayloadError::new(
                "evm_tx.chain_id",
                format!(
                    "must be {id}, the id of {}, not {}",
                    self.chain, self.chain_id
                ),
            )),
            Some(_) => Ok(()),
        }
    }

    fn simulation(&self) -> SimulationNeed {
        SimulationNeed::Required
    }
}

fn unknown_chain(chain: &str) -> PayloadError {
    let known = chain_names().collect::<Vec<_>>().join(", ");
    PayloadError::new(
        "evm_tx.chain",
        format!(
            "{} is not an EVM chain of ODA draft 0; it names {known}",
            crate::error::quoted(chain, 40)
        ),
    )
}

/// The payload as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    kind: Kind,
    chain: String,
    chain_id: u64,
    // Spelled out so that an absent key is an error and not `null`.
    #[serde(deserialize_with = "Option::deserialize")]
    from: Option<EvmAddress>,
    to: EvmAddress,
    data: Calldata,
    #[serde(deserialize_with = "canonical_amount")]
    value: Amount,
}

#[derive(Serialize, Deserialize)]
enum Kind {
    #[serde(rename = "evm_tx")]
    EvmTx,
}

impl From<EvmTx> for Wire {
    fn from(tx: EvmTx) -> Self {
        let EvmTx {
            chain,
            chain_id,
            from,
            to,
            data,
            value,
        } = tx;
        Self {
            kind: Kind::EvmTx,
            chain,
            chain_id,
            from,
            to,
            data,
            value,
        }
    }
}

impl From<Wire> for EvmTx {
    fn from(wire: Wire) -> Self {
        let Wire {
            kind: Kind::EvmTx,
            chain,
            chain_id,
            from,
            to,
            data,
            value,
        } = wire;
        Self {
            chain,
            chain_id,
            from,
            to,
            data,
            value,
        }
    }
}

/// One spelling of each amount: `0001` and `1` would be one transaction with two digests.
fn canonical_amount<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Amount, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Text(String),
        Other(Amount),
    }
    match Given::deserialize(deserializer)? {
        Given::Text(text) => Amount::parse_canonical(&text).map_err(serde::de::Error::custom),
        Given::Other(amount) => Ok(amount),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn good() -> Value {
        json!({
            "kind": "evm_tx", "chain": "base", "chain_id": 8453, "from": null,
            "to": "0x000000000000000000000000000000000000dEaD", "data": "0x", "value": "0",
        })
    }

    fn changed(key: &str, value: Value) -> Value {
        let mut payload = good();
        payload[key] = value;
        payload
    }

    fn read(payload: &Value) -> Result<EvmTx, String> {
        let tx: EvmTx =
            serde_json::from_value(payload.clone()).map_err(|error| error.to_string())?;
        tx.validate().map_err(|error| error.to_string())?;
        Ok(tx)
    }

    #[test]
    fn a_good_payload_is_read_and_written_unchanged() {
        let tx = read(&good()).unwrap();
        assert_eq!(serde_json::to_value(&tx).unwrap(), good());
        assert_eq!(tx.network(), Network::Mainnet);
        let with_from = changed("from", json!("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"));
        assert_eq!(
            serde_json::to_value(read(&with_from).unwrap()).unwrap(),
            with_from
        );
    }

    #[test]
    fn bad_payloads_are_refused_with_the_rule() {
        for (payload, part) in [
            (changed("kind", json!("x402_payment")), "evm_tx"),
            (changed("extra", json!(1)), "unknown field `extra`"),
            (changed("chain", json!("")), "evm_tx.chain"),
            (
                changed("chain", json!("nowhere")),
                "\"nowhere\" is not an EVM chain",
            ),
            (
                changed("chain", json!("base-sepolia")),
                "must be 84532, the id of base-sepolia, not 8453",
            ),
            (changed("chain_id", json!(0)), "must be 8453"),
            (changed("chain_id", json!(1.5)), "u64"),
            (changed("chain_id", json!("8453")), "u64"),
            (changed("to", json!(null)), "an EVM address"),
            (
                changed("to", json!("0x000000000000000000000000000000000000DEad")),
                "EIP-55",
            ),
            (changed("from", json!("0x12")), "40 hexadecimal digits"),
            (changed("data", json!("0x123")), "odd number"),
            (changed("data", json!("12")), "start with `0x`"),
            (changed("value", json!("0x1")), "hexadecimal"),
            (changed("value", json!("-1")), "sign"),
            (changed("value", json!("")), "empty"),
            (changed("value", json!("0001")), "leading zeros"),
            (changed("value", json!("9".repeat(78))), "256 bits"),
        ] {
            let error = read(&payload).unwrap_err();
            assert!(error.contains(part), "{payload}: {error}");
        }
        assert!(read(&changed("value", json!(1))).is_err());
        for key in ["kind", "chain", "chain_id", "from", "to", "data", "value"] {
            let mut payload = good();
            payload.as_object_mut().unwrap().remove(key);
            let error = read(&payload).unwrap_err();
            assert!(error.contains(&format!("missing field `{key}`")), "{error}");
        }
    }

    #[test]
    fn the_network_follows_the_chain_id() {
        for name in chain_names() {
            let to = EvmAddress::ZERO;
            let tx = EvmTx::new(name, None, to, Calldata::default(), Amount::ZERO).unwrap();
            let test = name.contains("sepolia");
            assert_eq!(tx.network() == Network::Testnet, test, "{name}");
            tx.validate().unwrap();
        }
        let unknown = EvmTx {
            chain_id: 56,
            ..read(&good()).unwrap()
        };
        assert_eq!(unknown.network(), Network::Mainnet);
    }

    proptest! {
        #[test]
        fn round_trip(from: Option<[u8; 20]>, to: [u8; 20], data: Vec<u8>, value: u128) {
            let tx = EvmTx::new(
                "optimism",
                from.map(EvmAddress::from_bytes),
                EvmAddress::from_bytes(to),
                Calldata::new(data).unwrap(),
                Amount::from(value),
            )
            .unwrap();
            let json = serde_json::to_string(&tx).unwrap();
            let again: EvmTx = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(serde_json::to_string(&again).unwrap(), json);
            prop_assert_eq!(again, tx);
        }
    }
}
