//! `oda-evm.json`: selectors, call data, checksums, and the EIP-712 hashes of Safe transactions.

use alloy::dyn_abi::TypedData;
use alloy::primitives::B256;
use alloy::signers::SignerSync;
use alloy::signers::local::PrivateKeySigner;
use oda_chain_evm::{EvmAddress, FunctionAbi, selector};
use serde_json::{Map, Value, json};

use super::super::case::{Case, Check, Malformed};
use super::super::load::VectorFile;
use super::List;

pub(super) const LISTS: &[List] = &[
    List::each("selectors", &["signature"], selectors),
    List::each("calldata", &["call", "args"], calldata),
    List::each("checksums", &["lower"], checksums),
    List::each("wrong_checksum_mixed_case", &[], wrong_checksum),
    List::each("test_account", &[], test_account),
    List::each("safe_tx", &["name"], safe_tx),
    List::none("proposal_urls", SAFE),
    List::none("safe_api_key_origins", SAFE),
];

const SAFE: &str = "the Safe Transaction Service comes with a later issue";

/// The functions that the calls of the file are of: the file gives their names only.
const FUNCTIONS: [&str; 9] = [
    "function approve(address,uint256)",
    "function transfer(address,uint256)",
    "function transferFrom(address,address,uint256)",
    "function allowance(address,address)",
    "function balanceOf(address)",
    "function setApprovalForAll(address,bool)",
    "function ownerOf(uint256)",
    "function tokenURI(uint256)",
    "function register(string)",
];

/// The throwaway key of the file: 32 bytes of 01.
const KEY: B256 = B256::repeat_byte(1);

fn selectors(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let actual = match selector(&case.read::<String>("signature")?) {
        Ok(found) => json!(format!("0x{}", hex::encode(found))),
        Err(error) => json!({ "error": error.code() }),
    };
    Ok(Check::compared(case.read::<Value>("selector")?, actual))
}

fn calldata(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let call: String = case.read("call")?;
    let args: Vec<Value> = case.read("args")?;
    let start = format!("function {call}(");
    let Some(text) = FUNCTIONS.iter().find(|text| text.starts_with(&start)) else {
        return Ok(Check::unchecked(format!(
            "the types of `{call}` are not in the file"
        )));
    };
    let encoded = FunctionAbi::parse_text(text).and_then(|function| function.encode_call(&args));
    let actual = match encoded {
        Ok(data) => json!(data.to_string()),
        Err(error) => json!({ "error": error.code(), "message": error.to_string() }),
    };
    Ok(Check::compared(case.read::<Value>("data")?, actual))
}

fn checksums(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let actual = match case.read::<String>("lower")?.parse::<EvmAddress>() {
        Ok(address) => json!(address.to_string()),
        Err(error) => json!({ "error": error.code() }),
    };
    Ok(Check::compared(case.read::<Value>("checksummed")?, actual))
}

/// The file says in one word what the reference does with an address whose mixed case is not its checksum.
fn wrong_checksum(case: &Case, file: &VectorFile) -> Result<Check, Malformed> {
    let wrong: Vec<String> = file
        .lists
        .iter()
        .filter(|(name, _)| name == "checksums")
        .flat_map(|(_, cases)| cases)
        .filter_map(|case| case.read::<String>("checksummed").ok())
        .filter_map(|address| with_one_letter_flipped(&address))
        .collect();
    if wrong.is_empty() {
        return Ok(Check::unchecked(
            "the file has no checksummed address to spoil",
        ));
    }
    let accepted = wrong
        .iter()
        .any(|address| address.parse::<EvmAddress>().is_ok());
    let actual = if accepted { "accepted" } else { "refused" };
    Ok(Check::compared(case.whole::<Value>()?, actual))
}

/// The address with the case of its last letter changed, if that leaves both cases in it.
fn with_one_letter_flipped(address: &str) -> Option<String> {
    let digits = address.strip_prefix("0x")?;
    let at = digits.rfind(|c: char| c.is_ascii_alphabetic())?;
    let flipped: String = digits
        .char_indices()
        .map(|(place, c)| match place == at {
            true if c.is_ascii_lowercase() => c.to_ascii_uppercase(),
            true => c.to_ascii_lowercase(),
            false => c,
        })
        .collect();
    let mixed = flipped.contains(|c: char| c.is_ascii_lowercase())
        && flipped.contains(|c: char| c.is_ascii_uppercase());
    mixed.then(|| format!("0x{flipped}"))
}

fn test_account(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let actual = match PrivateKeySigner::from_bytes(&KEY) {
        Ok(signer) => json!(EvmAddress::from_bytes(signer.address().into_array()).to_string()),
        Err(error) => json!({ "error": error.to_string() }),
    };
    Ok(Check::compared(case.whole::<Value>()?, actual))
}

/// The Safe crate comes later; what it will rest on, EIP-712 in the pinned alloy, is checked here.
fn safe_tx(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let expected = json!({
        "hash": case.read::<String>("hash")?,
        "domain_separator": case.read::<String>("domain_separator")?,
        "struct_hash": case.read::<String>("struct_hash")?,
        "signature": case.read::<String>("signature_key_01x32")?,
    });
    let mut types: Map<String, Value> = case.read("types")?;
    types.remove("EIP712Domain");
    let typed = json!({
        "domain": case.read::<Value>("domain")?,
        "types": types,
        "primaryType": case.read::<String>("primaryType")?,
        "message": case.read::<Value>("message")?,
    });
    let actual = match typed_data_hashes(typed) {
        Ok(actual) => actual,
        Err(reason) => json!({ "error": reason }),
    };
    Ok(Check::compared(expected, actual))
}

fn typed_data_hashes(typed: Value) -> Result<Value, String> {
    let typed: TypedData = serde_json::from_value(typed).map_err(|error| error.to_string())?;
    let hash = typed
        .eip712_signing_hash()
        .map_err(|error| error.to_string())?;
    let signer = PrivateKeySigner::from_bytes(&KEY).map_err(|error| error.to_string())?;
    let signature = signer
        .sign_hash_sync(&hash)
        .map_err(|error| error.to_string())?;
    Ok(json!({
        "hash": hash.to_string(),
        "domain_separator": typed.domain.separator().to_string(),
        "struct_hash": typed.hash_struct().map_err(|error| error.to_string())?.to_string(),
        "signature": format!("0x{}", hex::encode(signature.as_bytes())),
    }))
}
