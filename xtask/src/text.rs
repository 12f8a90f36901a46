//! What the files themselves must be: short enough to read, and free of names that belong to one
//! machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{self, Outcome};

/// The longest source file that a reader is asked to hold in mind.
const MOST_LINES: usize = 600;

/// Hosts of package registries and their mirrors: where a package is fetched from is a setting of
/// the machine, and a lock file that names a host breaks on the next one. Each is put together
/// from two pieces so that this file does not contain it.
const HOSTS: [&str; 8] = [
    concat!("registry.", "npmjs.org"),
    concat!("registry.", "yarnpkg.com"),
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("pypi.", "org"),
    concat!("files.", "pythonhosted.org"),
    concat!("deb.", "debian.org"),
    concat!("proxy.", "golang.org"),
];

/// Folders in which people and machines keep their work: an absolute path is right on one of them.
const MACHINE_FOLDERS: [&str; 4] = [
    concat!("/ho", "me/"),
    concat!("/Us", "ers/"),
    concat!("/ro", "ot/"),
    concat!("/wo", "rk/"),
];

/// Data made by others, kept byte for byte.
const FOREIGN: &str = "testdata";

/// No source file is too long.
pub(crate) fn lengths(root: &Path) -> Outcome {
    let mut wrong = Vec::new();
    for file in files(root)? {
        if file.extension().is_some_and(|extension| extension == "rs") {
            let lines = read(&root.join(&file))?.map_or(0, |text| text.lines().count());
            if lines > MOST_LINES {
                wrong.push(format!("{} has {lines} lines", file.display()));
            }
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n"))
    }
}

/// No file names a registry's host or a folder of one machine, and the npm lock file names no
/// source at all.
pub(crate) fn words(root: &Path) -> Outcome {
    let mut wrong = Vec::new();
    for file in files(root)? {
        if file.components().any(|part| part.as_os_str() == FOREIGN) {
            continue;
        }
        let Some(text) = read(&root.join(&file))? else {
            continue;
        };
        for (at, line) in text.lines().enumerate() {
            if let Some(word) = forbidden_word(line) {
                wrong.push(format!("{}:{} names {word}", file.display(), at + 1));
            }
        }
        if file.ends_with("package-lock.json") && text.contains("\"resolved\"") {
            wrong.push(format!(
                "{} says where packages come from: npm's `omit-lockfile-registry-resolved` leaves it out",
                file.display()
            ));
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n"))
    }
}

fn forbidden_word(line: &str) -> Option<&'static str> {
    let host = HOSTS.into_iter().find(|host| line.contains(host));
    host.or_else(|| {
        MACHINE_FOLDERS
            .into_iter()
            .find(|folder| has_absolute(line, folder))
    })
}

/// Whether `folder` begins a path in `line`, rather than standing in the middle of one.
fn has_absolute(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() && !"._-})>*~$/".contains(c))
    })
}

/// The files that git has or would take, as paths below the root. One deleted but not yet
/// committed is still listed; `read` passes over it.
fn files(root: &Path) -> Result<Vec<PathBuf>, String> {
    let listed = process::capture(
        Command::new("git")
            .args([
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ])
            .current_dir(root),
    )?;
    let files: Vec<PathBuf> = listed
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(PathBuf::from)
        .collect();
    if files.is_empty() {
        return Err("git lists no file: this check needs a git clone".to_owned());
    }
    Ok(files)
}

/// A file's text; `None` when it is not text, or not there.
fn read(path: &Path) -> Result<Option<String>, String> {
    match fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8(bytes).ok()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("cannot read {}: {error}", path.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_machine_folders_are_found() {
        for host in HOSTS {
            let line = format!("from https://{host}/package");
            assert_eq!(forbidden_word(&line), Some(host));
        }
        for folder in MACHINE_FOLDERS {
            let line = format!("in `{folder}someone`");
            assert_eq!(forbidden_word(&line), Some(folder));
            assert_eq!(forbidden_word(folder), Some(folder));
        }
    }

    #[test]
    fn a_folder_of_the_same_name_inside_a_path_is_fine() {
        for folder in MACHINE_FOLDERS {
            assert_eq!(forbidden_word(&format!("see ../shared{folder}notes")), None);
            assert_eq!(
                forbidden_word(&format!("$DIR{folder}notes, {{dir}}{folder}")),
                None
            );
        }
        assert_eq!(forbidden_word("installed from the npm registry"), None);
        assert_eq!(
            forbidden_word("registry+https://github.com/rust-lang/crates.io-index"),
            None
        );
    }
}
