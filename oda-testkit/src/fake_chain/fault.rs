//! What can go wrong on the way to the fake chain, and where.

/// A question that the fake chain is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Call {
    /// Simulate a payload.
    Simulate,
    /// Where the sender's sequence stands.
    Lane,
    /// Fix the terms.
    Terms,
    /// Send signed bytes.
    Submit,
    /// What became of signed bytes.
    Fate,
}

/// What happens to one call instead of the ordinary.
///
/// `Unavailable` and `Slow` fit every call. The others fit the call they name; on any other call they are a
/// mistake in the test, and the call answers that it is unavailable and says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The node is not reached: no effect and no answer.
    Unavailable,
    /// The call waits until [`FakeChain::release`](crate::FakeChain::release), then goes on as ordinary.
    Slow,
    /// Simulate: the payload would fail.
    WouldFail {
        /// Why.
        reason: String,
    },
    /// Submit: the node takes the bytes and its reply is lost.
    ReplyLost,
    /// Submit: the node takes the bytes and answers with a server error.
    ServerErrorAfterAccept,
    /// Submit: the bytes arrive twice.
    Duplicate,
    /// Submit: the bytes are held on the way, and nobody answers. They arrive with
    /// [`FakeChain::deliver_held`](crate::FakeChain::deliver_held), last first, behind whatever was sent
    /// since.
    Reordered,
    /// Submit: the node refuses for certain.
    Refused {
        /// Its reason.
        reason: String,
    },
    /// Submit: the node takes the bytes, answers, and forgets its waiting transactions.
    AcceptedThenForgotten,
    /// Submit: the node takes the bytes; they will fail in their block.
    WillRevert {
        /// Why.
        reason: String,
    },
}
