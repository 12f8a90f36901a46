//! The integration tests of the test kit, as one binary: it links alloy once.

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod fake_chain;
#[cfg(test)]
mod suites;
