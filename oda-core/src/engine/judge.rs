//! Simulating and judging: the same at prepare and again at execute.

use serde_json::Value;

use super::Engine;
use crate::chain_access::ChainError;
use crate::error::EngineError;
use crate::kind::{ErasedKind, Inspected, KindError};
use crate::payload::SimulationNeed;
use crate::simulation::Simulation;
use crate::{Facts, PolicyOutcome, Refusal, RuleId, evaluate};

/// What is judged.
pub(super) struct Case<'a> {
    pub(super) action: &'a str,
    pub(super) unsigned: &'a Value,
    pub(super) inspected: &'a Inspected,
    pub(super) facts: &'a Facts,
    /// What the day's other intents hold, or `None` when it is unreadable.
    pub(super) spent_today: Option<f64>,
    pub(super) ttl_s: f64,
}

/// The verdict and what it rests on.
pub(super) struct Judgement {
    pub(super) simulation: Option<Simulation>,
    /// Why there is no simulation although one is needed.
    pub(super) unanswered: Option<ChainError>,
    pub(super) outcome: PolicyOutcome,
}

impl Engine {
    /// Simulates the payload where that applies, and evaluates the policy. An unreachable simulator is part
    /// of the judgement, because a missing simulation is what a rule refuses.
    pub(super) async fn judge(
        &self,
        kind: &dyn ErasedKind,
        case: &Case<'_>,
    ) -> Result<Judgement, EngineError> {
        let (simulation, unanswered) = self.simulate(kind, case).await?;
        let mut facts = case.facts.clone();
        case.action.clone_into(&mut facts.action);
        facts.chain.clone_from(&case.inspected.chain);
        facts.network = Some(case.inspected.network);
        facts.usd_spent_today = case.spent_today;
        facts.simulation = simulation.as_ref().map(Simulation::verdict);
        facts.ttl_s = Some(case.ttl_s);

        let mut refusals = evaluate(&self.policy, &facts);
        match case.inspected.simulation {
            SimulationNeed::NotApplicable { .. } => {
                refusals.retain(|refusal| !is_simulation_rule(refusal));
            }
            SimulationNeed::Required => require_simulation(&mut refusals, simulation.as_ref()),
        }
        let outcome = PolicyOutcome {
            ok: refusals.is_empty(),
            refusals,
        };
        Ok(Judgement {
            simulation,
            unanswered,
            outcome,
        })
    }

    async fn simulate(
        &self,
        kind: &dyn ErasedKind,
        case: &Case<'_>,
    ) -> Result<(Option<Simulation>, Option<ChainError>), EngineError> {
        if case.inspected.simulation != SimulationNeed::Required {
            return Ok((None, None));
        }
        match kind.simulate(case.unsigned, self.now()).await {
            Ok(simulation) => Ok((simulation, None)),
            Err(KindError::Chain(error)) => {
                tracing::warn!(%error, action = case.action, "no simulation");
                Ok((None, Some(error)))
            }
            Err(KindError::Payload(error)) => Err(error.into()),
            Err(KindError::Missing { .. }) => Ok((None, None)),
        }
    }
}

fn is_simulation_rule(refusal: &Refusal) -> bool {
    refusal.rule == RuleId::SimulationRequired.as_str()
        || refusal.rule == RuleId::SimulationFailed.as_str()
}

/// The rule that cannot be switched off: whatever the evaluator says, a payload that moves funds is not
/// let through without a successful simulation.
fn require_simulation(refusals: &mut Vec<Refusal>, simulation: Option<&Simulation>) {
    if refusals.iter().any(is_simulation_rule) || simulation.is_some_and(|s| s.ok) {
        return;
    }
    let (rule, limit, observed) = match simulation {
        None => (RuleId::SimulationRequired, "required", "none".to_owned()),
        Some(failed) => (
            RuleId::SimulationFailed,
            "ok",
            failed.error.clone().unwrap_or_else(|| "failed".to_owned()),
        ),
    };
    refusals.push(Refusal {
        rule: rule.as_str().to_owned(),
        limit: limit.to_owned(),
        message: format!(
            "{} is {limit}; the simulation was {observed}.",
            rule.as_str()
        ),
        observed,
    });
}
