//! Working memory, kept per thread.

use std::cell::Cell;

use crate::layout::Layout;

/// The most memory a thread keeps for the next call: enough for every document of the project
/// many times over, small enough not to matter per thread.
const MAX_KEPT_BYTES: usize = 256 * 1024;

thread_local! {
    static KEPT: Cell<Option<Box<Layout>>> = const { Cell::new(None) };
}

/// Runs `work` with an empty layout.
///
/// The layout is taken out of its place meanwhile, so a `Serialize` implementation that comes
/// back here while it is being written simply gets a fresh one.
pub(crate) fn with_layout<R>(work: impl FnOnce(&mut Layout) -> R) -> R {
    let mut layout = KEPT.try_with(Cell::take).ok().flatten().unwrap_or_default();
    layout.clear();
    let result = work(&mut layout);
    if layout.capacity() <= MAX_KEPT_BYTES {
        // Fails only while the thread is shutting down; then the memory is simply freed.
        let _ = KEPT.try_with(|kept| kept.set(Some(layout)));
    }
    result
}
