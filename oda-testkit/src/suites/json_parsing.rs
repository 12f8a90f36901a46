//! The JSON parsing suite: what a parser must accept, must refuse, and may do as it likes with.

use super::{SuiteError, Suites};

/// One file of the JSON parsing suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsingCase {
    /// The file's name, such as `n_array_comma_after_close.json`.
    pub name: String,
    /// What a parser has to do with it.
    pub rule: ParsingRule,
    /// The bytes. They need not be UTF-8.
    pub bytes: Vec<u8>,
}

/// What a parser has to do with a file of the JSON parsing suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParsingRule {
    /// `y_`: it must accept.
    Accept,
    /// `n_`: it must refuse.
    Refuse,
    /// `i_`: it may do either, and says which.
    Free,
}

impl Suites {
    /// Every file of the JSON parsing suite, sorted by name.
    ///
    /// # Errors
    ///
    /// When a file cannot be read, or its name does not start with `y_`, `n_` or `i_`.
    pub fn json_parsing(&self) -> Result<Vec<ParsingCase>, SuiteError> {
        const FOLDER: &str = "json-parsing";
        self.names(FOLDER)?
            .into_iter()
            .map(|name| {
                let rule = match name.split('_').next() {
                    Some("y") => ParsingRule::Accept,
                    Some("n") => ParsingRule::Refuse,
                    Some("i") => ParsingRule::Free,
                    _ => {
                        let path = self.root.join(FOLDER).join(&name);
                        return Err(SuiteError::malformed(&path, "the name states no rule"));
                    }
                };
                let bytes = self.read(format!("{FOLDER}/{name}"))?;
                Ok(ParsingCase { name, rule, bytes })
            })
            .collect()
    }
}
