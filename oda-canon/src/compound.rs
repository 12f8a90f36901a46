//! The typed door: arrays and objects.

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};

use crate::error::Fault;
use crate::key::{KeyWriter, RawTextWriter};
use crate::layout::{Key, OpenObject};
use crate::profile::Profile;
use crate::writer::Writer;

/// An array being written, inside an enum variant or not.
pub(crate) struct Elements<'w, 'l, P> {
    writer: &'w mut Writer<'l, P>,
    variant: Option<&'static str>,
    index: usize,
}

impl<'w, 'l, P: Profile> Elements<'w, 'l, P> {
    pub(crate) fn open(
        writer: &'w mut Writer<'l, P>,
        variant: Option<&'static str>,
    ) -> Result<Self, Fault> {
        writer
            .open_list()
            .map_err(|fault| in_variant(fault, variant))?;
        Ok(Self {
            writer,
            variant,
            index: 0,
        })
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
        if self.index > 0 {
            self.writer.layout.raw.push(b',');
        }
        let written = self
            .writer
            .check_size()
            .and_then(|()| value.serialize(&mut *self.writer));
        written.map_err(|fault| in_variant(fault.in_element(self.index), self.variant))?;
        self.index += 1;
        Ok(())
    }

    fn close(self) {
        self.writer.close_list();
        if self.variant.is_some() {
            self.writer.close_variant();
        }
    }
}

/// An object being written, inside an enum variant or not.
pub(crate) struct Members<'w, 'l, P> {
    writer: &'w mut Writer<'l, P>,
    variant: Option<&'static str>,
    object: OpenObject,
}

impl<'w, 'l, P: Profile> Members<'w, 'l, P> {
    pub(crate) fn open(
        writer: &'w mut Writer<'l, P>,
        variant: Option<&'static str>,
    ) -> Result<Self, Fault> {
        let object = writer
            .open_object()
            .map_err(|fault| in_variant(fault, variant))?;
        Ok(Self {
            writer,
            variant,
            object,
        })
    }

    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Fault> {
        let keyed = self.writer.write_key(&mut self.object, key);
        keyed.map_err(|fault| in_variant(fault, self.variant))?;
        let written = value.serialize(&mut *self.writer);
        written.map_err(|fault| in_variant(fault.in_member(key), self.variant))
    }

    fn close(self) -> Result<(), Fault> {
        let closed = self.writer.close_object(&self.object);
        closed.map_err(|fault| in_variant(fault, self.variant))?;
        if self.variant.is_some() {
            self.writer.close_variant();
        }
        Ok(())
    }
}

fn in_variant(fault: Fault, variant: Option<&'static str>) -> Fault {
    match variant {
        None => fault,
        Some(variant) => fault.in_member(variant),
    }
}

impl<P: Profile> SerializeMap for Members<'_, '_, P> {
    type Ok = ();
    type Error = Fault;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Fault> {
        let start = self.writer.layout.start_member(&self.object);
        let written = key.serialize(KeyWriter::new(&mut *self.writer));
        written
            .and_then(|(prefix, escaped)| {
                let key = Key {
                    prefix,
                    start,
                    origin: start,
                    escaped,
                };
                self.writer.end_key(&mut self.object, key)
            })
            .map_err(|fault| in_variant(fault, self.variant))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
        // An error may leave members of inner objects behind, so the key is found from this
        // object's own members.
        let member = self.writer.layout.member_count();
        value.serialize(&mut *self.writer).map_err(|fault| {
            let fault = self.writer.in_member_number(fault, member);
            in_variant(fault, self.variant)
        })
    }

    fn end(self) -> Result<(), Fault> {
        self.close()
    }
}

/// A struct is an object, except for the two that `serde_json` uses to pass raw text.
pub(crate) enum StructWriter<'w, 'l, P> {
    Members(Members<'w, 'l, P>),
    Text(&'w mut Writer<'l, P>),
}

impl<P: Profile> SerializeStruct for StructWriter<'_, '_, P> {
    type Ok = ();
    type Error = Fault;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), Fault> {
        match self {
            Self::Members(members) => members.field(key, value),
            Self::Text(writer) => value.serialize(RawTextWriter::new(&mut **writer)),
        }
    }

    fn end(self) -> Result<(), Fault> {
        match self {
            Self::Members(members) => members.close(),
            Self::Text(_) => Ok(()),
        }
    }
}

impl<P: Profile> SerializeStructVariant for Members<'_, '_, P> {
    type Ok = ();
    type Error = Fault;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), Fault> {
        self.field(key, value)
    }

    fn end(self) -> Result<(), Fault> {
        self.close()
    }
}

impl<P: Profile> SerializeSeq for Elements<'_, '_, P> {
    type Ok = ();
    type Error = Fault;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
        self.element(value)
    }

    fn end(self) -> Result<(), Fault> {
        self.close();
        Ok(())
    }
}

impl<P: Profile> SerializeTuple for Elements<'_, '_, P> {
    type Ok = ();
    type Error = Fault;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
        self.element(value)
    }

    fn end(self) -> Result<(), Fault> {
        self.close();
        Ok(())
    }
}

impl<P: Profile> SerializeTupleStruct for Elements<'_, '_, P> {
    type Ok = ();
    type Error = Fault;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
        self.element(value)
    }

    fn end(self) -> Result<(), Fault> {
        self.close();
        Ok(())
    }
}

impl<P: Profile> SerializeTupleVariant for Elements<'_, '_, P> {
    type Ok = ();
    type Error = Fault;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
        self.element(value)
    }

    fn end(self) -> Result<(), Fault> {
        self.close();
        Ok(())
    }
}
