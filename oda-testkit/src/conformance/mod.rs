//! Runs published cases against this project and says, case by case, where the two differ.
//!
//! A folder holds files in the format of the shared vectors: one JSON object per file, with case lists as
//! members. [`run`] checks every case whose file and list it knows, and reports every other one as skipped.
//!
//! A difference is a failure unless `docs/differences.md` states it with its reason. That document is
//! compiled in, so what a reader finds there and what the runner lets pass are one thing. It states a
//! difference in one of two ways:
//!
//! * by **case**: file, list, name, and what this project answers instead;
//! * by **rule**: a name. The rule's code tells from a case's input alone whether it applies, and
//!   what this project answers instead.
//!
//! Either way the answer must be exactly the one that is stated. A stated difference that is no longer there is a
//! failure as well: the document would be wrong.

mod case;
mod differences;
mod load;
mod report;
mod rules;
mod run;
mod topics;

pub use load::ConformanceError;
pub use report::{By, CaseReport, Difference, FileReport, Outcome, Report};
pub use run::run;
