//! What the EVM in this process does on the way.

use alloy::primitives::{Address, Log, U256};
use revm::Inspector;
use revm::interpreter::{CallInputs, CallOutcome, CallScheme, CreateInputs, CreateOutcome};

use crate::trace::{NativeTransfer, TracedLog};

/// Notes logs, movements, creations and lent accounts, and forgets those of frames that fail.
#[derive(Debug, Default)]
pub(crate) struct Tracer {
    sender: Address,
    pub(crate) seen: Seen,
    open: Vec<Mark>,
}

/// What lasted so far.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) logs: Vec<TracedLog>,
    pub(crate) transfers: Vec<NativeTransfer>,
    pub(crate) created: Vec<Address>,
    pub(crate) destroyed: Vec<Address>,
    pub(crate) lent: Vec<Address>,
    pub(crate) sender_calls: usize,
}

/// How much was seen when a frame began.
#[derive(Debug, Clone, Copy)]
struct Mark {
    logs: usize,
    transfers: usize,
    created: usize,
    destroyed: usize,
    lent: usize,
    sender_calls: usize,
}

impl Tracer {
    pub(crate) fn new(sender: Address) -> Self {
        Self {
            sender,
            ..Self::default()
        }
    }

    fn enter(&mut self) {
        let seen = &self.seen;
        self.open.push(Mark {
            logs: seen.logs.len(),
            transfers: seen.transfers.len(),
            created: seen.created.len(),
            destroyed: seen.destroyed.len(),
            lent: seen.lent.len(),
            sender_calls: seen.sender_calls,
        });
    }

    /// Closes a frame, and tells how many contracts had been created when it began.
    fn leave(&mut self, lasted: bool) -> usize {
        let Some(mark) = self.open.pop() else {
            return 0;
        };
        if !lasted {
            self.seen.logs.truncate(mark.logs);
            self.seen.transfers.truncate(mark.transfers);
            self.seen.created.truncate(mark.created);
            self.seen.destroyed.truncate(mark.destroyed);
            self.seen.lent.truncate(mark.lent);
            self.seen.sender_calls = mark.sender_calls;
        }
        mark.created
    }

    fn pay(&mut self, from: Address, to: Address, value: U256) {
        if !value.is_zero() {
            self.seen.transfers.push(NativeTransfer { from, to, value });
        }
    }
}

impl<CTX> Inspector<CTX> for Tracer {
    fn log(&mut self, _context: &mut CTX, log: Log) {
        self.seen.logs.push(TracedLog {
            address: log.address,
            topics: log.data.topics().to_vec(),
            data: log.data.data,
        });
    }

    fn call(&mut self, _context: &mut CTX, inputs: &mut CallInputs) -> Option<CallOutcome> {
        self.enter();
        match inputs.scheme {
            CallScheme::Call => {
                let value = inputs.value.transfer().unwrap_or_default();
                self.pay(inputs.caller, inputs.target_address, value);
                if inputs.target_address == self.sender {
                    self.seen.sender_calls += 1;
                }
            }
            CallScheme::DelegateCall | CallScheme::CallCode
                if inputs.target_address == self.sender =>
            {
                self.seen.lent.push(inputs.bytecode_address);
            }
            _ => {}
        }
        None
    }

    fn call_end(&mut self, _context: &mut CTX, _inputs: &CallInputs, outcome: &mut CallOutcome) {
        self.leave(outcome.instruction_result().is_ok());
    }

    fn create(&mut self, _context: &mut CTX, _inputs: &mut CreateInputs) -> Option<CreateOutcome> {
        self.enter();
        None
    }

    fn create_end(
        &mut self,
        _context: &mut CTX,
        inputs: &CreateInputs,
        outcome: &mut CreateOutcome,
    ) {
        let lasted = outcome.instruction_result().is_ok();
        let place = self.leave(lasted);
        if let (true, Some(created)) = (lasted, outcome.address) {
            // A contract comes before those that its constructor made.
            self.seen
                .created
                .insert(place.min(self.seen.created.len()), created);
            self.pay(inputs.caller(), created, inputs.value());
        }
    }

    fn selfdestruct(&mut self, contract: Address, target: Address, value: U256) {
        self.seen.destroyed.push(contract);
        self.pay(contract, target, value);
    }
}
