//! Running every case and judging what came of it.

use std::path::Path;

use oda_canon::CanonError;
use serde_json::{Value, json};

use super::case::{Case, Check, Malformed};
use super::differences::{Differences, StatedRule};
use super::load::{self, ConformanceError, VectorFile};
use super::report::{By, CaseReport, FileReport, Outcome, Report, differences};
use super::rules::{Place, READABLE};
use super::topics::{self, Checker, List, Topic};

/// Why a list that nobody knows was not run.
const UNKNOWN_LIST: &str = "this runner does not know the list";

/// Why a file that nobody knows was not run.
const UNKNOWN_FILE: &str = "this runner does not know the file";

/// Checks every case of every `*.json` file in a folder. Files of other kinds are not looked at.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let dir = tempfile::tempdir()?;
/// std::fs::write(
///     dir.path().join("oda-canonical.json"),
///     r#"{ "from_json_text": [{ "name": "sorted", "json_text": "{\"b\":1,\"a\":2}",
///          "canonical": "{\"a\":2,\"b\":1}",
///          "canonical_utf8_hex": "7b2261223a322c2262223a317d",
///          "sha256": "sha256:00" }] }"#,
/// )?;
/// let report = oda_testkit::conformance::run(dir.path())?;
/// assert!(!report.is_ok(), "the digest is not that of the text");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`ConformanceError`], when the folder cannot be checked: it is unreadable or empty, or a file is not a JSON
/// object. A case that fails is not an error: see [`Report::is_ok`].
pub fn run(dir: &Path) -> Result<Report, ConformanceError> {
    let stated = Differences::stated()?;
    let files = load::folder(dir)?;
    Ok(Report {
        files: files.iter().map(|file| check_file(file, &stated)).collect(),
    })
}

fn check_file(file: &VectorFile, stated: &Differences) -> FileReport {
    let cases = match topics::of(&file.name) {
        Topic::Known(lists) => check_lists(file, lists, stated),
        Topic::Later(reason) => skip_all(file, reason),
        Topic::Unknown => skip_all(file, UNKNOWN_FILE),
    };
    FileReport {
        file: file.name.clone(),
        cases,
    }
}

fn check_lists(file: &VectorFile, known: &[List], stated: &Differences) -> Vec<CaseReport> {
    let mut reports = Vec::new();
    for (name, cases) in &file.lists {
        let Some(list) = known.iter().find(|list| list.name == name) else {
            reports.extend(skip_list(name, cases, UNKNOWN_LIST));
            continue;
        };
        match list.checker {
            Checker::None(reason) => reports.extend(skip_list(name, cases, reason)),
            Checker::Each(check) => {
                for (place, case) in cases.iter().enumerate() {
                    let label = case.label(list.label, place);
                    let at = Place {
                        file: &file.name,
                        list: name,
                    };
                    let outcome = match check(case, file) {
                        Ok(Check::Unchecked { reason }) => Outcome::Skipped { reason },
                        Ok(Check::Compared { expected, actual }) => {
                            judge(&at, &label, case, &expected, &actual, stated)
                        }
                        Err(malformed) => unreadable(malformed, &at, &label, case, stated),
                    };
                    reports.push(CaseReport {
                        list: name.clone(),
                        case: label,
                        outcome,
                    });
                }
            }
        }
    }
    reports
}

/// A case that does not have its form failed, unless the reason is that it holds what no text here can hold.
fn unreadable(
    malformed: Malformed,
    at: &Place<'_>,
    label: &str,
    case: &Case,
    stated: &Differences,
) -> Outcome {
    match oda_canon::canonicalize(case.text().as_bytes()) {
        Err(error @ CanonError::LoneSurrogate { .. }) => {
            let actual = json!({ "error": error.code() });
            judge(at, label, case, &Value::from(READABLE), &actual, stated)
        }
        _ => Outcome::Failed {
            why: malformed.to_string(),
            differences: Vec::new(),
        },
    }
}

fn skip_all(file: &VectorFile, reason: &str) -> Vec<CaseReport> {
    file.lists
        .iter()
        .flat_map(|(name, cases)| skip_list(name, cases, reason))
        .collect()
}

fn skip_list(name: &str, cases: &[Case], reason: &str) -> Vec<CaseReport> {
    (0..cases.len())
        .map(|place| CaseReport {
            list: name.to_owned(),
            case: cases[place].label(&["name"], place),
            outcome: Outcome::Skipped {
                reason: reason.to_owned(),
            },
        })
        .collect()
}

fn judge(
    at: &Place<'_>,
    label: &str,
    case: &Case,
    expected: &Value,
    actual: &Value,
    stated: &Differences,
) -> Outcome {
    if let Some(row) = stated.case(at.file, at.list, label) {
        return judge_listed(&row.here, &row.reason, expected, actual);
    }
    let applying: Vec<&StatedRule> = stated
        .rules_for(at.file, at.list)
        .filter(|row| changes(row, at, case, expected).is_some())
        .collect();
    if applying.is_empty() {
        let found = differences(expected, actual);
        return match found.is_empty() {
            true => Outcome::Passed,
            false => Outcome::Failed {
                why: "the answers differ".to_owned(),
                differences: found,
            },
        };
    }
    judge_by_rules(&applying, at, case, expected, actual)
}

fn judge_listed(here: &Value, reason: &str, expected: &Value, actual: &Value) -> Outcome {
    let from_reference = differences(expected, actual);
    if from_reference.is_empty() {
        return Outcome::Failed {
            why: "docs/differences.md lists this case and it does not differ any more".to_owned(),
            differences: Vec::new(),
        };
    }
    let from_listed = differences(here, actual);
    if from_listed.is_empty() {
        Outcome::Differs {
            by: By::Case,
            reason: reason.to_owned(),
            differences: from_reference,
        }
    } else {
        Outcome::Failed {
            why: "the answer is neither the reference's nor the listed one".to_owned(),
            differences: from_listed,
        }
    }
}

/// What the answer becomes under a rule; `None` when the rule does not change it.
fn changes(row: &StatedRule, at: &Place<'_>, case: &Case, expected: &Value) -> Option<Value> {
    (row.rule.ours)(at, case, expected).filter(|ours| !differences(expected, ours).is_empty())
}

/// Where several rules meet, each is applied to what the one before it left. A text that cannot be read is the
/// exception: it is refused for one fault, the first that is met, whichever rule that is.
fn judge_by_rules(
    applying: &[&StatedRule],
    at: &Place<'_>,
    case: &Case,
    expected: &Value,
    actual: &Value,
) -> Outcome {
    let together = applying.iter().fold(expected.clone(), |answer, row| {
        (row.rule.ours)(at, case, &answer).unwrap_or(answer)
    });
    let alone = applying
        .iter()
        .filter_map(|row| changes(row, at, case, expected).map(|ours| (vec![*row], ours)))
        .filter(|(_, ours)| ours.get("error").is_some());
    let mut explanations = std::iter::once((applying.to_vec(), together.clone())).chain(alone);
    match explanations.find(|(_, ours)| differences(ours, actual).is_empty()) {
        Some((rows, _)) => Outcome::Differs {
            by: By::Rules(rows.iter().map(|row| row.rule.name).collect()),
            reason: rows
                .iter()
                .map(|row| row.reason.as_str())
                .collect::<Vec<_>>()
                .join(" "),
            differences: differences(expected, actual),
        },
        None => {
            let names: Vec<&str> = applying.iter().map(|row| row.rule.name).collect();
            Outcome::Failed {
                why: format!("the answer is not the one that {} gives", names.join(", ")),
                differences: differences(&together, actual),
            }
        }
    }
}
