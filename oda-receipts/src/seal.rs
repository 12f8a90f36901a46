//! Sealing: a draft's canonical text, and the three places where the chain is written in.

use oda_canon::Digest;

use crate::draft::ReceiptDraft;
use crate::error::ReceiptError;
use crate::line::{Line, MAX_LINE_BYTES};
use crate::receipt::{Link, Receipt};
use crate::scan::{self, Gaps};

/// The largest sequence number: beyond it a double, and so JSON elsewhere, skips integers.
const MAX_SEQ: u64 = (1 << 53) - 1;

/// A checked draft with its canonical text, so that only the chain is missing.
///
/// The work that does not depend on the chain is done when this is made; a log makes it in the
/// caller's thread and seals in the thread that holds the lock.
#[derive(Debug)]
pub(crate) struct Unsealed {
    draft: ReceiptDraft,
    /// Canonical receipt without `hash`, with `seq` 0 and the zero `prev_hash`.
    text: Vec<u8>,
    gaps: Gaps,
}

impl Unsealed {
    pub(crate) fn new(draft: ReceiptDraft) -> Result<Self, ReceiptError> {
        draft.check()?;
        let text = oda_canon::to_vec(&Line::unhashed(&draft))?;
        #[expect(
            clippy::expect_used,
            reason = "the text was written just now from a type that has these three members"
        )]
        let gaps = scan::gaps(&text).expect("a canonical receipt has intent_id, prev_hash and seq");
        Ok(Self { draft, text, gaps })
    }

    pub(crate) fn seal(self, prev: Option<Link>) -> Result<Receipt, ReceiptError> {
        let seq = match prev {
            None => 0,
            Some(prev) if prev.seq >= MAX_SEQ => return Err(ReceiptError::SequenceExhausted),
            Some(prev) => prev.seq + 1,
        };
        let prev_hash = prev.map_or(Digest::ZERO, |prev| prev.hash);
        let mut text = self.placed(seq, prev_hash);
        let hash = oda_canon::digest_bytes(&text);
        let member = format!("\"hash\":\"{hash}\",");
        text.splice(self.gaps.hash_at..self.gaps.hash_at, member.into_bytes());
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

    /// The hash input: the text with the chain's place written in.
    fn placed(&self, seq: u64, prev_hash: Digest) -> Vec<u8> {
        let gaps = &self.gaps;
        let mut text = Vec::with_capacity(self.text.len() + 128);
        text.extend_from_slice(&self.text[..gaps.prev_hash.start]);
        text.extend_from_slice(prev_hash.to_string().as_bytes());
        text.extend_from_slice(&self.text[gaps.prev_hash.end..gaps.seq.start]);
        text.extend_from_slice(seq.to_string().as_bytes());
        text.extend_from_slice(&self.text[gaps.seq.end..]);
        text
    }
}
