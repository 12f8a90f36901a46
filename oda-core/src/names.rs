//! ODA ids and the tool names derived from them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The longest tool name, in characters. Hosts cut or refuse longer ones (ODA draft 0, section 2).
pub const MAX_TOOL_NAME: usize = 40;

/// Why a text is not an id or a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// Not an ODA id.
    #[error(
        "`{id}` is not an action id: write two or more lower-case segments joined by `.`, such as `token.transfer`"
    )]
    InvalidId {
        /// The text that was given.
        id: String,
    },
    /// An ODA id whose tool name would be too long.
    #[error("the tool name of `{id}` is longer than {MAX_TOOL_NAME} characters; shorten the id")]
    NameTooLong {
        /// The id that was given.
        id: String,
    },
    /// Not a tool name.
    #[error(
        "`{name}` is not a tool name: write lower-case words joined by `_`, at most {MAX_TOOL_NAME} characters"
    )]
    InvalidName {
        /// The text that was given.
        name: String,
    },
}

impl NameError {
    /// The stable code of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::InvalidId { .. } => "invalid_id",
            Self::NameTooLong { .. } => "name_too_long",
            Self::InvalidName { .. } => "invalid_name",
        }
    }
}

/// The id of an action, such as `token.approvals.list` (ODA draft 0, section 2).
///
/// Two or more segments joined by `.`. A segment is one or more words joined by `_`; words are
/// lower-case ASCII letters and digits, and the first character of a segment is a letter. An id
/// has no length limit of its own: [`id_to_name`] has one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ActionId(String);

impl ActionId {
    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The tool name of this action.
    ///
    /// # Errors
    ///
    /// [`NameError::NameTooLong`].
    pub fn tool_name(&self) -> Result<ToolName, NameError> {
        if self.0.len() > MAX_TOOL_NAME {
            return Err(NameError::NameTooLong { id: self.0.clone() });
        }
        Ok(ToolName(self.0.replace('.', "_")))
    }
}

/// The name under which a host lists an action, such as `token_approvals_list`: lower-case
/// snake case, at most [`MAX_TOOL_NAME`] characters (ODA draft 0, section 2).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolName(String);

impl ToolName {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The tool name of an action id: every `.` becomes `_`.
///
/// ```
/// use oda_core::id_to_name;
///
/// assert_eq!(id_to_name("token.transfer")?.as_str(), "token_transfer");
/// assert_eq!(id_to_name("transfer").unwrap_err().code(), "invalid_id");
/// # Ok::<(), oda_core::NameError>(())
/// ```
///
/// # Errors
///
/// [`NameError::InvalidId`], [`NameError::NameTooLong`].
pub fn id_to_name(id: &str) -> Result<ToolName, NameError> {
    id.parse::<ActionId>()?.tool_name()
}

/// The action id behind a tool name, when there is exactly one.
///
/// With `known` ids: the one valid id whose tool name is `name`; none when several have it, and
/// an id that is listed twice counts as two. Without them: only a name with exactly one `_` has
/// an inverse.
///
/// ```
/// use oda_core::name_to_id;
///
/// let id = |name, known| name_to_id(name, known).map(|id| id.to_string());
/// assert_eq!(id("token_transfer", None).as_deref(), Some("token.transfer"));
/// assert_eq!(id("token_approvals_list", None), None);
/// assert_eq!(
///     id("token_approvals_list", Some(&["token.approvals.list"])).as_deref(),
///     Some("token.approvals.list"),
/// );
/// assert_eq!(id("a_b_c", Some(&["a.b_c", "a_b.c"])), None);
/// ```
#[must_use]
pub fn name_to_id(name: &str, known: Option<&[&str]>) -> Option<ActionId> {
    if !is_tool_name(name) {
        return None;
    }
    let Some(known) = known else {
        let (first, second) = name.split_once('_')?;
        if second.contains('_') {
            return None;
        }
        return format!("{first}.{second}").parse().ok();
    };
    let mut matches = known
        .iter()
        .filter(|id| id_to_name(id).is_ok_and(|derived| derived.as_str() == name));
    let only = matches.next()?;
    match matches.next() {
        Some(_) => None,
        None => only.parse().ok(),
    }
}

/// Whether `text` is an ODA id.
pub(crate) fn is_action_id(text: &str) -> bool {
    text.contains('.') && text.split('.').all(is_words)
}

/// Whether `text` is a tool name.
pub(crate) fn is_tool_name(text: &str) -> bool {
    text.len() <= MAX_TOOL_NAME && is_words(text)
}

/// `[a-z][a-z0-9]*(_[a-z0-9]+)*`.
fn is_words(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.split('_').all(|word| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
}

impl FromStr for ActionId {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        text.to_owned().try_into()
    }
}

impl TryFrom<String> for ActionId {
    type Error = NameError;

    fn try_from(id: String) -> Result<Self, NameError> {
        if is_action_id(&id) {
            Ok(Self(id))
        } else {
            Err(NameError::InvalidId { id })
        }
    }
}

impl FromStr for ToolName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        text.to_owned().try_into()
    }
}

impl TryFrom<String> for ToolName {
    type Error = NameError;

    fn try_from(name: String) -> Result<Self, NameError> {
        if is_tool_name(&name) {
            Ok(Self(name))
        } else {
            Err(NameError::InvalidName { name })
        }
    }
}

impl From<ActionId> for String {
    fn from(id: ActionId) -> Self {
        id.0
    }
}

impl From<ToolName> for String {
    fn from(name: ToolName) -> Self {
        name.0
    }
}

impl AsRef<str> for ActionId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for ToolName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ActionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_two_or_more_segments_of_lower_case_words() {
        for good in ["a.b", "a1.b2", "a.b.c.d", "x402.prepare", "a_1.b_2"] {
            assert!(is_action_id(good), "{good}");
        }
        for bad in [
            "", "a", ".", "a.", ".a", "a..b", "A.b", "1a.b", "a.1b", "a_.b", "_a.b", "a__b.c",
            "a.b\n", "a.é", "a b.c",
        ] {
            assert!(!is_action_id(bad), "{bad:?}");
        }
    }

    #[test]
    fn ids_and_names_are_checked_when_read_from_json() {
        assert!(serde_json::from_str::<ActionId>("\"a.b\"").is_ok());
        let error = serde_json::from_str::<ActionId>("\"a\"").unwrap_err();
        assert!(error.to_string().contains("not an action id"), "{error}");
        assert!(serde_json::from_str::<ToolName>("\"a_b\"").is_ok());
        assert!(serde_json::from_str::<ToolName>("\"a.b\"").is_err());
    }

    #[test]
    fn the_length_limit_is_that_of_the_name() {
        let at_limit = format!("a.{}", "b".repeat(38));
        assert_eq!(id_to_name(&at_limit).map(|n| n.as_str().len()), Ok(40));
        let error = id_to_name(&format!("{at_limit}b")).unwrap_err();
        assert_eq!(error.code(), "name_too_long");
    }

    #[test]
    fn an_invalid_known_id_is_never_the_answer() {
        assert_eq!(name_to_id("a_b", Some(&["a_b"])), None);
        assert_eq!(name_to_id("a_b", Some(&[])), None);
    }
}
