//! Numbers that several threads may read and change at once, without locks: what two of them change in the same
//! instant may count once. Learning does not mind (Recht, Ré, Wright and Niu 2011).

use std::sync::atomic::{AtomicU32, Ordering};

/// A number of 32 bits.
#[derive(Debug, Default)]
pub struct Weight(AtomicU32);

impl Weight {
    /// Made from a number.
    pub fn new(value: f32) -> Self {
        Weight(AtomicU32::new(value.to_bits()))
    }

    /// What it is now.
    #[inline]
    pub fn get(&self) -> f32 {
        f32::from_bits(self.0.load(Ordering::Relaxed))
    }

    /// Replaces it.
    #[inline]
    pub fn set(&self, value: f32) {
        self.0.store(value.to_bits(), Ordering::Relaxed);
    }

    /// Adds to it.
    #[inline]
    pub fn add(&self, value: f32) {
        self.set(self.get() + value);
    }
}

impl Clone for Weight {
    fn clone(&self) -> Self {
        Weight::new(self.get())
    }
}
