//! What the prepares build, what the policy gets to see of it, and what they refuse.

use super::*;
use crate::{Amount, FunctionAbi};

/// A node for each chain that the transfers of these tests name.
fn native_networks() -> Arc<EvmNetworks> {
    let networks = [("base", 8_453), ("base-sepolia", 84_532), ("polygon", 137)]
        .into_iter()
        .fold(EvmNetworks::new(), |networks, (chain, id)| {
            networks.with_node(chain, Arc::new(FakeNode::serving(id)))
        });
    Arc::new(networks)
}

fn native() -> EvmTransfer {
    EvmTransfer::new(native_networks(), signer())
}

fn token() -> TokenTransfer {
    TokenTransfer::new(base_sepolia(token_chain()), signer())
}

fn call() -> ContractCall {
    ContractCall::new(base_sepolia(token_chain()), signer())
}

fn revoke(node: FakeNode) -> ApprovalsRevoke {
    ApprovalsRevoke::new(base_sepolia(node))
}

fn token_input(changes: Value) -> Value {
    let mut input =
        json!({"chain": "base-sepolia", "token": TOKEN, "to": OTHER, "amount": "1500000"});
    for (key, value) in changes.as_object().unwrap() {
        input[key] = value.clone();
    }
    input
}

fn call_input(abi: &str, args: Value) -> Value {
    json!({"chain": "base-sepolia", "contract": TOKEN, "abi": abi, "args": args})
}

#[tokio::test]
async fn a_native_transfer() {
    let input = json!({"chain": "polygon", "to": OTHER, "amount": "1500000000000000000"});
    let built = build(&native(), input).await.unwrap();
    assert_eq!(
        serde_json::to_value(&built.payload).unwrap(),
        json!({
            "kind": "evm_tx", "chain": "polygon", "chain_id": 137, "from": OWNER, "to": OTHER,
            "data": "0x", "value": "1500000000000000000",
        })
    );
    assert_eq!(
        built.summary,
        format!("Transfer 1.5 POL (1500000000000000000 wei) to {OTHER} on polygon from {OWNER}.")
    );
    let facts = built.facts;
    assert_eq!(facts.token.as_deref(), Some("POL"));
    assert_eq!(
        facts.token_amount_base_units.as_deref(),
        Some("1500000000000000000")
    );
    assert_eq!(facts.recipient.as_deref(), Some(OTHER));
    assert_eq!(
        (facts.contract, facts.spender, facts.usd_value),
        (None, None, None)
    );
}

#[tokio::test]
async fn a_token_transfer() {
    let built = build(&token(), token_input(json!({}))).await.unwrap();
    built.payload.validate().unwrap();
    let data = FunctionAbi::parse_text("transfer(address,uint256)").unwrap();
    assert_eq!(
        data.decode_call(built.payload.data.bytes()).unwrap(),
        [json!(OTHER), json!("1500000")]
    );
    assert_eq!(built.payload.to, address(TOKEN));
    assert_eq!(built.payload.value, Amount::ZERO);
    assert_eq!(
        built.summary,
        format!(
            "Transfer 1.5 of the token that calls itself \"TEST\" (1500000 base units of {TOKEN}, 6 decimals by \
             its own word) to {OTHER} on base-sepolia from {OWNER}."
        )
    );
    let facts = built.facts;
    assert_eq!(facts.token.as_deref(), Some(TOKEN));
    assert_eq!(facts.contract.as_deref(), Some(TOKEN));
    assert_eq!(facts.token_amount_base_units.as_deref(), Some("1500000"));
    assert_eq!(facts.recipient.as_deref(), Some(OTHER));
    assert_eq!((facts.spender, facts.usd_value), (None, None));
}

#[tokio::test]
async fn a_listed_stablecoin_has_a_value_and_its_contract_is_not_asked_for_a_name() {
    let node = Arc::new(FakeNode::serving(8453).contract(address(USDC_BASE)));
    let transfer = TokenTransfer::new(on("base", &node), signer());
    let input = token_input(json!({"chain": "base", "token": USDC_BASE}));
    let built = build(&transfer, input).await.unwrap();
    assert_eq!(built.facts.usd_value, Some(1.5));
    assert!(
        built
            .summary
            .starts_with("Transfer 1.5 USDC (1500000 base units of 0x8335"),
        "{}",
        built.summary
    );
    let asked = node.asked.lock().unwrap().join("; ");
    assert!(!asked.contains("call"), "{asked}");
}

#[tokio::test]
async fn a_token_that_tells_nothing_is_named_in_base_units() {
    let node = FakeNode::serving(BASE_SEPOLIA).contract(address(TOKEN));
    let transfer = TokenTransfer::new(base_sepolia(node), signer());
    let built = build(&transfer, token_input(json!({}))).await.unwrap();
    assert!(
        built.summary.contains("1500000 base units of 0x3333")
            && built.summary.contains("does not tell"),
        "{}",
        built.summary
    );
}

#[tokio::test]
async fn a_lying_symbol_cannot_write_the_summary() {
    let node = FakeNode::serving(BASE_SEPOLIA)
        .answering(
            address(TOKEN),
            "symbol()",
            string("USDC (approved)\n\u{202e}"),
        )
        .answering(address(TOKEN), "decimals()", word(6));
    let transfer = TokenTransfer::new(base_sepolia(node), signer());
    let built = build(&transfer, token_input(json!({}))).await.unwrap();
    assert!(
        built.summary.contains("calls itself \"USDC (approved)"),
        "{}",
        built.summary
    );
    assert!(
        built.summary.is_ascii() || built.summary.contains('…'),
        "{}",
        built.summary
    );
    assert!(!built.summary.contains('\n') && !built.summary.contains('\u{202e}'));
}

#[tokio::test]
async fn recipients_from_which_nothing_comes_back_are_refused() {
    let zero = EvmAddress::ZERO.to_string();
    for (input, part) in [
        (token_input(json!({"to": TOKEN})), "token contract itself"),
        (token_input(json!({"to": zero})), "zero address"),
    ] {
        let (field, rule) = invalid(build(&token(), input).await);
        assert_eq!(field, "to");
        assert!(rule.contains(part), "{rule}");
    }
    let input = json!({"chain": "base", "to": zero, "amount": "1"});
    assert_eq!(invalid(build(&native(), input).await).0, "to");
}

#[tokio::test]
async fn the_native_currency_is_no_token() {
    for text in [
        "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE",
        "0x0000000000000000000000000000000000000000",
    ] {
        let (field, rule) = invalid(build(&token(), token_input(json!({"token": text}))).await);
        assert_eq!(field, "token");
        assert!(rule.contains("use evm.transfer"), "{rule}");
    }
}

#[tokio::test]
async fn an_address_without_code_is_no_token() {
    let transfer = TokenTransfer::new(base_sepolia(FakeNode::serving(BASE_SEPOLIA)), signer());
    let (field, rule) = invalid(build(&transfer, token_input(json!({}))).await);
    assert_eq!(field, "token");
    assert!(rule.contains("no contract at 0x3333"), "{rule}");
}

#[tokio::test]
async fn nothing_is_no_amount() {
    let (field, rule) = invalid(build(&token(), token_input(json!({"amount": "0"}))).await);
    assert_eq!(
        (field.as_str(), rule.as_str()),
        ("amount", "must be more than 0")
    );
    let input = json!({"chain": "base", "to": OTHER, "amount": "0"});
    assert_eq!(invalid(build(&native(), input).await).0, "amount");
}

#[tokio::test]
async fn without_a_signer_the_sender_is_required() {
    let transfer = EvmTransfer::new(native_networks(), None);
    let input = json!({"chain": "base", "to": OTHER, "amount": "1"});
    assert_eq!(invalid(build(&transfer, input).await).0, "from");
    let input = json!({"chain": "base", "to": OTHER, "amount": "1", "from": OWNER});
    assert_eq!(
        build(&transfer, input).await.unwrap().payload.from,
        Some(address(OWNER))
    );
}

#[tokio::test]
async fn inputs_that_are_not_understood_are_refused() {
    for (input, part) in [
        (token_input(json!({"memo": "x"})), "unknown field `memo`"),
        (token_input(json!({"amount": 5})), "JSON string"),
        (token_input(json!({"amount": "1.5"})), "point"),
        (token_input(json!({"amount": "-5"})), "sign"),
        (token_input(json!({"amount": "1e3"})), "exponent"),
        (token_input(json!({"amount": " 5"})), "white space"),
        (token_input(json!({"amount": "9".repeat(78)})), "256 bits"),
        (
            token_input(json!({"chain": "solana"})),
            "\"solana\" is not an EVM chain",
        ),
        (token_input(json!({"chain": 1})), "the name of an EVM chain"),
        (
            token_input(json!({"to": "0x000000000000000000000000000000000000DEad"})),
            "EIP-55",
        ),
        (token_input(json!({"to": null})), "an EVM address"),
        (
            json!({"chain": "base-sepolia", "token": TOKEN, "amount": "1"}),
            "missing field `to`",
        ),
        (json!([]), "map"),
    ] {
        let (_, rule) = invalid(build(&token(), input.clone()).await);
        assert!(rule.contains(part) || part == "map", "{input}: {rule}");
    }
}

#[tokio::test]
async fn a_node_that_is_down_or_on_another_chain_is_named() {
    let native = EvmTransfer::new(base_sepolia(FakeNode::down()), signer());
    let input = json!({"chain": "base-sepolia", "to": OTHER, "amount": "1"});
    let error = build(&native, input).await.unwrap_err();
    assert_eq!(error.code(), "chain_unavailable");

    let down = TokenTransfer::new(base_sepolia(FakeNode::down()), signer());
    let error = build(&down, token_input(json!({}))).await.unwrap_err();
    assert_eq!(error.code(), "chain_unavailable");
    assert!(error.to_string().contains("connection refused"), "{error}");

    let other = TokenTransfer::new(base_sepolia(FakeNode::serving(1)), signer());
    let error = build(&other, token_input(json!({})))
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("serves chain id 1, not 84532 (base-sepolia)"),
        "{error}"
    );

    let error = build(&token(), token_input(json!({"chain": "base"})))
        .await
        .unwrap_err();
    assert_eq!(error.code(), "no_node");
    assert!(
        error.to_string().contains("no node is configured for base"),
        "{error}"
    );
}

#[tokio::test]
async fn revoking_an_allowance_sets_it_to_zero() {
    let input = json!({"chain": "base-sepolia", "owner": OWNER, "token": TOKEN, "spender": OTHER});
    let built = build(&revoke(token_chain()), input).await.unwrap();
    let approve = FunctionAbi::parse_text("approve(address,uint256)").unwrap();
    assert_eq!(
        approve.decode_call(built.payload.data.bytes()).unwrap(),
        [json!(OTHER), json!("0")]
    );
    assert_eq!(built.payload.from, Some(address(OWNER)));
    assert_eq!(
        built.summary,
        format!(
            "Revoke the allowance of 5 base units that {OTHER} has over {TOKEN} of {OWNER} on base-sepolia. No \
             funds move."
        )
    );
    let facts = built.facts;
    assert_eq!(
        (facts.usd_value, facts.spender, facts.recipient),
        (Some(0.0), None, None)
    );
    assert_eq!(facts.contract.as_deref(), Some(TOKEN));
    assert_eq!(facts.token.as_deref(), Some(TOKEN));
}

#[tokio::test]
async fn revoking_an_operator() {
    for kind in ["erc721", "erc1155"] {
        let node = FakeNode::serving(BASE_SEPOLIA).answering(
            address(TOKEN),
            "isApprovedForAll(address,address)",
            word(1),
        );
        let input = json!({
            "chain": "base-sepolia", "owner": OWNER, "token": TOKEN, "spender": OTHER, "kind": kind,
        });
        let built = build(&revoke(node), input).await.unwrap();
        let function = FunctionAbi::parse_text("setApprovalForAll(address,bool)").unwrap();
        assert_eq!(
            function.decode_call(built.payload.data.bytes()).unwrap(),
            [json!(OTHER), json!(false)]
        );
    }
}

/// `approve(spender, 0)` on a collection would grant the token with the id 0.
#[tokio::test]
async fn revoking_by_the_wrong_standard_is_refused() {
    let collection = FakeNode::serving(BASE_SEPOLIA).answering(
        address(TOKEN),
        "isApprovedForAll(address,address)",
        word(1),
    );
    let input = json!({"chain": "base-sepolia", "owner": OWNER, "token": TOKEN, "spender": OTHER});
    let (field, rule) = invalid(build(&revoke(collection), input).await);
    assert_eq!(field, "kind");
    assert!(rule.contains("erc721 or erc1155"), "{rule}");
}

#[tokio::test]
async fn a_contract_call() {
    let built = build(
        &call(),
        call_input("function mint(address to, uint256 n)", json!([OTHER, "7"])),
    )
    .await
    .unwrap();
    assert_eq!(
        built.summary,
        format!(
            "Call mint(address,uint256) of {TOKEN} on base-sepolia with ({OTHER}, 7) from {OWNER}."
        )
    );
    let facts = built.facts;
    assert_eq!(facts.contract.as_deref(), Some(TOKEN));
    assert_eq!(
        (facts.token, facts.recipient, facts.spender),
        (None, None, None)
    );
    assert_eq!(
        facts.usd_value, None,
        "nobody knows what an unknown function is worth"
    );
}

#[tokio::test]
async fn arguments_in_a_summary_are_bounded_and_cannot_break_it() {
    let abi = "function f(string a, (bool ok, string s) b, uint8[] c)";
    let evil = format!("\n\u{202e}\"{}", "x".repeat(1_000));
    let args = json!([evil, {"ok": true, "s": ""}, ["1", "2"]]);
    let built = build(&call(), call_input(abi, args)).await.unwrap();
    assert!(
        built.summary.contains("(\"\\u{a}\\u{202e}\\u{22}xxx")
            && built.summary.contains("x…\", {ok: true, s: \"\"}, [1, 2])"),
        "{}",
        built.summary
    );
    let long = json!([vec!["200"; 100]]);
    let built = build(&call(), call_input("f(uint8[])", long))
        .await
        .unwrap();
    assert!(
        built.summary.contains("…)") && built.summary.len() < 600,
        "{}",
        built.summary
    );
}

#[tokio::test]
async fn a_payable_call_is_judged_by_what_goes_along() {
    let mut input = call_input("function deposit() payable", json!([]));
    input["value"] = json!("1000000000000000");
    let built = build(&call(), input).await.unwrap();
    assert!(
        built
            .summary
            .contains("sending 0.001 ETH (1000000000000000 wei)"),
        "{}",
        built.summary
    );
    assert_eq!(built.facts.token.as_deref(), Some("ETH"));
    assert_eq!(
        built.facts.token_amount_base_units.as_deref(),
        Some("1000000000000000")
    );
    assert_eq!(built.facts.recipient.as_deref(), Some(TOKEN));
    assert_eq!(built.payload.value.to_string(), "1000000000000000");
}

#[tokio::test]
async fn the_policy_sees_through_the_generic_door() {
    let built = build(
        &call(),
        call_input("transfer(address,uint256)", json!([OTHER, "7"])),
    )
    .await
    .unwrap();
    assert_eq!(built.facts.recipient.as_deref(), Some(OTHER));
    assert_eq!(built.facts.token.as_deref(), Some(TOKEN));
    assert_eq!(built.facts.token_amount_base_units.as_deref(), Some("7"));
    assert!(
        built.summary.contains(&format!("to {OTHER}")),
        "{}",
        built.summary
    );

    let unlimited = json!([OTHER, Amount::MAX]);
    let built = build(&call(), call_input("approve(address,uint256)", unlimited))
        .await
        .unwrap();
    assert_eq!(built.facts.spender.as_deref(), Some(OTHER));
    assert_eq!(built.facts.recipient, None);
    assert!(built.summary.contains("without limit"), "{}", built.summary);

    let built = build(
        &call(),
        call_input("setApprovalForAll(address,bool)", json!([OTHER, true])),
    )
    .await
    .unwrap();
    assert_eq!(built.facts.spender.as_deref(), Some(OTHER));
    assert_eq!(
        built.facts.token_amount_base_units, None,
        "a whole collection has no amount"
    );

    let permit2 = call_input(
        "approve(address,address,uint160,uint48)",
        json!([OWNER, OTHER, "7", "0"]),
    );
    let built = build(&call(), permit2).await.unwrap();
    assert_eq!(
        built.facts.token.as_deref(),
        Some(OWNER),
        "the token is an argument of Permit2"
    );
    assert_eq!(built.facts.spender.as_deref(), Some(OTHER));
    assert_eq!(built.facts.contract.as_deref(), Some(TOKEN));
}

#[tokio::test]
async fn a_name_that_hides_a_token_function_hides_nothing() {
    // The selector decides, not the name that the caller gives: this one has that of
    // transfer(address,uint256), to the address 0x20 as the token reads it.
    let call_of = call_input("func_2093253501(bytes)", json!(["0x0102"]));
    let built = build(&call(), call_of).await.unwrap();
    assert_eq!(built.payload.data.bytes()[..4], [0xa9, 0x05, 0x9c, 0xbb]);
    assert_eq!(
        built.facts.recipient.as_deref(),
        Some("0x0000000000000000000000000000000000000020")
    );
    assert_eq!(built.facts.token.as_deref(), Some(TOKEN));
    assert_eq!(built.facts.token_amount_base_units.as_deref(), Some("2"));
}

#[tokio::test]
async fn calls_that_cannot_be_meant_are_refused() {
    let with_value = |abi: &str, args: Value| {
        let mut input = call_input(abi, args);
        input["value"] = json!("1");
        input
    };
    for (input, field, part) in [
        (
            with_value("mint(uint256)", json!(["1"])),
            "value",
            "not payable",
        ),
        (
            with_value("transfer(address,uint256) payable", json!([OTHER, "1"])),
            "value",
            "must be 0",
        ),
        (
            call_input("balanceOf(address) view returns (uint256)", json!([OTHER])),
            "abi",
            "chain.read",
        ),
        (
            call_input("transfer(address,uint256)", json!([OTHER])),
            "args",
            "2 argument(s), 1",
        ),
        (
            call_input("transfer(address,uint256)", json!([OTHER, "1.5"])),
            "args[1]",
            "point",
        ),
        (
            call_input("transfer(address,uint256)", json!([TOKEN, "1"])),
            "args",
            "the recipient is the token contract itself",
        ),
        (
            call_input("nonsense", json!([])),
            "abi",
            "not a function declaration",
        ),
        (
            json!({"chain": "base-sepolia", "contract": OTHER, "abi": "f()", "args": []}),
            "contract",
            "no contract at",
        ),
    ] {
        let (found, rule) = invalid(build(&call(), input.clone()).await);
        assert_eq!(found, field, "{input}: {rule}");
        assert!(rule.contains(part), "{input}: {rule}");
    }
}
