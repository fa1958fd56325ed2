//! What happens on Ctrl-C?
//!
//! The first one raises the flag of whoever runs, which then stops cleanly; the second ends the process at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

static RAISED_ON_INTERRUPT: OnceLock<Mutex<Arc<AtomicBool>>> = OnceLock::new();

/// The exit code of a process that was interrupted.
const INTERRUPTED: i32 = 130;

/// From now on an interrupt raises this flag.
pub(crate) fn raise(flag: Arc<AtomicBool>) {
    if let Some(known) = RAISED_ON_INTERRUPT.get() {
        *known.lock().unwrap_or_else(PoisonError::into_inner) = flag;
        return;
    }
    let cell = RAISED_ON_INTERRUPT.get_or_init(|| Mutex::new(flag));
    // Without a handler an interrupt simply ends the process, which every command survives.
    let _ = ctrlc::set_handler(|| {
        let flag = cell.lock().unwrap_or_else(PoisonError::into_inner);
        if flag.swap(true, Ordering::SeqCst) {
            std::process::exit(INTERRUPTED);
        }
    });
}
