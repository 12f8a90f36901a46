//! Group commit: callers queue up, one of them writes for all, one sync serves them all.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::writer::{Done, Work, Writer};
use crate::error::ReceiptError;

/// How often the leading thread lets others run before it writes, as long as more queue up.
/// Bounds what a crowd of writers can add to the waiting time of the first.
const MAX_YIELDS: usize = 64;

/// A writer shared by threads.
#[derive(Debug)]
pub(crate) struct Group {
    queue: Mutex<Queue>,
    writer: Mutex<Writer>,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: Vec<Job>,
    /// Whether some thread is writing, or was told to.
    leadership: Leadership,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Leadership {
    #[default]
    Vacant,
    Taken,
}

#[derive(Debug)]
struct Job {
    work: Work,
    reply: Reply,
}

/// What a waiting thread is told.
#[derive(Debug)]
enum Told {
    /// Its share is durable, or why not.
    Outcome(Result<Done, ReceiptError>),
    /// It is the one to write the next batch.
    Lead,
    /// The thread that wrote for it ended without an answer.
    Abandoned,
}

/// Where one thread waits.
#[derive(Default)]
struct Seat {
    told: Mutex<Option<Told>>,
    wake: Condvar,
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seat")
    }
}

impl Seat {
    fn tell(&self, told: Told) {
        *lock(&self.told) = Some(told);
        self.wake.notify_one();
    }

    fn wait(&self) -> Told {
        let mut told = lock(&self.told);
        loop {
            if let Some(told) = told.take() {
                return told;
            }
            told = self.wake.wait(told).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The writing thread's end of a seat. A thread is never left waiting: if the batch ends in a
/// panic, dropping this says so.
#[derive(Debug)]
struct Reply(Option<Arc<Seat>>);

impl Reply {
    fn send(mut self, outcome: Result<Done, ReceiptError>) {
        if let Some(seat) = self.0.take() {
            seat.tell(Told::Outcome(outcome));
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if let Some(seat) = self.0.take() {
            seat.tell(Told::Abandoned);
        }
    }
}

impl Group {
    pub(crate) fn new(writer: Writer) -> Self {
        Self {
            queue: Mutex::default(),
            writer: Mutex::new(writer),
        }
    }

    /// Returns when the work is on the disk, or has failed.
    pub(crate) fn submit(&self, work: Work) -> Result<Done, ReceiptError> {
        let seat = Arc::new(Seat::default());
        let leadership = {
            let mut queue = lock(&self.queue);
            let reply = Reply(Some(Arc::clone(&seat)));
            queue.waiting.push(Job { work, reply });
            std::mem::replace(&mut queue.leadership, Leadership::Taken)
        };
        if leadership == Leadership::Vacant {
            self.lead();
        }
        loop {
            match seat.wait() {
                Told::Outcome(outcome) => return outcome,
                Told::Lead => self.lead(),
                Told::Abandoned => {
                    return Err(ReceiptError::Poisoned {
                        path: lock(&self.writer).path().to_owned(),
                        reason: "the writing thread ended in the middle of a batch".into(),
                    });
                }
            }
        }
    }

    /// The writer, between batches.
    pub(crate) fn writer(&self) -> MutexGuard<'_, Writer> {
        lock(&self.writer)
    }

    /// Lets threads that are about to queue up do so: those that the last batch has just set free
    /// are usually back within microseconds, and a sync is worth sharing with them. A thread that
    /// is alone yields once, which costs less than a microsecond.
    fn gather(&self) {
        let mut seen = 0;
        for _ in 0..MAX_YIELDS {
            let queued = lock(&self.queue).waiting.len();
            if queued == seen {
                return;
            }
            seen = queued;
            std::thread::yield_now();
        }
    }

    /// Writes what is queued, this thread's own share among it.
    fn lead(&self) {
        let _handover = Handover(self);
        self.gather();
        let mut writer = lock(&self.writer);
        let jobs = std::mem::take(&mut lock(&self.queue).waiting);
        let (batch, replies): (Vec<Work>, Vec<Reply>) =
            jobs.into_iter().map(|job| (job.work, job.reply)).unzip();
        let outcomes = writer.commit(batch);
        drop(writer);
        for (reply, outcome) in replies.into_iter().zip(outcomes) {
            reply.send(outcome);
        }
    }
}

/// Gives the lead to the first waiting thread, also when a batch ends in a panic.
struct Handover<'a>(&'a Group);

impl Drop for Handover<'_> {
    fn drop(&mut self) {
        let mut queue = lock(&self.0.queue);
        match queue.waiting.first().and_then(|job| job.reply.0.clone()) {
            Some(seat) => seat.tell(Told::Lead),
            None => queue.leadership = Leadership::Vacant,
        }
    }
}

/// Locks; a panic in another thread leaves these values as whole as before it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
