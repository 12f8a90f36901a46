//! EVM.
mod abi;
mod actions;
mod address;
mod amount;
mod chains;
mod error;
mod keystore;
mod known_calls;
mod networks;
mod node;
mod private_file;
mod signer_local;
mod terms;
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
pub use error::{AddressRule, AmountRule, CalldataRule, EvmError, Quoted};
pub use keystore::{create_keystore, keystore_address};
pub use known_calls::{KnownCall, known_call};
pub use networks::EvmNetworks;
pub use node::{
    BlockRef, CallOutcome, CallRequest, CountAt, EvmNode, FeeSuggestion, NodeError, ReceiptInfo,
    SendOutcome, TransactionInfo,
};
pub use private_file::read_password_file;
pub use signer_local::{LocalSigner, MainnetAccess, eip1559, lane_key, signed_transaction};
pub use terms::{
    EvmTerms, MAX_FEE_WEI_ETHER, MAX_FEE_WEI_POLYGON, MAX_GAS_LIMIT, default_fee_limit,
};
pub use tokens::{TokenId, base_units_to_number, native_symbol, usd_value};
pub use trace::{Internals, NativeTransfer, Trace, TracedCall, TracedLog};
pub use tx::EvmTx;
