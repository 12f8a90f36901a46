//! The intent secret on disk.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use oda_core::{IntentSecret, SECRET_BYTES};
use rustix::fs::OFlags;
use zeroize::Zeroizing;

use crate::private_file::{Draft, Exposure};

/// Two hex characters per byte.
const HEX_CHARACTERS: usize = 2 * SECRET_BYTES;

/// What is read of a file: one line of hex, its line end, and one byte more to see that there is none.
const READ_BYTES: usize = HEX_CHARACTERS + 2;

/// Loads the intent secret from a file; creates the file with a new secret when there is none.
///
/// The file holds 64 lower-case hex characters, 32 bytes from the operating system's random number
/// generator, and may end with one line feed. It has mode 0600. Of several processes that create it at
/// once, all end up with the same secret: the file gets its name only once it is whole and synced, and
/// never replaces another.
///
/// Losing the file makes every stored intent unverifiable; whoever can read it can forge intents.
///
/// A symbolic link is followed: owner, mode and kind are those of the opened file, whichever way it was
/// reached.
///
/// # Errors
///
/// [`SecretFileError`] when the file cannot be read or created, is not a regular file of this user, is
/// open to other users, or holds anything else.
pub fn load_or_create_secret(path: impl AsRef<Path>) -> Result<IntentSecret, SecretFileError> {
    let path = path.as_ref();
    match load(path) {
        Err(error) if error.is_missing() => {}
        loaded => return loaded,
    }
    create(path)?;
    // What counts is the file that is there now, whoever made it.
    match load(path) {
        Err(error) if error.is_missing() && path.is_symlink() => {
            Err(SecretFileError::DanglingLink {
                path: path.to_owned(),
            })
        }
        loaded => loaded,
    }
}

/// Loads the secret that belongs to a store; makes a new one only where there is no store yet.
///
/// A new secret beside an existing store would make every intent in it unverifiable without a word: the
/// loss is told instead. The secret is always made before the store, so a store without one has lost it.
///
/// # Errors
///
/// [`SecretFileError::Lost`], and those of [`load_or_create_secret`].
pub(crate) fn load_secret_of(path: &Path, store: &Path) -> Result<IntentSecret, SecretFileError> {
    match load(path) {
        Err(error) if error.is_missing() && store.exists() => {}
        Err(error) if error.is_missing() => return load_or_create_secret(path),
        loaded => return loaded,
    }
    // Another process may have made both between the two looks.
    match load(path) {
        Err(error) if error.is_missing() => Err(SecretFileError::Lost {
            path: path.to_owned(),
            store: store.to_owned(),
        }),
        loaded => loaded,
    }
}

fn create(path: &Path) -> Result<(), SecretFileError> {
    let failed = SecretFileError::io(path, "create");
    let mut secret = Zeroizing::new([0_u8; SECRET_BYTES]);
    getrandom::fill(secret.as_mut_slice())
        .map_err(|error| SecretFileError::Randomness(error.to_string()))?;
    let mut text = Zeroizing::new([0_u8; HEX_CHARACTERS]);
    hex::encode_to_slice(secret.as_slice(), text.as_mut_slice())
        .map_err(|error| failed(io::Error::other(error)))?;
    let draft = Draft::beside(path).map_err(&failed)?;
    draft.write(text.as_slice()).map_err(&failed)?;
    draft.publish(path).map(|_first| ()).map_err(&failed)
}

fn load(path: &Path) -> Result<IntentSecret, SecretFileError> {
    let failed = SecretFileError::io(path, "read");
    // Without `NONBLOCK`, opening a named pipe would wait for its writer.
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
        .open(path)
        .map_err(&failed)?;
    check(path, &file)?;
    let mut buffer = Zeroizing::new([0_u8; READ_BYTES]);
    let length = read_up_to(&file, buffer.as_mut_slice()).map_err(&failed)?;
    parse(path, buffer.get(..length).unwrap_or_default())
}

fn check(path: &Path, file: &File) -> Result<(), SecretFileError> {
    let metadata = file.metadata().map_err(SecretFileError::io(path, "read"))?;
    if !metadata.is_file() {
        return Err(SecretFileError::NotAFile {
            path: path.to_owned(),
        });
    }
    match Exposure::of(&metadata) {
        Exposure::Private => Ok(()),
        exposed => Err(SecretFileError::Exposed(exposed.advice(path))),
    }
}

/// Fills the buffer as far as the file goes. No reallocation leaves a copy behind.
fn read_up_to(mut file: &File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while let Some(rest) = buffer.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

fn parse(path: &Path, content: &[u8]) -> Result<IntentSecret, SecretFileError> {
    let malformed = |reason: &'static str| SecretFileError::Malformed {
        path: path.to_owned(),
        reason,
    };
    let text = content.strip_suffix(b"\n").unwrap_or(content);
    if text.is_empty() {
        return Err(malformed("it is empty"));
    }
    if text.len() < HEX_CHARACTERS {
        return Err(malformed("it is shorter"));
    }
    if text.len() > HEX_CHARACTERS {
        return Err(malformed("it is longer"));
    }
    if !text
        .iter()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    {
        return Err(malformed("it has other characters"));
    }
    let mut secret = Zeroizing::new([0_u8; SECRET_BYTES]);
    hex::decode_to_slice(text, secret.as_mut_slice())
        .map_err(|_| malformed("it has other characters"))?;
    IntentSecret::new(secret.as_slice()).map_err(|_| malformed("it is shorter"))
}

/// The file of the intent secret cannot be used. No message shows any of its content.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SecretFileError {
    /// It cannot be read or created.
    #[error("the intent secret {} could not be {action}: {source}", path.display(), action = past(action))]
    Io {
        /// The file.
        path: PathBuf,
        /// `read` or `create`.
        action: &'static str,
        /// What the operating system said.
        source: io::Error,
    },
    /// Other users could have read it, or could change it.
    #[error("the intent secret cannot be trusted: {0}")]
    Exposed(String),
    /// It is a directory, a pipe or a device.
    #[error("the intent secret {} is not a regular file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// It is missing, and the store that was made under it is there.
    #[error(
        "the intent secret {} is missing, and the intents in {} cannot be verified without it; restore it from \
         a backup, or move the whole directory away to begin anew", path.display(), store.display()
    )]
    Lost {
        /// The missing file.
        path: PathBuf,
        /// The store.
        store: PathBuf,
    },
    /// It is a symbolic link and what it points to is missing.
    #[error("the intent secret {} is a symbolic link to nothing; remove it or restore what it points to", path.display())]
    DanglingLink {
        /// The path.
        path: PathBuf,
    },
    /// It holds something else than a secret.
    #[error(
        "the intent secret {} must hold exactly {HEX_CHARACTERS} lower-case hex characters, but {reason}; \
         restore it from a backup", path.display()
    )]
    Malformed {
        /// The file.
        path: PathBuf,
        /// In which way it differs.
        reason: &'static str,
    },
    /// The operating system gave no random bytes.
    #[error("no secret could be drawn: {0}")]
    Randomness(String),
}

const fn past(action: &str) -> &'static str {
    match action.as_bytes() {
        b"create" => "created",
        _ => "read",
    }
}

impl SecretFileError {
    /// The stable code of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "secret_io",
            Self::Exposed(_) => "secret_exposed",
            Self::NotAFile { .. } => "secret_not_a_file",
            Self::Lost { .. } => "secret_lost",
            Self::DanglingLink { .. } => "secret_dangling_link",
            Self::Malformed { .. } => "secret_malformed",
            Self::Randomness(_) => "secret_randomness",
        }
    }

    fn io(path: &Path, action: &'static str) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io {
            path: path.to_owned(),
            action,
            source,
        }
    }

    fn is_missing(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

#[cfg(test)]
mod tests;
