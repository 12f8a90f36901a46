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

/// The largest power of ten, either way, up to which a double is normal with room to spare, so
/// that [`SAFE_DIGITS`] holds.
const SAFE_POINT: i64 = 300;

/// A number as it stood in JSON text, already checked against the grammar of RFC 8259.
#[derive(Debug, Clone, Copy)]
pub struct Literal<'a> {
    /// The whole literal.
    pub text: &'a str,
    /// The digits before the point, without the sign.
    pub whole: &'a str,
    /// The digits after the point; empty when there is none.
    pub fraction: &'a str,
    /// The exponent, saturated; `None` when there is none.
    pub exponent: Option<i64>,
}

/// Writes the literal by way of its double, refusing integers that would change on the way.
#[inline]
pub(crate) fn write_literal(out: &mut Vec<u8>, literal: &Literal<'_>) -> Result<(), NumberFault> {
    if literal.is_canonical() {
        out.extend_from_slice(literal.text.as_bytes());
        return Ok(());
    }
    write_respelled(out, literal)
}

fn write_respelled(out: &mut Vec<u8>, literal: &Literal<'_>) -> Result<(), NumberFault> {
    let shape = literal.shape();
    if shape.digits == 0 {
        out.push(b'0');
        return Ok(());
    }
    if shape.digits <= SAFE_DIGITS && (-SAFE_POINT..=SAFE_POINT).contains(&shape.point) {
        let mut digits = [0; SAFE_DIGITS];
        for (slot, digit) in digits.iter_mut().zip(literal.digits().skip(shape.leading)) {
            *slot = digit;
        }
        if literal.text.starts_with('-') {
            out.push(b'-');
        }
        write_layout(out, &digits[..shape.digits], shape.point);
        return Ok(());
    }
    // The grammar of JSON numbers is a part of the grammar that Rust reads.
    let value: f64 = literal.text.parse().map_err(|_| NumberFault::NonFinite)?;
    let start = out.len();
    write_double(out, value)?;
    let is_integer = i64::try_from(shape.digits).is_ok_and(|digits| digits <= shape.point);
    if is_integer
        && out[start..] != *literal.text.as_bytes()
        && !survives(literal, value, &out[start..])
    {
        out.truncate(start);
        return Err(NumberFault::Inexact);
    }
    Ok(())
}

/// Whether `value`, the double nearest to the integer `literal`, still stands for it: its
/// canonical text is this very decimal (as 1e23 is, although no double equals 10^23), or it is
/// exactly this integer. Without the first rule our own output could be refused as input.
///
/// Comparing significant digits is enough: two numbers this close to each other with the same
/// digits have the same exponent.
fn survives(literal: &Literal<'_>, value: f64, canonical: &[u8]) -> bool {
    same_number(literal.digits(), mantissa_digits(canonical)) || {
        // Rust prints a double without places exactly, to the last digit.
        let exact = format!("{value:.0}");
        same_number(literal.digits(), mantissa_digits(exact.as_bytes()))
    }
}

fn mantissa_digits(text: &[u8]) -> impl Iterator<Item = u8> {
    text.iter()
        .copied()
        .take_while(|&byte| byte != b'e')
        .filter(u8::is_ascii_digit)
}

/// Compares digits, apart from zeros at both ends.
fn same_number(a: impl Iterator<Item = u8>, b: impl Iterator<Item = u8>) -> bool {
    let mut a = a.skip_while(|&digit| digit == b'0');
    let mut b = b.skip_while(|&digit| digit == b'0');
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (x, y) if x.unwrap_or(b'0') != y.unwrap_or(b'0') => return false,
            _ => {}
        }
    }
}

/// Where the significant digits of a literal are.
struct Shape {
    /// How many zeros stand before them.
    leading: usize,
    /// How many there are; none in a zero.
    digits: usize,
    /// The number is 0.d₁d₂… × 10^point.
    point: i64,
}

impl Literal<'_> {
    /// Whether the text is surely canonical as it stands: no exponent, few digits, no digit too
    /// many. Most numbers in practice are.
    #[inline]
    fn is_canonical(&self) -> bool {
        let (whole, fraction) = (self.whole.as_bytes(), self.fraction.as_bytes());
        if self.exponent.is_some() || whole.len() + fraction.len() > SAFE_DIGITS {
            return false;
        }
        match fraction.last() {
            None => self.text != "-0",
            Some(b'0') => false,
            // Below 10^-6 an exponent is needed.
            Some(_) => {
                whole != b"0" || fraction[..fraction.len().min(6)].iter().any(|&d| d != b'0')
            }
        }
    }

    fn digits(&self) -> impl Iterator<Item = u8> {
        self.whole.bytes().chain(self.fraction.bytes())
    }

    fn shape(&self) -> Shape {
        let all = self.whole.len() + self.fraction.len();
        let zeros = |bytes: &str| bytes.bytes().take_while(|&digit| digit == b'0').count();
        let zeros_back = |bytes: &str| {
            bytes
                .bytes()
                .rev()
                .take_while(|&digit| digit == b'0')
                .count()
        };
        let mut leading = zeros(self.whole);
        if leading == self.whole.len() {
            leading += zeros(self.fraction);
        }
        let mut trailing = zeros_back(self.fraction);
        if trailing == self.fraction.len() {
            trailing += zeros_back(self.whole);
        }
        let whole = i64::try_from(self.whole.len()).unwrap_or(i64::MAX);
        let leading_places = i64::try_from(leading).unwrap_or(i64::MAX);
        Shape {
            leading,
            digits: all.saturating_sub(leading + trailing),
            point: self
                .exponent
                .unwrap_or(0)
                .saturating_add(whole - leading_places),
        }
    }
}

/// Writes a double.
#[inline]
pub(crate) fn write_double(out: &mut Vec<u8>, value: f64) -> Result<(), NumberFault> {
    if !value.is_finite() {
        return Err(NumberFault::NonFinite);
    }
    if value == 0.0 {
        out.push(b'0');
        return Ok(());
    }
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(value);
    // The same shortest digits as ECMAScript's, laid out alike but for three cases: a fraction
    // is always shown (`1.0`), and exponents start at 16 and at -6 instead of 21 and -7.
    let magnitude = value.abs();
    if (1e-5..1e16).contains(&magnitude) {
        let text = text.strip_suffix(".0").unwrap_or(text);
        out.extend_from_slice(text.as_bytes());
    } else if !(1e-6..1e21).contains(&magnitude) {
        out.extend_from_slice(text.as_bytes());
    } else {
        write_relaid(out, text);
    }
    Ok(())
}

/// Lays out `d.ddde±x` anew.
#[cold]
fn write_relaid(out: &mut Vec<u8>, text: &str) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let mut digits: Vec<u8> = mantissa_digits(mantissa.as_bytes()).collect();
    while digits.last() == Some(&b'0') {
        digits.pop();
    }
    if text.starts_with('-') {
        out.push(b'-');
    }
    // The exponent of a double has three digits at most.
    write_layout(
        out,
        &digits,
        exponent.parse().map_or(0, |exponent: i64| exponent + 1),
    );
}

/// Writes an integer, which must be exactly a double.
#[inline]
pub(crate) fn write_integer(
    out: &mut Vec<u8>,
    negative: bool,
    magnitude: u128,
) -> Result<(), NumberFault> {
    match u64::try_from(magnitude) {
        Ok(small) if small <= MAX_SAFE => {
            if negative {
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
