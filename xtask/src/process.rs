//! Running other programs: what is run is printed first, and a failure says which program it was.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// What a step comes to. The error is a sentence for the person at the terminal.
pub(crate) type Outcome = Result<(), String>;

/// The cargo that started us, in the repository's root.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

/// Runs the command with our own output streams.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let shown = announce(command);
    let status = command
        .status()
        .map_err(|error| format!("`{shown}` cannot be started: {error}"))?;
    if status.success() {
        return Ok(());
    }
    Err(format!("`{shown}` failed ({status})"))
}

/// Runs the command and gives back what it wrote to standard output. Its errors go to ours.
pub(crate) fn capture(command: &mut Command) -> Result<String, String> {
    let shown = shown(command);
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("`{shown}` cannot be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{shown}` failed ({})", output.status));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("`{shown}` wrote no UTF-8: {error}"))
}

/// Prints the command line and gives it back for messages.
pub(crate) fn announce(command: &Command) -> String {
    let shown = shown(command);
    println!("$ {shown}");
    shown
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program())
        .file_name()
        .unwrap_or_else(|| command.get_program());
    let words: Vec<_> = std::iter::once(program)
        .chain(command.get_args())
        .map(OsStr::to_string_lossy)
        .collect();
    words.join(" ")
}
