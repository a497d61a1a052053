//! A progress line on a terminal; nothing in a pipe.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use perfectplay_core::{Observer, Progress};

use crate::output::{bytes_text, grouped, rate_text};

/// Shows how a search goes on. Drawn on standard error, and only if that is a terminal.
pub(crate) struct Bar {
    bar: ProgressBar,
    started: Instant,
    drawn: Option<Instant>,
    saved: Option<Instant>,
}

impl Bar {
    pub(crate) fn new(what: &str) -> Self {
        let bar = ProgressBar::new(1000);
        let style = ProgressStyle::with_template("{spinner} {prefix} {bar:24} {msg} {elapsed}");
        bar.set_style(style.expect("a template that was tried"));
        bar.set_prefix(what.to_owned());
        Bar { bar, started: Instant::now(), drawn: None, saved: None }
    }

    /// The search was saved just now.
    pub(crate) fn saved(&mut self) {
        self.saved = Some(Instant::now());
    }

    pub(crate) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Bar {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        let now = Instant::now();
        if self.bar.is_hidden() || self.drawn.is_some_and(|d| now - d < Duration::from_millis(100)) {
            return ControlFlow::Continue(());
        }
        self.drawn = Some(now);
        if let Some(share) = progress.share {
            self.bar.set_position((share * 1000.0) as u64);
        }
        let rate = rate_text(progress.nodes, self.started.elapsed().as_secs_f64());
        let depth = progress.depth.map_or(String::new(), |d| format!(", depth {d}"));
        let (nodes, bytes) = (grouped(progress.nodes), bytes_text(progress.bytes));
        let saved = self.saved.map_or(String::new(), |s| format!(", saved {} s ago", (now - s).as_secs()));
        self.bar.set_message(format!("{nodes} nodes, {rate}, {bytes}{depth}{saved}"));
        self.bar.tick();
        ControlFlow::Continue(())
    }
}
