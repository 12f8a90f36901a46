//! Running the EVM on a view of the state. The only file that configures it.

use alloy::primitives::{Address, Bytes, TxKind, U256};
use revm::context::result::{EVMError, ExecutionResult, InvalidTransaction, ResultAndState};
use revm::context::{BlockEnv, Context, TxEnv};
use revm::database_interface::WrapDatabaseRef;
use revm::primitives::hardfork::SpecId;
use revm::{ExecuteEvm, InspectEvm, MainBuilder, MainContext};

use crate::embedded_state::{StateError, View};
use crate::embedded_tracer::Tracer;
use crate::node::{BlockRef, CallOutcome, CallRequest};
use crate::revert::revert_reason;

/// The rules that the embedded chain follows: those of Ethereum's mainnet since December 2025.
const RULES: SpecId = SpecId::OSAKA;

/// What every transaction costs before it does anything (Ethereum yellow paper, G_transaction).
const BASE_GAS: u64 = 21_000;

pub(crate) type EvmFailure = EVMError<StateError>;

/// The block that is executed in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Surroundings {
    pub(crate) chain_id: u64,
    pub(crate) block: BlockRef,
}

/// How strictly a transaction is checked before it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Checks {
    /// As a block's transaction: nonce, fees, balance, limits.
    Transaction,
    /// As `eth_call`: only that the sender has the value.
    Call,
}

macro_rules! evm {
    ($view:expr, $around:expr, $checks:expr) => {{
        let block = block_env(&$around.block);
        Context::mainnet()
            .with_db(WrapDatabaseRef($view))
            .with_block(block)
            .modify_cfg_chained(|cfg| {
                cfg.set_spec_and_mainnet_gas_params(RULES);
                cfg.chain_id = $around.chain_id;
                if $checks == Checks::Call {
                    cfg.disable_nonce_check = true;
                    cfg.disable_base_fee = true;
                    cfg.disable_eip3607 = true;
                    cfg.tx_gas_limit_cap = Some(u64::MAX);
                }
            })
    }};
}

pub(crate) fn run(
    view: &View,
    around: &Surroundings,
    checks: Checks,
    tx: TxEnv,
) -> Result<ResultAndState, EvmFailure> {
    evm!(view, around, checks).build_mainnet().transact(tx)
}

pub(crate) fn run_traced(
    view: &View,
    around: &Surroundings,
    tx: TxEnv,
) -> Result<(ResultAndState, Tracer), EvmFailure> {
    let tracer = Tracer::new(tx.caller);
    let mut evm = evm!(view, around, Checks::Call).build_mainnet_with_inspector(tracer);
    let result = evm.inspect_tx(tx)?;
    Ok((result, evm.into_inspector()))
}

fn block_env(block: &BlockRef) -> BlockEnv {
    BlockEnv {
        number: U256::from(block.number),
        timestamp: U256::from(block.timestamp),
        gas_limit: block.gas_limit,
        basefee: block.base_fee_per_gas.unwrap_or_default(),
        prevrandao: Some(block.hash),
        ..BlockEnv::default()
    }
}

/// A call as a transaction without fees.
pub(crate) fn call_tx(request: &CallRequest, around: &Surroundings, gas_limit: u64) -> TxEnv {
    TxEnv {
        caller: request.from.unwrap_or(Address::ZERO),
        gas_limit,
        gas_price: 0,
        kind: TxKind::Call(request.to),
        value: request.value,
        data: request.data.clone(),
        chain_id: Some(around.chain_id),
        ..TxEnv::default()
    }
}

/// The smallest gas limit under which the call succeeds, found by bisection; or why it never does.
pub(crate) fn estimate(
    view: &View,
    around: &Surroundings,
    request: &CallRequest,
) -> Result<Result<u64, CallOutcome>, EvmFailure> {
    let limit = around.block.gas_limit;
    let attempt = |gas: u64| run(view, around, Checks::Call, call_tx(request, around, gas));
    let first = match attempt(limit) {
        Ok(first) => first.result,
        Err(EVMError::Transaction(reason)) => return Ok(Err(invalid(&reason))),
        Err(error) => return Err(error),
    };
    if !first.is_success() {
        return Ok(Err(outcome(&first)));
    }
    // Refunds are paid at the end, so a call can need more than it is charged, never less than the base.
    let mut too_low = BASE_GAS - 1;
    let mut enough = limit;
    let mut guess = first.tx_gas_used().max(BASE_GAS);
    while enough - too_low > 1 {
        let succeeded = match attempt(guess) {
            Ok(run) => run.result.is_success(),
            Err(EVMError::Transaction(_)) => false,
            Err(error) => return Err(error),
        };
        if succeeded {
            enough = guess;
        } else {
            too_low = guess;
        }
        guess = too_low + (enough - too_low) / 2;
    }
    Ok(Ok(enough))
}

/// The answer to a call.
pub(crate) fn outcome(result: &ExecutionResult) -> CallOutcome {
    match result {
        ExecutionResult::Success { output, .. } => CallOutcome::Success {
            output: output.data().clone(),
        },
        ExecutionResult::Revert { output, .. } => CallOutcome::Revert {
            data: output.clone(),
            reason: revert_reason(output),
        },
        ExecutionResult::Halt { reason, .. } => CallOutcome::Failed {
            reason: reason.to_string(),
        },
    }
}

/// The answer to a call that cannot begin.
pub(crate) fn invalid(reason: &InvalidTransaction) -> CallOutcome {
    CallOutcome::Failed {
        reason: reason_text(reason),
    }
}

/// Why a transaction cannot be included, in the words that nodes use where they have some.
pub(crate) fn reason_text(reason: &InvalidTransaction) -> String {
    match reason {
        InvalidTransaction::LackOfFundForMaxFee { fee, balance } => {
            format!("insufficient funds for gas * price + value: balance {balance}, needed {fee}")
        }
        InvalidTransaction::CallGasCostMoreThanGasLimit {
            initial_gas,
            gas_limit,
        } => {
            format!("intrinsic gas too low: gas limit {gas_limit}, needed {initial_gas}")
        }
        InvalidTransaction::GasPriceLessThanBasefee => {
            "max fee per gas less than block base fee".to_owned()
        }
        other => other.to_string(),
    }
}

/// A creation with these bytes, from an account that needs no key and no fee.
pub(crate) fn creation_tx(from: Address, nonce: u64, code: Bytes, around: &Surroundings) -> TxEnv {
    TxEnv {
        caller: from,
        gas_limit: around.block.gas_limit,
        gas_price: 0,
        kind: TxKind::Create,
        data: code,
        nonce,
        chain_id: Some(around.chain_id),
        ..TxEnv::default()
    }
}
