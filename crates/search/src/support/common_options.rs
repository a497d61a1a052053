//! Options that mean the same to several families.

use perfectplay_core::{Noticed, Optional, Setting, Switch, Whole};

/// How deep to look, at most `most` plies.
pub(crate) const fn depth(most: u64) -> Optional<Whole> {
    Optional::whole("depth", "plies to look ahead at most", 1..=most, "no limit")
}

pub(crate) const TABLE: Setting<Switch> = Setting::switch("table", "on or off: remember states", true);

pub(crate) const TABLE_MIB: Setting<Whole> = Setting::whole("table-mib", "size of the table in MiB", 1..=1_000_000, 64);

pub(crate) const KEEP: Setting<Switch> =
    Setting::switch("keep", "on: keep the tree when a move is played; off: start anew", true);

pub(crate) const PLAYOUTS: Noticed<Whole> =
    Setting::whole("playouts", "random games per state for eval=rollouts", 1..=1_000_000, 10).noticed();
