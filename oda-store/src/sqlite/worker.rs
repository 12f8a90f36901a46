//! The threads that own the connections.
//!
//! SQLite blocks: on the disk, and on other processes. So each connection lives on a thread of its own and
//! calls reach it through a queue. What has been queued runs to its end, whether or not the caller still
//! waits: a cancelled call leaves no half of a transaction, and no open one.

use std::fmt;
use std::io;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use oda_core::StoreError;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::batch;
use super::error::{corrupt, unavailable};

/// One connection on one thread.
pub(super) struct Worker {
    /// `None` only while it is being dropped.
    queue: Option<mpsc::Sender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// A worker whose jobs each see the last committed state.
    pub(super) fn reader(connection: Connection) -> io::Result<Self> {
        Self::start("oda-store-read", connection, |connection, queue| {
            for mut job in queue {
                job.run(&connection);
                job.report(None);
            }
        })
    }

    /// A worker that commits the jobs that wait in its queue together.
    pub(super) fn writer(connection: Connection) -> io::Result<Self> {
        Self::start("oda-store-write", connection, |connection, queue| {
            batch::write_all(&connection, &queue);
        })
    }

    fn start(
        name: &str,
        connection: Connection,
        work: impl FnOnce(Connection, mpsc::Receiver<Box<dyn Job>>) + Send + 'static,
    ) -> io::Result<Self> {
        let (queue, jobs) = mpsc::channel();
        let thread = thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || work(connection, jobs))?;
        Ok(Self {
            queue: Some(queue),
            thread: Some(thread),
        })
    }

    /// Runs `work` on the thread. Needs no runtime: any executor can wait for the answer.
    pub(super) async fn call<T, F>(&self, action: &'static str, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let ended = || unavailable(action, "the thread of the store has ended; open it again");
        let (reply, answer) = oneshot::channel();
        let job = Work {
            action,
            work: Some(work),
            outcome: None,
            reply,
        };
        self.queue
            .as_ref()
            .and_then(|queue| queue.send(Box::new(job)).ok())
            .ok_or_else(ended)?;
        answer.await.unwrap_or_else(|_| Err(ended()))
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").finish_non_exhaustive()
    }
}

impl Drop for Worker {
    /// Waits for what is queued, so that a store that was dropped has let go of its files.
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(thread) = self.thread.take() {
            // A panic over there was already answered with an error to whoever waited.
            let _ = thread.join();
        }
    }
}

/// One call, on its way to the connection and back.
pub(super) trait Job: Send {
    /// Does the work. `true` when its changes are to be kept.
    fn run(&mut self, connection: &Connection) -> bool;

    /// Answers the caller. With a reason, nothing of the batch became durable.
    fn report(self: Box<Self>, lost: Option<&StoreError>);
}

struct Work<T, F> {
    action: &'static str,
    work: Option<F>,
    outcome: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F> Job for Work<T, F>
where
    T: Send,
    F: FnOnce(&Connection) -> Result<T, StoreError> + Send,
{
    fn run(&mut self, connection: &Connection) -> bool {
        self.outcome = self.work.take().map(|work| work(connection));
        matches!(self.outcome, Some(Ok(_)))
    }

    fn report(self: Box<Self>, lost: Option<&StoreError>) {
        let outcome = match (self.outcome, lost) {
            // What the job itself found says more than that its batch was lost.
            (Some(Err(error)), _) => Err(error),
            (Some(Ok(value)), None) => Ok(value),
            (_, Some(StoreError::Corrupt { what, reason })) => Err(corrupt(what, reason)),
            (_, Some(StoreError::Unavailable { reason, .. })) => {
                Err(unavailable(self.action, reason))
            }
            (_, Some(other)) => Err(unavailable(self.action, other)),
            (None, None) => Err(unavailable(self.action, "it was not run; try again")),
        };
        // Nobody waits any more when the call was cancelled.
        let _ = self.reply.send(outcome);
    }
}
