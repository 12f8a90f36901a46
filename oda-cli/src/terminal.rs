//! Asking the person at the terminal.

use std::io::{self, IsTerminal as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use oda_core::{Approver, Decision, PreparedIntent};

use crate::{output, show};

/// Shows an intent on the terminal and asks about it. Only the word `yes` is a yes.
#[derive(Debug, Default)]
pub(crate) struct Terminal {
    waiting: Arc<AtomicBool>,
}

impl Terminal {
    /// The terminal, when there is one: questions go to standard error, answers come from standard input.
    pub(crate) fn find() -> Option<Self> {
        let there = io::stdin().is_terminal() && io::stderr().is_terminal();
        there.then(Self::default)
    }

    /// Whether a person is being waited for at this moment.
    pub(crate) fn waiting(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.waiting)
    }
}

#[async_trait]
impl Approver for Terminal {
    async fn ask(&self, intent: &PreparedIntent) -> Decision {
        let question = format!(
            "{}\nApprove it? Type yes or no: ",
            show::intent::text(intent)
        );
        self.waiting.store(true, Ordering::SeqCst);
        let answer = tokio::task::spawn_blocking(move || ask(&question)).await;
        self.waiting.store(false, Ordering::SeqCst);
        match answer {
            Ok(Ok(answer)) => decision(&answer),
            Ok(Err(error)) => denied(format!("the answer could not be read: {error}")),
            Err(_) => denied("nobody answered".to_owned()),
        }
    }
}

fn ask(question: &str) -> io::Result<String> {
    output::ask(question)?;
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(line)
}

fn decision(answer: &str) -> Decision {
    match answer.trim() {
        "yes" => Decision::Approved,
        "" => denied("no answer was given at the terminal".to_owned()),
        _ => denied("denied at the terminal".to_owned()),
    }
}

fn denied(reason: String) -> Decision {
    Decision::Denied { reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_is_a_yes() {
        assert_eq!(decision("yes\n"), Decision::Approved);
        for answer in ["", "y\n", "YES\n", "no\n", "yes please\n", "\u{1b}yes\n"] {
            assert!(
                matches!(decision(answer), Decision::Denied { .. }),
                "{answer:?}"
            );
        }
    }
}
