//! What an agent can call on EVM chains.

mod approval;
mod approvals_list;
mod approvals_revoke;
mod chain_read;
mod common;
mod contract_call;
mod facts;
mod schema;
mod token_info;
mod transfer_native;
mod transfer_token;
mod tx_simulate;

pub use approvals_list::{ApprovalsList, ApprovalsListInput};
pub use approvals_revoke::{ApprovalsRevoke, ApprovalsRevokeInput};
pub use chain_read::{ChainRead, ChainReadInput, ReadKind};
pub use common::{ApprovalKind, EvmChain};
pub use contract_call::{ContractCall, ContractCallInput};
pub use transfer_native::{EvmTransfer, EvmTransferInput};
pub use transfer_token::{TokenTransfer, TokenTransferInput};
pub use tx_simulate::{TxSimulate, TxSimulateInput};

use std::sync::Arc;

use oda_core::{Action, Descriptor, EngineBuilder, Query, Simulator};

use crate::address::EvmAddress;
use crate::networks::EvmNetworks;
use crate::tx::EvmTx;

/// Every action and query of this crate, ready to be put into an engine.
///
/// ```
/// use std::sync::Arc;
///
/// use oda_chain_evm::{EvmActions, EvmNetworks};
/// # use oda_chain_evm::EvmTx;
/// # use oda_core::{ChainError, Simulation, Simulator, UnixMillis};
/// # struct Never;
/// # #[async_trait::async_trait]
/// # impl Simulator for Never {
/// #     type Payload = EvmTx;
/// #     async fn simulate(&self, _: &EvmTx, _: UnixMillis) -> Result<Simulation, ChainError> {
/// #         Err(ChainError::Unavailable { node: "none".into(), reason: "none".into() })
/// #     }
/// # }
/// # let simulator = Arc::new(Never);
///
/// let actions = EvmActions::new(Arc::new(EvmNetworks::new()), simulator, None);
/// let ids: Vec<_> = actions.descriptors().iter().map(|d| d.id.as_str().to_owned()).collect();
/// assert!(ids.contains(&"token.transfer".to_owned()));
/// ```
#[derive(Debug)]
pub struct EvmActions {
    chain_read: ChainRead,
    tx_simulate: TxSimulate,
    evm_transfer: EvmTransfer,
    token_transfer: TokenTransfer,
    approvals_list: ApprovalsList,
    approvals_revoke: ApprovalsRevoke,
    contract_call: ContractCall,
}

impl EvmActions {
    /// The actions over these networks. `default_from` is the configured signer's address: who sends when
    /// an input does not say. Without it, such an input is refused.
    #[must_use]
    pub fn new(
        networks: Arc<EvmNetworks>,
        simulator: Arc<dyn Simulator<Payload = EvmTx>>,
        default_from: Option<EvmAddress>,
    ) -> Self {
        Self {
            chain_read: ChainRead::new(Arc::clone(&networks)),
            tx_simulate: TxSimulate::new(simulator),
            evm_transfer: EvmTransfer::new(networks.clone(), default_from),
            token_transfer: TokenTransfer::new(Arc::clone(&networks), default_from),
            approvals_list: ApprovalsList::new(Arc::clone(&networks)),
            approvals_revoke: ApprovalsRevoke::new(Arc::clone(&networks)),
            contract_call: ContractCall::new(networks, default_from),
        }
    }

    /// What they are, in the order in which people read them.
    #[must_use]
    pub fn descriptors(&self) -> [&Descriptor; 7] {
        [
            self.chain_read.descriptor(),
            self.tx_simulate.descriptor(),
            self.evm_transfer.descriptor(),
            self.token_transfer.descriptor(),
            self.approvals_list.descriptor(),
            self.approvals_revoke.descriptor(),
            self.contract_call.descriptor(),
        ]
    }

    /// Puts all of them into an engine.
    #[must_use]
    pub fn register(self, engine: EngineBuilder) -> EngineBuilder {
        engine
            .query(self.chain_read)
            .query(self.tx_simulate)
            .action(self.evm_transfer)
            .action(self.token_transfer)
            .query(self.approvals_list)
            .action(self.approvals_revoke)
            .action(self.contract_call)
    }
}

#[cfg(test)]
mod fake_node;
#[cfg(test)]
mod tests;
