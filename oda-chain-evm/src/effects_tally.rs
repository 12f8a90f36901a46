//! Sums and last settings, in the order in which they first appeared.

use alloy::primitives::{Address, U256, U512};
use oda_core::Change;

/// What is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asset {
    Native,
    Token(Address),
}

impl Asset {
    fn text(self) -> String {
        match self {
            Self::Native => "native".to_owned(),
            Self::Token(token) => token.to_string(),
        }
    }
}

enum Entry {
    Balance {
        asset: Asset,
        gained: U512,
        lost: U512,
    },
    Allowance {
        asset: Address,
        spender: Address,
        amount: U256,
        standard: &'static str,
    },
    Token {
        collection: Address,
        id: U256,
        operator: Address,
    },
    Operator {
        collection: Address,
        operator: Address,
        approved: bool,
    },
}

/// The changes of one account.
pub(crate) struct Tally {
    account: Address,
    entries: Vec<Entry>,
}

impl Tally {
    pub(crate) fn new(account: Address) -> Self {
        Self {
            account,
            entries: Vec::new(),
        }
    }

    pub(crate) fn move_asset(&mut self, asset: Asset, from: Address, to: Address, amount: U256) {
        if from == to {
            return;
        }
        let (gain, loss) = match (from == self.account, to == self.account) {
            (true, _) => (U512::ZERO, U512::from(amount)),
            (_, true) => (U512::from(amount), U512::ZERO),
            _ => return,
        };
        // 2^256 movements of 2^256 each would be needed to pass 2^512.
        match self.balance(asset) {
            Some((gained, lost)) => {
                *gained = gained.saturating_add(gain);
                *lost = lost.saturating_add(loss);
            }
            None => self.entries.push(Entry::Balance {
                asset,
                gained: gain,
                lost: loss,
            }),
        }
    }

    pub(crate) fn allow(
        &mut self,
        token: Address,
        to: Address,
        limit: U256,
        through: &'static str,
    ) {
        for entry in &mut self.entries {
            if let Entry::Allowance {
                asset,
                spender,
                amount,
                standard,
            } = entry
                && (*asset, *spender, *standard) == (token, to, through)
            {
                *amount = limit;
                return;
            }
        }
        let entry = Entry::Allowance {
            asset: token,
            spender: to,
            amount: limit,
            standard: through,
        };
        self.entries.push(entry);
    }

    pub(crate) fn approve_token(&mut self, of: Address, token: U256, to: Address) {
        for entry in &mut self.entries {
            if let Entry::Token {
                collection,
                id,
                operator,
            } = entry
                && (*collection, *id) == (of, token)
            {
                *operator = to;
                return;
            }
        }
        self.entries.push(Entry::Token {
            collection: of,
            id: token,
            operator: to,
        });
    }

    pub(crate) fn approve_operator(&mut self, of: Address, to: Address, granted: bool) {
        for entry in &mut self.entries {
            if let Entry::Operator {
                collection,
                operator,
                approved,
            } = entry
                && (*collection, *operator) == (of, to)
            {
                *approved = granted;
                return;
            }
        }
        self.entries.push(Entry::Operator {
            collection: of,
            operator: to,
            approved: granted,
        });
    }

    /// Whether any token's balance was moved.
    pub(crate) fn moves_tokens(&self) -> bool {
        self.entries.iter().any(|entry| {
            matches!(
                entry,
                Entry::Balance {
                    asset: Asset::Token(_),
                    ..
                }
            )
        })
    }

    /// The signed difference of an asset; `None` when it was never moved.
    pub(crate) fn delta(&self, asset: Asset) -> Option<String> {
        self.entries.iter().find_map(|entry| match entry {
            Entry::Balance {
                asset: moved,
                gained,
                lost,
            } if *moved == asset => Some(signed(*gained, *lost)),
            _ => None,
        })
    }

    /// Replaces the difference of an asset that was moved.
    pub(crate) fn set_delta(&mut self, asset: Asset, after: U256, before: U256) {
        if let Some((gained, lost)) = self.balance(asset) {
            *gained = U512::from(after);
            *lost = U512::from(before);
        }
    }

    /// `after - before` with its sign.
    pub(crate) fn difference(after: U256, before: U256) -> String {
        signed(U512::from(after), U512::from(before))
    }

    fn balance(&mut self, asset: Asset) -> Option<(&mut U512, &mut U512)> {
        self.entries.iter_mut().find_map(|entry| match entry {
            Entry::Balance {
                asset: moved,
                gained,
                lost,
            } if *moved == asset => Some((gained, lost)),
            _ => None,
        })
    }

    /// The changes. What went out and came back whole is no change.
    pub(crate) fn into_changes(self) -> Vec<Change> {
        let account = self.account.to_string();
        let changed = |entry| match entry {
            Entry::Balance { gained, lost, .. } if gained == lost => None,
            Entry::Balance {
                asset,
                gained,
                lost,
            } => Some(Change::Balance {
                account: account.clone(),
                asset: asset.text(),
                delta: signed(gained, lost),
            }),
            Entry::Allowance {
                asset,
                spender,
                amount,
                standard,
            } => Some(Change::Allowance {
                owner: account.clone(),
                spender: spender.to_string(),
                asset: asset.to_string(),
                amount: amount.to_string(),
                standard: standard.to_owned(),
            }),
            Entry::Token {
                collection,
                id,
                operator,
            } => Some(Change::TokenApproval {
                owner: account.clone(),
                operator: operator.to_string(),
                asset: collection.to_string(),
                token_id: id.to_string(),
            }),
            Entry::Operator {
                collection,
                operator,
                approved,
            } => Some(Change::OperatorApproval {
                owner: account.clone(),
                operator: operator.to_string(),
                asset: collection.to_string(),
                approved,
            }),
        };
        self.entries.into_iter().filter_map(changed).collect()
    }
}

fn signed(gained: U512, lost: U512) -> String {
    if gained >= lost {
        (gained - lost).to_string()
    } else {
        format!("-{}", lost - gained)
    }
}
