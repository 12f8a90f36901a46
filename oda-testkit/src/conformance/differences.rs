//! The stated differences: two kinds of table rows in `docs/differences.md`.

use serde_json::Value;

use super::load::ConformanceError;
use super::rules::{RULES, Rule};

/// The document, as readers see it.
const DOCUMENT: &str = include_str!("../../../docs/differences.md");

const RULE_COLUMNS: [&str; 4] = ["rule", "file", "list", "reason"];
const CASE_COLUMNS: [&str; 5] = ["file", "list", "case", "here", "reason"];

/// Everything that the document states.
#[derive(Debug)]
pub(super) struct Differences {
    rules: Vec<StatedRule>,
    cases: Vec<StatedCase>,
}

/// A rule and the list it is stated for.
#[derive(Debug)]
pub(super) struct StatedRule {
    pub(super) rule: &'static Rule,
    file: String,
    list: String,
    pub(super) reason: String,
}

/// One case that differs.
#[derive(Debug)]
pub(super) struct StatedCase {
    file: String,
    list: String,
    case: String,
    /// What this project answers.
    pub(super) here: Value,
    pub(super) reason: String,
}

impl Differences {
    /// Those of the document that is compiled in.
    pub(super) fn stated() -> Result<Self, ConformanceError> {
        Self::parse(DOCUMENT)
    }

    pub(super) fn rules_for<'a>(
        &'a self,
        file: &'a str,
        list: &'a str,
    ) -> impl Iterator<Item = &'a StatedRule> {
        self.rules
            .iter()
            .filter(move |stated| stated.file == file && stated.list == list)
    }

    pub(super) fn case(&self, file: &str, list: &str, case: &str) -> Option<&StatedCase> {
        self.cases
            .iter()
            .find(|stated| stated.file == file && stated.list == list && stated.case == case)
    }

    fn parse(document: &str) -> Result<Self, ConformanceError> {
        let mut found = Self {
            rules: Vec::new(),
            cases: Vec::new(),
        };
        let mut columns: Vec<String> = Vec::new();
        for (index, line) in document.lines().enumerate() {
            let Some(cells) = cells(line) else {
                columns.clear();
                continue;
            };
            if columns.is_empty() {
                columns = cells;
            } else if !cells
                .iter()
                .all(|cell| cell.chars().all(|c| c == '-' || c == ':'))
            {
                found
                    .row(&columns, &cells)
                    .map_err(|reason| ConformanceError::Differences {
                        line: index + 1,
                        reason,
                    })?;
            }
        }
        found.complete()
    }

    fn row(&mut self, columns: &[String], cells: &[String]) -> Result<(), String> {
        if columns == RULE_COLUMNS {
            let [name, file, list, reason] = fixed(cells)?;
            let rule = RULES
                .iter()
                .find(|rule| rule.name == name)
                .ok_or_else(|| format!("there is no rule `{name}`"))?;
            self.rules.push(StatedRule {
                rule,
                file,
                list,
                reason,
            });
        } else if columns == CASE_COLUMNS {
            let [file, list, case, here, reason] = fixed(cells)?;
            let here = serde_json::from_str(&here)
                .map_err(|error| format!("the answer `{here}` is not JSON: {error}"))?;
            self.cases.push(StatedCase {
                file,
                list,
                case,
                here,
                reason,
            });
        }
        Ok(())
    }

    /// A rule in the code that no row states would let differences pass that nobody reads about.
    fn complete(self) -> Result<Self, ConformanceError> {
        let unstated = RULES
            .iter()
            .find(|rule| !self.rules.iter().any(|row| row.rule.name == rule.name));
        match unstated {
            None => Ok(self),
            Some(rule) => Err(ConformanceError::Differences {
                line: 0,
                reason: format!("the rule `{}` is not stated", rule.name),
            }),
        }
    }
}

/// The cells of a table row, without code marks; `None` for any other line.
fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    // A bar inside a cell is written `\|`.
    let inner = inner.replace("\\|", "\u{0}");
    Some(
        inner
            .split('|')
            .map(|cell| cell.trim().trim_matches('`').trim().replace('\u{0}', "|"))
            .collect(),
    )
}

fn fixed<const N: usize>(cells: &[String]) -> Result<[String; N], String> {
    let cells: [String; N] = cells
        .to_vec()
        .try_into()
        .map_err(|_| format!("the row does not have {N} cells"))?;
    match cells.iter().any(String::is_empty) {
        false => Ok(cells),
        true => Err("a cell is empty".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_and_the_rules_fit() {
        let stated = Differences::stated().unwrap();
        assert!(stated.rules.iter().all(|row| row.reason.len() > 20));
        assert!(stated.cases.iter().all(|row| row.reason.len() > 20));
    }

    #[test]
    fn a_rule_that_does_not_exist_is_named() {
        let document =
            "| rule | file | list | reason |\n|---|---|---|---|\n| `no-such` | a | b | c |";
        let error = Differences::parse(document).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("line 3: there is no rule `no-such`"),
            "{error}"
        );
    }

    #[test]
    fn a_rule_that_nobody_stated_is_named() {
        let error = Differences::parse("no tables").unwrap_err();
        assert!(error.to_string().contains("is not stated"), "{error}");
    }

    #[test]
    fn other_tables_are_prose() {
        let cells = cells("| a \\| b | `c` |").unwrap();
        assert_eq!(cells, ["a | b", "c"]);
        assert!(super::cells("not a row").is_none());
    }
}
