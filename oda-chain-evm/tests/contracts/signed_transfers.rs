//! EIP-3009: transfers that the holder signs and anybody sends in.

use alloy::primitives::{Address, B256, Bytes, Signature, U256, b256, hex};
use alloy::signers::SignerSync as _;
use alloy::signers::local::PrivateKeySigner;
use alloy::sol;
use alloy::sol_types::{Eip712Domain, SolEvent as _, SolStruct, eip712_domain};

use crate::ground::{CHAIN_ID, Ground, NOW, Token};

sol! {
    struct TransferWithAuthorization {
        address from;
        address to;
        uint256 value;
        uint256 validAfter;
        uint256 validBefore;
        bytes32 nonce;
    }

    struct ReceiveWithAuthorization {
        address from;
        address to;
        uint256 value;
        uint256 validAfter;
        uint256 validBefore;
        bytes32 nonce;
    }

    struct CancelAuthorization {
        address authorizer;
        bytes32 nonce;
    }
}

const PAYEE: Address = Address::with_last_byte(0xb1);
const RELAYER: Address = Address::with_last_byte(0xb2);
const NONCE: B256 = b256!("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff");

/// A payer with 1,000 base units, on a chain of its own.
struct Scene {
    ground: Ground,
    token: Address,
    payer: PrivateKeySigner,
}

impl Scene {
    fn new() -> Self {
        let mut ground = Ground::new();
        let payer = PrivateKeySigner::from_bytes(&B256::repeat_byte(0x11)).unwrap();
        let token = ground.deploy_token(payer.address(), 1_000);
        Self {
            ground,
            token,
            payer,
        }
    }

    fn domain(&self) -> Eip712Domain {
        eip712_domain! {
            name: "Test Dollar",
            version: "1",
            chain_id: CHAIN_ID,
            verifying_contract: self.token,
        }
    }

    /// 250 base units to the payee, valid around now.
    fn transfer(&self) -> TransferWithAuthorization {
        TransferWithAuthorization {
            from: self.payer.address(),
            to: PAYEE,
            value: U256::from(250),
            validAfter: U256::from(NOW - 60),
            validBefore: U256::from(NOW + 60),
            nonce: NONCE,
        }
    }

    fn sign(&self, message: &impl SolStruct) -> Signature {
        self.payer
            .sign_hash_sync(&message.eip712_signing_hash(&self.domain()))
            .unwrap()
    }

    /// Sends it in as three words; `None` when the token moved, else the reason.
    fn send(
        &mut self,
        message: &TransferWithAuthorization,
        signature: Signature,
    ) -> Option<String> {
        let call = Token::transferWithAuthorization_0Call {
            from: message.from,
            to: message.to,
            value: message.value,
            validAfter: message.validAfter,
            validBefore: message.validBefore,
            nonce: message.nonce,
            v: 27 + u8::from(signature.v()),
            r: signature.r().into(),
            s: signature.s().into(),
        };
        reason_of(self.ground.call(RELAYER, self.token, &call))
    }

    /// Sends it in as packed bytes.
    fn send_packed(
        &mut self,
        message: &TransferWithAuthorization,
        signature: &[u8],
    ) -> Option<String> {
        let call = Token::transferWithAuthorization_1Call {
            from: message.from,
            to: message.to,
            value: message.value,
            validAfter: message.validAfter,
            validBefore: message.validBefore,
            nonce: message.nonce,
            signature: Bytes::copy_from_slice(signature),
        };
        reason_of(self.ground.call(RELAYER, self.token, &call))
    }

    fn used(&mut self) -> bool {
        let authorizer = self.payer.address();
        let call = Token::authorizationStateCall {
            authorizer,
            nonce: NONCE,
        };
        self.ground.read(self.token, &call)
    }

    fn paid(&mut self) -> u64 {
        self.ground.balance(self.token, PAYEE)
    }
}

fn reason_of(outcome: crate::ground::Outcome) -> Option<String> {
    match outcome {
        crate::ground::Outcome::Returned { .. } => None,
        reverted @ crate::ground::Outcome::Reverted(_) => Some(reverted.reason()),
    }
}

const INVALID: &str = "TestToken: invalid signature";
const USED: &str = "TestToken: authorization is used or canceled";

#[test]
fn domain_and_types_hash_as_eip_712_says() {
    let mut scene = Scene::new();
    let token = scene.token;
    let separator = scene.ground.read(token, &Token::DOMAIN_SEPARATORCall {});
    assert_eq!(separator, scene.domain().separator());
    // The three type hashes as EIP-3009 prints them.
    assert_eq!(
        scene
            .ground
            .read(token, &Token::TRANSFER_WITH_AUTHORIZATION_TYPEHASHCall {}),
        b256!("7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267"),
    );
    assert_eq!(
        scene
            .ground
            .read(token, &Token::RECEIVE_WITH_AUTHORIZATION_TYPEHASHCall {}),
        b256!("d099cc98ef71107a616c4f0f941f04c322d8e254fe26b3c6668db87aae413de8"),
    );
    assert_eq!(
        scene
            .ground
            .read(token, &Token::CANCEL_AUTHORIZATION_TYPEHASHCall {}),
        b256!("158b0a9edf7a828aad02f63cd515c68ef2f50ba807396f6d12842833a1597429"),
    );
}

#[test]
fn a_signed_transfer_moves_once() {
    let mut scene = Scene::new();
    let message = scene.transfer();
    let signature = scene.sign(&message);
    assert!(!scene.used());
    assert_eq!(scene.send(&message, signature), None);
    assert_eq!((scene.paid(), scene.used()), (250, true));
    assert_eq!(scene.send(&message, signature).as_deref(), Some(USED));
    assert_eq!(
        scene
            .send_packed(&message, &signature.as_bytes())
            .as_deref(),
        Some(USED)
    );
    assert_eq!(scene.paid(), 250);
}

#[test]
fn the_packed_form_moves_and_says_which_nonce_is_spent() {
    let mut scene = Scene::new();
    let message = scene.transfer();
    let call = Token::transferWithAuthorization_1Call {
        from: message.from,
        to: message.to,
        value: message.value,
        validAfter: message.validAfter,
        validBefore: message.validBefore,
        nonce: message.nonce,
        signature: Bytes::copy_from_slice(&scene.sign(&message).as_bytes()),
    };
    let (_, logs) = scene.ground.call(RELAYER, scene.token, &call).returned();
    let spent = Token::AuthorizationUsed::decode_log(&logs[0]).unwrap();
    assert_eq!((spent.authorizer, spent.nonce), (message.from, NONCE));
    let moved = Token::Transfer::decode_log(&logs[1]).unwrap();
    assert_eq!(
        (moved.from, moved.to, moved.value),
        (message.from, PAYEE, message.value)
    );
    assert_eq!(scene.paid(), 250);
}

#[test]
fn both_bounds_of_the_time_are_exclusive() {
    for (after, before, expected) in [
        (NOW - 1, NOW + 1, None),
        (
            NOW,
            NOW + 60,
            Some("TestToken: authorization is not yet valid"),
        ),
        (NOW - 60, NOW, Some("TestToken: authorization is expired")),
    ] {
        let mut scene = Scene::new();
        let mut message = scene.transfer();
        (message.validAfter, message.validBefore) = (U256::from(after), U256::from(before));
        let signature = scene.sign(&message);
        assert_eq!(
            scene.send(&message, signature).as_deref(),
            expected,
            "{after}..{before}"
        );
        assert_eq!(scene.used(), expected.is_none());
    }
}

#[test]
fn a_changed_word_is_refused_and_spends_no_nonce() {
    let mut scene = Scene::new();
    let signed = scene.transfer();
    let signature = scene.sign(&signed);
    let changes: [fn(&mut TransferWithAuthorization); 6] = [
        |m| m.from = RELAYER,
        |m| m.to = RELAYER,
        |m| m.value += U256::ONE,
        |m| m.validAfter -= U256::ONE,
        |m| m.validBefore += U256::ONE,
        |m| m.nonce = B256::ZERO,
    ];
    for (at, change) in changes.into_iter().enumerate() {
        let mut message = scene.transfer();
        change(&mut message);
        assert_eq!(
            scene.send(&message, signature).as_deref(),
            Some(INVALID),
            "change {at}"
        );
    }
    assert_eq!((scene.paid(), scene.used()), (0, false));
    assert_eq!(
        scene.send(&signed, signature),
        None,
        "the signed words still stand"
    );
}

#[test]
fn a_signature_for_another_domain_is_refused() {
    let mut scene = Scene::new();
    let message = scene.transfer();
    let mut elsewhere = scene.domain();
    elsewhere.chain_id = Some(U256::from(CHAIN_ID + 1));
    let mut other_version = scene.domain();
    other_version.version = Some("2".into());
    let mut other_token = scene.domain();
    other_token.verifying_contract = Some(RELAYER);
    for domain in [elsewhere, other_version, other_token] {
        let hash = message.eip712_signing_hash(&domain);
        let signature = scene.payer.sign_hash_sync(&hash).unwrap();
        assert_eq!(
            scene.send(&message, signature).as_deref(),
            Some(INVALID),
            "{domain:?}"
        );
    }
}

#[test]
fn only_the_strict_form_of_a_signature_counts() {
    let mut scene = Scene::new();
    let message = scene.transfer();
    let signature = scene.sign(&message);
    let order = U256::from_be_bytes(hex!(
        "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
    ));
    let malleated = Signature::new(signature.r(), order - signature.s(), !signature.v());
    assert_eq!(
        scene.send(&message, malleated).as_deref(),
        Some(INVALID),
        "the high s"
    );

    let good = signature.as_bytes();
    let mut zero_based = good;
    zero_based[64] -= 27;
    assert_eq!(
        scene.send_packed(&message, &zero_based).as_deref(),
        Some(INVALID),
        "v of 0 or 1"
    );
    assert_eq!(
        scene.send_packed(&message, &good[..64]).as_deref(),
        Some(INVALID),
        "64 bytes"
    );
    let longer = [good.as_slice(), &[0]].concat();
    assert_eq!(
        scene.send_packed(&message, &longer).as_deref(),
        Some(INVALID),
        "66 bytes"
    );
    assert_eq!(
        scene.send_packed(&message, &[]).as_deref(),
        Some(INVALID),
        "nothing"
    );
    assert_eq!(scene.send_packed(&message, &good), None);
}

#[test]
fn a_signature_that_recovers_to_nobody_does_not_move_the_zero_address_funds() {
    let mut scene = Scene::new();
    let mut message = scene.transfer();
    (message.from, message.value) = (Address::ZERO, U256::ZERO);
    let refused = scene.send_packed(&message, &[0; 65]);
    assert_eq!(refused.as_deref(), Some(INVALID));
}

#[test]
fn beyond_the_balance_the_nonce_stays_unspent() {
    let mut scene = Scene::new();
    let mut message = scene.transfer();
    message.value = U256::from(1_001);
    let signature = scene.sign(&message);
    let refused = scene.send(&message, signature);
    assert_eq!(
        refused.as_deref(),
        Some("TestToken: transfer amount exceeds balance")
    );
    assert!(!scene.used());
}

#[test]
fn only_the_payee_may_send_in_what_is_to_be_received() {
    let mut scene = Scene::new();
    let transfer = scene.transfer();
    let message = ReceiveWithAuthorization {
        from: transfer.from,
        to: transfer.to,
        value: transfer.value,
        validAfter: transfer.validAfter,
        validBefore: transfer.validBefore,
        nonce: transfer.nonce,
    };
    let signature = scene.sign(&message);
    let call = Token::receiveWithAuthorization_0Call {
        from: message.from,
        to: message.to,
        value: message.value,
        validAfter: message.validAfter,
        validBefore: message.validBefore,
        nonce: message.nonce,
        v: 27 + u8::from(signature.v()),
        r: signature.r().into(),
        s: signature.s().into(),
    };
    let refused = scene.ground.call(RELAYER, scene.token, &call).reason();
    assert_eq!(refused, "TestToken: caller must be the payee");
    // The two kinds are signed apart: one does not pass for the other.
    assert_eq!(scene.send(&transfer, signature).as_deref(), Some(INVALID));
    scene.ground.call(PAYEE, scene.token, &call).returned();
    assert_eq!((scene.paid(), scene.used()), (250, true));
}

#[test]
fn the_packed_form_of_receiving_moves_too() {
    let mut scene = Scene::new();
    let transfer = scene.transfer();
    let message = ReceiveWithAuthorization {
        from: transfer.from,
        to: transfer.to,
        value: transfer.value,
        validAfter: transfer.validAfter,
        validBefore: transfer.validBefore,
        nonce: transfer.nonce,
    };
    let call = Token::receiveWithAuthorization_1Call {
        from: message.from,
        to: message.to,
        value: message.value,
        validAfter: message.validAfter,
        validBefore: message.validBefore,
        nonce: message.nonce,
        signature: Bytes::copy_from_slice(&scene.sign(&message).as_bytes()),
    };
    scene.ground.call(PAYEE, scene.token, &call).returned();
    assert_eq!(scene.paid(), 250);
}

#[test]
fn a_cancelled_nonce_can_be_neither_used_nor_cancelled_again() {
    let mut scene = Scene::new();
    let message = CancelAuthorization {
        authorizer: scene.payer.address(),
        nonce: NONCE,
    };
    let signature = scene.sign(&message);
    let words = Token::cancelAuthorization_0Call {
        authorizer: message.authorizer,
        nonce: NONCE,
        v: 27 + u8::from(signature.v()),
        r: signature.r().into(),
        s: signature.s().into(),
    };
    let packed = Token::cancelAuthorization_1Call {
        authorizer: message.authorizer,
        nonce: NONCE,
        signature: Bytes::copy_from_slice(&signature.as_bytes()),
    };
    let stranger = Token::cancelAuthorization_1Call {
        authorizer: RELAYER,
        ..packed.clone()
    };
    assert_eq!(
        scene.ground.call(RELAYER, scene.token, &stranger).reason(),
        INVALID
    );

    let (_, logs) = scene.ground.call(RELAYER, scene.token, &words).returned();
    let told = Token::AuthorizationCanceled::decode_log(&logs[0]).unwrap();
    assert_eq!((told.authorizer, told.nonce), (message.authorizer, NONCE));
    assert!(scene.used());
    assert_eq!(
        scene.ground.call(RELAYER, scene.token, &packed).reason(),
        USED
    );
    let transfer = scene.transfer();
    let signature = scene.sign(&transfer);
    assert_eq!(scene.send(&transfer, signature).as_deref(), Some(USED));
    assert_eq!(scene.paid(), 0);
}

#[test]
fn a_contract_wallet_is_asked_and_only_its_exact_word_counts() {
    let wallet = Address::with_last_byte(0xc1);
    let answer = |word: &[u8; 32], length: u8| {
        // PUSH32 word, PUSH0, MSTORE, PUSH1 length, PUSH0, RETURN
        [
            &[0x7f],
            word.as_slice(),
            &[0x5f, 0x52, 0x60, length, 0x5f, 0xf3],
        ]
        .concat()
    };
    let mut agreed = [0; 32];
    agreed[..4].copy_from_slice(&hex!("1626ba7e"));
    let mut dirty = agreed;
    dirty[31] = 1;
    for (code, expected, what) in [
        (answer(&agreed, 32), None, "the word of ERC-1271"),
        (answer(&[0; 32], 32), Some(INVALID), "another word"),
        (
            answer(&dirty, 32),
            Some(INVALID),
            "the word with more behind it",
        ),
        (answer(&agreed, 4), Some(INVALID), "four bytes only"),
        (hex!("5f5ffd").to_vec(), Some(INVALID), "a revert"),
    ] {
        let mut scene = Scene::new();
        let token = scene.token;
        scene.ground.place(wallet, &code);
        let mint = Token::mintCall {
            to: wallet,
            value: U256::from(250),
        };
        scene.ground.call(RELAYER, token, &mint).returned();
        let mut message = scene.transfer();
        message.from = wallet;
        let outcome = scene.send_packed(&message, b"whatever the wallet understands");
        assert_eq!(outcome.as_deref(), expected, "{what}");
        assert_eq!(
            scene.paid(),
            if expected.is_none() { 250 } else { 0 },
            "{what}"
        );
    }
}
