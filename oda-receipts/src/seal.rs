//! Sealing: a draft's canonical text, and the three places where the chain is written in.

use oda_canon::Digest;
use serde::Serialize;
use serde_json::Value;

use crate::SCHEMA;
use crate::draft::ReceiptDraft;
use crate::error::ReceiptError;
use crate::line::MAX_LINE_BYTES;
use crate::mandate::Mandate;
use crate::receipt::{Link, Receipt};
use crate::refusal::PolicyOutcome;
use crate::status::Status;

/// The largest sequence number: beyond it a double, and so JSON elsewhere, skips integers.
const MAX_SEQ: u64 = (1 << 53) - 1;

/// A checked draft with its canonical text, so that only the chain is missing.
///
/// The work that does not depend on the chain is done when this is made; a log makes it in the
/// caller's thread and seals in the thread that holds the lock.
///
/// Keys are in UTF-16 order, so the chain's three members stand between four runs of others:
/// run, `hash`, run, `prev_hash`, run, `seq`, run. Each run is canonical JSON members and commas.
#[derive(Debug)]
pub(crate) struct Unsealed {
    draft: ReceiptDraft,
    before_hash: Vec<u8>,
    before_prev_hash: Vec<u8>,
    before_seq: Vec<u8>,
    after_seq: Vec<u8>,
}

impl Unsealed {
    pub(crate) fn new(draft: ReceiptDraft) -> Result<Self, ReceiptError> {
        draft.check()?;
        let before_hash = members(&BeforeHash {
            action: &draft.action,
            chain: &draft.chain,
            created_at: &draft.created_at,
            fee_disclosure: draft.fee_disclosure.as_ref(),
        })?;
        let before_prev_hash = members(&BeforePrevHash {
            intent_id: &draft.intent_id,
            mandate: &draft.mandate,
            params_digest: draft.params_digest,
            policy: &draft.policy,
        })?;
        let before_seq = members(&BeforeSeq {
            safe_tx_hash: draft.safe_tx_hash.as_deref(),
            schema: SCHEMA,
        })?;
        let after_seq = members(&AfterSeq {
            signature: draft.signature.as_deref(),
            simulation: draft.simulation.as_ref(),
            status: draft.status,
            tx_hash: draft.tx_hash.as_deref(),
            typed_data_signature: draft.typed_data_signature.as_deref(),
        })?;
        Ok(Self {
            draft,
            before_hash,
            before_prev_hash,
            before_seq,
            after_seq,
        })
    }

    pub(crate) fn seal(self, prev: Option<Link>) -> Result<Receipt, ReceiptError> {
        let seq = match prev {
            None => 0,
            Some(prev) if prev.seq >= MAX_SEQ => return Err(ReceiptError::SequenceExhausted),
            Some(prev) => prev.seq + 1,
        };
        let prev_hash = prev.map_or(Digest::ZERO, |prev| prev.hash);
        let mut text = self.unhashed(seq, prev_hash);
        let hash = oda_canon::digest_bytes(&text);
        let member = format!("\"hash\":\"{hash}\",");
        let hash_at = 1 + self.before_hash.len() + 1;
        text.splice(hash_at..hash_at, member.into_bytes());
        if text.len() >= MAX_LINE_BYTES {
            return Err(ReceiptError::TooLarge {
                bytes: text.len() + 1,
                limit: MAX_LINE_BYTES,
            });
        }
        #[expect(
            clippy::expect_used,
            reason = "canonical JSON and ASCII digits are UTF-8"
        )]
        let line = String::from_utf8(text).expect("canonical JSON is UTF-8");
        let link = Link { seq, hash };
        Ok(Receipt::from_parts(
            self.draft,
            link,
            prev_hash,
            line.into_boxed_str(),
        ))
    }

    /// The hash input: the whole receipt without its `hash`.
    fn unhashed(&self, seq: u64, prev_hash: Digest) -> Vec<u8> {
        let prev_hash = format!(",\"prev_hash\":\"{prev_hash}\",");
        let seq = format!(",\"seq\":{seq},");
        let pieces: [&[u8]; 9] = [
            b"{",
            &self.before_hash,
            b",",
            &self.before_prev_hash,
            prev_hash.as_bytes(),
            &self.before_seq,
            seq.as_bytes(),
            &self.after_seq,
            b"}",
        ];
        let length: usize = pieces.iter().map(|piece| piece.len()).sum();
        let mut text = Vec::with_capacity(length + HASH_MEMBER_BYTES);
        pieces
            .iter()
            .for_each(|piece| text.extend_from_slice(piece));
        text
    }
}

/// The length of `"hash":"sha256:…",`: 71 bytes of digest and its frame.
const HASH_MEMBER_BYTES: usize = 71 + 10;

/// The canonical members of an object, without its braces.
fn members(object: &impl Serialize) -> Result<Vec<u8>, ReceiptError> {
    let mut text = oda_canon::to_vec(object)?;
    text.pop();
    text.remove(0);
    Ok(text)
}

#[derive(Serialize)]
struct BeforeHash<'a> {
    action: &'a str,
    chain: &'a str,
    created_at: &'a str,
    fee_disclosure: Option<&'a Value>,
}

#[derive(Serialize)]
struct BeforePrevHash<'a> {
    intent_id: &'a str,
    mandate: &'a Mandate,
    params_digest: Digest,
    policy: &'a PolicyOutcome,
}

#[derive(Serialize)]
struct BeforeSeq<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    safe_tx_hash: Option<&'a str>,
    schema: &'a str,
}

#[derive(Serialize)]
struct AfterSeq<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<&'a str>,
    simulation: Option<&'a Value>,
    status: Status,
    tx_hash: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    typed_data_signature: Option<&'a str>,
}
