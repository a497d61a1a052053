//! What the system still gives. It may refuse at any time (`ulimit -v`, a table larger than the machine), and a `Vec`
//! or a map that grows regardless ends the program. So whatever may become large asks here before it grows, and a
//! search that is refused ends with [`Stop::Memory`](perfectplay_core::Stop::Memory) or makes do with less.

use memmap2::MmapOptions;

/// Left to everything small: lists of moves, lines, texts, stacks of threads.
pub(crate) const RESERVE: usize = 24 << 20;

/// What is not asked for: it comes out of the reserve.
pub(crate) const UNASKED: usize = 1 << 16;

/// Whether the system would give so many bytes, and the reserve beside them.
pub(crate) fn available(bytes: usize) -> bool {
    bytes <= UNASKED || MmapOptions::new().len(bytes.saturating_add(RESERVE)).map_anon().is_ok()
}

/// The most that the system would give of `bytes`, halved until it would: for what is filled at once, so no more than
/// the machine has to spare.
pub(crate) fn granted(mut bytes: usize) -> usize {
    let spare = to_spare().unwrap_or(usize::MAX);
    while bytes > UNASKED && (bytes > spare || !available(bytes)) {
        bytes /= 2;
    }
    bytes
}

/// What could be handed out without taking it from other programs, where the system tells.
fn to_spare() -> Option<usize> {
    let told = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = told.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.checked_mul(1024)
}

/// What to tell about a table that became smaller than it was meant to be.
pub(crate) fn note_of_less(wanted: usize, granted: usize) -> Option<String> {
    let mib = |bytes: usize| bytes.div_ceil(1 << 20);
    let text = || format!("the system has no {} MiB for the table: it has {} MiB", mib(wanted), mib(granted));
    (granted < wanted).then(text)
}

/// Makes room for `more` values and no others; `false` if the system has none.
pub(crate) fn reserve_exact<T>(list: &mut Vec<T>, more: usize) -> bool {
    let bytes = (list.len().saturating_add(more)).saturating_mul(size_of::<T>());
    list.capacity() - list.len() >= more || available(bytes) && list.try_reserve_exact(more).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_refused() {
        assert!(available(1 << 20) && !available(usize::MAX));
        assert!((1..1 << 50).contains(&granted(1 << 60)));
        let mut list = vec![1_u64];
        assert!(reserve_exact(&mut list, 1 << 20) && list.capacity() > 1 << 20);
        assert!(!reserve_exact(&mut list, usize::MAX / 2) && !reserve_exact(&mut list, 1 << 56));
        assert_eq!(note_of_less(1 << 30, 1 << 30), None);
        assert!(note_of_less(1 << 30, 1 << 20).unwrap().contains("1024 MiB"));
    }
}
