//! Reading one log.

use alloy::primitives::{Address, B256, U256, address, b256};

use crate::trace::TracedLog;

/// `Transfer(address,address,uint256)`: ERC-20 with three topics, ERC-721 with four.
pub(crate) const TRANSFER: B256 =
    b256!("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");

/// `Approval(address,address,uint256)`: ERC-20 with three topics, ERC-721 with four.
const APPROVAL: B256 = b256!("8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925");

/// `ApprovalForAll(address,address,bool)`: ERC-721 and ERC-1155.
const APPROVAL_FOR_ALL: B256 =
    b256!("17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31");

/// `TransferSingle(address,address,address,uint256,uint256)`: ERC-1155.
const TRANSFER_SINGLE: B256 =
    b256!("c3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62");

/// Permit2, at the same address on every chain it is deployed to.
pub const PERMIT2: Address = address!("000000000022D473030F116dDEE9F6B43aC78BA3");

/// `Approval(address,address,address,uint160,uint48)` of Permit2.
const PERMIT2_APPROVAL: B256 =
    b256!("da9fa7c1b00402c17d0161b249b1ab8bbec047c5a52207b9c112deffd817036b");

/// `Permit(address,address,address,uint160,uint48,uint48)` of Permit2.
const PERMIT2_PERMIT: B256 =
    b256!("c6a377bfc4eb120024a8ac08eef205be16b817020812c73223e81d1bdb9708ec");

/// `Lockdown(address,address,address)` of Permit2.
const PERMIT2_LOCKDOWN: B256 =
    b256!("89b1add15eff56b3dfe299ad94e01f2b52fbcb80ae1a3baea6ae8c04cb2b98a4");

/// How many topics of a log that cannot be read are shown: the EVM allows no more.
const MAX_TOPICS: usize = 4;

/// What a log claims.
pub(crate) enum LogEffect {
    Erc20Transfer {
        from: Address,
        to: Address,
        amount: U256,
    },
    /// One token of a collection (`amount` absent) or some of a kind of token.
    TokenTransfer {
        from: Address,
        to: Address,
        id: U256,
        amount: Option<U256>,
        standard: &'static str,
    },
    Allowance {
        owner: Address,
        spender: Address,
        /// The token, when it is not the contract that wrote the log.
        asset: Option<Address>,
        amount: U256,
        standard: &'static str,
    },
    TokenApproval {
        owner: Address,
        operator: Address,
        id: U256,
    },
    OperatorApproval {
        owner: Address,
        operator: Address,
        approved: bool,
    },
    Unknown {
        description: String,
    },
}

/// Reads a log. One that only resembles a known one, such as a padded address that is too large, is unknown.
pub(crate) fn read_log(log: &TracedLog) -> LogEffect {
    let known = if log.address == PERMIT2 {
        permit2(log)
    } else {
        None
    };
    known
        .or_else(|| token(log))
        .unwrap_or_else(|| LogEffect::Unknown {
            description: describe(log),
        })
}

/// Whether it is an ERC-20 transfer from or to this account.
pub(crate) fn is_erc20_transfer_of(log: &TracedLog, account: Address) -> bool {
    matches!(
        read_log(log),
        LogEffect::Erc20Transfer { from, to, .. } if from == account || to == account
    )
}

fn token(log: &TracedLog) -> Option<LogEffect> {
    let (topic, indexed) = log.topics.split_first()?;
    let data = log.data.as_ref();
    match (*topic, indexed) {
        (TRANSFER, [from, to]) => Some(LogEffect::Erc20Transfer {
            from: account(from)?,
            to: account(to)?,
            amount: words::<1>(data)?[0],
        }),
        (TRANSFER, [from, to, id]) if data.is_empty() => Some(LogEffect::TokenTransfer {
            from: account(from)?,
            to: account(to)?,
            id: (*id).into(),
            amount: None,
            standard: "erc721",
        }),
        (TRANSFER_SINGLE, [_, from, to]) => {
            let [id, amount] = words(data)?;
            Some(LogEffect::TokenTransfer {
                from: account(from)?,
                to: account(to)?,
                id,
                amount: Some(amount),
                standard: "erc1155",
            })
        }
        (APPROVAL, [owner, spender]) => Some(LogEffect::Allowance {
            owner: account(owner)?,
            spender: account(spender)?,
            asset: None,
            amount: words::<1>(data)?[0],
            standard: "erc20",
        }),
        (APPROVAL, [owner, operator, id]) if data.is_empty() => Some(LogEffect::TokenApproval {
            owner: account(owner)?,
            operator: account(operator)?,
            id: (*id).into(),
        }),
        (APPROVAL_FOR_ALL, [owner, operator]) => {
            let approved = match words::<1>(data)?[0] {
                U256::ZERO => false,
                flag if flag == U256::ONE => true,
                _ => return None,
            };
            Some(LogEffect::OperatorApproval {
                owner: account(owner)?,
                operator: account(operator)?,
                approved,
            })
        }
        _ => None,
    }
}

fn permit2(log: &TracedLog) -> Option<LogEffect> {
    let (topic, indexed) = log.topics.split_first()?;
    let data = log.data.as_ref();
    let (owner, asset, spender, amount) = match (*topic, indexed) {
        (PERMIT2_APPROVAL, [owner, token, spender]) => {
            let [amount, _expiration] = words(data)?;
            (owner, *token, *spender, amount)
        }
        (PERMIT2_PERMIT, [owner, token, spender]) => {
            let [amount, _expiration, _nonce] = words(data)?;
            (owner, *token, *spender, amount)
        }
        (PERMIT2_LOCKDOWN, [owner]) => {
            let [token, spender] = words(data)?;
            (owner, token.into(), spender.into(), U256::ZERO)
        }
        _ => return None,
    };
    Some(LogEffect::Allowance {
        owner: account(owner)?,
        spender: account(&spender)?,
        asset: Some(account(&asset)?),
        amount,
        standard: "permit2",
    })
}

/// The address in a word; `None` when the word holds more than an address.
fn account(word: &B256) -> Option<Address> {
    word.starts_with(&[0; 12])
        .then(|| Address::from_word(*word))
}

/// Data that is exactly so many words.
fn words<const N: usize>(data: &[u8]) -> Option<[U256; N]> {
    if data.len() != N * 32 {
        return None;
    }
    let mut words = [U256::ZERO; N];
    for (word, bytes) in words.iter_mut().zip(data.chunks_exact(32)) {
        *word = U256::from_be_slice(bytes);
    }
    Some(words)
}

fn describe(log: &TracedLog) -> String {
    let topics: Vec<String> = log
        .topics
        .iter()
        .take(MAX_TOPICS)
        .map(B256::to_string)
        .collect();
    match topics.split_first() {
        None => format!("{} bytes without a topic", log.data.len()),
        Some((event, [])) => format!("the event {event} with {} bytes", log.data.len()),
        Some((event, indexed)) => {
            format!(
                "the event {event} ({}) with {} bytes",
                indexed.join(", "),
                log.data.len()
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::keccak256;

    use super::*;

    #[test]
    fn topics_are_the_hashes_of_the_signatures() {
        for (topic, signature) in [
            (TRANSFER, "Transfer(address,address,uint256)"),
            (APPROVAL, "Approval(address,address,uint256)"),
            (APPROVAL_FOR_ALL, "ApprovalForAll(address,address,bool)"),
            (
                TRANSFER_SINGLE,
                "TransferSingle(address,address,address,uint256,uint256)",
            ),
            (
                PERMIT2_APPROVAL,
                "Approval(address,address,address,uint160,uint48)",
            ),
            (
                PERMIT2_PERMIT,
                "Permit(address,address,address,uint160,uint48,uint48)",
            ),
            (PERMIT2_LOCKDOWN, "Lockdown(address,address,address)"),
        ] {
            assert_eq!(topic, keccak256(signature), "{signature}");
        }
    }
}
