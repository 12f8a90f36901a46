//! The execute request: one key and no other (ODA draft 0, section 6).

use serde_json::Value;

use crate::intent::IntentId;

/// The single key of an execute request.
const KEY: &str = "intent_id";

/// A well-formed `{ "intent_id": "si_…" }`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecuteRequest {
    /// Which intent to execute.
    pub intent_id: IntentId,
}

impl ExecuteRequest {
    /// Reads a request. Extra keys are named all at once, before the id is looked at, whatever they hold.
    ///
    /// # Errors
    ///
    /// [`RequestError`], which says which rule was broken.
    pub fn parse(request: &Value) -> Result<Self, RequestError> {
        let Value::Object(object) = request else {
            return Err(RequestError::NotAnObject);
        };
        let extra: Vec<String> = object.keys().filter(|key| *key != KEY).cloned().collect();
        if !extra.is_empty() {
            return Err(RequestError::ExtraKeys { keys: extra });
        }
        let intent_id = object
            .get(KEY)
            .and_then(Value::as_str)
            .and_then(|text| text.parse().ok())
            .ok_or(RequestError::MalformedId)?;
        Ok(Self { intent_id })
    }
}

/// Why an execute request was refused before any intent was looked up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// Neither array nor null nor scalar will do.
    #[error("an execute request is an object with the one key `intent_id`")]
    NotAnObject,
    /// Execute takes the id and nothing else, so nothing about the action can be changed here.
    #[error("execute accepts `intent_id` and no other key; refused: {}", keys.join(", "))]
    ExtraKeys {
        /// Every refused key.
        keys: Vec<String>,
    },
    /// The id is missing or has another shape.
    #[error(
        "`intent_id` is missing or malformed: {}",
        crate::intent::MalformedIntentId
    )]
    MalformedId,
}

impl RequestError {
    /// The stable code of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotAnObject => "request_not_an_object",
            Self::ExtraKeys { .. } => "request_extra_keys",
            Self::MalformedId => "malformed_intent_id",
        }
    }
}
