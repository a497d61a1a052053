//! What visitors may use.

use std::time::Duration;

/// Caps on what all visitors, and each of them, may use.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Pages that may be open at the same time.
    pub sessions: usize,
    /// Jobs that a page may have, finished ones included; the oldest finished one makes room.
    pub jobs: usize,
    /// Searches that run at the same moment; the others wait for their next slice.
    pub searches_at_once: usize,
    /// Bytes that all searches together may hold.
    pub memory: usize,
    /// Bytes that one search may hold.
    pub search_memory: usize,
    /// Time that one search may take of the processor.
    pub time: Duration,
    /// Bytes of a request.
    pub body: usize,
    /// Connections at the same time.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            sessions: 256,
            jobs: 8,
            searches_at_once: std::thread::available_parallelism().map_or(2, usize::from),
            memory: 4 << 30,
            search_memory: 512 << 20,
            time: Duration::from_secs(600),
            body: 64 << 10,
            connections: 768,
        }
    }
}
