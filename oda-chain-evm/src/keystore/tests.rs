use super::*;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The two examples of the format's own definition (Web3 Secret Storage, "Test vectors"): one key, one
/// password. The second one's scrypt parameters break RFC 7914 (n must be below 2^(16 * r)), so it is refused
/// here as it is by alloy; with r = 8, as files in use have it, its other fields serve the tests below.
const PBKDF2: &str = r#"{
    "crypto": {
        "cipher": "aes-128-ctr", "cipherparams": {"iv": "6087dab2f9fdbbfaddc31a909735c1e6"},
        "ciphertext": "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
        "kdf": "pbkdf2",
        "kdfparams": {"c": 262144, "dklen": 32, "prf": "hmac-sha256",
            "salt": "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd"},
        "mac": "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2"
    },
    "id": "3198bc9c-6672-5ab3-d995-4942343ae5b6", "version": 3
}"#;
const SCRYPT: &str = r#"{
    "crypto": {
        "cipher": "aes-128-ctr", "cipherparams": {"iv": "83dbcc02d8ccb40e466191a123791e0e"},
        "ciphertext": "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c",
        "kdf": "scrypt",
        "kdfparams": {"dklen": 32, "n": 262144, "p": 8, "r": 1,
            "salt": "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19"},
        "mac": "2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097"
    },
    "id": "3198bc9c-6672-5ab3-d995-4942343ae5b6", "version": 3
}"#;
const KEY: &str = "7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d";

/// Small enough for a test; files of users get [`LOG_N`].
const TEST_LOG_N: u8 = 10;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn private(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        write_new(&path, text.as_bytes()).unwrap();
        path
    }
}

fn password(text: &str) -> SecretString {
    SecretString::from(text)
}

#[test]
fn the_example_of_the_format_opens() {
    let folder = Folder::new();
    let path = folder.private("pbkdf2", PBKDF2);
    let key = open_keystore(&path, &password("testpassword")).unwrap();
    assert_eq!(hex::encode(key.as_slice()), KEY);
    assert_eq!(keystore_address(&path).unwrap(), None);
}

#[test]
fn the_example_that_breaks_rfc_7914_is_refused_with_the_rule() {
    let folder = Folder::new();
    let path = folder.private("scrypt", SCRYPT);
    let error = open_keystore(&path, &password("testpassword"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("RFC 7914"), "{error}");
    assert!(PrivateKeySigner::decrypt_keystore(&path, "testpassword").is_err());
}

#[test]
fn a_file_with_the_usual_scrypt_cost_opens() {
    let folder = Folder::new();
    let path = folder.path("key");
    let address = create_keystore(&path, &password("p")).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("\"n\": 262144") && text.contains("\"r\": 8"),
        "{text}"
    );
    let key = open_keystore(&path, &password("p")).unwrap();
    assert_eq!(
        EvmAddress::from(signer_of(&key).unwrap().address()),
        address
    );
}

#[test]
fn a_wrong_password_is_told_from_a_broken_file() {
    let folder = Folder::new();
    let path = folder.private("key", PBKDF2);
    let error = open_keystore(&path, &password("testpassword\n")).unwrap_err();
    assert_eq!(error.code(), "keystore_password");
    assert!(!error.to_string().contains("testpassword"));
}

#[test]
fn what_is_written_opens_here_and_with_alloy() {
    let folder = Folder::new();
    let path = folder.path("key.json");
    let key = KeyBytes::new([7; 32]);
    let address = write_keystore(&path, &key, &password("pässword"), TEST_LOG_N).unwrap();
    assert_eq!(open_keystore(&path, &password("pässword")).unwrap(), key);
    assert_eq!(keystore_address(&path).unwrap(), Some(address));
    let peer = PrivateKeySigner::decrypt_keystore(&path, "pässword").unwrap();
    assert_eq!(EvmAddress::from(peer.address()), address);
}

#[test]
fn what_alloy_writes_opens_here() {
    let folder = Folder::new();
    let mut random = alloy::signers::k256::elliptic_curve::rand_core::OsRng;
    let (peer, _) =
        PrivateKeySigner::encrypt_keystore(folder.0.path(), &mut random, [9; 32], "p", Some("key"))
            .unwrap();
    let path = folder.private(
        "mine",
        &std::fs::read_to_string(folder.path("key")).unwrap(),
    );
    let key = open_keystore(&path, &password("p")).unwrap();
    assert_eq!(signer_of(&key).unwrap().address(), peer.address());
}

#[cfg(unix)]
#[test]
fn files_of_one_owner_only() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new();
    let path = folder.path("key");
    write_keystore(&path, &KeyBytes::new([7; 32]), &password("p"), TEST_LOG_N).unwrap();
    assert_eq!(
        std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    for mode in [0o640, 0o604, 0o660] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        let error = open_keystore(&path, &password("p"))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(&format!("mode {mode:04o}")) && error.contains("chmod 600"),
            "{error}"
        );
        assert!(crate::read_password_file(&path).is_err());
    }
}

#[test]
fn an_existing_file_is_not_overwritten() {
    let folder = Folder::new();
    let path = folder.private("key", "mine");
    let error =
        write_keystore(&path, &KeyBytes::new([7; 32]), &password("p"), TEST_LOG_N).unwrap_err();
    assert!(error.to_string().contains("cannot be written"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
}

#[test]
fn an_empty_password_is_refused() {
    let folder = Folder::new();
    let error = create_keystore(&folder.path("key"), &password("")).unwrap_err();
    assert!(error.to_string().contains("the password is empty"));
    assert!(!folder.path("key").exists());
}

#[test]
fn a_stated_address_that_is_not_the_keys_is_refused() {
    let folder = Folder::new();
    let path = folder.path("key");
    write_keystore(&path, &KeyBytes::new([7; 32]), &password("p"), TEST_LOG_N).unwrap();
    let mut file: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    file["address"] = json!("000000000000000000000000000000000000dead");
    let path = folder.private("other", &file.to_string());
    let error = open_keystore(&path, &password("p"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("it says it holds the key of 0x000000000000000000000000000000000000dEaD"),
        "{error}"
    );
}

#[test]
fn hostile_files_are_refused_before_any_work() {
    let folder = Folder::new();
    let change = |pointer: &str, value: Value| {
        let mut file: Value = serde_json::from_str(SCRYPT).unwrap();
        *file.pointer_mut(pointer).unwrap() = value;
        file.to_string()
    };
    for (index, (text, part)) in [
        (change("/crypto/kdfparams/n", json!(1_u64 << 40)), "memory"),
        (
            change("/crypto/kdfparams/n", json!(u64::MAX)),
            "power of two",
        ),
        (change("/crypto/kdfparams/n", json!(0)), "power of two"),
        (change("/crypto/kdfparams/r", json!(u32::MAX)), "memory"),
        (change("/crypto/kdfparams/p", json!(100_000)), "steps"),
        (change("/crypto/kdfparams/p", json!(0)), "at least 1"),
        (change("/crypto/kdfparams/dklen", json!(8)), "dklen"),
        (change("/crypto/kdfparams/salt", json!("zz")), "hexadecimal"),
        (change("/crypto/cipherparams/iv", json!("00")), "16 bytes"),
        (change("/crypto/ciphertext", json!("00")), "32 bytes"),
        (change("/crypto/mac", json!("")), "32 bytes"),
        (change("/crypto/kdf", json!("argon2")), "scrypt or pbkdf2"),
        (
            change("/crypto/cipher", json!("aes-256-cbc")),
            "aes-128-ctr",
        ),
        (change("/version", json!(1)), "version 1"),
        (PBKDF2.replace("262144", "4000000000"), "crypto.kdfparams.c"),
        (PBKDF2.replace("hmac-sha256", "hmac-md5"), "prf"),
        ("{}".to_owned(), "not a keystore file"),
        ("[".repeat(60_000), "not a keystore file"),
        (" ".repeat(70_000), "larger than"),
    ]
    .into_iter()
    .enumerate()
    {
        let path = folder.private(&index.to_string(), &text);
        let error = open_keystore(&path, &password("testpassword"))
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{part}: {error}");
    }
    let error = open_keystore(&folder.path("missing"), &password("p"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("cannot be read"), "{error}");
    let error = open_keystore(folder.0.path(), &password("p"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("not a regular file"), "{error}");
}

#[test]
fn a_password_file_loses_one_line_break() {
    use secrecy::ExposeSecret;

    let folder = Folder::new();
    for (index, (text, expected)) in [
        ("p\n", "p"),
        ("p\r\n", "p"),
        ("p", "p"),
        ("p\n\n", "p\n"),
        (" p ", " p "),
    ]
    .iter()
    .enumerate()
    {
        let path = folder.private(&index.to_string(), text);
        assert_eq!(
            crate::read_password_file(&path).unwrap().expose_secret(),
            *expected
        );
    }
    let empty = folder.private("empty", "\n");
    assert!(
        crate::read_password_file(&empty)
            .unwrap_err()
            .to_string()
            .contains("is empty")
    );
}
