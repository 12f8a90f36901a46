use super::*;
use alloy::consensus::{Transaction, TxEnvelope};
use alloy::eips::eip2718::Decodable2718;
use alloy::primitives::keccak256;
use proptest::prelude::*;

use crate::amount::Calldata;

/// 32 bytes of 01: the throwaway key of the public vectors, and its address there.
const KEY: &str = "0x0101010101010101010101010101010101010101010101010101010101010101";
const ADDRESS: &str = "0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1";

fn signer(mainnet: MainnetAccess) -> LocalSigner {
    LocalSigner::from_secret(&KEY.into(), mainnet).unwrap()
}

fn payload(chain: &str) -> EvmTx {
    let to = "0x000000000000000000000000000000000000dEaD"
        .parse()
        .unwrap();
    EvmTx::new(
        chain,
        None,
        to,
        Calldata::default(),
        Amount::from(1_000_u64),
    )
    .unwrap()
}

fn terms() -> EvmTerms {
    EvmTerms {
        nonce: 3,
        gas_limit: 21_000,
        max_fee_per_gas: 2_000_000_000,
        max_priority_fee_per_gas: 1_000_000_000,
    }
}

async fn refused(signer: &LocalSigner, payload: &EvmTx, terms: &EvmTerms) -> String {
    match signer.sign(payload, terms).await {
        Err(SignerError::Refused { reason }) => reason,
        other => panic!("{other:?}"),
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
}

#[tokio::test]
async fn the_death_condition_names_the_lane_and_the_nonce() {
    let signed = signer(MainnetAccess::Refused)
        .sign(&payload("base-sepolia"), &terms())
        .await
        .unwrap();
    assert_eq!(
        signed.death,
        Death::SequenceConsumed {
            lane: "evm:84532:0x1a642f0e3c3af545e7acbd38b07251b3990914f1".to_owned(),
            number: 3,
        }
    );
}

#[tokio::test]
async fn a_mainnet_is_refused_unless_it_was_allowed() {
    for chain in ["ethereum", "optimism", "polygon", "base", "arbitrum"] {
        let reason = refused(&signer(MainnetAccess::Refused), &payload(chain), &terms()).await;
        assert!(reason.contains("is a mainnet"), "{reason}");
        signer(MainnetAccess::Allowed)
            .sign(&payload(chain), &terms())
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn another_sender_is_refused() {
    let other = EvmTx {
        from: Some(EvmAddress::ZERO),
        ..payload("sepolia")
    };
    let reason = refused(&signer(MainnetAccess::Refused), &other, &terms()).await;
    assert!(reason.contains("this signer is 0x1a642f"), "{reason}");
    let own = EvmTx {
        from: Some(ADDRESS.parse().unwrap()),
        ..payload("sepolia")
    };
    signer(MainnetAccess::Refused)
        .sign(&own, &terms())
        .await
        .unwrap();
}

#[tokio::test]
async fn an_invalid_payload_is_refused() {
    let wrong = EvmTx {
        chain_id: 31_337,
        ..payload("sepolia")
    };
    let reason = refused(&signer(MainnetAccess::Allowed), &wrong, &terms()).await;
    assert!(reason.contains("evm_tx.chain_id"), "{reason}");
}

#[tokio::test]
async fn terms_that_would_burn_the_account_are_refused() {
    let signer = signer(MainnetAccess::Allowed);
    let sepolia = payload("sepolia");
    let reason = |terms: EvmTerms| {
        let (signer, sepolia) = (&signer, &sepolia);
        async move { refused(signer, sepolia, &terms).await }
    };
    let burning = EvmTerms {
        gas_limit: 1_000_000,
        max_fee_per_gas: 200_000_000_001,
        ..terms()
    };
    assert!(
        reason(burning)
            .await
            .contains("above the limit of 200000000000000000 wei")
    );
    assert!(
        reason(EvmTerms {
            max_fee_per_gas: u128::MAX,
            ..terms()
        })
        .await
        .contains("above the limit")
    );
    assert!(
        reason(EvmTerms {
            gas_limit: 32_000_001,
            ..terms()
        })
        .await
        .contains("gas limit")
    );
    let tip = EvmTerms {
        max_priority_fee_per_gas: 2_000_000_001,
        ..terms()
    };
    assert!(reason(tip).await.contains("the tip"));
    assert!(
        reason(EvmTerms {
            nonce: u64::MAX,
            ..terms()
        })
        .await
        .contains("nonce")
    );

    signer.sign(&payload("polygon"), &burning).await.unwrap();
    let wide = LocalSigner::from_secret(&KEY.into(), MainnetAccess::Allowed)
        .unwrap()
        .with_fee_limit(Amount::from(burning.max_fee()));
    wide.sign(&sepolia, &burning).await.unwrap();
}

#[test]
fn keys_that_are_no_keys_are_refused_without_showing_them() {
    for secret in [
        "",
        "secretsecret",
        &KEY[..65],
        &format!("{KEY}0"),
        &format!("0x{}", "0".repeat(64)),
        &format!("0x{}", "f".repeat(64)),
    ] {
        let error = LocalSigner::from_secret(&secret.into(), MainnetAccess::Refused).unwrap_err();
        assert_eq!(error.code(), "key_invalid");
        let shown = format!("{error} {error:?}");
        assert!(secret.is_empty() || !shown.contains(secret), "{shown}");
    }
    let spaced =
        LocalSigner::from_secret(&format!("{}\n", &KEY[2..]).into(), MainnetAccess::Refused);
    assert_eq!(spaced.unwrap().evm_address().to_string(), ADDRESS);
}

#[test]
fn debug_shows_the_address_only() {
    let shown = format!("{:?}", signer(MainnetAccess::Refused));
    assert!(shown.contains(ADDRESS), "{shown}");
    assert!(
        !shown.contains("010101") && !shown.contains("1, 1, 1"),
        "{shown}"
    );
}

#[test]
fn a_keystore_signs_like_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    let address = crate::create_keystore(&path, &"p".into()).unwrap();
    let signer = LocalSigner::from_keystore(&path, &"p".into(), MainnetAccess::Refused).unwrap();
    assert_eq!(signer.evm_address(), address);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// The bytes decode (with alloy) to exactly the payload and the terms, and the signature recovers to
    /// the signer.
    #[test]
    fn the_signed_bytes_are_the_payload(
        to: [u8; 20],
        data: Vec<u8>,
        value: u128,
        nonce in 0..u64::MAX,
        gas_limit in 0_u64..1_000_000,
        fee in 0_u128..200_000_000_000,
        tip in 0_u128..200_000_000_000,
    ) {
        let signer = signer(MainnetAccess::Refused);
        let from = Some(signer.evm_address());
        let data = Calldata::new(data).unwrap();
        let tx = EvmTx::new("arbitrum-sepolia", from, EvmAddress::from_bytes(to), data, value.into())
            .unwrap();
        let terms = EvmTerms {
            nonce,
            gas_limit,
            max_fee_per_gas: fee,
            max_priority_fee_per_gas: tip.min(fee),
        };
        let signed = runtime().block_on(signer.sign(&tx, &terms)).unwrap();

        let mut rest = signed.bytes.as_slice();
        let decoded = TxEnvelope::decode_2718(&mut rest).unwrap();
        prop_assert!(rest.is_empty());
        prop_assert!(decoded.is_eip1559());
        prop_assert_eq!(signed.id, format!("{:#x}", keccak256(&signed.bytes)));
        let envelope = decoded.as_eip1559().unwrap();
        let hash = envelope.tx().signature_hash();
        let recovered = envelope.signature().recover_address_from_prehash(&hash).unwrap();
        prop_assert_eq!(EvmAddress::from(recovered), signer.evm_address());
        prop_assert_eq!(decoded.chain_id(), Some(tx.chain_id));
        prop_assert_eq!(decoded.to(), Some(tx.to.to_alloy()));
        prop_assert_eq!(decoded.input().as_ref(), tx.data.bytes());
        prop_assert_eq!(decoded.value(), tx.value.get());
        prop_assert_eq!(decoded.nonce(), nonce);
        prop_assert_eq!(decoded.gas_limit(), gas_limit);
        prop_assert_eq!(decoded.max_fee_per_gas(), fee);
        prop_assert_eq!(decoded.max_priority_fee_per_gas(), Some(tip.min(fee)));
        prop_assert!(decoded.access_list().is_none_or(|list| list.is_empty()));
    }
}
