//! `oda conformance`: a folder of test vectors, case by case.

use oda_testkit::conformance;

use crate::answer::{Answer, Outcome};
use crate::args::ConformanceArgs;
use crate::error::CliError;

pub(super) fn run(args: &ConformanceArgs) -> Outcome {
    let report = conformance::run(&args.dir)?;
    let failed = report
        .files
        .iter()
        .map(conformance::FileReport::failed)
        .sum();
    let answer = Answer::new(report.to_string(), report.to_json());
    if report.is_ok() {
        Ok(answer)
    } else {
        Err(answer.failed(CliError::ConformanceFailed(failed)))
    }
}
