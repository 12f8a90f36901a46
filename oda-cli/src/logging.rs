//! Logging to standard error.

use tracing_subscriber::filter::{EnvFilter, FilterFn};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer as _, fmt};

use crate::environment::{self, Environment};
use crate::error::CliError;

/// Logs what `ODA_LOG` asks for, else what `-v` does, else warnings.
pub(crate) fn start(environment: &Environment, verbose: u8) -> Result<(), CliError> {
    let directives = match (environment.text(environment::LOG)?, verbose) {
        (Some(directives), _) => directives,
        (None, 0) => "warn",
        (None, 1) => "info",
        (None, 2) => "debug",
        (None, _) => "trace",
    };
    let filter = EnvFilter::try_new(directives).map_err(|error| {
        CliError::argument(
            environment::LOG,
            format!("must be a level or a list such as oda_core=debug: {error}"),
        )
    })?;
    let layer = fmt::layer()
        .with_writer(std::io::stderr)
        .with_target(true)
        .with_ansi(false)
        .with_filter(filter)
        // HTTP libraries log whole URLs, and a URL can hold a key. Only our own crates are heard.
        .with_filter(FilterFn::new(|event| event.target().starts_with("oda")));
    // A subscriber that is there already is one that somebody chose.
    let _ = tracing_subscriber::registry().with(layer).try_init();
    Ok(())
}
