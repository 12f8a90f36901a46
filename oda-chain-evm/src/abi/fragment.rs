//! A function fragment as it is written: JSON (Solidity contract ABI specification, "JSON") or the
//! human-readable form that follows Solidity's own declarations.

use serde::Deserialize;

use crate::error::EvmError;

/// A fragment whose types are not read yet.
#[derive(Debug, Deserialize)]
pub(crate) struct RawFunction {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) inputs: Vec<RawParam>,
    #[serde(default)]
    pub(crate) outputs: Vec<RawParam>,
    #[serde(default, rename = "stateMutability")]
    pub(crate) mutability: Option<String>,
}

/// A parameter whose type is not read yet. Compilers add members that nothing here needs, such as
/// `internalType`: they are passed over.
#[derive(Debug, Deserialize)]
pub(crate) struct RawParam {
    #[serde(default)]
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) ty: String,
    #[serde(default)]
    pub(crate) components: Vec<RawParam>,
}

/// Whether a text is a Solidity identifier.
pub(crate) fn is_identifier(text: &str) -> bool {
    let start = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
    text.starts_with(start) && text.chars().all(|c| start(c) || c.is_ascii_digit())
}

/// Reads `function name(type name, …) view returns (type)`. The caller has bounded the nesting.
pub(crate) fn parse_text(text: &str) -> Result<RawFunction, EvmError> {
    let mut parser = Parser { rest: text };
    parser.function().map_err(|what| {
        let position = text.len() - parser.rest.len() + 1;
        EvmError::abi(
            "abi",
            format!(
                "{} is not a function declaration (character {position}: {what}); write it as in Solidity, \
                 such as \"function balanceOf(address owner) view returns (uint256)\"",
                crate::error::quoted(text, 80)
            ),
        )
    })
}

struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn function(&mut self) -> Result<RawFunction, &'static str> {
        let mut name = self.word();
        if name == "function" {
            name = self.word();
        }
        if !is_identifier(name) {
            return Err("expected the function's name");
        }
        let inputs = self.params()?;
        let mut mutability = None;
        let mut outputs = Vec::new();
        loop {
            match self.word() {
                word @ ("view" | "pure" | "payable" | "nonpayable") if mutability.is_none() => {
                    mutability = Some(word.to_owned());
                }
                "external" | "public" | "virtual" | "override" => {}
                "returns" => {
                    outputs = self.params()?;
                    break;
                }
                "" => break,
                _ => {
                    return Err(
                        "expected view, pure, payable, external, public or returns before this",
                    );
                }
            }
        }
        self.take(';');
        if self.rest.trim().is_empty() {
            Ok(RawFunction {
                name: name.to_owned(),
                inputs,
                outputs,
                mutability,
            })
        } else {
            Err("expected the end")
        }
    }

    fn params(&mut self) -> Result<Vec<RawParam>, &'static str> {
        let mut params = Vec::new();
        if !self.take('(') {
            return Err("expected `(`");
        }
        if self.take(')') {
            return Ok(params);
        }
        loop {
            params.push(self.param()?);
            if self.take(')') {
                return Ok(params);
            }
            if !self.take(',') {
                return Err("expected `,` or `)`");
            }
        }
    }

    fn param(&mut self) -> Result<RawParam, &'static str> {
        let base = self.word();
        let (mut ty, components) = if base.is_empty() || base == "tuple" {
            ("tuple".to_owned(), self.params()?)
        } else {
            (base.to_owned(), Vec::new())
        };
        self.suffixes(&mut ty)?;
        let mut name = "";
        loop {
            match self.word() {
                "" => break,
                "memory" | "calldata" | "storage" | "indexed" if name.is_empty() => {}
                "payable" if ty == "address" && name.is_empty() => {}
                word if name.is_empty() && is_identifier(word) => name = word,
                _ => return Err("expected `,` or `)` before this"),
            }
        }
        Ok(RawParam {
            name: name.to_owned(),
            ty,
            components,
        })
    }

    /// `[2][]`, copied as it stands; the lengths are read with the type.
    fn suffixes(&mut self, ty: &mut String) -> Result<(), &'static str> {
        while self.take('[') {
            let length = self.word();
            if !self.take(']') {
                return Err("expected `]`");
            }
            ty.push('[');
            ty.push_str(length);
            ty.push(']');
        }
        Ok(())
    }

    /// The next run of letters, digits, `_` and `$`; empty when something else comes first.
    fn word(&mut self) -> &'a str {
        let text = self.rest.trim_start();
        let end = text
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$'))
            .unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        word
    }

    fn take(&mut self, wanted: char) -> bool {
        let Some(rest) = self.rest.trim_start().strip_prefix(wanted) else {
            return false;
        };
        self.rest = rest;
        true
    }
}
