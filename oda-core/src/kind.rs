//! One payload kind with the parts that serve it, erased once at the engine's door.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use crate::Network;
use crate::artifact::{Artifact, Signed};
use crate::chain_access::{
    ChainError, Fate, Lane, SendingSigner, Sent, Signer, SignerError, Simulator, Submission,
    Submitter, TermsRequest,
};
use crate::clock::UnixMillis;
use crate::intent::IntentId;
use crate::payload::{Payload, PayloadError, ReceiptId, SimulationNeed};
use crate::simulation::Simulation;

/// The parts that serve one kind of payload. Only what is plugged in can be done: without a simulator a
/// payload that must be simulated is refused, without a signer nothing is executed.
pub struct PayloadKind<P: Payload> {
    simulator: Option<Arc<dyn Simulator<Payload = P>>>,
    signer: Option<Arc<dyn Signer<Payload = P>>>,
    sending_signer: Option<Arc<dyn SendingSigner<Payload = P>>>,
    submitter: Option<Arc<dyn Submitter<Payload = P>>>,
}

impl<P: Payload> PayloadKind<P> {
    /// A kind that is known and can only be validated.
    #[must_use]
    pub fn new() -> Self {
        Self {
            simulator: None,
            signer: None,
            sending_signer: None,
            submitter: None,
        }
    }

    /// Plugs in the simulator.
    #[must_use]
    pub fn simulator(mut self, simulator: Arc<dyn Simulator<Payload = P>>) -> Self {
        self.simulator = Some(simulator);
        self
    }

    /// Plugs in a signer, which takes the place of a wallet that signs and sends.
    #[must_use]
    pub fn signer(mut self, signer: Arc<dyn Signer<Payload = P>>) -> Self {
        self.signer = Some(signer);
        self
    }

    /// Plugs in a wallet that signs and sends in one call. It is used only when there is no [`Signer`].
    #[must_use]
    pub fn sending_signer(mut self, signer: Arc<dyn SendingSigner<Payload = P>>) -> Self {
        self.sending_signer = Some(signer);
        self
    }

    /// Plugs in the way to the chain.
    #[must_use]
    pub fn submitter(mut self, submitter: Arc<dyn Submitter<Payload = P>>) -> Self {
        self.submitter = Some(submitter);
        self
    }
}

impl<P: Payload> Default for PayloadKind<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Payload> fmt::Debug for PayloadKind<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PayloadKind")
            .field("kind", &P::KIND)
            .field("simulator", &self.simulator.is_some())
            .field(
                "signer",
                &self.signer.as_ref().map(|signer| signer.kind().to_owned()),
            )
            .field(
                "sending_signer",
                &self
                    .sending_signer
                    .as_ref()
                    .map(|signer| signer.kind().to_owned()),
            )
            .field("submitter", &self.submitter.is_some())
            .finish()
    }
}

/// What the engine learns from a payload before it does anything with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Inspected {
    pub(crate) chain: String,
    pub(crate) network: Network,
    pub(crate) simulation: SimulationNeed,
}

impl Inspected {
    pub(crate) fn of<P: Payload>(payload: &P) -> Result<Self, PayloadError> {
        payload.validate()?;
        Ok(Self {
            chain: payload.chain().to_owned(),
            network: payload.network(),
            simulation: payload.simulation(),
        })
    }
}

/// How a kind gets from a payload to the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Door {
    /// Sign here, keep the bytes, send them.
    SignThenSubmit,
    /// A wallet does both.
    SignAndSend,
    /// Nobody signs.
    NoSigner,
    /// Somebody signs and nobody sends.
    NoSubmitter,
}

/// A [`PayloadKind`] with its payload as JSON.
#[async_trait]
pub(crate) trait ErasedKind: Send + Sync + fmt::Debug {
    fn receipt_id(&self) -> ReceiptId;
    fn door(&self) -> Door;
    fn inspect(&self, unsigned: &Value) -> Result<Inspected, PayloadError>;
    async fn simulate(
        &self,
        unsigned: &Value,
        now: UnixMillis,
    ) -> Result<Option<Simulation>, KindError>;
    async fn address(&self, chain: &str) -> Result<String, SignerError>;
    async fn lane(&self, unsigned: &Value, sender: &str) -> Result<Option<Lane>, KindError>;
    async fn sign(
        &self,
        unsigned: &Value,
        request: &TermsRequest<'_>,
    ) -> Result<Result<Signed, SignerError>, KindError>;
    async fn sign_and_send(&self, unsigned: &Value, id: &IntentId) -> Result<Sent, KindError>;
    async fn submit(&self, unsigned: &Value, artifact: &Artifact) -> Result<Submission, KindError>;
    async fn fate(&self, unsigned: &Value, artifact: &Artifact) -> Result<Fate, KindError>;
}

/// Why an erased call has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KindError {
    #[error(transparent)]
    Payload(#[from] PayloadError),
    #[error(transparent)]
    Chain(#[from] ChainError),
    #[error("no {part} is plugged in for payloads of the kind `{kind}`")]
    Missing {
        part: &'static str,
        kind: &'static str,
    },
}

impl<P: Payload> PayloadKind<P> {
    fn read(unsigned: &Value) -> Result<P, PayloadError> {
        if unsigned.get("kind").and_then(Value::as_str) != Some(P::KIND) {
            return Err(PayloadError::new("kind", format!("must be `{}`", P::KIND)));
        }
        let payload: P = serde_path_to_error::deserialize(unsigned).map_err(|error| {
            let path = error.path().to_string();
            let field = if path == "." {
                P::KIND.to_owned()
            } else {
                format!("{}.{path}", P::KIND)
            };
            PayloadError::new(field, error.inner().to_string())
        })?;
        payload.validate()?;
        Ok(payload)
    }

    fn submitter_or_missing(&self) -> Result<&dyn Submitter<Payload = P>, KindError> {
        self.submitter.as_deref().ok_or(KindError::Missing {
            part: "submitter",
            kind: P::KIND,
        })
    }
}

#[async_trait]
impl<P: Payload> ErasedKind for PayloadKind<P> {
    fn receipt_id(&self) -> ReceiptId {
        P::RECEIPT_ID
    }

    fn door(&self) -> Door {
        match (&self.signer, &self.sending_signer, &self.submitter) {
            (Some(_), _, Some(_)) => Door::SignThenSubmit,
            (None, Some(_), _) => Door::SignAndSend,
            (Some(_), _, None) => Door::NoSubmitter,
            (None, None, _) => Door::NoSigner,
        }
    }

    fn inspect(&self, unsigned: &Value) -> Result<Inspected, PayloadError> {
        Inspected::of(&Self::read(unsigned)?)
    }

    async fn simulate(
        &self,
        unsigned: &Value,
        now: UnixMillis,
    ) -> Result<Option<Simulation>, KindError> {
        let Some(simulator) = &self.simulator else {
            return Ok(None);
        };
        Ok(Some(simulator.simulate(&Self::read(unsigned)?, now).await?))
    }

    async fn address(&self, chain: &str) -> Result<String, SignerError> {
        match (&self.signer, &self.sending_signer) {
            (Some(signer), _) => signer.address(chain).await,
            (None, Some(signer)) => signer.address(chain).await,
            (None, None) => Err(SignerError::NoAddress {
                chain: chain.to_owned(),
            }),
        }
    }

    async fn lane(&self, unsigned: &Value, sender: &str) -> Result<Option<Lane>, KindError> {
        Ok(self
            .submitter_or_missing()?
            .lane(&Self::read(unsigned)?, sender)
            .await?)
    }

    async fn sign(
        &self,
        unsigned: &Value,
        request: &TermsRequest<'_>,
    ) -> Result<Result<Signed, SignerError>, KindError> {
        let payload = Self::read(unsigned)?;
        let Some(signer) = &self.signer else {
            return Err(KindError::Missing {
                part: "signer",
                kind: P::KIND,
            });
        };
        let terms = self
            .submitter_or_missing()?
            .terms(&payload, request)
            .await?;
        Ok(signer.sign(&payload, &terms).await)
    }

    async fn sign_and_send(&self, unsigned: &Value, id: &IntentId) -> Result<Sent, KindError> {
        let payload = Self::read(unsigned)?;
        let Some(signer) = &self.sending_signer else {
            return Err(KindError::Missing {
                part: "signer",
                kind: P::KIND,
            });
        };
        Ok(signer.sign_and_send(&payload, id).await)
    }

    async fn submit(&self, unsigned: &Value, artifact: &Artifact) -> Result<Submission, KindError> {
        Ok(self
            .submitter_or_missing()?
            .submit(&Self::read(unsigned)?, artifact)
            .await)
    }

    async fn fate(&self, unsigned: &Value, artifact: &Artifact) -> Result<Fate, KindError> {
        Ok(self
            .submitter_or_missing()?
            .fate(&Self::read(unsigned)?, artifact)
            .await?)
    }
}
