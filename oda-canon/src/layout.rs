//! Text in writing order, and what is needed to put it into canonical order.
//!
//! Values are written once, in the order in which they arrive, into one buffer. For every object
//! whose keys did not arrive sorted, the places of its members are kept; the canonical text is
//! then read out by jumping through the buffer. So no tree is built, sorted input costs nothing
//! but one comparison per key, and every byte is copied at most once more.

use std::cmp::Ordering;

use crate::copy::SLACK;
use crate::profile::Escaped;
use crate::string::compare_keys;

/// The buffer and the order of its objects.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// The text, in writing order.
    pub(crate) raw: Vec<u8>,
    /// Members of the objects that are still open, innermost last.
    open: Vec<Member>,
    /// Members of closed, unsorted objects in canonical order.
    pieces: Vec<Piece>,
    /// Objects in the order of their opening braces. An object that turned out sorted and has
    /// no unsorted one inside is taken off again.
    objects: Vec<Object>,
}

/// A member of an open object.
#[derive(Debug, Clone, Copy)]
struct Member {
    /// See [`sort_prefix`](crate::string::sort_prefix): decides nearly every comparison.
    prefix: u64,
    /// The opening quote of the key.
    start: At,
    /// The closing quote of the key.
    key_end: At,
    /// One past the value; known when the next member starts or the object ends.
    end: At,
    /// The first object that may lie in the value; once the member is complete, `NO_OBJECT` if
    /// there is none.
    object: At,
    /// Where the key stood in the input, for the error about a duplicate.
    origin: At,
    escaped: Escaped,
}

/// A member of a closed object: a range of the buffer.
#[derive(Debug, Clone, Copy)]
struct Piece {
    start: At,
    end: At,
    /// The first object in it, or `NO_OBJECT`.
    object: At,
}

const NO_OBJECT: At = At(u32::MAX);

#[derive(Debug, Clone, Copy)]
struct Object {
    /// The opening brace.
    start: At,
    /// The closing brace.
    end: At,
    /// One past the last object inside this one.
    next: At,
    /// Its pieces; none when the object reads in writing order.
    first_piece: At,
    last_piece: At,
}

/// A position or an index, in half the space: these records are written and moved for every
/// key, and their size shows in the total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct At(u32);

impl At {
    /// The buffer never holds more than two texts of [`MAX_LIMIT_BYTES`](crate::MAX_LIMIT_BYTES)
    /// and one scalar, and has fewer records than bytes; a text to read is smaller still.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the size limits keep it below 2^32"
    )]
    const fn new(position: usize) -> Self {
        Self(position as u32)
    }

    const fn get(self) -> usize {
        self.0 as usize
    }
}

/// An object being written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenObject {
    first_member: usize,
    object: usize,
    sorted: bool,
}

/// Where canonical text goes.
pub(crate) trait Sink {
    /// Takes `raw[start..end]`, and may look at what follows it.
    fn take(&mut self, raw: &[u8], start: usize, end: usize);
}

/// A key that stands twice: where the second one came from, and its written text.
#[derive(Debug)]
pub(crate) struct Duplicate {
    pub(crate) origin: usize,
    pub(crate) written: std::ops::Range<usize>,
}

impl Layout {
    /// Forgets the text, keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.raw.clear();
        self.open.clear();
        self.pieces.clear();
        self.objects.clear();
    }

    /// The memory held, in bytes.
    pub(crate) fn capacity(&self) -> usize {
        self.raw.capacity()
            + self.open.capacity() * size_of::<Member>()
            + self.pieces.capacity() * size_of::<Piece>()
            + self.objects.capacity() * size_of::<Object>()
    }

    #[inline]
    pub(crate) fn open_object(&mut self) -> OpenObject {
        let start = At::new(self.raw.len());
        self.raw.push(b'{');
        let object = self.objects.len();
        let none = At::new(0);
        self.objects.push(Object {
            start,
            end: none,
            next: none,
            first_piece: none,
            last_piece: none,
        });
        OpenObject {
            first_member: self.open.len(),
            object,
            sorted: true,
        }
    }

    /// Writes the comma before a member, if it needs one, and returns where the member starts.
    #[inline]
    pub(crate) fn start_member(&mut self, object: &OpenObject) -> usize {
        if self.open.len() > object.first_member {
            self.raw.push(b',');
        }
        self.raw.len()
    }

    /// Takes note of the key that was just written from `start` on, and writes the colon.
    #[inline(always)]
    pub(crate) fn end_key(&mut self, object: &mut OpenObject, key: Key) -> Result<(), Duplicate> {
        // Written in its place and compared there: built on the stack first, it would have to be
        // read back in wider loads than it was stored with, which stalls the processor.
        self.open.push(Member {
            prefix: key.prefix,
            start: At::new(key.start),
            key_end: At::new(self.raw.len() - 1),
            end: At::new(0),
            object: At::new(self.objects.len()),
            origin: At::new(key.origin),
            escaped: key.escaped,
        });
        self.raw.push(b':');
        if let [.., previous, member] = &mut self.open[object.first_member..] {
            previous.end_at(At::new(key.start - 1), member.object);
            if object.sorted && previous.prefix >= member.prefix {
                match compare(&self.raw, previous, member) {
                    Ordering::Less => {}
                    Ordering::Equal => return Err(Duplicate::of(member)),
                    Ordering::Greater => object.sorted = false,
                }
            }
        }
        Ok(())
    }

    /// How many members of open objects there are: the number of the member that is being
    /// written.
    pub(crate) fn member_count(&self) -> usize {
        self.open.len()
    }

    /// The written key of an open member, counted from 1.
    pub(crate) fn key_of_member(&self, number: usize) -> &[u8] {
        let member = number.checked_sub(1).and_then(|index| self.open.get(index));
        member.map_or(&[], |member| member.written_key(&self.raw))
    }

    #[inline]
    pub(crate) fn close_object(&mut self, object: &OpenObject) -> Result<(), Duplicate> {
        if !object.sorted {
            return self.close_unsorted(object);
        }
        self.raw.push(b'}');
        self.open.truncate(object.first_member);
        if self.objects.len() == object.object + 1 {
            self.objects.pop();
        }
        Ok(())
    }

    fn close_unsorted(&mut self, object: &OpenObject) -> Result<(), Duplicate> {
        let end = At::new(self.raw.len());
        self.raw.push(b'}');
        let next = At::new(self.objects.len());
        let members = &mut self.open[object.first_member..];
        if let Some(last) = members.last_mut() {
            last.end_at(end, next);
        }
        let raw = &self.raw;
        let mut duplicates = false;
        members.sort_unstable_by(|a, b| {
            let order = compare(raw, a, b);
            duplicates |= order.is_eq();
            order
        });
        if duplicates
            && let Some(pair) = members
                .windows(2)
                .find(|pair| compare(raw, &pair[0], &pair[1]).is_eq())
        {
            return Err(Duplicate::of(if pair[0].origin > pair[1].origin {
                &pair[0]
            } else {
                &pair[1]
            }));
        }
        let first_piece = At::new(self.pieces.len());
        self.pieces.extend(members.iter().map(Piece::of));
        self.open.truncate(object.first_member);
        let last_piece = At::new(self.pieces.len());
        let closed = &mut self.objects[object.object];
        *closed = Object {
            start: closed.start,
            end,
            next,
            first_piece,
            last_piece,
        };
        Ok(())
    }

    /// Pads the buffer, so that every piece can be copied in whole blocks.
    pub(crate) fn pad(&mut self) {
        self.raw.extend_from_slice(&[0; SLACK]);
    }

    /// Hands out the canonical text in pieces. The buffer must be padded.
    pub(crate) fn read(&self, sink: &mut impl Sink) {
        self.read_range(0, self.raw.len() - SLACK, 0, sink);
    }

    fn read_range(&self, start: usize, end: usize, first_object: usize, sink: &mut impl Sink) {
        let mut position = start;
        let mut next = first_object;
        while let Some(object) = self
            .objects
            .get(next)
            .filter(|object| object.start.get() < end)
        {
            let pieces = &self.pieces[object.first_piece.get()..object.last_piece.get()];
            if pieces.is_empty() {
                next += 1;
                continue;
            }
            let first_member = object.start.get() + 1;
            sink.take(&self.raw, position, first_member);
            self.read_pieces(pieces, first_member, sink);
            position = object.end.get();
            next = object.next.get();
        }
        sink.take(&self.raw, position, end);
    }

    fn read_pieces(&self, pieces: &[Piece], first_member: usize, sink: &mut impl Sink) {
        for (index, piece) in pieces.iter().enumerate() {
            let mut start = piece.start.get();
            if index > 0 {
                // The comma before the member goes along, except that the member written first
                // has none.
                if start == first_member {
                    sink.take(b",", 0, 1);
                } else {
                    start -= 1;
                }
            }
            if piece.object == NO_OBJECT {
                sink.take(&self.raw, start, piece.end.get());
            } else {
                self.read_range(start, piece.end.get(), piece.object.get(), sink);
            }
        }
    }
}

/// A key that was just written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    /// See [`sort_prefix`](crate::string::sort_prefix).
    pub(crate) prefix: u64,
    /// Its opening quote in the buffer.
    pub(crate) start: usize,
    /// Where it stood in the input.
    pub(crate) origin: usize,
    pub(crate) escaped: Escaped,
}

impl Member {
    /// Completes the member: its value ends at `end`, and objects from `next_object` on are not
    /// in it.
    fn end_at(&mut self, end: At, next_object: At) {
        self.end = end;
        if self.object == next_object {
            self.object = NO_OBJECT;
        }
    }

    fn written_key<'r>(&self, raw: &'r [u8]) -> &'r [u8] {
        &raw[self.start.get() + 1..self.key_end.get()]
    }
}

impl Piece {
    fn of(member: &Member) -> Self {
        Self {
            start: member.start,
            end: member.end,
            object: member.object,
        }
    }
}

impl Duplicate {
    #[cold]
    fn of(member: &Member) -> Self {
        Self {
            origin: member.origin.get(),
            written: member.start.get() + 1..member.key_end.get(),
        }
    }
}

#[inline]
fn compare(raw: &[u8], a: &Member, b: &Member) -> Ordering {
    a.prefix
        .cmp(&b.prefix)
        .then_with(|| compare_whole(raw, a, b))
}

#[cold]
fn compare_whole(raw: &[u8], a: &Member, b: &Member) -> Ordering {
    compare_keys(
        a.written_key(raw),
        b.written_key(raw),
        a.escaped.or(b.escaped),
    )
}
