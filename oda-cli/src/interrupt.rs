//! What a signal does to an execution: it never ends between signing and recording without a word.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use oda_core::{Engine, EngineError, Execution, ExecutionState, IntentId};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinHandle;

use crate::answer::Failure;
use crate::error::CliError;
use crate::output;

/// Executes an intent to its end, whatever signals come.
///
/// The first signal is answered with a word: every wait of an execution is bounded, so it ends by itself.
/// Only while a person is being asked, when nothing was signed yet, does it end the call. A second signal
/// ends it as a crash would, and says where the intent stands.
pub(crate) async fn execute(
    engine: &Arc<Engine>,
    id: &IntentId,
    person_is_asked: &AtomicBool,
) -> Result<Execution, Failure> {
    let mut signals = Signals::listen()?;
    let (working, intent) = (Arc::clone(engine), id.clone());
    let mut task = tokio::spawn(async move { working.execute(&intent).await });
    tokio::select! {
        result = &mut task => return finished(result),
        () = signals.next() => {}
    }
    if !person_is_asked.load(Ordering::SeqCst) {
        output::tell(
            "interrupted: the step at hand is finished first; interrupt again to stop at once",
        );
        tokio::select! {
            result = &mut task => return finished(result),
            () = signals.next() => {}
        }
    }
    stopped(task, engine, id).await
}

fn finished(
    result: Result<Result<Execution, EngineError>, tokio::task::JoinError>,
) -> Result<Execution, Failure> {
    match result {
        Ok(executed) => Ok(executed?),
        Err(error) => Err(CliError::Runtime {
            source: std::io::Error::other(error),
        }
        .into()),
    }
}

/// Drops the execution where it waits, as a crash would, and reads back where the intent stands.
async fn stopped(
    task: JoinHandle<Result<Execution, EngineError>>,
    engine: &Engine,
    id: &IntentId,
) -> Result<Execution, Failure> {
    task.abort();
    // A step that is being written goes through or not at all; only then is the answer below true.
    let _ = task.await;
    let state = engine.intent(id).await?.progress.state;
    let (says, next) = match state {
        ExecutionState::Prepared => (
            "nothing was signed and it can still be executed",
            format!("oda execute --intent {id}"),
        ),
        ExecutionState::Claimed => (
            "nothing was sent; the claim is void when its lease ends, and the intent then failed",
            "oda recover".to_owned(),
        ),
        _ if state.may_have_effect() => (
            "signed bytes exist and may have been sent: do not prepare the same action again",
            "oda recover".to_owned(),
        ),
        _ => ("nothing is open", format!("oda status --intent {id}")),
    };
    let error = CliError::Interrupted(format!("interrupted: intent {id} is {state}; {says}"));
    Err(Failure::from(error).next(next))
}

/// Interrupt (Ctrl-C) and terminate.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn listen() -> Result<Self, CliError> {
        let listen = |kind| signal(kind).map_err(|source| CliError::Runtime { source });
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
