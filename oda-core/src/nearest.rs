//! The nearest known name to one that is not known.

/// How many edits a suggestion may be away: more than a third of the name is another name.
const EDITS_PER_CHARACTER: usize = 3;

/// The known name with the fewest edits to `name`, if it is near enough to be a typing mistake.
/// Ties go to the first.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / EDITS_PER_CHARACTER).max(2);
    known
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(edits, _)| *edits <= limit)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions and replacements between two texts (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (to, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let above = *cell;
            left = (diagonal + usize::from(from != *to))
                .min(above + 1)
                .min(left + 1);
            *cell = left;
            diagonal = above;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "same"), 0);
    }

    #[test]
    fn suggests_only_what_is_near() {
        let known = ["token.transfer", "evm.transfer", "chain.read"];
        assert_eq!(
            nearest("token.tranfer", known.into_iter()),
            Some("token.transfer")
        );
        assert_eq!(nearest("swap.quote", known.into_iter()), None);
    }
}
