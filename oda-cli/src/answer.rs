//! What a command comes to.

use serde_json::Value;

use crate::error::CliError;

/// What a command found, for people and for programs.
#[derive(Debug, Default, Clone)]
pub(crate) struct Answer {
    /// For people, with its line ends.
    pub(crate) text: String,
    /// For programs: the `result` of the JSON document.
    pub(crate) result: Value,
    /// What is worth knowing besides, one sentence each.
    pub(crate) notes: Vec<String>,
}

/// A command that did not come out well.
#[derive(Debug)]
pub(crate) struct Failure {
    /// Why.
    pub(crate) error: Box<CliError>,
    /// What to run next, when that is known.
    pub(crate) next: Option<String>,
    /// What it found all the same, such as the intent whose verdict is no.
    pub(crate) answer: Option<Box<Answer>>,
}

/// What a command returns.
pub(crate) type Outcome = Result<Answer, Failure>;

impl Answer {
    pub(crate) fn new(text: impl Into<String>, result: Value) -> Self {
        Self {
            text: text.into(),
            result,
            notes: Vec::new(),
        }
    }

    /// The same with more notes.
    pub(crate) fn noting(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }

    /// This answer, found by a command that did not come out well.
    pub(crate) fn failed(self, error: impl Into<CliError>) -> Failure {
        Failure {
            error: Box::new(error.into()),
            next: None,
            answer: Some(Box::new(self)),
        }
    }
}

impl Failure {
    /// The same with a word on what to do next.
    pub(crate) fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }
}

impl<E: Into<CliError>> From<E> for Failure {
    fn from(error: E) -> Self {
        let error = error.into();
        let next = error.next();
        Self {
            error: Box::new(error),
            next,
            answer: None,
        }
    }
}
