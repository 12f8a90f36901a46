//! Numbers in canonical form: ECMAScript's `Number::toString`, RFC 8785 section 3.2.2.3.

/// Why a number has no canonical text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberFault {
    /// NaN, an infinity, or beyond the largest double.
    NonFinite,
    /// An integer that no double equals.
    Inexact,
}

/// Every integer up to this magnitude is a double: 2^53.
const MAX_SAFE: u64 = 1 << 53;

/// The significant decimal digits that a double always keeps: numbers of up to 15 digits are
/// all distinct as doubles, so the shortest text of the double is the number itself.
const SAFE_DIGITS: usize = 15;

/// A number as it stood in JSON text, already checked against the grammar of RFC 8259.
#[derive(Debug, Clone, Copy)]
pub struct Literal<'a> {
    /// The whole literal.
    pub text: &'a str,
    /// The digits before the point, without the sign.
    pub whole: &'a str,
    /// The digits after the point; empty when there is none.
    pub fraction: &'a str,
    /// The exponent, saturated.
    pub exponent: i64,
}

/// Writes the literal by way of its double, refusing integers that would change on the way.
pub(crate) fn write_literal(out: &mut Vec<u8>, literal: &Literal<'_>) -> Result<(), NumberFault> {
    let decimal = Decimal::of(literal);
    if decimal.digits.is_empty() {
        out.push(b'0');
        return Ok(());
    }
    // Within this range the double is normal, where the 15-digit guarantee holds.
    if decimal.digits.len() <= SAFE_DIGITS && (-300..=300).contains(&decimal.point) {
        decimal.write(out);
        return Ok(());
    }
    // The grammar of JSON numbers is a part of the grammar that Rust reads.
    let value: f64 = literal.text.parse().map_err(|_| NumberFault::NonFinite)?;
    if !value.is_finite() {
        return Err(NumberFault::NonFinite);
    }
    let is_integer = decimal.point >= i64::try_from(decimal.digits.len()).unwrap_or(i64::MAX);
    if is_integer && !decimal.survives(value) {
        return Err(NumberFault::Inexact);
    }
    write_double(out, value)
}

/// Writes a double.
pub(crate) fn write_double(out: &mut Vec<u8>, value: f64) -> Result<(), NumberFault> {
    if !value.is_finite() {
        return Err(NumberFault::NonFinite);
    }
    out.extend_from_slice(ryu_js::Buffer::new().format_finite(value).as_bytes());
    Ok(())
}

/// Writes an integer, which must be exactly a double.
pub(crate) fn write_integer(
    out: &mut Vec<u8>,
    negative: bool,
    magnitude: u128,
) -> Result<(), NumberFault> {
    match u64::try_from(magnitude) {
        Ok(small) if small <= MAX_SAFE => {
            if negative && small != 0 {
                out.push(b'-');
            }
            out.extend_from_slice(itoa::Buffer::new().format(small).as_bytes());
            Ok(())
        }
        _ => write_large_integer(out, negative, magnitude),
    }
}

#[cold]
fn write_large_integer(
    out: &mut Vec<u8>,
    negative: bool,
    magnitude: u128,
) -> Result<(), NumberFault> {
    let significant_bits = u128::BITS - magnitude.leading_zeros() - magnitude.trailing_zeros();
    if significant_bits > f64::MANTISSA_DIGITS {
        return Err(NumberFault::Inexact);
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "at most 53 significant bits: the cast is exact"
    )]
    let value = magnitude as f64;
    write_double(out, if negative { -value } else { value })
}

/// A decimal number 0.d₁d₂… × 10^point, with d₁ and the last digit not zero; no digits is zero.
struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    point: i64,
}

impl Decimal {
    fn of(literal: &Literal<'_>) -> Self {
        let mut digits = Vec::with_capacity(literal.whole.len() + literal.fraction.len());
        digits.extend_from_slice(literal.whole.as_bytes());
        digits.extend_from_slice(literal.fraction.as_bytes());
        let leading = digits.iter().take_while(|&&digit| digit == b'0').count();
        digits.drain(..leading);
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        let whole = i64::try_from(literal.whole.len()).unwrap_or(i64::MAX);
        let leading = i64::try_from(leading).unwrap_or(i64::MAX);
        Self {
            negative: literal.text.starts_with('-'),
            digits,
            point: literal.exponent.saturating_add(whole - leading),
        }
    }

    /// Whether `value`, the double nearest to this integer, still stands for it: it is exactly
    /// this integer, or its canonical text is this very decimal (as 1e23 is, although no double
    /// equals 10^23). Without the second rule our own output could be refused as input.
    fn survives(&self, value: f64) -> bool {
        // Rust prints a double with a fixed number of places exactly, digit by digit.
        let exact = format!("{:.0}", value.abs());
        let exact_digits = exact.trim_end_matches('0').as_bytes();
        let exact_point = i64::try_from(exact.len()).unwrap_or(i64::MAX);
        if exact_digits == self.digits && exact_point == self.point {
            return true;
        }
        let mut canonical = Vec::new();
        let mut own = Vec::new();
        self.write(&mut own);
        write_double(&mut canonical, value).is_ok() && canonical == own
    }

    /// Writes the digits as ECMAScript's Number::toString lays them out.
    fn write(&self, out: &mut Vec<u8>) {
        if self.negative {
            out.push(b'-');
        }
        write_layout(out, &self.digits, self.point);
    }
}

/// ECMA-262, Number::toString, steps 6 to 12: `digits` are s, `point` is n.
fn write_layout(out: &mut Vec<u8>, digits: &[u8], point: i64) {
    let count = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    match usize::try_from(point) {
        Ok(places) if count <= point && point <= 21 => {
            out.extend_from_slice(digits);
            out.resize(out.len() + places - digits.len(), b'0');
        }
        Ok(places) if 0 < point && point <= 21 => {
            out.extend_from_slice(&digits[..places]);
            out.push(b'.');
            out.extend_from_slice(&digits[places..]);
        }
        _ if -6 < point && point <= 0 => {
            out.extend_from_slice(b"0.");
            out.resize(
                out.len() + usize::try_from(-point).unwrap_or_default(),
                b'0',
            );
            out.extend_from_slice(digits);
        }
        _ => {
            let (first, rest) = digits.split_at(1);
            out.extend_from_slice(first);
            if !rest.is_empty() {
                out.push(b'.');
                out.extend_from_slice(rest);
            }
            out.extend_from_slice(if point > 0 { b"e+" } else { b"e-" });
            out.extend_from_slice(
                itoa::Buffer::new()
                    .format((point - 1).unsigned_abs())
                    .as_bytes(),
            );
        }
    }
}
