//! The rules on single values that every door of the crate shares.
//!
//! Each works on bytes so that the validator of a parsed value and the one-pass scanner of a
//! line cannot drift apart.

/// `^si_[A-Za-z0-9_-]{43}$`: `si_` and 32 bytes in base64url without padding.
pub(crate) fn is_intent_id(text: &[u8]) -> bool {
    text.len() == 46
        && text.starts_with(b"si_")
        && text[3..]
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

/// An ODA id: two or more segments joined by `.`, each `[a-z][a-z0-9]*(_[a-z0-9]+)*`.
pub(crate) fn is_action_id(text: &[u8]) -> bool {
    let mut segments = 0_usize;
    for segment in text.split(|b| *b == b'.') {
        if !is_action_segment(segment) {
            return false;
        }
        segments += 1;
    }
    segments >= 2
}

fn is_action_segment(segment: &[u8]) -> bool {
    let mut previous = b'_';
    for (place, byte) in segment.iter().enumerate() {
        let fits = match byte {
            b'a'..=b'z' => true,
            b'0'..=b'9' => place > 0,
            b'_' => place > 0 && previous != b'_',
            _ => false,
        };
        if !fits {
            return false;
        }
        previous = *byte;
    }
    previous != b'_'
}

/// `^sha256:[0-9a-f]{64}$`.
pub(crate) fn is_digest(text: &[u8]) -> bool {
    text.len() == 71 && text.starts_with(b"sha256:") && text[7..].iter().all(|b| is_lower_hex(*b))
}

fn is_lower_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

/// `^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$`. Form only: month 99 passes, as ODA
/// readers accept it. [`is_real_instant`] is what a writer has to meet.
pub(crate) fn is_instant_form(text: &[u8]) -> bool {
    const SHAPE: &[u8; 19] = b"dddd-dd-ddTdd:dd:dd";
    let Some((head, tail)) = text.split_at_checked(SHAPE.len()) else {
        return false;
    };
    let head_fits = head.iter().zip(SHAPE).all(|(byte, shape)| match shape {
        b'd' => byte.is_ascii_digit(),
        other => byte == other,
    });
    let tail_fits = match tail {
        [b'Z'] => true,
        [b'.', digits @ .., b'Z'] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    head_fits && tail_fits
}

/// The form of [`is_instant_form`] and a date and time that exist (proleptic Gregorian, no leap
/// seconds, as ECMAScript's `Date`).
pub(crate) fn is_real_instant(text: &[u8]) -> bool {
    if !is_instant_form(text) {
        return false;
    }
    let number = |from: usize, to: usize| {
        text[from..to]
            .iter()
            .fold(0_u32, |sum, digit| sum * 10 + u32::from(digit - b'0'))
    };
    let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10));
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=days).contains(&day) && number(11, 13) < 24 && number(14, 16) < 60 && number(17, 19) < 60
}

/// `^0x[0-9a-fA-F]{64}$`: a Safe transaction hash.
pub(crate) fn is_safe_tx_hash(text: &[u8]) -> bool {
    is_hex_of(text, &[64])
}

/// `0x` and 128 or 130 hex digits: an EVM signature, EIP-2098 compact or r, s, v.
pub(crate) fn is_typed_data_signature(text: &[u8]) -> bool {
    is_hex_of(text, &[128, 130])
}

fn is_hex_of(text: &[u8], lengths: &[usize]) -> bool {
    text.strip_prefix(b"0x").is_some_and(|digits| {
        lengths.contains(&digits.len()) && digits.iter().all(u8::is_ascii_hexdigit)
    })
}

/// `^[1-9A-HJ-NP-Za-km-z]{86,88}$`: a Solana transaction signature in base58.
pub(crate) fn is_solana_signature(text: &[u8]) -> bool {
    (86..=88).contains(&text.len())
        && text
            .iter()
            .all(|b| b.is_ascii_alphanumeric() && !matches!(b, b'0' | b'O' | b'I' | b'l'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn action_ids_follow_the_grammar() {
        for good in [
            "a.b",
            "token.approvals.list",
            "x402.prepare",
            "a_1.b2_c",
            "erc8004.lookup",
        ] {
            assert!(is_action_id(good.as_bytes()), "{good}");
        }
        for bad in [
            "", "a", ".", "a.", ".a", "a..b", "A.b", "1a.b", "a.1b", "a_.b", "_a.b", "a__b.c",
            "a.b_", "a-b.c", "a.b\n", "a.é",
        ] {
            assert!(!is_action_id(bad.as_bytes()), "{bad}");
        }
    }

    #[test]
    fn instants_have_a_form_and_a_calendar() {
        for good in [
            "2026-09-26T12:00:00Z",
            "2024-02-29T23:59:59.123456789Z",
            "2000-02-29T00:00:00.0Z",
        ] {
            assert!(is_real_instant(good.as_bytes()), "{good}");
        }
        for form_only in [
            "2026-99-99T99:99:99Z",
            "2026-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2026-04-31T00:00:00Z",
            "2026-00-10T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:60Z",
        ] {
            assert!(is_instant_form(form_only.as_bytes()), "{form_only}");
            assert!(!is_real_instant(form_only.as_bytes()), "{form_only}");
        }
        for bad in [
            "",
            "2026-09-26",
            "2026-09-26T12:00:00",
            "2026-09-26T12:00:00.Z",
            "2026-09-26T12:00:00+00:00",
            "2026-09-26t12:00:00Z",
            "2026-09-26T12:00:00.1aZ",
            "2026-09-26T12:00:00Z\n",
        ] {
            assert!(!is_instant_form(bad.as_bytes()), "{bad}");
        }
    }

    #[test]
    fn ids_and_digests_have_exact_lengths_and_alphabets() {
        let id = format!("si_{}", "aZ0_-".repeat(9).split_at(43).0);
        assert!(is_intent_id(id.as_bytes()));
        assert!(!is_intent_id(&id.as_bytes()[..45]));
        assert!(!is_intent_id(format!("{id}a").as_bytes()));
        assert!(!is_intent_id(id.replace('_', "+").as_bytes()));
        let digest = format!("sha256:{}", "0f".repeat(32));
        assert!(is_digest(digest.as_bytes()));
        assert!(!is_digest(digest.to_uppercase().as_bytes()));
        assert!(!is_digest(digest.replace('f', "g").as_bytes()));
        assert!(!is_digest(&digest.as_bytes()[..70]));
    }
}
