//! Every crate compiles, free of warnings, with every combination of its features.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::graph::{Member, Members};
use crate::process::{self, Outcome};

/// 2^6 compilations of one crate are the most that a run has time for. A crate with more features
/// than this is several crates.
const MOST_FEATURES: usize = 6;

type Combination = BTreeSet<String>;

/// Lints each crate alone, so that no other crate lends it a feature of a shared dependency.
pub(crate) fn powerset(root: &Path) -> Outcome {
    let mut wrong = Vec::new();
    for member in Members::read(root)?.iter() {
        for combination in combinations(member)? {
            let list: Vec<&str> = combination.iter().map(String::as_str).collect();
            let mut command = process::cargo(root);
            command.args(["clippy", "--quiet", "--locked", "--no-default-features"]);
            command.args(["--package", &member.name]);
            if !list.is_empty() {
                command.args(["--features", &list.join(",")]);
            }
            let result = process::run(command.args(["--", "-D", "warnings"]));
            if result.is_err() {
                wrong.push(format!("{} with the features {list:?}", member.name));
            }
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n"))
    }
}

/// The sets of features that differ once each has switched on what it implies.
fn combinations(member: &Member) -> Result<BTreeSet<Combination>, String> {
    let names: Vec<&String> = member
        .features
        .keys()
        .filter(|name| *name != "default")
        .collect();
    if names.len() > MOST_FEATURES {
        return Err(format!(
            "{} has {} features; {MOST_FEATURES} is the most that are tried in every combination",
            member.name,
            names.len()
        ));
    }
    let subsets = 0..1_u32 << names.len();
    Ok(subsets
        .map(|bits| {
            let chosen = names
                .iter()
                .enumerate()
                .filter(|(at, _)| bits & (1 << at) != 0);
            with_implied(
                chosen.map(|(_, name)| (*name).clone()).collect(),
                &member.features,
            )
        })
        .collect())
}

fn with_implied(chosen: Combination, features: &BTreeMap<String, Vec<String>>) -> Combination {
    let implied = chosen
        .iter()
        .filter_map(|name| features.get(name))
        .flatten();
    let implied = implied.filter(|name| features.contains_key(*name)).cloned();
    let wider: Combination = chosen.iter().cloned().chain(implied).collect();
    if wider == chosen {
        wider
    } else {
        with_implied(wider, features)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(features: &[(&str, &[&str])]) -> Member {
        let owned = features.iter().map(|(name, enables)| {
            (
                (*name).to_owned(),
                enables.iter().map(|one| (*one).to_owned()).collect(),
            )
        });
        Member::for_tests("crate", owned.collect())
    }

    fn shown(member: &Member) -> Vec<String> {
        let sets = combinations(member).unwrap();
        sets.into_iter()
            .map(|set| Vec::from_iter(set).join("+"))
            .collect()
    }

    #[test]
    fn a_crate_without_features_has_one_combination() {
        assert_eq!(shown(&member(&[])), [""]);
        assert_eq!(shown(&member(&[("default", &[])])), [""]);
    }

    #[test]
    fn independent_features_make_every_combination() {
        let two = member(&[("default", &["a"]), ("a", &["dep:x"]), ("b", &["y/z"])]);
        assert_eq!(shown(&two), ["", "a", "a+b", "b"]);
    }

    #[test]
    fn combinations_that_imply_the_same_are_tried_once() {
        let chain = member(&[("a", &["b", "dep:x"]), ("b", &["c"]), ("c", &[])]);
        assert_eq!(shown(&chain), ["", "a+b+c", "b+c", "c"]);
    }

    #[test]
    fn too_many_features_are_refused() {
        let many: &[(&str, &[&str])] = &[
            ("a", &[]),
            ("b", &[]),
            ("c", &[]),
            ("d", &[]),
            ("e", &[]),
            ("f", &[]),
            ("g", &[]),
        ];
        assert!(combinations(&member(many)).is_err());
    }
}
