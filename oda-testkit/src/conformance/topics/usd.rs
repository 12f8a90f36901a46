//! `oda-usd.json`: base units to dollars.

use oda_chain_evm::{Amount, base_units_to_number};
use oda_core::number_text;
use serde_json::{Value, json};

use super::super::case::{Case, Check, Malformed};
use super::super::load::VectorFile;
use super::List;

pub(super) const LISTS: &[List] = &[
    List::each("base_units_to_number", &["amount", "decimals"], to_number),
    List::none(
        "derive",
        "taking a value from a venue's quote comes with a later issue",
    ),
];

fn to_number(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let expected = json!({
        "number": case.read::<Value>("number")?,
        "text": case.read::<String>("text")?,
    });
    let actual = match case.read::<String>("amount")?.parse::<Amount>() {
        Ok(amount) => {
            let number = base_units_to_number(amount, case.read("decimals")?);
            json!({ "number": number, "text": number_text(number) })
        }
        Err(error) => json!({ "error": error.code() }),
    };
    Ok(Check::compared(expected, actual))
}
