//! Approval by a person, at a terminal and without one, and what an interrupt does.

use std::fs::File;
use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;

use oda_testkit::Anvil;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::json;

use crate::http::{Reply, ScriptedNode, post};
use crate::node::Stage;
use crate::sandbox::Run;

/// A stage whose policy wants a person, with one prepared intent.
fn set() -> Option<(Stage, String)> {
    let stage = Stage::set()?;
    stage
        .sandbox
        .write_policy(&json!({ "human_approval": true }));
    let id = stage.prepare("8");
    Some((stage, id))
}

#[test]
fn without_a_persons_yes_nothing_is_executed() {
    let Some((stage, id)) = set() else { return };
    let run = stage.run(&["execute", "--intent", &id]);
    run.failed("approval_required", &["human_approval"]);
    let next = run.json()["error"]["next"].as_str().unwrap().to_owned();
    assert_eq!(next, format!("oda approve --intent {id}"));
    stage
        .run(&["approve", "--intent", &id])
        .failed("no_terminal", &["--yes"]);

    let denied = stage
        .run(&["approve", "--intent", &id, "--no", "--reason", "too much"])
        .result();
    assert_eq!(
        (&denied["decision"], &denied["reason"]),
        (&json!("denied"), &json!("too much"))
    );
    stage
        .run(&["execute", "--intent", &id])
        .failed("approval_required", &[]);
    // A no leaves it alive: the person may look again.
    let approved = stage.run(&["approve", "--intent", &id, "--yes"]).result();
    assert_eq!(approved["decision"], "approved");
    assert!(
        approved["intent"]["summary"].is_string(),
        "the person sees what is approved"
    );
    let executed = stage.run(&["execute", "--intent", &id]).result();
    assert_eq!(executed["receipt"]["mandate"]["approval"], "human");
    assert_eq!((stage.sent(), stage.received()), (1, 8));
    assert_eq!(stage.receipts(), ["prepared", "refused", "executed"]);
    stage
        .run(&["approve", "--intent", &id, "--yes"])
        .failed("already_executed", &[]);
    stage
        .run(&["approve", "--intent", &id, "--reason", "x"])
        .failed("invalid_argument", &["--no"]);
}

#[test]
fn a_person_is_asked_at_the_terminal() {
    let Some((stage, id)) = set() else { return };
    let no = AtTerminal::start(&stage, &["execute", "--intent", &id]).answer("no\n");
    no.failed("approval_denied", &["denied at the terminal"]);
    let yes = AtTerminal::start(&stage, &["approve", "--intent", &id]).answer("yes\n");
    assert_eq!(yes.result()["decision"], "approved");
    let taken_back = AtTerminal::start(&stage, &["approve", "--intent", &id]).answer("\n");
    assert_eq!(taken_back.result()["decision"], "denied");
    let executed = AtTerminal::start(&stage, &["execute", "--intent", &id]).answer("yes\n");
    assert_eq!(executed.result()["receipt"]["mandate"]["approval"], "human");
    assert_eq!(stage.received(), 8);
}

#[test]
fn an_interrupt_at_the_question_signs_nothing() {
    let Some((stage, id)) = set() else { return };
    let asked = AtTerminal::start(&stage, &["execute", "--intent", &id]);
    interrupt(asked.child.id());
    let run = asked.finish();
    run.failed("interrupted", &["is prepared", "nothing was signed"]);
    assert_eq!((stage.sent(), stage.receipts().len()), (0, 1));
}

/// The node holds the answer back while the interrupt arrives; the execution still ends as it should.
#[test]
fn an_interrupt_while_sending_is_not_the_end_of_it() {
    let Some(stage) = Stage::set() else { return };
    let id = stage.prepare("4");
    let held = Held::start(&stage.anvil.url());
    let child = spawn(
        &stage,
        &["execute", "--intent", &id, "--rpc", held.node.url()],
    );
    held.sending.recv().unwrap();
    interrupt(child.id());
    held.release.send(()).unwrap();
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!(run.result()["state"], "submitted");
    assert_eq!((stage.sent(), stage.received()), (1, 4));
    assert_eq!(stage.receipts(), ["prepared", "executed"]);
}

/// A second interrupt ends it as a crash would, and says so.
#[test]
fn a_second_interrupt_says_where_the_intent_stands() {
    let Some(stage) = Stage::set() else { return };
    let id = stage.prepare("4");
    let held = Held::start(&stage.anvil.url());
    let mut child = spawn(
        &stage,
        &["execute", "--intent", &id, "--rpc", held.node.url()],
    );
    held.sending.recv().unwrap();
    interrupt(child.id());
    let mut stderr = child.stderr.take().unwrap();
    until(&mut stderr, "interrupt again");
    interrupt(child.id());
    let run = Run::of(child.wait_with_output().unwrap());
    run.failed("interrupted", &["submitting", "may have been sent"]);
    assert_eq!(run.json()["error"]["next"], "oda recover");
    held.release.send(()).unwrap();
    drop(held);
    let status = stage.run(&["status"]).result();
    assert_eq!(status["open"][0]["intent_id"], id.as_str());
}

/// A node that tells when a transaction arrives, and answers when it is told to.
struct Held {
    node: ScriptedNode,
    sending: mpsc::Receiver<()>,
    release: mpsc::Sender<()>,
}

impl Held {
    fn start(url: &str) -> Self {
        let (tell, sending) = mpsc::channel();
        let (release, wait) = mpsc::channel();
        let (url, wait) = (url.to_owned(), std::sync::Mutex::new(wait));
        let node = ScriptedNode::start(move |method, body| {
            if method == "eth_sendRawTransaction" {
                tell.send(()).unwrap();
                wait.lock().unwrap().recv().unwrap();
            }
            Reply::Body(post(&url, body))
        });
        Self {
            node,
            sending,
            release,
        }
    }
}

fn spawn(stage: &Stage, arguments: &[&str]) -> Child {
    let mut command = stage.sandbox.command(arguments);
    signing(&mut command, stage);
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn signing(command: &mut Command, stage: &Stage) {
    command
        .arg("--json")
        .env("ODA_EVM_KEY", Anvil::KEYS[0])
        .env("ODA_RPC_URL_BASE_SEPOLIA", stage.anvil.url());
}

fn interrupt(process_id: u32) {
    let pid = Pid::from_raw(i32::try_from(process_id).unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
}

/// Reads until a text was seen.
fn until(reader: &mut impl std::io::Read, text: &str) -> String {
    let mut seen = String::new();
    let mut byte = [0];
    while !seen.contains(text) {
        assert_eq!(
            reader.read(&mut byte).unwrap(),
            1,
            "it ended before {text:?}: {seen}"
        );
        seen.push(char::from(byte[0]));
    }
    seen
}

/// A call at a pseudo-terminal, after it asked its question.
struct AtTerminal {
    child: Child,
    terminal: File,
}

impl AtTerminal {
    fn start(stage: &Stage, arguments: &[&str]) -> Self {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        let name = ptsname(&controller, Vec::new()).unwrap();
        let side = File::options()
            .read(true)
            .write(true)
            .open(name.to_str().unwrap())
            .unwrap();
        let mut command = stage.sandbox.command(arguments);
        signing(&mut command, stage);
        let child = command
            .stdin(side.try_clone().unwrap())
            .stderr(side)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut terminal = File::from(controller);
        let shown = until(&mut terminal, "Type yes or no: ");
        assert!(
            shown.contains("Transfer") && shown.contains("allowed by the policy"),
            "{shown}"
        );
        Self { child, terminal }
    }

    fn answer(mut self, answer: &str) -> Run {
        self.terminal.write_all(answer.as_bytes()).unwrap();
        self.finish()
    }

    fn finish(self) -> Run {
        // The terminal stays open until the child has ended.
        let run = Run::of(self.child.wait_with_output().unwrap());
        drop(self.terminal);
        run
    }
}
