//! Where a log ends: found when it is opened, followed when others append, repaired when torn.

use std::io::{self, BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use oda_canon::CanonError;

use super::storage::{Place, Storage};
use crate::error::ReceiptError;
use crate::line::{self, MAX_LINE_BYTES};
use crate::receipt::Link;
use crate::scan::Scope;
use crate::verify::follow;

/// How much is read at once when looking for the end of a log.
const CHUNK_BYTES: usize = 64 * 1024;

/// How every line of this crate starts: what a torn first line must agree with to be taken for
/// one.
const LINE_START: &[u8] = b"{\"action\":\"";

/// What was done to the end of a log that a crash had left without its line feed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repair {
    /// The last line was a whole receipt that follows the one before; its line feed was added.
    LineEndAdded {
        /// The receipt.
        receipt: Link,
    },
    /// The last line broke off. It was cut from the log; its bytes are kept in a file beside it.
    TornLineMoved {
        /// Where the line started, in bytes: the log's length now.
        offset: u64,
        /// How many bytes it had.
        bytes: u64,
        /// The file that keeps them: `<log>.torn-<offset>`.
        kept_in: PathBuf,
    },
}

/// The end of the log as far as it is known and whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tail {
    /// The last receipt; `None` while the log is empty.
    pub(crate) link: Option<Link>,
    /// The length up to and with its line feed.
    pub(crate) end: u64,
}

/// Reading and repairing under the lock.
#[derive(Debug)]
pub(crate) struct TailReader<'a> {
    pub(crate) storage: &'a dyn Storage,
    pub(crate) path: &'a Path,
}

impl TailReader<'_> {
    /// Finds the end of a log of any length from its last two lines.
    pub(crate) fn find(&self) -> Result<(Tail, Option<Repair>), ReceiptError> {
        let len = self.current_len()?;
        let (torn_at, torn) = self.line_ending_at(len)?;
        if torn.last() == Some(&b'\n') {
            return Ok((self.checked_tail(torn_at, &torn, len)?, None));
        }
        let tail = if torn_at == 0 {
            Tail { link: None, end: 0 }
        } else {
            let (start, last) = self.line_ending_at(torn_at)?;
            self.checked_tail(start, &last, torn_at)?
        };
        self.settle(tail, &torn)
    }

    /// Reads what other processes appended since `tail`.
    pub(crate) fn catch_up(&self, tail: Tail) -> Result<(Tail, Option<Repair>), ReceiptError> {
        let len = self.current_len()?;
        if len < tail.end {
            return Err(ReceiptError::Truncated {
                path: self.path.to_owned(),
                length: len,
                expected: tail.end,
            });
        }
        let mut tail = tail;
        let mut reader = BufReader::with_capacity(
            CHUNK_BYTES,
            ReadAt {
                storage: self.storage,
                offset: tail.end,
            },
        );
        let mut line = Vec::new();
        while tail.end < len {
            line.clear();
            (&mut reader)
                .take(MAX_LINE_BYTES as u64 + 1)
                .read_until(b'\n', &mut line)
                .map_err(|e| self.io("read", e))?;
            if line.last() != Some(&b'\n') {
                return self.settle(tail, &line);
            }
            let link = self.whole(&line, tail.link, tail.end)?;
            tail = Tail {
                link: Some(link),
                end: tail.end + line.len() as u64,
            };
        }
        Ok((tail, None))
    }

    fn current_len(&self) -> Result<u64, ReceiptError> {
        let state = self.storage.state().map_err(|e| self.io("stat", e))?;
        match state.place {
            Place::Kept => Ok(state.len),
            Place::Lost => Err(ReceiptError::Replaced {
                path: self.path.to_owned(),
            }),
        }
    }

    /// The tail after a last complete line, which must follow the line before it.
    fn checked_tail(&self, start: u64, last: &[u8], end: u64) -> Result<Tail, ReceiptError> {
        if start == 0 && last.is_empty() {
            return Ok(Tail { link: None, end });
        }
        let before = if start == 0 {
            None
        } else {
            let (at, line) = self.line_ending_at(start)?;
            Some(self.readable(&line, at)?)
        };
        Ok(Tail {
            link: Some(self.whole(last, before, start)?),
            end,
        })
    }

    /// A line that reads and has the hash it states, wherever it stands.
    fn readable(&self, line: &[u8], offset: u64) -> Result<Link, ReceiptError> {
        let read = line::read(line::without_end(line), Scope::Receipt, &mut Vec::new())
            .map_err(|e| self.corrupt(offset, &e))?;
        if read.hash_matches() {
            Ok(read.link())
        } else {
            Err(self.corrupt(offset, &ReceiptError::Hash))
        }
    }

    /// A line that is a whole receipt and follows `before`.
    fn whole(&self, line: &[u8], before: Option<Link>, offset: u64) -> Result<Link, ReceiptError> {
        let read = line::read(line::without_end(line), Scope::Receipt, &mut Vec::new())
            .map_err(|e| self.corrupt(offset, &e))?;
        follow(before, &read).map_err(|e| self.corrupt(offset, &e))?;
        Ok(read.link())
    }

    /// Deals with bytes after the last line feed.
    fn settle(&self, tail: Tail, torn: &[u8]) -> Result<(Tail, Option<Repair>), ReceiptError> {
        if torn.is_empty() {
            return Ok((tail, None));
        }
        match line::read(torn, Scope::Receipt, &mut Vec::new()) {
            Ok(_) => self.end_line(tail, torn),
            Err(ReceiptError::Json(CanonError::Syntax { .. } | CanonError::InvalidUtf8 { .. })) => {
                self.move_torn_line(tail, torn)
            }
            // Complete, and not a receipt: no crash of a writer leaves this behind.
            Err(error) => Err(self.corrupt(tail.end, &error)),
        }
    }

    fn end_line(&self, tail: Tail, line: &[u8]) -> Result<(Tail, Option<Repair>), ReceiptError> {
        let receipt = self.whole(line, tail.link, tail.end)?;
        let at = tail.end + line.len() as u64;
        let written = self.storage.write_at(b"\n", at);
        let written = written.map_err(|e| self.io("write", e))?;
        if written != 1 {
            return Err(self.io("write", io::ErrorKind::WriteZero.into()));
        }
        self.storage.sync().map_err(|e| self.io("fdatasync", e))?;
        let tail = Tail {
            link: Some(receipt),
            end: at + 1,
        };
        Ok((tail, Some(Repair::LineEndAdded { receipt })))
    }

    fn move_torn_line(
        &self,
        tail: Tail,
        torn: &[u8],
    ) -> Result<(Tail, Option<Repair>), ReceiptError> {
        let overlap = torn.len().min(LINE_START.len());
        if tail.end == 0 && torn[..overlap] != LINE_START[..overlap] && torn.iter().any(|b| *b != 0)
        {
            return Err(ReceiptError::NotALog {
                path: self.path.to_owned(),
                reason: "it has no complete line and does not start like a receipt".into(),
            });
        }
        let kept_in = self
            .storage
            .keep_torn(torn, tail.end)
            .map_err(|e| self.io("keeping the torn line", e))?;
        self.storage
            .truncate(tail.end)
            .map_err(|e| self.io("truncate", e))?;
        self.storage.sync().map_err(|e| self.io("fdatasync", e))?;
        let repair = Repair::TornLineMoved {
            offset: tail.end,
            bytes: torn.len() as u64,
            kept_in,
        };
        Ok((tail, Some(repair)))
    }

    /// The line that ends at `end` (with its line feed, when it has one), and where it starts.
    fn line_ending_at(&self, end: u64) -> Result<(u64, Vec<u8>), ReceiptError> {
        let mut line: Vec<u8> = Vec::new();
        let mut start = end;
        while start > 0 {
            let chunk_len = (CHUNK_BYTES as u64).min(start);
            let chunk = self.read_exact(start - chunk_len, chunk_len)?;
            // The line feed at the very end belongs to the line itself.
            let searched = chunk.len() - usize::from(line.is_empty());
            if let Some(at) = chunk[..searched].iter().rposition(|b| *b == b'\n') {
                line.splice(0..0, chunk[at + 1..].iter().copied());
                return Ok((end - line.len() as u64, line));
            }
            line.splice(0..0, chunk);
            start -= chunk_len;
            if line.len() > MAX_LINE_BYTES {
                let error = ReceiptError::TooLarge {
                    bytes: line.len(),
                    limit: MAX_LINE_BYTES,
                };
                return Err(self.corrupt(start, &error));
            }
        }
        Ok((0, line))
    }

    fn read_exact(&self, offset: u64, len: u64) -> Result<Vec<u8>, ReceiptError> {
        let mut bytes = Vec::new();
        let source = ReadAt {
            storage: self.storage,
            offset,
        };
        let read = source.take(len).read_to_end(&mut bytes);
        if read.map_err(|e| self.io("read", e))? as u64 == len {
            Ok(bytes)
        } else {
            Err(self.io("read", io::ErrorKind::UnexpectedEof.into()))
        }
    }

    fn corrupt(&self, offset: u64, reason: &dyn std::fmt::Display) -> ReceiptError {
        ReceiptError::CorruptTail {
            path: self.path.to_owned(),
            offset,
            reason: reason.to_string(),
        }
    }

    pub(crate) fn io(&self, operation: &'static str, error: io::Error) -> ReceiptError {
        io_error(self.path, operation, error)
    }
}

/// The error of an operation on a log's file.
pub(crate) fn io_error(path: &Path, operation: &'static str, error: io::Error) -> ReceiptError {
    ReceiptError::Io {
        path: path.to_owned(),
        operation,
        source: Arc::new(error),
    }
}

/// Reads onwards from a place.
struct ReadAt<'a> {
    storage: &'a dyn Storage,
    offset: u64,
}

impl Read for ReadAt<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.storage.read_at(buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}
