//! Following a log that grows.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;

use super::storage::{Place, flock, place_of};
use super::tail::io_error;
use crate::error::ReceiptError;
use crate::line::MAX_LINE_BYTES;

/// How much is read at once.
const CHUNK_BYTES: u64 = 256 * 1024;

/// Reads a receipts log from its start and then whatever is appended, complete lines only.
///
/// New bytes are read under a shared lock, which a writer holds exclusively until its batch is
/// on the disk: a line given is not taken back later. (Only a writer that was killed between
/// writing and syncing leaves lines that a power cut may still take.) Lines are not verified;
/// give them to [`Verifier::feed`](crate::Verifier::feed).
///
/// Asking costs two system calls while nothing is new. There is no notification: ask again
/// after a pause.
#[derive(Debug)]
pub struct Follower {
    file: File,
    path: PathBuf,
    /// Up to where lines were read into the buffer.
    offset: u64,
    /// Complete lines.
    buffer: Vec<u8>,
    /// How much of the buffer was given out.
    given: usize,
}

impl Follower {
    /// Opens a log for reading, at its first line.
    ///
    /// # Errors
    ///
    /// [`ReceiptError::Io`] when it cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ReceiptError> {
        let path = path.as_ref().to_owned();
        let file = File::open(&path).map_err(|e| io_error(&path, "open", e))?;
        Ok(Self {
            file,
            path,
            offset: 0,
            buffer: Vec::new(),
            given: 0,
        })
    }

    /// The next complete line with its line feed; `None` when there is none yet.
    ///
    /// # Errors
    ///
    /// [`ReceiptError::Truncated`] when lines already given are gone, [`ReceiptError::Replaced`]
    /// when the path names another file now and this one is read to its end,
    /// [`ReceiptError::TooLarge`] for a line without end, [`ReceiptError::Io`].
    pub fn next_line(&mut self) -> Result<Option<&[u8]>, ReceiptError> {
        if self.given == self.buffer.len() {
            self.fill()?;
        }
        let rest = &self.buffer[self.given..];
        let Some(end) = rest.iter().position(|b| *b == b'\n') else {
            return Ok(None);
        };
        self.given += end + 1;
        Ok(Some(&rest[..=end]))
    }

    /// Reads complete lines into the buffer, if there are any.
    fn fill(&mut self) -> Result<(), ReceiptError> {
        self.buffer.clear();
        self.given = 0;
        let state = place_of(&self.file, &self.path).map_err(|e| self.io("stat", e))?;
        if state.len < self.offset {
            return Err(ReceiptError::Truncated {
                path: self.path.clone(),
                length: state.len,
                expected: self.offset,
            });
        }
        if state.len == self.offset {
            return match state.place {
                Place::Kept => Ok(()),
                Place::Lost => Err(ReceiptError::Replaced {
                    path: self.path.clone(),
                }),
            };
        }
        flock(&self.file, FlockOperation::LockShared).map_err(|e| self.io("lock", e))?;
        let read = self.read_lines();
        flock(&self.file, FlockOperation::Unlock).map_err(|e| self.io("unlock", e))?;
        read
    }

    fn read_lines(&mut self) -> Result<(), ReceiptError> {
        loop {
            let from = self.buffer.len();
            let chunk = from + usize::try_from(CHUNK_BYTES).unwrap_or(usize::MAX);
            self.buffer.resize(chunk, 0);
            let read = self
                .file
                .read_at(&mut self.buffer[from..], self.offset + from as u64);
            self.buffer.truncate(from + *read.as_ref().unwrap_or(&0));
            let read = read.map_err(|e| self.io("read", e))?;
            if let Some(end) = self.buffer[from..].iter().rposition(|b| *b == b'\n') {
                self.buffer.truncate(from + end + 1);
                self.offset += self.buffer.len() as u64;
                return Ok(());
            }
            if read == 0 {
                // The rest is a line that a dead writer left torn; the next writer moves it.
                self.buffer.clear();
                return Ok(());
            }
            if self.buffer.len() > MAX_LINE_BYTES {
                let bytes = self.buffer.len();
                self.buffer.clear();
                return Err(ReceiptError::TooLarge {
                    bytes,
                    limit: MAX_LINE_BYTES,
                });
            }
        }
    }

    fn io(&self, operation: &'static str, error: io::Error) -> ReceiptError {
        io_error(&self.path, operation, error)
    }
}
