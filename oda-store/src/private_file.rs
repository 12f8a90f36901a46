//! Files that only their owner may read, and that are never seen half written.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Read and write for the owner, nothing for anybody else.
pub(crate) const PRIVATE_FILE_MODE: u32 = 0o600;

/// The permission bits of the group and of everybody else.
pub(crate) const OTHERS: u32 = 0o077;

/// Bytes of randomness in the name of a draft. Two processes never meet on one name.
const NAME_BYTES: usize = 8;

/// Who else has a say over a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exposure {
    /// Nobody.
    Private,
    /// Other users of the machine may read or write it.
    Mode(u32),
    /// It belongs to another user.
    Owner {
        /// Whose it is.
        owner: u32,
        /// Who this process runs as.
        user: u32,
    },
}

impl Exposure {
    pub(crate) fn of(metadata: &fs::Metadata) -> Self {
        let user = rustix::process::geteuid().as_raw();
        if metadata.uid() != user {
            return Self::Owner {
                owner: metadata.uid(),
                user,
            };
        }
        let mode = metadata.permissions().mode() & 0o7777;
        if mode & OTHERS == 0 {
            Self::Private
        } else {
            Self::Mode(mode)
        }
    }

    /// What is wrong with the file, and the command that puts it right.
    pub(crate) fn advice(self, path: &Path) -> String {
        let path = path.display();
        match self {
            Self::Private => format!("{path} is private"),
            Self::Mode(mode) => format!(
                "{path} is open to other users (mode {mode:04o}); run `chmod 600 {path}` and \
                 consider what they may have read"
            ),
            Self::Owner { owner, user } => format!(
                "{path} belongs to user {owner}, this process runs as user {user}; run it as the \
                 owner, or `chown` the file"
            ),
        }
    }
}

/// [`Exposure::of`] the file at a path, without opening it.
#[cfg(feature = "sqlite")]
pub(crate) fn exposure(path: &Path) -> io::Result<Exposure> {
    Ok(Exposure::of(&fs::metadata(path)?))
}

/// A private file being written beside its place. It is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Draft {
    path: PathBuf,
    directory: PathBuf,
}

impl Draft {
    /// An empty file beside `place`.
    pub(crate) fn beside(place: &Path) -> io::Result<Self> {
        let mut random = [0_u8; NAME_BYTES];
        getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
        let name = place
            .file_name()
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.tmp", hex::encode(random)));
        let directory = match place.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        let path = directory.join(hidden);
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(PRIVATE_FILE_MODE)
            .open(&path)?;
        let draft = Self { path, directory };
        // A strict umask may have taken the owner's own bits away.
        file.set_permissions(fs::Permissions::from_mode(PRIVATE_FILE_MODE))?;
        Ok(draft)
    }

    #[cfg(feature = "sqlite")]
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the whole content and syncs it.
    pub(crate) fn write(&self, content: &[u8]) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).open(&self.path)?;
        file.write_all(content)?;
        file.sync_all()
    }

    /// Gives the file its place, durably, unless there is one already: then `false`, and that one stays.
    ///
    /// A hard link is the one step that both refuses to replace and shows the content at once.
    pub(crate) fn publish(self, place: &Path) -> io::Result<bool> {
        match fs::hard_link(&self.path, place) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
            Err(error) => return Err(error),
        }
        File::open(&self.directory)?.sync_all()?;
        Ok(true)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Nothing can be done about a draft that stays behind; its name says what it is.
        let _ = fs::remove_file(&self.path);
    }
}
