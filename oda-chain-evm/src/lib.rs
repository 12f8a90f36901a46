//! EVM transactions: build, simulate, sign, submit and reconcile.
//!
//! # What it promises
//!
//! * A node is asked which chain it serves before it is asked anything else, every time.
//! * A simulation happens at one block, which it names. It reports what the sender would gain, lose and
//!   grant, and lists what it saw and could not name; what it could not see at all it says, too.
//! * An answer that is not certain is never reported as certain: neither "accepted" nor "refused", and a
//!   transaction is dead only when a final block proves it.
//! * Nothing is retried, replaced or raised behind the caller's back. No error shows a key or the URL that
//!   may hold one.
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | none | nodes over JSON-RPC |
//! | `embedded` (default) | [`EmbeddedChain`], an EVM in this process, on its own or forked from a node |
//!
//! # Example
//!
//! ```
//! # #[cfg(feature = "embedded")]
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! use std::sync::Arc;
//!
//! use alloy::primitives::{Address, U256};
//! use oda_chain_evm::{CallRequest, EmbeddedChain, EvmNetworks, EvmSimulator, Genesis};
//! use oda_core::UnixMillis;
//!
//! let (alice, bob) = (Address::repeat_byte(0xa1), Address::repeat_byte(0xb0));
//! let chain = EmbeddedChain::new(Genesis::new(84_532).with_balance(alice, U256::from(100)));
//! let networks = EvmNetworks::new().with_node("base-sepolia", Arc::new(chain));
//!
//! let call = CallRequest { from: Some(alice), to: bob, data: vec![].into(), value: U256::from(40) };
//! let now = UnixMillis::new(1_790_424_000_000);
//! let simulation =
//!     EvmSimulator::new(Arc::new(networks)).simulate_call("base-sepolia", &call, now).await?;
//! assert!(simulation.ok);
//! assert_eq!(simulation.gas_estimate.as_deref(), Some("21000"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod abi;
mod actions;
mod address;
mod amount;
mod chains;
mod effects;
mod effects_logs;
mod effects_tally;
#[cfg(feature = "embedded")]
mod embedded;
#[cfg(feature = "embedded")]
mod embedded_blocks;
#[cfg(feature = "embedded")]
mod embedded_evm;
#[cfg(feature = "embedded")]
mod embedded_fork;
#[cfg(feature = "embedded")]
mod embedded_genesis;
#[cfg(feature = "embedded")]
mod embedded_node;
#[cfg(feature = "embedded")]
mod embedded_state;
#[cfg(feature = "embedded")]
mod embedded_tracer;
mod error;
mod fees;
mod keystore;
mod known_calls;
mod networks;
mod node;
mod private_file;
mod revert;
mod rpc_client;
mod rpc_frames;
mod rpc_node;
mod rpc_send;
mod rpc_trace;
mod signer_local;
mod simulator;
mod submitter;
mod terms;
mod text;
mod token_check;
mod tokens;
mod trace;
mod tx;

pub use abi::{FunctionAbi, Mutability, encode_call, selector};
pub use actions::{
    ApprovalKind, ApprovalsList, ApprovalsListInput, ApprovalsRevoke, ApprovalsRevokeInput,
    ChainRead, ChainReadInput, ContractCall, ContractCallInput, EvmActions, EvmChain, EvmTransfer,
    EvmTransferInput, ReadKind, TokenTransfer, TokenTransferInput, TxSimulate, TxSimulateInput,
};
pub use address::EvmAddress;
pub use amount::{Amount, Calldata, MAX_CALLDATA_BYTES};
pub use chains::{chain_id_of, chain_name_of, chain_names};
pub use effects::{MAX_CHANGES, MAX_NOT_ATTRIBUTED, effects_of};
pub use effects_logs::PERMIT2;
#[cfg(feature = "embedded")]
pub use embedded::{EmbeddedChain, EmbeddedError};
#[cfg(feature = "embedded")]
pub use embedded_genesis::{BaseFee, Genesis};
pub use error::{AddressRule, AmountRule, CalldataRule, EvmError, Quoted};
pub use fees::{
    BASE_FEE_MULTIPLE, DEFAULT_MAX_FEE_PER_GAS, GAS_MARGIN_PERCENT, TRANSACTION_GAS_CAP,
};
pub use keystore::{create_keystore, keystore_address};
pub use known_calls::{KnownCall, known_call};
pub use networks::EvmNetworks;
pub use node::{
    BlockRef, CallOutcome, CallRequest, CountAt, EvmNode, FeeSuggestion, NodeError, ReceiptInfo,
    SendOutcome, TransactionInfo,
};
pub use private_file::read_password_file;
pub use revert::revert_reason;
pub use rpc_client::{
    CONNECT_TIMEOUT, MAX_ANSWER_BYTES, NodeUrlError, REQUEST_TIMEOUT, RpcTimeouts,
};
pub use rpc_node::RpcNode;
pub use signer_local::{LocalSigner, MainnetAccess, eip1559, lane_key, signed_transaction};
pub use simulator::EvmSimulator;
pub use submitter::{CONFIRMATIONS_WITHOUT_FINALITY, EvmSubmitter};
pub use terms::{
    EvmTerms, MAX_FEE_WEI_ETHER, MAX_FEE_WEI_POLYGON, MAX_GAS_LIMIT, default_fee_limit,
};
pub use token_check::TokenBalance;
pub use tokens::{TokenId, base_units_to_number, native_symbol, usd_value};
pub use trace::{Internals, NativeTransfer, Trace, TracedCall, TracedLog};
pub use tx::EvmTx;
