//! The file operations that the log needs, behind a trait so that tests can make each fail.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;

/// Who may read and write a log this crate creates: its owner.
const MODE: u32 = 0o600;

/// How often an open is tried when the file appears and disappears in between.
const OPEN_TRIES: u32 = 16;

/// How many files of torn bytes may exist for one place in a log before it is an error.
const MAX_TORN_FILES: u32 = 1000;

/// What the file system says about the open file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileState {
    /// Its length in bytes.
    pub(crate) len: u64,
    /// Whether the log's path still names it.
    pub(crate) place: Place,
}

/// Whether an open file is still where it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The path names this file.
    Kept,
    /// The path names another file, or none.
    Lost,
}

/// The operations on one open log file.
pub(crate) trait Storage: fmt::Debug + Send {
    /// Waits for the exclusive lock. The system drops it when the process dies.
    fn lock(&self) -> io::Result<()>;
    /// Gives the lock back.
    fn unlock(&self) -> io::Result<()>;
    /// Length, and whether the path still leads here.
    fn state(&self) -> io::Result<FileState>;
    /// Reads at a place; may be short, 0 at the end.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
    /// Writes at a place; may be short.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize>;
    /// Cuts the file to a length.
    fn truncate(&self, len: u64) -> io::Result<()>;
    /// Returns when content and length are on the disk.
    fn sync(&self) -> io::Result<()>;
    /// Keeps the bytes of a torn line in a durable file beside the log, and says which.
    fn keep_torn(&self, bytes: &[u8], offset: u64) -> io::Result<PathBuf>;
}

/// The real file.
#[derive(Debug)]
pub(crate) struct LogFile {
    file: File,
    path: PathBuf,
}

impl LogFile {
    /// Opens the log for reading and writing, creating it with mode 0600, and makes its
    /// directory entry durable.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = open_or_create(path)?;
        if !file.metadata()?.is_file() {
            let reason = "it is not a regular file";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        sync_directory_of(path)?;
        Ok(Self {
            file,
            path: path.to_owned(),
        })
    }
}

fn open_or_create(path: &Path) -> io::Result<File> {
    let mut tries = 0;
    loop {
        let mut options = OpenOptions::new();
        options.read(true).write(true).mode(MODE);
        let opened = match options.clone().create_new(true).open(path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => options.open(path),
            other => other,
        };
        tries += 1;
        match opened {
            Err(e)
                if e.kind() == io::ErrorKind::NotFound
                    && tries < OPEN_TRIES
                    && path.parent().is_some_and(Path::exists) => {}
            other => return other,
        }
    }
}

fn sync_directory_of(path: &Path) -> io::Result<()> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    File::open(directory)?.sync_all()
}

/// Whether `path` names the very file that is open.
pub(super) fn place_of(file: &File, path: &Path) -> io::Result<FileState> {
    let open = file.metadata()?;
    let place = match path.metadata() {
        Ok(named) if (named.dev(), named.ino()) == (open.dev(), open.ino()) => Place::Kept,
        Ok(_) => Place::Lost,
        Err(e) if e.kind() == io::ErrorKind::NotFound => Place::Lost,
        Err(e) => return Err(e),
    };
    Ok(FileState {
        len: open.len(),
        place,
    })
}

/// Takes or gives back an advisory lock on an open file, waiting as long as it takes.
pub(super) fn flock(file: &File, operation: FlockOperation) -> io::Result<()> {
    rustix::io::retry_on_intr(|| rustix::fs::flock(file, operation)).map_err(io::Error::from)
}

impl Storage for LogFile {
    fn lock(&self) -> io::Result<()> {
        flock(&self.file, FlockOperation::LockExclusive)
    }

    fn unlock(&self) -> io::Result<()> {
        flock(&self.file, FlockOperation::Unlock)
    }

    fn state(&self) -> io::Result<FileState> {
        place_of(&self.file, &self.path)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.file.read_at(buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        self.file.write_at(bytes, offset)
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn sync(&self) -> io::Result<()> {
        rustix::io::retry_on_intr(|| rustix::fs::fdatasync(&self.file)).map_err(io::Error::from)
    }

    fn keep_torn(&self, bytes: &[u8], offset: u64) -> io::Result<PathBuf> {
        for attempt in 0..MAX_TORN_FILES {
            let aside = torn_path(&self.path, offset, attempt);
            match OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(MODE)
                .open(&aside)
            {
                Ok(mut file) => {
                    file.write_all(bytes)?;
                    file.sync_all()?;
                    sync_directory_of(&aside)?;
                    return Ok(aside);
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                    if holds(&aside, bytes)? {
                        return Ok(aside);
                    }
                }
                Err(e) => return Err(e),
            }
        }
        let reason = "too many files of torn bytes beside the log; move them away";
        Err(io::Error::new(io::ErrorKind::AlreadyExists, reason))
    }
}

/// Whether an earlier repair, cut short before it cut the log, kept the same bytes already.
fn holds(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let file = File::open(path)?;
    if file.metadata()?.len() != bytes.len() as u64 {
        return Ok(false);
    }
    let mut kept = Vec::with_capacity(bytes.len());
    file.take(bytes.len() as u64).read_to_end(&mut kept)?;
    Ok(kept == bytes)
}

fn torn_path(log: &Path, offset: u64, attempt: u32) -> PathBuf {
    let mut name = log.as_os_str().to_owned();
    name.push(format!(".torn-{offset}"));
    if attempt > 0 {
        name.push(format!("-{attempt}"));
    }
    PathBuf::from(name)
}
