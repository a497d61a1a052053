//! Sorting, compiled once: a sort in generic code is compiled anew for every game, at eight kilobytes each.

/// The places of `keys` in the order of keys; equal ones stay as they are.
pub fn ascending(keys: &[i64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..keys.len()).collect();
    places.sort_by_key(|&place| keys[place]);
    places
}

/// A number that is greater for a greater float, as [`f64::total_cmp`] has it. Its bits inverted, the greatest is
/// first.
pub fn key_of(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

/// The best score first; equal ones by their numbers.
pub(crate) fn by_score(order: &mut [(i32, u32)]) {
    order.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
}

/// The best rank first; equal ones by their numbers.
pub(crate) fn by_rank(ranks: &mut [(i64, u16, u16)]) {
    ranks.sort_unstable_by_key(|&(rank, i, _)| (std::cmp::Reverse(rank), i));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_and_their_keys_have_one_order() {
        let values = [f64::NEG_INFINITY, -2.5, -1e-300, -0.0, 0.0, 1e-300, 1.0, f64::INFINITY];
        assert!(values.is_sorted_by_key(|&value| key_of(value)));
        assert_eq!(ascending(&[3, 1, 2, 1]), [1, 3, 2, 0]);
    }
}
