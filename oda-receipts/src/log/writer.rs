//! Writing one batch: lock, catch up, seal, write, sync, unlock.

use std::io;
use std::path::{Path, PathBuf};

use super::storage::Storage;
use super::tail::{Repair, Tail, TailReader, io_error};
use crate::error::ReceiptError;
use crate::receipt::{Link, Receipt};
use crate::seal::{Seal, Unsealed};
use oda_canon::Digest;

/// One caller's share of a batch.
#[derive(Debug)]
pub(crate) enum Work {
    /// A draft to be sealed at the end of the log.
    Seal(Box<Unsealed>),
    /// Receipts sealed elsewhere, to be taken over.
    Mirror(Mirror),
}

/// What became of a caller's share, once it is on the disk.
#[derive(Debug)]
pub(crate) enum Done {
    /// The draft with its place, from which its caller makes the receipt.
    Sealed(Box<Unsealed>, Seal),
    /// What was taken over and what the log had already.
    Mirrored(Mirrored),
}

/// What [`JsonlLog::append_sealed`](super::JsonlLog::append_sealed) did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mirrored {
    /// How many receipts were at or below the end of the log already.
    pub skipped: usize,
    /// How many were appended.
    pub appended: usize,
}

/// Sealed receipts that follow one another, with their lines in one piece.
#[derive(Debug)]
pub(crate) struct Mirror {
    lines: Vec<MirrorLine>,
    text: Vec<u8>,
}

#[derive(Debug)]
struct MirrorLine {
    link: Link,
    prev_hash: Digest,
    /// Where the line ends in the text.
    end: usize,
}

impl Mirror {
    /// Collects receipts, which must be a piece of one chain.
    pub(crate) fn new(receipts: &[Receipt]) -> Result<Self, ReceiptError> {
        let mut mirror = Self {
            lines: Vec::with_capacity(receipts.len()),
            text: Vec::new(),
        };
        for receipt in receipts {
            if let Some(before) = mirror.lines.last() {
                follows(before.link, receipt.link(), receipt.prev_hash())?;
            }
            mirror.text.extend_from_slice(receipt.as_json().as_bytes());
            mirror.text.push(b'\n');
            mirror.lines.push(MirrorLine {
                link: receipt.link(),
                prev_hash: receipt.prev_hash(),
                end: mirror.text.len(),
            });
        }
        Ok(mirror)
    }

    /// The part beyond the end of the log: its text and how many lines it skips.
    fn beyond(&self, tail: Option<Link>) -> Result<(&[u8], Mirrored), ReceiptError> {
        let known = self
            .lines
            .iter()
            .take_while(|line| tail.is_some_and(|tail| line.link.seq <= tail.seq));
        let skipped = known.count();
        let at_tail = self
            .lines
            .iter()
            .find(|line| tail.is_some_and(|t| line.link.seq == t.seq));
        if let (Some(tail), Some(line)) = (tail, at_tail)
            && line.link.hash != tail.hash
        {
            return Err(ReceiptError::Fork {
                tail,
                offered: line.link,
            });
        }
        if let Some(next) = self.lines.get(skipped) {
            match tail {
                Some(tail) => follows(tail, next.link, next.prev_hash)?,
                None => starts(next.link)?,
            }
        }
        let from = skipped
            .checked_sub(1)
            .and_then(|at| self.lines.get(at))
            .map_or(0, |line| line.end);
        let mirrored = Mirrored {
            skipped,
            appended: self.lines.len() - skipped,
        };
        Ok((&self.text[from..], mirrored))
    }
}

fn starts(first: Link) -> Result<(), ReceiptError> {
    if first.seq == 0 {
        Ok(())
    } else {
        Err(ReceiptError::Gap {
            expected: 0,
            offered: first.seq,
        })
    }
}

fn follows(before: Link, next: Link, prev_hash: Digest) -> Result<(), ReceiptError> {
    if next.seq != before.seq + 1 {
        Err(ReceiptError::Gap {
            expected: before.seq + 1,
            offered: next.seq,
        })
    } else if prev_hash != before.hash {
        Err(ReceiptError::Fork {
            tail: before,
            offered: next,
        })
    } else {
        Ok(())
    }
}

/// The writing side of an open log. Used by one thread at a time.
#[derive(Debug)]
pub(crate) struct Writer {
    storage: Box<dyn Storage>,
    path: PathBuf,
    tail: Tail,
    /// Whether everything up to the tail is known to be on the disk. Lines found in the file may
    /// be of a process that died between writing and syncing.
    durability: Durability,
    poison: Option<String>,
    repairs: Vec<Repair>,
    batch: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Durability {
    Synced,
    Unknown,
}

impl Writer {
    /// Finds the end of the log, under the lock, and repairs it.
    pub(crate) fn open(storage: Box<dyn Storage>, path: PathBuf) -> Result<Self, ReceiptError> {
        let mut writer = Self {
            storage,
            path,
            tail: Tail { link: None, end: 0 },
            durability: Durability::Unknown,
            poison: None,
            repairs: Vec::new(),
            batch: Vec::new(),
        };
        writer.locked(|writer| {
            let (tail, repair) = writer.tail_reader().find()?;
            writer.found(tail, repair);
            Ok(())
        })?;
        Ok(writer)
    }

    /// The repairs made since this was last asked, oldest first.
    pub(crate) fn take_repairs(&mut self) -> Vec<Repair> {
        std::mem::take(&mut self.repairs)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) const fn tail(&self) -> Option<Link> {
        self.tail.link
    }

    /// Reads what others appended, without writing.
    pub(crate) fn refresh(&mut self) -> Result<Option<Link>, ReceiptError> {
        self.check_poison()?;
        self.locked(|writer| {
            writer.catch_up()?;
            Ok(writer.tail.link)
        })
    }

    /// Makes every share durable, or tells each caller why not. The outcomes are in the order of
    /// the shares.
    pub(crate) fn commit(&mut self, batch: Vec<Work>) -> Vec<Result<Done, ReceiptError>> {
        let shares = batch.len();
        let committed = self.check_poison().and_then(|()| {
            self.locked(|writer| {
                writer.catch_up()?;
                writer.write_batch(batch)
            })
        });
        match committed {
            Ok(outcomes) => outcomes,
            Err(error) => (0..shares).map(|_| Err(error.clone())).collect(),
        }
    }

    fn write_batch(
        &mut self,
        batch: Vec<Work>,
    ) -> Result<Vec<Result<Done, ReceiptError>>, ReceiptError> {
        let mut bytes = std::mem::take(&mut self.batch);
        bytes.clear();
        let mut link = self.tail.link;
        let mut scratch = Vec::new();
        let outcomes = batch
            .into_iter()
            .map(|work| add(work, &mut link, &mut bytes, &mut scratch))
            .collect();
        let written = self.write_durably(&bytes);
        let end = self.tail.end + bytes.len() as u64;
        bytes.shrink_to(BATCH_BYTES_KEPT);
        self.batch = bytes;
        written?;
        self.tail = Tail { link, end };
        Ok(outcomes)
    }

    fn write_durably(&mut self, bytes: &[u8]) -> Result<(), ReceiptError> {
        if bytes.is_empty() && self.durability == Durability::Synced {
            return Ok(());
        }
        if let Err(error) = self.write_all(bytes) {
            self.cut_back();
            return Err(io_error(&self.path, "write", error));
        }
        if let Err(error) = self.storage.sync() {
            // After a failed sync the system may report the next one as fine although pages were
            // lost. What was acknowledged before was synced before: cut back to that, and stop.
            self.cut_back();
            self.poison = Some(format!("fdatasync failed: {error}"));
            return Err(io_error(&self.path, "fdatasync", error));
        }
        self.durability = Durability::Synced;
        Ok(())
    }

    fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        let mut done = 0;
        while done < bytes.len() {
            match self
                .storage
                .write_at(&bytes[done..], self.tail.end + done as u64)
            {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => done += written,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Removes what a failed batch left behind the last good line.
    fn cut_back(&mut self) {
        if let Err(error) = self.storage.truncate(self.tail.end) {
            self.poison = Some(format!(
                "a failed write could not be cut back to byte {}: {error}",
                self.tail.end
            ));
        }
    }

    fn catch_up(&mut self) -> Result<(), ReceiptError> {
        match self.tail_reader().catch_up(self.tail) {
            Ok((tail, repair)) => {
                if tail != self.tail {
                    self.found(tail, repair);
                } else if let Some(repair) = repair {
                    self.repairs.push(repair);
                }
                Ok(())
            }
            Err(error) => {
                // Reading may fail for a moment; a log that is not what it was stays so.
                if !matches!(error, ReceiptError::Io { .. }) {
                    self.poison = Some(error.to_string());
                }
                Err(error)
            }
        }
    }

    fn found(&mut self, tail: Tail, repair: Option<Repair>) {
        self.tail = tail;
        self.durability = Durability::Unknown;
        self.repairs.extend(repair);
    }

    fn tail_reader(&self) -> TailReader<'_> {
        TailReader {
            storage: &*self.storage,
            path: &self.path,
        }
    }

    fn check_poison(&self) -> Result<(), ReceiptError> {
        match &self.poison {
            None => Ok(()),
            Some(reason) => Err(ReceiptError::Poisoned {
                path: self.path.clone(),
                reason: reason.clone(),
            }),
        }
    }

    /// Runs `work` under the lock between processes.
    fn locked<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, ReceiptError>,
    ) -> Result<T, ReceiptError> {
        self.storage
            .lock()
            .map_err(|e| io_error(&self.path, "lock", e))?;
        let outcome = work(self);
        if let Err(error) = self.storage.unlock() {
            // The work is done and durable; but who keeps a lock keeps others out.
            self.poison = Some(format!("the lock could not be given back: {error}"));
        }
        outcome
    }
}

/// How much room for a batch is kept between batches: what 64 receipts need.
const BATCH_BYTES_KEPT: usize = 128 * 1024;

fn add(
    work: Work,
    tail: &mut Option<Link>,
    bytes: &mut Vec<u8>,
    scratch: &mut Vec<u8>,
) -> Result<Done, ReceiptError> {
    match work {
        Work::Seal(unsealed) => {
            let seal = unsealed.place(*tail, scratch)?;
            unsealed.write_line(seal, bytes);
            bytes.push(b'\n');
            *tail = Some(seal.link);
            Ok(Done::Sealed(unsealed, seal))
        }
        Work::Mirror(mirror) => {
            let (text, mirrored) = mirror.beyond(*tail)?;
            bytes.extend_from_slice(text);
            if let (Some(last), 1..) = (mirror.lines.last(), mirrored.appended) {
                *tail = Some(last.link);
            }
            Ok(Done::Mirrored(mirrored))
        }
    }
}
