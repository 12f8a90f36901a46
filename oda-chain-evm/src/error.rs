//! What can be wrong with the values, fragments and keys that people and agents hand to this crate.

use std::fmt;

/// How many characters of an input an error quotes. Enough to recognise it, too few to flood a log.
const QUOTED_CHARACTERS: usize = 80;

/// A value, an ABI fragment or a key breaks a rule. Nothing was sent and nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvmError {
    /// A text is not an EVM address.
    #[error("{found} is not an EVM address: {rule}")]
    Address {
        /// What was given, quoted and shortened.
        found: Quoted,
        /// The rule that it breaks.
        rule: AddressRule,
    },
    /// A text is not an amount in base units.
    #[error("{found} is not an amount in base units: {rule}")]
    Amount {
        /// What was given, quoted and shortened.
        found: Quoted,
        /// The rule that it breaks.
        rule: AmountRule,
    },
    /// A text is not calldata.
    #[error("{found} is not calldata: {rule}")]
    Calldata {
        /// What was given, quoted and shortened.
        found: Quoted,
        /// The rule that it breaks.
        rule: CalldataRule,
    },
    /// An ABI fragment, its arguments or what a contract returned do not fit together.
    #[error("`{path}`: {rule}")]
    Abi {
        /// The place, such as `abi.inputs[0]`, `args[1].amount` or `result[0]`.
        path: String,
        /// The rule and what to do.
        rule: String,
    },
    /// A raw private key is unusable. The key itself is never part of the error.
    #[error("the private key is unusable: {rule}")]
    Key {
        /// The rule and what to do.
        rule: String,
    },
    /// Terms that no signer should sign.
    #[error("the terms are refused: {rule}")]
    Terms {
        /// The rule and what was found.
        rule: String,
    },
    /// A keystore file cannot be used.
    #[error("keystore {path}: {rule}")]
    Keystore {
        /// The file.
        path: String,
        /// The rule and what to do.
        rule: String,
    },
    /// The password does not open the keystore.
    #[error(
        "keystore {path}: the password does not open it (the check value differs); check which password \
         belongs to this file, and that no line break was stored with it"
    )]
    KeystorePassword {
        /// The file.
        path: String,
    },
}

impl EvmError {
    /// The stable code of this error, for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Address {
                rule: AddressRule::Checksum,
                ..
            } => "address_checksum",
            Self::Address { .. } => "address_invalid",
            Self::Amount {
                rule: AmountRule::Beyond256Bits,
                ..
            } => "amount_too_large",
            Self::Amount { .. } => "amount_invalid",
            Self::Calldata { .. } => "calldata_invalid",
            Self::Abi { .. } => "abi_invalid",
            Self::Key { .. } => "key_invalid",
            Self::Terms { .. } => "terms_refused",
            Self::Keystore { .. } => "keystore_invalid",
            Self::KeystorePassword { .. } => "keystore_password",
        }
    }

    pub(crate) fn abi(path: impl Into<String>, rule: impl Into<String>) -> Self {
        Self::Abi {
            path: path.into(),
            rule: rule.into(),
        }
    }

    /// The rule alone, for callers that name the field themselves.
    #[must_use]
    pub fn rule(&self) -> String {
        match self {
            Self::Abi { rule, .. } => rule.clone(),
            other => other.to_string(),
        }
    }
}

/// Which rule an address breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressRule {
    /// `0x` in lower case is missing.
    #[error("it must start with `0x`")]
    Prefix,
    /// It is not 42 characters long.
    #[error("it must be `0x` and 40 hexadecimal digits, {found} characters in all were given")]
    Length {
        /// How many characters were given.
        found: usize,
    },
    /// A character is no hexadecimal digit.
    #[error("character {position} is not a hexadecimal digit")]
    Digit {
        /// Which one, counted from 1.
        position: usize,
    },
    /// Mixed case, and not the checksum of EIP-55. The corrected spelling is not offered on purpose: a
    /// failed checksum says that some digit may be wrong, and a corrected spelling would bless it.
    #[error(
        "its upper and lower case letters do not match the checksum of its digits (EIP-55), so a digit may be \
         wrong; copy it again from where it came from"
    )]
    Checksum,
}

/// Which rule an amount breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AmountRule {
    /// Nothing was given.
    #[error("it is empty; write a whole number such as \"1500000\"")]
    Empty,
    /// A plus or minus sign.
    #[error("it has a sign; amounts are whole numbers without one")]
    Sign,
    /// A decimal point or comma.
    #[error(
        "it has a point or a comma; amounts are whole numbers of the smallest unit (1.5 of a token with 6 \
         decimals is \"1500000\")"
    )]
    Point,
    /// An exponent.
    #[error("it has an exponent; write all digits")]
    Exponent,
    /// White space.
    #[error("it has white space; write digits only")]
    Space,
    /// A hexadecimal prefix.
    #[error("it is hexadecimal; write it in decimal")]
    Hexadecimal,
    /// Another character.
    #[error("character {position} is not a decimal digit")]
    Digit {
        /// Which one, counted from 1.
        position: usize,
    },
    /// It has more than 78 digits or is 2^256 or more.
    #[error("it does not fit in 256 bits (at most 2^256 - 1)")]
    Beyond256Bits,
    /// It starts with a zero that says nothing.
    #[error("it has leading zeros; a payload carries one spelling of each amount")]
    LeadingZero,
    /// A JSON number or something else instead of a string.
    #[error("it must be a JSON string of decimal digits: a JSON number can lose digits on the way")]
    NotAString,
}

/// Which rule calldata breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CalldataRule {
    /// `0x` is missing.
    #[error("it must start with `0x`")]
    Prefix,
    /// An odd number of digits.
    #[error("it has an odd number of hexadecimal digits, so the last byte is half")]
    OddLength,
    /// A character is no hexadecimal digit.
    #[error("character {position} is not a hexadecimal digit")]
    Digit {
        /// Which one, counted from 1.
        position: usize,
    },
    /// Too long.
    #[error("it has {found} bytes, more than the {limit} that nodes accept in one transaction")]
    TooLong {
        /// How many bytes were given.
        found: usize,
        /// How many are allowed.
        limit: usize,
    },
}

/// A piece of input as an error shows it: in quotes, shortened, control characters escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quoted(String);

impl Quoted {
    pub(crate) fn new(text: &str) -> Self {
        Self(quoted(text, QUOTED_CHARACTERS))
    }
}

impl fmt::Display for Quoted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Text of unknown origin for a sentence that people read: quoted, at most `limit` characters, everything
/// escaped that is not ASCII: it could break the line, reorder it, or look like another letter.
pub(crate) fn quoted(text: &str, limit: usize) -> String {
    let mut shown = String::with_capacity(limit.min(text.len()) + 2);
    shown.push('"');
    let mut characters = text.chars();
    for character in characters.by_ref().take(limit) {
        let plain =
            (character.is_ascii_graphic() || character == ' ') && !matches!(character, '"' | '\\');
        if plain {
            shown.push(character);
        } else {
            shown.extend(character.escape_unicode());
        }
    }
    if characters.next().is_some() {
        shown.push('…');
    }
    shown.push('"');
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_text_is_short_and_cannot_break_the_line() {
        assert_eq!(quoted("USDC", 10), "\"USDC\"");
        assert_eq!(quoted("a\nb\"c", 10), "\"a\\u{a}b\\u{22}c\"");
        assert_eq!(quoted("\u{202e}CDSU", 10), "\"\\u{202e}CDSU\"");
        assert_eq!(quoted("USD\u{421}", 10), "\"USD\\u{421}\"");
        assert_eq!(quoted("abcdef", 3), "\"abc…\"");
    }
}
