//! One contract function: JSON arguments → calldata, and what it returned → JSON.

mod decode;
mod encode;
mod fragment;
mod types;

use std::fmt;

use alloy::dyn_abi::DynSolValue;
use alloy::primitives::keccak256;
use serde_json::Value;

use crate::amount::Calldata;
use crate::error::EvmError;
use fragment::{RawFunction, is_identifier};
use types::{MAX_NESTING, Member, canonical_list};

/// The longest fragment that is read, in bytes of JSON or text. The largest of the contracts in use have
/// about 2 KiB.
const MAX_FRAGMENT_BYTES: usize = 16 * 1024;

/// How many values the arguments or the results of one call may hold, counting every element of every
/// array and every 32 bytes of byte strings in results.
pub(crate) const MAX_VALUES: usize = 16 * 1024;

/// The most return data that is decoded, in bytes.
pub(crate) const MAX_RETURN_BYTES: usize = 512 * 1024;

/// What a function may do to the state (Solidity contract ABI specification, "JSON").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mutability {
    /// Neither reads nor writes the state.
    Pure,
    /// Reads the state.
    View,
    /// Writes the state and takes no native currency.
    NonPayable,
    /// Writes the state and may take native currency.
    Payable,
}

/// A contract function, read from one ABI fragment.
///
/// Integers are decimal strings both ways (a JSON number is refused: it can lose digits), addresses are
/// checked, `bytes` are `0x` and hexadecimal digits, tuples are objects by member name (or arrays when the
/// members have no names), and every error names the argument, such as `args[1].amount`.
///
/// ```
/// use oda_chain_evm::FunctionAbi;
/// use serde_json::json;
///
/// let function = FunctionAbi::parse_text("function transfer(address to, uint256 amount) returns (bool)")?;
/// let data = function
///     .encode_call(&[json!("0x000000000000000000000000000000000000dEaD"), json!("1500000")])?;
/// assert!(data.to_string().starts_with("0xa9059cbb"));
///
/// let error = function.encode_call(&[json!("0xdead"), json!("1")]).unwrap_err();
/// assert!(error.to_string().starts_with("`args[0]`:"));
/// # Ok::<(), oda_chain_evm::EvmError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionAbi {
    name: String,
    mutability: Mutability,
    inputs: Vec<Member>,
    outputs: Vec<Member>,
}

impl FunctionAbi {
    /// Reads a fragment: a JSON object with `"type": "function"`, or a JSON string in the human-readable
    /// form such as `"function transfer(address to, uint256 amount)"`.
    ///
    /// # Errors
    ///
    /// [`EvmError::Abi`] with a path under `abi`.
    pub fn parse(fragment: &Value) -> Result<Self, EvmError> {
        match fragment {
            Value::String(text) => Self::parse_text(text),
            Value::Object(_) => Self::parse_json(fragment),
            _ => Err(EvmError::abi(
                "abi",
                "must be one function fragment: a JSON object, or a string such as \
                 \"function transfer(address to, uint256 amount)\"",
            )),
        }
    }

    /// Reads a human-readable fragment. The keyword `function` may be left out.
    ///
    /// # Errors
    ///
    /// [`EvmError::Abi`] with a path under `abi`.
    pub fn parse_text(text: &str) -> Result<Self, EvmError> {
        check_size(text.len())?;
        check_nesting(text.chars(), 0)?;
        Self::from_raw(&fragment::parse_text(text)?)
    }

    fn parse_json(fragment: &Value) -> Result<Self, EvmError> {
        let text = fragment.to_string();
        check_size(text.len())?;
        check_nesting(text.chars(), 2)?;
        if fragment.get("type").and_then(Value::as_str) != Some("function") {
            return Err(EvmError::abi("abi.type", "must be \"function\""));
        }
        let function = serde_json::from_str::<RawFunction>(&text).map_err(|error| {
            EvmError::abi(
                "abi",
                format!("is not a function fragment: {}", printable(&error)),
            )
        })?;
        Self::from_raw(&function)
    }

    fn from_raw(raw: &RawFunction) -> Result<Self, EvmError> {
        if !is_identifier(&raw.name) {
            return Err(EvmError::abi(
                "abi.name",
                "must be the function's name, an identifier",
            ));
        }
        Ok(Self {
            name: raw.name.clone(),
            mutability: match raw.mutability.as_deref() {
                Some("pure") => Mutability::Pure,
                Some("view") => Mutability::View,
                // A fragment that says nothing promises nothing, and takes no native currency.
                Some("nonpayable") | None => Mutability::NonPayable,
                Some("payable") => Mutability::Payable,
                Some(_) => {
                    return Err(EvmError::abi(
                        "abi.stateMutability",
                        "must be one of pure, view, nonpayable, payable",
                    ));
                }
            },
            inputs: types::members(&raw.inputs, "abi.inputs")?,
            outputs: types::members(&raw.outputs, "abi.outputs")?,
        })
    }

    /// The function's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it may do to the state.
    #[must_use]
    pub const fn mutability(&self) -> Mutability {
        self.mutability
    }

    /// Whether it is declared to change nothing: `view` or `pure`.
    #[must_use]
    pub const fn is_read_only(&self) -> bool {
        matches!(self.mutability, Mutability::Pure | Mutability::View)
    }

    /// The canonical signature, such as `transfer(address,uint256)`.
    #[must_use]
    pub fn signature(&self) -> String {
        format!("{}({})", self.name, canonical_list(&self.inputs))
    }

    /// The first four bytes of the Keccak-256 hash of the signature.
    #[must_use]
    pub fn selector(&self) -> [u8; 4] {
        let [a, b, c, d, ..] = keccak256(self.signature()).0;
        [a, b, c, d]
    }

    /// The calldata of a call with these arguments.
    ///
    /// # Errors
    ///
    /// [`EvmError::Abi`] with a path under `args`.
    pub fn encode_call(&self, args: &[Value]) -> Result<Calldata, EvmError> {
        let values = encode::arguments(&self.inputs, args)?;
        let mut data = self.selector().to_vec();
        data.extend(DynSolValue::Tuple(values).abi_encode_params());
        Calldata::new(data).map_err(|error| EvmError::abi("args", error.to_string()))
    }

    /// What the function returned: the value itself when there is one, an array when there are several,
    /// null when there is none.
    ///
    /// # Errors
    ///
    /// [`EvmError::Abi`] with a path under `result`.
    pub fn decode_output(&self, data: &[u8]) -> Result<Value, EvmError> {
        let mut values = decode::values(&self.outputs, data, "result")?;
        Ok(match values.len() {
            0 => Value::Null,
            1 => values.remove(0),
            _ => Value::Array(values),
        })
    }

    /// The arguments that calldata of this function carries, in the form that
    /// [`FunctionAbi::encode_call`] takes.
    ///
    /// # Errors
    ///
    /// [`EvmError::Abi`] when the selector differs or the data does not fit.
    pub fn decode_call(&self, data: &[u8]) -> Result<Vec<Value>, EvmError> {
        match data.split_first_chunk::<4>() {
            Some((selector, arguments)) if *selector == self.selector() => {
                decode::values(&self.inputs, arguments, "args")
            }
            _ => Err(EvmError::abi(
                "data",
                format!("is not a call of {}", self.signature()),
            )),
        }
    }
}

impl fmt::Display for FunctionAbi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.signature())
    }
}

/// The selector of a function, from its fragment or its plain signature.
///
/// ```
/// assert_eq!(oda_chain_evm::selector("transfer(address,uint256)")?, [0xa9, 0x05, 0x9c, 0xbb]);
/// # Ok::<(), oda_chain_evm::EvmError>(())
/// ```
///
/// # Errors
///
/// [`EvmError::Abi`] when it is no function declaration.
pub fn selector(signature: &str) -> Result<[u8; 4], EvmError> {
    FunctionAbi::parse_text(signature).map(|function| function.selector())
}

/// The calldata of a call, from a fragment and JSON arguments: see [`FunctionAbi`].
///
/// # Errors
///
/// [`EvmError::Abi`].
pub fn encode_call(fragment: &Value, args: &[Value]) -> Result<Calldata, EvmError> {
    FunctionAbi::parse(fragment)?.encode_call(args)
}

fn check_size(bytes: usize) -> Result<(), EvmError> {
    if bytes > MAX_FRAGMENT_BYTES {
        return Err(EvmError::abi(
            "abi",
            format!(
                "the fragment is longer than {MAX_FRAGMENT_BYTES} bytes; give one function only"
            ),
        ));
    }
    Ok(())
}

/// Refuses deep nesting before a recursive parser sees it. Each level of tuples opens one bracket in the
/// text form, and two in JSON besides the fragment's own.
fn check_nesting(characters: impl Iterator<Item = char>, outer: usize) -> Result<(), EvmError> {
    let per_level = if outer == 0 { 1 } else { 2 };
    let limit = outer + 2 + MAX_NESTING * per_level;
    let mut depth = 0_usize;
    for character in characters {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > limit {
            return Err(EvmError::abi(
                "abi",
                format!("types nest deeper than {MAX_NESTING}"),
            ));
        }
    }
    Ok(())
}

/// A parser's message may quote the input: kept short and on one line.
fn printable(error: &serde_json::Error) -> String {
    error
        .to_string()
        .chars()
        .filter(|character| !character.is_control())
        .take(160)
        .collect()
}

#[cfg(test)]
mod tests;
