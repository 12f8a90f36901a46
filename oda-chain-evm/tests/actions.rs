//! The actions through the whole engine, on a chain in this process.
#![cfg(feature = "embedded")]

#[cfg(test)]
mod on_the_embedded_chain {
    use std::sync::Arc;

    use alloy::primitives::{Bytes, U256};
    use oda_chain_evm::{
        EmbeddedChain, EvmActions, EvmAddress, EvmNetworks, EvmSimulator, EvmSubmitter,
        FunctionAbi, Genesis, LocalSigner, MainnetAccess,
    };
    use oda_core::{
        Engine, EngineError, ExecutionState, IntentSecret, MemoryStore, PayloadKind, Policy,
        PreparedIntent,
    };
    use serde_json::{Value, json};

    const CHAIN: &str = "base-sepolia";
    const FRIEND: &str = "0x000000000000000000000000000000000000dEaD";
    const SPENDER: &str = "0x2222222222222222222222222222222222222222";

    /// An embedded chain with a funded account, that account's tokens, and an engine over all actions.
    struct Scene {
        engine: Engine,
        owner: EvmAddress,
        token: EvmAddress,
        collectible: EvmAddress,
    }

    impl Scene {
        async fn new(policy: Value) -> Self {
            let key = format!("0x{}", "01".repeat(32)).into();
            let signer = LocalSigner::from_secret(&key, MainnetAccess::Refused).unwrap();
            let owner = signer.evm_address();
            let ether = U256::from(1_000_000_000_000_000_000_u64);
            let genesis = Genesis::new(84_532).with_balance(owner.to_alloy(), ether);
            let chain = EmbeddedChain::new(genesis);
            let token = deploy(
                &chain,
                owner,
                include_str!("../contracts/artifacts/TestToken.json"),
                "c(string,string,uint8,address,uint256)",
                &[
                    json!("Test Dollar"),
                    json!("TUSD"),
                    json!("6"),
                    json!(owner),
                    json!("100000000"),
                ],
            )
            .await;
            let collectible = deploy(
                &chain,
                owner,
                include_str!("../contracts/artifacts/TestCollectible.json"),
                "c(string,string)",
                &[json!("Test Picture"), json!("PIC")],
            )
            .await;
            let engine = engine(chain, signer, &policy);
            Self {
                engine,
                owner,
                token,
                collectible,
            }
        }

        async fn on_testnet() -> Self {
            Self::new(json!({"schema": "sato.policy/v1", "network": "testnet"})).await
        }

        async fn prepare(&self, action: &str, input: Value) -> Result<PreparedIntent, EngineError> {
            self.engine.prepare(action, &input).await
        }

        /// Prepares, executes, and waits for the block: the summary.
        async fn done(&self, action: &str, input: Value) -> String {
            let intent = self.prepare(action, input).await.unwrap();
            assert!(intent.policy.ok, "{:?}", intent.policy.refusals);
            self.engine.execute(&intent.intent_id).await.unwrap();
            let settled = self.engine.reconcile(&intent.intent_id).await.unwrap();
            assert_eq!(settled.state, ExecutionState::Confirmed);
            intent.summary
        }

        async fn ask(&self, query: &str, input: Value) -> Value {
            self.engine.query(query, &input).await.unwrap()
        }

        async fn tokens_of(&self, account: &str) -> Value {
            let input = json!({
                "kind": "erc20_balance", "chain": CHAIN, "token": self.token, "address": account,
            });
            self.ask("chain.read", input).await["result"].clone()
        }

        async fn approval(&self, token: EvmAddress, kind: &str, member: &str) -> Value {
            let input = json!({
                "chain": CHAIN, "owner": self.owner, "token": token, "spenders": [SPENDER], "kind": kind,
            });
            self.ask("token.approvals.list", input).await["approvals"][0][member].clone()
        }

        fn revoke(&self, token: EvmAddress) -> Value {
            json!({"chain": CHAIN, "owner": self.owner, "token": token, "spender": SPENDER})
        }

        fn call(&self, contract: EvmAddress, abi: &str, args: Value) -> Value {
            json!({"chain": CHAIN, "contract": contract, "abi": abi, "args": args})
        }
    }

    fn engine(chain: EmbeddedChain, signer: LocalSigner, policy: &Value) -> Engine {
        let networks = Arc::new(EvmNetworks::new().with_node(CHAIN, Arc::new(chain)));
        let simulator = Arc::new(EvmSimulator::new(Arc::clone(&networks)));
        let actions = EvmActions::new(
            Arc::clone(&networks),
            simulator.clone(),
            Some(signer.evm_address()),
        );
        let kind = PayloadKind::new()
            .simulator(simulator)
            .signer(Arc::new(signer))
            .submitter(Arc::new(EvmSubmitter::new(networks)));
        let policy = Policy::parse(policy.to_string().as_bytes()).unwrap();
        let secret = IntentSecret::new(&[7; 32]).unwrap();
        let builder = Engine::builder(Arc::new(MemoryStore::new()), secret, policy).kind(kind);
        actions.register(builder).build().unwrap()
    }

    async fn deploy(
        chain: &EmbeddedChain,
        from: EvmAddress,
        artifact: &str,
        constructor: &str,
        args: &[Value],
    ) -> EvmAddress {
        let artifact: Value = serde_json::from_str(artifact).unwrap();
        let mut code = artifact["bytecode"]
            .as_str()
            .unwrap()
            .parse::<Bytes>()
            .unwrap()
            .to_vec();
        let call = FunctionAbi::parse_text(constructor)
            .unwrap()
            .encode_call(args)
            .unwrap();
        // A constructor's arguments follow its code, without a selector.
        code.extend(&call.bytes()[4..]);
        chain
            .deploy(from.to_alloy(), code.into())
            .await
            .unwrap()
            .into()
    }

    /// The rules that refused, in order.
    fn rules(intent: &PreparedIntent) -> Vec<&str> {
        intent
            .policy
            .refusals
            .iter()
            .map(|refusal| refusal.rule.as_str())
            .collect()
    }

    #[tokio::test]
    async fn a_token_transfer_moves_exactly_the_amount() {
        let scene = Scene::on_testnet().await;
        let input =
            json!({"chain": CHAIN, "token": scene.token, "to": FRIEND, "amount": "1500000"});
        let summary = scene.done("token.transfer", input).await;
        assert!(
            summary.starts_with(
                "Transfer 1.5 of the token that calls itself \"TUSD\" (1500000 base units"
            ),
            "{summary}"
        );
        assert_eq!(scene.tokens_of(FRIEND).await, "1500000");
        assert_eq!(scene.tokens_of(&scene.owner.to_string()).await, "98500000");
    }

    #[tokio::test]
    async fn a_native_transfer_moves_exactly_the_amount() {
        let scene = Scene::on_testnet().await;
        let input = json!({"chain": CHAIN, "to": FRIEND, "amount": "12345"});
        scene.done("evm.transfer", input).await;
        let read = json!({"kind": "native_balance", "chain": CHAIN, "address": FRIEND});
        assert_eq!(scene.ask("chain.read", read).await["result"], "12345");
    }

    #[tokio::test]
    async fn a_transfer_beyond_the_balance_is_refused_by_its_simulation() {
        let scene = Scene::on_testnet().await;
        let input =
            json!({"chain": CHAIN, "token": scene.token, "to": FRIEND, "amount": "100000001"});
        let intent = scene.prepare("token.transfer", input).await.unwrap();
        assert_eq!(rules(&intent), ["simulation_failed"]);
        assert!(matches!(
            scene.engine.execute(&intent.intent_id).await,
            Err(EngineError::Refused { .. })
        ));
        assert_eq!(scene.tokens_of(FRIEND).await, "0");
    }

    #[tokio::test]
    async fn an_allowance_is_granted_listed_and_revoked() {
        let scene = Scene::on_testnet().await;
        let approve = scene.call(
            scene.token,
            "approve(address,uint256)",
            json!([SPENDER, "5000000"]),
        );
        let summary = scene.done("contract.call", approve).await;
        assert!(
            summary.contains(&format!("which lets {SPENDER} spend 5 of the token")),
            "{summary}"
        );
        assert_eq!(
            scene.approval(scene.token, "erc20", "allowance").await,
            "5000000"
        );

        let summary = scene
            .done("token.approvals.revoke", scene.revoke(scene.token))
            .await;
        assert!(
            summary.contains("the allowance of 5000000 base units"),
            "{summary}"
        );
        assert_eq!(scene.approval(scene.token, "erc20", "allowance").await, "0");
    }

    #[tokio::test]
    async fn an_operator_is_removed_and_never_given_the_first_picture() {
        let scene = Scene::on_testnet().await;
        let pictures = scene.collectible;
        let owner = scene.owner;
        scene
            .done(
                "contract.call",
                scene.call(pictures, "mint(address,uint256)", json!([owner, "0"])),
            )
            .await;
        let all = scene.call(
            pictures,
            "setApprovalForAll(address,bool)",
            json!([SPENDER, true]),
        );
        scene.done("contract.call", all).await;
        assert_eq!(
            scene.approval(pictures, "erc721", "approved_for_all").await,
            true
        );

        // As a fungible token, `approve(spender, 0)` would succeed here and approve picture 0.
        let error = scene
            .prepare("token.approvals.revoke", scene.revoke(pictures))
            .await
            .unwrap_err();
        assert!(
            error.to_string().contains("use erc721 or erc1155"),
            "{error}"
        );

        let mut input = scene.revoke(pictures);
        input["kind"] = json!("erc721");
        scene.done("token.approvals.revoke", input).await;
        assert_eq!(
            scene.approval(pictures, "erc721", "approved_for_all").await,
            false
        );
    }

    #[tokio::test]
    async fn the_allowlist_of_recipients_holds_for_spenders_through_the_generic_door() {
        let scene = Scene::new(json!({
            "schema": "sato.policy/v1", "network": "testnet",
            "allow_recipients": [format!("{CHAIN}:{FRIEND}")],
        }))
        .await;
        for (abi, args) in [
            ("approve(address,uint256)", json!([SPENDER, "1"])),
            ("transfer(address,uint256)", json!([SPENDER, "1"])),
        ] {
            let input = scene.call(scene.token, abi, args);
            let intent = scene.prepare("contract.call", input).await.unwrap();
            assert_eq!(rules(&intent), ["recipient_allowlist"], "{abi}");
        }
        let input = scene.call(
            scene.token,
            "approve(address,uint256)",
            json!([FRIEND, "1"]),
        );
        assert!(
            scene
                .prepare("contract.call", input)
                .await
                .unwrap()
                .policy
                .ok
        );

        // Taking a permission back needs no place on the list.
        let intent = scene
            .prepare("token.approvals.revoke", scene.revoke(scene.token))
            .await
            .unwrap();
        assert!(intent.policy.ok, "{:?}", intent.policy.refusals);
    }

    #[tokio::test]
    async fn a_simulation_tells_the_reason_of_a_revert() {
        let scene = Scene::on_testnet().await;
        let transfer = FunctionAbi::parse_text("transfer(address,uint256)").unwrap();
        let data = transfer
            .encode_call(&[json!(FRIEND), json!("100000001")])
            .unwrap();
        let input = json!({"chain": CHAIN, "from": scene.owner, "to": scene.token, "data": data});
        let found = scene.ask("tx.simulate", input).await;
        assert_eq!(found["ok"], false);
        assert!(
            found["error"]
                .as_str()
                .is_some_and(|error| error.starts_with("reverted: ")),
            "{found}"
        );
    }

    #[tokio::test]
    async fn bad_inputs_name_their_field_and_change_nothing() {
        let scene = Scene::on_testnet().await;
        let good = json!({"chain": CHAIN, "token": scene.token, "to": FRIEND, "amount": "1"});
        for (field, value, part) in [
            ("amount", json!("-1"), "sign"),
            ("amount", json!("1.5"), "point"),
            ("amount", json!("1e6"), "exponent"),
            ("amount", json!("1 0"), "white space"),
            ("amount", json!("9".repeat(78)), "256 bits"),
            ("amount", json!(1), "JSON string"),
            (
                "to",
                json!("0x000000000000000000000000000000000000DEad"),
                "EIP-55",
            ),
            ("chain", json!("bse"), "is not an EVM chain"),
        ] {
            let mut input = good.clone();
            input[field] = value.clone();
            let error = scene
                .prepare("token.transfer", input)
                .await
                .unwrap_err()
                .to_string();
            assert!(
                error.contains(&format!("`{field}`")) && error.contains(part),
                "{value}: {error}"
            );
        }
        let mut input = good;
        input["memo"] = json!("x");
        let error = scene
            .prepare("token.transfer", input)
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains("unknown field `memo`"), "{error}");
        assert_eq!(scene.tokens_of(FRIEND).await, "0");
    }
}
