//! What a contract returned → JSON.
//!
//! The bytes come from a node and a contract that nobody vouches for. Offsets may point anywhere, also
//! many times at the same place, so that a kilobyte can describe billions of values: everything decoded is
//! counted against a budget, and every word must be the one encoding of its value.

use alloy::primitives::{I256, U256};
use serde_json::{Map, Value};

use crate::abi::encode::member_path;
use crate::abi::types::{AbiType, Member};
use crate::abi::{MAX_RETURN_BYTES, MAX_VALUES};
use crate::address::EvmAddress;
use crate::error::EvmError;

const WORD: usize = 32;

/// The values in the order of the fragment's outputs.
pub(crate) fn values(members: &[Member], data: &[u8], root: &str) -> Result<Vec<Value>, EvmError> {
    if data.len() > MAX_RETURN_BYTES {
        return Err(EvmError::abi(
            root,
            format!(
                "{} bytes were returned, more than the limit of {MAX_RETURN_BYTES}",
                data.len()
            ),
        ));
    }
    let mut reader = Reader { left: MAX_VALUES };
    let types = members.iter().map(|member| &member.ty);
    let path = |index: usize| member_path(root, "", index);
    reader.sequence(types, data, &path)
}

struct Reader {
    /// How many more values, and words of byte strings, may be decoded.
    left: usize,
}

impl Reader {
    /// A run of values: heads one after the other, tails where the heads point.
    fn sequence<'a>(
        &mut self,
        types: impl Iterator<Item = &'a AbiType>,
        area: &[u8],
        path: &dyn Fn(usize) -> String,
    ) -> Result<Vec<Value>, EvmError> {
        let mut values = Vec::new();
        let mut head = 0;
        for (index, ty) in types.enumerate() {
            let path = path(index);
            let start = if ty.is_dynamic() {
                length(area, head, &path)?
            } else {
                head
            };
            let content = area.get(start..).ok_or_else(|| short(&path))?;
            values.push(self.value(ty, content, &path)?);
            head += ty.head_words() * WORD;
        }
        Ok(values)
    }

    fn value(&mut self, ty: &AbiType, area: &[u8], path: &str) -> Result<Value, EvmError> {
        self.charge(1, path)?;
        match ty {
            AbiType::Uint(bits) => unsigned(area, *bits, path),
            AbiType::Int(bits) => signed(area, *bits, path),
            AbiType::Address => address(area, path),
            AbiType::Bool => boolean(area, path),
            AbiType::FixedBytes(size) => fixed_bytes(area, *size, path),
            AbiType::Bytes => Ok(Value::String(format!(
                "0x{}",
                hex::encode(self.bytes(area, path)?)
            ))),
            AbiType::String => self.text(area, path),
            AbiType::Array(item) => {
                let count = length(area, 0, path)?;
                let items = area.get(WORD..).ok_or_else(|| short(path))?;
                self.list(item, count, items, path)
            }
            AbiType::FixedArray(item, count) => self.list(item, *count, area, path),
            AbiType::Tuple(members) => self.tuple(members, area, path),
        }
    }

    fn list(
        &mut self,
        item: &AbiType,
        count: usize,
        area: &[u8],
        path: &str,
    ) -> Result<Value, EvmError> {
        // Refused before the loop starts: the count is whatever the contract claims.
        if count > self.left {
            return Err(too_many(path));
        }
        let types = std::iter::repeat_n(item, count);
        self.sequence(types, area, &|index| format!("{path}[{index}]"))
            .map(Value::Array)
    }

    fn tuple(&mut self, members: &[Member], area: &[u8], path: &str) -> Result<Value, EvmError> {
        let names = |index: usize| {
            member_path(
                path,
                members.get(index).map_or("", |member| &member.name),
                index,
            )
        };
        let values = self.sequence(members.iter().map(|member| &member.ty), area, &names)?;
        if !AbiType::named_members(members) {
            return Ok(Value::Array(values));
        }
        let named = members.iter().map(|member| member.name.clone()).zip(values);
        Ok(Value::Object(named.collect::<Map<_, _>>()))
    }

    fn bytes<'a>(&mut self, area: &'a [u8], path: &str) -> Result<&'a [u8], EvmError> {
        let size = length(area, 0, path)?;
        let end = WORD.checked_add(size).ok_or_else(|| short(path))?;
        let bytes = area.get(WORD..end).ok_or_else(|| short(path))?;
        self.charge(size.div_ceil(WORD), path)?;
        Ok(bytes)
    }

    fn text(&mut self, area: &[u8], path: &str) -> Result<Value, EvmError> {
        let bytes = self.bytes(area, path)?;
        std::str::from_utf8(bytes)
            .map(|text| Value::String(text.to_owned()))
            .map_err(|_| EvmError::abi(path, "the returned string is not valid UTF-8"))
    }

    fn charge(&mut self, values: usize, path: &str) -> Result<(), EvmError> {
        self.left = self
            .left
            .checked_sub(values)
            .ok_or_else(|| too_many(path))?;
        Ok(())
    }
}

fn short(path: &str) -> EvmError {
    EvmError::abi(
        path,
        "the returned data ends before this value; the contract does not have this function",
    )
}

fn too_many(path: &str) -> EvmError {
    EvmError::abi(path, format!("more than {MAX_VALUES} values were returned"))
}

fn word(area: &[u8], at: usize, path: &str) -> Result<[u8; WORD], EvmError> {
    at.checked_add(WORD)
        .and_then(|end| area.get(at..end))
        .and_then(|slice| slice.try_into().ok())
        .ok_or_else(|| short(path))
}

/// An offset or a length: anything beyond the data is refused by whoever uses it.
fn length(area: &[u8], at: usize, path: &str) -> Result<usize, EvmError> {
    usize::try_from(U256::from_be_bytes(word(area, at, path)?)).map_err(|_| short(path))
}

fn dirty(path: &str, ty: &str) -> EvmError {
    EvmError::abi(
        path,
        format!("the returned word is not an encoded {ty}; the fragment does not fit"),
    )
}

fn unsigned(area: &[u8], bits: usize, path: &str) -> Result<Value, EvmError> {
    let number = U256::from_be_bytes(word(area, 0, path)?);
    if number.bit_len() > bits {
        return Err(dirty(path, &format!("uint{bits}")));
    }
    Ok(Value::String(number.to_string()))
}

fn signed(area: &[u8], bits: usize, path: &str) -> Result<Value, EvmError> {
    let number = I256::from_be_bytes(word(area, 0, path)?);
    // An intN is sign-extended: everything from its top bit upwards is the same bit.
    let extension = number.asr(bits - 1);
    if extension != I256::ZERO && extension != I256::MINUS_ONE {
        return Err(dirty(path, &format!("int{bits}")));
    }
    Ok(Value::String(number.to_string()))
}

fn address(area: &[u8], path: &str) -> Result<Value, EvmError> {
    let word = word(area, 0, path)?;
    match word.split_first_chunk::<12>() {
        Some(([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], bytes)) => <[u8; 20]>::try_from(bytes)
            .map(|bytes| Value::String(EvmAddress::from_bytes(bytes).to_string()))
            .map_err(|_| dirty(path, "address")),
        _ => Err(dirty(path, "address")),
    }
}

fn boolean(area: &[u8], path: &str) -> Result<Value, EvmError> {
    let number = U256::from_be_bytes(word(area, 0, path)?);
    if number > U256::ONE {
        return Err(dirty(path, "bool"));
    }
    Ok(Value::Bool(number == U256::ONE))
}

fn fixed_bytes(area: &[u8], size: usize, path: &str) -> Result<Value, EvmError> {
    let word = word(area, 0, path)?;
    let (bytes, padding) = word.split_at(size);
    if padding.iter().any(|byte| *byte != 0) {
        return Err(dirty(path, &format!("bytes{size}")));
    }
    Ok(Value::String(format!("0x{}", hex::encode(bytes))))
}
