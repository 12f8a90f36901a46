//! ERC-20: transfers, allowances, and what is refused.

use alloy::primitives::{Address, U256};
use alloy::sol_types::SolEvent as _;

use crate::ground::{Ground, Token};

const HOLDER: Address = Address::with_last_byte(0xa1);
const OTHER: Address = Address::with_last_byte(0xa2);
const SPENDER: Address = Address::with_last_byte(0xa3);

#[test]
fn the_constructor_sets_what_it_is_told() {
    let mut ground = Ground::new();
    let token = ground.deploy_token(HOLDER, 1_000);
    assert_eq!(ground.read(token, &Token::nameCall {}), "Test Dollar");
    assert_eq!(ground.read(token, &Token::symbolCall {}), "TUSD");
    assert_eq!(ground.read(token, &Token::decimalsCall {}), 6);
    assert_eq!(ground.read(token, &Token::versionCall {}), "1");
    assert_eq!(
        ground.read(token, &Token::totalSupplyCall {}),
        U256::from(1_000)
    );
    assert_eq!(ground.balance(token, HOLDER), 1_000);
}

#[test]
fn a_transfer_moves_the_amount_and_says_so() {
    let mut ground = Ground::new();
    let token = ground.deploy_token(HOLDER, 1_000);
    let transfer = Token::transferCall {
        to: OTHER,
        value: U256::from(300),
    };
    let (data, logs) = ground.call(HOLDER, token, &transfer).returned();
    assert_eq!(U256::from_be_slice(&data), U256::ONE);
    let told = Token::Transfer::decode_log(&logs[0]).unwrap();
    assert_eq!((told.address, told.from, told.to), (token, HOLDER, OTHER));
    assert_eq!(told.value, U256::from(300));
    assert_eq!(
        (ground.balance(token, HOLDER), ground.balance(token, OTHER)),
        (700, 300)
    );
}

#[test]
fn a_transfer_to_oneself_changes_nothing() {
    let mut ground = Ground::new();
    let token = ground.deploy_token(HOLDER, 1_000);
    let transfer = Token::transferCall {
        to: HOLDER,
        value: U256::from(1_000),
    };
    ground.call(HOLDER, token, &transfer).returned();
    assert_eq!(ground.balance(token, HOLDER), 1_000);
}

#[test]
fn a_transfer_beyond_the_balance_reverts_with_a_readable_reason() {
    let mut ground = Ground::new();
    let token = ground.deploy_token(HOLDER, 1_000);
    let transfer = Token::transferCall {
        to: OTHER,
        value: U256::from(1_001),
    };
    let reason = ground.call(HOLDER, token, &transfer).reason();
    assert_eq!(reason, "TestToken: transfer amount exceeds balance");
    assert_eq!(
        (ground.balance(token, HOLDER), ground.balance(token, OTHER)),
        (1_000, 0)
    );
}

#[test]
fn nothing_goes_to_the_zero_address() {
    let mut ground = Ground::new();
    let token = ground.deploy_token(HOLDER, 1_000);
    let (to, value) = (Address::ZERO, U256::ONE);
    let reason = ground
        .call(HOLDER, token, &Token::transferCall { to, value })
        .reason();
    assert_eq!(reason, "TestToken: transfer to the zero address");
    let reason = ground
        .call(HOLDER, token, &Token::mintCall { to, value })
        .reason();
    assert_eq!(reason, "TestToken: mint to the zero address");
    let approve = Token::approveCall {
        spender: Address::ZERO,
        value,
    };
    let reason = ground.call(HOLDER, token, &approve).reason();
    assert_eq!(reason, "TestToken: approve to the zero address");
}

#[test]
fn an_allowance_is_used_up_and_then_refuses() {
    let mut ground = Ground::new();
    let token = ground.deploy_token(HOLDER, 1_000);
    let approve = Token::approveCall {
        spender: SPENDER,
        value: U256::from(400),
    };
    let (_, logs) = ground.call(HOLDER, token, &approve).returned();
    let told = Token::Approval::decode_log(&logs[0]).unwrap();
    assert_eq!(
        (told.owner, told.spender, told.value),
        (HOLDER, SPENDER, U256::from(400))
    );

    let take = |value: u64| Token::transferFromCall {
        from: HOLDER,
        to: OTHER,
        value: U256::from(value),
    };
    ground.call(SPENDER, token, &take(300)).returned();
    let left = Token::allowanceCall {
        owner: HOLDER,
        spender: SPENDER,
    };
    assert_eq!(ground.read(token, &left), U256::from(100));
    let reason = ground.call(SPENDER, token, &take(101)).reason();
    assert_eq!(reason, "TestToken: transfer amount exceeds allowance");
    let reason = ground.call(OTHER, token, &take(1)).reason();
    assert_eq!(reason, "TestToken: transfer amount exceeds allowance");
    assert_eq!(
        (ground.balance(token, HOLDER), ground.balance(token, OTHER)),
        (700, 300)
    );
}

#[test]
fn an_unlimited_allowance_stays_unlimited() {
    let mut ground = Ground::new();
    let token = ground.deploy_token(HOLDER, 1_000);
    let approve = Token::approveCall {
        spender: SPENDER,
        value: U256::MAX,
    };
    ground.call(HOLDER, token, &approve).returned();
    let take = Token::transferFromCall {
        from: HOLDER,
        to: OTHER,
        value: U256::from(300),
    };
    ground.call(SPENDER, token, &take).returned();
    let left = Token::allowanceCall {
        owner: HOLDER,
        spender: SPENDER,
    };
    assert_eq!(ground.read(token, &left), U256::MAX);
}

#[test]
fn minting_never_wraps_a_balance_around() {
    let mut ground = Ground::new();
    let token = ground.deploy_token(HOLDER, 1_000);
    let mint = |value| Token::mintCall { to: OTHER, value };
    ground.call(OTHER, token, &mint(U256::from(5))).returned();
    assert_eq!(ground.balance(token, OTHER), 5);
    let refused = ground.call(OTHER, token, &mint(U256::MAX)).reverted();
    let panic = <alloy::sol_types::Panic as alloy::sol_types::SolError>::abi_decode(&refused);
    assert_eq!(panic.unwrap().code, U256::from(0x11), "arithmetic overflow");
    assert_eq!(ground.balance(token, OTHER), 5);
}
