//! Every crash point, and every pair of them: one in the first process, one in the process that recovers.

use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use oda_core::{CRASH_POINTS, ExecutionState};
use oda_testkit::Anvil;

use crate::chain::Chain;
use crate::run::{Run, Start};
use crate::scenario::{SCENARIOS, Scenario};

/// One node and one thread each. Two keep two cores busy.
const WORKERS: u64 = 2;

/// What is left to do: a scenario, and where its first process is killed, if anywhere.
type Left = Mutex<VecDeque<(&'static Scenario, Option<String>)>>;

#[derive(Debug, Default)]
pub(crate) struct Tally {
    runs: u64,
    kills: u64,
    effects: u128,
    killed_at: BTreeSet<String>,
}

#[test]
fn killed_anywhere_and_anywhere_again_there_is_one_effect_or_none() {
    let mut anvils = Vec::new();
    for _ in 0..WORKERS {
        // Blocks are made when the test says so.
        match Anvil::start(&["--chain-id", "84532", "--no-mining"]).unwrap() {
            Some(anvil) => anvils.push(anvil),
            None => return,
        }
    }
    let numbers = AtomicU64::new(1);
    let first = Chain::at(&anvils[0].url());
    let mut left = VecDeque::new();
    for scenario in SCENARIOS {
        left.extend(first_points(scenario, &first, &numbers).map(|point| (scenario, point)));
    }
    let left: Left = Mutex::new(left);
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let workers: Vec<_> = anvils
            .iter()
            .map(|anvil| {
                let chain = Chain::at(&anvil.url());
                let (left, numbers) = (&left, &numbers);
                scope.spawn(move || work(left, &chain, numbers))
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .collect()
    });
    let mut total = Tally::default();
    for tally in tallies {
        total.runs += tally.runs;
        total.kills += tally.kills;
        total.effects += tally.effects;
        total.killed_at.extend(tally.killed_at);
    }
    println!(
        "kill runs: {} runs, {} kills at {} points, {} effects, never two in one run",
        total.runs,
        total.kills,
        total.killed_at.len(),
        total.effects
    );
    let missed: Vec<_> = CRASH_POINTS
        .iter()
        .filter(|point| !total.killed_at.contains(**point))
        .collect();
    assert!(missed.is_empty(), "no process was killed at {missed:?}");
    assert!(total.effects > 0);
}

/// Where the first process of a scenario is killed: at every point that an undisturbed one passes, and nowhere.
fn first_points(
    scenario: &Scenario,
    chain: &Chain,
    numbers: &AtomicU64,
) -> impl Iterator<Item = Option<String>> {
    let points = if !scenario.only.is_empty() {
        let only = scenario.only.iter();
        only.map(|point| Some((*point).to_owned())).collect()
    } else {
        let mut run = Run::new(chain, numbers.fetch_add(1, Ordering::Relaxed));
        if scenario.prepared {
            run.prepare();
        }
        let passed = run.play(&(scenario.first)()).points;
        // Nothing of it may wait for the next run.
        run.play(&Start::recover());
        run.verify(0);
        assert!(!passed.is_empty(), "{}", scenario.name);
        passed
            .into_iter()
            .map(Some)
            .chain([None])
            .collect::<Vec<_>>()
    };
    points.into_iter()
}

fn work(left: &Left, chain: &Chain, numbers: &AtomicU64) -> Tally {
    let mut tally = Tally::default();
    loop {
        let next = left
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front();
        let Some((scenario, first)) = next else {
            return tally;
        };
        let points = tally.once(scenario, chain, numbers, first.as_deref(), None);
        for second in points {
            tally.once(scenario, chain, numbers, first.as_deref(), Some(&second));
        }
    }
}

/// The agent never heard an answer, so it asks for the same execution again. Only what is still prepared may
/// have its effect now. Tells how many effects there are in the end.
fn ask_again(run: &mut Run, foreign: u128, effects: u128, state: Option<ExecutionState>) -> u128 {
    let answer = run.play(&Start::execute()).end;
    let expected = match state {
        Some(ExecutionState::Prepared) => "submitted",
        Some(ExecutionState::Refused) => "refused",
        Some(ExecutionState::Expired) => "expired",
        _ => "already_executed",
    };
    assert_eq!(answer.as_deref(), Some(expected), "asked again: {state:?}");
    run.play(&Start::recover());
    let (now, end) = run.verify(foreign);
    if state == Some(ExecutionState::Prepared) {
        assert_eq!((now, end), (1, Some(ExecutionState::Confirmed)));
    } else {
        assert_eq!((now, end), (effects, state));
    }
    now
}

/// Says which run it was when an assertion fails in it.
struct Told(String);

impl Drop for Told {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("failed in the run: {}", self.0);
        }
    }
}

impl Tally {
    /// One run. Gives the points that the last recovering process passed.
    fn once(
        &mut self,
        scenario: &Scenario,
        chain: &Chain,
        numbers: &AtomicU64,
        first: Option<&str>,
        second: Option<&str>,
    ) -> Vec<String> {
        let _told = Told(format!(
            "{}, killed at {first:?} and then at {second:?}",
            scenario.name
        ));
        let mut run = Run::new(chain, numbers.fetch_add(1, Ordering::Relaxed));
        if scenario.prepared {
            run.prepare();
        }
        let mut start = (scenario.first)();
        if let Some(point) = first {
            start = start.crash_at(point);
            self.killed(point);
        }
        run.play(&start);
        let foreign = (scenario.between)(&run, chain);
        if let Some(point) = second {
            run.play(&Start::recover().crash_at(point));
            self.killed(point);
        }
        let last = run.play(&Start::recover());
        let (effects, state) = run.verify(foreign);
        assert!(scenario.ends.contains(&state), "{state:?}");
        self.runs += 1;
        // The answer depends on the state alone: once for each first point is enough.
        let ask = second.is_none() || state == Some(ExecutionState::Prepared);
        self.effects += if scenario.prepared && ask {
            ask_again(&mut run, foreign, effects, state)
        } else {
            effects
        };
        last.points
    }

    fn killed(&mut self, point: &str) {
        self.kills += 1;
        let (name, _) = point.split_once(':').unwrap();
        self.killed_at.insert(name.to_owned());
    }
}
