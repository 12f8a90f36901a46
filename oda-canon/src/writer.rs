//! The typed door: any `serde::Serialize` value, written without building a tree first.

use std::fmt;
use std::marker::PhantomData;

use serde::ser::{Serialize, Serializer};

use crate::compound::{Elements, Members, StructWriter};
use crate::error::{Fault, Place, quote};
use crate::layout::{Duplicate, Key, Layout, OpenObject};
use crate::number::NumberFault;
use crate::profile::{Escaped, Profile};
use crate::string::{key_text, sort_prefix, write_string, write_unquoted};
use crate::text;
use crate::{CanonError, Limits};

/// How `serde_json` marks a `RawValue` and, with `arbitrary_precision`, a `Number`: a struct of
/// this name with one field, the text.
const RAW_VALUE: &str = "$serde_json::private::RawValue";
const NUMBER: &str = "$serde_json::private::Number";

/// Writes one value of profile `P`.
pub(crate) struct Writer<'l, P> {
    pub(crate) layout: &'l mut Layout,
    limits: Limits,
    depth: u8,
    profile: PhantomData<P>,
}

/// Writes `value` into `layout`, which must be empty.
pub(crate) fn write_value<P: Profile, T: Serialize + ?Sized>(
    layout: &mut Layout,
    limits: Limits,
    value: &T,
) -> Result<(), CanonError> {
    let mut writer = Writer::<P> {
        layout,
        limits,
        depth: 0,
        profile: PhantomData,
    };
    value
        .serialize(&mut writer)
        .and_then(|()| writer.check_size())
        .map_err(Fault::into_error)
}

impl<'l, P: Profile> Writer<'l, P> {
    pub(crate) fn check_size(&self) -> Result<(), Fault> {
        if self.layout.raw.len() > self.limits.bytes() {
            Err(self.too_large())
        } else {
            Ok(())
        }
    }

    #[cold]
    fn too_large(&self) -> Fault {
        Fault::new(CanonError::TooLarge {
            place: Place::root(),
            limit: self.limits.bytes(),
        })
    }

    fn enter(&mut self) -> Result<(), Fault> {
        if self.depth == self.limits.depth() {
            let place = Place::root();
            return Err(Fault::new(CanonError::TooDeep {
                place,
                limit: self.limits.depth(),
            }));
        }
        self.depth += 1;
        self.check_size()
    }

    pub(crate) fn open_list(&mut self) -> Result<(), Fault> {
        self.enter()?;
        self.layout.raw.push(b'[');
        Ok(())
    }

    pub(crate) fn close_list(&mut self) {
        self.depth -= 1;
        self.layout.raw.push(b']');
    }

    pub(crate) fn open_object(&mut self) -> Result<OpenObject, Fault> {
        self.enter()?;
        Ok(self.layout.open_object())
    }

    pub(crate) fn close_object(&mut self, object: &OpenObject) -> Result<(), Fault> {
        self.depth -= 1;
        let closed = self.layout.close_object(object);
        closed.map_err(|duplicate| self.duplicate(duplicate))
    }

    /// Ends the key that was just written.
    #[inline(always)]
    pub(crate) fn end_key(&mut self, object: &mut OpenObject, key: Key) -> Result<(), Fault> {
        let ended = self.layout.end_key(object, key);
        ended.map_err(|duplicate| self.duplicate(duplicate))?;
        self.check_size()
    }

    // Into the caller, where the key of a struct field is a constant: then its length, its
    // escapes and its prefix are known to the compiler.
    #[inline(always)]
    pub(crate) fn write_key(&mut self, object: &mut OpenObject, key: &str) -> Result<(), Fault> {
        let start = self.layout.start_member(object);
        let escaped = write_string::<P>(&mut self.layout.raw, key);
        let prefix = sort_prefix(key.as_bytes());
        self.end_key(
            object,
            Key {
                prefix,
                start,
                origin: start,
                escaped,
            },
        )
    }

    /// Adds the open member of that number to the path of an error.
    #[cold]
    pub(crate) fn in_member_number(&self, fault: Fault, number: usize) -> Fault {
        fault.in_member(&key_text(self.layout.key_of_member(number)))
    }

    pub(crate) fn check_length(&self, text: &str) -> Result<(), Fault> {
        if text.len() > self.limits.bytes() {
            Err(self.too_large())
        } else {
            Ok(())
        }
    }

    #[cold]
    fn duplicate(&self, duplicate: Duplicate) -> Fault {
        let key = key_text(&self.layout.raw[duplicate.written]);
        Fault::new(CanonError::DuplicateKey {
            place: Place::root(),
            key: quote(&key),
        })
    }

    /// Opens `{"variant":`, as `serde_json` writes a variant with content.
    fn open_variant(&mut self, variant: &str) -> Result<(), Fault> {
        self.enter()?;
        self.layout.raw.push(b'{');
        write_string::<P>(&mut self.layout.raw, variant);
        self.layout.raw.push(b':');
        Ok(())
    }

    pub(crate) fn close_variant(&mut self) {
        self.depth -= 1;
        self.layout.raw.push(b'}');
    }

    /// Writes JSON text that stands inside the value.
    pub(crate) fn write_text(&mut self, text: &str) -> Result<(), Fault> {
        text::write_nested::<P>(self.layout, self.limits, self.depth, text).map_err(|source| {
            Fault::new(CanonError::RawValue {
                place: Place::root(),
                source: Box::new(source),
            })
        })
    }

    fn integer(&mut self, negative: bool, magnitude: u128) -> Result<(), Fault> {
        P::integer(&mut self.layout.raw, negative, magnitude).map_err(|fault| {
            let sign = if negative { "-" } else { "" };
            number_fault(fault, format!("{sign}{magnitude}"))
        })
    }

    fn unsigned(&mut self, value: u64) -> Result<(), Fault> {
        self.integer(false, u128::from(value))
    }

    fn signed(&mut self, value: i64) -> Result<(), Fault> {
        self.integer(value < 0, u128::from(value.unsigned_abs()))
    }
}

#[cold]
fn number_fault(fault: NumberFault, number: String) -> Fault {
    let place = Place::root();
    Fault::new(match fault {
        NumberFault::NonFinite => CanonError::NonFinite { place },
        NumberFault::Inexact => CanonError::InexactInteger { place, number },
    })
}

impl<'w, 'l, P: Profile> Serializer for &'w mut Writer<'l, P> {
    type Ok = ();
    type Error = Fault;
    type SerializeSeq = Elements<'w, 'l, P>;
    type SerializeTuple = Elements<'w, 'l, P>;
    type SerializeTupleStruct = Elements<'w, 'l, P>;
    type SerializeTupleVariant = Elements<'w, 'l, P>;
    type SerializeMap = Members<'w, 'l, P>;
    type SerializeStruct = StructWriter<'w, 'l, P>;
    type SerializeStructVariant = Members<'w, 'l, P>;

    fn serialize_bool(self, value: bool) -> Result<(), Fault> {
        self.layout
            .raw
            .extend_from_slice(if value { b"true" } else { b"false" });
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> Result<(), Fault> {
        self.signed(i64::from(value))
    }

    fn serialize_i16(self, value: i16) -> Result<(), Fault> {
        self.signed(i64::from(value))
    }

    fn serialize_i32(self, value: i32) -> Result<(), Fault> {
        self.signed(i64::from(value))
    }

    fn serialize_i64(self, value: i64) -> Result<(), Fault> {
        self.signed(value)
    }

    fn serialize_i128(self, value: i128) -> Result<(), Fault> {
        self.integer(value < 0, value.unsigned_abs())
    }

    fn serialize_u8(self, value: u8) -> Result<(), Fault> {
        self.unsigned(u64::from(value))
    }

    fn serialize_u16(self, value: u16) -> Result<(), Fault> {
        self.unsigned(u64::from(value))
    }

    fn serialize_u32(self, value: u32) -> Result<(), Fault> {
        self.unsigned(u64::from(value))
    }

    fn serialize_u64(self, value: u64) -> Result<(), Fault> {
        self.unsigned(value)
    }

    fn serialize_u128(self, value: u128) -> Result<(), Fault> {
        self.integer(false, value)
    }

    fn serialize_f32(self, value: f32) -> Result<(), Fault> {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_f64(self, value: f64) -> Result<(), Fault> {
        P::double(&mut self.layout.raw, value)
            .map_err(|fault| number_fault(fault, value.to_string()))
    }

    fn serialize_char(self, value: char) -> Result<(), Fault> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), Fault> {
        self.check_length(value)?;
        write_string::<P>(&mut self.layout.raw, value);
        Ok(())
    }

    /// As `serde_json` does: an array of numbers.
    fn serialize_bytes(self, value: &[u8]) -> Result<(), Fault> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<(), Fault> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Fault> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Fault> {
        self.layout.raw.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), Fault> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<(), Fault> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<(), Fault> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Fault> {
        self.open_variant(variant)?;
        value
            .serialize(&mut *self)
            .map_err(|fault| fault.in_member(variant))?;
        self.close_variant();
        Ok(())
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<Self::SerializeSeq, Fault> {
        Elements::open(self, None)
    }

    fn serialize_tuple(self, _len: usize) -> Result<Self::SerializeTuple, Fault> {
        Elements::open(self, None)
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeTupleStruct, Fault> {
        Elements::open(self, None)
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeTupleVariant, Fault> {
        self.open_variant(variant)?;
        Elements::open(self, Some(variant))
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<Self::SerializeMap, Fault> {
        Members::open(self, None)
    }

    fn serialize_struct(
        self,
        name: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeStruct, Fault> {
        if name == RAW_VALUE || name == NUMBER {
            return Ok(StructWriter::Text(self));
        }
        Members::open(self, None).map(StructWriter::Members)
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeStructVariant, Fault> {
        self.open_variant(variant)?;
        Members::open(self, Some(variant))
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Result<(), Fault> {
        collect_str::<P, T>(self, value).map(|_| ())
    }
}

/// Writes what `value` displays as one string, without a string of its own.
pub(crate) fn collect_str<P: Profile, T: fmt::Display + ?Sized>(
    writer: &mut Writer<'_, P>,
    value: &T,
) -> Result<Escaped, Fault> {
    let limit = writer.limits.bytes();
    let out = &mut writer.layout.raw;
    out.push(b'"');
    let mut pieces = Pieces::<P> {
        out,
        limit,
        full: false,
        escaped: Escaped::No,
        profile: PhantomData,
    };
    let shown = fmt::write(&mut pieces, format_args!("{value}"));
    let (full, escaped) = (pieces.full, pieces.escaped);
    if full {
        return Err(writer.too_large());
    }
    shown.map_err(|_| {
        <Fault as serde::ser::Error>::custom("the value failed to show itself as text")
    })?;
    writer.layout.raw.push(b'"');
    Ok(escaped)
}

/// Takes the pieces of a string as `Display` produces them.
struct Pieces<'a, P> {
    out: &'a mut Vec<u8>,
    limit: usize,
    full: bool,
    escaped: Escaped,
    profile: PhantomData<P>,
}

impl<P: Profile> fmt::Write for Pieces<'_, P> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        if self.out.len().saturating_add(piece.len()) > self.limit {
            self.full = true;
            return Err(fmt::Error);
        }
        self.escaped = self
            .escaped
            .or(write_unquoted::<P>(self.out, piece.as_bytes()));
        Ok(())
    }
}
