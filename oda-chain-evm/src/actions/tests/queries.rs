//! What the queries read, at which block, and what they refuse before asking anybody.

use super::*;

fn read(node: &Arc<FakeNode>) -> ChainRead {
    ChainRead::new(on("base-sepolia", node))
}

fn asked(node: &FakeNode) -> Vec<String> {
    node.asked.lock().unwrap().clone()
}

#[tokio::test]
async fn each_kind_of_read_at_the_one_block() {
    let node = Arc::new(token_chain().answering(address(TOKEN), "balanceOf(address)", word(9)));
    for (input, result) in [
        (json!({"kind": "block_number"}), json!(BLOCK.to_string())),
        (
            json!({"kind": "native_balance", "address": OWNER}),
            json!("5"),
        ),
        (
            json!({"kind": "erc20_balance", "token": TOKEN, "address": OWNER}),
            json!("9"),
        ),
        (
            json!({"kind": "erc20_balance", "token": TOKEN, "owner": OWNER}),
            json!("9"),
        ),
        (
            json!({"kind": "erc20_allowance", "token": TOKEN, "owner": OWNER, "spender": OTHER}),
            json!("5"),
        ),
        (
            json!({
                "kind": "contract_read", "contract": TOKEN,
                "abi": {
                    "type": "function", "name": "symbol", "inputs": [],
                    "outputs": [{"name": "", "type": "string"}], "stateMutability": "view",
                },
            }),
            json!("TEST"),
        ),
    ] {
        let mut input = input;
        input["chain"] = json!("base-sepolia");
        let found = answer(&read(&node), input.clone()).await.unwrap();
        assert_eq!(
            found,
            json!({
                "kind": input["kind"], "chain": "base-sepolia", "block_number": "77", "result": result,
                "as_of": "1970-01-01T00:00:00.000Z",
            })
        );
    }
    assert!(
        asked(&node)
            .iter()
            .filter(|line| line.contains(" at "))
            .all(|line| line.ends_with("at 77"))
    );
}

#[tokio::test]
async fn a_function_that_changes_something_is_refused_before_any_call() {
    let node = Arc::new(token_chain());
    let input = json!({
        "kind": "contract_read", "chain": "base-sepolia", "contract": TOKEN, "args": [OTHER, "1"],
        "abi": {
            "type": "function", "name": "transfer",
            "inputs": [{"name": "", "type": "address"}, {"name": "", "type": "uint256"}], "outputs": [],
            "stateMutability": "nonpayable",
        },
    });
    let (field, rule) = invalid(answer(&read(&node), input).await);
    assert_eq!(field, "abi.stateMutability");
    assert!(rule.contains("must be view or pure"), "{rule}");
    assert_eq!(asked(&node), Vec::<String>::new());
}

#[tokio::test]
async fn members_that_a_kind_needs_or_does_not_use() {
    let node = Arc::new(token_chain());
    for (input, field, part) in [
        (
            json!({"kind": "native_balance"}),
            "address",
            "is required for the kind `native_balance`",
        ),
        (
            json!({"kind": "erc20_balance", "address": OWNER}),
            "token",
            "is required",
        ),
        (
            json!({"kind": "erc20_balance", "token": TOKEN}),
            "address",
            "is required",
        ),
        (
            json!({"kind": "erc20_balance", "token": TOKEN, "address": OWNER, "owner": OTHER}),
            "owner",
            "one of the two",
        ),
        (
            json!({"kind": "erc20_allowance", "token": TOKEN, "owner": OWNER}),
            "spender",
            "is required",
        ),
        (
            json!({"kind": "contract_read", "contract": TOKEN}),
            "abi",
            "is required",
        ),
        (
            json!({"kind": "block_number", "address": OWNER}),
            "address",
            "not used",
        ),
        (
            json!({"kind": "native_balance", "address": OWNER, "args": []}),
            "args",
            "not used",
        ),
        (
            json!({"kind": "storage"}),
            "input",
            "unknown variant `storage`",
        ),
    ] {
        let mut input = input;
        input["chain"] = json!("base-sepolia");
        let (found, rule) = invalid(answer(&read(&node), input.clone()).await);
        assert_eq!(found, field, "{input}: {rule}");
        assert!(rule.contains(part), "{input}: {rule}");
    }
    assert_eq!(asked(&node), Vec::<String>::new());
}

#[tokio::test]
async fn contracts_that_do_not_answer_are_told_apart() {
    let node = Arc::new(token_chain());
    let balance = |token: &str| json!({"kind": "erc20_balance", "chain": "base-sepolia", "token": token, "owner": OWNER});
    let error = answer(&read(&node), balance(TOKEN)).await.unwrap_err();
    assert!(error.to_string().contains("balanceOf(address)"), "{error}");
    assert!(error.to_string().contains("no such function"), "{error}");
    let (field, rule) = invalid(answer(&read(&node), balance(OTHER)).await);
    assert_eq!(field, "token");
    assert!(rule.contains("no contract at"), "{rule}");
}

#[tokio::test]
async fn approvals_of_the_given_spenders_in_their_order() {
    let node = Arc::new(token_chain());
    let list = ApprovalsList::new(on("base-sepolia", &node));
    let spenders: Vec<String> = (1..=25_u8)
        .map(|byte| EvmAddress::from_bytes([byte; 20]).to_string())
        .collect();
    let input = json!({
        "chain": "base-sepolia", "owner": OWNER, "token": TOKEN, "spenders": spenders,
    });
    let found = answer(&list, input).await.unwrap();
    let approvals = found["approvals"].as_array().unwrap();
    assert_eq!(approvals.len(), 25);
    for (approval, spender) in approvals.iter().zip(&spenders) {
        assert_eq!(
            *approval,
            json!({
                "spender": spender, "allowance": "5", "is_max_uint256": false, "approved_for_all": null,
            })
        );
    }
    assert_eq!(found["kind"], "erc20");
    let coverage = found["coverage"].as_str().unwrap();
    assert!(
        coverage.contains("Only the 25 given spender(s) at block 77"),
        "{coverage}"
    );
}

#[tokio::test]
async fn operators_and_unlimited_allowances() {
    let node = Arc::new(
        FakeNode::serving(BASE_SEPOLIA)
            .answering(address(TOKEN), "isApprovedForAll(address,address)", word(1))
            .answering(address(TOKEN), "allowance(address,address)", vec![0xff; 32]),
    );
    let list = ApprovalsList::new(on("base-sepolia", &node));
    let input = |kind: &str| {
        json!({
            "chain": "base-sepolia", "owner": OWNER, "token": TOKEN, "spenders": [OTHER], "kind": kind,
        })
    };
    for kind in ["erc721", "erc1155"] {
        let found = answer(&list, input(kind)).await.unwrap();
        assert_eq!(found["approvals"][0]["approved_for_all"], true);
        assert_eq!(found["approvals"][0]["allowance"], Value::Null);
    }
    let found = answer(&list, input("erc20")).await.unwrap();
    assert_eq!(found["approvals"][0]["is_max_uint256"], true);
}

#[tokio::test]
async fn too_few_and_too_many_spenders_are_refused() {
    let list = ApprovalsList::new(base_sepolia(token_chain()));
    for count in [0, 26] {
        let input = json!({
            "chain": "base-sepolia", "owner": OWNER, "token": TOKEN, "spenders": vec![OTHER; count],
        });
        let (field, rule) = invalid(answer(&list, input).await);
        assert_eq!(field, "spenders");
        assert!(rule.contains(&format!("{count} were given")), "{rule}");
    }
}

/// Answers with the payload that it was given, as its error text.
struct Echo;

#[async_trait]
impl Simulator for Echo {
    type Payload = EvmTx;

    async fn simulate(&self, payload: &EvmTx, now: UnixMillis) -> Result<Simulation, ChainError> {
        Ok(Simulation {
            ok: false,
            method: "echo".to_owned(),
            block: Some("1".to_owned()),
            gas_estimate: None,
            error: serde_json::to_string(payload).ok(),
            as_of: now.to_string(),
            effects: None,
        })
    }
}

#[tokio::test]
async fn a_simulation_of_what_was_given() {
    let query = TxSimulate::new(Arc::new(Echo));
    let input = json!({"chain": "base", "to": OTHER, "data": "0xABCD"});
    let found = answer(&query, input).await.unwrap();
    assert_eq!(found["ok"], false);
    let payload: Value = serde_json::from_str(found["error"].as_str().unwrap()).unwrap();
    assert_eq!(
        payload,
        json!({
            "kind": "evm_tx", "chain": "base", "chain_id": 8453, "from": null, "to": OTHER,
            "data": "0xabcd", "value": "0",
        })
    );
    for (input, part) in [
        (
            json!({"chain": "base", "to": OTHER, "data": "0x123"}),
            "odd number",
        ),
        (
            json!({"chain": "base", "to": OTHER}),
            "missing field `data`",
        ),
        (
            json!({"chain": "base", "to": OTHER, "data": "0x", "value": "-1"}),
            "sign",
        ),
    ] {
        let (_, rule) = invalid(answer(&query, input).await);
        assert!(rule.contains(part), "{rule}");
    }
}
