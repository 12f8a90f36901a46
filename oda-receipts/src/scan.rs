//! One pass over a line that is canonical already.
//!
//! Lines written by this crate are canonical JSON, so the bytes that were hashed are the line
//! without its `"hash":"…",` member. [`scan`] checks in a single pass that a line is canonical
//! and a well-shaped receipt, and finds what the chain needs, without building anything.
//!
//! It is an accelerator, never an authority: `None` means "not sure", and the caller then takes
//! the slow way over `oda_canon` and [`validate_receipt`](crate::validate_receipt), which
//! decides. `Some` means that the slow way would say the same; property tests hold it to that.

use std::ops::Range;

use crate::rules;
use crate::status::Status;

/// Nesting beyond which the pass is not sure. Receipts nest four levels; recursion stays small.
const MAX_SCAN_DEPTH: u8 = 32;

/// How much of a receipt has to be in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The whole shape.
    Receipt,
    /// Only `seq`, `prev_hash` and `hash`; every other member may be anything.
    Chain,
}

/// What the chain needs from one line. The slices are the text between the quotes.
#[derive(Debug)]
pub(crate) struct Facts<'a> {
    pub(crate) seq: u64,
    pub(crate) prev_hash: &'a [u8],
    pub(crate) hash: &'a [u8],
    /// The `hash` member with one adjacent comma: what to leave out to get the hash input.
    pub(crate) hash_member: Range<usize>,
    /// Empty when the scope is the chain.
    pub(crate) intent_id: &'a [u8],
    /// `None` when the scope is the chain.
    pub(crate) status: Option<Status>,
}

/// Scans a line without its line end. `None`: not canonical, not in order, or not sure.
pub(crate) fn scan(line: &[u8], scope: Scope) -> Option<Facts<'_>> {
    let no_controls = line
        .iter()
        .fold(true, |clean, byte| clean & (*byte >= 0x20));
    if !no_controls || std::str::from_utf8(line).is_err() {
        return None;
    }
    let mut pass = Pass::new(line);
    pass.root(scope)?;
    if pass.at != line.len() {
        return None;
    }
    let found = pass.found;
    if scope == Scope::Receipt && found.seen & REQUIRED_KEYS != REQUIRED_KEYS {
        return None;
    }
    Some(Facts {
        seq: found.seq?,
        prev_hash: found.prev_hash?,
        hash: found.hash?,
        hash_member: found.hash_member?,
        intent_id: found.intent_id.unwrap_or_default(),
        status: found.status,
    })
}

const fn bit(index: u32) -> u32 {
    1 << index
}

/// One bit for each of the fifteen required keys.
const REQUIRED_KEYS: u32 = bit(15) - 1;

#[derive(Default)]
struct Found<'a> {
    seen: u32,
    seq: Option<u64>,
    prev_hash: Option<&'a [u8]>,
    hash: Option<&'a [u8]>,
    hash_member: Option<Range<usize>>,
    intent_id: Option<&'a [u8]>,
    status: Option<Status>,
}

struct Pass<'a> {
    bytes: &'a [u8],
    at: usize,
    found: Found<'a>,
}

impl<'a> Pass<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            found: Found::default(),
        }
    }

    fn root(&mut self, scope: Scope) -> Option<()> {
        self.members(|pass, key, key_at| {
            match key {
                b"seq" => pass.sequence_number()?,
                b"prev_hash" => {
                    pass.found.prev_hash = Some(pass.text(rules::is_digest)?);
                    pass.see(2);
                }
                b"hash" => pass.hash(key_at)?,
                _ => match scope {
                    Scope::Chain => pass.value(1)?,
                    Scope::Receipt => pass.receipt_member(key)?,
                },
            }
            Some(())
        })
    }

    fn receipt_member(&mut self, key: &[u8]) -> Option<()> {
        match key {
            b"schema" => {
                self.text(|text| text == crate::SCHEMA.as_bytes())?;
                self.see(0);
            }
            b"intent_id" => {
                self.found.intent_id = Some(self.text(rules::is_intent_id)?);
                self.see(4);
            }
            b"action" => {
                self.text(rules::is_action_id)?;
                self.see(5);
            }
            b"chain" => {
                self.text(|text| !text.is_empty())?;
                self.see(6);
            }
            b"params_digest" => {
                self.text(rules::is_digest)?;
                self.see(7);
            }
            b"policy" => {
                self.policy()?;
                self.see(8);
            }
            b"simulation" => {
                self.object_or_null()?;
                self.see(9);
            }
            b"fee_disclosure" => {
                self.object_or_null()?;
                self.see(10);
            }
            b"tx_hash" => {
                if self.peek() == Some(b'n') {
                    self.literal(b"null")?;
                } else {
                    self.text(|text| !text.is_empty())?;
                }
                self.see(11);
            }
            b"status" => {
                let word = self.string()?;
                self.found.status = Some(Status::from_bytes(word)?);
                self.see(12);
            }
            b"created_at" => {
                self.text(rules::is_instant_form)?;
                self.see(13);
            }
            b"mandate" => {
                self.mandate()?;
                self.see(14);
            }
            b"safe_tx_hash" => {
                self.text(rules::is_safe_tx_hash)?;
            }
            b"signature" => {
                self.text(rules::is_solana_signature)?;
            }
            b"typed_data_signature" => {
                self.text(rules::is_typed_data_signature)?;
            }
            _ => return None,
        }
        Some(())
    }

    fn sequence_number(&mut self) -> Option<()> {
        let start = self.at;
        self.number()?;
        let mut value = 0_u64;
        for byte in &self.bytes[start..self.at] {
            if !byte.is_ascii_digit() {
                return None;
            }
            value = value.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
        }
        self.found.seq = Some(value);
        self.see(1);
        Some(())
    }

    fn hash(&mut self, key_at: usize) -> Option<()> {
        self.found.hash = Some(self.text(rules::is_digest)?);
        self.found.hash_member = Some(if self.peek() == Some(b',') {
            key_at..self.at + 1
        } else if self.bytes[key_at - 1] == b',' {
            key_at - 1..self.at
        } else {
            key_at..self.at
        });
        self.see(3);
        Some(())
    }

    fn policy(&mut self) -> Option<()> {
        let mut seen = 0;
        self.members(|pass, key, _| {
            match key {
                b"ok" => {
                    match pass.peek()? {
                        b't' => pass.literal(b"true")?,
                        _ => pass.literal(b"false")?,
                    }
                    seen |= bit(0);
                }
                b"refusals" => {
                    pass.elements(Self::refusal)?;
                    seen |= bit(1);
                }
                _ => pass.value(2)?,
            }
            Some(())
        })?;
        (seen == bit(2) - 1).then_some(())
    }

    fn refusal(&mut self) -> Option<()> {
        let mut seen = 0;
        self.members(|pass, key, _| {
            let index = match key {
                b"rule" => 0,
                b"limit" => 1,
                b"observed" => 2,
                b"message" => 3,
                _ => return pass.value(4),
            };
            pass.string()?;
            seen |= bit(index);
            Some(())
        })?;
        (seen == bit(4) - 1).then_some(())
    }

    fn mandate(&mut self) -> Option<()> {
        let mut seen = 0;
        self.members(|pass, key, _| {
            let index = match key {
                b"kind" => pass.text(|text| text == b"intent").map(|_| 0),
                b"intent_id" => pass.string().map(|_| 1),
                b"action" => pass.string().map(|_| 2),
                b"policy_digest" => pass.text(rules::is_digest).map(|_| 3),
                b"expires_at" => pass.string().map(|_| 4),
                b"approval" => pass
                    .text(|text| matches!(text, b"human" | b"policy" | b"none"))
                    .map(|_| 5),
                _ => None,
            }?;
            seen |= bit(index);
            Some(())
        })?;
        (seen == bit(6) - 1).then_some(())
    }

    fn object_or_null(&mut self) -> Option<()> {
        match self.peek()? {
            b'{' => self.value(1),
            _ => self.literal(b"null"),
        }
    }

    fn text(&mut self, rule: impl FnOnce(&[u8]) -> bool) -> Option<&'a [u8]> {
        let text = self.string()?;
        rule(text).then_some(text)
    }

    const fn see(&mut self, index: u32) {
        self.found.seen |= bit(index);
    }
}

/// The JSON below the receipt: canonical form only.
impl<'a> Pass<'a> {
    fn value(&mut self, depth: u8) -> Option<()> {
        if depth > MAX_SCAN_DEPTH {
            return None;
        }
        match self.peek()? {
            b'"' => self.string().map(drop),
            b'{' => self.members(|pass, _, _| pass.value(depth + 1)),
            b'[' => self.elements(|pass| pass.value(depth + 1)),
            b'n' => self.literal(b"null"),
            b't' => self.literal(b"true"),
            b'f' => self.literal(b"false"),
            _ => self.number(),
        }
    }

    /// Walks an object whose keys must ascend. `member` gets the key and where its opening quote
    /// stands, and has to consume the value.
    fn members(
        &mut self,
        mut member: impl FnMut(&mut Self, &'a [u8], usize) -> Option<()>,
    ) -> Option<()> {
        self.byte(b'{')?;
        if self.peek()? == b'}' {
            return self.byte(b'}');
        }
        let mut previous: Option<&[u8]> = None;
        loop {
            let key_at = self.at;
            let key = self.string()?;
            // Byte order is UTF-16 order below U+E000; escapes and what lies above are left to
            // the slow way.
            if key.iter().any(|byte| *byte == b'\\' || *byte >= 0xEE) {
                return None;
            }
            if previous.is_some_and(|previous| previous >= key) {
                return None;
            }
            previous = Some(key);
            self.byte(b':')?;
            member(self, key, key_at)?;
            if self.peek()? == b'}' {
                return self.byte(b'}');
            }
            self.byte(b',')?;
        }
    }

    fn elements(&mut self, mut element: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.byte(b'[')?;
        if self.peek()? == b']' {
            return self.byte(b']');
        }
        loop {
            element(self)?;
            if self.peek()? == b']' {
                return self.byte(b']');
            }
            self.byte(b',')?;
        }
    }

    /// A string with canonical escapes only; gives the raw text between the quotes.
    fn string(&mut self) -> Option<&'a [u8]> {
        self.byte(b'"')?;
        let start = self.at;
        loop {
            let rest = self.bytes.get(self.at..)?;
            self.at += rest.iter().position(|b| matches!(b, b'"' | b'\\'))?;
            if self.bytes[self.at] == b'"' {
                let text = &self.bytes[start..self.at];
                self.at += 1;
                return Some(text);
            }
            self.escape()?;
        }
    }

    fn escape(&mut self) -> Option<()> {
        let rest = self.bytes.get(self.at + 1..)?;
        self.at += match rest {
            [b'"' | b'\\' | b'b' | b't' | b'n' | b'f' | b'r', ..] => 2,
            [b'u', b'0', b'0', high @ b'0'..=b'1', low, ..] => {
                let low_fits = matches!(low, b'0'..=b'9' | b'a'..=b'f');
                let has_short_form =
                    *high == b'0' && matches!(low, b'8' | b'9' | b'a' | b'c' | b'd');
                if !low_fits || has_short_form {
                    return None;
                }
                6
            }
            _ => return None,
        };
        Some(())
    }

    /// An integer of at most fifteen digits: every double holds it and writes it like this.
    /// Other numbers are left to the slow way.
    fn number(&mut self) -> Option<()> {
        let negative = self.peek()? == b'-';
        let start = self.at + usize::from(negative);
        let digits = self.bytes[start..]
            .iter()
            .take(16)
            .take_while(|b| b.is_ascii_digit())
            .count();
        let zero_leads = self.bytes.get(start) == Some(&b'0');
        if digits == 0 || digits > 15 || (zero_leads && (digits > 1 || negative)) {
            return None;
        }
        self.at = start + digits;
        // A fraction or an exponent would follow here; the caller then finds no `,` or end.
        Some(())
    }

    fn literal(&mut self, word: &[u8]) -> Option<()> {
        self.bytes.get(self.at..)?.starts_with(word).then(|| {
            self.at += word.len();
        })
    }

    fn byte(&mut self, expected: u8) -> Option<()> {
        (self.peek()? == expected).then(|| {
            self.at += 1;
        })
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
}
