//! Verification of a chain, line by line, in constant memory.

use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

use oda_canon::{CanonError, Digest};

use crate::error::ReceiptError;
use crate::line::{self, MAX_LINE_BYTES};
use crate::order::{Order, OrderFault, Past};
use crate::receipt::Link;
use crate::scan::Scope;
use crate::shape::FieldError;

/// Which rules a verifier applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Checks {
    /// The chain, the shape of every line and the order of each intent's states.
    ///
    /// Lines may have their keys in any order and white space around values: the hash does not
    /// depend on it. Blank lines are faults.
    #[default]
    Full,
    /// [`Checks::Full`], and every line is byte for byte the canonical line that this crate
    /// writes, each ended by a line feed. In such a log every changed byte is found.
    Exact,
    /// The chain alone, as the reference implementation of ODA verifies: `seq`, `prev_hash` and
    /// `hash`. Other members may be missing, malformed or unknown; blank lines are skipped.
    ChainOnly,
}

impl Checks {
    /// [`Checks::Full`].
    #[must_use]
    pub const fn full() -> Self {
        Self::Full
    }

    /// [`Checks::Exact`].
    #[must_use]
    pub const fn exact() -> Self {
        Self::Exact
    }

    /// [`Checks::ChainOnly`].
    #[must_use]
    pub const fn chain_only() -> Self {
        Self::ChainOnly
    }

    const fn scope(self) -> Scope {
        match self {
            Self::Full | Self::Exact => Scope::Receipt,
            Self::ChainOnly => Scope::Chain,
        }
    }
}

/// Why a line is bad. The order here is the order in which a line is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// The last line has no line feed and breaks off: a write was cut short, or the file was.
    Torn,
    /// The line is longer than [`MAX_LINE_BYTES`].
    TooLong,
    /// The line is not strict JSON (duplicate keys, for example, are refused).
    Json(CanonError),
    /// The line is not a receipt.
    Shape(Vec<FieldError>),
    /// The line is not in canonical form ([`Checks::Exact`] only).
    Form,
    /// The sequence number is not the one that follows.
    Sequence {
        /// The number that follows.
        expected: u64,
        /// The number found; `u64::MAX` stands for anything beyond.
        found: u64,
    },
    /// `prev_hash` is not the hash of the line before (or 64 zeros on the first).
    Link {
        /// The hash of the line before.
        expected: Digest,
        /// What the line states.
        found: Digest,
    },
    /// `hash` is not the hash of what the line says: the line was changed.
    Hash {
        /// The hash of what it says.
        expected: Digest,
        /// What the line states.
        found: Digest,
    },
    /// The state change may not follow what the chain recorded for this intent before.
    StateOrder(OrderFault),
}

impl FaultKind {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Torn => "torn",
            Self::TooLong => "too_long",
            Self::Json(_) => "json",
            Self::Shape(_) => "shape",
            Self::Form => "form",
            Self::Sequence { .. } => "sequence",
            Self::Link { .. } => "link",
            Self::Hash { .. } => "hash",
            Self::StateOrder(_) => "state_order",
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Torn => f.write_str("torn: the line breaks off and has no line end"),
            Self::TooLong => write!(f, "too_long: longer than {MAX_LINE_BYTES} bytes"),
            Self::Json(error) => write!(f, "json: {error}"),
            Self::Shape(errors) => {
                f.write_str("shape: ")?;
                for (at, error) in errors.iter().enumerate() {
                    write!(f, "{}{error}", if at == 0 { "" } else { "; " })?;
                }
                Ok(())
            }
            Self::Form => f.write_str("form: the line is not in canonical form"),
            Self::Sequence { expected, found } => {
                write!(f, "sequence: seq is {found}, {expected} follows")
            }
            Self::Link { expected, found } => {
                write!(
                    f,
                    "link: prev_hash is {found}, the line before has {expected}"
                )
            }
            Self::Hash { expected, found } => {
                write!(f, "hash: hash is {found}, the content hashes to {expected}")
            }
            Self::StateOrder(fault) => write!(f, "state_order: {fault}"),
        }
    }
}

/// The first bad line of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The line in the file, counted from 1, as an editor counts.
    pub line: u64,
    /// The place among the receipts, counted from 0. It differs from `line - 1` only when blank
    /// lines were skipped.
    pub index: u64,
    /// Where the line starts, in bytes from the start of what was verified.
    pub offset: u64,
    /// What is wrong.
    pub kind: FaultKind,
    /// The last good receipt before it.
    pub last_good: Option<Link>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {} (byte {}): {}",
            self.line, self.offset, self.kind
        )
    }
}

/// What a whole chain was found to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// How many receipts were verified.
    pub lines: u64,
    /// How many bytes they are, line ends included.
    pub bytes: u64,
    /// The last receipt; `None` for an empty log.
    ///
    /// A cut-off tail verifies: only a `Link` kept elsewhere can show that receipts are missing
    /// at the end.
    pub last: Option<Link>,
    /// How many intents were forgotten by the state-order check: see
    /// [`Verifier`]. 0 means that the check was complete.
    pub forgotten_intents: u64,
}

/// Verifies a chain line by line, in constant memory.
///
/// Each line is checked for strict JSON, shape, sequence, link, hash and state order, in this
/// order; [`Checks`] says which apply. The first bad line ends the verification.
///
/// State order, per intent: first `prepared` or `refused`; after a first `refused` only one
/// `expired`; after `prepared` any number of `refused`, then at most one of `executed`,
/// `failed`, `expired`; after `executed` at most one `failed`; nothing after that.
///
/// # What is not detected
///
/// The chain has no key: who can write the file can rewrite all of it, or cut off its end.
/// Compare [`Report::last`] with a [`Link`] kept elsewhere.
///
/// The states of the last [`MAX_TRACKED_INTENTS`](crate::MAX_TRACKED_INTENTS) intents are kept.
/// Once one was forgotten ([`Report::forgotten_intents`]), a receipt of an intent that is not
/// kept is taken as a continuation: that it had no `prepared` before, or was `executed`,
/// `failed` or `expired` before, is then no longer detected. Sequence, link and hash always are.
///
/// ```
/// use oda_receipts::{Checks, ReceiptError, Verifier};
///
/// let report = Verifier::new(Checks::full()).verify(&b""[..])?;
/// assert_eq!(report.lines, 0);
///
/// let broken = Verifier::new(Checks::full()).verify(&b"{\"seq\":0}\n"[..]);
/// let Err(ReceiptError::Broken(fault)) = broken else { panic!() };
/// assert_eq!((fault.line, fault.kind.code()), (1, "shape"));
/// # Ok::<(), ReceiptError>(())
/// ```
#[derive(Debug)]
pub struct Verifier {
    checks: Checks,
    order: Order,
    last: Option<Link>,
    receipts: u64,
    lines: u64,
    bytes: u64,
    scratch: Vec<u8>,
}

impl Verifier {
    /// Verifies from the first line of a chain.
    #[must_use]
    pub fn new(checks: Checks) -> Self {
        Self::start(checks, None, Past::Seen)
    }

    /// Verifies what follows a receipt that is trusted already, such as the last one of an
    /// earlier report. Intents begun before it may be met in any state.
    #[must_use]
    pub fn after(checks: Checks, last: Link) -> Self {
        Self::start(checks, Some(last), Past::Unseen)
    }

    fn start(checks: Checks, last: Option<Link>, past: Past) -> Self {
        Self {
            checks,
            order: Order::new(past),
            last,
            receipts: 0,
            lines: 0,
            bytes: 0,
            scratch: Vec::new(),
        }
    }

    /// Verifies everything a reader gives, to its end.
    ///
    /// # Errors
    ///
    /// [`ReceiptError::Broken`] with the first bad line, [`ReceiptError::Read`] when the reader
    /// fails.
    pub fn verify(self, reader: impl Read) -> Result<Report, ReceiptError> {
        self.verify_buffered(BufReader::with_capacity(READ_BYTES, reader))
    }

    /// [`Verifier::verify`] over a reader that has its own buffer.
    ///
    /// # Errors
    ///
    /// As [`Verifier::verify`].
    pub fn verify_buffered(mut self, mut reader: impl BufRead) -> Result<Report, ReceiptError> {
        let mut line = Vec::new();
        loop {
            line.clear();
            let limit = MAX_LINE_BYTES as u64 + 1;
            let read = (&mut reader).take(limit).read_until(b'\n', &mut line);
            if read.map_err(|e| ReceiptError::Read(Arc::new(e)))? == 0 {
                return Ok(self.report());
            }
            self.feed(&line).map_err(ReceiptError::Broken)?;
        }
    }

    /// Takes the next line, with its line feed; without one it is taken as the last.
    ///
    /// Gives the receipt's place, or `None` for a blank line that was skipped.
    ///
    /// # Errors
    ///
    /// The fault. The verifier must not be fed further then: it stays at the last good line.
    pub fn feed(&mut self, line: &[u8]) -> Result<Option<Link>, Box<Fault>> {
        let taken = self.take(line).map_err(|kind| {
            Box::new(Fault {
                line: self.lines + 1,
                index: self.receipts,
                offset: self.bytes,
                kind,
                last_good: self.last,
            })
        })?;
        self.lines += 1;
        self.bytes += line.len() as u64;
        if taken.is_some() {
            self.receipts += 1;
            self.last = taken;
        }
        Ok(taken)
    }

    /// What was verified so far.
    #[must_use]
    pub const fn report(&self) -> Report {
        Report {
            lines: self.receipts,
            bytes: self.bytes,
            last: self.last,
            forgotten_intents: self.order.forgotten(),
        }
    }

    fn take(&mut self, line: &[u8]) -> Result<Option<Link>, FaultKind> {
        let text = line::without_end(line);
        let ended = text.len() < line.len();
        if self.checks == Checks::ChainOnly && text.trim_ascii().is_empty() {
            return Ok(None);
        }
        let read = line::read(text, self.checks.scope(), &mut self.scratch);
        let read = read.map_err(|error| match error {
            ReceiptError::Json(_) if !ended => FaultKind::Torn,
            ReceiptError::Json(error) => FaultKind::Json(error),
            ReceiptError::Shape(errors) => FaultKind::Shape(errors),
            _ => FaultKind::TooLong,
        })?;
        if self.checks == Checks::Exact {
            if !ended {
                return Err(FaultKind::Torn);
            }
            if *read.canonical != *text {
                return Err(FaultKind::Form);
            }
        }
        follow(self.last, &read)?;
        if let Some((intent, status)) = read.intent {
            self.order
                .take(intent, status)
                .map_err(FaultKind::StateOrder)?;
        }
        Ok(Some(read.link()))
    }
}

/// How much is read at once: enough to make system calls rare, small next to a cache.
const READ_BYTES: usize = 256 * 1024;

/// Checks that a line follows `last` and that its hash is right.
pub(crate) fn follow(last: Option<Link>, read: &line::ReadLine<'_>) -> Result<(), FaultKind> {
    let (seq, prev_hash) = last.map_or((0, Digest::ZERO), |last| (last.seq + 1, last.hash));
    if read.seq != seq {
        return Err(FaultKind::Sequence {
            expected: seq,
            found: read.seq,
        });
    }
    if read.prev_hash != prev_hash {
        return Err(FaultKind::Link {
            expected: prev_hash,
            found: read.prev_hash,
        });
    }
    if !read.hash_matches() {
        return Err(FaultKind::Hash {
            expected: read.content_hash,
            found: read.hash,
        });
    }
    Ok(())
}
