//! The commands that read files and ask no chain.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

#[test]
fn actions_are_listed_and_described() {
    let sandbox = Sandbox::new();
    let list = sandbox.run(&["actions", "--json"]).result();
    let ids: Vec<&str> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|a| a["id"].as_str().unwrap())
        .collect();
    for id in [
        "chain.read",
        "contract.call",
        "evm.transfer",
        "token.approvals.list",
        "token.approvals.revoke",
        "token.transfer",
        "tx.simulate",
    ] {
        assert!(ids.contains(&id), "{id} is missing in {ids:?}");
        let described = sandbox.run(&["describe", id, "--json"]).result();
        assert_eq!(described["schema"], "sato.action/v1");
        assert!(described["approval_hints"]["destructiveHint"].is_boolean());
        let text = sandbox.run(&["describe", id]);
        assert!(text.stdout.contains("requiresUserInteraction"), "{text:?}");
    }
    let text = sandbox.run(&["actions"]);
    assert_eq!(text.stdout.lines().count(), ids.len() + 1);
    // By tool name as well.
    assert_eq!(
        sandbox
            .run(&["describe", "token_transfer", "--json"])
            .result()["id"],
        "token.transfer"
    );
    let slip = sandbox.run(&["describe", "token.tranfser", "--json"]);
    slip.failed("unknown_action", &["did you mean `token.transfer`?"]);
    assert!(sandbox.files().is_empty());
}

#[test]
fn every_descriptor_passes_its_own_lint() {
    let sandbox = Sandbox::new();
    let list = sandbox.run(&["actions", "--json"]).result();
    for action in list.as_array().unwrap() {
        let id = action["id"].as_str().unwrap();
        let mut descriptor = sandbox.run(&["describe", id, "--json"]).result();
        descriptor.as_object_mut().unwrap().remove("approval_hints");
        sandbox.write("descriptor.json", descriptor.to_string());
        let clean = sandbox.run(&["lint", "descriptor.json", "--json"]).result();
        assert_eq!(clean, json!({ "structure": [], "lint": [] }), "{id}");
        assert!(
            sandbox
                .run(&["lint", "descriptor.json"])
                .stdout
                .starts_with("ok")
        );
    }
}

#[test]
fn a_descriptor_with_faults_is_told_all_of_them() {
    let sandbox = Sandbox::new();
    let mut descriptor = sandbox
        .run(&["describe", "token.transfer", "--json"])
        .result();
    descriptor["name"] = json!("transfer");
    descriptor["description"] = json!("The best transfer.");
    sandbox.write("descriptor.json", descriptor.to_string());
    let run = sandbox.run(&["lint", "descriptor.json", "--json"]);
    run.failed("descriptor_faults", &["3 fault"]);
    let result = &run.json()["result"];
    assert_eq!(
        result["structure"][0]["field"],
        "unknown:descriptor.approval_hints"
    );
    let rules: Vec<&Value> = result["lint"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| &i["rule"])
        .collect();
    assert_eq!(rules, ["name_mismatch", "description_claim"]);
    let text = sandbox.run(&["lint", "descriptor.json"]);
    assert!(
        text.stdout.contains("description_claim") && text.code == 1,
        "{text:?}"
    );
    sandbox.write("broken.json", "{");
    sandbox
        .run(&["lint", "broken.json", "--json"])
        .failed("file_unreadable", &["broken.json"]);
    sandbox
        .run(&["lint", "absent.json", "--json"])
        .failed("file_unreadable", &["absent.json"]);
}

#[test]
fn a_policy_is_shown_with_its_defaults_and_its_digest() {
    let sandbox = Sandbox::new();
    let default = sandbox.run(&["policy", "check", "--json"]).result();
    assert_eq!(default["file"], Value::Null);
    assert_eq!(default["policy"]["network"], "fork");
    assert!(
        sandbox
            .run(&["policy", "check"])
            .stdout
            .contains("default policy")
    );

    sandbox.write_policy(&json!({ "max_usd_per_day": 10 }));
    let own = sandbox.run(&["policy", "check", "--json"]).result();
    assert_eq!(own["file"], "policy.json");
    assert_eq!(own["policy"]["intent_ttl_s"], 300);
    let digest = own["policy_digest"].as_str().unwrap();
    assert!(digest.starts_with("sha256:") && digest.len() == 71 && own != default);
    let named = sandbox
        .run(&["policy", "check", "policy.json", "--json"])
        .result();
    assert_eq!(named["policy_digest"], digest);
    assert!(sandbox.run(&["policy", "check"]).stdout.contains(digest));
}

#[test]
fn the_policy_in_the_readme_is_one() {
    let readme = include_str!("../../../README.md");
    let policy = readme
        .split("```json")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let sandbox = Sandbox::new();
    sandbox.write("policy.json", policy);
    let shown = sandbox.run(&["policy", "check", "--json"]).result();
    assert_eq!(shown["policy"]["human_approval"], true);
}

/// Everything that can be wrong with a policy file stops every command that would act under one.
#[test]
fn a_broken_policy_is_an_error_and_never_the_default() {
    let sandbox = Sandbox::new();
    for (policy, says) in [
        (r#"{"schema":"sato.policy/v1","max_usd":5}"#, "max_usd"),
        (r#"{"schema":"sato.policy/v2"}"#, "schema"),
        (r#"{"schema":"sato.policy/v1","network":"main"}"#, "network"),
        (
            r#"{"schema":"sato.policy/v1","allow_chains":"base"}"#,
            "allow_chains",
        ),
        (
            r#"{"schema":"sato.policy/v1","allow_tokens":["base"]}"#,
            "allow_tokens[0]",
        ),
        (
            r#"{"schema":"sato.policy/v1","max_usd_per_day":-1}"#,
            "max_usd_per_day",
        ),
        (
            r#"{"schema":"sato.policy/v1","max_per_trade":{"base:0xab":"1.5"}}"#,
            "max_per_trade",
        ),
        (
            r#"{"schema":"sato.policy/v1","intent_ttl_s":0}"#,
            "intent_ttl_s",
        ),
        (
            r#"{"schema":"sato.policy/v1","require_simulation":false}"#,
            "require_simulation",
        ),
        (
            r#"{"schema":"sato.policy/v1","schema":"sato.policy/v1"}"#,
            "stands twice",
        ),
        ("", "byte 0"),
        ("[]", "policy"),
    ] {
        sandbox.write("policy.json", policy);
        let before = sandbox.files();
        let transfer = Sandbox::transfer("1");
        let id = format!("si_{}", "A".repeat(43));
        for arguments in [
            &["policy", "check"][..],
            &["prepare", "evm.transfer", "--input", &transfer],
            &["read", "chain.read", "--input", "{}"],
            &["execute", "--intent", &id],
            &["approve", "--intent", &id, "--yes"],
            &["status"],
            &["recover"],
        ] {
            let run = sandbox.run(&[arguments, &["--json"]].concat());
            run.failed("invalid_policy", &["policy.json", says]);
        }
        assert_eq!(sandbox.files(), before);
    }
    std::fs::remove_file(sandbox.path().join("policy.json")).unwrap();
    let absent = sandbox.run(&["policy", "check", "none.json", "--json"]);
    absent.failed("file_unreadable", &["none.json"]);
    // A link to nothing was meant to be a policy.
    std::os::unix::fs::symlink("nowhere", sandbox.path().join("policy.json")).unwrap();
    sandbox
        .run(&["status", "--json"])
        .failed("file_unreadable", &["policy.json"]);
}

#[test]
fn vectors_are_run_and_a_wrong_one_fails() {
    let sandbox = Sandbox::new();
    let folder = sandbox.path().join("vectors");
    std::fs::create_dir(&folder).unwrap();
    let case = |digest: &str| {
        json!({ "from_json_text": [{
            "name": "sorted", "json_text": "{\"b\":1,\"a\":2}", "canonical": "{\"a\":2,\"b\":1}",
            "canonical_utf8_hex": "7b2261223a322c2262223a317d", "sha256": digest,
        }] })
        .to_string()
    };
    let right = oda_canon::digest_bytes(b"{\"a\":2,\"b\":1}").to_string();
    std::fs::write(folder.join("oda-canonical.json"), case(&right)).unwrap();
    std::fs::write(
        folder.join("unheard-of.json"),
        r#"{"cases":[{"name":"x"}]}"#,
    )
    .unwrap();
    let good = sandbox.run(&["conformance", "vectors", "--json"]).result();
    assert_eq!(good["files"][0]["passed"], 1);
    assert_eq!(
        (&good["files"][1]["passed"], &good["files"][1]["skipped"]),
        (&json!(0), &json!(1))
    );
    let text = sandbox.run(&["conformance", "vectors"]);
    assert!(text.stdout.contains("1 passed, 0 failed"), "{text:?}");
    assert!(text.stdout.contains("skipped: unheard-of.json"), "{text:?}");

    let wrong = right.replace(&right[7..9], if &right[7..9] == "00" { "11" } else { "00" });
    std::fs::write(folder.join("oda-canonical.json"), case(&wrong)).unwrap();
    let bad = sandbox.run(&["conformance", "vectors", "--json"]);
    bad.failed("conformance_failed", &["1 case"]);
    assert_eq!(bad.json()["result"]["files"][0]["failed"], 1);
    let text = sandbox.run(&["conformance", "vectors"]);
    assert!(text.stdout.contains("FAILED") && text.code == 1, "{text:?}");
    let absent = sandbox.run(&["conformance", "nowhere", "--json"]);
    assert_eq!(absent.json()["ok"], false);
}
