//! The typed door: map keys, and raw JSON text inside a value. Both take strings and refuse
//! everything else.

use std::fmt;

use serde::ser::{Impossible, Serialize, Serializer};

use crate::CanonError;
use crate::error::{Fault, Place};
use crate::profile::{Escaped, Profile};
use crate::string::{sort_prefix, write_string, written_prefix};
use crate::writer::{Writer, collect_str};

/// The sort prefix of a key, and whether it had to be escaped.
type WrittenKey = (u64, Escaped);

/// Writes a map key.
pub(crate) struct KeyWriter<'w, 'l, P> {
    writer: &'w mut Writer<'l, P>,
}

impl<'w, 'l, P: Profile> KeyWriter<'w, 'l, P> {
    pub(crate) fn new(writer: &'w mut Writer<'l, P>) -> Self {
        Self { writer }
    }
}

/// Takes the text of a `RawValue`.
pub(crate) struct RawTextWriter<'w, 'l, P> {
    writer: &'w mut Writer<'l, P>,
}

impl<'w, 'l, P: Profile> RawTextWriter<'w, 'l, P> {
    pub(crate) fn new(writer: &'w mut Writer<'l, P>) -> Self {
        Self { writer }
    }
}

#[cold]
fn key_is(found: &'static str) -> Fault {
    Fault::new(CanonError::KeyNotString {
        place: Place::root(),
        found,
    })
}

#[cold]
fn raw_is(found: &'static str) -> Fault {
    Fault::new(CanonError::Refused {
        place: Place::root(),
        message: format!("raw JSON must be given as text, not as {found}"),
    })
}

/// The methods of a serializer that only takes strings.
macro_rules! refuse_all_but_strings {
    ($ok:ty, $refuse:path) => {
        type Ok = $ok;
        type Error = Fault;
        type SerializeSeq = Impossible<$ok, Fault>;
        type SerializeTuple = Impossible<$ok, Fault>;
        type SerializeTupleStruct = Impossible<$ok, Fault>;
        type SerializeTupleVariant = Impossible<$ok, Fault>;
        type SerializeMap = Impossible<$ok, Fault>;
        type SerializeStruct = Impossible<$ok, Fault>;
        type SerializeStructVariant = Impossible<$ok, Fault>;

        refuse_all_but_strings!(@scalar $ok, $refuse,
            serialize_bool(bool) "a boolean",
            serialize_i8(i8) "an integer",
            serialize_i16(i16) "an integer",
            serialize_i32(i32) "an integer",
            serialize_i64(i64) "an integer",
            serialize_i128(i128) "an integer",
            serialize_u8(u8) "an integer",
            serialize_u16(u16) "an integer",
            serialize_u32(u32) "an integer",
            serialize_u64(u64) "an integer",
            serialize_u128(u128) "an integer",
            serialize_f32(f32) "a floating-point number",
            serialize_f64(f64) "a floating-point number",
            serialize_bytes(&[u8]) "bytes",
            serialize_unit_struct(&'static str) "a unit struct",
        );

        fn serialize_none(self) -> Result<$ok, Fault> {
            Err($refuse("an empty option"))
        }

        fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<$ok, Fault> {
            value.serialize(self)
        }

        fn serialize_unit(self) -> Result<$ok, Fault> {
            Err($refuse("a unit"))
        }

        fn serialize_newtype_struct<T: Serialize + ?Sized>(
            self,
            _name: &'static str,
            value: &T,
        ) -> Result<$ok, Fault> {
            value.serialize(self)
        }

        fn serialize_newtype_variant<T: Serialize + ?Sized>(
            self,
            _name: &'static str,
            _index: u32,
            _variant: &'static str,
            _value: &T,
        ) -> Result<$ok, Fault> {
            Err($refuse("an enum variant with content"))
        }

        fn serialize_seq(self, _len: Option<usize>) -> Result<Self::SerializeSeq, Fault> {
            Err($refuse("a sequence"))
        }

        fn serialize_tuple(self, _len: usize) -> Result<Self::SerializeTuple, Fault> {
            Err($refuse("a tuple"))
        }

        fn serialize_tuple_struct(
            self,
            _name: &'static str,
            _len: usize,
        ) -> Result<Self::SerializeTupleStruct, Fault> {
            Err($refuse("a tuple"))
        }

        fn serialize_tuple_variant(
            self,
            _name: &'static str,
            _index: u32,
            _variant: &'static str,
            _len: usize,
        ) -> Result<Self::SerializeTupleVariant, Fault> {
            Err($refuse("an enum variant with content"))
        }

        fn serialize_map(self, _len: Option<usize>) -> Result<Self::SerializeMap, Fault> {
            Err($refuse("a map"))
        }

        fn serialize_struct(
            self,
            _name: &'static str,
            _len: usize,
        ) -> Result<Self::SerializeStruct, Fault> {
            Err($refuse("a struct"))
        }

        fn serialize_struct_variant(
            self,
            _name: &'static str,
            _index: u32,
            _variant: &'static str,
            _len: usize,
        ) -> Result<Self::SerializeStructVariant, Fault> {
            Err($refuse("an enum variant with content"))
        }
    };
    (@scalar $ok:ty, $refuse:path, $($method:ident($type:ty) $found:literal,)*) => {
        $(fn $method(self, _value: $type) -> Result<$ok, Fault> {
            Err($refuse($found))
        })*
    };
}

impl<P: Profile> Serializer for KeyWriter<'_, '_, P> {
    refuse_all_but_strings!(WrittenKey, key_is);

    fn serialize_str(self, key: &str) -> Result<WrittenKey, Fault> {
        self.writer.check_length(key)?;
        let escaped = write_string::<P>(&mut self.writer.layout.raw, key);
        Ok((sort_prefix(key.as_bytes()), escaped))
    }

    fn serialize_char(self, key: char) -> Result<WrittenKey, Fault> {
        self.serialize_str(key.encode_utf8(&mut [0; 4]))
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<WrittenKey, Fault> {
        self.serialize_str(variant)
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, key: &T) -> Result<WrittenKey, Fault> {
        let start = self.writer.layout.raw.len() + 1;
        let escaped = collect_str(&mut *self.writer, key)?;
        let raw = &self.writer.layout.raw;
        Ok((written_prefix(&raw[start..raw.len() - 1], escaped), escaped))
    }
}

impl<P: Profile> Serializer for RawTextWriter<'_, '_, P> {
    refuse_all_but_strings!((), raw_is);

    fn serialize_str(self, text: &str) -> Result<(), Fault> {
        self.writer.write_text(text)
    }

    fn serialize_char(self, _value: char) -> Result<(), Fault> {
        Err(raw_is("a character"))
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
    ) -> Result<(), Fault> {
        Err(raw_is("an enum variant"))
    }
}
