//! A process that sleeps through its lease, and wakes up after another one took over.

use std::process::Command;

use oda_core::ExecutionState;
use oda_testkit::Anvil;

use crate::chain::Chain;
use crate::run::{Ended, Run, Start, wait, wait_until_stopped};

/// Stops a process at a point, lets another one recover, and wakes the first.
fn sleep_at(run: &mut Run, point: &str) -> Ended {
    let start = Start {
        stop_at: Some(point.to_owned()),
        ..Start::execute()
    };
    let mut sleeper = run.start(&start);
    let trace = run.trace();
    wait_until_stopped(&mut sleeper);
    run.play(&Start::recover());
    let woken = Command::new("kill")
        .args(["-CONT", &sleeper.id().to_string()])
        .status()
        .unwrap();
    assert!(woken.success());
    let status = wait(&mut sleeper);
    Run::ended(&trace, &start, status)
}

#[test]
fn a_process_that_wakes_up_after_another_took_over_does_not_act() {
    let Some(anvil) = Anvil::start(&["--chain-id", "84532", "--no-mining"]).unwrap() else {
        return;
    };
    let chain = Chain::at(&anvil.url());
    // Where it sleeps, how many effects there are in the end, and whether it may reach the sending: it may
    // when it sleeps behind the durable step that allows it, and sends the same bytes again then.
    let cases = [
        ("after-claim", 0, false),
        ("after-sequence", 0, false),
        ("before-signing", 0, false),
        ("after-signing", 0, false),
        ("before-sign", 0, false),
        ("after-sign", 1, false),
        ("before-begin-submit", 1, false),
        ("after-begin-submit", 1, true),
        ("before-submit", 1, true),
        ("after-submit", 1, true),
        ("before-accept", 1, true),
    ];
    for (number, (point, expected, may_send)) in (1_000_000..).zip(cases) {
        let mut run = Run::new(&chain, number);
        run.prepare();
        let woken = sleep_at(&mut run, point);
        // Its step is refused: the intent is another one's, and has an end.
        assert_eq!(woken.end.as_deref(), Some("already_executed"), "{point}");
        let sent = woken.points.iter().any(|at| at == "before-submit:1");
        assert_eq!(sent, may_send, "{point}");
        run.play(&Start::recover());
        let (effects, state) = run.verify(0);
        let end = if expected == 1 {
            ExecutionState::Confirmed
        } else {
            ExecutionState::Failed
        };
        assert_eq!((effects, state), (expected, Some(end)), "{point}");
    }
}
