//! What a run found.

use std::fmt;

use serde_json::{Value, json};

/// The result of a run over a folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// One entry per file, sorted by name.
    pub files: Vec<FileReport>,
}

/// The result of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct FileReport {
    /// The file's name.
    pub file: String,
    /// Every case of it.
    pub cases: Vec<CaseReport>,
}

/// The result of one case.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseReport {
    /// The list in its file.
    pub list: String,
    /// The name of the case, or its place in the list.
    pub case: String,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a case.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// It ran, and the answer is the one expected.
    Passed,
    /// It ran, and the answer differs exactly as `docs/differences.md` states.
    Differs {
        /// How the difference is stated.
        by: By,
        /// Why.
        reason: String,
        /// Where the two answers differ.
        differences: Vec<Difference>,
    },
    /// It ran, and the answer differs otherwise; or a stated difference is not there.
    Failed {
        /// What went wrong, in one sentence.
        why: String,
        /// Where the two answers differ. Empty when there is no answer.
        differences: Vec<Difference>,
    },
    /// It did not run.
    Skipped {
        /// Why.
        reason: String,
    },
}

/// How a difference is stated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// The case is listed by name.
    Case,
    /// It falls under these rules.
    Rules(Vec<&'static str>),
}

/// One place where two answers differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The place, such as `$.receipts[2].status`.
    pub at: String,
    /// What was expected there; `None` when nothing.
    pub expected: Option<Value>,
    /// What was found there; `None` when nothing.
    pub actual: Option<Value>,
}

impl Report {
    /// Whether nothing failed. Skipped cases do not count against it, and not for it either.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.files.iter().all(|file| file.failed() == 0)
    }

    /// The file of this name, when the folder had one.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<&FileReport> {
        self.files.iter().find(|file| file.file == name)
    }

    /// The report as one JSON document.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "ok": self.is_ok(),
            "files": self.files.iter().map(FileReport::to_json).collect::<Vec<_>>(),
        })
    }
}

impl FileReport {
    /// How many cases gave the expected answer.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Passed))
    }

    /// How many cases failed.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Failed { .. }))
    }

    /// How many cases differ as stated.
    #[must_use]
    pub fn differ(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Differs { .. }))
    }

    /// How many cases did not run.
    #[must_use]
    pub fn skipped(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Skipped { .. }))
    }

    fn count(&self, is: impl Fn(&Outcome) -> bool) -> usize {
        self.cases.iter().filter(|case| is(&case.outcome)).count()
    }

    /// The skipped cases, as (list, reason, how many), in the order of the file.
    fn skips(&self) -> Vec<(&str, &str, usize)> {
        let mut skips: Vec<(&str, &str, usize)> = Vec::new();
        for case in &self.cases {
            let Outcome::Skipped { reason } = &case.outcome else {
                continue;
            };
            match skips
                .iter_mut()
                .find(|(list, why, _)| *list == case.list && *why == reason)
            {
                Some((_, _, count)) => *count += 1,
                None => skips.push((&case.list, reason, 1)),
            }
        }
        skips
    }

    fn to_json(&self) -> Value {
        json!({
            "file": self.file,
            "passed": self.passed(),
            "failed": self.failed(),
            "differ_on_purpose": self.differ(),
            "skipped": self.skipped(),
            "cases": self.cases.iter().map(CaseReport::to_json).collect::<Vec<_>>(),
        })
    }
}

impl CaseReport {
    fn to_json(&self) -> Value {
        let mut report = json!({ "list": self.list, "case": self.case });
        let (outcome, more) = match &self.outcome {
            Outcome::Passed => ("passed", json!({})),
            Outcome::Differs {
                by,
                reason,
                differences,
            } => (
                "differs_on_purpose",
                json!({ "by": by.to_string(), "reason": reason, "differences": list(differences) }),
            ),
            Outcome::Failed { why, differences } => (
                "failed",
                json!({ "why": why, "differences": list(differences) }),
            ),
            Outcome::Skipped { reason } => ("skipped", json!({ "reason": reason })),
        };
        report["outcome"] = outcome.into();
        if let (Value::Object(report), Value::Object(more)) = (&mut report, more) {
            report.extend(more);
        }
        report
    }
}

fn list(differences: &[Difference]) -> Value {
    differences
        .iter()
        .map(|found| json!({ "at": found.at, "expected": found.expected, "actual": found.actual }))
        .collect()
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for file in &self.files {
            writeln!(f, "{file}")?;
        }
        for file in &self.files {
            write_failures(f, file)?;
        }
        for file in &self.files {
            write_differences(f, file)?;
        }
        for file in &self.files {
            for (list, reason, count) in file.skips() {
                writeln!(f, "skipped: {} {list} ({count}): {reason}", file.file)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for FileReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}  {} passed, {} failed, {} differ on purpose, {} skipped",
            self.file,
            self.passed(),
            self.failed(),
            self.differ(),
            self.skipped()
        )
    }
}

fn write_failures(f: &mut fmt::Formatter<'_>, file: &FileReport) -> fmt::Result {
    for case in &file.cases {
        let Outcome::Failed { why, differences } = &case.outcome else {
            continue;
        };
        writeln!(
            f,
            "FAILED: {} {} `{}`: {why}",
            file.file, case.list, case.case
        )?;
        for found in differences {
            writeln!(f, "  {found}")?;
        }
    }
    Ok(())
}

fn write_differences(f: &mut fmt::Formatter<'_>, file: &FileReport) -> fmt::Result {
    for case in &file.cases {
        let Outcome::Differs { by, reason, .. } = &case.outcome else {
            continue;
        };
        writeln!(
            f,
            "differs on purpose ({by}): {} {} `{}`: {reason}",
            file.file, case.list, case.case
        )?;
    }
    Ok(())
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Case => f.write_str("case"),
            Self::Rules(names) => write!(f, "rule {}", names.join(", ")),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |value: &Option<Value>| {
            value
                .as_ref()
                .map_or_else(|| "nothing".to_owned(), Value::to_string)
        };
        write!(
            f,
            "{}: expected {}, actual {}",
            self.at,
            text(&self.expected),
            text(&self.actual)
        )
    }
}

/// Every place where two values differ, the smallest ones.
pub(super) fn differences(expected: &Value, actual: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare("$", Some(expected), Some(actual), &mut found);
    found
}

fn compare(
    at: &str,
    expected: Option<&Value>,
    actual: Option<&Value>,
    found: &mut Vec<Difference>,
) {
    match (expected, actual) {
        (Some(Value::Object(left)), Some(Value::Object(right))) => {
            let mut keys: Vec<&String> = left.keys().chain(right.keys()).collect();
            keys.sort();
            keys.dedup();
            for key in keys {
                compare(&format!("{at}.{key}"), left.get(key), right.get(key), found);
            }
        }
        (Some(Value::Array(left)), Some(Value::Array(right))) => {
            for index in 0..left.len().max(right.len()) {
                compare(
                    &format!("{at}[{index}]"),
                    left.get(index),
                    right.get(index),
                    found,
                );
            }
        }
        (left, right) if same(left, right) => {}
        (left, right) => found.push(Difference {
            at: at.to_owned(),
            expected: left.cloned(),
            actual: right.cloned(),
        }),
    }
}

/// JSON has one kind of number: `1` and `1.0` are the same one.
fn same(left: Option<&Value>, right: Option<&Value>) -> bool {
    match (left, right) {
        (Some(Value::Number(a)), Some(Value::Number(b))) => a == b || a.as_f64() == b.as_f64(),
        _ => left == right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_named_where_they_are() {
        let found = differences(
            &json!({ "a": [1, { "b": 2 }], "only": true, "n": 1 }),
            &json!({ "a": [1, { "b": 3 }, 4], "n": 1.0 }),
        );
        let places: Vec<&str> = found.iter().map(|f| f.at.as_str()).collect();
        assert_eq!(places, ["$.a[1].b", "$.a[2]", "$.only"]);
        assert_eq!(found[0].to_string(), "$.a[1].b: expected 2, actual 3");
        assert_eq!(found[1].to_string(), "$.a[2]: expected nothing, actual 4");
    }

    #[test]
    fn skipped_cases_are_neither_passed_nor_failed() {
        let case = CaseReport {
            list: "l".to_owned(),
            case: "c".to_owned(),
            outcome: Outcome::Skipped {
                reason: "r".to_owned(),
            },
        };
        let file = FileReport {
            file: "f.json".to_owned(),
            cases: vec![case.clone(), case],
        };
        assert_eq!(
            file.to_string(),
            "f.json  0 passed, 0 failed, 0 differ on purpose, 2 skipped"
        );
        let report = Report { files: vec![file] };
        assert!(report.is_ok());
        assert!(
            report.to_string().contains("skipped: f.json l (2): r"),
            "{report}"
        );
        assert_eq!(report.to_json()["files"][0]["skipped"], 2);
    }
}
