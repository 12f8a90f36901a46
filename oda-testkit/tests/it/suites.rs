//! The public suites of ethers and Wycheproof, through the same crates that this project signs with.

use alloy::consensus::transaction::SignerRecoverable;
use alloy::consensus::{SignableTransaction, TxEip1559, TxEnvelope};
use alloy::eips::eip2718::{Decodable2718, Encodable2718};
use alloy::eips::eip2930::{AccessList, AccessListItem};
use alloy::primitives::{B256, Bytes, TxKind, U256, keccak256};
use alloy::signers::SignerSync;
use alloy::signers::local::PrivateKeySigner;
use hmac::{Hmac, Mac};
use k256::ecdsa::signature::Verifier;
use k256::ecdsa::{Signature, VerifyingKey};
use oda_chain_evm::{EvmAddress, EvmTerms, EvmTx};
use oda_testkit::{EcdsaCase, EcdsaEncoding, EthersFields, Suites};
use sha2::{Digest, Sha256};

fn suites() -> Option<Suites> {
    let found = Suites::locate().unwrap();
    if found.is_none() {
        println!("skipped: suite not found");
    }
    found
}

#[test]
fn ethers_accounts_have_these_checksummed_addresses() {
    let Some(suites) = suites() else { return };
    for case in suites.ethers_accounts().unwrap() {
        let signer: PrivateKeySigner = case.private_key.parse().unwrap();
        assert_eq!(
            signer.address().to_checksum(None),
            case.address,
            "{}",
            case.name
        );
        let read: EvmAddress = case.address.parse().unwrap();
        assert_eq!(read.to_string(), case.address, "{}", case.name);
    }
}

#[test]
fn an_address_with_one_letter_in_the_wrong_case_is_refused() {
    let Some(suites) = suites() else { return };
    for case in suites.ethers_accounts().unwrap() {
        let Some(at) = case.address[2..].find(|c: char| c.is_ascii_alphabetic()) else {
            continue;
        };
        let mut wrong = case.address.clone().into_bytes();
        wrong[at + 2] ^= 0x20;
        let wrong = String::from_utf8(wrong).unwrap();
        if wrong[2..] == wrong[2..].to_lowercase() || wrong[2..] == wrong[2..].to_uppercase() {
            continue;
        }
        assert!(wrong.parse::<EvmAddress>().is_err(), "{wrong}");
    }
}

/// SHA-512 and RIPEMD-160 stand in the same file and are not applicable: nothing here uses them.
#[test]
fn ethers_hashes() {
    let Some(suites) = suites() else { return };
    for case in suites.ethers_hashes().unwrap() {
        let data = hex::decode(&case.data[2..]).unwrap();
        assert_eq!(
            format!("0x{}", hex::encode(Sha256::digest(&data))),
            case.sha256,
            "{}",
            case.name
        );
        assert_eq!(
            keccak256(&data).to_string(),
            case.keccak256,
            "{}",
            case.name
        );
    }
}

/// Legacy, EIP-155, EIP-2930 (Berlin) and EIP-4844 (Cancun) stand in the same file and are not applicable:
/// this project signs EIP-1559 only.
#[test]
fn ethers_transactions_are_signed_byte_for_byte() {
    let Some(suites) = suites() else { return };
    let mut not_ours = 0;
    for case in suites.ethers_transactions().unwrap() {
        let signer: PrivateKeySigner = case.private_key.parse().unwrap();
        let (unsigned, bytes, id) = match ours(&case.transaction) {
            Some((payload, terms)) => sign_as_we_do(&payload, &terms, &signer),
            None => {
                not_ours += 1;
                sign_as_alloy_does(&eip1559(&case.transaction), &signer)
            }
        };
        assert_eq!(hexed(&unsigned), case.unsigned_london, "{}", case.name);
        assert_eq!(hexed(&bytes), case.signed_london, "{}", case.name);
        assert_eq!(id, keccak256(&bytes).to_string(), "{}", case.name);
        let read = TxEnvelope::decode_2718(&mut bytes.as_slice()).unwrap();
        assert_eq!(
            read.recover_signer().unwrap(),
            signer.address(),
            "{}",
            case.name
        );
    }
    // Contract creations and access lists: no payload of this project has them, so these only show that the
    // pinned alloy encodes them as ethers does.
    assert!(not_ours > 0);
}

/// The same transaction as a payload and terms of ours, when it can be one.
fn ours(fields: &EthersFields) -> Option<(EvmTx, EvmTerms)> {
    if !fields.access_list.is_empty() {
        return None;
    }
    let mut payload = EvmTx::new(
        "base-sepolia",
        None,
        fields.to.as_ref()?.parse().unwrap(),
        fields.data.as_deref().unwrap_or("0x").parse().unwrap(),
        quantity(fields.value.as_deref())
            .to_string()
            .parse()
            .unwrap(),
    )
    .unwrap();
    // The suite draws its chain ids at random.
    payload.chain_id = quantity(fields.chain_id.as_deref()).to();
    let terms = EvmTerms {
        nonce: fields.nonce,
        gas_limit: quantity(fields.gas_limit.as_deref()).to(),
        max_fee_per_gas: quantity(fields.max_fee_per_gas.as_deref()).to(),
        max_priority_fee_per_gas: quantity(fields.max_priority_fee_per_gas.as_deref()).to(),
    };
    Some((payload, terms))
}

fn sign_as_we_do(
    payload: &EvmTx,
    terms: &EvmTerms,
    signer: &PrivateKeySigner,
) -> (Vec<u8>, Vec<u8>, String) {
    let unsigned = oda_chain_evm::eip1559(payload, terms);
    let signature = low_s(signer, &unsigned);
    let sender = EvmAddress::from_bytes(signer.address().into_array());
    let signed = oda_chain_evm::signed_transaction(payload, terms, sender, signature);
    (unsigned.encoded_for_signing(), signed.bytes, signed.id)
}

fn sign_as_alloy_does(
    unsigned: &TxEip1559,
    signer: &PrivateKeySigner,
) -> (Vec<u8>, Vec<u8>, String) {
    let signed = unsigned.clone().into_signed(low_s(signer, unsigned));
    let id = signed.hash().to_string();
    (
        unsigned.encoded_for_signing(),
        TxEnvelope::from(signed).encoded_2718(),
        id,
    )
}

fn low_s(signer: &PrivateKeySigner, unsigned: &TxEip1559) -> alloy::primitives::Signature {
    let signature = signer.sign_hash_sync(&unsigned.signature_hash()).unwrap();
    assert!(
        signature.normalize_s().is_none(),
        "s lies in the upper half"
    );
    signature
}

fn hexed(bytes: &[u8]) -> String {
    format!("0x{}", hex::encode(bytes))
}

fn eip1559(fields: &EthersFields) -> TxEip1559 {
    TxEip1559 {
        chain_id: quantity(fields.chain_id.as_deref()).to(),
        nonce: fields.nonce,
        gas_limit: quantity(fields.gas_limit.as_deref()).to(),
        max_fee_per_gas: quantity(fields.max_fee_per_gas.as_deref()).to(),
        max_priority_fee_per_gas: quantity(fields.max_priority_fee_per_gas.as_deref()).to(),
        to: fields
            .to
            .as_ref()
            .map_or(TxKind::Create, |to| TxKind::Call(to.parse().unwrap())),
        value: quantity(fields.value.as_deref()),
        access_list: AccessList(
            fields
                .access_list
                .iter()
                .map(|entry| AccessListItem {
                    address: entry.address.parse().unwrap(),
                    storage_keys: entry
                        .storage_keys
                        .iter()
                        .map(|key| key.parse::<B256>().unwrap())
                        .collect(),
                })
                .collect(),
        ),
        input: fields
            .data
            .as_ref()
            .map_or_else(Bytes::new, |data| data.parse().unwrap()),
    }
}

fn quantity(text: Option<&str>) -> U256 {
    text.map_or(U256::ZERO, |text| {
        U256::from_str_radix(text.strip_prefix("0x").unwrap(), 16).unwrap()
    })
}

#[test]
fn wycheproof_hmac_sha256() {
    let Some(suites) = suites() else { return };
    for case in suites.hmac_sha256().unwrap() {
        let mut mac = Hmac::<Sha256>::new_from_slice(&case.key).unwrap();
        mac.update(&case.message);
        assert_eq!(
            mac.verify_truncated_left(&case.tag).is_ok(),
            case.valid,
            "{}",
            case.id
        );
    }
}

/// Stricter on purpose: a signature whose `s` lies in the upper half is refused, because Ethereum refuses
/// it (EIP-2) and because a second valid signature over the same message is a second transaction hash.
/// Each such case of the suite is one that verifies once `s` is mirrored, and nothing else.
fn refused_for_high_s(case: &EcdsaCase, signature: &Signature, key: &VerifyingKey) -> bool {
    signature
        .normalize_s()
        .is_some_and(|low| key.verify(&case.message, &low).is_ok())
}

fn verifies(key: &VerifyingKey, case: &EcdsaCase, signature: Option<&Signature>) -> bool {
    signature.is_some_and(|signature| key.verify(&case.message, signature).is_ok())
}

#[test]
fn wycheproof_secp256k1_der() {
    let Some(suites) = suites() else { return };
    let strict = either_half(&suites, EcdsaEncoding::Der, |bytes| {
        Signature::from_der(bytes).ok()
    });
    assert_eq!(strict, HIGH_S_DER);
}

#[test]
fn wycheproof_secp256k1_p1363() {
    let Some(suites) = suites() else { return };
    let strict = either_half(&suites, EcdsaEncoding::P1363, |bytes| {
        Signature::from_slice(bytes).ok()
    });
    assert_eq!(strict, HIGH_S_P1363);
}

/// Runs a file that allows either half of `s`; returns the cases that we refuse and the suite accepts.
fn either_half(
    suites: &Suites,
    encoding: EcdsaEncoding,
    read: impl Fn(&[u8]) -> Option<Signature>,
) -> Vec<u32> {
    let mut strict = Vec::new();
    for case in suites.ecdsa_secp256k1(encoding).unwrap() {
        let key = VerifyingKey::from_sec1_bytes(&case.public_key).unwrap();
        let signature = read(&case.signature);
        let accepted = verifies(&key, &case, signature.as_ref());
        if accepted != case.valid {
            assert!(case.valid, "{}: {} was accepted", case.id, case.comment);
            let high = signature.is_some_and(|found| refused_for_high_s(&case, &found, &key));
            assert!(high, "{}: {} was refused", case.id, case.comment);
            strict.push(case.id);
        }
    }
    strict
}

/// Bitcoin's file asks for what Ethereum asks: the lower half only. Here nothing differs.
#[test]
fn wycheproof_secp256k1_low_s_only() {
    let Some(suites) = suites() else { return };
    for case in suites.ecdsa_secp256k1(EcdsaEncoding::Bitcoin).unwrap() {
        let key = VerifyingKey::from_sec1_bytes(&case.public_key).unwrap();
        let signature = Signature::from_der(&case.signature).ok();
        assert_eq!(
            verifies(&key, &case, signature.as_ref()),
            case.valid,
            "{}",
            case.id
        );
    }
}

/// The cases of the DER file that are valid there and have `s` in the upper half.
const HIGH_S_DER: &[u32] = &[
    1, 2, 5, 297, 298, 299, 301, 302, 303, 305, 307, 309, 310, 311, 313, 316, 318, 320, 322, 323,
    324, 325, 330, 331, 332, 335, 337, 347, 348, 350, 352, 363, 364, 365, 392, 393, 396, 397, 398,
    399, 401, 402, 406, 412, 413, 417, 421, 423, 425, 427, 431, 432, 437, 438, 447, 448, 449, 450,
    452, 453, 454, 455, 456, 458, 459, 460, 461, 462, 463, 467, 471, 476,
];

/// The cases of the P1363 file that are valid there and have `s` in the upper half.
const HIGH_S_P1363: &[u32] = &[
    1, 62, 63, 64, 66, 67, 68, 70, 72, 74, 75, 76, 78, 81, 83, 85, 87, 88, 89, 90, 95, 96, 97, 100,
    102, 112, 113, 115, 117, 134, 135, 136, 167, 168, 171, 172, 173, 174, 176, 177, 181, 187, 188,
    192, 196, 198, 200, 202, 206, 207, 212, 213, 221, 222, 226, 227, 228, 229, 231, 232, 233, 234,
    235, 237, 238, 239, 240, 241, 242, 243, 247, 252,
];
