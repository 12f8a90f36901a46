//! The integration tests of the core, as one binary.

#[cfg(test)]
mod policy;
#[cfg(test)]
mod preflight;
#[cfg(test)]
mod vectors;
#[cfg(test)]
mod vectors_lint;
#[cfg(test)]
mod vectors_names;
#[cfg(test)]
mod vectors_policy;
#[cfg(test)]
mod vectors_unsigned;
