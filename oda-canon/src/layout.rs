//! Text in writing order, and what is needed to put it into canonical order.
//!
//! Values are written once, in the order in which they arrive, into one buffer. For every object
//! whose keys did not arrive sorted, the places of its members are kept; the canonical text is
//! then read out by jumping through the buffer. So no tree is built, sorted input costs nothing
//! but one comparison per key, and every byte is copied at most once more.

use std::cmp::Ordering;

use crate::profile::Escaped;
use crate::string::{compare_keys, utf16_rank};

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
    /// The first eight key bytes, ranked: decides nearly every comparison.
    prefix: u64,
    /// The opening quote of the key.
    start: usize,
    /// The closing quote of the key.
    key_end: usize,
    /// One past the value; known when the next member starts or the object ends.
    end: usize,
    /// Objects opened before this member.
    objects_before: usize,
    /// Where the key stood in the input, for the error about a duplicate.
    origin: usize,
    escaped: Escaped,
}

/// A member of a closed object: a range of the buffer and the first object that may lie in it.
#[derive(Debug, Clone, Copy)]
struct Piece {
    start: usize,
    end: usize,
    object: usize,
}

#[derive(Debug, Clone, Copy)]
struct Object {
    /// The opening brace.
    start: usize,
    /// The closing brace.
    end: usize,
    /// One past the last object inside this one.
    next: usize,
    /// Its pieces; empty when the object reads in writing order.
    first_piece: usize,
    last_piece: usize,
}

/// An object being written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenObject {
    first_member: usize,
    object: usize,
    sorted: bool,
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

    pub(crate) fn open_object(&mut self) -> OpenObject {
        let start = self.raw.len();
        self.raw.push(b'{');
        let object = self.objects.len();
        self.objects.push(Object {
            start,
            end: start,
            next: object,
            first_piece: 0,
            last_piece: 0,
        });
        OpenObject {
            first_member: self.open.len(),
            object,
            sorted: true,
        }
    }

    /// Writes the comma before a member, if it needs one, and returns where the member starts.
    pub(crate) fn start_member(&mut self, object: &OpenObject) -> usize {
        if self.open.len() > object.first_member {
            self.raw.push(b',');
        }
        self.raw.len()
    }

    /// Takes note of the key that was just written from `start` on, and writes the colon.
    pub(crate) fn end_key(
        &mut self,
        object: &mut OpenObject,
        start: usize,
        escaped: Escaped,
        origin: usize,
    ) -> Result<(), Duplicate> {
        let key_end = self.raw.len() - 1;
        let member = Member {
            prefix: prefix(&self.raw[start + 1..key_end]),
            start,
            key_end,
            end: 0,
            objects_before: self.objects.len(),
            origin,
            escaped,
        };
        self.raw.push(b':');
        if let Some(previous) = self.open[object.first_member..].last_mut() {
            previous.end = start - 1;
            if object.sorted {
                match compare(&self.raw, previous, &member) {
                    Ordering::Less => {}
                    Ordering::Equal => return Err(Duplicate::of(&member)),
                    Ordering::Greater => object.sorted = false,
                }
            }
        }
        self.open.push(member);
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
        member.map_or(&[], |member| &self.raw[member.start + 1..member.key_end])
    }

    pub(crate) fn close_object(&mut self, object: &OpenObject) -> Result<(), Duplicate> {
        let end = self.raw.len();
        self.raw.push(b'}');
        let next = self.objects.len();
        if object.sorted {
            self.open.truncate(object.first_member);
            if next == object.object + 1 {
                self.objects.pop();
            } else {
                self.objects[object.object].next = next;
            }
            return Ok(());
        }
        let members = &mut self.open[object.first_member..];
        if let Some(last) = members.last_mut() {
            last.end = end;
        }
        let raw = &self.raw;
        members.sort_unstable_by(|a, b| compare(raw, a, b));
        if let Some(pair) = members
            .windows(2)
            .find(|pair| compare(raw, &pair[0], &pair[1]).is_eq())
        {
            let later = if pair[0].origin > pair[1].origin {
                &pair[0]
            } else {
                &pair[1]
            };
            return Err(Duplicate::of(later));
        }
        let first_piece = self.pieces.len();
        self.pieces.extend(members.iter().map(|member| Piece {
            start: member.start,
            end: member.end,
            object: member.objects_before,
        }));
        self.open.truncate(object.first_member);
        let slot = &mut self.objects[object.object];
        slot.end = end;
        slot.next = next;
        slot.first_piece = first_piece;
        slot.last_piece = self.pieces.len();
        Ok(())
    }

    /// Hands out the canonical text in pieces.
    pub(crate) fn read(&self, mut sink: impl FnMut(&[u8])) {
        self.read_range(0, self.raw.len(), 0, &mut sink);
    }

    fn read_range(
        &self,
        start: usize,
        end: usize,
        first_object: usize,
        sink: &mut impl FnMut(&[u8]),
    ) {
        let mut position = start;
        let mut next = first_object;
        while let Some(object) = self.objects.get(next).filter(|object| object.start < end) {
            if object.first_piece == object.last_piece {
                next += 1;
                continue;
            }
            sink(&self.raw[position..=object.start]);
            for (index, piece) in self.pieces[object.first_piece..object.last_piece]
                .iter()
                .enumerate()
            {
                if index > 0 {
                    sink(b",");
                }
                self.read_range(piece.start, piece.end, piece.object, sink);
            }
            position = object.end;
            next = object.next;
        }
        sink(&self.raw[position..end]);
    }
}

impl Duplicate {
    fn of(member: &Member) -> Self {
        Self {
            origin: member.origin,
            written: member.start + 1..member.key_end,
        }
    }
}

fn compare(raw: &[u8], a: &Member, b: &Member) -> Ordering {
    let escaped = a.escaped.or(b.escaped);
    if escaped == Escaped::No && a.prefix != b.prefix {
        return a.prefix.cmp(&b.prefix);
    }
    compare_keys(
        &raw[a.start + 1..a.key_end],
        &raw[b.start + 1..b.key_end],
        escaped,
    )
}

/// The first eight bytes of a key, ranked for UTF-16 order, padded with zeros. A written key
/// contains no zero byte, so the padding sorts a shorter key first.
fn prefix(key: &[u8]) -> u64 {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let mut bytes = [0; 8];
    match key.first_chunk::<8>() {
        Some(first) => bytes = *first,
        None => bytes[..key.len()].copy_from_slice(key),
    }
    if u64::from_ne_bytes(bytes) & HIGH != 0 {
        bytes = bytes.map(utf16_rank);
    }
    u64::from_be_bytes(bytes)
}
