//! Every kind of effect, on the embedded chain and on anvil, with the same assertions; and both give the
//! same simulation, gas included.

use std::sync::Arc;

use alloy::primitives::{Address, U256, keccak256};
use alloy::sol_types::SolCall as _;
use oda_chain_evm::{CallRequest, EvmNetworks, EvmSimulator, PERMIT2};
use oda_core::{Change, SimulatedEffects, Simulation, UnixMillis};

use crate::assembly;
use crate::scene::{
    Collectible, Multi, SPENDER, SUPPLY, Scene, Token, assembled, call, paying, permit2_that_logs,
    word,
};
use crate::stage::{CHAIN, OTHER, SENDER, Stage, stages};

const NOW: UnixMillis = UnixMillis::new(1_790_424_000_000);

async fn simulate(stage: &dyn Stage, request: &CallRequest) -> Simulation {
    let networks = EvmNetworks::new().with_node(CHAIN, stage.node());
    EvmSimulator::new(Arc::new(networks))
        .simulate_call(CHAIN, request, NOW)
        .await
        .unwrap()
}

/// The effects of a call that succeeds.
async fn effects(stage: &dyn Stage, request: &CallRequest) -> (Vec<Change>, Vec<String>) {
    let simulation = simulate(stage, request).await;
    assert!(simulation.ok, "{}: {simulation:?}", stage.name());
    assert!(simulation.gas_estimate.is_some());
    assert_eq!(simulation.as_of, "2026-09-26T12:00:00.000Z");
    match simulation.effects {
        Some(SimulatedEffects::Known {
            changes,
            not_attributed,
        }) => (changes, not_attributed),
        other => panic!("{}: {other:?}", stage.name()),
    }
}

fn balance(asset: Option<Address>, delta: &str) -> Change {
    Change::Balance {
        account: SENDER.to_string(),
        asset: asset.map_or_else(|| "native".to_owned(), |asset| asset.to_string()),
        delta: delta.to_owned(),
    }
}

fn allowance(asset: Address, amount: &str, standard: &str) -> Change {
    Change::Allowance {
        owner: SENDER.to_string(),
        spender: SPENDER.to_string(),
        asset: asset.to_string(),
        amount: amount.to_owned(),
        standard: standard.to_owned(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn native_currency_is_counted_with_what_comes_back() {
    for stage in stages() {
        let stage = &*stage;
        let seen = effects(stage, &paying(OTHER, vec![], 5)).await;
        assert_eq!(
            seen,
            (vec![balance(None, "-5")], vec![]),
            "{}",
            stage.name()
        );

        let half = assembled(stage, 1, assembly::all(&[assembly::sends_half_back()])).await;
        let seen = effects(stage, &paying(half, vec![], 10)).await;
        assert_eq!(
            seen,
            (vec![balance(None, "-5")], vec![]),
            "{}",
            stage.name()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_are_counted_and_allowances_named() {
    for stage in stages() {
        let stage = &*stage;
        let scene = Scene::set(stage).await;
        let transfer = Token::transferCall {
            to: OTHER,
            value: U256::from(1_500),
        }
        .abi_encode();
        let seen = effects(stage, &call(scene.token, transfer)).await;
        assert_eq!(
            seen,
            (vec![balance(Some(scene.token), "-1500")], vec![]),
            "{}",
            stage.name()
        );

        let approve = Token::approveCall {
            spender: SPENDER,
            value: U256::MAX,
        }
        .abi_encode();
        let seen = effects(stage, &call(scene.token, approve)).await;
        let limit = U256::MAX.to_string();
        assert_eq!(
            seen,
            (vec![allowance(scene.token, &limit, "erc20")], vec![])
        );

        let revoke = Token::approveCall {
            spender: SPENDER,
            value: U256::ZERO,
        }
        .abi_encode();
        let seen = effects(stage, &call(scene.token, revoke)).await;
        assert_eq!(seen, (vec![allowance(scene.token, "0", "erc20")], vec![]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_sender_receives_counts_and_what_others_do_among_themselves_does_not() {
    for stage in stages() {
        let stage = &*stage;
        let scene = Scene::set(stage).await;
        let grant = Token::approveCall {
            spender: SENDER,
            value: U256::from(900),
        }
        .abi_encode();
        let fund = Token::transferCall {
            to: OTHER,
            value: U256::from(500),
        }
        .abi_encode();
        stage.act(SENDER, scene.token, fund).await;
        stage.act(OTHER, scene.token, grant).await;

        let take = |to| {
            let value = U256::from(200);
            call(
                scene.token,
                Token::transferFromCall {
                    from: OTHER,
                    to,
                    value,
                }
                .abi_encode(),
            )
        };
        let seen = effects(stage, &take(SENDER)).await;
        assert_eq!(
            seen,
            (vec![balance(Some(scene.token), "200")], vec![]),
            "{}",
            stage.name()
        );
        let seen = effects(stage, &take(SPENDER)).await;
        assert_eq!(seen, (vec![], vec![]), "{}", stage.name());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn approvals_of_collections_are_named() {
    for stage in stages() {
        let stage = &*stage;
        let scene = Scene::set(stage).await;
        let id = U256::from(7);
        let approve = Collectible::approveCall {
            approved: SPENDER,
            tokenId: id,
        }
        .abi_encode();
        let (changes, lines) = effects(stage, &call(scene.collectible, approve)).await;
        let expected = Change::TokenApproval {
            owner: SENDER.to_string(),
            operator: SPENDER.to_string(),
            asset: scene.collectible.to_string(),
            token_id: "7".to_owned(),
        };
        assert_eq!(
            (changes, lines),
            (vec![expected], vec![]),
            "{}",
            stage.name()
        );

        for (collection, data) in [
            (
                scene.collectible,
                Collectible::setApprovalForAllCall {
                    operator: SPENDER,
                    approved: true,
                }
                .abi_encode(),
            ),
            (
                scene.multi,
                Multi::setApprovalForAllCall {
                    operator: SPENDER,
                    approved: true,
                }
                .abi_encode(),
            ),
        ] {
            let (changes, lines) = effects(stage, &call(collection, data)).await;
            let expected = Change::OperatorApproval {
                owner: SENDER.to_string(),
                operator: SPENDER.to_string(),
                asset: collection.to_string(),
                approved: true,
            };
            assert_eq!(
                (changes, lines),
                (vec![expected], vec![]),
                "{}",
                stage.name()
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_of_collections_that_move_are_listed() {
    for stage in stages() {
        let stage = &*stage;
        let scene = Scene::set(stage).await;
        let id = U256::from(7);
        let leave = Collectible::transferFromCall {
            from: SENDER,
            to: OTHER,
            tokenId: id,
        }
        .abi_encode();
        let (changes, lines) = effects(stage, &call(scene.collectible, leave)).await;
        assert_eq!(changes, vec![]);
        let token = scene.collectible;
        assert_eq!(
            lines,
            [format!(
                "token 7 of {token} (erc721) leaves the sender for {OTHER}"
            )]
        );

        let leave = Multi::safeTransferFromCall {
            from: SENDER,
            to: OTHER,
            id: U256::from(3),
            value: U256::from(20),
            data: vec![].into(),
        };
        let (changes, lines) = effects(stage, &call(scene.multi, leave.abi_encode())).await;
        assert_eq!(changes, vec![]);
        let token = scene.multi;
        assert_eq!(
            lines,
            [format!(
                "20 of token 3 of {token} (erc1155) leaves the sender for {OTHER}"
            )]
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn permit2_speaks_for_its_tokens() {
    let token = Address::with_last_byte(0x77);
    let (limit, expiry, nonce) = (U256::from(900), U256::from(1_900_000_000), U256::ZERO);
    for stage in stages() {
        let stage = &*stage;
        for (event, indexed, words, amount) in [
            (
                "Approval(address,address,address,uint160,uint48)",
                vec![SENDER, token, SPENDER],
                vec![limit, expiry],
                "900",
            ),
            (
                "Permit(address,address,address,uint160,uint48,uint48)",
                vec![SENDER, token, SPENDER],
                vec![limit, expiry, nonce],
                "900",
            ),
            (
                "Lockdown(address,address,address)",
                vec![SENDER],
                vec![word(token), word(SPENDER)],
                "0",
            ),
        ] {
            permit2_that_logs(stage, event, &indexed, &words).await;
            let seen = effects(stage, &call(PERMIT2, vec![])).await;
            assert_eq!(
                seen,
                (vec![allowance(token, amount, "permit2")], vec![]),
                "{event}"
            );
        }
        // The same event from anywhere else is just an event.
        let topics = [
            keccak256("Approval(address,address,address,uint160,uint48)"),
            SENDER.into_word(),
            token.into_word(),
            SPENDER.into_word(),
        ];
        let code = assembly::all(&[assembly::logs(&topics, &[limit, expiry])]);
        let impostor = assembled(stage, 2, code).await;
        let (changes, lines) = effects(stage, &call(impostor, vec![])).await;
        assert_eq!((changes.len(), lines.len()), (0, 1), "{}", stage.name());
        assert!(
            lines[0].starts_with(&format!("{impostor} logs the event 0xda9fa7c1")),
            "{lines:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_moves_without_a_log_is_found_out() {
    for stage in stages() {
        let stage = &*stage;
        let silent = assembly::balance_from_slot(&assembly::raises_slot(7));
        let silent = assembled(stage, 3, silent).await;
        let (changes, lines) = effects(stage, &call(silent, vec![])).await;
        assert_eq!(changes, vec![]);
        let expected = [
            format!("{silent} changes balanceOf of the sender by 7 without a Transfer log"),
            format!("storage of {silent} changes and it writes no log"),
        ];
        assert_eq!(lines, expected, "{}", stage.name());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_whose_logs_lie_is_shown_as_it_acts() {
    for stage in stages() {
        let stage = &*stage;
        let topics = [
            keccak256("Transfer(address,address,uint256)"),
            SPENDER.into_word(),
            SENDER.into_word(),
        ];
        // It claims to give 1,000 and gives 3.
        let body = [
            assembly::logs(&topics, &[U256::from(1_000)]),
            assembly::raises_slot(3),
        ]
        .concat();
        let liar = assembled(stage, 4, assembly::balance_from_slot(&body)).await;
        let (changes, lines) = effects(stage, &call(liar, vec![])).await;
        assert_eq!(changes, [balance(Some(liar), "3")], "{}", stage.name());
        assert_eq!(
            lines,
            [format!(
                "{liar} logs a change of 1000 for the sender, but its balanceOf changes by 3"
            )]
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_failed_inner_call_did_does_not_count() {
    for stage in stages() {
        let stage = &*stage;
        let topics = [
            keccak256("Approval(address,address,uint256)"),
            SENDER.into_word(),
            SPENDER.into_word(),
        ];
        let undone = assembly::all(&[
            assembly::logs(&topics, &[U256::from(5)]),
            assembly::raises_slot(1),
            assembly::creates(),
            assembly::reverts(),
        ]);
        let undone = assembled(stage, 5, undone).await;
        let outer = assembled(stage, 6, assembly::all(&[assembly::calls(undone)])).await;
        assert_eq!(
            effects(stage, &call(outer, vec![])).await,
            (vec![], vec![]),
            "{}",
            stage.name()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn creations_and_self_destructions_are_listed() {
    for stage in stages() {
        let stage = &*stage;
        let maker = assembled(stage, 7, assembly::all(&[assembly::creates()])).await;
        let (changes, lines) = effects(stage, &call(maker, vec![])).await;
        assert_eq!(changes, vec![]);
        assert_eq!(lines.len(), 1, "{}: {lines:?}", stage.name());
        assert!(
            lines[0].starts_with("a contract is created at 0x"),
            "{lines:?}"
        );

        let doomed = assembled(stage, 8, assembly::destroys_itself()).await;
        stage.set_balance(doomed, U256::from(40)).await;
        let (changes, lines) = effects(stage, &call(doomed, vec![])).await;
        assert_eq!(changes, [balance(None, "40")], "{}", stage.name());
        assert_eq!(lines, [format!("the contract {doomed} runs SELFDESTRUCT")]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn code_that_runs_as_the_sender_is_listed() {
    for stage in stages() {
        let stage = &*stage;
        let library = assembled(stage, 9, assembly::all(&[assembly::raises_slot(1)])).await;
        let delegate =
            assembled(stage, 10, assembly::all(&[assembly::delegates_to(library)])).await;
        let caller = assembled(stage, 11, assembly::all(&[assembly::calls_back()])).await;
        // The designator of EIP-7702: the sender's account runs the delegate's code.
        stage
            .set_code(SENDER, [&[0xef, 0x01, 0x00], delegate.as_slice()].concat())
            .await;
        let (changes, lines) = effects(stage, &call(caller, vec![])).await;
        assert_eq!(changes, vec![], "{}", stage.name());
        assert_eq!(
            lines,
            [
                format!("code of {delegate} runs as the sender's own account"),
                format!("code of {library} runs as the sender's own account"),
                "storage of the sender's own account changes".to_owned(),
            ],
            "{}",
            stage.name()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revert_is_an_answer_with_its_reason() {
    for stage in stages() {
        let stage = &*stage;
        let scene = Scene::set(stage).await;
        let too_much = Token::transferCall {
            to: OTHER,
            value: U256::from(SUPPLY + 1),
        }
        .abi_encode();
        let foreign = Collectible::transferFromCall {
            from: SENDER,
            to: OTHER,
            tokenId: U256::from(8),
        };
        for (request, reason) in [
            (
                call(scene.token, too_much),
                "reverted: TestToken: transfer amount exceeds balance".to_owned(),
            ),
            (
                call(scene.collectible, foreign.abi_encode()),
                "reverted: ERC721NonexistentToken(8)".to_owned(),
            ),
        ] {
            let simulation = simulate(stage, &request).await;
            assert!(!simulation.ok);
            assert_eq!(simulation.error, Some(reason), "{}", stage.name());
            assert_eq!(simulation.gas_estimate, None);
            assert!(simulation.block.is_some());
        }
        let mut poor = paying(OTHER, vec![], 1);
        poor.from = Some(SPENDER);
        let simulation = simulate(stage, &poor).await;
        let error = simulation.error.unwrap();
        assert!(
            error.starts_with("call_failed: "),
            "{}: {error}",
            stage.name()
        );
        assert!(
            error.to_lowercase().contains("insufficient funds"),
            "{}: {error}",
            stage.name()
        );
    }
}

/// One chain, two implementations: the same calls on the same state have the same effects and the same gas.
#[tokio::test(flavor = "multi_thread")]
async fn embedded_and_anvil_agree() {
    let stages = stages();
    let [embedded, anvil] = stages.as_slice() else {
        return;
    };
    let requests = twin_requests(&**embedded).await;
    assert_eq!(
        requests,
        twin_requests(&**anvil).await,
        "contracts stand at the same addresses"
    );
    for request in requests {
        let here = simulate(&**embedded, &request).await;
        let there = simulate(&**anvil, &request).await;
        assert_eq!([&*here.method, &*there.method], ["revm", "eth_simulateV1"]);
        assert_eq!(
            (here.ok, here.gas_estimate, here.error, here.effects),
            (there.ok, there.gas_estimate, there.error, there.effects),
            "{request:?}"
        );
    }
}

/// Sets a scene and returns calls of everything in it.
async fn twin_requests(stage: &dyn Stage) -> Vec<CallRequest> {
    let scene = Scene::set(stage).await;
    let half = assembly::all(&[assembly::sends_half_back()]);
    let half = assembled(stage, 1, half).await;
    let silent = assembly::balance_from_slot(&assembly::raises_slot(7));
    let silent = assembled(stage, 3, silent).await;
    let maker = assembled(stage, 7, assembly::all(&[assembly::creates()])).await;
    let doomed = assembled(stage, 8, assembly::destroys_itself()).await;
    stage.set_balance(doomed, U256::from(40)).await;
    let (spender, id) = (SPENDER, U256::from(7));
    let transfer = |to, value| call(scene.token, Token::transferCall { to, value }.abi_encode());
    let value = U256::ONE;
    let approve = Token::approveCall { spender, value }.abi_encode();
    let (approved, operator) = (OTHER, OTHER);
    let (from, to, token_id) = (SENDER, OTHER, id);
    let give = Collectible::transferFromCall {
        from,
        to,
        tokenId: token_id,
    }
    .abi_encode();
    let lend = Collectible::approveCall {
        approved,
        tokenId: id,
    }
    .abi_encode();
    let (approved, data) = (true, vec![1, 2].into());
    let open = Multi::setApprovalForAllCall { operator, approved }.abi_encode();
    let hand_over = Multi::safeTransferFromCall {
        from,
        to,
        id: U256::from(3),
        value,
        data,
    };
    vec![
        paying(OTHER, vec![], 5),
        paying(half, vec![], 11),
        paying(OTHER, vec![7; 300], 0),
        call(silent, vec![]),
        call(maker, vec![]),
        call(doomed, vec![]),
        transfer(OTHER, value),
        transfer(SENDER, value),
        transfer(OTHER, U256::from(SUPPLY)),
        transfer(OTHER, U256::MAX),
        transfer(Address::ZERO, value),
        call(scene.token, approve),
        call(scene.token, vec![1, 2, 3, 4]),
        call(scene.token, vec![]),
        call(scene.collectible, lend),
        call(scene.collectible, give),
        call(scene.multi, open),
        call(scene.multi, hand_over.abi_encode()),
    ]
}
