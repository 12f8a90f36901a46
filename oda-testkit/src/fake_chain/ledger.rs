//! The state of the fake chain: who sent what, what waits, what stands in which block.

use std::collections::{BTreeMap, BTreeSet};

use oda_core::{Fate, Submission};

/// A signed transaction as it arrives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Arrived {
    pub(super) id: String,
    pub(super) sender: String,
    pub(super) nonce: u64,
}

/// A transaction in a block.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Included {
    id: String,
    block: u64,
    failed: Option<String>,
}

type Slot = (String, u64);

#[derive(Debug, Default)]
pub(super) struct Ledger {
    head: u64,
    finalized: u64,
    waiting: BTreeMap<Slot, String>,
    included: BTreeMap<Slot, Included>,
    /// Reasons by id, for transactions that will fail in their block.
    doomed: BTreeMap<String, String>,
    /// Bytes that are still on their way.
    pub(super) held: Vec<Arrived>,
    /// Every id that ever arrived, however often.
    pub(super) arrivals: Vec<String>,
    foreign: BTreeSet<String>,
}

impl Ledger {
    pub(super) fn head(&self) -> u64 {
        self.head
    }

    /// The next sequence number of an account, waiting transactions counted.
    pub(super) fn next_nonce(&self, sender: &str) -> u64 {
        let mut nonce = self.mined_nonce(sender);
        while self.waiting.contains_key(&(sender.to_owned(), nonce)) {
            nonce += 1;
        }
        nonce
    }

    fn mined_nonce(&self, sender: &str) -> u64 {
        let slots = (sender.to_owned(), 0)..=(sender.to_owned(), u64::MAX);
        self.included
            .range(slots)
            .next_back()
            .map_or(0, |((_, nonce), _)| nonce + 1)
    }

    /// Takes signed bytes, as a node does: the same ones again are known, other ones for the same number are
    /// refused, and a number that was used is an ambiguous answer.
    pub(super) fn arrive(&mut self, tx: &Arrived) -> Submission {
        self.arrivals.push(tx.id.clone());
        let slot = (tx.sender.clone(), tx.nonce);
        if self.included.contains_key(&slot) {
            return Submission::Unknown {
                reason: "nonce too low".to_owned(),
            };
        }
        match self.waiting.get(&slot) {
            Some(known) if *known == tx.id => Submission::Accepted,
            Some(_) => Submission::Refused {
                reason: "replacement transaction underpriced".to_owned(),
            },
            None => {
                self.waiting.insert(slot, tx.id.clone());
                Submission::Accepted
            }
        }
    }

    pub(super) fn doom(&mut self, id: &str, reason: String) {
        self.doomed.insert(id.to_owned(), reason);
    }

    pub(super) fn forget_waiting(&mut self) {
        self.waiting.clear();
    }

    /// One block with every waiting transaction whose number is the next of its account.
    pub(super) fn mine(&mut self) -> u64 {
        self.head += 1;
        let block = self.head;
        let ready: Vec<Slot> = self.waiting.keys().cloned().collect();
        for slot in ready {
            if self.mined_nonce(&slot.0) != slot.1 {
                continue;
            }
            if let Some(id) = self.waiting.remove(&slot) {
                let failed = self.doomed.get(&id).cloned();
                self.included.insert(slot, Included { id, block, failed });
            }
        }
        block
    }

    /// Another wallet with the same key sends something and takes the next number.
    pub(super) fn foreign(&mut self, sender: &str) -> u64 {
        let nonce = self.mined_nonce(sender);
        let id = format!("foreign:{sender}:{nonce}");
        self.head += 1;
        self.foreign.insert(id.clone());
        self.waiting.remove(&(sender.to_owned(), nonce));
        let included = Included {
            id,
            block: self.head,
            failed: None,
        };
        self.included.insert((sender.to_owned(), nonce), included);
        nonce
    }

    pub(super) fn finalize(&mut self) {
        self.finalized = self.head;
    }

    /// The ids of our transactions that stand in a block and succeeded, in the order of their slots.
    pub(super) fn effects(&self) -> Vec<String> {
        self.included
            .values()
            .filter(|tx| tx.failed.is_none() && !self.foreign.contains(&tx.id))
            .map(|tx| tx.id.clone())
            .collect()
    }

    pub(super) fn fate(&self, tx: &Arrived) -> Fate {
        let slot = (tx.sender.clone(), tx.nonce);
        match self.included.get(&slot) {
            Some(found) if found.id == tx.id => Fate::Included {
                block: found.block.to_string(),
                succeeded: found.failed.is_none(),
                confirmations: self.head - found.block + 1,
                reason: found.failed.clone(),
            },
            Some(other) if other.block <= self.finalized => Fate::Dead {
                evidence: format!(
                    "number {} of {} was used by {} in final block {}",
                    tx.nonce, tx.sender, other.id, other.block
                ),
            },
            None if self.waiting.get(&slot) == Some(&tx.id) => Fate::Pending,
            _ => Fate::Unseen,
        }
    }
}
