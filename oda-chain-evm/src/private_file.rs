//! Files that hold secrets: only their owner may read them.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use secrecy::SecretString;
use zeroize::Zeroizing;

use crate::error::EvmError;

/// The largest file that is read as a keystore or a password. Keystores have about 500 bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// Reads a password from a file that only its owner may read. One line break at the end is not part of it.
///
/// # Errors
///
/// [`EvmError::Keystore`] when the file cannot be read, is readable by others, or holds no password.
pub fn read_password_file(path: &Path) -> Result<SecretString, EvmError> {
    let text = read_private(path)?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    let password = line.strip_suffix('\r').unwrap_or(line);
    if password.is_empty() {
        return Err(refused(path, "the password file is empty"));
    }
    Ok(SecretString::from(password))
}

/// Reads a whole small text file. Permissions are asked of the open file, so that a swapped link between
/// the check and the read changes nothing.
pub(crate) fn read_private(path: &Path) -> Result<Zeroizing<String>, EvmError> {
    let failed = |error: std::io::Error| refused(path, format!("it cannot be read: {error}"));
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(refused(path, "it is not a regular file"));
    }
    check_owner_only(path, &metadata)?;
    if metadata.len() > MAX_BYTES {
        return Err(refused(
            path,
            format!("it is larger than {MAX_BYTES} bytes"),
        ));
    }
    let mut text = Zeroizing::new(String::with_capacity(4096));
    file.take(MAX_BYTES)
        .read_to_string(&mut text)
        .map_err(failed)?;
    Ok(text)
}

#[cfg(unix)]
fn check_owner_only(path: &Path, metadata: &std::fs::Metadata) -> Result<(), EvmError> {
    use std::os::unix::fs::MetadataExt;

    let mode = metadata.mode() & 0o777;
    if mode & 0o077 == 0 {
        return Ok(());
    }
    Err(refused(
        path,
        format!(
            "its mode {mode:04o} lets others than its owner at it; run `chmod 600` on it first"
        ),
    ))
}

#[cfg(not(unix))]
fn check_owner_only(_: &Path, _: &std::fs::Metadata) -> Result<(), EvmError> {
    Ok(())
}

pub(crate) fn refused(path: &Path, rule: impl Into<String>) -> EvmError {
    EvmError::Keystore {
        path: path.display().to_string(),
        rule: rule.into(),
    }
}
