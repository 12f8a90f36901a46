//! The order in which the state changes of one intent may come.

use std::collections::{HashMap, VecDeque};
use std::fmt;

use crate::line::IntentKey;
use crate::status::Status;

/// How many intents' states a verifier keeps: 65,536, about 10 MB.
///
/// An intent lives at most an hour before it expires, so this covers 18 new intents per second
/// for an hour, and far more history at an agent's usual pace. Beyond it the intent that was
/// first seen longest ago is forgotten.
pub const MAX_TRACKED_INTENTS: usize = 65_536;

/// Where an intent stands after the receipts seen so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// `prepared`, and any number of `refused` since.
    Open,
    /// Its first receipt was `refused`: nothing but `expired` may follow.
    RefusedAtOnce,
    /// `executed`: only a later proof that it is dead may follow.
    Executed,
    /// `failed` or `expired`: nothing may follow.
    Closed,
}

/// A state change that may not follow what was recorded before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OrderFault {
    /// What was recorded.
    pub status: Status,
    /// Why it may not stand there.
    pub rule: &'static str,
}

impl fmt::Display for OrderFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} may not stand here: {}", self.status, self.rule)
    }
}

impl Stage {
    /// The stage after the first receipt of an intent.
    fn first(status: Status) -> Result<Self, &'static str> {
        match status {
            Status::Prepared => Ok(Self::Open),
            Status::Refused => Ok(Self::RefusedAtOnce),
            Status::Executed | Status::Failed | Status::Expired => {
                Err("the first receipt of an intent is prepared or refused")
            }
        }
    }

    /// The stage after a receipt of an intent whose earlier ones were not seen or are forgotten.
    const fn resumed(status: Status) -> Self {
        match status {
            // A refusal may be the first one or one of a prepared intent. The wider case.
            Status::Prepared | Status::Refused => Self::Open,
            Status::Executed => Self::Executed,
            Status::Failed | Status::Expired => Self::Closed,
        }
    }

    fn next(self, status: Status) -> Result<Self, &'static str> {
        match (self, status) {
            (_, Status::Prepared) => Err("an intent is prepared once, first"),
            (Self::Open, Status::Refused) => Ok(Self::Open),
            (Self::Open, Status::Executed) => Ok(Self::Executed),
            (Self::Open | Self::RefusedAtOnce, Status::Expired)
            | (Self::Open | Self::Executed, Status::Failed) => Ok(Self::Closed),
            (Self::RefusedAtOnce, _) => Err("an intent refused at once can only expire"),
            (Self::Executed, _) => Err("after executed only failed may follow, once"),
            (Self::Closed, _) => Err("the intent had failed or expired"),
        }
    }
}

/// Which intents a tracker may meet for the first time in the middle of their life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Past {
    /// None: the chain is seen from its first line.
    Seen,
    /// Any: the chain is taken up in the middle.
    Unseen,
}

/// The stages of the intents seen, bounded.
#[derive(Debug)]
pub(crate) struct Order {
    stages: HashMap<IntentKey, Stage>,
    /// Intents by first appearance, oldest first.
    age: VecDeque<IntentKey>,
    limit: usize,
    past: Past,
    forgotten: u64,
}

impl Order {
    pub(crate) fn new(past: Past) -> Self {
        Self::with_limit(past, MAX_TRACKED_INTENTS)
    }

    fn with_limit(past: Past, limit: usize) -> Self {
        Self {
            stages: HashMap::new(),
            age: VecDeque::new(),
            limit,
            past,
            forgotten: 0,
        }
    }

    /// Takes the next receipt of an intent.
    pub(crate) fn take(&mut self, intent: IntentKey, status: Status) -> Result<(), OrderFault> {
        let fault = |rule| OrderFault { status, rule };
        if let Some(stage) = self.stages.get_mut(&intent) {
            *stage = stage.next(status).map_err(fault)?;
            return Ok(());
        }
        let stage = match self.past {
            Past::Seen if self.forgotten == 0 => Stage::first(status).map_err(fault)?,
            _ => Stage::resumed(status),
        };
        self.forget_the_oldest_when_full();
        self.stages.insert(intent, stage);
        self.age.push_back(intent);
        Ok(())
    }

    /// How many intents were forgotten so far.
    pub(crate) const fn forgotten(&self) -> u64 {
        self.forgotten
    }

    fn forget_the_oldest_when_full(&mut self) {
        if self.stages.len() >= self.limit
            && let Some(oldest) = self.age.pop_front()
        {
            self.stages.remove(&oldest);
            self.forgotten += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Status::{Executed, Expired, Failed, Prepared, Refused};

    fn run(statuses: &[Status]) -> Result<(), usize> {
        let mut order = Order::new(Past::Seen);
        for (at, status) in statuses.iter().enumerate() {
            order.take([b'A'; 43], *status).map_err(|_| at)?;
        }
        Ok(())
    }

    #[test]
    fn the_lives_an_intent_may_have() {
        for life in [
            &[Prepared][..],
            &[Refused],
            &[Refused, Expired],
            &[Prepared, Executed],
            &[Prepared, Executed, Failed],
            &[Prepared, Failed],
            &[Prepared, Expired],
            &[Prepared, Refused, Refused, Executed, Failed],
            &[Prepared, Refused, Expired],
        ] {
            assert_eq!(run(life), Ok(()), "{life:?}");
        }
    }

    #[test]
    fn the_lives_an_intent_cannot_have() {
        for (life, at) in [
            (&[Executed][..], 0),
            (&[Failed], 0),
            (&[Expired], 0),
            (&[Prepared, Prepared], 1),
            (&[Refused, Prepared], 1),
            (&[Refused, Refused], 1),
            (&[Refused, Executed], 1),
            (&[Refused, Failed], 1),
            (&[Refused, Expired, Expired], 2),
            (&[Prepared, Executed, Executed], 2),
            (&[Prepared, Executed, Expired], 2),
            (&[Prepared, Executed, Refused], 2),
            (&[Prepared, Executed, Failed, Failed], 3),
            (&[Prepared, Expired, Expired], 2),
            (&[Prepared, Expired, Executed], 2),
            (&[Prepared, Failed, Refused], 2),
        ] {
            assert_eq!(run(life), Err(at), "{life:?}");
        }
    }

    #[test]
    fn a_forgotten_intent_is_taken_up_where_it_is() {
        let key = |byte| [byte; 43];
        let mut order = Order::with_limit(Past::Seen, 2);
        assert!(
            order.take(key(b'Z'), Executed).is_err(),
            "nothing forgotten yet"
        );
        for byte in *b"ABC" {
            order.take(key(byte), Prepared).unwrap();
        }
        assert_eq!(order.forgotten(), 1);
        order
            .take(key(b'A'), Executed)
            .expect("A was forgotten, so it may be anywhere");
        assert!(
            order.take(key(b'A'), Expired).is_err(),
            "and is followed again from there"
        );
        order.take(key(b'C'), Executed).expect("C is still known");
        assert!(order.take(key(b'C'), Executed).is_err());
    }

    #[test]
    fn a_chain_taken_up_in_the_middle_accepts_any_first_state() {
        let mut order = Order::new(Past::Unseen);
        order.take([b'A'; 43], Executed).unwrap();
        assert!(order.take([b'A'; 43], Executed).is_err());
    }
}
