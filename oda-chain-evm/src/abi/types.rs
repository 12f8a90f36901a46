//! The types of the contract ABI, read from a function fragment and bounded before anything is built on
//! them.

use crate::abi::fragment::{RawParam, is_identifier};
use crate::error::EvmError;

/// How deep tuples and arrays may nest. Contracts in use stay below four.
pub(crate) const MAX_NESTING: usize = 8;

/// How many parameters and tuple members a fragment may have in all. The EVM's stack stops contracts at a
/// few dozen.
const MAX_MEMBERS: usize = 256;

/// How many 32-byte words the fixed part of one parameter may have: what fits in the calldata of one
/// transaction ([`MAX_CALLDATA_BYTES`](crate::MAX_CALLDATA_BYTES)).
const MAX_STATIC_WORDS: usize = crate::MAX_CALLDATA_BYTES / 32;

/// One ABI type (Solidity contract ABI specification, "Types").
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AbiType {
    Uint(usize),
    Int(usize),
    Address,
    Bool,
    FixedBytes(usize),
    Bytes,
    String,
    Array(Box<AbiType>),
    FixedArray(Box<AbiType>, usize),
    Tuple(Vec<Member>),
}

/// A parameter, a return value or a member of a tuple. The name may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) ty: AbiType,
}

impl AbiType {
    /// The spelling that selectors are computed over.
    pub(crate) fn canonical(&self) -> String {
        match self {
            Self::Uint(bits) => format!("uint{bits}"),
            Self::Int(bits) => format!("int{bits}"),
            Self::Address => "address".to_owned(),
            Self::Bool => "bool".to_owned(),
            Self::FixedBytes(size) => format!("bytes{size}"),
            Self::Bytes => "bytes".to_owned(),
            Self::String => "string".to_owned(),
            Self::Array(item) => format!("{}[]", item.canonical()),
            Self::FixedArray(item, length) => format!("{}[{length}]", item.canonical()),
            Self::Tuple(members) => format!("({})", canonical_list(members)),
        }
    }

    /// Whether the encoding stands in the tail, with an offset in the head.
    pub(crate) fn is_dynamic(&self) -> bool {
        match self {
            Self::Bytes | Self::String | Self::Array(_) => true,
            Self::FixedArray(item, _) => item.is_dynamic(),
            Self::Tuple(members) => members.iter().any(|member| member.ty.is_dynamic()),
            _ => false,
        }
    }

    /// How many words it takes in the head.
    pub(crate) fn head_words(&self) -> usize {
        if self.is_dynamic() {
            1
        } else {
            self.static_words()
        }
    }

    fn static_words(&self) -> usize {
        match self {
            Self::FixedArray(item, length) => item.static_words().saturating_mul(*length),
            Self::Tuple(members) => members.iter().fold(0, |sum: usize, member| {
                sum.saturating_add(member.ty.static_words())
            }),
            _ => 1,
        }
    }

    /// Whether a JSON object can stand for it: a tuple whose members all have names of their own.
    pub(crate) fn named_members(members: &[Member]) -> bool {
        members.iter().enumerate().all(|(index, member)| {
            !member.name.is_empty()
                && !members
                    .iter()
                    .take(index)
                    .any(|earlier| earlier.name == member.name)
        })
    }
}

/// The canonical spelling of a list of types, without parentheses.
pub(crate) fn canonical_list(members: &[Member]) -> String {
    members
        .iter()
        .map(|member| member.ty.canonical())
        .collect::<Vec<_>>()
        .join(",")
}

/// Reads the parameters of a fragment. `path` is `abi.inputs` or `abi.outputs`.
pub(crate) fn members(params: &[RawParam], path: &str) -> Result<Vec<Member>, EvmError> {
    let mut left = MAX_MEMBERS;
    members_at(params, path, 0, &mut left)
}

fn members_at(
    params: &[RawParam],
    path: &str,
    depth: usize,
    left: &mut usize,
) -> Result<Vec<Member>, EvmError> {
    let mut members = Vec::with_capacity(params.len().min(MAX_MEMBERS));
    for (index, param) in params.iter().enumerate() {
        let path = format!("{path}[{index}]");
        *left = left.checked_sub(1).ok_or_else(|| {
            EvmError::abi(
                &path,
                format!("the fragment has more than {MAX_MEMBERS} parameters"),
            )
        })?;
        if !param.name.is_empty() && !is_identifier(&param.name) {
            return Err(EvmError::abi(&path, "the name is not an identifier"));
        }
        let ty = read_type(param, &path, depth, left)?;
        if ty.static_words() > MAX_STATIC_WORDS {
            return Err(EvmError::abi(
                &path,
                "the type is larger than one transaction can be",
            ));
        }
        members.push(Member {
            name: param.name.clone(),
            ty,
        });
    }
    Ok(members)
}

fn read_type(
    param: &RawParam,
    path: &str,
    depth: usize,
    left: &mut usize,
) -> Result<AbiType, EvmError> {
    let (base, suffixes) = split_suffixes(&param.ty, path)?;
    let nesting = depth + suffixes.len();
    if nesting >= MAX_NESTING {
        return Err(EvmError::abi(
            path,
            format!("types nest deeper than {MAX_NESTING}"),
        ));
    }
    let mut ty = if base == "tuple" {
        if param.components.is_empty() {
            return Err(EvmError::abi(
                path,
                "a tuple needs at least one member in `components`",
            ));
        }
        let inner = format!("{path}.components");
        AbiType::Tuple(members_at(&param.components, &inner, nesting + 1, left)?)
    } else if !param.components.is_empty() {
        return Err(EvmError::abi(path, "only a tuple has `components`"));
    } else {
        elementary(base).ok_or_else(|| {
            EvmError::abi(
                path,
                "is not an ABI type; write enums as `uint8`, contracts as `address` and structs as tuples",
            )
        })?
    };
    for suffix in suffixes {
        ty = match suffix {
            None => AbiType::Array(Box::new(ty)),
            Some(length) => AbiType::FixedArray(Box::new(ty), length),
        };
    }
    Ok(ty)
}

/// `uint256[2][]` → `uint256`, `[Some(2), None]`.
fn split_suffixes<'a>(
    text: &'a str,
    path: &str,
) -> Result<(&'a str, Vec<Option<usize>>), EvmError> {
    let Some(start) = text.find('[') else {
        return Ok((text, Vec::new()));
    };
    let (base, mut rest) = text.split_at(start);
    let mut suffixes = Vec::new();
    while !rest.is_empty() {
        let inner = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let (length, after) =
            inner.ok_or_else(|| EvmError::abi(path, "the array brackets do not match"))?;
        suffixes.push(match length {
            "" => None,
            digits => Some(array_length(digits).ok_or_else(|| {
                EvmError::abi(
                    path,
                    "an array length is a whole number from 1, without leading zero",
                )
            })?),
        });
        rest = after;
    }
    Ok((base, suffixes))
}

fn array_length(digits: &str) -> Option<usize> {
    let plain = digits.bytes().all(|digit| digit.is_ascii_digit()) && !digits.starts_with('0');
    if plain { digits.parse().ok() } else { None }
}

fn elementary(name: &str) -> Option<AbiType> {
    match name {
        "address" => return Some(AbiType::Address),
        "bool" => return Some(AbiType::Bool),
        "bytes" => return Some(AbiType::Bytes),
        "string" => return Some(AbiType::String),
        "uint" => return Some(AbiType::Uint(256)),
        "int" => return Some(AbiType::Int(256)),
        _ => {}
    }
    let sized = |prefix: &str| name.strip_prefix(prefix).and_then(array_length);
    let whole_bytes = |bits: &usize| *bits <= 256 && bits.is_multiple_of(8);
    if let Some(bits) = sized("uint").filter(whole_bytes) {
        return Some(AbiType::Uint(bits));
    }
    if let Some(bits) = sized("int").filter(whole_bytes) {
        return Some(AbiType::Int(bits));
    }
    sized("bytes")
        .filter(|size| *size <= 32)
        .map(AbiType::FixedBytes)
}
