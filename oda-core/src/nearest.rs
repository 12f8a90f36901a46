//! Suggesting what somebody probably meant.

/// The longest text that a suggestion is looked for, in bytes: names are short, and the work
/// grows with the product of the lengths.
const MAX_WANTED: usize = 80;

/// The known name nearest to `wanted`, when one is near enough to be a slip of the pen.
///
/// ```
/// use oda_core::nearest;
///
/// let known = ["chain.read", "token.transfer"];
/// assert_eq!(nearest("token.tranfser", known), Some("token.transfer"));
/// assert_eq!(nearest("bridge", known), None);
/// ```
///
/// Near enough is a third of the length of `wanted` in insertions, deletions, replacements and
/// swaps of neighbours, and at least two. The first of equally near names wins.
#[must_use]
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if wanted.len() > MAX_WANTED {
        return None;
    }
    let limit = (wanted.len() / 3).max(2);
    known
        .into_iter()
        .map(|name| (distance(wanted.as_bytes(), name.as_bytes()), name))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= limit)
        .map(|(_, name)| name)
}

/// Edit distance with swaps of neighbours (optimal string alignment).
fn distance(left: &[u8], right: &[u8]) -> usize {
    let mut before = vec![0; right.len() + 1];
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (i, &a) in left.iter().enumerate() {
        let mut row = vec![i + 1; right.len() + 1];
        for (j, &b) in right.iter().enumerate() {
            let replaced = last[j] + usize::from(a != b);
            row[j + 1] = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a == right[j - 1] && left[i - 1] == b {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = last;
        last = row;
    }
    last[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 4] = [
        "chain.read",
        "tx.simulate",
        "token.transfer",
        "evm.transfer",
    ];

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        for (wanted, expected) in [
            ("token.tranfser", Some("token.transfer")),
            ("token_transfer", Some("token.transfer")),
            ("chainread", Some("chain.read")),
            ("evm.transfers", Some("evm.transfer")),
            ("bridge.prepare", None),
            ("", None),
        ] {
            assert_eq!(nearest(wanted, KNOWN), expected, "{wanted}");
        }
        assert_eq!(nearest(&"x".repeat(81), KNOWN), None);
        assert_eq!(nearest("anything", []), None);
    }

    #[test]
    fn distances_count_edits_and_swaps() {
        for (a, b, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("abc", "abd", 1),
            ("abc", "acb", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(a.as_bytes(), b.as_bytes()), expected, "{a} {b}");
        }
    }
}
