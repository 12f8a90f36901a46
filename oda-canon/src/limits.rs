//! How deep and how large a document may be.

/// The deepest nesting of arrays and objects that is accepted by default: 100 open containers.
///
/// Documents of this project nest fewer than ten levels. 100 leaves room for calldata and
/// schemas of others, keeps the recursion of a `Serialize` implementation inside a small thread
/// stack, and stays under the 127 levels that `serde_json` reads, so that this limit is always
/// the one that is reported.
pub const MAX_DEPTH: u8 = 100;

/// The largest JSON text, read or written, that is accepted by default: 16 MiB.
///
/// A receipt line is about 1 KiB and a policy file a few; the largest honest document is a
/// simulation answer of some MiB. Above this, an input is an attempt to exhaust memory.
pub const MAX_TEXT_BYTES: usize = 16 * 1024 * 1024;

/// The largest size limit that can be asked for: 1 GiB. Positions are kept in 32 bits.
pub const MAX_LIMIT_BYTES: usize = 1 << 30;

/// The limits of one call.
///
/// ```
/// use oda_canon::{Canon, Limits};
///
/// let small = Canon::new().with_limits(Limits::default().with_depth(2).with_bytes(64));
/// assert!(small.canonicalize(b"[[1]]").is_ok());
/// assert_eq!(small.canonicalize(b"[[[1]]]").unwrap_err().code(), "json_too_deep");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Limits {
    depth: u8,
    bytes: usize,
}

impl Limits {
    /// The same limits with another nesting limit. Zero accepts scalars only.
    #[must_use]
    pub const fn with_depth(self, depth: u8) -> Self {
        Self { depth, ..self }
    }

    /// The same limits with another size limit, in bytes of UTF-8 text. It applies to the text
    /// read and to the text written. More than [`MAX_LIMIT_BYTES`] means that much.
    #[must_use]
    pub const fn with_bytes(self, bytes: usize) -> Self {
        let bytes = if bytes < MAX_LIMIT_BYTES {
            bytes
        } else {
            MAX_LIMIT_BYTES
        };
        Self { bytes, ..self }
    }

    /// The deepest nesting accepted, in open arrays and objects.
    #[must_use]
    pub const fn depth(&self) -> u8 {
        self.depth
    }

    /// The largest text accepted, in bytes.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Default for Limits {
    /// [`MAX_DEPTH`] and [`MAX_TEXT_BYTES`].
    fn default() -> Self {
        Self {
            depth: MAX_DEPTH,
            bytes: MAX_TEXT_BYTES,
        }
    }
}
