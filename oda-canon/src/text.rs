//! The text door: JSON text, read once and written in canonical form as it is read.

use std::marker::PhantomData;

use crate::error::{Place, quote};
use crate::layout::{Duplicate, Key, Layout, OpenObject};
use crate::number::{Literal, NumberFault};
use crate::profile::{Escaped, Profile};
use crate::string::{is_special, key_text, plain_len, sort_prefix, write_escape, written_prefix};
use crate::{CanonError, Limits};

/// Reads a whole document into `layout`, which must be empty.
pub(crate) fn write_document<P: Profile>(
    layout: &mut Layout,
    limits: Limits,
    text: &[u8],
) -> Result<(), CanonError> {
    if text.len() > limits.bytes() {
        return Err(too_large(limits.bytes(), limits));
    }
    if text.starts_with(b"\xef\xbb\xbf") {
        return Err(CanonError::ByteOrderMark {
            place: Place::Byte(0),
        });
    }
    // One pass over the text up front is cheaper than checking string by string, and makes
    // every slice below text.
    let text = simdutf8::compat::from_utf8(text).map_err(|error| CanonError::InvalidUtf8 {
        place: Place::Byte(error.valid_up_to()),
    })?;
    write_nested::<P>(layout, limits, 0, text)
}

/// Reads a document that stands inside another one, `depth` levels down.
pub(crate) fn write_nested<P: Profile>(
    layout: &mut Layout,
    limits: Limits,
    depth: u8,
    text: &str,
) -> Result<(), CanonError> {
    if text.len() > limits.bytes() {
        return Err(too_large(limits.bytes(), limits));
    }
    let mut reader = Reader::<P> {
        text,
        bytes: text.as_bytes(),
        at: 0,
        layout,
        limits,
        outer_depth: usize::from(depth),
        open: Vec::new(),
        profile: PhantomData,
    };
    reader.document()
}

#[cold]
fn too_large(at: usize, limits: Limits) -> CanonError {
    CanonError::TooLarge {
        place: Place::Byte(at),
        limit: limits.bytes(),
    }
}

struct Reader<'t, 'l, P> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    layout: &'l mut Layout,
    limits: Limits,
    outer_depth: usize,
    open: Vec<Container>,
    profile: PhantomData<P>,
}

enum Container {
    Array,
    Object(OpenObject),
}

/// What stands next after something was read.
enum Next {
    /// A value must follow.
    Value,
    /// A value is complete.
    Done,
}

impl<P: Profile> Reader<'_, '_, P> {
    fn document(&mut self) -> Result<(), CanonError> {
        loop {
            let mut next = self.value()?;
            while let Next::Done = next {
                if self.open.is_empty() {
                    return self.end();
                }
                next = self.after_value()?;
            }
        }
    }

    fn end(&mut self) -> Result<(), CanonError> {
        self.skip_space();
        match self.peek() {
            None if self.layout.raw.len() > self.limits.bytes() => {
                Err(too_large(self.at, self.limits))
            }
            None => Ok(()),
            Some(_) => Err(CanonError::TrailingBytes {
                place: Place::Byte(self.at),
            }),
        }
    }

    /// Reads a scalar or an empty container, or opens a container up to its first value.
    fn value(&mut self) -> Result<Next, CanonError> {
        self.skip_space();
        match self.peek() {
            Some(b'"') => self.string().map(|_| Next::Done),
            Some(b'{') => self.open_object(),
            Some(b'[') => self.open_array(),
            Some(b'-' | b'0'..=b'9') => self.number().map(|()| Next::Done),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            _ => Err(self.expected("a value")),
        }
    }

    /// Reads what separates a value from the next one, or the end of the container.
    fn after_value(&mut self) -> Result<Next, CanonError> {
        self.skip_space();
        let byte = self.peek();
        match (self.open.last_mut(), byte) {
            (Some(Container::Array), Some(b',')) => {
                self.at += 1;
                self.layout.raw.push(b',');
                self.check_size()?;
                Ok(Next::Value)
            }
            (Some(Container::Array), Some(b']')) => {
                self.at += 1;
                self.layout.raw.push(b']');
                self.open.pop();
                Ok(Next::Done)
            }
            (Some(Container::Array), _) => Err(self.expected("`,` or `]`")),
            (Some(Container::Object(_)), Some(b',')) => {
                self.at += 1;
                self.check_size()?;
                self.skip_space();
                self.member_key()
            }
            (Some(Container::Object(object)), Some(b'}')) => {
                let closed = self.layout.close_object(object);
                closed.map_err(|duplicate| self.duplicate(duplicate))?;
                self.at += 1;
                self.open.pop();
                Ok(Next::Done)
            }
            (Some(Container::Object(_)), _) => Err(self.expected("`,` or `}`")),
            (None, _) => Ok(Next::Done),
        }
    }

    fn open_array(&mut self) -> Result<Next, CanonError> {
        self.check_depth()?;
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
            self.layout.raw.extend_from_slice(b"[]");
            return Ok(Next::Done);
        }
        self.layout.raw.push(b'[');
        self.open.push(Container::Array);
        Ok(Next::Value)
    }

    fn open_object(&mut self) -> Result<Next, CanonError> {
        self.check_depth()?;
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            self.layout.raw.extend_from_slice(b"{}");
            return Ok(Next::Done);
        }
        let object = self.layout.open_object();
        self.open.push(Container::Object(object));
        self.member_key()
    }

    fn member_key(&mut self) -> Result<Next, CanonError> {
        if self.peek() != Some(b'"') {
            return Err(self.expected("a key in quotes"));
        }
        let origin = self.at;
        let start = match self.open.last() {
            Some(Container::Object(object)) => self.layout.start_member(object),
            _ => self.layout.raw.len(),
        };
        let escaped = self.string()?;
        if let Some(Container::Object(object)) = self.open.last_mut() {
            let prefix = match escaped {
                // From the input, which the processor has at hand, unlike what it just wrote;
                // as written when the input holds escapes, which need not be written as such.
                Escaped::No if self.at - origin == self.layout.raw.len() - start => {
                    sort_prefix(&self.bytes[origin + 1..self.at - 1])
                }
                _ => written_prefix(
                    &self.layout.raw[start + 1..self.layout.raw.len() - 1],
                    escaped,
                ),
            };
            let ended = self.layout.end_key(
                object,
                Key {
                    prefix,
                    start,
                    origin,
                    escaped,
                },
            );
            ended.map_err(|duplicate| self.duplicate(duplicate))?;
        }
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.expected("`:`"));
        }
        self.at += 1;
        Ok(Next::Value)
    }

    fn string(&mut self) -> Result<Escaped, CanonError> {
        self.at += 1;
        self.layout.raw.push(b'"');
        let mut escaped = Escaped::No;
        loop {
            let rest = &self.bytes[self.at..];
            let run = plain_len(rest);
            escaped = escaped.or(P::plain(&mut self.layout.raw, rest, run));
            self.at += run;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    self.layout.raw.push(b'"');
                    return Ok(escaped);
                }
                Some(b'\\') => escaped = escaped.or(self.escape()?),
                Some(_) => return Err(self.expected("no bare control character in a string")),
                None => return Err(self.expected("`\"` at the end of the string")),
            }
        }
    }

    #[cold]
    fn escape(&mut self) -> Result<Escaped, CanonError> {
        let char = match self.bytes.get(self.at + 1) {
            Some(&byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => {
                self.at += 1;
                return Err(self.expected("one of \" \\ / b f n r t u after `\\`"));
            }
        };
        self.at += 2;
        Ok(self.write_char(char))
    }

    fn unicode_escape(&mut self) -> Result<Escaped, CanonError> {
        let lone = CanonError::LoneSurrogate {
            place: Place::Byte(self.at),
        };
        let unit = self.hex_unit(self.at)?;
        let mut code = unit;
        let mut used = 6;
        if (0xd800..0xdc00).contains(&unit) && self.bytes[self.at + 6..].starts_with(b"\\u") {
            let low = self.hex_unit(self.at + 6)?;
            if (0xdc00..0xe000).contains(&low) {
                code = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                used = 12;
            }
        }
        // `char` holds no surrogates, so what is left of them fails here.
        let char = char::from_u32(code).ok_or(lone)?;
        self.at += used;
        Ok(self.write_char(char))
    }

    /// The code unit of the `\uXXXX` that starts at `start`.
    fn hex_unit(&mut self, start: usize) -> Result<u32, CanonError> {
        let mut unit = 0;
        for at in start + 2..start + 6 {
            let digit = self
                .bytes
                .get(at)
                .and_then(|&byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                self.at = at;
                return Err(self.expected("four hex digits after `\\u`"));
            };
            unit = unit * 16 + digit;
        }
        Ok(unit)
    }

    fn write_char(&mut self, char: char) -> Escaped {
        let mut buffer = [0; 4];
        let text = char.encode_utf8(&mut buffer).as_bytes();
        if is_special(text[0]) {
            write_escape(&mut self.layout.raw, text[0]);
            return Escaped::Yes;
        }
        P::plain(&mut self.layout.raw, text, text.len())
    }

    fn number(&mut self) -> Result<(), CanonError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let whole = self.whole_digits()?;
        let mut fraction = self.at..self.at;
        if self.peek() == Some(b'.') {
            self.at += 1;
            fraction = self.digits("a digit after the point")?;
        }
        let mut exponent = None;
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            exponent = Some(self.exponent()?);
        }
        let literal = Literal {
            text: &self.text[start..self.at],
            whole: &self.text[whole],
            fraction: &self.text[fraction],
            exponent,
        };
        P::literal(&mut self.layout.raw, &literal).map_err(|fault| {
            let place = Place::Byte(start);
            match fault {
                NumberFault::NonFinite => CanonError::NonFinite { place },
                NumberFault::Inexact => CanonError::InexactInteger {
                    place,
                    number: quote(literal.text),
                },
            }
        })
    }

    fn whole_digits(&mut self) -> Result<std::ops::Range<usize>, CanonError> {
        if self.peek() != Some(b'0') {
            return self.digits("a digit");
        }
        self.at += 1;
        if let Some(b'0'..=b'9') = self.peek() {
            return Err(self.expected("no digit after a leading zero"));
        }
        Ok(self.at - 1..self.at)
    }

    fn digits(&mut self, expected: &'static str) -> Result<std::ops::Range<usize>, CanonError> {
        let start = self.at;
        let rest = &self.bytes[start..];
        self.at += rest
            .iter()
            .position(|byte| !byte.is_ascii_digit())
            .unwrap_or(rest.len());
        if start == self.at {
            Err(self.expected(expected))
        } else {
            Ok(start..self.at)
        }
    }

    fn exponent(&mut self) -> Result<i64, CanonError> {
        let negative = self.peek() == Some(b'-');
        if let Some(b'-' | b'+') = self.peek() {
            self.at += 1;
        }
        let digits = self.digits("a digit in the exponent")?;
        let magnitude = self.bytes[digits].iter().fold(0i64, |value, &digit| {
            value
                .saturating_mul(10)
                .saturating_add(i64::from(digit - b'0'))
        });
        Ok(if negative { -magnitude } else { magnitude })
    }

    fn word(&mut self, word: &'static str) -> Result<Next, CanonError> {
        let rest = &self.bytes[self.at..];
        let matching = rest
            .iter()
            .zip(word.as_bytes())
            .take_while(|(a, b)| a == b)
            .count();
        self.at += matching;
        if matching < word.len() {
            return Err(self.expected("`true`, `false` or `null`"));
        }
        self.layout.raw.extend_from_slice(word.as_bytes());
        Ok(Next::Done)
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn check_depth(&self) -> Result<(), CanonError> {
        if self.outer_depth + self.open.len() >= usize::from(self.limits.depth()) {
            let place = Place::Byte(self.at);
            return Err(CanonError::TooDeep {
                place,
                limit: self.limits.depth(),
            });
        }
        Ok(())
    }

    fn check_size(&self) -> Result<(), CanonError> {
        if self.layout.raw.len() > self.limits.bytes() {
            return Err(too_large(self.at, self.limits));
        }
        Ok(())
    }

    #[cold]
    fn expected(&self, expected: &'static str) -> CanonError {
        CanonError::Syntax {
            place: Place::Byte(self.at),
            expected,
        }
    }

    #[cold]
    fn duplicate(&self, duplicate: Duplicate) -> CanonError {
        let key = key_text(&self.layout.raw[duplicate.written]);
        CanonError::DuplicateKey {
            place: Place::Byte(duplicate.origin),
            key: quote(&key),
        }
    }
}
