//! Who may use a processor now: jobs take turns, first come, first served.

use std::sync::{Condvar, Mutex};

/// So many may work at the same moment; the others wait in line.
pub(crate) struct Slots {
    line: Mutex<Line>,
    moved: Condvar,
}

struct Line {
    /// The next number to be given out.
    next: u64,
    /// Numbers below this one may work.
    admitted: u64,
}

/// The right to work, until it is dropped.
pub(crate) struct Slot<'a>(&'a Slots);

impl Slots {
    pub(crate) fn new(at_once: usize) -> Self {
        Slots { line: Mutex::new(Line { next: 0, admitted: at_once.max(1) as u64 }), moved: Condvar::new() }
    }

    /// Waits for its turn.
    pub(crate) fn wait(&self) -> Slot<'_> {
        let mut line = self.line.lock().expect("nobody panics in line");
        let mine = line.next;
        line.next += 1;
        let _admitted = self.moved.wait_while(line, |line| mine >= line.admitted).expect("nobody panics in line");
        Slot(self)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.0.line.lock().expect("nobody panics in line").admitted += 1;
        self.0.moved.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    use super::*;

    #[test]
    fn never_more_than_allowed_and_everybody_in_the_end() {
        let (slots, now, most, done) = (Slots::new(2), AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let _slot = slots.wait();
                        most.fetch_max(now.fetch_add(1, SeqCst) + 1, SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(1, SeqCst);
                        done.fetch_add(1, SeqCst);
                    }
                });
            }
        });
        assert_eq!((done.into_inner(), most.into_inner() <= 2), (320, true));
    }
}
