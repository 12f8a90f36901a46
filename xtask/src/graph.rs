//! Which crate may lean on which, and what must never enter the graph.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::process::{self, Outcome};

/// What a crate of ours may depend on, directly; what those may depend on is allowed as well.
#[derive(Debug, Clone, Copy)]
enum Below {
    /// These crates of ours, and all that is below them.
    Only(&'static [&'static str]),
    /// Any library of ours. For what stands at the top: nothing but its like may depend on it.
    Everything,
}

/// The arrows of ARCHITECTURE.md. A crate that is not listed here is refused until it is.
const MAY_DEPEND_ON: &[(&str, Below)] = &[
    ("oda-canon", Below::Only(&[])),
    ("oda-receipts", Below::Only(&["oda-canon"])),
    ("oda-core", Below::Only(&["oda-canon", "oda-receipts"])),
    ("oda-store", Below::Only(&["oda-core"])),
    ("oda-chain-evm", Below::Only(&["oda-core"])),
    ("oda-chain-solana", Below::Only(&["oda-core"])),
    (
        "oda-x402",
        Below::Only(&["oda-core", "oda-chain-evm", "oda-chain-solana"]),
    ),
    ("oda-safe", Below::Only(&["oda-core", "oda-chain-evm"])),
    ("oda-mandate", Below::Only(&["oda-canon", "oda-core"])),
    (
        "oda-interop",
        Below::Only(&["oda-canon", "oda-core", "oda-mandate"]),
    ),
    ("oda-testkit", Below::Everything),
    ("oda-cli", Below::Everything),
    ("oda-benches", Below::Everything),
    ("xtask", Below::Only(&[])),
];

/// Nothing of ours depends on these, not even in tests.
const ENDS: [&str; 3] = ["oda-cli", "oda-benches", "xtask"];

/// Families of crates that a crate of ours must not bring in, by the start of their names, so that
/// a user of one chain never compiles the other, and a user of none compiles neither.
const FORBIDDEN_FAMILIES: &[(&str, &[&str])] = &[
    ("oda-canon", NO_CHAIN),
    ("oda-receipts", NO_CHAIN),
    ("oda-core", NO_CHAIN),
    ("oda-store", NO_CHAIN),
    ("oda-mandate", NO_CHAIN),
    ("oda-interop", NO_CHAIN),
    ("oda-chain-evm", &["solana", "litesvm", "spl-"]),
    ("oda-safe", &["solana", "litesvm", "spl-"]),
    ("oda-chain-solana", &["alloy", "revm"]),
];
const NO_CHAIN: &[&str] = &["alloy", "revm", "solana", "litesvm", "spl-", "x402"];

/// Features of serde_json that change what a digest is taken over, for every crate at once.
const FORBIDDEN_JSON_FEATURES: [&str; 2] = ["preserve_order", "arbitrary_precision"];

/// The members of the workspace, as cargo describes them.
#[derive(Debug)]
pub(crate) struct Members(Vec<Member>);

/// One member, with what the checks read of it.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) features: BTreeMap<String, Vec<String>>,
    edges: Vec<Edge>,
}

/// A dependency on another member.
#[derive(Debug)]
struct Edge {
    to: String,
    for_tests: bool,
}

impl Members {
    pub(crate) fn read(root: &Path) -> Result<Self, String> {
        let text = process::capture(process::cargo(root).args([
            "metadata",
            "--format-version=1",
            "--no-deps",
            "--locked",
        ]))?;
        Self::parse(&text).ok_or_else(|| "`cargo metadata` has a shape we do not know".to_owned())
    }

    fn parse(text: &str) -> Option<Self> {
        let document: Value = serde_json::from_str(text).ok()?;
        let packages = document.get("packages")?.as_array()?;
        packages
            .iter()
            .map(Member::parse)
            .collect::<Option<_>>()
            .map(Self)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Member> {
        self.0.iter()
    }

    fn has(&self, name: &str) -> bool {
        self.iter().any(|member| member.name == name)
    }
}

impl Member {
    #[cfg(test)]
    pub(crate) fn for_tests(name: &str, features: BTreeMap<String, Vec<String>>) -> Self {
        Self {
            name: name.to_owned(),
            features,
            edges: Vec::new(),
        }
    }

    fn parse(package: &Value) -> Option<Self> {
        let features = package
            .get("features")?
            .as_object()?
            .iter()
            .map(|(name, enables)| {
                let enables = enables
                    .as_array()?
                    .iter()
                    .map(|one| one.as_str().map(str::to_owned));
                Some((name.clone(), enables.collect::<Option<_>>()?))
            });
        let edges = package.get("dependencies")?.as_array()?.iter();
        // Only a member has a path: everything else comes from a registry.
        let edges = edges.filter(|dependency| dependency.get("path").is_some_and(Value::is_string));
        let edges = edges.map(|dependency| {
            Some(Edge {
                to: dependency.get("name")?.as_str()?.to_owned(),
                for_tests: dependency.get("kind")?.as_str() == Some("dev"),
            })
        });
        Some(Self {
            name: package.get("name")?.as_str()?.to_owned(),
            features: features.collect::<Option<_>>()?,
            edges: edges.collect::<Option<_>>()?,
        })
    }
}

/// Dependencies between our crates only point down the table.
pub(crate) fn directions(root: &Path) -> Outcome {
    let wrong = wrong_edges(&Members::read(root)?);
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n"))
    }
}

fn wrong_edges(members: &Members) -> Vec<String> {
    let mut wrong = Vec::new();
    for member in members.iter() {
        let Some(allowed) = allowed_below(&member.name) else {
            wrong.push(format!(
                "{} is not in the table MAY_DEPEND_ON of xtask",
                member.name
            ));
            continue;
        };
        for edge in &member.edges {
            let to_an_end = ENDS.contains(&edge.to.as_str());
            // A test may use any library: the test kit most of all, which depends on everything.
            if to_an_end || (!edge.for_tests && !allowed.contains(edge.to.as_str())) {
                let section = if edge.for_tests {
                    "dev-dependency"
                } else {
                    "dependency"
                };
                wrong.push(format!(
                    "{} may not have {} as a {section}",
                    member.name, edge.to
                ));
            }
        }
    }
    wrong
}

fn allowed_below(name: &str) -> Option<BTreeSet<&'static str>> {
    let (_, below) = MAY_DEPEND_ON.iter().find(|(known, _)| *known == name)?;
    let direct: Vec<&'static str> = match below {
        Below::Only(names) => names.to_vec(),
        Below::Everything => {
            let all = MAY_DEPEND_ON.iter().map(|(known, _)| *known);
            return Some(
                all.filter(|known| *known != name && !ENDS.contains(known))
                    .collect(),
            );
        }
    };
    let mut allowed = BTreeSet::new();
    for crate_below in direct {
        allowed.insert(crate_below);
        allowed.extend(allowed_below(crate_below).unwrap_or_default());
    }
    Some(allowed)
}

/// A user of one chain never compiles the other.
pub(crate) fn isolation(root: &Path) -> Outcome {
    let members = Members::read(root)?;
    let mut wrong = Vec::new();
    for (name, families) in FORBIDDEN_FAMILIES
        .iter()
        .filter(|(name, _)| members.has(name))
    {
        let tree = process::capture(process::cargo(root).args([
            "tree",
            "--locked",
            "--all-features",
            "--target=all",
            "--edges=normal,build",
            "--prefix=none",
            "--format={p}",
            "--package",
            name,
        ]))?;
        for found in of_families(&tree, families) {
            wrong.push(format!(
                "{name} brings in {found}: `cargo tree -p {name} --all-features -i {found}` shows how"
            ));
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n"))
    }
}

/// The crates of `tree` (one a line, its name first) whose names start with one of `families`.
fn of_families<'tree>(tree: &'tree str, families: &[&str]) -> BTreeSet<&'tree str> {
    let names = tree
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| families.iter().any(|family| name.starts_with(family)))
        .collect()
}

/// No crate of the graph switches on what would change digests.
pub(crate) fn json_features(root: &Path) -> Outcome {
    let tree = process::capture(process::cargo(root).args([
        "tree",
        "--locked",
        "--workspace",
        "--all-features",
        "--target=all",
        "--invert=serde_json",
        "--depth=0",
        "--prefix=none",
        "--format={p} features: {f}",
    ]))?;
    if !tree.starts_with("serde_json ") {
        return Err(format!(
            "`cargo tree` did not tell serde_json's features:\n{tree}"
        ));
    }
    let found = forbidden_json_features(&tree);
    if found.is_empty() {
        return Ok(());
    }
    Err(format!(
        "serde_json has the features {found:?} from some crate of the graph"
    ))
}

fn forbidden_json_features(tree: &str) -> Vec<&'static str> {
    let on: BTreeSet<&str> = tree.split([' ', ',', '\n']).collect();
    FORBIDDEN_JSON_FEATURES
        .into_iter()
        .filter(|feature| on.contains(feature))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Members with the edges `from -> to`, or `from ~> to` for a dev-dependency.
    fn members(edges: &[&str]) -> Members {
        let parse = |edge: &&str| {
            let words: Vec<&str> = edge.split(' ').collect();
            let edge = Edge {
                to: words[2].to_owned(),
                for_tests: words[1] == "~>",
            };
            Member {
                edges: vec![edge],
                ..Member::for_tests(words[0], BTreeMap::new())
            }
        };
        Members(edges.iter().map(parse).collect())
    }

    #[test]
    fn arrows_down_the_table_are_allowed() {
        let down = members(&[
            "oda-core -> oda-canon",
            "oda-chain-evm -> oda-core",
            "oda-chain-evm -> oda-receipts",
            "oda-x402 -> oda-chain-evm",
            "oda-testkit -> oda-chain-evm",
            "oda-cli -> oda-testkit",
            "oda-canon ~> oda-testkit",
        ]);
        assert_eq!(wrong_edges(&down), Vec::<String>::new());
    }

    #[test]
    fn arrows_up_or_across_are_refused() {
        for edge in [
            "oda-canon -> oda-core",
            "oda-core -> oda-chain-evm",
            "oda-chain-evm -> oda-chain-solana",
            "oda-core -> oda-testkit",
            "oda-core -> oda-core",
            "oda-testkit -> oda-cli",
            "oda-core ~> oda-cli",
            "xtask -> oda-canon",
        ] {
            assert_eq!(wrong_edges(&members(&[edge])).len(), 1, "{edge}");
        }
    }

    #[test]
    fn an_unknown_crate_is_refused_until_the_table_lists_it() {
        let unknown = wrong_edges(&members(&["oda-new -> oda-canon"]));
        assert!(unknown[0].contains("MAY_DEPEND_ON"), "{unknown:?}");
    }

    #[test]
    fn every_name_in_the_tables_is_a_row_of_the_first() {
        let known: BTreeSet<&str> = MAY_DEPEND_ON.iter().map(|(name, _)| *name).collect();
        for (_, below) in MAY_DEPEND_ON {
            if let Below::Only(names) = below {
                assert!(names.iter().all(|name| known.contains(name)), "{names:?}");
            }
        }
        assert!(
            FORBIDDEN_FAMILIES
                .iter()
                .all(|(name, _)| known.contains(name))
        );
        assert!(ENDS.iter().all(|name| known.contains(name)));
    }

    #[test]
    fn metadata_is_read_by_kind_and_path() {
        let text = r#"{"packages":[{"name":"oda-core","features":{"default":["a"],"a":[]},"dependencies":[
            {"name":"oda-canon","kind":null,"path":"/x/oda-canon"},
            {"name":"oda-testkit","kind":"dev","path":"/x/oda-testkit"},
            {"name":"serde","kind":null}]}]}"#;
        let Members(members) = Members::parse(text).unwrap();
        assert_eq!(members[0].features["default"], ["a"]);
        let edges: Vec<_> = members[0]
            .edges
            .iter()
            .map(|e| (e.to.as_str(), e.for_tests))
            .collect();
        assert_eq!(edges, [("oda-canon", false), ("oda-testkit", true)]);
        assert!(Members::parse("{}").is_none());
    }

    #[test]
    fn a_family_is_found_by_the_start_of_a_name() {
        let tree =
            "oda-core v0.1.0 (/x)\nserde v1.0.0\nalloy-primitives v1.7.3\nnot-alloy v1.0.0\n";
        assert_eq!(
            of_families(tree, NO_CHAIN),
            BTreeSet::from(["alloy-primitives"])
        );
    }

    #[test]
    fn a_forbidden_feature_is_found_among_others() {
        let fine = "serde_json v1.0.154 features: default,float_roundtrip,std\n";
        assert!(forbidden_json_features(fine).is_empty());
        let spoilt = "serde_json v1.0.154 features: alloc,preserve_order,std\n";
        assert_eq!(forbidden_json_features(spoilt), ["preserve_order"]);
    }
}
