//! Actions and queries with their types erased, found by ODA id or tool name.

use std::collections::BTreeMap;
use std::fmt;

use async_trait::async_trait;
use serde_json::Value;

use crate::action::{Action, ActionError, BuildContext, Query};
use crate::error::EngineError;
use crate::fee::FeeDisclosure;
use crate::kind::Inspected;
use crate::nearest::nearest;
use crate::payload::{Payload, PayloadError};
use crate::{Descriptor, Facts};

/// Everything that can be called, by ODA id.
#[derive(Default)]
pub(crate) struct Registry {
    entries: BTreeMap<String, Entry>,
}

/// One callable thing.
pub(crate) enum Entry {
    Action(Box<dyn ErasedAction>),
    Query(Box<dyn ErasedQuery>),
}

impl Registry {
    pub(crate) fn insert(&mut self, id: String, entry: Entry) -> Option<Entry> {
        self.entries.insert(id, entry)
    }

    pub(crate) fn descriptors(&self) -> impl Iterator<Item = &Descriptor> {
        self.entries.values().map(Entry::descriptor)
    }

    /// Finds by ODA id first, then by tool name.
    pub(crate) fn find(&self, name: &str) -> Result<&Entry, EngineError> {
        self.entries
            .get(name)
            .or_else(|| {
                self.entries
                    .values()
                    .find(|entry| entry.descriptor().name.as_str() == name)
            })
            .ok_or_else(|| EngineError::UnknownAction {
                action: name.to_owned(),
                nearest: nearest(name, self.entries.keys().map(String::as_str)).map(str::to_owned),
            })
    }
}

impl Entry {
    pub(crate) fn descriptor(&self) -> &Descriptor {
        match self {
            Self::Action(action) => action.descriptor(),
            Self::Query(query) => query.descriptor(),
        }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.entries.keys()).finish()
    }
}

/// What an action built, with its payload as JSON.
pub(crate) struct ErasedBuilt {
    pub(crate) kind: &'static str,
    pub(crate) unsigned: Value,
    pub(crate) inspected: Inspected,
    pub(crate) params: Option<Value>,
    pub(crate) facts: Facts,
    pub(crate) summary: String,
    pub(crate) fee_disclosure: Option<FeeDisclosure>,
}

pub(crate) enum BuildError {
    Action(ActionError),
    Payload(PayloadError),
}

#[async_trait]
pub(crate) trait ErasedAction: Send + Sync {
    fn descriptor(&self) -> &Descriptor;
    async fn build(
        &self,
        input: &Value,
        context: &BuildContext<'_>,
    ) -> Result<ErasedBuilt, BuildError>;
}

#[async_trait]
pub(crate) trait ErasedQuery: Send + Sync {
    fn descriptor(&self) -> &Descriptor;
    async fn answer(&self, input: &Value, context: &BuildContext<'_>)
    -> Result<Value, ActionError>;
}

#[async_trait]
impl<A: Action> ErasedAction for A {
    fn descriptor(&self) -> &Descriptor {
        Action::descriptor(self)
    }

    async fn build(
        &self,
        input: &Value,
        context: &BuildContext<'_>,
    ) -> Result<ErasedBuilt, BuildError> {
        let input = read_input::<A::Input>(input).map_err(BuildError::Action)?;
        let built = Action::build(self, input, context)
            .await
            .map_err(BuildError::Action)?;
        let inspected = Inspected::of(&built.payload).map_err(BuildError::Payload)?;
        let unsigned = serde_json::to_value(&built.payload).map_err(|error| {
            BuildError::Payload(PayloadError::new(A::Payload::KIND, error.to_string()))
        })?;
        Ok(ErasedBuilt {
            kind: A::Payload::KIND,
            unsigned,
            inspected,
            params: built.params,
            facts: built.facts,
            summary: built.summary,
            fee_disclosure: built.fee_disclosure,
        })
    }
}

#[async_trait]
impl<Q: Query> ErasedQuery for Q {
    fn descriptor(&self) -> &Descriptor {
        Query::descriptor(self)
    }

    async fn answer(
        &self,
        input: &Value,
        context: &BuildContext<'_>,
    ) -> Result<Value, ActionError> {
        Query::answer(self, read_input::<Q::Input>(input)?, context).await
    }
}

/// Reads a typed input, naming the field that does not fit.
fn read_input<T: serde::de::DeserializeOwned>(input: &Value) -> Result<T, ActionError> {
    serde_path_to_error::deserialize(input).map_err(|error| {
        let path = error.path().to_string();
        let field = if path == "." {
            "input".to_owned()
        } else {
            path
        };
        ActionError::invalid(field, error.inner().to_string())
    })
}
