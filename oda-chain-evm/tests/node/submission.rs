//! Lane, terms, sending and fate, on the embedded chain and on anvil.

use std::sync::Arc;

use alloy::consensus::{SignableTransaction as _, TxEip1559};
use alloy::eips::eip2718::Encodable2718 as _;
use alloy::primitives::{Address, TxKind, U256, hex, keccak256};
use alloy::signers::SignerSync as _;
use alloy::signers::local::PrivateKeySigner;
use alloy::sol_types::SolCall as _;
use oda_chain_evm::{CountAt, EvmNetworks, EvmSubmitter, EvmTerms, EvmTx};
use oda_core::{Artifact, Death, Fate, Submission, Submitter as _, TermsRequest};
use oda_testkit::Anvil;
use serde_json::json;

use crate::scene::{SUPPLY, Scene, Token};
use crate::stage::{
    CHAIN, CHAIN_ID, Embedded, OTHER, OnAnvil, SENDER, Stage, initial_balance, stages,
};

pub(crate) fn payload(to: Address, data: &[u8], wei: U256) -> EvmTx {
    serde_json::from_value(json!({
        "kind": "evm_tx", "chain": CHAIN, "chain_id": CHAIN_ID, "from": SENDER.to_string(),
        "to": to.to_string(), "data": hex::encode_prefixed(data), "value": wei.to_string(),
    }))
    .unwrap()
}

fn submitter(stage: &dyn Stage) -> EvmSubmitter {
    let networks = EvmNetworks::new().with_node(CHAIN, stage.node());
    EvmSubmitter::new(Arc::new(networks))
}

pub(crate) fn request(sequence: u64) -> TermsRequest<'static> {
    TermsRequest {
        sender: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
        sequence: Some(sequence),
        simulation: None,
    }
}

pub(crate) fn sign(to: Address, data: &[u8], wei: U256, terms: &EvmTerms) -> Artifact {
    sign_for(CHAIN_ID, to, data, wei, terms)
}

fn sign_for(chain_id: u64, to: Address, data: &[u8], wei: U256, terms: &EvmTerms) -> Artifact {
    let signer: PrivateKeySigner = Anvil::KEYS[0].parse().unwrap();
    let tx = TxEip1559 {
        chain_id,
        nonce: terms.nonce,
        gas_limit: terms.gas_limit,
        max_fee_per_gas: terms.max_fee_per_gas,
        max_priority_fee_per_gas: terms.max_priority_fee_per_gas,
        to: TxKind::Call(to),
        value: wei,
        input: data.to_vec().into(),
        ..TxEip1559::default()
    };
    let signature = signer.sign_hash_sync(&tx.signature_hash()).unwrap();
    let bytes = tx.into_signed(signature).encoded_2718();
    Artifact {
        id: keccak256(&bytes).to_string(),
        sender: SENDER.to_string(),
        bytes: Some(hex::encode(&bytes)),
        death: Death::SequenceConsumed {
            lane: "lane".to_owned(),
            number: terms.nonce,
        },
    }
}

async fn balance(stage: &dyn Stage, of: Address) -> U256 {
    let node = stage.node();
    node.balance(of, node.head().await.unwrap().number)
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transfer_is_sent_once_however_often_its_bytes_are() {
    let wei = U256::from(77);
    for stage in stages() {
        let stage = &*stage;
        let submitter = submitter(stage);
        let tx = payload(OTHER, &[], wei);
        let lane = submitter
            .lane(&tx, &SENDER.to_string())
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            lane.key,
            "evm:84532:0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
        );
        assert_eq!(lane.floor, 0);
        let terms = submitter.terms(&tx, &request(lane.floor)).await.unwrap();
        assert_eq!(
            (terms.nonce, terms.gas_limit),
            (0, 25_200),
            "{}",
            stage.name()
        );
        let artifact = sign(OTHER, &[], wei, &terms);

        assert_eq!(submitter.fate(&tx, &artifact).await.unwrap(), Fate::Unseen);
        for _ in 0..3 {
            assert_eq!(
                submitter.submit(&tx, &artifact).await,
                Submission::Accepted,
                "{}",
                stage.name()
            );
        }
        stage.settle().await;
        assert_eq!(
            submitter.submit(&tx, &artifact).await,
            Submission::Accepted,
            "{} once it is in a block",
            stage.name()
        );
        assert_eq!(balance(stage, OTHER).await, initial_balance() + wei);
        let fate = submitter.fate(&tx, &artifact).await.unwrap();
        let expected = Fate::Included {
            block: "1".to_owned(),
            succeeded: true,
            confirmations: 1,
            reason: None,
        };
        assert_eq!(fate, expected, "{}", stage.name());
        stage.mine().await;
        let Fate::Included { confirmations, .. } = submitter.fate(&tx, &artifact).await.unwrap()
        else {
            panic!("not included")
        };
        assert_eq!(confirmations, 2);
        let lane = submitter
            .lane(&tx, &SENDER.to_string())
            .await
            .unwrap()
            .unwrap();
        assert_eq!(lane.floor, 1);
        // What left the account is within what the terms promised.
        let most = wei + U256::from(terms.gas_limit) * U256::from(terms.max_fee_per_gas);
        let left = initial_balance() - balance(stage, SENDER).await;
        assert!(left > wei && left <= most, "{left} of {most}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_fails_in_its_block_tells_why() {
    for stage in stages() {
        let stage = &*stage;
        let scene = Scene::set(stage).await;
        let submitter = submitter(stage);
        let data = Token::transferCall {
            to: OTHER,
            value: U256::from(SUPPLY + 1),
        }
        .abi_encode();
        let tx = payload(scene.token, &data, U256::ZERO);
        // The terms would be refused, since no gas makes it succeed.
        let error = submitter.terms(&tx, &request(0)).await.unwrap_err();
        assert_eq!(error.code(), "terms");
        assert!(
            error
                .to_string()
                .contains("transfer amount exceeds balance"),
            "{error}"
        );
        let fees = submitter
            .terms(&payload(OTHER, &[], U256::ZERO), &request(0))
            .await
            .unwrap();
        let terms = EvmTerms {
            gas_limit: 90_000,
            ..fees
        };
        let artifact = sign(scene.token, &data, U256::ZERO, &terms);
        assert_eq!(submitter.submit(&tx, &artifact).await, Submission::Accepted);
        stage.settle().await;
        let Fate::Included {
            succeeded, reason, ..
        } = submitter.fate(&tx, &artifact).await.unwrap()
        else {
            panic!("{}: not included", stage.name())
        };
        assert!(!succeeded);
        let reason = reason.unwrap();
        assert_eq!(
            reason,
            "reverted: TestToken: transfer amount exceeds balance"
        );
    }
}

/// The nonce of the bytes goes to another transaction. They are dead only once that one is final: two
/// blocks later on the embedded chain, and under anvil's own rule there.
#[tokio::test(flavor = "multi_thread")]
async fn bytes_whose_nonce_is_gone_die_when_that_is_final() {
    for stage in stages() {
        let stage = &*stage;
        let submitter = submitter(stage);
        let tx = payload(OTHER, &[], U256::from(1));
        let terms = submitter.terms(&tx, &request(0)).await.unwrap();
        let loser = sign(OTHER, &[], U256::from(1), &terms);
        let winner = sign(OTHER, &[], U256::from(2), &terms);
        assert_eq!(submitter.submit(&tx, &winner).await, Submission::Accepted);
        stage.settle().await;

        // "Nonce too low" is never a refusal: it could be these bytes that used it.
        let Submission::Unknown { reason } = submitter.submit(&tx, &loser).await else {
            panic!("{}: certain", stage.name())
        };
        assert!(reason.contains("nonce too low"), "{reason}");
        let node = stage.node();
        let mut blocks = 0;
        loop {
            let finalized = node.finalized().await.unwrap().unwrap().number;
            let fate = submitter.fate(&tx, &loser).await.unwrap();
            if finalized == 0 {
                assert_eq!(fate, Fate::Unseen, "{} after {blocks} blocks", stage.name());
            } else {
                let Fate::Dead { evidence } = fate else {
                    panic!("{}: {fate:?}", stage.name())
                };
                assert!(evidence.contains("nonce 0 among them"), "{evidence}");
                break;
            }
            assert!(blocks < 200, "{} never finalizes", stage.name());
            blocks += 1;
            stage.mine().await;
        }
        assert!(matches!(
            submitter.fate(&tx, &winner).await.unwrap(),
            Fate::Included { .. }
        ));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_nonce_ahead_waits_for_the_one_before_it() {
    for stage in stages() {
        let stage = &*stage;
        let submitter = submitter(stage);
        let tx = payload(OTHER, &[], U256::from(1));
        let first = submitter.terms(&tx, &request(0)).await.unwrap();
        let second = EvmTerms { nonce: 1, ..first };
        let early = sign(OTHER, &[], U256::from(1), &second);
        let late = sign(OTHER, &[], U256::from(1), &first);
        assert_eq!(
            submitter.submit(&tx, &early).await,
            Submission::Accepted,
            "{}",
            stage.name()
        );
        assert_eq!(
            submitter.fate(&tx, &early).await.unwrap(),
            Fate::Pending,
            "{}",
            stage.name()
        );
        assert_eq!(submitter.submit(&tx, &late).await, Submission::Accepted);
        stage.settle().await;
        for artifact in [&early, &late] {
            let fate = submitter.fate(&tx, artifact).await.unwrap();
            assert!(
                matches!(
                    fate,
                    Fate::Included {
                        succeeded: true,
                        ..
                    }
                ),
                "{}",
                stage.name()
            );
        }
        assert_eq!(
            stage
                .node()
                .transaction_count(SENDER, CountAt::Latest)
                .await
                .unwrap(),
            2
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_node_certainly_does_not_take_is_refused() {
    for stage in stages() {
        let stage = &*stage;
        let submitter = submitter(stage);
        let tx = payload(OTHER, &[], U256::from(1));
        let good = submitter.terms(&tx, &request(0)).await.unwrap();
        let refused = [
            sign(
                OTHER,
                &[],
                U256::from(1),
                &EvmTerms {
                    gas_limit: 20_999,
                    ..good
                },
            ),
            sign(
                OTHER,
                &[],
                U256::from(1),
                &EvmTerms {
                    max_fee_per_gas: 1,
                    max_priority_fee_per_gas: 0,
                    ..good
                },
            ),
            sign(OTHER, &[], initial_balance(), &good),
            sign_for(1, OTHER, &[], U256::from(1), &good),
        ];
        for (case, artifact) in refused.iter().enumerate() {
            let answer = submitter.submit(&tx, artifact).await;
            assert!(
                matches!(answer, Submission::Refused { .. }),
                "{} case {case}: {answer:?}",
                stage.name()
            );
        }
        let mut broken = sign(OTHER, &[], U256::from(1), &good);
        let bytes = format!("02{}", "00".repeat(40));
        broken.id = keccak256(hex::decode(&bytes).unwrap()).to_string();
        broken.bytes = Some(bytes);
        let answer = submitter.submit(&tx, &broken).await;
        assert!(
            matches!(answer, Submission::Refused { .. }),
            "{}: {answer:?}",
            stage.name()
        );
        assert_eq!(balance(stage, SENDER).await, initial_balance());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_are_not_those_of_the_id_are_not_sent() {
    let stage = Embedded::new();
    let submitter = submitter(&stage);
    let tx = payload(OTHER, &[], U256::from(1));
    let terms = submitter.terms(&tx, &request(0)).await.unwrap();
    let good = sign(OTHER, &[], U256::from(1), &terms);
    let other = sign(OTHER, &[], U256::from(2), &terms);
    for artifact in [
        Artifact {
            bytes: other.bytes,
            ..good.clone()
        },
        Artifact {
            bytes: None,
            ..good.clone()
        },
        Artifact {
            bytes: Some("zz".to_owned()),
            ..good
        },
    ] {
        let Submission::Unknown { reason } = submitter.submit(&tx, &artifact).await else {
            panic!("certain")
        };
        assert!(reason.ends_with("nothing was sent"), "{reason}");
    }
    assert_eq!(balance(&stage, OTHER).await, initial_balance());
}

#[tokio::test(flavor = "multi_thread")]
async fn terms_keep_to_their_limits() {
    let stage = Embedded::new();
    let submitter = submitter(&stage);
    let tx = payload(OTHER, &[], U256::from(1));
    // Base fee one gwei twice, and a tip of one.
    let terms = submitter.terms(&tx, &request(4)).await.unwrap();
    assert_eq!(terms.nonce, 4);
    assert_eq!(
        (terms.max_fee_per_gas, terms.max_priority_fee_per_gas),
        (3_000_000_000, 1_000_000_000)
    );
    let capped = submitter.clone().with_max_fee_per_gas_cap(2_000_000_000);
    assert_eq!(
        capped
            .terms(&tx, &request(0))
            .await
            .unwrap()
            .max_fee_per_gas,
        2_000_000_000
    );
    let capped = submitter.clone().with_max_fee_per_gas_cap(1_999_999_999);
    let error = capped
        .terms(&tx, &request(0))
        .await
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("max_fee_per_gas_cap: "), "{error}");

    let all = payload(OTHER, &[], initial_balance());
    let error = submitter
        .terms(&all, &request(0))
        .await
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("balance: "), "{error}");
    assert!(error.ends_with("fund the account"), "{error}");

    let unreserved = TermsRequest {
        sequence: None,
        ..request(0)
    };
    assert_eq!(
        submitter.terms(&tx, &unreserved).await.unwrap_err().code(),
        "terms"
    );
    let stranger = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
    let foreign = TermsRequest {
        sender: stranger,
        ..request(0)
    };
    let error = submitter
        .terms(&tx, &foreign)
        .await
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("from: "), "{error}");
}

/// The same transfer costs the same on both.
#[tokio::test(flavor = "multi_thread")]
async fn anvil_estimates_what_the_embedded_chain_estimates() {
    let Some(anvil) = OnAnvil::new(&[]) else {
        return;
    };
    let embedded = Embedded::new();
    let tx = payload(OTHER, &[], U256::from(1));
    let here = submitter(&embedded).terms(&tx, &request(0)).await.unwrap();
    let there = submitter(&anvil).terms(&tx, &request(0)).await.unwrap();
    assert_eq!(here.gas_limit, there.gas_limit);
    assert_eq!(
        here.max_priority_fee_per_gas,
        there.max_priority_fee_per_gas
    );
    // The fees of an untouched chain: anvil lowers the base fee for the next block, the embedded one keeps it.
    assert!(there.max_fee_per_gas <= here.max_fee_per_gas);
}
