//! Amounts as people write them: durations, sizes and counts. Every door reads them here.

use std::time::Duration;

use crate::TextError;

/// `10s`, `500ms`, `2m30s`, `1.5h`, `1d`; a bare number means seconds.
pub fn parse_duration(text: &str) -> Result<Duration, TextError> {
    let refusal = || refusal("a time like 10s, 500ms, 2m30s or 1.5h", text);
    nanoseconds(text.trim()).map(Duration::from_nanos).ok_or_else(refusal)
}

/// `65536`, `256M`, `8G`, `1.5GiB`: powers of 1024. Never 0.
pub fn parse_size(text: &str) -> Result<usize, TextError> {
    let refusal = || refusal("a size like 256M, 8G or 65536", text);
    let (number, unit) = split_unit(text.trim());
    let unit = unit.to_ascii_uppercase();
    let prefix = unit.strip_suffix("IB").or(unit.strip_suffix('B')).unwrap_or(&unit);
    let bytes = power(prefix).and_then(|power| Decimal::parse(number)?.times(1024_u128.pow(power)));
    // Half a byte is a mistake, half a kibibyte is not, and the rest of a third of one does not matter.
    let whole = bytes.filter(|bytes| !prefix.is_empty() || bytes.is_whole()).map(Decimal::floor);
    whole.and_then(|bytes| usize::try_from(bytes).ok()).filter(|&bytes| bytes > 0).ok_or_else(refusal)
}

/// `1000000`, `1_000_000`, `500k`, `5M`, `1.5G`, `1e6`: powers of ten.
pub fn parse_count(text: &str) -> Result<u64, TextError> {
    let refusal = || refusal("a whole number like 1000000, 500k, 5M or 1e6", text);
    let (number, unit) = split_unit(text.trim());
    let count = power(&unit.to_ascii_uppercase()).and_then(|power| Decimal::parse(number)?.times(1000_u128.pow(power)));
    count.filter(Decimal::is_whole).and_then(|count| u64::try_from(count.floor()).ok()).ok_or_else(refusal)
}

/// What is wrong with `text`.
fn refusal(expected: &str, text: &str) -> TextError {
    let amount = text.trim();
    if amount.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '.')) {
        return TextError::new(format!("expected {expected}, got \"{text}\", which is less than nothing"));
    }
    let number = split_unit(amount).0;
    if !number.is_empty() && Decimal::parse(number).is_none_or(|n| n.floor() > u128::from(u32::MAX)) {
        return TextError::new(format!("expected {expected}, got \"{text}\", which is no number or too large"));
    }
    TextError::new(format!("expected {expected}, got \"{text}\""))
}

/// Which power of the step a letter means.
fn power(letter: &str) -> Option<u32> {
    ["", "K", "M", "G", "T"].iter().position(|&known| known == letter).map(|power| power as u32)
}

fn nanoseconds(mut text: &str) -> Option<u64> {
    if let Some(seconds) = Decimal::parse(text) {
        return seconds.times(1_000_000_000).and_then(|time| u64::try_from(time.floor()).ok());
    }
    if text.is_empty() {
        return None;
    }
    let mut sum: u64 = 0;
    while !text.is_empty() {
        let (number, rest) = split_unit(text);
        let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let unit = match &rest[..end] {
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" | "min" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            "d" => 86_400_000_000_000,
            _ => return None,
        };
        let part = Decimal::parse(number)?.times(unit)?;
        sum = sum.checked_add(part.floor().try_into().ok()?)?;
        text = rest[end..].trim_start();
    }
    Some(sum)
}

/// Divides `1.5e3GiB` after the number.
fn split_unit(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    let mut end = 0;
    while end < bytes.len() {
        end += match bytes[end] {
            b'0'..=b'9' | b'.' | b'_' => 1,
            b'e' | b'E' if end > 0 && digit(end + 1) => 2,
            b'e' | b'E' if end > 0 && matches!(bytes.get(end + 1), Some(b'+' | b'-')) && digit(end + 2) => 3,
            _ => break,
        };
    }
    let (number, unit) = text.split_at(end);
    (number, unit.trim_start())
}

/// mantissa · 10^-places, exactly.
#[derive(Clone, Copy, Debug)]
struct Decimal {
    mantissa: u128,
    places: u32,
}

impl Decimal {
    /// Digits, perhaps with a point, underscores and an exponent.
    fn parse(text: &str) -> Option<Self> {
        let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let all: String = [whole, part].concat().replace('_', "");
        if !all.bytes().all(|c| c.is_ascii_digit()) {
            return None;
        }
        let part = part.bytes().filter(u8::is_ascii_digit).count() as i64;
        let (mantissa, shift) = (all.parse::<u128>().ok()?, exponent.parse::<i64>().ok()?.checked_sub(part)?);
        match shift {
            0.. => {
                let factor = 10_u128.checked_pow(shift.try_into().ok()?)?;
                Some(Decimal { mantissa: mantissa.checked_mul(factor)?, places: 0 })
            }
            _ => {
                Some(Decimal { mantissa, places: shift.unsigned_abs().try_into().ok().filter(|&places| places < 30)? })
            }
        }
    }

    fn times(self, factor: u128) -> Option<Self> {
        Some(Decimal { mantissa: self.mantissa.checked_mul(factor)?, ..self })
    }

    fn is_whole(&self) -> bool {
        self.mantissa.is_multiple_of(10_u128.pow(self.places))
    }

    fn floor(self) -> u128 {
        self.mantissa / 10_u128.pow(self.places)
    }
}

/// 1234567 as 1,234,567.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Seconds with as many digits as make sense.
pub fn seconds_text(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => format!("{:.1} ms", s * 1000.0),
        s if s < 120.0 => format!("{s:.2} s"),
        s => format!("{:.0} min {:02.0} s", (s / 60.0).floor(), s % 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, milliseconds) in [
            ("10s", 10_000),
            ("500ms", 500),
            ("2m", 120_000),
            ("2min", 120_000),
            ("1h", 3_600_000),
            ("1.5h", 5_400_000),
            ("2m30s", 150_000),
            ("1h 2m", 3_720_000),
            ("1d", 86_400_000),
            ("1.5", 1500),
            ("0", 0),
            ("0s", 0),
            (" 3 s", 3000),
            ("1e3s", 1_000_000),
            ("0.0005s", 0),
        ] {
            assert_eq!(parse_duration(text).map(|d| d.as_millis()), Ok(milliseconds), "{text}");
        }
        for text in
            ["", " ", "x", "s", "-1s", "1y", "1e999s", "nans", "inf", "1m30", "1,5s", "1..5s", "99999999999999d"]
        {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("65536", 65536),
            ("256M", 256 << 20),
            ("2GiB", 2 << 30),
            ("2GB", 2 << 30),
            ("1.5G", 3 << 29),
            ("512k", 512 << 10),
            ("1 MiB", 1 << 20),
            ("64m", 64 << 20),
            ("100B", 100),
            ("0.1k", 102),
            ("1T", 1 << 40),
            ("1e6", 1_000_000),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for text in ["", "-1", "1.5", "99999999999G", "é", "0", "0G", "5X", "G", "1Gi2"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn counts() {
        for (text, count) in [
            ("0", 0),
            ("1000000", 1_000_000),
            ("1_000_000", 1_000_000),
            ("500k", 500_000),
            ("500K", 500_000),
            ("5M", 5_000_000),
            ("1.1k", 1100),
            ("1.5G", 1_500_000_000),
            ("1e6", 1_000_000),
            ("2.5e3", 2500),
            ("1e3k", 1_000_000),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse_count(text), Ok(count), "{text}");
        }
        for text in ["", "-1", "1.5", "99999999999G", "é", "1e-3", "1e", "k", "_", "18446744073709551616", "5B"] {
            assert!(parse_count(text).is_err(), "{text}");
        }
        assert_eq!(
            parse_count("many").unwrap_err().to_string(),
            "expected a whole number like 1000000, 500k, 5M or 1e6, got \"many\""
        );
        assert!(parse_duration("-1s").unwrap_err().to_string().ends_with("got \"-1s\", which is less than nothing"));
        assert!(parse_size("99999999999G").unwrap_err().to_string().ends_with("too large"));
    }
}
