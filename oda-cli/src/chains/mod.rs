//! The chains that this build knows, and how the flags and variables reach them.

#[cfg(feature = "evm")]
pub(crate) mod evm;
#[cfg(feature = "evm")]
mod nodes;

use oda_core::EngineBuilder;

use crate::args::{KeystoreArgs, NodeArgs};
use crate::environment::Environment;
use crate::error::CliError;

/// What a command needs the local key for.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(
    not(feature = "evm"),
    expect(dead_code, reason = "the chains read it, and this build has none")
)]
pub(crate) enum Key<'a> {
    /// For nothing: no key is looked for.
    Unused,
    /// For its address, so that inputs need not name the sender. Nothing is decrypted.
    Address(&'a KeystoreArgs),
    /// For signing.
    Signing {
        keystore: &'a KeystoreArgs,
        allow_mainnet: bool,
    },
}

/// Every chain with its nodes and its key.
#[derive(Debug, Clone)]
pub(crate) struct Chains {
    #[cfg(feature = "evm")]
    evm: evm::Evm,
}

impl Chains {
    /// The chains without nodes and without a key: enough to say what there is.
    pub(crate) fn unconnected() -> Self {
        Self {
            #[cfg(feature = "evm")]
            evm: evm::Evm::unconnected(),
        }
    }

    /// The chains with the nodes and the key that flags and variables name. Nobody is asked yet.
    pub(crate) async fn connect(
        nodes: &NodeArgs,
        key: Key<'_>,
        environment: &Environment,
    ) -> Result<Self, CliError> {
        #[cfg(feature = "evm")]
        return Ok(Self {
            evm: evm::Evm::connect(nodes, key, environment).await?,
        });
        #[cfg(not(feature = "evm"))]
        {
            let _ = (nodes, key, environment);
            Ok(Self {})
        }
    }

    /// The EVM chains, connected already.
    #[cfg(feature = "evm")]
    pub(crate) const fn of_evm(evm: evm::Evm) -> Self {
        Self { evm }
    }

    /// Plugs every chain into an engine.
    pub(crate) fn plug(self, engine: EngineBuilder) -> EngineBuilder {
        #[cfg(feature = "evm")]
        let engine = self.evm.plug(engine);
        engine
    }
}
