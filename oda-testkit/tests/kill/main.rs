//! Kill tests: a process that executes or recovers is killed at every named point, and at every pair of
//! points, against a real node. Afterwards the chain holds one effect or none, and store and log agree.

#[cfg(test)]
mod chain;
#[cfg(test)]
mod child;
#[cfg(test)]
mod product;
#[cfg(test)]
mod run;
#[cfg(test)]
mod scenario;
#[cfg(test)]
mod sleep;
#[cfg(test)]
mod sweep;
