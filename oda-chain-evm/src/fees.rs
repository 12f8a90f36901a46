//! What a transaction offers: EIP-1559 fees and a gas limit, within limits.

use alloy::primitives::U256;
use oda_core::ChainError;

use crate::node::FeeSuggestion;

/// The most that a transaction offers per gas unless configured otherwise: 1,000 gwei, in wei. Fees above it
/// were seen on a few days in the history of any of the chains; a node that asks for more is more likely
/// wrong, or lying, than right.
pub const DEFAULT_MAX_FEE_PER_GAS: u128 = 1_000_000_000_000;

/// How often the present base fee is offered. It can rise by an eighth per block, so a transaction stays
/// includable through five full blocks.
pub const BASE_FEE_MULTIPLE: u128 = 2;

/// The gas limit as a share of the estimate, in percent. State moves between estimate and inclusion; what is
/// not used is not paid.
pub const GAS_MARGIN_PERCENT: u64 = 120;

/// The most gas that one transaction may have on chains that follow EIP-7825: 2^24. The margin never lifts
/// an estimate that fits above it.
pub const TRANSACTION_GAS_CAP: u64 = 16_777_216;

/// What a transaction offers per gas, in wei.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fees {
    pub(crate) max_fee_per_gas: u128,
    pub(crate) max_priority_fee_per_gas: u128,
}

/// Twice the base fee plus the tip, at most `cap`.
///
/// Refused when not even the present base fee and the tip fit under the cap: the transaction would wait,
/// perhaps for ever, and hold its nonce meanwhile.
pub(crate) fn fix_fees(suggestion: &FeeSuggestion, cap: u128) -> Result<Fees, ChainError> {
    let FeeSuggestion {
        base_fee_per_gas,
        priority_fee_per_gas,
    } = *suggestion;
    let least = base_fee_per_gas.saturating_add(priority_fee_per_gas);
    if least > cap {
        return Err(ChainError::Terms {
            limit: "max_fee_per_gas_cap".to_owned(),
            reason: format!(
                "the chain asks for {least} wei per gas (base fee {base_fee_per_gas}, tip \
                 {priority_fee_per_gas}) and the cap is {cap}: wait for lower fees, or raise the cap"
            ),
        });
    }
    let wanted = base_fee_per_gas
        .saturating_mul(BASE_FEE_MULTIPLE)
        .saturating_add(priority_fee_per_gas);
    Ok(Fees {
        max_fee_per_gas: wanted.min(cap),
        max_priority_fee_per_gas: priority_fee_per_gas,
    })
}

/// The estimate plus the margin, at most what a block and a transaction can hold.
pub(crate) fn gas_limit(estimate: u64, block_gas_limit: u64) -> Result<u64, ChainError> {
    if estimate > block_gas_limit {
        return Err(ChainError::Terms {
            limit: "block_gas_limit".to_owned(),
            reason: format!(
                "the transaction needs {estimate} gas and a block holds {block_gas_limit}: it can never \
                 be included"
            ),
        });
    }
    let with_margin = u128::from(estimate) * u128::from(GAS_MARGIN_PERCENT) / 100;
    let with_margin = u64::try_from(with_margin)
        .unwrap_or(u64::MAX)
        .min(block_gas_limit);
    Ok(if estimate <= TRANSACTION_GAS_CAP {
        with_margin.min(TRANSACTION_GAS_CAP)
    } else {
        with_margin
    })
}

/// The most that can leave the account: the value and the whole gas limit at the highest price. `None` when
/// it does not fit into 256 bits, which no balance does either.
pub(crate) fn most_that_leaves(value: U256, gas_limit: u64, fees: &Fees) -> Option<U256> {
    U256::from(gas_limit)
        .checked_mul(U256::from(fees.max_fee_per_gas))?
        .checked_add(value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn suggestion(base: u128, tip: u128) -> FeeSuggestion {
        FeeSuggestion {
            base_fee_per_gas: base,
            priority_fee_per_gas: tip,
        }
    }

    #[test]
    fn twice_the_base_fee_plus_the_tip() {
        let fees = fix_fees(&suggestion(100, 7), 1_000).unwrap();
        assert_eq!(
            fees,
            Fees {
                max_fee_per_gas: 207,
                max_priority_fee_per_gas: 7
            }
        );
    }

    #[test]
    fn the_cap_cuts_the_reserve_but_not_what_is_needed_now() {
        assert_eq!(
            fix_fees(&suggestion(100, 7), 150).unwrap().max_fee_per_gas,
            150
        );
        assert_eq!(
            fix_fees(&suggestion(100, 7), 107).unwrap().max_fee_per_gas,
            107
        );
        let refused = fix_fees(&suggestion(100, 7), 106).unwrap_err();
        assert_eq!(refused.code(), "terms");
        assert!(refused.to_string().contains("107 wei per gas"), "{refused}");
        assert!(fix_fees(&suggestion(u128::MAX, u128::MAX), DEFAULT_MAX_FEE_PER_GAS).is_err());
    }

    #[test]
    fn the_margin_stays_within_block_and_transaction() {
        assert_eq!(gas_limit(100_000, 30_000_000).unwrap(), 120_000);
        assert_eq!(gas_limit(29_000_000, 30_000_000).unwrap(), 30_000_000);
        assert_eq!(
            gas_limit(16_000_000, 30_000_000).unwrap(),
            TRANSACTION_GAS_CAP
        );
        assert!(gas_limit(30_000_001, 30_000_000).is_err());
    }

    proptest! {
        #[test]
        fn offers_keep_their_limits(base: u128, tip: u128, cap: u128) {
            if let Ok(fees) = fix_fees(&suggestion(base, tip), cap) {
                prop_assert!(fees.max_fee_per_gas <= cap);
                prop_assert!(fees.max_priority_fee_per_gas <= fees.max_fee_per_gas);
                prop_assert!(fees.max_fee_per_gas >= base);
            }
        }

        #[test]
        fn a_limit_is_never_below_the_estimate(estimate: u64, block: u64) {
            if let Ok(limit) = gas_limit(estimate, block) {
                prop_assert!(limit >= estimate && limit <= block);
            }
        }
    }
}
