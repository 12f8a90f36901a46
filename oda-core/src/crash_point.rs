//! Named instants of an execution at which a test may kill the process.
//!
//! Without the feature `crash-points` nothing of this is compiled: [`crash_point`] is an empty function.

use crate::state::Event;

/// The points before and after the commit of a step; `None` is a change that is no step, such as a note.
pub(crate) const fn around_commit(event: Option<Event>) -> (&'static str, &'static str) {
    match event {
        None => ("before-annotate", "after-annotate"),
        Some(Event::Claim) => ("before-claim", "after-claim"),
        Some(Event::Release) => ("before-release", "after-release"),
        Some(Event::Refuse) => ("before-refuse", "after-refuse"),
        Some(Event::Expire) => ("before-expire", "after-expire"),
        Some(Event::Sign) => ("before-sign", "after-sign"),
        Some(Event::BeginSubmit) => ("before-begin-submit", "after-begin-submit"),
        Some(Event::Accept) => ("before-accept", "after-accept"),
        Some(Event::LoseTrack) => ("before-lose-track", "after-lose-track"),
        Some(Event::Confirm) => ("before-confirm", "after-confirm"),
        Some(Event::Revert) => ("before-revert", "after-revert"),
        Some(Event::Fail) => ("before-fail", "after-fail"),
        Some(Event::Bury) => ("before-bury", "after-bury"),
    }
}

/// Nothing: the product has no crash points.
#[cfg(not(feature = "crash-points"))]
pub(crate) const fn crash_point(_name: &'static str) {}

#[cfg(feature = "crash-points")]
pub(crate) use armed::crash_point;
#[cfg(feature = "crash-points")]
pub use armed::{CRASH_POINTS, watch_crash_points};

#[cfg(feature = "crash-points")]
mod armed {
    use std::collections::BTreeMap;
    use std::sync::{Mutex, OnceLock, PoisonError};

    /// Names the point at which the process ends: `after-sign`, or `after-sign:2` for its second pass.
    const CRASH_AT: &str = "ODA_CRASH_AT";

    /// Every crash point, in the order of an intent's life. Only with the feature `crash-points`.
    pub const CRASH_POINTS: &[&str] = &[
        "before-insert",
        "after-insert",
        "before-log-append",
        "after-log-append",
        "before-annotate",
        "after-annotate",
        "before-expire",
        "after-expire",
        "before-claim",
        "after-claim",
        "before-release",
        "after-release",
        "before-refuse",
        "after-refuse",
        "after-sequence",
        "before-signing",
        "after-signing",
        "before-sign",
        "after-sign",
        "before-begin-submit",
        "after-begin-submit",
        "before-submit",
        "after-submit",
        "before-accept",
        "after-accept",
        "before-lose-track",
        "after-lose-track",
        "before-fail",
        "after-fail",
        "after-fate",
        "before-submit-again",
        "after-submit-again",
        "before-confirm",
        "after-confirm",
        "before-revert",
        "after-revert",
        "before-bury",
        "after-bury",
    ];

    static WATCHER: OnceLock<fn(&'static str)> = OnceLock::new();
    static PASSES: Mutex<BTreeMap<&'static str, u64>> = Mutex::new(BTreeMap::new());

    /// Has this function called at every crash point, before the process ends there. The first one stays.
    /// Only with the feature `crash-points`.
    pub fn watch_crash_points(watcher: fn(&'static str)) {
        let _ = WATCHER.set(watcher);
    }

    /// Ends the process, without unwinding and without running any destructor, where `ODA_CRASH_AT` asks
    /// for it.
    pub(crate) fn crash_point(name: &'static str) {
        if let Some(watcher) = WATCHER.get() {
            watcher(name);
        }
        let pass = {
            let mut passes = PASSES.lock().unwrap_or_else(PoisonError::into_inner);
            let pass = passes.entry(name).or_insert(0);
            *pass += 1;
            *pass
        };
        let Ok(wanted) = std::env::var(CRASH_AT) else {
            return;
        };
        let (point, wanted_pass) = wanted.split_once(':').unwrap_or((&wanted, "1"));
        if point == name && wanted_pass == pass.to_string() {
            std::process::abort();
        }
    }
}
