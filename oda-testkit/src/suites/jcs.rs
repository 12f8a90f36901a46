//! RFC 8785: input, output and bytes of six documents, and the number file.

use serde::Deserialize;

use super::{SuiteError, Suites};

/// One document of the RFC 8785 suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JcsCase {
    /// The name, such as `weird`.
    pub name: String,
    /// The document as it is given.
    pub input: Vec<u8>,
    /// Its canonical form.
    pub output: Vec<u8>,
    /// The canonical form in lower-case hex, from a file of its own.
    pub output_hex: String,
}

/// The RFC 8785 number file, as a recipe: it has up to a hundred million lines.
///
/// A line is the bits of a double in lower-case hex without leading zeros, a comma, the canonical number
/// and a newline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Es6Numbers {
    /// The bits of the first numbers of the file, in order.
    pub fixed: Vec<u64>,
    /// What the file hashes to after a number of lines, smallest first.
    pub checkpoints: Vec<Es6Checkpoint>,
}

/// What the number file hashes to after a number of lines.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Es6Checkpoint {
    /// How many lines.
    pub lines: u64,
    /// How many bytes they have.
    pub bytes: u64,
    /// Their SHA-256, lower-case hex.
    pub sha256: String,
}

#[derive(Deserialize)]
struct Es6File {
    #[serde(rename = "static")]
    fixed: Vec<String>,
    checkpoints: Vec<Es6Checkpoint>,
}

impl Suites {
    /// The six documents of RFC 8785, sorted by name.
    ///
    /// # Errors
    ///
    /// When a file is missing, or an output's hex file does not consist of hex.
    pub fn jcs(&self) -> Result<Vec<JcsCase>, SuiteError> {
        self.names("jcs/input")?
            .into_iter()
            .map(|file| {
                let name = file.trim_end_matches(".json").to_owned();
                let hex_file = format!("jcs/outhex/{name}.txt");
                let hex_text: String = String::from_utf8_lossy(&self.read(&hex_file)?)
                    .split_whitespace()
                    .collect();
                super::bytes_of(&hex_text, &self.root.join(hex_file))?;
                Ok(JcsCase {
                    input: self.read(format!("jcs/input/{file}"))?,
                    output: self.read(format!("jcs/output/{file}"))?,
                    output_hex: hex_text,
                    name,
                })
            })
            .collect()
    }

    /// The recipe of the number file.
    ///
    /// # Errors
    ///
    /// When the file is missing or has another form.
    pub fn es6_numbers(&self) -> Result<Es6Numbers, SuiteError> {
        let path = "jcs/es6-floats.json";
        let file: Es6File = self.json(path)?;
        let fixed = file
            .fixed
            .iter()
            .map(|bits| {
                u64::from_str_radix(bits, 16).map_err(|error| {
                    SuiteError::malformed(&self.root.join(path), format!("`{bits}`: {error}"))
                })
            })
            .collect::<Result<_, _>>()?;
        Ok(Es6Numbers {
            fixed,
            checkpoints: file.checkpoints,
        })
    }
}
