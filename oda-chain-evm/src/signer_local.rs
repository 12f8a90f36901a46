//! Signing with a key that this process holds.

use std::fmt;
use std::path::Path;

use alloy::consensus::{SignableTransaction, TxEip1559};
use alloy::eips::eip2718::Encodable2718;
use alloy::primitives::{Signature, TxKind};
use alloy::signers::SignerSync;
use alloy::signers::local::PrivateKeySigner;
use async_trait::async_trait;
use oda_core::{Death, Network, Payload, Signed, Signer, SignerError};
use secrecy::{ExposeSecret, SecretString};

use crate::address::EvmAddress;
use crate::amount::Amount;
use crate::error::EvmError;
use crate::keystore::{KeyBytes, open_keystore, signer_of};
use crate::terms::{EvmTerms, default_fee_limit};
use crate::tx::EvmTx;

/// Whether a local key may sign where real money moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MainnetAccess {
    /// Test networks only ([`oda_core::network_of_evm_chain_id`]).
    #[default]
    Refused,
    /// Every chain. A key in a process next to an agent is the weakest place for one that holds money:
    /// choose it knowingly.
    Allowed,
}

/// A [`Signer`] with a key in this process, from an encrypted keystore file or from a secret that the
/// caller read from its environment.
///
/// What it refuses: a payload that is not valid, mainnet chain ids without [`MainnetAccess::Allowed`], a
/// `from` that is not its own address, terms whose fee could exceed a limit ([`default_fee_limit`]) or
/// that contradict themselves. The key is wiped from memory when the signer is dropped, and `Debug` shows
/// the address only.
///
/// ```
/// use oda_chain_evm::{LocalSigner, MainnetAccess};
///
/// let key = "0x0101010101010101010101010101010101010101010101010101010101010101".into();
/// let signer = LocalSigner::from_secret(&key, MainnetAccess::Refused)?;
/// assert_eq!(signer.evm_address().to_string(), "0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1");
/// # Ok::<(), oda_chain_evm::EvmError>(())
/// ```
pub struct LocalSigner {
    key: PrivateKeySigner,
    address: EvmAddress,
    mainnet: MainnetAccess,
    fee_limit: Option<Amount>,
}

impl LocalSigner {
    /// A signer of a raw private key: 64 hexadecimal digits, with or without `0x`, such as the value of
    /// `ODA_EVM_KEY`.
    ///
    /// # Errors
    ///
    /// [`EvmError::Key`], without any part of the key.
    pub fn from_secret(secret: &SecretString, mainnet: MainnetAccess) -> Result<Self, EvmError> {
        let text = secret.expose_secret().trim();
        let digits = text.strip_prefix("0x").unwrap_or(text);
        let mut key = KeyBytes::default();
        hex::decode_to_slice(digits, key.as_mut_slice()).map_err(|_| EvmError::Key {
            rule: "it must be 64 hexadecimal digits, with or without `0x`".to_owned(),
        })?;
        Self::from_key(&key, mainnet)
    }

    /// A signer of the key in an encrypted keystore file (Web3 Secret Storage, version 3). Opening takes
    /// about a second of computation and 256 MiB: call it off the async runtime.
    ///
    /// # Errors
    ///
    /// [`EvmError::Keystore`] when the file is not usable or others than its owner may read it,
    /// [`EvmError::KeystorePassword`] when the password does not open it.
    pub fn from_keystore(
        path: &Path,
        password: &SecretString,
        mainnet: MainnetAccess,
    ) -> Result<Self, EvmError> {
        Self::from_key(&open_keystore(path, password)?, mainnet)
    }

    fn from_key(key: &KeyBytes, mainnet: MainnetAccess) -> Result<Self, EvmError> {
        let key = signer_of(key)?;
        let address = EvmAddress::from(key.address());
        Ok(Self {
            key,
            address,
            mainnet,
            fee_limit: None,
        })
    }

    /// Replaces the limit of what one signature may spend on fees, in wei, on every chain.
    #[must_use]
    pub const fn with_fee_limit(mut self, limit: Amount) -> Self {
        self.fee_limit = Some(limit);
        self
    }

    /// The address it signs with, the same on every EVM chain.
    #[must_use]
    pub const fn evm_address(&self) -> EvmAddress {
        self.address
    }

    fn check(&self, payload: &EvmTx, terms: &EvmTerms) -> Result<(), String> {
        payload.validate().map_err(|error| error.to_string())?;
        if payload.network() == Network::Mainnet && self.mainnet == MainnetAccess::Refused {
            return Err(format!(
                "chain id {} ({}) is a mainnet, and this local key was not allowed to sign there; allow it \
                 explicitly, or use a signer that keeps its key elsewhere",
                payload.chain_id, payload.chain
            ));
        }
        if let Some(from) = payload.from.filter(|from| *from != self.address) {
            return Err(format!(
                "`from` is {from}, and this signer is {}",
                self.address
            ));
        }
        let limit = self
            .fee_limit
            .unwrap_or_else(|| default_fee_limit(payload.chain_id));
        terms.check(limit).map_err(|error| error.to_string())
    }
}

#[async_trait]
impl Signer for LocalSigner {
    type Payload = EvmTx;

    fn kind(&self) -> &str {
        "local"
    }

    async fn address(&self, _chain: &str) -> Result<String, SignerError> {
        Ok(self.address.to_string())
    }

    async fn sign(&self, payload: &EvmTx, terms: &EvmTerms) -> Result<Signed, SignerError> {
        self.check(payload, terms)
            .map_err(|reason| SignerError::Refused { reason })?;
        let unsigned = eip1559(payload, terms);
        let signature = self
            .key
            .sign_hash_sync(&unsigned.signature_hash())
            .map_err(|error| SignerError::Failed {
                reason: error.to_string(),
            })?;
        Ok(signed_transaction(payload, terms, self.address, signature))
    }
}

/// The EIP-1559 transaction of a payload under these terms, to be signed.
///
/// For signers of other kinds: sign its `signature_hash` and pass the signature to
/// [`signed_transaction`].
#[must_use]
pub fn eip1559(payload: &EvmTx, terms: &EvmTerms) -> TxEip1559 {
    TxEip1559 {
        chain_id: payload.chain_id,
        nonce: terms.nonce,
        gas_limit: terms.gas_limit,
        max_fee_per_gas: terms.max_fee_per_gas,
        max_priority_fee_per_gas: terms.max_priority_fee_per_gas,
        to: TxKind::Call(payload.to.to_alloy()),
        value: payload.value.get(),
        access_list: alloy::eips::eip2930::AccessList::default(),
        input: payload.data.to_alloy(),
    }
}

/// Puts a signature over [`eip1559`]'s hash into the bytes to send, with their hash and the condition under
/// which they are dead. It does not check whose signature it is.
#[must_use]
pub fn signed_transaction(
    payload: &EvmTx,
    terms: &EvmTerms,
    sender: EvmAddress,
    signature: Signature,
) -> Signed {
    let signed = eip1559(payload, terms).into_signed(signature);
    Signed {
        id: format!("{:#x}", signed.hash()),
        bytes: signed.encoded_2718(),
        death: Death::SequenceConsumed {
            lane: lane_key(payload.chain_id, sender),
            number: terms.nonce,
        },
    }
}

/// The name of an account's nonce sequence on a chain: `evm:<chain id>:<address in lower case>`.
#[must_use]
pub fn lane_key(chain_id: u64, account: EvmAddress) -> String {
    format!("evm:{chain_id}:{}", account.to_lower_hex())
}

impl fmt::Debug for LocalSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalSigner")
            .field("address", &self.address)
            .field("mainnet", &self.mainnet)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
