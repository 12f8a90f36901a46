//! What a description may not say: ODA draft 0, section 4.
//!
//! The rules are regular expressions of ECMAScript without flags: `\b`, `\d`, `\w` are ASCII,
//! `\s` is ECMAScript's own set. They are matched by hand so that nothing of another engine's
//! Unicode tables decides.

use crate::ecma::{is_space, utf16_len};
use crate::lint::{LintIssue, LintRule};

/// The longest description, in UTF-16 code units (ODA draft 0, section 4).
pub const MAX_DESCRIPTION: usize = 1000;

/// The names of months that make a date. `May` is both the full and the short name.
const MONTHS: [&str; 24] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
    "Jan",
    "Feb",
    "Mar",
    "Apr",
    "Jun",
    "Jul",
    "Aug",
    "Sept",
    "Sep",
    "Oct",
    "Nov",
    "Dec",
];

const SPONSORSHIP: [&str; 9] = [
    "sponsor",
    "sponsored",
    "sponsors",
    "sponsorship",
    "partner",
    "partners",
    "partnered",
    "partnership",
    "paid",
];

const CLAIMS: [&str; 8] = [
    "safe",
    "safely",
    "secure",
    "securely",
    "best",
    "guarantee",
    "guaranteed",
    "guarantees",
];

/// The rules that a description breaks, each at most once, in a fixed order: length, date,
/// count, price, sponsorship, claim.
///
/// ```
/// use oda_core::lint_description;
///
/// let rules = |text| -> Vec<&str> {
///     lint_description(text).iter().map(|issue| issue.rule.as_str()).collect()
/// };
/// assert!(rules("Transfers a token to one recipient.").is_empty());
/// assert_eq!(rules("The best way, since May 5."), ["description_date", "description_claim"]);
/// ```
#[must_use]
pub fn lint_description(text: &str) -> Vec<LintIssue> {
    let checks = [
        (
            utf16_len(text) > MAX_DESCRIPTION,
            LintRule::DescriptionTooLong,
        ),
        (has_date(text), LintRule::DescriptionDate),
        (has_count(text), LintRule::DescriptionCount),
        (has_price(text), LintRule::DescriptionPrice),
        (
            has_word(text, &SPONSORSHIP),
            LintRule::DescriptionSponsorship,
        ),
        (has_word(text, &CLAIMS), LintRule::DescriptionClaim),
    ];
    checks
        .into_iter()
        .filter(|(fires, _)| *fires)
        .map(|(_, rule)| LintIssue::new("description", rule))
        .collect()
}

/// `\b\d{4}-\d{2}-\d{2}\b`, `\bMONTH\.?\s+\d{1,4}\b` or `\b\d{1,2}\s+MONTH\b`.
fn has_date(text: &str) -> bool {
    word_starts(text).any(|rest| is_iso_date(rest) || is_month_day(rest) || is_day_month(rest))
}

/// `\b\d{1,3}(?:,\d{3})+\b` or `\b\d+\+?\s+[A-Za-z]+s\b`.
fn has_count(text: &str) -> bool {
    word_starts(text).any(|rest| is_grouped_number(rest) || is_number_of_things(rest))
}

/// `\$`, `\bUSD\b`, `\bbps\b` or `%`, whatever the case.
fn has_price(text: &str) -> bool {
    text.contains(['$', '%']) || has_word(text, &["usd", "bps"])
}

/// `\b(?:…)\b`, whatever the ASCII case: the words hold word characters only, so each must be a
/// whole run of them.
fn has_word(text: &str, words: &[&str]) -> bool {
    text.split(|c: char| !is_word(c))
        .any(|run| words.iter().any(|word| run.eq_ignore_ascii_case(word)))
}

/// The rest of the text from every place where `\b` is followed by a word character.
fn word_starts(text: &str) -> impl Iterator<Item = &str> {
    let mut before = ' ';
    text.char_indices().filter_map(move |(at, c)| {
        let starts = is_word(c) && !is_word(before);
        before = c;
        starts.then(|| &text[at..])
    })
}

fn is_iso_date(rest: &str) -> bool {
    const SHAPE: &[u8] = b"dddd-dd-dd";
    let Some((head, tail)) = rest.as_bytes().split_at_checked(SHAPE.len()) else {
        return false;
    };
    let fits = head.iter().zip(SHAPE).all(|(byte, shape)| match shape {
        b'd' => byte.is_ascii_digit(),
        other => byte == other,
    });
    // A byte of a longer character is no word character either.
    fits && !tail.first().is_some_and(|byte| is_word(char::from(*byte)))
}

fn is_month_day(rest: &str) -> bool {
    after_month(rest).any(|rest| {
        let Some(rest) = skip_spaces(rest.strip_prefix('.').unwrap_or(rest)) else {
            return false;
        };
        let (digits, rest) = split_digits(rest);
        (1..=4).contains(&digits.len()) && at_word_end(rest)
    })
}

fn is_day_month(rest: &str) -> bool {
    let (digits, rest) = split_digits(rest);
    if !(1..=2).contains(&digits.len()) {
        return false;
    }
    skip_spaces(rest).is_some_and(|rest| after_month(rest).any(at_word_end))
}

/// One group after the comma decides: with more, the comma behind it already is a boundary.
fn is_grouped_number(rest: &str) -> bool {
    let (first, rest) = split_digits(rest);
    let Some(rest) = rest.strip_prefix(',') else {
        return false;
    };
    let (group, rest) = split_digits(rest);
    (1..=3).contains(&first.len()) && group.len() == 3 && at_word_end(rest)
}

fn is_number_of_things(rest: &str) -> bool {
    let (digits, rest) = split_digits(rest);
    let Some(rest) = skip_spaces(rest.strip_prefix('+').unwrap_or(rest)) else {
        return false;
    };
    let end = rest.find(|c: char| !c.is_ascii_alphabetic());
    let (letters, rest) = rest.split_at(end.unwrap_or(rest.len()));
    !digits.is_empty() && letters.len() >= 2 && letters.ends_with('s') && at_word_end(rest)
}

/// What follows a month at the start of `rest`, for every month that fits.
fn after_month(rest: &str) -> impl Iterator<Item = &str> {
    MONTHS
        .iter()
        .filter_map(move |month| rest.strip_prefix(month))
}

/// `\s+`; `None` when there is no white space.
fn skip_spaces(rest: &str) -> Option<&str> {
    let trimmed = rest.trim_start_matches(is_space);
    (trimmed.len() < rest.len()).then_some(trimmed)
}

fn split_digits(rest: &str) -> (&str, &str) {
    let end = rest.find(|c: char| !c.is_ascii_digit());
    rest.split_at(end.unwrap_or(rest.len()))
}

/// `\b` after a word character.
fn at_word_end(rest: &str) -> bool {
    !rest.starts_with(is_word)
}

/// `\w`.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<&'static str> {
        lint_description(text)
            .iter()
            .map(|issue| issue.rule.as_str())
            .collect()
    }

    #[test]
    fn dates_in_three_forms() {
        for text in [
            "2026-09-26",
            "é2026-09-26é",
            "Sept.  2026",
            "Mar 1",
            "March\u{2028}1",
            "5 June",
            "05\u{a0}Jun.",
        ] {
            assert_eq!(rules(text), ["description_date"], "{text}");
        }
        for text in [
            "12026-09-26",
            "Mars 1",
            "Jan.1",
            "Jan..  1",
            "Dec 12345",
            "Dec 1a",
            "123 May",
        ] {
            assert!(rules(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn counts_in_two_forms() {
        for text in [
            "1,000",
            "1,000,0000",
            "1234,567,890",
            "3+ chains",
            "1.5 tokens",
            "007 es",
        ] {
            assert_eq!(rules(text), ["description_count"], "{text}");
        }
        for text in [
            "1,00",
            "1,000a",
            "12345,678",
            "3++ chains",
            "3 s",
            "3 chain",
            "3 chains2",
            "3chains",
            "3 tokenS",
            "v3 tokens",
        ] {
            assert!(rules(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn words_are_whole_and_fold_ascii_case_only() {
        for (text, rule) in [
            ("uSd", "description_price"),
            ("(BPS)", "description_price"),
            ("SPONSORSHIP", "description_sponsorship"),
            ("GuaranteeD", "description_claim"),
            ("\u{17f}safe", "description_claim"),
        ] {
            assert_eq!(rules(text), [rule], "{text}");
        }
        // U+017F folds to `s` under Unicode rules, not under these.
        for text in ["\u{17f}afe", "safe_", "unsafe", "USDC", "prepaid", "bestow"] {
            assert!(rules(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn the_length_limit_counts_utf_16_units() {
        assert!(rules(&"x".repeat(1000)).is_empty());
        assert_eq!(rules(&"x".repeat(1001)), ["description_too_long"]);
        assert!(rules(&"😀".repeat(500)).is_empty());
        assert_eq!(rules(&"😀".repeat(501)), ["description_too_long"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_linted(text in "\\PC{0,60}") {
            let issues = lint_description(&text);
            proptest::prop_assert!(issues.len() <= 6);
        }
    }
}
