//! Foreign text on its way into errors, receipts and terminals.

use std::fmt::Write as _;

/// The most characters of foreign text that are shown. A node or a contract chooses that text; a longer
/// one would push everything else off the screen and bloat receipts.
pub(crate) const MAX_FOREIGN_TEXT: usize = 300;

/// Foreign text made harmless: control and formatting characters escaped, so that it can neither move a
/// cursor nor reorder what stands around it, and cut after [`MAX_FOREIGN_TEXT`] characters.
pub(crate) fn foreign(text: &str) -> String {
    let mut shown = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == MAX_FOREIGN_TEXT {
            shown.push('…');
            break;
        }
        if is_deceptive(character) {
            // Writing to a string cannot fail.
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Controls, line and paragraph separators, and the characters that change direction or are invisible.
fn is_deceptive(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_could_deceive_is_escaped() {
        assert_eq!(foreign("a\u{1b}[2Jb\n"), "a\\u{1b}[2Jb\\u{a}");
        assert_eq!(foreign("pay \u{202e}evil"), "pay \\u{202e}evil");
        assert_eq!(foreign("größer als 5"), "größer als 5");
    }

    #[test]
    fn long_text_is_cut_and_says_so() {
        let shown = foreign(&"é".repeat(MAX_FOREIGN_TEXT + 1));
        assert_eq!(shown.chars().count(), MAX_FOREIGN_TEXT + 1);
        assert!(shown.ends_with('…'));
        assert_eq!(
            foreign(&"é".repeat(MAX_FOREIGN_TEXT)).chars().count(),
            MAX_FOREIGN_TEXT
        );
    }

    proptest! {
        #[test]
        fn nothing_deceptive_passes(text in ".*") {
            prop_assert!(!foreign(&text).chars().any(is_deceptive));
        }
    }
}
