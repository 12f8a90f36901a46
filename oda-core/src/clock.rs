//! Time as the engine sees it: handed in, never read from the machine behind its back.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Milliseconds in one second: every instant of the project is carried in milliseconds.
const MILLIS_PER_SECOND: u64 = 1_000;

/// The last instant that is counted, `9999-12-30T22:00:00.999Z`: beyond it the time library has no form,
/// and a day later the four-digit year of ODA draft 0, section 6, ends.
const MAX_UNIX_MILLIS: u64 = 253_402_207_200_999;

/// An instant: milliseconds since 1970-01-01T00:00:00Z.
///
/// Shown in the form that is hashed and MACed, `2026-09-26T12:05:00.000Z`: always UTC, always three
/// decimals. A different spelling of the same instant would give a different intent id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnixMillis(u64);

impl UnixMillis {
    /// The instant that lies `millis` milliseconds after the epoch, capped at the last one counted (in the year 9999).
    #[must_use]
    pub const fn new(millis: u64) -> Self {
        if millis > MAX_UNIX_MILLIS {
            Self(MAX_UNIX_MILLIS)
        } else {
            Self(millis)
        }
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub const fn as_u64(self) -> u64 {
        self.0
    }

    /// This instant plus a number of whole seconds, capped at the last one counted (in the year 9999).
    #[must_use]
    pub const fn plus_seconds(self, seconds: u64) -> Self {
        self.plus_millis(seconds.saturating_mul(MILLIS_PER_SECOND))
    }

    /// This instant plus a number of milliseconds, capped at the last one counted (in the year 9999).
    #[must_use]
    pub const fn plus_millis(self, millis: u64) -> Self {
        Self::new(self.0.saturating_add(millis))
    }

    /// The UTC day this instant falls on.
    #[must_use]
    pub fn day(self) -> Day {
        Day(self.0 / (86_400 * MILLIS_PER_SECOND))
    }
}

impl fmt::Display for UnixMillis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", timestamp(self.0))
    }
}

/// A UTC calendar day, the unit of `max_usd_per_day`. Shown as `2026-09-26`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(u64);

impl Day {
    /// Days since 1970-01-01.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }

    /// The day that lies `number` days after 1970-01-01, capped at the last one counted (in the year 9999).
    #[must_use]
    pub fn from_number(number: u64) -> Self {
        UnixMillis::new(number.saturating_mul(86_400 * MILLIS_PER_SECOND)).day()
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = timestamp(self.0 * 86_400 * MILLIS_PER_SECOND).to_string();
        f.write_str(text.split('T').next().unwrap_or(&text))
    }
}

impl Serialize for Day {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let instant: Timestamp = format!("{text}T00:00:00Z")
            .parse()
            .map_err(serde::de::Error::custom)?;
        let millis = u64::try_from(instant.as_millisecond()).map_err(serde::de::Error::custom)?;
        let day = UnixMillis::new(millis).day();
        if day.to_string() == text {
            Ok(day)
        } else {
            Err(serde::de::Error::custom(format!(
                "`{text}` is not a day of the form YYYY-MM-DD"
            )))
        }
    }
}

fn timestamp(millis: u64) -> Timestamp {
    i64::try_from(millis)
        .ok()
        .and_then(|millis| Timestamp::from_millisecond(millis).ok())
        .unwrap_or(Timestamp::MAX)
}

/// Where the engine gets the time from.
///
/// It is handed in, so that the published flows replay exactly and tests can move it. The engine
/// assumes nothing about its steadiness: a clock that jumps can expire an intent early or late, never
/// make one execute twice.
pub trait Clock: Send + Sync + fmt::Debug {
    /// The present instant.
    fn now(&self) -> UnixMillis;
}

/// The machine's own clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> UnixMillis {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        UnixMillis::new(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_have_one_spelling() {
        assert_eq!(UnixMillis::new(0).to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(
            UnixMillis::new(1_790_424_000_000).to_string(),
            "2026-09-26T12:00:00.000Z"
        );
        assert_eq!(
            UnixMillis::new(1_790_424_599_999).to_string(),
            "2026-09-26T12:09:59.999Z"
        );
        assert_eq!(
            UnixMillis::new(u64::MAX).to_string(),
            "9999-12-30T22:00:00.999Z"
        );
    }

    #[test]
    fn a_day_changes_at_midnight_utc() {
        let last = UnixMillis::new(1_790_467_199_999);
        assert_eq!(last.day().to_string(), "2026-09-26");
        assert_eq!(last.plus_millis(1).day().to_string(), "2026-09-27");
        assert_eq!(Day::from_number(last.day().number()), last.day());
    }

    #[test]
    fn a_day_reads_back_only_in_its_own_form() {
        let day = UnixMillis::new(1_790_424_000_000).day();
        let text = serde_json::to_string(&day).unwrap();
        assert_eq!(text, "\"2026-09-26\"");
        assert_eq!(serde_json::from_str::<Day>(&text).unwrap(), day);
        assert!(serde_json::from_str::<Day>("\"2026-9-26\"").is_err());
        assert!(serde_json::from_str::<Day>("\"2026-09-31\"").is_err());
    }
}
