//! What a traced call would change for its sender.

use std::collections::BTreeSet;

use alloy::primitives::{Address, U256};
use oda_core::{Change, SimulatedEffects};

use crate::effects_logs::{LogEffect, read_log};
use crate::effects_tally::{Asset, Tally};
use crate::trace::{TracedCall, TracedLog};

pub(crate) use crate::effects_logs::{TRANSFER, is_erc20_transfer_of};

/// The most changes that are listed. A call with more does something that no person reviews line by line.
pub const MAX_CHANGES: usize = 64;

/// The most lines about things that could not be named.
pub const MAX_NOT_ATTRIBUTED: usize = 64;

/// What a traced call would change for its sender.
///
/// Named are: the native balance (without the fee, which the terms fix later), ERC-20 balances, ERC-20
/// allowances, approvals of single tokens (ERC-721) and of operators (ERC-721, ERC-1155), and allowances
/// inside Permit2. Balances are summed per asset, and of several settings of one allowance the last
/// counts. Changes of other accounts are left out. Everything else that was seen is one line under
/// `not_attributed`, and so is everything that the tracer cannot see. Lists are bounded by [`MAX_CHANGES`]
/// and [`MAX_NOT_ATTRIBUTED`]; what is cut off is counted in the last line.
///
/// Logs are claims of contracts. Where the token's own `balanceOf` was measured around the call and
/// differs from its logs, the measured difference is shown, and a line says so.
#[must_use]
pub fn effects_of(traced: &TracedCall, sender: Address) -> SimulatedEffects {
    let mut reader = Reader::new(sender);
    for transfer in &traced.transfers {
        reader
            .tally
            .move_asset(Asset::Native, transfer.from, transfer.to, transfer.value);
    }
    for log in &traced.logs {
        reader.log(log);
    }
    reader.measured(traced);
    reader.internals(traced);
    reader.finish()
}

struct Reader {
    sender: Address,
    tally: Tally,
    lines: Vec<String>,
    /// Contracts that wrote any log.
    heard: BTreeSet<Address>,
    /// Collections of single tokens, whose `balanceOf` counts tokens.
    collections: BTreeSet<Address>,
}

impl Reader {
    fn new(sender: Address) -> Self {
        Self {
            sender,
            tally: Tally::new(sender),
            lines: Vec::new(),
            heard: BTreeSet::new(),
            collections: BTreeSet::new(),
        }
    }

    fn log(&mut self, log: &TracedLog) {
        self.heard.insert(log.address);
        let token = log.address;
        match read_log(log) {
            LogEffect::Erc20Transfer { from, to, amount } => {
                self.tally.move_asset(Asset::Token(token), from, to, amount);
            }
            LogEffect::TokenTransfer {
                from,
                to,
                id,
                amount,
                standard,
            } => {
                self.collections.insert(token);
                self.token_transfer(token, (from, to), (id, amount), standard);
            }
            LogEffect::Allowance {
                owner,
                spender,
                asset,
                amount,
                standard,
            } => {
                if owner == self.sender {
                    self.tally
                        .allow(asset.unwrap_or(token), spender, amount, standard);
                }
            }
            LogEffect::TokenApproval {
                owner,
                operator,
                id,
            } => {
                self.collections.insert(token);
                if owner == self.sender {
                    self.tally.approve_token(token, id, operator);
                }
            }
            LogEffect::OperatorApproval {
                owner,
                operator,
                approved,
            } => {
                if owner == self.sender {
                    self.tally.approve_operator(token, operator, approved);
                }
            }
            LogEffect::Unknown { description } => {
                self.lines.push(format!("{token} logs {description}"));
            }
        }
    }

    fn token_transfer(
        &mut self,
        token: Address,
        (from, to): (Address, Address),
        (id, amount): (U256, Option<U256>),
        standard: &str,
    ) {
        if from == to || (from != self.sender && to != self.sender) {
            return;
        }
        let what = match amount {
            Some(amount) => format!("{amount} of token {id} of {token} ({standard})"),
            None => format!("token {id} of {token} ({standard})"),
        };
        self.lines.push(if from == self.sender {
            format!("{what} leaves the sender for {to}")
        } else {
            format!("{what} comes to the sender from {from}")
        });
    }

    /// Compares what tokens logged with what they say when asked.
    fn measured(&mut self, traced: &TracedCall) {
        let Some(balances) = &traced.token_balances else {
            if self.tally.moves_tokens() {
                self.lines.push(
                    "token balances are taken from logs: this node could not measure them"
                        .to_owned(),
                );
            }
            return;
        };
        for balance in balances {
            if self.collections.contains(&balance.token) {
                continue;
            }
            let (gained, lost) = (balance.after, balance.before);
            let asset = Asset::Token(balance.token);
            let logged = self.tally.delta(asset);
            let told = Tally::difference(gained, lost);
            match logged {
                Some(logged) if logged != told => {
                    self.tally.set_delta(asset, gained, lost);
                    self.lines.push(format!(
                        "{} logs a change of {logged} for the sender, but its balanceOf changes by {told}",
                        balance.token
                    ));
                }
                None if gained != lost => self.lines.push(format!(
                    "{} changes balanceOf of the sender by {told} without a Transfer log",
                    balance.token
                )),
                _ => {}
            }
        }
    }

    fn internals(&mut self, traced: &TracedCall) {
        let internals = &traced.internals;
        for created in internals.created.iter().flatten() {
            self.lines
                .push(format!("a contract is created at {created}"));
        }
        for destroyed in internals.destroyed.iter().flatten() {
            self.lines
                .push(format!("the contract {destroyed} runs SELFDESTRUCT"));
        }
        for code in internals.ran_as_sender.iter().flatten() {
            self.lines
                .push(format!("code of {code} runs as the sender's own account"));
        }
        for changed in internals.storage_changed.iter().flatten() {
            if *changed == self.sender {
                self.lines
                    .push("storage of the sender's own account changes".to_owned());
            } else if !self.heard.contains(changed) {
                self.lines
                    .push(format!("storage of {changed} changes and it writes no log"));
            }
        }
        let unseen: Vec<&str> = [
            (internals.created.is_none(), "contracts created"),
            (internals.destroyed.is_none(), "SELFDESTRUCT"),
            (internals.ran_as_sender.is_none(), "code run as the sender"),
            (
                internals.storage_changed.is_none(),
                "storage changed without a log",
            ),
        ]
        .into_iter()
        .filter_map(|(unseen, what)| unseen.then_some(what))
        .collect();
        if !unseen.is_empty() {
            self.lines.push(format!(
                "not visible through {}: {}",
                traced.method,
                unseen.join(", ")
            ));
        }
    }

    fn finish(self) -> SimulatedEffects {
        let mut changes: Vec<Change> = self.tally.into_changes();
        let mut not_attributed = bounded_lines(self.lines);
        if changes.len() > MAX_CHANGES {
            not_attributed.push(format!(
                "{} more changes are left out",
                changes.len() - MAX_CHANGES
            ));
            changes.truncate(MAX_CHANGES);
        }
        SimulatedEffects::Known {
            changes,
            not_attributed,
        }
    }
}

fn bounded_lines(mut lines: Vec<String>) -> Vec<String> {
    if lines.len() > MAX_NOT_ATTRIBUTED {
        let left_out = lines.len() - MAX_NOT_ATTRIBUTED;
        lines.truncate(MAX_NOT_ATTRIBUTED);
        lines.push(format!("{left_out} more lines of this kind are left out"));
    }
    lines
}
