//! `oda policy check`: what a policy file says, with every default and its digest.

use oda_core::EngineError;

use crate::answer::{Answer, Outcome};
use crate::args::{PolicyArgs, PolicyCheckArgs};
use crate::policy::LoadedPolicy;
use crate::show;

pub(super) fn check(args: &PolicyCheckArgs) -> Outcome {
    let file = args.file.clone();
    let LoadedPolicy { policy, file } = LoadedPolicy::load(&PolicyArgs { file })?;
    let file = file.map(|path| path.display().to_string());
    let digest = policy.policy_digest().map_err(EngineError::from)?;
    let text = show::policy::text(&policy, digest, file.as_deref());
    Ok(Answer::new(text, show::policy::json(&policy, digest, file)))
}
