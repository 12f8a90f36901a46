//! Strings in canonical form: RFC 8785 section 3.2.2.2.

use crate::copy::append_if_plain;
use crate::profile::{Escaped, Profile};

/// Writes `text` in quotes.
#[inline(always)]
pub(crate) fn write_string<P: Profile>(out: &mut Vec<u8>, text: &str) -> Escaped {
    out.push(b'"');
    let escaped = write_unquoted::<P>(out, text.as_bytes());
    out.push(b'"');
    escaped
}

/// Writes a piece of a string without quotes.
#[inline(always)]
pub(crate) fn write_unquoted<P: Profile>(out: &mut Vec<u8>, text: &[u8]) -> Escaped {
    if P::VERBATIM && append_if_plain(out, text) {
        return Escaped::No;
    }
    write_mixed::<P>(out, text)
}

#[cold]
fn write_mixed<P: Profile>(out: &mut Vec<u8>, mut text: &[u8]) -> Escaped {
    let mut escaped = Escaped::No;
    while let Some((&byte, rest)) = text.split_first() {
        if is_special(byte) {
            write_escape(out, byte);
            escaped = Escaped::Yes;
            text = rest;
        } else {
            let run = plain_len(text);
            escaped = escaped.or(P::plain(out, text, run));
            text = &text[run..];
        }
    }
    escaped
}

/// Writes the escape of a control character, `"` or `\`.
pub(crate) fn write_escape(out: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0c => b'f',
        b'\r' => b'r',
        _ => {
            out.extend_from_slice(b"\\u00");
            out.push(HEX[usize::from(byte >> 4)]);
            out.push(HEX[usize::from(byte & 15)]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// Whether a byte never stands for itself inside a JSON string.
pub(crate) const fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// The length of the leading run without a special byte.
///
/// Eight bytes at a time in one word: strings are most of every document, and a byte-wise table
/// look-up costs as much as everything else together.
#[inline]
pub(crate) fn plain_len(text: &[u8]) -> usize {
    let mut len = 0;
    while let Some(word) = text[len..].first_chunk::<8>() {
        let specials = special_bits(u64::from_le_bytes(*word));
        if specials != 0 {
            return len + first_marked(specials);
        }
        len += 8;
    }
    let tail = &text[len..];
    tail.iter()
        .position(|&byte| is_special(byte))
        .map_or(text.len(), |at| len + at)
}

/// Marks special bytes by their highest bit. A mark above the lowest one may be false (a borrow
/// ran into it); the lowest is always true.
pub(crate) const fn special_bits(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    const fn zero_bytes(word: u64) -> u64 {
        word.wrapping_sub(ONES) & !word
    }
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    let quote = zero_bytes(word ^ (ONES * b'"' as u64));
    let backslash = zero_bytes(word ^ (ONES * b'\\' as u64));
    (control | quote | backslash) & HIGH
}

/// The index of the lowest marked byte.
const fn first_marked(marks: u64) -> usize {
    // At most 7, so the conversion is exact on every platform.
    (marks.trailing_zeros() / 8) as usize
}

/// Compares two written keys (without quotes) by the UTF-16 code units of the text they stand
/// for: RFC 8785 section 3.2.3.
pub(crate) fn compare_keys(a: &[u8], b: &[u8], escaped: Escaped) -> std::cmp::Ordering {
    match escaped {
        Escaped::No => compare_utf16(a, b),
        Escaped::Yes => compare_utf16(&unescape(a), &unescape(b)),
    }
}

/// The first eight bytes of a key's text (not of its written form) as a number that sorts like
/// it: equal prefixes decide nothing, different ones decide the order of the keys.
#[inline(always)]
pub(crate) fn sort_prefix(key: &[u8]) -> u64 {
    const HIGH: u64 = (u64::MAX / 255) << 7;
    let prefix = match (
        key.first_chunk::<8>(),
        key.first_chunk::<4>(),
        key.last_chunk::<4>(),
    ) {
        (Some(first), ..) => u64::from_be_bytes(*first),
        (None, Some(first), Some(last)) => {
            // The last four bytes overlap the first four; what overlaps is shifted out.
            let surplus = 8 * (8 - key.len());
            let rest = u64::from(u32::from_be_bytes(*last)) << surplus & u64::from(u32::MAX);
            u64::from(u32::from_be_bytes(*first)) << 32 | rest
        }
        _ => key
            .iter()
            .zip([56, 48, 40])
            .fold(0, |prefix, (&byte, shift)| {
                prefix | u64::from(byte) << shift
            }),
    };
    if prefix & HIGH == 0 {
        prefix
    } else {
        ranked(prefix)
    }
}

/// The [`sort_prefix`] of a key that is known by its written form (without quotes).
#[inline]
pub(crate) fn written_prefix(written: &[u8], escaped: Escaped) -> u64 {
    match escaped {
        Escaped::No => sort_prefix(written),
        Escaped::Yes => sort_prefix(&unescape(written)),
    }
}

#[cold]
fn ranked(prefix: u64) -> u64 {
    u64::from_be_bytes(prefix.to_be_bytes().map(utf16_rank))
}

/// Compares UTF-8 text by its UTF-16 code units, without converting it.
///
/// UTF-8 order is code point order. The two differ in one place: characters above U+FFFF are
/// surrogates (D800 to DFFF) in UTF-16 and so come before U+E000 to U+FFFF, while their UTF-8
/// lead bytes (F0 to F4) come after EE and EF. Only the first differing byte matters.
fn compare_utf16(a: &[u8], b: &[u8]) -> std::cmp::Ordering {
    match a.iter().zip(b).find(|(x, y)| x != y) {
        None => a.len().cmp(&b.len()),
        Some((&x, &y)) => utf16_rank(x).cmp(&utf16_rank(y)),
    }
}

/// A byte of UTF-8, renumbered so that bytes compare as their UTF-16 code units would.
const fn utf16_rank(byte: u8) -> u8 {
    if byte == 0xee || byte == 0xef {
        byte + 0x10
    } else {
        byte
    }
}

/// The text that a canonical string (without quotes) stands for.
///
/// Only what our own writer escapes can occur, so nothing here can fail.
fn unescape(written: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(written.len());
    let mut rest = written;
    while let Some((&byte, after)) = rest.split_first() {
        if byte != b'\\' {
            text.push(byte);
            rest = after;
            continue;
        }
        let (char, used) = match after.first() {
            Some(b'b') => ('\u{8}', 1),
            Some(b't') => ('\t', 1),
            Some(b'n') => ('\n', 1),
            Some(b'f') => ('\u{c}', 1),
            Some(b'r') => ('\r', 1),
            Some(b'u') => (escaped_unit(after), 5),
            Some(&other) => (char::from(other), 1),
            None => break,
        };
        text.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
        rest = after.get(used..).unwrap_or_default();
    }
    text
}

fn escaped_unit(after_backslash: &[u8]) -> char {
    let unit = after_backslash
        .get(1..5)
        .unwrap_or_default()
        .iter()
        .fold(0, |unit, &digit| {
            unit * 16 + char::from(digit).to_digit(16).unwrap_or_default()
        });
    char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The text of a written key, for an error message.
pub(crate) fn key_text(written: &[u8]) -> String {
    String::from_utf8_lossy(&unescape(written)).into_owned()
}
