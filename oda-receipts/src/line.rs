//! A line of a log: how it is written, and how any line, ours or not, is read.

use std::borrow::Cow;

use oda_canon::Digest;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::draft::ReceiptDraft;
use crate::error::ReceiptError;
use crate::mandate::Mandate;
use crate::number::restore_doubles;
use crate::receipt::{Link, Receipt};
use crate::refusal::PolicyOutcome;
use crate::scan::{self, Scope};
use crate::shape::{FieldError, validate_receipt};
use crate::status::Status;

/// The longest line, in bytes with its line end, that is written or read: 1 MiB.
///
/// A receipt is about 1 KiB; what can be large in it is the simulation. The limit is what keeps
/// the memory of a verifier constant.
pub const MAX_LINE_BYTES: usize = 1024 * 1024;

/// A line without its line feed.
pub(crate) fn without_end(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// The members of a line for reading, after its shape was found right.
#[derive(Deserialize)]
pub(crate) struct Wire {
    seq: u64,
    prev_hash: Digest,
    hash: Digest,
    intent_id: String,
    action: String,
    chain: String,
    params_digest: Digest,
    policy: PolicyOutcome,
    simulation: Option<Value>,
    fee_disclosure: Option<Value>,
    tx_hash: Option<String>,
    status: Status,
    created_at: String,
    mandate: Mandate,
    safe_tx_hash: Option<String>,
    signature: Option<String>,
    typed_data_signature: Option<String>,
}

impl Wire {
    pub(crate) fn into_receipt(mut self, line: Box<str>) -> Receipt {
        let free_form = [&mut self.simulation, &mut self.fee_disclosure];
        free_form.into_iter().flatten().for_each(restore_doubles);
        let link = Link {
            seq: self.seq,
            hash: self.hash,
        };
        let draft = ReceiptDraft {
            intent_id: self.intent_id,
            action: self.action,
            chain: self.chain,
            params_digest: self.params_digest,
            policy: self.policy,
            simulation: self.simulation,
            fee_disclosure: self.fee_disclosure,
            tx_hash: self.tx_hash,
            status: self.status,
            created_at: self.created_at,
            mandate: self.mandate,
            safe_tx_hash: self.safe_tx_hash,
            signature: self.signature,
            typed_data_signature: self.typed_data_signature,
        };
        Receipt::from_parts(draft, link, self.prev_hash, line)
    }
}

/// The 43 characters of an intent id after `si_`.
pub(crate) type IntentKey = [u8; 43];

/// A line whose shape is right in the scope asked for, and the facts that a chain is made of.
#[derive(Debug)]
pub(crate) struct ReadLine<'a> {
    /// The line in canonical form, and whether it already was.
    pub(crate) canonical: Cow<'a, [u8]>,
    pub(crate) seq: u64,
    pub(crate) prev_hash: Digest,
    /// The hash that the line states.
    pub(crate) hash: Digest,
    /// The hash of what the line says.
    pub(crate) content_hash: Digest,
    /// Absent when only the chain was looked at.
    pub(crate) intent: Option<(IntentKey, Status)>,
}

impl ReadLine<'_> {
    pub(crate) fn hash_matches(&self) -> bool {
        self.hash == self.content_hash
    }

    pub(crate) const fn link(&self) -> Link {
        Link {
            seq: self.seq,
            hash: self.hash,
        }
    }

    /// The canonical text, for keeping.
    pub(crate) fn into_canonical(self) -> Box<str> {
        #[expect(clippy::expect_used, reason = "both ways of reading check for UTF-8")]
        String::from_utf8(self.canonical.into_owned())
            .expect("a line that was read is UTF-8")
            .into_boxed_str()
    }
}

/// Reads one line without its line end. `scratch` is room for the hash input, reused.
///
/// # Errors
///
/// `TooLarge`, `Json` or `Shape`. That the hash matches is for the caller to look at.
pub(crate) fn read<'a>(
    line: &'a [u8],
    scope: Scope,
    scratch: &mut Vec<u8>,
) -> Result<ReadLine<'a>, ReceiptError> {
    if line.len() >= MAX_LINE_BYTES {
        return Err(ReceiptError::TooLarge {
            bytes: line.len() + 1,
            limit: MAX_LINE_BYTES,
        });
    }
    if let Some(read) = read_canonical(Cow::Borrowed(line), scope, scratch) {
        return Ok(read);
    }
    let canonical = oda_canon::canonicalize(line)?;
    match read_canonical(Cow::Borrowed(&canonical), scope, scratch) {
        Some(read) => Ok(ReadLine {
            canonical: Cow::Owned(read.canonical.into_owned()),
            ..read
        }),
        None => read_value(canonical, scope),
    }
}

fn read_canonical<'a>(
    line: Cow<'a, [u8]>,
    scope: Scope,
    scratch: &mut Vec<u8>,
) -> Option<ReadLine<'a>> {
    let facts = scan::scan(&line, scope)?;
    scratch.clear();
    scratch.extend_from_slice(&line[..facts.hash_member.start]);
    scratch.extend_from_slice(&line[facts.hash_member.end..]);
    let intent = match facts.status {
        None => None,
        Some(status) => Some((intent_key(facts.intent_id)?, status)),
    };
    Some(ReadLine {
        seq: facts.seq,
        prev_hash: digest_of(facts.prev_hash)?,
        hash: digest_of(facts.hash)?,
        content_hash: oda_canon::digest_bytes(scratch),
        intent,
        canonical: line,
    })
}

fn digest_of(text: &[u8]) -> Option<Digest> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn intent_key(intent_id: &[u8]) -> Option<IntentKey> {
    intent_id.strip_prefix(b"si_")?.try_into().ok()
}

/// The slow way, which decides: over a parsed value.
fn read_value(canonical: Vec<u8>, scope: Scope) -> Result<ReadLine<'static>, ReceiptError> {
    let value: Value = oda_canon::parse_strict(&canonical)?;
    let errors = match scope {
        Scope::Receipt => validate_receipt(&value),
        Scope::Chain => chain_errors(&value),
    };
    if !errors.is_empty() {
        return Err(ReceiptError::Shape(errors));
    }
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    let intent = match scope {
        Scope::Chain => None,
        Scope::Receipt => intent_key(text("intent_id").as_bytes())
            .zip(Status::from_bytes(text("status").as_bytes())),
    };
    let seq = value.get("seq").and_then(Value::as_u64);
    let prev_hash = text("prev_hash").parse()?;
    let hash = text("hash").parse()?;
    let content_hash = oda_canon::digest_bytes(&without_hash(&canonical)?);
    Ok(ReadLine {
        canonical: Cow::Owned(canonical),
        // A sequence number beyond 64 bits is well-shaped and follows nothing.
        seq: seq.unwrap_or(u64::MAX),
        prev_hash,
        hash,
        content_hash,
        intent,
    })
}

/// The hash input: the canonical text without its `hash` member. The text is cut, not written
/// again from a value, so that every number keeps its text.
fn without_hash(canonical: &[u8]) -> Result<Vec<u8>, ReceiptError> {
    #[derive(Deserialize)]
    struct Root<'a> {
        #[serde(borrow)]
        hash: &'a RawValue,
    }
    const KEY: &[u8] = b"\"hash\":";
    let root: Root<'_> = serde_json::from_slice(canonical).map_err(|_| {
        // Not reached: the shape was found right. An error all the same, not a panic.
        ReceiptError::Hash
    })?;
    let value_at = root.hash.get().as_ptr() as usize - canonical.as_ptr() as usize;
    let member_at = value_at - KEY.len();
    let end = value_at + root.hash.get().len();
    let cut = match canonical.get(end) {
        Some(b',') => member_at..end + 1,
        _ if canonical.get(member_at - 1) == Some(&b',') => member_at - 1..end,
        _ => member_at..end,
    };
    Ok([&canonical[..cut.start], &canonical[cut.end..]].concat())
}

/// What the chain alone needs: an object with its place and its hash.
fn chain_errors(value: &Value) -> Vec<FieldError> {
    if !value.is_object() {
        return validate_receipt(value);
    }
    validate_receipt(value)
        .into_iter()
        .filter(|error| matches!(error.name(), "seq" | "prev_hash" | "hash"))
        .collect()
}
