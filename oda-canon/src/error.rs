//! What can be wrong with a document, and where.

use std::fmt;

use serde::ser;

/// Why a value or a text has no canonical form here.
///
/// Every variant says where: a byte position when the input was JSON text, a path such as
/// `$.a.b[1]` when it was a typed value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CanonError {
    /// The text is not JSON (RFC 8259). Code `json_syntax`.
    #[error("{place}: not valid JSON, expected {expected}")]
    Syntax {
        /// The first byte that cannot stand there.
        place: Place,
        /// What could have stood there.
        expected: &'static str,
    },
    /// The text is not UTF-8. Code `json_invalid_utf8`.
    #[error("{place}: not valid UTF-8; JSON text must be UTF-8")]
    InvalidUtf8 {
        /// The first byte of the invalid sequence.
        place: Place,
    },
    /// The text starts with a byte order mark. Code `json_byte_order_mark`.
    #[error("{place}: the text starts with a byte order mark; send UTF-8 without one")]
    ByteOrderMark {
        /// Always byte 0.
        place: Place,
    },
    /// Something follows the document. Code `json_trailing_bytes`.
    #[error("{place}: bytes after the end of the JSON document; send one document only")]
    TrailingBytes {
        /// The first byte after the document that is not white space.
        place: Place,
    },
    /// Half of a surrogate pair: no Unicode text, so no UTF-8. Code `json_lone_surrogate`.
    #[error("{place}: a surrogate escape without its other half is not Unicode text")]
    LoneSurrogate {
        /// The backslash of the escape.
        place: Place,
    },
    /// A key stands twice in one object, so readers would disagree about its value.
    /// Code `json_duplicate_key`.
    #[error("{place}: the key {key:?} stands twice in one object; keep one of them")]
    DuplicateKey {
        /// The second occurrence (text), or the object (typed value).
        place: Place,
        /// The key, shortened when it is long.
        key: String,
    },
    /// Nested deeper than the limit. Code `json_too_deep`.
    #[error("{place}: nested deeper than {limit} levels")]
    TooDeep {
        /// The container that is one level too deep.
        place: Place,
        /// The limit in force.
        limit: u8,
    },
    /// Larger than the limit. Code `json_too_large`.
    #[error("{place}: larger than {limit} bytes")]
    TooLarge {
        /// Where the limit was passed.
        place: Place,
        /// The limit in force, in bytes.
        limit: usize,
    },
    /// An integer that a double cannot hold, which would be hashed like its neighbour.
    /// Code `json_inexact_integer`.
    #[error("{place}: the integer {number} does not fit a double exactly; write it as a string")]
    InexactInteger {
        /// Where the number stands.
        place: Place,
        /// The number, shortened when it is long.
        number: String,
    },
    /// NaN, an infinity, or a literal beyond the largest double. Code `json_non_finite`.
    #[error("{place}: non-finite number; JSON has no text for it")]
    NonFinite {
        /// Where the number stands.
        place: Place,
    },
    /// A map key that is not a string. Code `json_key_not_string`.
    #[error("{place}: a map key is {found}; keys must be strings")]
    KeyNotString {
        /// The map.
        place: Place,
        /// What the key is instead.
        found: &'static str,
    },
    /// A `serde_json::value::RawValue` inside a typed value whose text is refused.
    /// Code `json_raw_value`.
    #[error("{place}: raw JSON inside the value is refused: {source}")]
    RawValue {
        /// The raw value.
        place: Place,
        /// What is wrong in it; its byte position counts from the start of the raw text.
        source: Box<CanonError>,
    },
    /// A `Serialize` implementation reported an error. Code `json_value_refused`.
    #[error("{place}: {message}")]
    Refused {
        /// The value that refused.
        place: Place,
        /// What it said.
        message: String,
    },
    /// Valid JSON of another shape than the type asks for. Code `json_type_mismatch`.
    #[error("{place}, at byte {byte}: {message}")]
    TypeMismatch {
        /// The path of the value.
        place: Place,
        /// Where reading stopped, counted from 0.
        byte: usize,
        /// What was expected and found.
        message: String,
    },
    /// Text that is not a digest. Code `digest_malformed`.
    #[error("not a digest: {reason}; write `sha256:` and 64 lower-case hex digits")]
    MalformedDigest {
        /// What is wrong.
        reason: &'static str,
    },
}

impl CanonError {
    /// A stable code for programs: it never changes for a given variant.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "json_syntax",
            Self::InvalidUtf8 { .. } => "json_invalid_utf8",
            Self::ByteOrderMark { .. } => "json_byte_order_mark",
            Self::TrailingBytes { .. } => "json_trailing_bytes",
            Self::LoneSurrogate { .. } => "json_lone_surrogate",
            Self::DuplicateKey { .. } => "json_duplicate_key",
            Self::TooDeep { .. } => "json_too_deep",
            Self::TooLarge { .. } => "json_too_large",
            Self::InexactInteger { .. } => "json_inexact_integer",
            Self::NonFinite { .. } => "json_non_finite",
            Self::KeyNotString { .. } => "json_key_not_string",
            Self::RawValue { .. } => "json_raw_value",
            Self::Refused { .. } => "json_value_refused",
            Self::TypeMismatch { .. } => "json_type_mismatch",
            Self::MalformedDigest { .. } => "digest_malformed",
        }
    }

    /// Where the fault is; `None` for a malformed digest, which is a text of its own.
    #[must_use]
    pub const fn place(&self) -> Option<&Place> {
        match self {
            Self::Syntax { place, .. }
            | Self::InvalidUtf8 { place }
            | Self::ByteOrderMark { place }
            | Self::TrailingBytes { place }
            | Self::LoneSurrogate { place }
            | Self::DuplicateKey { place, .. }
            | Self::TooDeep { place, .. }
            | Self::TooLarge { place, .. }
            | Self::InexactInteger { place, .. }
            | Self::NonFinite { place }
            | Self::KeyNotString { place, .. }
            | Self::RawValue { place, .. }
            | Self::Refused { place, .. }
            | Self::TypeMismatch { place, .. } => Some(place),
            Self::MalformedDigest { .. } => None,
        }
    }

    /// The byte position in the JSON text, counted from 0, when there was a text.
    #[must_use]
    pub const fn byte(&self) -> Option<usize> {
        match self {
            Self::TypeMismatch { byte, .. } => Some(*byte),
            _ => match self.place() {
                Some(Place::Byte(byte)) => Some(*byte),
                _ => None,
            },
        }
    }

    /// The path in the typed value, such as `$.a.b[1]`, when there was one.
    #[must_use]
    pub const fn path(&self) -> Option<&str> {
        match self.place() {
            Some(Place::Path(path)) => Some(path.as_str()),
            _ => None,
        }
    }

    fn place_mut(&mut self) -> Option<&mut Place> {
        match self {
            Self::Syntax { place, .. }
            | Self::InvalidUtf8 { place }
            | Self::ByteOrderMark { place }
            | Self::TrailingBytes { place }
            | Self::LoneSurrogate { place }
            | Self::DuplicateKey { place, .. }
            | Self::TooDeep { place, .. }
            | Self::TooLarge { place, .. }
            | Self::InexactInteger { place, .. }
            | Self::NonFinite { place }
            | Self::KeyNotString { place, .. }
            | Self::RawValue { place, .. }
            | Self::Refused { place, .. }
            | Self::TypeMismatch { place, .. } => Some(place),
            Self::MalformedDigest { .. } => None,
        }
    }
}

/// Where in a document something is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Place {
    /// A position in JSON text, in bytes from 0.
    Byte(usize),
    /// A path in a typed value: `$` is the root, `.key` a member, `[i]` an element from 0.
    ///
    /// Keys are shown as they are (control characters escaped, long keys shortened): the path
    /// is for people, and for comparing with the paths that ODA's reference reports.
    Path(String),
}

impl Place {
    pub(crate) fn root() -> Self {
        Self::Path("$".to_owned())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte(byte) => write!(f, "byte {byte}"),
            Self::Path(path) => f.write_str(path),
        }
    }
}

/// The most characters of a key or a number that an error repeats. Enough to find it in an
/// editor, too few to flood a log.
const MAX_QUOTED_CHARS: usize = 64;

/// Shortens untrusted text for an error.
pub(crate) fn quote(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// The error that travels through `serde`: one pointer, so that the success path stays small.
///
/// The path is built while the error travels outwards, which costs nothing when there is none.
#[derive(Debug)]
pub(crate) struct Fault(Box<CanonError>);

impl Fault {
    pub(crate) fn new(error: CanonError) -> Self {
        Self(Box::new(error))
    }

    pub(crate) fn into_error(self) -> CanonError {
        *self.0
    }

    /// Adds the member whose value the error came out of.
    #[cold]
    pub(crate) fn in_member(self, key: &str) -> Self {
        let mut segment = String::from(".");
        for char in quote(key).chars() {
            if char.is_control() {
                segment.extend(char.escape_default());
            } else {
                segment.push(char);
            }
        }
        self.prefixed(&segment)
    }

    /// Adds the element that the error came out of.
    #[cold]
    pub(crate) fn in_element(self, index: usize) -> Self {
        self.prefixed(&format!("[{index}]"))
    }

    fn prefixed(mut self, segment: &str) -> Self {
        if let Some(Place::Path(path)) = self.0.place_mut() {
            path.insert_str(1, segment);
        }
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Fault {}

impl ser::Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(CanonError::Refused {
            place: Place::root(),
            message: message.to_string(),
        })
    }
}

impl From<CanonError> for Fault {
    fn from(error: CanonError) -> Self {
        Self::new(error)
    }
}
