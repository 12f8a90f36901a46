//! `oda-intents.json`: digests, intent ids, and the execute request.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use oda_canon::Digest;
use oda_core::{
    ExecuteRequest, IntentId, IntentSecret, MIN_SECRET_BYTES, MacInput, NONCE_BYTES, Nonce,
    RequestError,
};
use serde_json::{Value, json};

use super::super::case::{Case, Check, Malformed};
use super::super::load::VectorFile;
use super::List;

pub(super) const LISTS: &[List] = &[
    List::each("params_digests", &["name"], params_digest),
    List::each("intent_ids", &["secret", "action", "nonce"], intent_id),
    List::each("verify", &["name"], verify),
    List::each("base64url", &["bytes_hex"], base64url),
    List::each("execute_requests", &["name"], execute_request),
    List::each("nonce", &[], nonce),
    List::each("secret_min_bytes", &[], secret_min_bytes),
    List::each("secret_of_15_bytes", &[], secret_of_15_bytes),
    List::none("intent_id_regex", REGEX),
    List::none("digest_regex", REGEX),
];

const REGEX: &str = "a regular expression is not run; the cases that use it are";

fn params_digest(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let text: String = case.read("params_json")?;
    let expected = json!({
        "canonical": case.read::<String>("canonical")?,
        "params_digest": case.read::<String>("params_digest")?,
    });
    let actual = match oda_canon::canonicalize(text.as_bytes()) {
        Ok(bytes) => json!({
            "canonical": String::from_utf8_lossy(&bytes),
            "params_digest": oda_canon::digest_bytes(&bytes).to_string(),
        }),
        Err(error) => json!({ "error": error.code() }),
    };
    Ok(Check::compared(expected, actual))
}

/// What an id is minted for, as the cases spell it.
struct Minted {
    secret: Vec<u8>,
    action: String,
    params_digest: Digest,
    expires_at: String,
    nonce: String,
}

impl Minted {
    fn read(case: &Case) -> Result<Self, Malformed> {
        let digest: String = case.read("params_digest")?;
        let secret: String = case.read("secret_hex")?;
        Ok(Self {
            secret: hex::decode(&secret).map_err(|error| Malformed(error.to_string()))?,
            action: case.read("action")?,
            params_digest: digest
                .parse()
                .map_err(|_| Malformed(format!("`{digest}`")))?,
            expires_at: case.read("expires_at")?,
            nonce: case.read("nonce")?,
        })
    }

    fn input(&self) -> MacInput<'_> {
        MacInput {
            action: &self.action,
            params_digest: &self.params_digest,
            expires_at: &self.expires_at,
            nonce: &self.nonce,
        }
    }
}

fn intent_id(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let minted = Minted::read(case)?;
    let expected = json!({
        "mac_input": case.read::<String>("mac_input")?,
        "intent_id": case.read::<String>("intent_id")?,
    });
    let actual = match IntentSecret::new(&minted.secret) {
        Ok(secret) => json!({
            "mac_input": oda_canon::to_string(&minted.input()).map_err(|e| e.code()).ok(),
            "intent_id": IntentId::mint(&secret, &minted.input()).map_err(|e| e.code()).ok(),
        }),
        Err(error) => json!({ "error": error.to_string() }),
    };
    Ok(Check::compared(expected, actual))
}

fn verify(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let minted = Minted::read(case)?;
    let text: String = case.read("intent_id")?;
    let verifies = match (IntentSecret::new(&minted.secret), text.parse::<IntentId>()) {
        (Ok(secret), Ok(id)) => id.verifies(&secret, &minted.input()),
        _ => false,
    };
    Ok(Check::compared(case.read::<bool>("verifies")?, verifies))
}

fn base64url(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let bytes = hex::decode(case.read::<String>("bytes_hex")?)
        .map_err(|error| Malformed(error.to_string()))?;
    // A nonce is the one place where this project shows the encoding of bytes that it did not make.
    let actual = match <[u8; NONCE_BYTES]>::try_from(bytes.as_slice()) {
        Ok(bytes) => Nonce::from_bytes(bytes).as_str().to_owned(),
        Err(_) => URL_SAFE_NO_PAD.encode(&bytes),
    };
    Ok(Check::compared(case.read::<String>("base64url")?, actual))
}

fn execute_request(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let request: Value = case.read("request")?;
    let expected = json!({
        "ok": case.read::<bool>("ok")?,
        "class": case.read::<Option<String>>("class")?,
        "refused_keys": case.read::<Vec<String>>("refused_keys")?,
    });
    let actual = match ExecuteRequest::parse(&request) {
        Ok(_) => json!({ "ok": true, "class": null, "refused_keys": [] }),
        Err(error) => {
            let keys = match &error {
                RequestError::ExtraKeys { keys } => keys.clone(),
                _ => Vec::new(),
            };
            json!({ "ok": false, "class": class(error.code()), "refused_keys": keys })
        }
    };
    // The reference looks the id up afterwards; that answer is of the flows, not of the request.
    Ok(Check::compared(expected, actual))
}

/// The reference's word for one of our codes; a code without one stands for itself.
pub(super) fn class(code: &str) -> &str {
    match code {
        "request_not_an_object" => "not_an_object",
        "request_extra_keys" => "extra_keys",
        "malformed_intent_id" => "malformed_id",
        "unknown_intent" => "unknown_id",
        other => other,
    }
}

fn nonce(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let drawn = Nonce::from_bytes([0xA5; NONCE_BYTES]);
    let actual = json!({
        "bytes": NONCE_BYTES,
        "encoding": if drawn.as_str().contains('=') { "padded" } else { "base64url without padding" },
        "length": drawn.as_str().len(),
    });
    Ok(Check::compared(case.whole::<Value>()?, actual))
}

fn secret_min_bytes(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    Ok(Check::compared(case.whole::<Value>()?, MIN_SECRET_BYTES))
}

fn secret_of_15_bytes(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let actual = if IntentSecret::new(&[7; 15]).is_ok() {
        "accepted"
    } else {
        "error"
    };
    Ok(Check::compared(case.whole::<Value>()?, actual))
}
