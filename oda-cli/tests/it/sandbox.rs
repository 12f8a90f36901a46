//! A directory of its own for every test, and the binary run in it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// The first account that every anvil funds; its key is `oda_testkit::Anvil::KEYS[0]`.
pub(crate) const SENDER: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

/// An account that nothing else uses.
pub(crate) const RECIPIENT: &str = "0x00000000000000000000000000000000000000AA";

pub(crate) struct Sandbox {
    place: TempDir,
}

/// What one call of the binary came to.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self {
            place: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.place.path()
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn write_policy(&self, more: &Value) -> PathBuf {
        let mut policy = json!({ "schema": "sato.policy/v1", "network": "testnet" });
        let (Value::Object(policy), Value::Object(more)) = (&mut policy, more) else {
            panic!("a policy is an object");
        };
        policy.extend(more.clone());
        self.write("policy.json", serde_json::to_vec(policy).unwrap())
    }

    /// The binary in this directory, with no variable of the machine that runs the tests.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oda"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env("TMPDIR", self.path())
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::of(self.command(arguments).output().unwrap())
    }

    pub(crate) fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
        let mut command = self.command(arguments);
        command.envs(variables.iter().copied());
        Run::of(command.output().unwrap())
    }

    /// Every file below the directory with its content.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(self.path(), &mut files);
        files
    }

    /// The input of a transfer of native currency.
    pub(crate) fn transfer(amount: &str) -> String {
        json!({ "chain": "base-sepolia", "from": SENDER, "to": RECIPIENT, "amount": amount })
            .to_string()
    }
}

fn collect(place: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(place).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.insert(path.clone(), Vec::new());
            collect(&path, files);
        } else {
            files.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
}

impl Run {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The one JSON document on standard output, after the promises about it were checked.
    pub(crate) fn json(&self) -> Value {
        let document: Value = serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("not one JSON document ({error}): {self:?}"));
        assert_eq!(self.stdout.lines().count(), 1, "{self:?}");
        assert_eq!(document["ok"], self.code == 0, "{self:?}");
        assert!(document["command"].is_string(), "{self:?}");
        if self.code == 0 {
            assert!(document.get("error").is_none(), "{self:?}");
            assert!(document.get("result").is_some(), "{self:?}");
        } else {
            assert!(document["error"]["code"].is_string(), "{self:?}");
            assert!(document["error"]["message"].is_string(), "{self:?}");
        }
        document
    }

    /// The result of a call that must have come out well.
    pub(crate) fn result(&self) -> Value {
        let document = self.json();
        assert_eq!(self.code, 0, "{self:?}");
        document["result"].clone()
    }

    /// Checks that the policy refused for this rule and no other.
    #[track_caller]
    pub(crate) fn refused_by(&self, rule: &str) {
        self.failed("refused", &[]);
        let refusals = self.json()["error"]["refusals"].clone();
        let rules: Vec<&str> = refusals
            .as_array()
            .unwrap()
            .iter()
            .map(|r| r["rule"].as_str().unwrap())
            .collect();
        assert_eq!(rules, [rule], "{self:?}");
    }

    /// Checks that the call failed with this code, and that its message says all of this.
    #[track_caller]
    pub(crate) fn failed(&self, code: &str, says: &[&str]) {
        let document = self.json();
        assert_eq!(document["error"]["code"], code, "{self:?}");
        let message = document["error"]["message"].as_str().unwrap();
        for part in says {
            assert!(message.contains(part), "{part:?} is missing: {self:?}");
        }
        let expected = if code == "refused" { 2 } else { 1 };
        assert_eq!(self.code, expected, "{self:?}");
    }
}
