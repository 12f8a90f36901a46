//! What ECMAScript means by white space, length and number text: the rules of ODA are written
//! in its terms.

/// The text of a number as ECMAScript prints it (`1e-7`, `1e+21`, `0` for minus zero), or
/// `unknown` when it is not finite.
///
/// ```
/// assert_eq!(oda_core::number_text(50.0), "50");
/// assert_eq!(oda_core::number_text(1e-7), "1e-7");
/// assert_eq!(oda_core::number_text(f64::NAN), "unknown");
/// ```
#[must_use]
pub fn number_text(value: f64) -> String {
    oda_canon::to_string(&value).unwrap_or_else(|_| UNKNOWN.to_owned())
}

/// How a reading that could not be taken is written (ODA draft 0, section 6).
pub(crate) const UNKNOWN: &str = "unknown";

/// `\s`, and what `trim()` removes: it has U+00A0 and U+FEFF, and not U+0085.
pub(crate) fn is_space(c: char) -> bool {
    matches!(
        c,
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}'
                | '\u{2028}'
                | '\u{2029}'
                | '\u{202f}'
                | '\u{205f}'
                | '\u{3000}'
                | '\u{feff}'
    )
}

/// Whether `trim()` leaves nothing.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

/// What `.` of a regular expression does not match.
pub(crate) fn is_line_terminator(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// The length in UTF-16 code units, as every length of ODA is counted.
pub(crate) fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_that_of_ecmascript() {
        for space in [
            '\u{a0}', '\u{feff}', '\u{2028}', '\u{3000}', '\u{b}', '\u{2007}',
        ] {
            assert!(is_space(space), "{space:?}");
        }
        for other in ['\u{85}', '\u{200b}', '\u{180e}', 'a'] {
            assert!(!is_space(other), "{other:?}");
        }
        assert!(is_blank("") && is_blank("\u{feff} \t") && !is_blank("\u{85}"));
    }

    #[test]
    fn lengths_are_utf_16_units() {
        assert_eq!(utf16_len("aé😀"), 4);
    }
}
