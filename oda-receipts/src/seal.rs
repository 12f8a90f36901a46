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
        let unsealed = Self {
            draft,
            before_hash,
            before_prev_hash,
            before_seq,
            after_seq,
        };
        let longest = unsealed.longest_line();
        if longest > MAX_LINE_BYTES {
            return Err(ReceiptError::TooLarge {
                bytes: longest,
                limit: MAX_LINE_BYTES,
            });
        }
        Ok(unsealed)
    }

    pub(crate) fn seal(self, prev: Option<Link>) -> Result<Receipt, ReceiptError> {
        let place = self.place(prev, &mut Vec::new())?;
        Ok(self.into_receipt(place))
    }

    /// Finds the place after `prev` and the hash there. `scratch` is room for the hash input.
    pub(crate) fn place(
        &self,
        prev: Option<Link>,
        scratch: &mut Vec<u8>,
    ) -> Result<Seal, ReceiptError> {
        let seq = match prev {
            None => 0,
            Some(prev) if prev.seq >= MAX_SEQ => return Err(ReceiptError::SequenceExhausted),
            Some(prev) => prev.seq + 1,
        };
        let prev_hash = prev.map_or(Digest::ZERO, |prev| prev.hash);
        scratch.clear();
        self.write(scratch, seq, prev_hash, None);
        let hash = oda_canon::digest_bytes(scratch);
        Ok(Seal {
            link: Link { seq, hash },
            prev_hash,
        })
    }

    /// Appends the sealed line, without its line feed.
    pub(crate) fn write_line(&self, seal: Seal, out: &mut Vec<u8>) {
        self.write(out, seal.link.seq, seal.prev_hash, Some(seal.link.hash));
    }

    pub(crate) fn into_receipt(self, seal: Seal) -> Receipt {
        let mut line = Vec::with_capacity(self.longest_line());
        self.write_line(seal, &mut line);
        #[expect(
            clippy::expect_used,
            reason = "canonical JSON and ASCII digits are UTF-8"
        )]
        let line = String::from_utf8(line).expect("canonical JSON is UTF-8");
        Receipt::from_parts(self.draft, seal.link, seal.prev_hash, line.into_boxed_str())
    }

    fn write(&self, out: &mut Vec<u8>, seq: u64, prev_hash: Digest, hash: Option<Digest>) {
        out.push(b'{');
        out.extend_from_slice(&self.before_hash);
        if let Some(hash) = hash {
            out.extend_from_slice(b",\"hash\":\"");
            write_digest(out, hash);
            out.push(b'"');
        }
        out.push(b',');
        out.extend_from_slice(&self.before_prev_hash);
        out.extend_from_slice(b",\"prev_hash\":\"");
        write_digest(out, prev_hash);
        out.extend_from_slice(b"\",");
        out.extend_from_slice(&self.before_seq);
        out.extend_from_slice(b",\"seq\":");
        out.extend_from_slice(seq.to_string().as_bytes());
        out.push(b',');
        out.extend_from_slice(&self.after_seq);
        out.push(b'}');
    }

    /// The length of the line with its line feed, wherever in a chain it may stand.
    fn longest_line(&self) -> usize {
        const CHAIN: &str = "{,\"hash\":\"\",,\"prev_hash\":\"\",,\"seq\":,}\n";
        const DIGEST_BYTES: usize = 71;
        const SEQ_BYTES: usize = 16;
        let runs = [
            &self.before_hash,
            &self.before_prev_hash,
            &self.before_seq,
            &self.after_seq,
        ];
        let runs: usize = runs.iter().map(|run| run.len()).sum();
        runs + CHAIN.len() + 2 * DIGEST_BYTES + SEQ_BYTES
    }
}

/// The place of a receipt in a chain, with its hash there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seal {
    pub(crate) link: Link,
    pub(crate) prev_hash: Digest,
}

fn write_digest(out: &mut Vec<u8>, digest: Digest) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.extend_from_slice(b"sha256:");
    for byte in digest.as_bytes() {
        out.push(HEX[usize::from(byte >> 4)]);
        out.push(HEX[usize::from(byte & 15)]);
    }
}

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
