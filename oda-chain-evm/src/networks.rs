//! Which node serves which chain, and the check that it really does.

use std::collections::BTreeMap;
use std::sync::Arc;

use oda_core::ChainError;

use crate::chains::chain_id_of;
use crate::node::EvmNode;

/// Which node serves which chain.
///
/// Cheap to clone: the nodes are shared.
#[derive(Debug, Clone, Default)]
pub struct EvmNetworks {
    nodes: BTreeMap<String, Entry>,
}

#[derive(Debug, Clone)]
struct Entry {
    expected: Option<u64>,
    node: Arc<dyn EvmNode>,
}

impl EvmNetworks {
    /// No chain at all.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces the node of one of the chains that ODA draft 0 names.
    ///
    /// A chain it does not name is refused by [`EvmNetworks::checked`]: use
    /// [`EvmNetworks::with_chain`] and say which id it has.
    #[must_use]
    pub fn with_node(mut self, chain: impl Into<String>, node: Arc<dyn EvmNode>) -> Self {
        let chain = chain.into();
        let expected = chain_id_of(&chain);
        self.nodes.insert(chain, Entry { expected, node });
        self
    }

    /// Adds or replaces the node of a chain that ODA draft 0 does not name, such as a private one.
    ///
    /// The id of a chain that it does name cannot be changed: it wins over `chain_id`.
    #[must_use]
    pub fn with_chain(
        mut self,
        chain: impl Into<String>,
        chain_id: u64,
        node: Arc<dyn EvmNode>,
    ) -> Self {
        let chain = chain.into();
        let expected = Some(chain_id_of(&chain).unwrap_or(chain_id));
        self.nodes.insert(chain, Entry { expected, node });
        self
    }

    /// The chains that have a node, in order of name.
    pub fn chains(&self) -> impl Iterator<Item = &str> {
        self.nodes.keys().map(String::as_str)
    }

    /// The node of a chain, after it was asked which chain it serves.
    ///
    /// It is asked every time: a node behind a load balancer, or a local one that was restarted, can serve
    /// another chain than a moment ago.
    ///
    /// # Errors
    ///
    /// [`ChainError::NoNode`] when none is configured or the chain's id is not known,
    /// [`ChainError::WrongChain`] when it serves another one, [`ChainError::Unavailable`] when it does not
    /// answer.
    pub async fn checked(&self, chain: &str) -> Result<Arc<dyn EvmNode>, ChainError> {
        let entry = self.nodes.get(chain).ok_or_else(|| self.no_node(chain))?;
        let expected = entry.expected.ok_or_else(|| ChainError::NoNode {
            chain: chain.to_owned(),
            hint: "ODA draft 0 does not name this chain, so its id must be configured too"
                .to_owned(),
        })?;
        let found = entry.node.chain_id().await?;
        if found == expected {
            Ok(Arc::clone(&entry.node))
        } else {
            Err(ChainError::WrongChain {
                node: entry.node.label().to_owned(),
                chain: chain.to_owned(),
                expected: expected.to_string(),
                found: found.to_string(),
            })
        }
    }

    fn no_node(&self, chain: &str) -> ChainError {
        let configured = if self.nodes.is_empty() {
            "none is configured for any EVM chain".to_owned()
        } else {
            format!(
                "configured are {}",
                self.chains().collect::<Vec<_>>().join(", ")
            )
        };
        ChainError::NoNode {
            chain: chain.to_owned(),
            hint: format!("{configured}; give the URL of a JSON-RPC node"),
        }
    }
}
