//! The integration tests of the core, as one binary.

#[cfg(test)]
mod vectors;
#[cfg(test)]
mod vectors_lint;
#[cfg(test)]
mod vectors_names;
