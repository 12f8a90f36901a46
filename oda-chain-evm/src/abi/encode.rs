//! JSON arguments → ABI values. Every error names the argument.

use alloy::dyn_abi::DynSolValue;
use alloy::primitives::{B256, I256, U256};
use serde_json::Value;

use crate::abi::MAX_VALUES;
use crate::abi::types::{AbiType, Member};
use crate::address::EvmAddress;
use crate::amount::{MAX_CALLDATA_BYTES, parse_hex};
use crate::error::EvmError;

/// The arguments in the order of the parameters.
pub(crate) fn arguments(members: &[Member], args: &[Value]) -> Result<Vec<DynSolValue>, EvmError> {
    if args.len() != members.len() {
        return Err(EvmError::abi(
            "args",
            format!(
                "the function takes {} argument(s), {} were given",
                members.len(),
                args.len()
            ),
        ));
    }
    let mut budget = Budget {
        values: MAX_VALUES,
        bytes: MAX_CALLDATA_BYTES,
    };
    members
        .iter()
        .zip(args)
        .enumerate()
        .map(|(index, (member, arg))| {
            value(&member.ty, arg, &format!("args[{index}]"), &mut budget)
        })
        .collect()
}

/// What is left of what one call may carry.
struct Budget {
    values: usize,
    bytes: usize,
}

impl Budget {
    fn one(&mut self, path: &str) -> Result<(), EvmError> {
        self.values = self.values.checked_sub(1).ok_or_else(|| {
            EvmError::abi(
                path,
                format!("the arguments hold more than {MAX_VALUES} values"),
            )
        })?;
        Ok(())
    }

    fn take(&mut self, bytes: usize, path: &str) -> Result<(), EvmError> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or_else(|| {
            EvmError::abi(
                path,
                format!("the arguments hold more than {MAX_CALLDATA_BYTES} bytes"),
            )
        })?;
        Ok(())
    }
}

fn value(
    ty: &AbiType,
    json: &Value,
    path: &str,
    budget: &mut Budget,
) -> Result<DynSolValue, EvmError> {
    budget.one(path)?;
    Ok(match ty {
        AbiType::Uint(bits) => DynSolValue::Uint(
            unsigned(text(json, path, "a decimal")?, *bits, path)?,
            *bits,
        ),
        AbiType::Int(bits) => {
            DynSolValue::Int(signed(text(json, path, "a decimal")?, *bits, path)?, *bits)
        }
        AbiType::Address => DynSolValue::Address(address(json, path)?.to_alloy()),
        AbiType::Bool => DynSolValue::Bool(
            json.as_bool()
                .ok_or_else(|| EvmError::abi(path, "must be true or false, without quotes"))?,
        ),
        AbiType::FixedBytes(size) => {
            fixed_bytes(text(json, path, "a 0x-hexadecimal")?, *size, path)?
        }
        AbiType::Bytes => {
            let bytes = hex_bytes(text(json, path, "a 0x-hexadecimal")?, path)?;
            budget.take(bytes.len(), path)?;
            DynSolValue::Bytes(bytes)
        }
        AbiType::String => {
            let text = text(json, path, "a")?;
            budget.take(text.len(), path)?;
            DynSolValue::String(text.to_owned())
        }
        AbiType::Array(item) => DynSolValue::Array(items(item, json, path, budget)?),
        AbiType::FixedArray(item, length) => {
            let found = list(json, path)?.len();
            if found != *length {
                return Err(EvmError::abi(
                    path,
                    format!("must have {length} items, {found} were given"),
                ));
            }
            DynSolValue::FixedArray(items(item, json, path, budget)?)
        }
        AbiType::Tuple(members) => DynSolValue::Tuple(tuple(members, json, path, budget)?),
    })
}

fn text<'a>(json: &'a Value, path: &str, what: &str) -> Result<&'a str, EvmError> {
    json.as_str().ok_or_else(|| {
        let found = match json {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a JSON number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        };
        EvmError::abi(path, format!("must be {what} string, found {found}"))
    })
}

fn address(json: &Value, path: &str) -> Result<EvmAddress, EvmError> {
    text(json, path, "an address")?
        .parse()
        .map_err(|error: EvmError| EvmError::abi(path, error.to_string()))
}

fn unsigned(text: &str, bits: usize, path: &str) -> Result<U256, EvmError> {
    let number = text
        .parse::<crate::Amount>()
        .map_err(|error| EvmError::abi(path, error.to_string()))?
        .get();
    if number.bit_len() > bits {
        return Err(EvmError::abi(path, format!("does not fit in uint{bits}")));
    }
    Ok(number)
}

fn signed(text: &str, bits: usize, path: &str) -> Result<I256, EvmError> {
    let (digits, negative) = text
        .strip_prefix('-')
        .map_or((text, false), |digits| (digits, true));
    let magnitude = unsigned(digits, 256, path)?;
    let limit = U256::ONE << (bits - 1);
    let fits = if negative {
        magnitude <= limit
    } else {
        magnitude < limit
    };
    if !fits {
        return Err(EvmError::abi(path, format!("does not fit in int{bits}")));
    }
    let raw = if negative {
        magnitude.wrapping_neg()
    } else {
        magnitude
    };
    Ok(I256::from_raw(raw))
}

fn hex_bytes(text: &str, path: &str) -> Result<Vec<u8>, EvmError> {
    parse_hex(text, MAX_CALLDATA_BYTES).map_err(|rule| EvmError::abi(path, rule.to_string()))
}

fn fixed_bytes(text: &str, size: usize, path: &str) -> Result<DynSolValue, EvmError> {
    let bytes = hex_bytes(text, path)?;
    if bytes.len() != size {
        return Err(EvmError::abi(
            path,
            format!("must be exactly {size} bytes, {} were given", bytes.len()),
        ));
    }
    Ok(DynSolValue::FixedBytes(
        B256::right_padding_from(&bytes),
        size,
    ))
}

fn list<'a>(json: &'a Value, path: &str) -> Result<&'a [Value], EvmError> {
    json.as_array()
        .map(Vec::as_slice)
        .ok_or_else(|| EvmError::abi(path, "must be a JSON array"))
}

fn items(
    item: &AbiType,
    json: &Value,
    path: &str,
    budget: &mut Budget,
) -> Result<Vec<DynSolValue>, EvmError> {
    list(json, path)?
        .iter()
        .enumerate()
        .map(|(index, json)| value(item, json, &format!("{path}[{index}]"), budget))
        .collect()
}

fn tuple(
    members: &[Member],
    json: &Value,
    path: &str,
    budget: &mut Budget,
) -> Result<Vec<DynSolValue>, EvmError> {
    match json {
        Value::Array(list) if list.len() == members.len() => members
            .iter()
            .zip(list)
            .enumerate()
            .map(|(index, (member, json))| {
                value(
                    &member.ty,
                    json,
                    &member_path(path, &member.name, index),
                    budget,
                )
            })
            .collect(),
        Value::Array(list) => Err(EvmError::abi(
            path,
            format!(
                "the tuple has {} members, {} were given",
                members.len(),
                list.len()
            ),
        )),
        Value::Object(given) if AbiType::named_members(members) => {
            if let Some(unknown) = given
                .keys()
                .find(|key| members.iter().all(|member| member.name != **key))
            {
                return Err(EvmError::abi(
                    path,
                    format!(
                        "the tuple has no member {}",
                        crate::error::quoted(unknown, 40)
                    ),
                ));
            }
            members
                .iter()
                .enumerate()
                .map(|(index, member)| {
                    let path = member_path(path, &member.name, index);
                    let json = given
                        .get(&member.name)
                        .ok_or_else(|| EvmError::abi(&path, "is missing"))?;
                    value(&member.ty, json, &path, budget)
                })
                .collect()
        }
        Value::Object(_) => Err(EvmError::abi(
            path,
            "the tuple's members have no names, or not each its own: give them as a JSON array",
        )),
        _ => Err(EvmError::abi(
            path,
            "must be a JSON object with the tuple's members, or an array",
        )),
    }
}

pub(crate) fn member_path(path: &str, name: &str, index: usize) -> String {
    if name.is_empty() {
        format!("{path}[{index}]")
    } else {
        format!("{path}.{name}")
    }
}
