//! The state directory of one installation.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use oda_core::IntentSecret;
use rustix::fs::{Access, access};

use crate::secret_file::load_secret_of;

/// Everything for the owner, nothing for anybody else.
const DIRECTORY_MODE: u32 = 0o700;

/// The bits that let the group or everybody else add, replace and remove files.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// The directory in which one installation keeps its state: `.oda` unless the caller says otherwise.
///
/// A value of this type names a directory that was found fit when it was opened: it belongs to this user,
/// nobody else can put files into it, and this process can.
///
/// ```
/// # let place = tempfile::tempdir()?;
/// use oda_store::OdaHome;
///
/// let home = OdaHome::open(place.path().join(OdaHome::DIRECTORY))?;
/// assert!(home.store().ends_with(".oda/store.db"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OdaHome {
    root: PathBuf,
}

impl OdaHome {
    /// The name of the directory when nothing else is asked for, in the working directory.
    pub const DIRECTORY: &'static str = ".oda";

    /// Opens the directory, and creates it with mode 0700 when it is missing, its parents included.
    ///
    /// A directory that others may list is accepted: the files in it are private themselves.
    ///
    /// # Errors
    ///
    /// [`HomeError`] when the directory cannot be created, is not a directory, belongs to another user, is
    /// writable by other users, or is not writable for this process.
    pub fn open(root: impl AsRef<Path>) -> Result<Self, HomeError> {
        let given = root.as_ref();
        let create = |source| HomeError::Create {
            path: given.to_owned(),
            source,
        };
        // A later change of the working directory must not move the state.
        let root = std::path::absolute(given).map_err(create)?;
        create_missing(&root).map_err(create)?;
        let metadata = fs::metadata(&root).map_err(create)?;
        if !metadata.is_dir() {
            return Err(HomeError::NotADirectory { path: root });
        }
        let user = rustix::process::geteuid().as_raw();
        if metadata.uid() != user {
            return Err(HomeError::ForeignOwner {
                path: root,
                owner: metadata.uid(),
                user,
            });
        }
        let mode = metadata.permissions().mode() & 0o7777;
        if mode & WRITABLE_BY_OTHERS != 0 {
            return Err(HomeError::OpenToOthers { path: root, mode });
        }
        if let Err(reason) = access(&root, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK) {
            return Err(HomeError::ReadOnly {
                path: root,
                reason: reason.into(),
            });
        }
        Ok(Self { root })
    }

    /// The directory itself, as an absolute path.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The store of intents, for [`SqliteStore::open`](crate::SqliteStore::open).
    #[must_use]
    pub fn store(&self) -> PathBuf {
        self.root.join("store.db")
    }

    /// The intent secret, for [`load_or_create_secret`](crate::load_or_create_secret).
    #[must_use]
    pub fn secret(&self) -> PathBuf {
        self.root.join("intent.key")
    }

    /// Loads the intent secret; makes a new one only when there is no store that was made under another.
    ///
    /// # Errors
    ///
    /// [`SecretFileError`](crate::SecretFileError), also when the secret of an existing store is missing.
    pub fn load_secret(&self) -> Result<IntentSecret, crate::SecretFileError> {
        load_secret_of(&self.secret(), &self.store())
    }

    /// The receipts log, one line of JSON per receipt.
    #[must_use]
    pub fn receipts(&self) -> PathBuf {
        self.root.join("receipts.jsonl")
    }
}

/// Creates what is missing from the top down, and syncs each parent: a store that promises durability must
/// not vanish with its directory.
fn create_missing(directory: &Path) -> io::Result<()> {
    if fs::symlink_metadata(directory).is_ok() {
        return Ok(());
    }
    let parent = directory.parent().unwrap_or(directory);
    create_missing(parent)?;
    match DirBuilder::new().mode(DIRECTORY_MODE).create(directory) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        Err(error) => return Err(error),
    }
    // A strict umask may have taken the owner's own bits away.
    fs::set_permissions(directory, fs::Permissions::from_mode(DIRECTORY_MODE))?;
    File::open(parent)?.sync_all()
}

/// The state directory cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HomeError {
    /// It is not there and cannot be created, or cannot be looked at.
    #[error("the state directory {} cannot be created or opened: {source}", path.display())]
    Create {
        /// The directory.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Something else has its name.
    #[error("{} is not a directory; choose another state directory", path.display())]
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// Another user owns it and could replace what is in it.
    #[error(
        "the state directory {} belongs to user {owner}, this process runs as user {user}: run it \
         as the owner, or choose another state directory", path.display()
    )]
    ForeignOwner {
        /// The directory.
        path: PathBuf,
        /// The owner's user id.
        owner: u32,
        /// This process's effective user id.
        user: u32,
    },
    /// Other users may add and replace files in it.
    #[error(
        "the state directory {} is writable by other users (mode {mode:04o}); run `chmod 700 {}`",
        path.display(), path.display()
    )]
    OpenToOthers {
        /// The directory.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// This process may not write there.
    #[error(
        "the state directory {} cannot be written ({reason}); make it writable, or choose another \
         state directory", path.display()
    )]
    ReadOnly {
        /// The directory.
        path: PathBuf,
        /// What the operating system said.
        reason: io::Error,
    },
}

impl HomeError {
    /// The stable code of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Create { .. } => "home_create",
            Self::NotADirectory { .. } => "home_not_a_directory",
            Self::ForeignOwner { .. } => "home_foreign_owner",
            Self::OpenToOthers { .. } => "home_open_to_others",
            Self::ReadOnly { .. } => "home_read_only",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode_of(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn it_is_created_for_its_owner_alone_with_its_parents() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("a/b/.oda");
        let home = OdaHome::open(&root).unwrap();
        assert_eq!(home.root(), root);
        assert_eq!(mode_of(&root), 0o700);
        assert_eq!(mode_of(&place.path().join("a")), 0o700);
        assert_eq!(OdaHome::open(&root).unwrap(), home);
    }

    #[test]
    fn a_relative_place_becomes_an_absolute_one() {
        let home = OdaHome::open("src").unwrap();
        assert!(home.root().is_absolute() && home.root().ends_with("src"));
    }

    #[test]
    fn others_may_look_but_not_write() {
        let place = tempfile::tempdir().unwrap();
        let chmod =
            |mode| fs::set_permissions(place.path(), fs::Permissions::from_mode(mode)).unwrap();
        chmod(0o755);
        assert!(OdaHome::open(place.path()).is_ok());
        for mode in [0o770, 0o777, 0o720, 0o702] {
            chmod(mode);
            let error = OdaHome::open(place.path()).unwrap_err();
            assert_eq!(error.code(), "home_open_to_others", "{mode:o}");
            assert!(error.to_string().contains("chmod 700"));
        }
        chmod(0o700);
    }

    #[test]
    fn a_file_is_not_a_directory() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("file");
        fs::write(&file, "").unwrap();
        assert_eq!(
            OdaHome::open(&file).unwrap_err().code(),
            "home_not_a_directory"
        );
        assert_eq!(
            OdaHome::open(file.join("below")).unwrap_err().code(),
            "home_create"
        );
    }

    #[test]
    fn a_link_to_nothing_is_not_followed_into_a_new_directory() {
        let place = tempfile::tempdir().unwrap();
        let link = place.path().join("link");
        std::os::unix::fs::symlink(place.path().join("nowhere"), &link).unwrap();
        assert_eq!(OdaHome::open(&link).unwrap_err().code(), "home_create");
        assert!(!place.path().join("nowhere").exists());
    }
}
