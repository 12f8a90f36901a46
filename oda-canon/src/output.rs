//! Reading the canonical text out of a layout: into bytes, a hash or a callback.

use sha2::{Digest as _, Sha256};

use crate::Digest;
use crate::copy::{SLACK, append_range};
use crate::layout::{Layout, Sink};

pub(crate) fn collect(layout: &mut Layout) -> Vec<u8> {
    layout.pad();
    // With room for the block that the last piece is copied in.
    let mut bytes = Bytes(Vec::with_capacity(layout.raw.len()));
    layout.read(&mut bytes);
    bytes.0
}

pub(crate) fn hash(layout: &mut Layout) -> Digest {
    layout.pad();
    let mut hashing = Hashing {
        hasher: Sha256::new(),
        gathered: [0; GATHER_BYTES],
        len: 0,
    };
    layout.read(&mut hashing);
    hashing.flush();
    Digest::from_bytes(hashing.hasher.finalize().into())
}

pub(crate) fn feed(layout: &mut Layout, callback: impl FnMut(&[u8])) {
    layout.pad();
    layout.read(&mut Callback(callback));
}

struct Bytes(Vec<u8>);

impl Sink for Bytes {
    #[inline]
    fn take(&mut self, raw: &[u8], start: usize, end: usize) {
        append_range(&mut self.0, raw, start, end);
    }
}

struct Callback<F>(F);

impl<F: FnMut(&[u8])> Sink for Callback<F> {
    fn take(&mut self, raw: &[u8], start: usize, end: usize) {
        (self.0)(&raw[start..end]);
    }
}

/// How many bytes of small pieces are gathered before they are hashed: SHA-256 works on blocks
/// of 64 bytes, and handing it every piece would cost more than the hashing.
const GATHER_BYTES: usize = 1024;

struct Hashing {
    hasher: Sha256,
    gathered: [u8; GATHER_BYTES],
    len: usize,
}

impl Hashing {
    fn flush(&mut self) {
        self.hasher.update(&self.gathered[..self.len]);
        self.len = 0;
    }
}

impl Sink for Hashing {
    #[inline]
    fn take(&mut self, raw: &[u8], start: usize, end: usize) {
        let len = end - start;
        if self.len + len.max(SLACK) > GATHER_BYTES {
            self.flush();
        }
        let block = raw
            .get(start..)
            .and_then(|rest| rest.first_chunk::<SLACK>());
        match block {
            Some(block) if len <= SLACK => {
                self.gathered[self.len..self.len + SLACK].copy_from_slice(block);
                self.len += len;
            }
            _ if len <= GATHER_BYTES => {
                self.gathered[self.len..self.len + len].copy_from_slice(&raw[start..end]);
                self.len += len;
            }
            _ => self.hasher.update(&raw[start..end]),
        }
    }
}
