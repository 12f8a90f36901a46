//! Encrypted private keys in the usual Ethereum format (Web3 Secret Storage, version 3).
//!
//! Read here rather than by a library: the parameters of a file that somebody prepared decide how much
//! memory and time its opening takes, and every copy of the key has to be wiped.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use aes::cipher::{KeyIvInit, StreamCipher};
use alloy::primitives::Keccak256;
use alloy::signers::local::PrivateKeySigner;
use hmac::Hmac;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::address::EvmAddress;
use crate::error::EvmError;
use crate::private_file::{read_private, refused};

type Aes128Ctr = ctr::Ctr128BE<aes::Aes128>;

/// A private key, wiped when dropped.
pub(crate) type KeyBytes = Zeroizing<[u8; 32]>;

/// The most memory that deriving the key may take, in bytes. The usual files take 256 MiB (scrypt with
/// N = 2^18, r = 8).
const MAX_SCRYPT_BYTES: u64 = 512 * 1024 * 1024;

/// The most work that deriving the key may take, as N · r · p: eight times the usual files.
const MAX_SCRYPT_WORK: u64 = 1 << 24;

/// The most PBKDF2 rounds: some forty times the usual files.
const MAX_PBKDF2_ROUNDS: u32 = 10_000_000;

/// log2 of scrypt's N for files written here: what geth calls "standard".
const LOG_N: u8 = 18;
const SCRYPT_R: u32 = 8;
const SCRYPT_P: u32 = 1;

#[derive(Serialize, Deserialize)]
struct KeystoreFile {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    #[serde(alias = "Crypto")]
    crypto: Crypto,
    #[serde(default)]
    id: String,
    version: u8,
}

#[derive(Serialize, Deserialize)]
struct Crypto {
    cipher: String,
    cipherparams: CipherParams,
    ciphertext: String,
    kdf: String,
    kdfparams: serde_json::Value,
    mac: String,
}

#[derive(Serialize, Deserialize)]
struct CipherParams {
    iv: String,
}

#[derive(Serialize, Deserialize)]
struct ScryptParams {
    dklen: usize,
    n: u64,
    p: u32,
    r: u32,
    salt: String,
}

#[derive(Deserialize)]
struct Pbkdf2Params {
    dklen: usize,
    c: u32,
    prf: String,
    salt: String,
}

/// Makes a new random key and writes it, encrypted with the password, to a new file with mode 0600.
///
/// When this returns, the file is on disk. An existing file is never overwritten.
///
/// # Errors
///
/// [`EvmError::Keystore`] when the password is empty, the file exists or cannot be written;
/// [`EvmError::Key`] when the system gives no randomness.
pub fn create_keystore(path: &Path, password: &SecretString) -> Result<EvmAddress, EvmError> {
    let mut key = KeyBytes::default();
    getrandom::fill(key.as_mut_slice()).map_err(|error| no_randomness(&error))?;
    write_keystore(path, &key, password, LOG_N)
}

/// The address that a keystore file says it holds the key of, read without the password. `None` when the
/// file does not say. Nothing proves it: only opening the file does.
///
/// # Errors
///
/// [`EvmError::Keystore`].
pub fn keystore_address(path: &Path) -> Result<Option<EvmAddress>, EvmError> {
    read_file(path)?
        .address
        .map(|text| stated_address(path, &text))
        .transpose()
}

/// Opens a keystore file.
pub(crate) fn open_keystore(path: &Path, password: &SecretString) -> Result<KeyBytes, EvmError> {
    let file = read_file(path)?;
    let key = decrypt(&file.crypto, password).map_err(|fault| match fault {
        Fault::Password => EvmError::KeystorePassword {
            path: path.display().to_string(),
        },
        Fault::File(rule) => refused(path, rule),
    })?;
    if let Some(text) = &file.address {
        let stated = stated_address(path, text)?;
        let found = signer_of(&key)?.address();
        if stated.to_alloy() != found {
            return Err(refused(
                path,
                format!("it says it holds the key of {stated} and holds the key of {found}"),
            ));
        }
    }
    Ok(key)
}

/// The signer of a private key, which is refused when it is no valid secp256k1 scalar.
pub(crate) fn signer_of(key: &KeyBytes) -> Result<PrivateKeySigner, EvmError> {
    PrivateKeySigner::from_slice(key.as_slice()).map_err(|_| EvmError::Key {
        rule: "it is zero or not below the order of secp256k1".to_owned(),
    })
}

fn read_file(path: &Path) -> Result<KeystoreFile, EvmError> {
    let text = read_private(path)?;
    let file: KeystoreFile = serde_json::from_str(&text)
        .map_err(|error| refused(path, format!("it is not a keystore file: {error}")))?;
    if file.version != 3 {
        return Err(refused(
            path,
            format!("version {} is not supported, only 3", file.version),
        ));
    }
    Ok(file)
}

fn stated_address(path: &Path, text: &str) -> Result<EvmAddress, EvmError> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    format!("0x{digits}")
        .parse()
        .map_err(|error: EvmError| refused(path, format!("`address`: {error}")))
}

enum Fault {
    Password,
    File(String),
}

fn decrypt(crypto: &Crypto, password: &SecretString) -> Result<KeyBytes, Fault> {
    if crypto.cipher != "aes-128-ctr" {
        return Err(Fault::File(
            "`crypto.cipher` must be aes-128-ctr".to_owned(),
        ));
    }
    let iv: [u8; 16] = fixed("crypto.cipherparams.iv", &crypto.cipherparams.iv)?;
    let mac: [u8; 32] = fixed("crypto.mac", &crypto.mac)?;
    let mut key = Zeroizing::new(fixed::<32>("crypto.ciphertext", &crypto.ciphertext)?);
    let derived = derive(crypto, password)?;
    if !bool::from(check_value(&derived, key.as_slice()).ct_eq(&mac)) {
        return Err(Fault::Password);
    }
    apply_cipher(&derived, iv, key.as_mut_slice());
    Ok(key)
}

fn derive(crypto: &Crypto, password: &SecretString) -> Result<KeyBytes, Fault> {
    let mut derived = KeyBytes::default();
    match crypto.kdf.as_str() {
        "scrypt" => {
            let params: ScryptParams = params(&crypto.kdfparams)?;
            check_dklen(params.dklen)?;
            let log_n = check_scrypt(&params)?;
            derive_scrypt(
                password,
                &bytes("crypto.kdfparams.salt", &params.salt)?,
                log_n,
                &params,
                &mut derived,
            )?;
        }
        "pbkdf2" => {
            let params: Pbkdf2Params = params(&crypto.kdfparams)?;
            check_dklen(params.dklen)?;
            if params.prf != "hmac-sha256" {
                return Err(Fault::File(
                    "`crypto.kdfparams.prf` must be hmac-sha256".to_owned(),
                ));
            }
            if !(1..=MAX_PBKDF2_ROUNDS).contains(&params.c) {
                return Err(Fault::File(format!(
                    "`crypto.kdfparams.c` must be 1 to {MAX_PBKDF2_ROUNDS}"
                )));
            }
            let salt = bytes("crypto.kdfparams.salt", &params.salt)?;
            let password = password.expose_secret().as_bytes();
            pbkdf2::pbkdf2::<Hmac<Sha256>>(password, &salt, params.c, derived.as_mut_slice());
        }
        _ => {
            return Err(Fault::File(
                "`crypto.kdf` must be scrypt or pbkdf2".to_owned(),
            ));
        }
    }
    Ok(derived)
}

fn params<T: serde::de::DeserializeOwned>(value: &serde_json::Value) -> Result<T, Fault> {
    T::deserialize(value).map_err(|error| Fault::File(format!("`crypto.kdfparams`: {error}")))
}

fn check_dklen(dklen: usize) -> Result<(), Fault> {
    if dklen == 32 {
        Ok(())
    } else {
        Err(Fault::File(
            "`crypto.kdfparams.dklen` must be 32".to_owned(),
        ))
    }
}

/// log2 of N, when memory and work stay within bounds.
fn check_scrypt(params: &ScryptParams) -> Result<u8, Fault> {
    let (n, r, p) = (params.n, u64::from(params.r), u64::from(params.p));
    let memory = n.checked_mul(r).and_then(|blocks| blocks.checked_mul(128));
    let work = n.checked_mul(r).and_then(|blocks| blocks.checked_mul(p));
    let bounded = memory.is_some_and(|bytes| bytes <= MAX_SCRYPT_BYTES)
        && work.is_some_and(|work| work <= MAX_SCRYPT_WORK);
    if !(n.is_power_of_two() && n > 1 && r > 0 && p > 0) {
        return Err(Fault::File(
            "`crypto.kdfparams`: n must be a power of two above 1, r and p at least 1".to_owned(),
        ));
    }
    if !bounded {
        return Err(Fault::File(format!(
            "`crypto.kdfparams`: opening it would take more than {} MiB of memory, or more than \
             {MAX_SCRYPT_WORK} steps",
            MAX_SCRYPT_BYTES >> 20
        )));
    }
    u8::try_from(n.ilog2()).map_err(|_| Fault::File("`crypto.kdfparams.n` is too large".to_owned()))
}

fn derive_scrypt(
    password: &SecretString,
    salt: &[u8],
    log_n: u8,
    params: &ScryptParams,
    derived: &mut KeyBytes,
) -> Result<(), Fault> {
    let settings = scrypt::Params::new(log_n, params.r, params.p).map_err(|_| {
        Fault::File(
            "`crypto.kdfparams`: n must be below 2^(16 * r) (RFC 7914, section 2)".to_owned(),
        )
    })?;
    scrypt::scrypt(
        password.expose_secret().as_bytes(),
        salt,
        &settings,
        derived.as_mut_slice(),
    )
    .map_err(|_| Fault::File("`crypto.kdfparams.dklen` must be 32".to_owned()))
}

/// Keccak-256 over the second half of the derived key and the ciphertext: tells a wrong password from a
/// right one.
fn check_value(derived: &KeyBytes, ciphertext: &[u8]) -> [u8; 32] {
    let mut hasher = Keccak256::new();
    hasher.update(&derived[16..]);
    hasher.update(ciphertext);
    hasher.finalize().0
}

fn apply_cipher(derived: &KeyBytes, iv: [u8; 16], data: &mut [u8]) {
    let mut key = Zeroizing::new([0_u8; 16]);
    key.copy_from_slice(&derived[..16]);
    Aes128Ctr::new((&*key).into(), (&iv).into()).apply_keystream(data);
}

fn bytes(field: &str, text: &str) -> Result<Vec<u8>, Fault> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    hex::decode(digits).map_err(|_| Fault::File(format!("`{field}` must be hexadecimal")))
}

fn fixed<const N: usize>(field: &str, text: &str) -> Result<[u8; N], Fault> {
    bytes(field, text)?
        .try_into()
        .map_err(|_| Fault::File(format!("`{field}` must be {N} bytes")))
}

fn write_keystore(
    path: &Path,
    key: &KeyBytes,
    password: &SecretString,
    log_n: u8,
) -> Result<EvmAddress, EvmError> {
    if password.expose_secret().is_empty() {
        return Err(refused(path, "the password is empty"));
    }
    let address = EvmAddress::from(signer_of(key)?.address());
    let file = encrypt(key, password, log_n, address).map_err(|fault| match fault {
        Fault::File(rule) => refused(path, rule),
        Fault::Password => EvmError::KeystorePassword {
            path: path.display().to_string(),
        },
    })?;
    let text = serde_json::to_vec_pretty(&file)
        .map_err(|error| refused(path, format!("it cannot be written as JSON: {error}")))?;
    write_new(path, &text)
        .map_err(|error| refused(path, format!("it cannot be written: {error}")))?;
    Ok(address)
}

fn encrypt(
    key: &KeyBytes,
    password: &SecretString,
    log_n: u8,
    address: EvmAddress,
) -> Result<KeystoreFile, Fault> {
    let mut random = [0_u8; 64];
    getrandom::fill(&mut random).map_err(|error| Fault::File(no_randomness(&error).to_string()))?;
    let (salt, rest) = random.split_at(32);
    let (iv, id) = rest.split_at(16);
    let iv: [u8; 16] = iv.try_into().map_err(|_| Fault::File("no IV".to_owned()))?;
    let params = ScryptParams {
        dklen: 32,
        n: 1 << log_n,
        p: SCRYPT_P,
        r: SCRYPT_R,
        salt: hex::encode(salt),
    };
    let mut derived = KeyBytes::default();
    derive_scrypt(password, salt, log_n, &params, &mut derived)?;
    let mut ciphertext = Zeroizing::new(**key);
    apply_cipher(&derived, iv, ciphertext.as_mut_slice());
    Ok(KeystoreFile {
        address: Some(address.to_lower_hex().trim_start_matches("0x").to_owned()),
        crypto: Crypto {
            cipher: "aes-128-ctr".to_owned(),
            cipherparams: CipherParams {
                iv: hex::encode(iv),
            },
            ciphertext: hex::encode(ciphertext.as_slice()),
            kdf: "scrypt".to_owned(),
            mac: hex::encode(check_value(&derived, ciphertext.as_slice())),
            kdfparams: serde_json::to_value(params)
                .map_err(|error| Fault::File(format!("`crypto.kdfparams`: {error}")))?,
        },
        id: random_uuid(id),
        version: 3,
    })
}

/// A version 4 UUID (RFC 9562) from 16 random bytes.
fn random_uuid(random: &[u8]) -> String {
    let mut digits = hex::encode(random);
    digits.replace_range(12..13, "4");
    digits.replace_range(16..17, "8");
    format!(
        "{}-{}-{}-{}-{}",
        &digits[..8],
        &digits[8..12],
        &digits[12..16],
        &digits[16..20],
        &digits[20..]
    )
}

/// Writes a file that did not exist, mode 0600, and waits until it and its directory entry are on disk.
fn write_new(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if let Err(error) = written {
        // A torn keystore would only hide that there is no key. It was created by this call.
        let _ = std::fs::remove_file(path);
        return Err(error);
    }
    let directory = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    File::open(directory.unwrap_or(Path::new(".")))?.sync_all()
}

fn no_randomness(error: &getrandom::Error) -> EvmError {
    EvmError::Key {
        rule: format!("the system gives no randomness: {error}"),
    }
}

#[cfg(test)]
mod tests;
