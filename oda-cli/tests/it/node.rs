//! Against a real node: from `prepare` to a verified receipt.

use oda_testkit::Anvil;
use serde_json::json;

use crate::http::rpc;
use crate::sandbox::{RECIPIENT, Run, SENDER, Sandbox};

/// A sandbox with a node of its own and the key of an account that it funds.
pub(crate) struct Stage {
    pub(crate) sandbox: Sandbox,
    pub(crate) anvil: Anvil,
}

impl Stage {
    /// `None` when anvil is not installed.
    pub(crate) fn set() -> Option<Self> {
        let anvil = Anvil::start(&["--chain-id", "84532"]).unwrap()?;
        let sandbox = Sandbox::new();
        Some(Self { sandbox, anvil })
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        let url = self.anvil.url();
        let variables = [
            ("ODA_EVM_KEY", Anvil::KEYS[0]),
            ("ODA_RPC_URL_BASE_SEPOLIA", &url),
        ];
        self.sandbox
            .run_with(&[arguments, &["--json"]].concat(), &variables)
    }

    /// Prepares a transfer that must be allowed, and returns its id.
    pub(crate) fn prepare(&self, amount: &str) -> String {
        let intent = self
            .run(&[
                "prepare",
                "evm.transfer",
                "--input",
                &Sandbox::transfer(amount),
            ])
            .result();
        assert_eq!(intent["policy"]["ok"], true, "{intent}");
        intent["intent_id"].as_str().unwrap().to_owned()
    }

    /// What the recipient holds, in wei.
    pub(crate) fn received(&self) -> u128 {
        self.number("eth_getBalance", RECIPIENT)
    }

    /// How many transactions the sender has sent.
    pub(crate) fn sent(&self) -> u128 {
        self.number("eth_getTransactionCount", SENDER)
    }

    fn number(&self, method: &str, account: &str) -> u128 {
        let answer = rpc(&self.anvil.url(), method, json!([account, "latest"]));
        u128::from_str_radix(answer.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
    }

    /// The statuses in the log of this installation, after it was verified byte for byte.
    pub(crate) fn receipts(&self) -> Vec<String> {
        self.run(&["receipts", "verify", "--exact"]).result();
        let receipts = self.run(&["receipts", "show"]).result();
        let statuses = receipts.as_array().unwrap().iter();
        statuses
            .map(|receipt| receipt["status"].as_str().unwrap().to_owned())
            .collect()
    }
}

#[test]
fn a_transfer_goes_from_prepare_to_a_verified_receipt() {
    let Some(stage) = Stage::set() else { return };
    let id = stage.prepare("1234");
    assert_eq!(
        (stage.sent(), stage.received()),
        (0, 0),
        "prepare signs nothing"
    );

    let execution = stage.run(&["execute", "--intent", &id]).result();
    assert_eq!(execution["state"], "submitted");
    assert_eq!(execution["receipt"]["status"], "executed");
    let transaction = execution["transaction"].as_str().unwrap();
    assert_eq!(execution["receipt"]["tx_hash"], transaction);
    let on_chain = rpc(
        &stage.anvil.url(),
        "eth_getTransactionReceipt",
        json!([transaction]),
    );
    assert_eq!(on_chain["status"], "0x1");
    assert_eq!((stage.sent(), stage.received()), (1, 1_234));

    let status = stage.run(&["status"]).result();
    assert_eq!(status["states"], json!({ "confirmed": 1 }));
    let one = stage.run(&["status", "--intent", &id]).result();
    assert_eq!(
        (&one["state"], &one["transaction"]),
        (&json!("confirmed"), &json!(transaction))
    );
    assert_eq!(one["receipts"].as_array().unwrap().len(), 2);
    assert!(
        !one.to_string().contains("bytes"),
        "signed bytes stay in the store"
    );

    stage
        .run(&["execute", "--intent", &id])
        .failed("already_executed", &["confirmed"]);
    assert_eq!((stage.sent(), stage.received()), (1, 1_234));
    assert_eq!(stage.receipts(), ["prepared", "executed"]);
    let of_intent = stage.run(&["receipts", "show", "--intent", &id]).result();
    assert_eq!(of_intent.as_array().unwrap().len(), 2);
    stage.run(&["recover"]).result();
}

#[test]
fn text_says_the_same_as_the_documents() {
    let Some(stage) = Stage::set() else { return };
    let url = stage.anvil.url();
    let variables = [("ODA_EVM_KEY", Anvil::KEYS[0])];
    let text = |arguments: &[&str]| {
        let run = stage.sandbox.run_with(arguments, &variables);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(!run.stderr.contains("error"), "{run:?}");
        run
    };
    let prepared = text(&[
        "prepare",
        "evm.transfer",
        "--rpc",
        &url,
        "--input",
        &Sandbox::transfer("5"),
    ]);
    assert!(prepared.stderr.contains("default policy"), "{prepared:?}");
    for says in [
        "summary",
        "simulation   succeeds",
        "-5 of native",
        "allowed by the policy",
    ] {
        assert!(
            prepared.stdout.contains(says),
            "{says}: {}",
            prepared.stdout
        );
    }
    let id = prepared
        .stdout
        .split_whitespace()
        .find(|word| word.starts_with("si_"))
        .unwrap();
    assert!(
        text(&["status", "--rpc", &url])
            .stdout
            .contains("1 prepared")
    );
    let approved = text(&["approve", "--intent", id, "--yes"]);
    assert!(
        approved.stdout.contains("decision     approved"),
        "{approved:?}"
    );
    let one_chain = format!("base-sepolia={url}");
    let executed = text(&["execute", "--intent", id, "--rpc", &one_chain]);
    assert!(
        executed.stdout.contains("state        submitted"),
        "{executed:?}"
    );
    assert!(
        text(&["status", "--rpc", &url])
            .stdout
            .contains("1 confirmed")
    );
    assert!(
        text(&["recover", "--rpc", &url])
            .stdout
            .contains("nothing is open")
    );
    assert!(
        text(&["receipts", "verify"])
            .stdout
            .starts_with("ok: 2 receipt(s)")
    );
    let shown = text(&["receipts", "show", ".oda/receipts.jsonl"]);
    assert!(
        shown.stdout.lines().nth(1).unwrap().contains("executed"),
        "{shown:?}"
    );
}

#[test]
fn a_query_reads_and_leaves_nothing_behind() {
    let Some(stage) = Stage::set() else { return };
    let question =
        json!({ "kind": "native_balance", "chain": "base-sepolia", "address": SENDER }).to_string();
    let answer = stage
        .run(&["read", "chain.read", "--input", &question])
        .result();
    assert_eq!(answer["result"], "10000000000000000000000");
    stage.sandbox.write("question.json", &question);
    let again = stage
        .run(&["read", "chain_read", "--input", "@question.json"])
        .result();
    assert_eq!(again["result"], answer["result"]);
    assert_eq!(stage.sandbox.files().len(), 1);
}

#[test]
fn a_refusal_exits_2_with_its_rule_and_is_recorded() {
    let Some(stage) = Stage::set() else { return };
    stage
        .sandbox
        .write_policy(&json!({ "max_per_trade": { "base-sepolia:ETH": "100" } }));
    let run = stage.run(&[
        "prepare",
        "evm.transfer",
        "--input",
        &Sandbox::transfer("101"),
    ]);
    run.refused_by("max_per_trade");
    let document = run.json();
    let refusal = &document["error"]["refusals"][0];
    assert_eq!(
        (&refusal["limit"], &refusal["observed"]),
        (&json!("100"), &json!("101"))
    );
    let intent = &document["result"];
    assert_eq!(intent["policy"]["ok"], false);
    assert_eq!(
        intent["unsigned"]["value"], "101",
        "the payload is there even when refused"
    );
    let id = intent["intent_id"].as_str().unwrap();
    stage
        .run(&["execute", "--intent", id])
        .refused_by("max_per_trade");
    stage
        .run(&["approve", "--intent", id, "--yes"])
        .failed("refused", &[]);
    assert_eq!(stage.sent(), 0);
    assert_eq!(stage.receipts(), ["refused"]);
}

/// Defect 32 of the reference: execute took no policy, so an intent that was prepared under a policy of its
/// own ran under the default files. Defect 4: it was not judged again at all.
#[test]
fn defect_32_execute_judges_under_the_policy_that_it_is_given() {
    let Some(stage) = Stage::set() else { return };
    let strict = stage.sandbox.write(
        "strict.json",
        r#"{"schema":"sato.policy/v1","network":"testnet","allow_chains":["base"]}"#,
    );
    let id = stage.prepare("7");
    let run = stage.run(&[
        "execute",
        "--intent",
        &id,
        "--policy",
        strict.to_str().unwrap(),
    ]);
    run.refused_by("chain_allowlist");
    assert_eq!(stage.sent(), 0);
    assert_eq!(stage.receipts(), ["prepared", "refused"]);
}

#[test]
fn what_would_revert_is_refused_with_the_reason() {
    let Some(stage) = Stage::set() else { return };
    // More than the account holds.
    let run = stage.run(&[
        "prepare",
        "evm.transfer",
        "--input",
        &Sandbox::transfer(&"9".repeat(30)),
    ]);
    run.refused_by("simulation_failed");
    assert_eq!(run.json()["result"]["simulation"]["ok"], false);
}

#[test]
fn an_intent_is_over_when_its_time_is() {
    let Some(stage) = Stage::set() else { return };
    stage.sandbox.write_policy(&json!({ "intent_ttl_s": 1 }));
    let id = stage.prepare("1");
    let expires = {
        let one = stage.run(&["status", "--intent", &id]).result();
        one["expires_at"].as_str().unwrap().to_owned()
    };
    // Waits for the instant itself, not for a time that is hoped to be long enough.
    while oda_core::Clock::now(&oda_core::SystemClock).to_string() < expires {
        std::thread::yield_now();
    }
    stage
        .run(&["execute", "--intent", &id])
        .failed("expired", &[&expires]);
    stage
        .run(&["execute", "--intent", &id])
        .failed("expired", &[]);
    assert_eq!(
        stage.receipts(),
        ["prepared", "expired"],
        "one receipt, however often it is tried"
    );
    assert_eq!(stage.sent(), 0);
}

#[test]
fn the_days_cap_is_shown_with_what_is_held_of_it() {
    let Some(stage) = Stage::set() else { return };
    stage
        .sandbox
        .write_policy(&json!({ "max_usd_per_day": 10, "unknown_verdict": "allow" }));
    let id = stage.prepare("1");
    let day = stage.run(&["status"]).result()["day"].clone();
    assert_eq!(
        (&day["free_usd"], &day["unknown"]),
        (&json!("10.00"), &json!(0))
    );
    stage.run(&["execute", "--intent", &id]).result();
    let day = stage.run(&["status"]).result()["day"].clone();
    assert_eq!(day["unknown"], 1, "ether has no price here: {day}");
}
