//! The execution states and every legal step between them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where an intent stands. Receipts know five words; this is the finer history that makes
/// "an ambiguous answer never becomes a second effect" checkable.
///
/// ```text
/// prepared ─▶ claimed ─▶ signed ─▶ submitting ─▶ submitted ─▶ confirmed | reverted
///    │           │                     └────────▶ uncertain ─(reconcile)─▶ any of the right side, or dead
///    ├▶ refused  └▶ failed (certainly nothing left this machine)
///    └▶ expired
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExecutionState {
    /// Judged and allowed; nothing is signed.
    Prepared,
    /// Judged and refused, at prepare or at execute. Nothing was signed.
    Refused,
    /// Its time passed before anybody executed it.
    Expired,
    /// One process holds it and nothing is signed yet.
    Claimed,
    /// The signed bytes are durable and were not sent.
    Signed,
    /// The first byte may have left this machine.
    Submitting,
    /// It is not known whether the chain has it. The same bytes may be sent again, no others signed.
    Uncertain,
    /// The chain accepted it.
    Submitted,
    /// It is in a block and succeeded.
    Confirmed,
    /// It is in a block and failed there.
    Reverted,
    /// Certainly nothing left this machine, or the chain refused it for certain.
    Failed,
    /// Its bytes can provably never have an effect again.
    Dead,
}

/// What happened to an intent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// One process took it.
    Claim,
    /// It was given back before anything was signed, because the world did not answer.
    Release,
    /// A rule refused it.
    Refuse,
    /// Its time passed.
    Expire,
    /// The signed bytes were made durable.
    Sign,
    /// The first byte is about to leave.
    BeginSubmit,
    /// The chain took it.
    Accept,
    /// No certain answer came.
    LoseTrack,
    /// It was seen in a block, successful.
    Confirm,
    /// It was seen in a block, failed.
    Revert,
    /// It certainly has no effect and never will through us.
    Fail,
    /// It was proven that its bytes can never have an effect.
    Bury,
}

impl ExecutionState {
    /// Every state, in the order of the diagram.
    pub const ALL: [Self; 12] = [
        Self::Prepared,
        Self::Refused,
        Self::Expired,
        Self::Claimed,
        Self::Signed,
        Self::Submitting,
        Self::Uncertain,
        Self::Submitted,
        Self::Confirmed,
        Self::Reverted,
        Self::Failed,
        Self::Dead,
    ];

    /// The state after an event.
    ///
    /// # Errors
    ///
    /// [`IllegalStep`] for every pair that the diagram does not draw.
    pub const fn next(self, event: Event) -> Result<Self, IllegalStep> {
        use ExecutionState as S;
        Ok(match (self, event) {
            (S::Prepared, Event::Claim) => S::Claimed,
            (S::Prepared | S::Claimed, Event::Refuse) => S::Refused,
            (S::Prepared | S::Refused, Event::Expire) => S::Expired,
            (S::Claimed, Event::Release) => S::Prepared,
            (S::Claimed, Event::Sign) => S::Signed,
            // A wallet that signs and sends in one call has no signed state of ours.
            (S::Claimed | S::Signed, Event::BeginSubmit) => S::Submitting,
            (S::Claimed | S::Submitting, Event::Fail) => S::Failed,
            (S::Submitting | S::Uncertain, Event::Accept) => S::Submitted,
            (S::Signed | S::Submitting | S::Submitted | S::Uncertain, Event::LoseTrack) => {
                S::Uncertain
            }
            (S::Submitting | S::Uncertain | S::Submitted, Event::Confirm) => S::Confirmed,
            (S::Submitting | S::Uncertain | S::Submitted, Event::Revert) => S::Reverted,
            (S::Signed | S::Submitting | S::Uncertain | S::Submitted, Event::Bury) => S::Dead,
            (from, event) => return Err(IllegalStep { from, event }),
        })
    }

    /// Whether nothing can change any more on its own. A submitted intent can still be confirmed.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(
            self,
            Self::Refused
                | Self::Expired
                | Self::Confirmed
                | Self::Reverted
                | Self::Failed
                | Self::Dead
        )
    }

    /// Whether signed bytes may exist and be on their way.
    #[must_use]
    pub const fn may_have_effect(self) -> bool {
        matches!(
            self,
            Self::Signed
                | Self::Submitting
                | Self::Uncertain
                | Self::Submitted
                | Self::Confirmed
                | Self::Reverted
        )
    }

    /// The state as text, such as `submitting`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Prepared => "prepared",
            Self::Refused => "refused",
            Self::Expired => "expired",
            Self::Claimed => "claimed",
            Self::Signed => "signed",
            Self::Submitting => "submitting",
            Self::Uncertain => "uncertain",
            Self::Submitted => "submitted",
            Self::Confirmed => "confirmed",
            Self::Reverted => "reverted",
            Self::Failed => "failed",
            Self::Dead => "dead",
        }
    }
}

impl fmt::Display for ExecutionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The diagram does not draw this step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an intent that is {from} cannot take the step {event:?}")]
pub struct IllegalStep {
    /// Where the intent stands.
    pub from: ExecutionState,
    /// What was asked of it.
    pub event: Event,
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: [Event; 12] = [
        Event::Claim,
        Event::Release,
        Event::Refuse,
        Event::Expire,
        Event::Sign,
        Event::BeginSubmit,
        Event::Accept,
        Event::LoseTrack,
        Event::Confirm,
        Event::Revert,
        Event::Fail,
        Event::Bury,
    ];

    #[test]
    fn nothing_leads_back_from_signed_to_a_state_that_could_sign_again() {
        // From every state in which signed bytes may exist, no path reaches one in which others are made.
        let mut reached: Vec<_> = vec![ExecutionState::Signed, ExecutionState::Submitting];
        let mut at = 0;
        while let Some(state) = reached.get(at).copied() {
            for event in EVENTS {
                reached.extend(
                    state
                        .next(event)
                        .ok()
                        .filter(|next| !reached.contains(next)),
                );
            }
            at += 1;
        }
        assert!(!reached.contains(&ExecutionState::Prepared));
        assert!(!reached.contains(&ExecutionState::Claimed));
    }

    #[test]
    fn final_states_take_no_step_but_the_expiry_of_a_refused_one() {
        for state in ExecutionState::ALL
            .into_iter()
            .filter(|state| state.is_final())
        {
            for event in EVENTS {
                let expiry = state == ExecutionState::Refused && event == Event::Expire;
                assert_eq!(state.next(event).is_ok(), expiry, "{state} {event:?}");
            }
        }
    }

    #[test]
    fn every_state_reaches_an_end() {
        for start in ExecutionState::ALL {
            let mut reached = vec![start];
            let mut at = 0;
            while let Some(state) = reached.get(at).copied() {
                reached.extend(
                    EVENTS
                        .iter()
                        .filter_map(|event| state.next(*event).ok())
                        .collect::<Vec<_>>(),
                );
                reached.dedup();
                at += 1;
                if at > 200 {
                    break;
                }
            }
            assert!(reached.iter().any(|state| state.is_final()), "{start}");
        }
    }
}
