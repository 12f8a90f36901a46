//! Wycheproof: HMAC-SHA-256 and ECDSA over secp256k1.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{SuiteError, Suites, bytes_of};

/// One MAC of Wycheproof's `hmac_sha256_test.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MacCase {
    /// The number of the test in its file.
    pub id: u32,
    /// What it is about.
    pub comment: String,
    /// The key, of any length.
    pub key: Vec<u8>,
    /// The message.
    pub message: Vec<u8>,
    /// The tag, possibly truncated: 16 or 32 bytes.
    pub tag: Vec<u8>,
    /// Whether the tag is the right one.
    pub valid: bool,
}

/// One ECDSA signature of Wycheproof, over the SHA-256 of the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EcdsaCase {
    /// The number of the test in its file.
    pub id: u32,
    /// What it is about.
    pub comment: String,
    /// What makes it special, in the suite's words.
    pub flags: Vec<String>,
    /// The public key: an uncompressed SEC1 point, 65 bytes.
    pub public_key: Vec<u8>,
    /// The message.
    pub message: Vec<u8>,
    /// The signature, encoded as the file says.
    pub signature: Vec<u8>,
    /// Whether it verifies.
    pub valid: bool,
}

/// The three secp256k1 files of Wycheproof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EcdsaEncoding {
    /// DER, either half of `s`.
    Der,
    /// `r` and `s`, 32 bytes each, either half of `s`.
    P1363,
    /// DER with the lower half of `s` only, as Bitcoin and Ethereum demand.
    Bitcoin,
}

impl EcdsaEncoding {
    const fn file(self) -> &'static str {
        match self {
            Self::Der => "wycheproof/ecdsa_secp256k1_sha256_test.json",
            Self::P1363 => "wycheproof/ecdsa_secp256k1_sha256_p1363_test.json",
            Self::Bitcoin => "wycheproof/ecdsa_secp256k1_sha256_bitcoin_test.json",
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File<G> {
    number_of_tests: usize,
    test_groups: Vec<G>,
}

#[derive(Deserialize)]
struct MacGroup {
    tests: Vec<MacTest>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MacTest {
    tc_id: u32,
    comment: String,
    key: String,
    msg: String,
    tag: String,
    result: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EcdsaGroup {
    public_key: PublicKey,
    tests: Vec<EcdsaTest>,
}

#[derive(Deserialize)]
struct PublicKey {
    uncompressed: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EcdsaTest {
    tc_id: u32,
    comment: String,
    flags: Vec<String>,
    msg: String,
    sig: String,
    result: String,
}

impl Suites {
    /// Every case of Wycheproof's HMAC-SHA-256 file.
    ///
    /// # Errors
    ///
    /// When the file is missing, has another form, or fewer cases than it says.
    pub fn hmac_sha256(&self) -> Result<Vec<MacCase>, SuiteError> {
        let file = "wycheproof/hmac_sha256_test.json";
        let path = self.root.join(file);
        let (groups, count) = self.wycheproof::<MacGroup>(file)?;
        let cases = groups
            .into_iter()
            .flat_map(|group| group.tests)
            .map(|test| {
                Ok(MacCase {
                    id: test.tc_id,
                    key: bytes_of(&test.key, &path)?,
                    message: bytes_of(&test.msg, &path)?,
                    tag: bytes_of(&test.tag, &path)?,
                    valid: is_valid(&test.result, &path)?,
                    comment: test.comment,
                })
            })
            .collect::<Result<Vec<_>, SuiteError>>()?;
        all_there(cases, count, &path)
    }

    /// Every case of one of Wycheproof's ECDSA files over secp256k1 and SHA-256.
    ///
    /// # Errors
    ///
    /// When the file is missing, has another form, or fewer cases than it says.
    pub fn ecdsa_secp256k1(&self, encoding: EcdsaEncoding) -> Result<Vec<EcdsaCase>, SuiteError> {
        let path = self.root.join(encoding.file());
        let (groups, count) = self.wycheproof::<EcdsaGroup>(encoding.file())?;
        let mut cases = Vec::with_capacity(count);
        for group in groups {
            let public_key = bytes_of(&group.public_key.uncompressed, &path)?;
            for test in group.tests {
                cases.push(EcdsaCase {
                    id: test.tc_id,
                    public_key: public_key.clone(),
                    message: bytes_of(&test.msg, &path)?,
                    signature: bytes_of(&test.sig, &path)?,
                    valid: is_valid(&test.result, &path)?,
                    comment: test.comment,
                    flags: test.flags,
                });
            }
        }
        all_there(cases, count, &path)
    }

    fn wycheproof<G: DeserializeOwned>(&self, file: &str) -> Result<(Vec<G>, usize), SuiteError> {
        let file: File<G> = self.json(file)?;
        Ok((file.test_groups, file.number_of_tests))
    }
}

/// The suite knows a third word, `acceptable`, that these files do not use: it would need a decision.
fn is_valid(result: &str, path: &std::path::Path) -> Result<bool, SuiteError> {
    match result {
        "valid" => Ok(true),
        "invalid" => Ok(false),
        other => Err(SuiteError::malformed(
            path,
            format!("`{other}` is neither valid nor invalid"),
        )),
    }
}

fn all_there<T>(cases: Vec<T>, count: usize, path: &std::path::Path) -> Result<Vec<T>, SuiteError> {
    if cases.len() == count {
        Ok(cases)
    } else {
        Err(SuiteError::malformed(
            path,
            format!("{} cases, {count} promised", cases.len()),
        ))
    }
}
