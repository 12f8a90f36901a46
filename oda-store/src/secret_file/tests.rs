use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use oda_canon::Digest;
use oda_core::{IntentId, MacInput};

use super::*;

const HEX: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    fn key(&self) -> PathBuf {
        self.directory.path().join("intent.key")
    }

    fn holding(content: impl AsRef<[u8]>) -> Self {
        let place = Self::new();
        fs::write(place.key(), content).unwrap();
        place.chmod(0o600);
        place
    }

    fn chmod(&self, mode: u32) {
        fs::set_permissions(self.key(), Permissions::from_mode(mode)).unwrap();
    }

    fn files(&self) -> Vec<String> {
        fs::read_dir(self.directory.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }
}

/// Two secrets are the same exactly when they mint the same id.
fn minted(secret: &IntentSecret) -> IntentId {
    let input = MacInput {
        action: "token.transfer",
        params_digest: &Digest::ZERO,
        expires_at: "2026-09-26T12:05:00.000Z",
        nonce: "nonce",
    };
    IntentId::mint(secret, &input).unwrap()
}

#[test]
fn a_new_secret_is_private_and_read_back_the_same() {
    let place = Place::new();
    let first = load_or_create_secret(place.key()).unwrap();
    let text = fs::read_to_string(place.key()).unwrap();
    assert_eq!(text.len(), 64);
    assert!(text.bytes().all(|b| b"0123456789abcdef".contains(&b)));
    assert_eq!(
        fs::metadata(place.key()).unwrap().permissions().mode() & 0o7777,
        0o600
    );
    assert_eq!(place.files(), ["intent.key"]);
    let again = load_or_create_secret(place.key()).unwrap();
    assert_eq!(minted(&first), minted(&again));
    let other = load_or_create_secret(Place::new().key()).unwrap();
    assert_ne!(minted(&first), minted(&other));
}

#[test]
fn the_hex_is_the_secret() {
    let place = Place::holding(HEX);
    let expected = IntentSecret::new(&hex::decode(HEX).unwrap()).unwrap();
    let loaded = load_or_create_secret(place.key()).unwrap();
    assert_eq!(minted(&loaded), minted(&expected));
    // As a text editor or `openssl rand -hex 32` leaves it.
    let place = Place::holding(format!("{HEX}\n"));
    let loaded = load_or_create_secret(place.key()).unwrap();
    assert_eq!(minted(&loaded), minted(&expected));
}

/// The reference wrote the file in place, and did not look at its permissions when it read it.
#[test]
fn defect_38_a_racing_reader_never_sees_a_short_file() {
    let place = Place::new();
    let ids: Vec<_> = std::thread::scope(|scope| {
        let racers: Vec<_> = (0..16)
            .map(|_| scope.spawn(|| load_or_create_secret(place.key()).map(|s| minted(&s))))
            .collect();
        racers
            .into_iter()
            .map(|racer| racer.join().unwrap().unwrap())
            .collect()
    });
    assert!(ids.iter().all(|id| *id == ids[0]), "one secret for all");
    assert_eq!(place.files(), ["intent.key"], "no draft stays behind");
}

#[test]
fn defect_38_an_exposed_file_is_refused() {
    let place = Place::holding(HEX);
    for mode in [0o640, 0o604, 0o660, 0o644, 0o601, 0o777] {
        place.chmod(mode);
        let error = load_or_create_secret(place.key()).unwrap_err();
        assert_eq!(error.code(), "secret_exposed", "{mode:o}");
        assert!(error.to_string().contains("chmod 600"), "{error}");
    }
    place.chmod(0o400);
    assert!(load_or_create_secret(place.key()).is_ok());
}

#[test]
fn anything_but_a_secret_is_refused_and_left_alone() {
    let contents: [&[u8]; 9] = [
        b"",
        b"\n",
        &HEX.as_bytes()[..63],
        format!("{HEX}0").leak().as_bytes(),
        format!("{HEX}\n\n").leak().as_bytes(),
        format!("{HEX}\r\n").leak().as_bytes(),
        HEX.to_uppercase().leak().as_bytes(),
        format!("0x{}", &HEX[..62]).leak().as_bytes(),
        &[0xff; 64],
    ];
    for content in contents {
        let place = Place::holding(content);
        let error = load_or_create_secret(place.key()).unwrap_err();
        assert_eq!(error.code(), "secret_malformed", "{content:?}");
        assert!(!error.to_string().contains("0011"), "{error}");
        assert!(!format!("{error:?}").contains("0011"), "{error:?}");
        assert_eq!(fs::read(place.key()).unwrap(), content);
    }
}

#[test]
fn what_is_no_file_is_refused_without_waiting_for_it() {
    let place = Place::new();
    fs::create_dir(place.key()).unwrap();
    let error = load_or_create_secret(place.key()).unwrap_err();
    assert_eq!(error.code(), "secret_not_a_file");

    let place = Place::new();
    let made = std::process::Command::new("mkfifo")
        .args(["-m", "600"])
        .arg(place.key())
        .status()
        .unwrap();
    assert!(made.success());
    let error = load_or_create_secret(place.key()).unwrap_err();
    assert_eq!(error.code(), "secret_not_a_file");
}

#[test]
fn a_link_is_judged_by_what_it_points_to() {
    let target = Place::holding(HEX);
    let place = Place::new();
    symlink(target.key(), place.key()).unwrap();
    assert!(load_or_create_secret(place.key()).is_ok());
    target.chmod(0o644);
    let error = load_or_create_secret(place.key()).unwrap_err();
    assert_eq!(error.code(), "secret_exposed");
    fs::remove_file(target.key()).unwrap();
    let error = load_or_create_secret(place.key()).unwrap_err();
    assert_eq!(error.code(), "secret_dangling_link");
    assert!(!target.key().exists(), "nothing was created over there");
}

#[test]
fn a_missing_directory_is_named() {
    let error = load_or_create_secret("/nonexistent/intent.key").unwrap_err();
    assert_eq!(error.code(), "secret_io");
    assert!(error.to_string().contains("/nonexistent/intent.key"));
    assert!(error.to_string().contains("created"), "{error}");
}

#[test]
fn a_secret_lost_beside_its_store_is_not_replaced_by_another() {
    let place = Place::new();
    let store = place.directory.path().join("store.db");
    let first = load_secret_of(&place.key(), &store);
    assert!(
        first.is_ok(),
        "where there is no store yet, a secret is made"
    );
    fs::write(&store, "a store").unwrap();
    assert!(load_secret_of(&place.key(), &store).is_ok());
    fs::remove_file(place.key()).unwrap();
    let error = load_secret_of(&place.key(), &store).unwrap_err();
    assert_eq!(error.code(), "secret_lost");
    assert!(
        error.to_string().contains("restore it from a backup"),
        "{error}"
    );
    assert_eq!(place.files(), ["store.db"], "no new secret is left behind");
}
