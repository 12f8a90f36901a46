//! The ethers suite: gzip JSON files of accounts, hashes and transactions.

use flate2::read::GzDecoder;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{SuiteError, Suites, parse};

/// A private key and the address it has.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EthersAccount {
    /// The name of the case.
    pub name: String,
    /// The private key, `0x` and 64 hex digits. Published, so worth nothing.
    pub private_key: String,
    /// The address with its checksum.
    pub address: String,
    /// The address as an ICAP number, which this project does not use.
    pub icap: String,
}

/// A text of bytes and its hashes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EthersHash {
    /// The name of the case.
    pub name: String,
    /// The bytes, `0x` hex.
    pub data: String,
    /// SHA-256, `0x` hex.
    pub sha256: String,
    /// SHA-512, `0x` hex. This project does not use it.
    pub sha512: String,
    /// RIPEMD-160, `0x` hex. This project does not use it.
    pub ripemd160: String,
    /// Keccak-256, `0x` hex.
    pub keccak256: String,
}

/// A transaction in its five encodings, unsigned and signed. Only London (EIP-1559) is signed here.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EthersTransaction {
    /// The name of the case.
    pub name: String,
    /// The fields. One that is absent is zero or empty.
    pub transaction: EthersFields,
    /// The private key that signs, `0x` hex. Published, so worth nothing.
    pub private_key: String,
    /// The EIP-1559 signing payload, `0x` hex.
    pub unsigned_london: String,
    /// The signed EIP-1559 transaction, `0x` hex.
    pub signed_london: String,
}

/// The fields of an [`EthersTransaction`] that EIP-1559 has. Quantities are `0x` hex.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EthersFields {
    /// The receiver; absent for a contract creation.
    pub to: Option<String>,
    /// The sender's sequence number.
    pub nonce: u64,
    /// The most gas it may use.
    pub gas_limit: Option<String>,
    /// The most it pays for a unit of gas, in wei.
    pub max_fee_per_gas: Option<String>,
    /// What it pays the block's author for a unit of gas, in wei.
    pub max_priority_fee_per_gas: Option<String>,
    /// The call data.
    pub data: Option<String>,
    /// The value, in wei.
    pub value: Option<String>,
    /// The chain.
    pub chain_id: Option<String>,
    /// Addresses and storage slots that are paid for in advance.
    pub access_list: Vec<EthersAccess>,
}

/// One entry of an access list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EthersAccess {
    /// The contract.
    pub address: String,
    /// Its storage slots.
    pub storage_keys: Vec<String>,
}

impl Suites {
    /// Private keys and their addresses.
    ///
    /// # Errors
    ///
    /// When the file is missing or has another form.
    pub fn ethers_accounts(&self) -> Result<Vec<EthersAccount>, SuiteError> {
        self.gzip("ethers/accounts.json.gz")
    }

    /// Bytes and their hashes.
    ///
    /// # Errors
    ///
    /// When the file is missing or has another form.
    pub fn ethers_hashes(&self) -> Result<Vec<EthersHash>, SuiteError> {
        self.gzip("ethers/hashes.json.gz")
    }

    /// Transactions.
    ///
    /// # Errors
    ///
    /// When the file is missing or has another form.
    pub fn ethers_transactions(&self) -> Result<Vec<EthersTransaction>, SuiteError> {
        self.gzip("ethers/transactions.json.gz")
    }

    fn gzip<T: DeserializeOwned>(&self, file: &str) -> Result<Vec<T>, SuiteError> {
        let path = self.root.join(file);
        let packed = self.read(file)?;
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut GzDecoder::new(packed.as_slice()), &mut bytes)
            .map_err(|error| SuiteError::malformed(&path, error.to_string()))?;
        let cases: Vec<T> = parse(&bytes, &path)?;
        if cases.is_empty() {
            return Err(SuiteError::malformed(&path, "it has no cases"));
        }
        Ok(cases)
    }
}
