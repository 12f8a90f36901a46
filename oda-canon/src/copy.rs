//! Appending short pieces of text without a call to `memcpy`.
//!
//! Most pieces of a document are shorter than 32 bytes; for those the call itself, with its
//! choice by length, costs more than the bytes.

use crate::string::special_bits;

/// Appends `source[start..end]`. Faster when at least [`SLACK`] bytes follow `start`.
#[inline]
pub(crate) fn append_range(out: &mut Vec<u8>, source: &[u8], start: usize, end: usize) {
    let len = end - start;
    if len <= SLACK
        && let Some(block) = source
            .get(start..)
            .and_then(|rest| rest.first_chunk::<SLACK>())
    {
        let target = out.len() + len;
        out.extend_from_slice(block);
        out.truncate(target);
    } else {
        out.extend_from_slice(&source[start..end]);
    }
}

/// The size of one copy: two vector registers on every 64-bit machine.
pub(crate) const SLACK: usize = 32;

/// Appends `text` if it holds no special byte (see [`is_special`](crate::string::is_special));
/// otherwise leaves `out` as it was and returns `false`.
#[inline(always)]
pub(crate) fn append_if_plain(out: &mut Vec<u8>, text: &[u8]) -> bool {
    let start = out.len();
    let plain = match text.len() {
        0 => true,
        1 => append_ends::<1>(out, text),
        2..4 => append_ends::<2>(out, text),
        4..8 => append_ends::<4>(out, text),
        8..16 => append_ends::<8>(out, text),
        16..=32 => append_ends::<16>(out, text),
        _ => append_long(out, text),
    };
    if !plain {
        out.truncate(start);
    }
    plain
}

/// Appends a text of `N` to `2 * N` bytes by its first and its last `N` bytes.
#[inline(always)]
fn append_ends<const N: usize>(out: &mut Vec<u8>, text: &[u8]) -> bool {
    let (Some(first), Some(last)) = (text.first_chunk::<N>(), text.last_chunk::<N>()) else {
        return false;
    };
    let tail = out.len() + text.len() - N;
    out.extend_from_slice(first);
    out.truncate(tail);
    out.extend_from_slice(last);
    !(any_special(first) | any_special(last))
}

fn append_long(out: &mut Vec<u8>, text: &[u8]) -> bool {
    const BLOCK: usize = 16;
    let (blocks, _) = text.as_chunks::<BLOCK>();
    let mut special = text.last_chunk::<BLOCK>().is_some_and(any_special_in_block);
    for block in blocks {
        special |= any_special_in_block(block);
    }
    out.extend_from_slice(text);
    !special
}

/// Without a branch, so that the compiler turns it into a few vector instructions.
#[inline]
fn any_special_in_block(block: &[u8; 16]) -> bool {
    block.iter().fold(false, |any, &byte| {
        any | (byte < 0x20) | (byte == b'"') | (byte == b'\\')
    })
}

/// The same for pieces that are too short for vectors, a word at a time.
#[inline(always)]
fn any_special<const N: usize>(piece: &[u8; N]) -> bool {
    let (words, rest) = piece.as_chunks::<8>();
    let mut marks = 0;
    for word in words {
        marks |= special_bits(u64::from_le_bytes(*word));
    }
    if !rest.is_empty() {
        // Spaces are not special.
        let mut word = [b' '; 8];
        word[..rest.len()].copy_from_slice(rest);
        marks |= special_bits(u64::from_le_bytes(word));
    }
    marks != 0
}
