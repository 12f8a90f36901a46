//! Which URL serves which chain: `--rpc`, then `ODA_RPC_URL_<CHAIN>`, then `ETH_RPC_URL`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use oda_chain_evm::{EvmNetworks, EvmNode, RpcNode, RpcTimeouts, chain_names};
use oda_core::nearest;

use crate::args::NodeArgs;
use crate::environment::Environment;
use crate::error::CliError;

const FLAG: &str = "--rpc";
const VARIABLE_OF_CHAIN: &str = "ODA_RPC_URL_";
const VARIABLE: &str = "ETH_RPC_URL";
const TIMEOUT_VARIABLE: &str = "ODA_RPC_TIMEOUT_S";

/// The longest time that a person may be made to wait for one call, in seconds.
const MAX_TIMEOUT_S: u64 = 300;

/// A URL and which flag or variable gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Source {
    url: String,
    name: String,
}

/// The nodes of all chains. A URL for several chains is one node; it is asked which chain it serves before
/// every use, so naming it for all of them sends nothing to the wrong one.
pub(super) fn networks(
    args: &NodeArgs,
    environment: &Environment,
) -> Result<EvmNetworks, CliError> {
    let timeouts = timeouts(environment)?;
    let mut nodes: BTreeMap<String, Arc<dyn EvmNode>> = BTreeMap::new();
    let mut networks = EvmNetworks::new();
    for (chain, source) in sources(args, environment)? {
        let node = match nodes.get(&source.url) {
            Some(node) => Arc::clone(node),
            None => {
                let node = RpcNode::with_timeouts(&source.url, timeouts)
                    .map_err(|error| CliError::argument(&source.name, error.to_string()))?;
                let node: Arc<dyn EvmNode> = Arc::new(node);
                nodes.insert(source.url, Arc::clone(&node));
                node
            }
        };
        networks = networks.with_node(chain, node);
    }
    Ok(networks)
}

fn sources(
    args: &NodeArgs,
    environment: &Environment,
) -> Result<BTreeMap<&'static str, Source>, CliError> {
    let flags = Flags::parse(args)?;
    let everywhere = environment.text(VARIABLE)?;
    let mut sources = BTreeMap::new();
    for chain in chain_names() {
        let variable = format!(
            "{VARIABLE_OF_CHAIN}{}",
            chain.to_uppercase().replace('-', "_")
        );
        let source = if let Some(url) = flags.of_chain.get(chain).or(flags.any.as_ref()) {
            Some((url.as_str(), FLAG.to_owned()))
        } else if let Some(url) = environment.text(&variable)? {
            Some((url, variable))
        } else {
            everywhere.map(|url| (url, VARIABLE.to_owned()))
        };
        if let Some((url, name)) = source {
            let url = url.to_owned();
            sources.insert(chain, Source { url, name });
        }
    }
    Ok(sources)
}

/// The values of `--rpc`.
#[derive(Debug, Default)]
struct Flags {
    any: Option<String>,
    of_chain: BTreeMap<String, String>,
}

impl Flags {
    fn parse(args: &NodeArgs) -> Result<Self, CliError> {
        let mut flags = Self::default();
        for value in &args.rpc {
            // A URL may hold `=` too, but only after its scheme.
            let twice = match value
                .split_once('=')
                .filter(|(chain, _)| !chain.contains(':'))
            {
                Some((chain, url)) => {
                    known(chain)?;
                    flags
                        .of_chain
                        .insert(chain.to_owned(), url.to_owned())
                        .is_some()
                }
                None => flags.any.replace(value.clone()).is_some(),
            };
            if twice {
                return Err(CliError::argument(
                    FLAG,
                    "names two nodes for the same chain; give one URL, or CHAIN=URL for each chain",
                ));
            }
        }
        Ok(flags)
    }
}

fn known(chain: &str) -> Result<(), CliError> {
    if chain_names().any(|name| name == chain) {
        return Ok(());
    }
    let guess = nearest(chain, chain_names())
        .map(|name| format!("; did you mean `{name}`?"))
        .unwrap_or_default();
    let names = chain_names().collect::<Vec<_>>().join(", ");
    Err(CliError::argument(
        FLAG,
        format!("names the chain `{chain}`, which is not one of {names}{guess}"),
    ))
}

fn timeouts(environment: &Environment) -> Result<RpcTimeouts, CliError> {
    let mut timeouts = RpcTimeouts::default();
    let Some(text) = environment.text(TIMEOUT_VARIABLE)? else {
        return Ok(timeouts);
    };
    let seconds = text
        .parse()
        .ok()
        .filter(|seconds| (1..=MAX_TIMEOUT_S).contains(seconds))
        .ok_or_else(|| {
            let rule = format!("must be a whole number of seconds from 1 to {MAX_TIMEOUT_S}");
            CliError::argument(TIMEOUT_VARIABLE, rule)
        })?;
    timeouts.request = Duration::from_secs(seconds);
    timeouts.connect = timeouts.connect.min(timeouts.request);
    Ok(timeouts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(values: &[&str]) -> NodeArgs {
        NodeArgs {
            rpc: values.iter().map(|value| (*value).to_owned()).collect(),
        }
    }

    #[test]
    fn the_flag_comes_before_the_chains_variable_and_that_before_the_general_one() {
        let environment = Environment::of(&[
            ("ODA_RPC_URL_BASE_SEPOLIA", "http://own"),
            ("ETH_RPC_URL", "http://any"),
        ]);
        let urls = |values: &[&str], chain: &str| {
            sources(&args(values), &environment).unwrap()[chain]
                .url
                .clone()
        };
        assert_eq!(urls(&[], "base-sepolia"), "http://own");
        assert_eq!(urls(&[], "base"), "http://any");
        assert_eq!(urls(&["http://flag"], "base-sepolia"), "http://flag");
        let both = ["http://flag", "base=http://b?key=1"];
        assert_eq!(urls(&both, "base"), "http://b?key=1");
        assert_eq!(urls(&both, "polygon"), "http://flag");
        assert_eq!(urls(&["base=http://b"], "base-sepolia"), "http://own");
    }

    #[test]
    fn a_url_with_an_equals_sign_is_no_chain() {
        let environment = Environment::default();
        let sources = sources(&args(&["https://node.example/?key=secret"]), &environment).unwrap();
        assert_eq!(sources["base"].url, "https://node.example/?key=secret");
    }

    #[test]
    fn broken_values_are_refused_without_repeating_a_url() {
        let none = Environment::default();
        for (values, says) in [
            (&["bsae=http://a"][..], "did you mean `base`?"),
            (&["http://a", "http://b"], "two nodes"),
            (&["ftp://user:hunter2@a"], "http"),
        ] {
            let error = networks(&args(values), &none).unwrap_err();
            assert_eq!(error.code(), "invalid_argument");
            assert!(error.to_string().contains(says), "{error}");
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
        let variable = Environment::of(&[("ETH_RPC_URL", "localhost:hunter2")]);
        let error = networks(&args(&[]), &variable).unwrap_err().to_string();
        assert!(
            error.starts_with("ETH_RPC_URL ") && !error.contains("hunter2"),
            "{error}"
        );
    }

    #[test]
    fn a_timeout_is_a_number_of_seconds() {
        for bad in ["0", "301", "-1", "1.5", "soon"] {
            let environment = Environment::of(&[(TIMEOUT_VARIABLE, bad)]);
            assert_eq!(
                timeouts(&environment).unwrap_err().code(),
                "invalid_argument",
                "{bad}"
            );
        }
        let environment = Environment::of(&[(TIMEOUT_VARIABLE, "2")]);
        assert_eq!(
            timeouts(&environment).unwrap().connect,
            Duration::from_secs(2)
        );
    }
}
