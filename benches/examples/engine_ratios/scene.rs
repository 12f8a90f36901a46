//! A chain in this process with one funded account, and the parts that serve it.

use std::sync::Arc;

use alloy::primitives::U256;
use oda_chain_evm::{
    Amount, Calldata, EmbeddedChain, EvmAddress, EvmNetworks, EvmSimulator, EvmSubmitter,
    EvmTransfer, EvmTx, Genesis, LocalSigner, MainnetAccess,
};
use secrecy::SecretString;
use serde_json::{Value, json};

const CHAIN: &str = "base-sepolia";
const CHAIN_ID: u64 = 84_532;
const RECIPIENT: &str = "0x000000000000000000000000000000000000dEaD";

pub(crate) struct Scene {
    networks: Arc<EvmNetworks>,
    pub(crate) simulator: EvmSimulator,
    pub(crate) submitter: EvmSubmitter,
    pub(crate) signer: LocalSigner,
}

pub(crate) fn scene() -> Scene {
    let signer = signer();
    let account = signer.evm_address().to_alloy();
    let balance = U256::from(10).pow(U256::from(24));
    let chain = EmbeddedChain::new(Genesis::new(CHAIN_ID).with_balance(account, balance));
    let networks = Arc::new(EvmNetworks::new().with_node(CHAIN, Arc::new(chain)));
    Scene {
        simulator: EvmSimulator::new(networks.clone()),
        submitter: EvmSubmitter::new(networks.clone()),
        networks,
        signer,
    }
}

/// A throwaway key: 32 bytes of 01.
pub(crate) fn signer() -> LocalSigner {
    let key = SecretString::from("01".repeat(32));
    LocalSigner::from_secret(&key, MainnetAccess::Refused).expect("a key")
}

impl Scene {
    pub(crate) fn transfer(&self) -> EvmTransfer {
        EvmTransfer::new(self.networks.clone(), Some(self.signer.evm_address()))
    }

    pub(crate) fn input(&self) -> Value {
        json!({"chain": CHAIN, "to": RECIPIENT, "amount": "1000"})
    }

    pub(crate) fn payload(&self) -> EvmTx {
        let to: EvmAddress = RECIPIENT.parse().expect("an address");
        let from = Some(self.signer.evm_address());
        EvmTx::new(
            CHAIN,
            from,
            to,
            Calldata::default(),
            Amount::from(1_000_u64),
        )
        .expect("a payload")
    }
}
