//! What is stored for an intent: the part fixed at prepare, the part that moves, and the seals over both.

use oda_canon::{CanonError, Digest};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::artifact::{Artifact, Sequence};
use crate::clock::{Day, UnixMillis};
use crate::fee::FeeDisclosure;
use crate::intent::{IntentId, MacInput, Nonce};
use crate::secret::{IntentSecret, equal_in_constant_time};
use crate::simulation::Simulation;
use crate::state::ExecutionState;
use crate::{Facts, PolicyOutcome, UsdMicros};

/// Keeps the two seals and the intent id, all made under one secret, from ever being taken for each
/// other: an id is a MAC over text that starts with `{`.
const RECORD_LABEL: &[u8] = b"oda.record-seal/v1\0";
const PROGRESS_LABEL: &[u8] = b"oda.progress-seal/v1\0";

/// What `prepare` returns (ODA draft 0, section 6). `unsigned` is present even when refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PreparedIntent {
    /// The handle for `execute`.
    pub intent_id: IntentId,
    /// The action's ODA id.
    pub action: String,
    /// When it expires, inclusive: at exactly this instant it is expired. ISO with milliseconds.
    pub expires_at: String,
    /// One sentence for the person who approves it.
    pub summary: String,
    /// The verdict of the policy.
    pub policy: PolicyOutcome,
    /// The simulation, or `None` for kinds that are not simulated or when the simulator did not answer.
    pub simulation: Option<Simulation>,
    /// What the venue takes, when there is one.
    pub fee_disclosure: Option<FeeDisclosure>,
    /// The unsigned payload.
    pub unsigned: Value,
}

/// What `params_digest` is a digest of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundParams {
    /// The action's parameters.
    pub params: Value,
    /// The unsigned payload that they led to.
    pub unsigned: Value,
    /// What it is worth in US dollars, when known.
    pub usd_value: Option<f64>,
}

/// The part of a stored intent that is fixed at prepare. Every field is under the record seal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IntentRecord {
    /// What `prepare` returned.
    pub intent: PreparedIntent,
    /// What the digest binds.
    pub params: BoundParams,
    /// `sha256:` of the canonical [`BoundParams`].
    pub params_digest: Digest,
    /// The nonce of the id.
    pub nonce: Nonce,
    /// The expiry as a number. It must spell `intent.expires_at`.
    pub expires_at: UnixMillis,
    /// When it was prepared.
    pub prepared_at: UnixMillis,
    /// The chain's name as receipts carry it.
    pub chain: String,
    /// What the policy is evaluated on, without the readings that are taken afresh each time.
    pub facts: Facts,
}

/// The part of a stored intent that moves. Every field is under the progress seal, bound to the id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Where it stands.
    pub state: ExecutionState,
    /// Counts the changes. A change is written only onto the version it was computed from, so it is also
    /// the fence: a process that slept through its lease holds an old one.
    pub version: u64,
    /// When it last changed.
    pub updated_at: UnixMillis,
    /// Until when the process that claimed it is taken to be at work.
    pub lease_until: Option<UnixMillis>,
    /// A person's yes.
    pub approved_at: Option<UnixMillis>,
    /// What it holds of the day's cap.
    pub hold: Option<Hold>,
    /// The account sequence number it occupies.
    pub sequence: Option<Sequence>,
    /// The signed bytes, once there are any.
    pub artifact: Option<Artifact>,
    /// The simulation made at execute.
    pub simulation: Option<Simulation>,
    /// The policy that judged it at execute.
    pub policy_digest: Option<Digest>,
    /// The block in which it was seen, decimal.
    pub block: Option<String>,
    /// Why it stands where it stands, for people.
    pub note: Option<String>,
}

/// What an intent holds of the cap of one day. It belongs to the day on which it was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hold {
    /// The UTC day.
    pub day: Day,
    /// How much; `None` when the value is unknown and the policy lets that pass.
    pub usd: Option<UsdMicros>,
    /// How firmly.
    pub status: HoldStatus,
}

/// How firmly a hold stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldStatus {
    /// Taken at claim; nothing is signed yet.
    Reserved,
    /// Signed bytes exist: only proof gives it back, never a timer.
    Pinned,
    /// Spent.
    Committed,
}

/// A whole stored intent: both parts and both seals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredIntent {
    /// Fixed at prepare.
    pub record: IntentRecord,
    /// HMAC over the record, lower-case hex.
    pub record_seal: String,
    /// Moves.
    pub progress: Progress,
    /// HMAC over the id and the progress, lower-case hex.
    pub progress_seal: String,
}

impl StoredIntent {
    /// Seals both parts.
    ///
    /// # Errors
    ///
    /// When a part cannot be canonicalised.
    pub fn seal(
        record: IntentRecord,
        progress: Progress,
        secret: &IntentSecret,
    ) -> Result<Self, CanonError> {
        let record_seal = record_seal(&record, secret)?;
        let progress_seal = progress_seal(&record.intent.intent_id, &progress, secret)?;
        Ok(Self {
            record,
            record_seal,
            progress,
            progress_seal,
        })
    }

    /// The same intent with its progress moved on to the next version, sealed anew.
    ///
    /// # Errors
    ///
    /// When the progress cannot be canonicalised.
    pub fn advanced(
        &self,
        mut progress: Progress,
        secret: &IntentSecret,
    ) -> Result<Self, CanonError> {
        progress.version = self.progress.version.saturating_add(1);
        let progress_seal = progress_seal(self.id(), &progress, secret)?;
        Ok(Self {
            record: self.record.clone(),
            record_seal: self.record_seal.clone(),
            progress,
            progress_seal,
        })
    }

    /// The intent's id.
    #[must_use]
    pub const fn id(&self) -> &IntentId {
        &self.record.intent.intent_id
    }

    /// Checks that nothing of the stored intent was changed since this project wrote it: both seals, the
    /// digest of the parameters, the payload's two copies, the two spellings of the expiry, and the id.
    ///
    /// # Errors
    ///
    /// [`IntegrityError`], naming the first part that does not hold.
    pub fn verify(&self, secret: &IntentSecret) -> Result<(), IntegrityError> {
        let record = &self.record;
        if !seal_matches(&record_seal(record, secret)?, &self.record_seal) {
            return Err(IntegrityError::RecordSeal);
        }
        if !seal_matches(
            &progress_seal(self.id(), &self.progress, secret)?,
            &self.progress_seal,
        ) {
            return Err(IntegrityError::ProgressSeal);
        }
        if oda_canon::digest(&record.params)? != record.params_digest {
            return Err(IntegrityError::ParamsDigest);
        }
        if record.params.unsigned != record.intent.unsigned {
            return Err(IntegrityError::Payload);
        }
        if record.expires_at.to_string() != record.intent.expires_at {
            return Err(IntegrityError::Expiry);
        }
        let input = MacInput {
            action: &record.intent.action,
            params_digest: &record.params_digest,
            expires_at: &record.intent.expires_at,
            nonce: record.nonce.as_str(),
        };
        if !self.id().verifies(secret, &input) {
            return Err(IntegrityError::IntentId);
        }
        Ok(())
    }
}

fn record_seal(record: &IntentRecord, secret: &IntentSecret) -> Result<String, CanonError> {
    Ok(hex::encode(
        secret.tag(&[RECORD_LABEL, &oda_canon::to_vec(record)?]),
    ))
}

fn progress_seal(
    id: &IntentId,
    progress: &Progress,
    secret: &IntentSecret,
) -> Result<String, CanonError> {
    let bytes = oda_canon::to_vec(progress)?;
    Ok(hex::encode(secret.tag(&[
        PROGRESS_LABEL,
        id.as_str().as_bytes(),
        b"\0",
        &bytes,
    ])))
}

fn seal_matches(expected: &str, stored: &str) -> bool {
    equal_in_constant_time(expected.as_bytes(), stored.as_bytes())
}

/// A stored intent is not what this project wrote, or was made under another secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IntegrityError {
    /// The part fixed at prepare was changed, or the secret is another one.
    #[error(
        "the stored record does not match its seal: it was edited, or made under another secret"
    )]
    RecordSeal,
    /// The part that moves was changed.
    #[error("the stored progress does not match its seal: it was edited")]
    ProgressSeal,
    /// The digest is not that of the parameters.
    #[error("`params_digest` is not the digest of the stored parameters")]
    ParamsDigest,
    /// The two copies of the payload differ.
    #[error("the stored payload differs from the one that was prepared")]
    Payload,
    /// The two spellings of the expiry differ.
    #[error("the two stored forms of the expiry differ")]
    Expiry,
    /// The id was not minted for this record.
    #[error("the intent id was not minted for this record under this secret")]
    IntentId,
    /// The receipts tell of an execution that the record does not.
    #[error(
        "the receipts already tell of `{status}` for an intent stored as {state}: an older copy was put back"
    )]
    Replayed {
        /// The last status in the receipts.
        status: String,
        /// Where the record says it stands.
        state: ExecutionState,
    },
    /// A part has no canonical form.
    #[error("a stored part has no canonical form: {0}")]
    Canon(String),
}

impl From<CanonError> for IntegrityError {
    fn from(error: CanonError) -> Self {
        Self::Canon(error.to_string())
    }
}
