//! The small rules on single values that the validators share.

use crate::tree::Entries;
use oda_receipts::FieldError;

/// `^0x[0-9a-fA-F]{40}$`.
pub(crate) fn is_evm_address(text: &str) -> bool {
    text.strip_prefix("0x")
        .is_some_and(|digits| digits.len() == 40 && is_hex(digits))
}

/// `^0x(?:[0-9a-fA-F]{2})*$`.
pub(crate) fn is_calldata(text: &str) -> bool {
    text.strip_prefix("0x")
        .is_some_and(|digits| digits.len().is_multiple_of(2) && is_hex(digits))
}

fn is_hex(digits: &str) -> bool {
    digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `^[0-9]+$`.
pub(crate) fn is_decimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `^[1-9A-HJ-NP-Za-km-z]{32,44}$`: the form of a Solana public key or blockhash.
pub(crate) fn is_base58_key(text: &str) -> bool {
    (32..=44).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() && !matches!(b, b'0' | b'O' | b'I' | b'l'))
}

/// `^[0-9]+\.[0-9]+\.[0-9]+$`.
pub(crate) fn is_plain_version(text: &str) -> bool {
    let mut parts = 0;
    text.split('.').all(|part| {
        parts += 1;
        is_decimal(part)
    }) && parts == 3
}

/// `^[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?$`.
pub(crate) fn is_exact_version(text: &str) -> bool {
    match text.split_once('-') {
        None => is_plain_version(text),
        Some((plain, rest)) => {
            is_plain_version(plain)
                && !rest.is_empty()
                && rest
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'))
        }
    }
}

/// `^\d{4}-\d{2}-\d{2}$`: the form only, month 99 passes.
pub(crate) fn is_date_form(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// Names every key of a closed object that does not belong, in the order of the document.
pub(crate) fn check_closed(
    object: &Entries,
    place: &str,
    allowed: &[&str],
    errors: &mut Vec<FieldError>,
) {
    for key in object.keys().filter(|key| !allowed.contains(key)) {
        errors.push(FieldError::new(
            format!("unknown:{place}.{key}"),
            "the key does not belong here; the object is closed",
        ));
    }
}

/// Names every key that is missing, in the order of the list.
pub(crate) fn check_present(
    object: &Entries,
    place: &str,
    required: &[&str],
    errors: &mut Vec<FieldError>,
) {
    for key in required.iter().filter(|key| !object.has(key)) {
        errors.push(FieldError::new(
            format!("required:{place}.{key}"),
            "the key must be present",
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_exact() {
        for good in ["0.1.0", "01.2.3", "10.20.30"] {
            assert!(is_plain_version(good) && is_exact_version(good), "{good}");
        }
        for bad in ["", "1.0", "1.0.0.0", "1..0", "1.0.x", "v1.0.0", "1.0.0\n"] {
            assert!(!is_plain_version(bad) && !is_exact_version(bad), "{bad:?}");
        }
        for exact in ["2.0.0-beta.1", "1.0.0--", "1.0.0-a-b"] {
            assert!(
                is_exact_version(exact) && !is_plain_version(exact),
                "{exact}"
            );
        }
        for bad in ["1.0.0-", "1.0.0-é", "1.0.0+x", "1.0.0-a+b", "^1.0.0"] {
            assert!(!is_exact_version(bad), "{bad}");
        }
    }

    #[test]
    fn addresses_calldata_dates_and_keys_have_a_form() {
        let address = format!("0x{}", "aF".repeat(20));
        assert!(is_evm_address(&address) && !is_evm_address(&address[..41]));
        assert!(!is_evm_address(&address.replace("0x", "0X")));
        assert!(is_calldata("0x") && is_calldata("0xAb") && !is_calldata("0xa"));
        assert!(is_date_form("2026-99-99") && !is_date_form("2026-1-1"));
        assert!(is_base58_key(&"1".repeat(32)) && !is_base58_key(&"1".repeat(45)));
        assert!(!is_base58_key(&"0".repeat(32)));
        assert!(is_decimal("007") && !is_decimal("") && !is_decimal("1e3"));
    }
}
