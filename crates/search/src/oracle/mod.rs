//! The oracles: written for clarity, everything clever is compared with them.

pub mod backward_induction;
pub mod equilibria;
pub(crate) mod induction;
pub(crate) mod propagation;
pub(crate) mod reachable;
pub mod retrograde;
