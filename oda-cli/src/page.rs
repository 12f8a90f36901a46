//! Text for people: labelled lines that stay within the width of a screen.

use std::fmt::Display;

/// How wide a line may be, in characters.
const WIDTH: usize = 100;

/// How wide the column of labels is.
const LABEL: usize = 13;

/// A text under construction.
#[derive(Debug, Default)]
pub(crate) struct Page {
    text: String,
}

impl Page {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A line of its own, however long.
    pub(crate) fn line(&mut self, line: impl Display) -> &mut Self {
        let text = line.to_string();
        self.text.push_str(text.trim_end());
        self.text.push('\n');
        self
    }

    /// A label and what it says, wrapped below itself.
    pub(crate) fn pair(&mut self, label: &str, value: impl Display) -> &mut Self {
        let value = value.to_string();
        let width = WIDTH - LABEL;
        let mut label = label;
        for line in value.lines().flat_map(|line| wrap(line, width)) {
            self.line(format_args!("{label:<LABEL$}{line}"));
            label = "";
        }
        self
    }

    /// An empty line.
    pub(crate) fn blank(&mut self) -> &mut Self {
        self.text.push('\n');
        self
    }

    /// Rows in columns as wide as their widest cell. The last column is wrapped, unless it is one word, such
    /// as a hash: people copy those.
    pub(crate) fn table<const COLUMNS: usize>(&mut self, rows: &[[String; COLUMNS]]) -> &mut Self {
        let width = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0) + 2
        };
        let before: usize = (0..COLUMNS.saturating_sub(1)).map(width).sum();
        let room = WIDTH.saturating_sub(before).max(WIDTH / 4);
        for row in rows {
            let Some((last, cells)) = row.split_last() else {
                continue;
            };
            let start: String = cells
                .iter()
                .enumerate()
                .map(|(column, cell)| format!("{cell:<width$}", width = width(column)))
                .collect();
            let mut start = start;
            let lines = if last.contains(' ') {
                wrap(last, room)
            } else {
                vec![last.clone()]
            };
            for line in lines {
                self.line(format_args!("{start}{line}"));
                start = " ".repeat(before);
            }
        }
        self
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }
}

/// Breaks a line at spaces; a word that is wider than the line is cut.
fn wrap(line: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let mut current = String::new();
    for word in line.split(' ') {
        let mut word: Vec<char> = word.chars().collect();
        let used = current.chars().count();
        if used > 0 && used + 1 + word.len() > width && word.len() <= width {
            lines.push(std::mem::take(&mut current));
        } else if used > 0 {
            current.push(' ');
        }
        loop {
            let room = width.saturating_sub(current.chars().count());
            if word.len() <= room {
                current.extend(word);
                break;
            }
            current.extend(word.drain(..room));
            lines.push(std::mem::take(&mut current));
        }
    }
    lines.push(current);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces_and_long_words_are_cut() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("ab cdefgh", 4), ["ab c", "defg", "h"]);
        assert_eq!(wrap("", 5), [""]);
    }

    #[test]
    fn no_line_is_wider_than_a_screen() {
        let mut page = Page::new();
        page.pair("data", "0x".repeat(300))
            .pair("summary", "word ".repeat(80));
        page.table(&[["a".to_owned(), "word ".repeat(50)]]);
        let text = page.finish();
        assert!(text.lines().count() > 8);
        assert!(
            text.lines().all(|line| line.chars().count() <= WIDTH),
            "{text}"
        );
    }
}
