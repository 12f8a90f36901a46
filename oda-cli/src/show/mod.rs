//! How the project's objects look to people and to programs.

pub(crate) mod descriptor;
pub(crate) mod execution;
pub(crate) mod intent;
pub(crate) mod policy;
pub(crate) mod receipt;
pub(crate) mod stored;
