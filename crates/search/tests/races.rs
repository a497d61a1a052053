//! What the threads of induction and of proof-number search share, in every order in which they can come: `loom` runs
//! them all, with every value that a read may see. The same files as in the library, on loom's atomic words.
#![allow(dead_code, unreachable_pub)]

mod sync {
    pub(crate) use loom::cell::UnsafeCell;
    pub(crate) use loom::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};

    pub(crate) fn wait_a_moment(_: &mut u32) {
        loom::thread::yield_now();
    }
}

mod pages {
    pub(crate) const LARGE: usize = 10;
}

#[path = "../src/support/ahead.rs"]
mod ahead;
#[path = "../src/proof_number/node_word.rs"]
mod node_word;
#[path = "../src/support/write_once.rs"]
mod write_once;

use ahead::Ahead;
use loom::sync::Arc;
use loom::thread;
use node_word::{Leaf, Node};
use sync::{AtomicU64, Ordering};
use write_once::Bucket;

/// As a table does with the bucket to which a key belongs.
fn insert(bucket: &Bucket<u64, Box<u64>>, key: u64) -> bool {
    let mut bucket = bucket.lock();
    bucket.get(key).is_err() && bucket.add(key, Box::new(key + 1)).is_ok()
}

/// Two threads add the same key, and a third looks: it is added once, and never seen half written.
#[test]
fn a_key_is_added_once_and_seen_whole() {
    loom::model(|| {
        let bucket = Arc::new(Bucket::new());
        let adds = [0, 1].map(|_| {
            let bucket = bucket.clone();
            thread::spawn(move || insert(&bucket, 7))
        });
        if let Ok(value) = bucket.get(7) {
            assert_eq!(**value, 8);
        }
        let added = adds.map(|add| add.join().unwrap());
        assert!(added[0] != added[1]);
        assert_eq!(bucket.get(7).map(|value| **value), Ok(8));
    });
}

/// Two threads add different keys: none is lost, also where there is room for one of them only.
#[test]
fn no_key_takes_the_place_of_another() {
    for before in [0, 2] {
        loom::model(move || {
            let bucket = Arc::new(Bucket::new());
            assert!((0..before).all(|key| insert(&bucket, key)));
            let adds = [10, 11].map(|key| {
                let bucket = bucket.clone();
                thread::spawn(move || insert(&bucket, key))
            });
            let [first, second] = adds.map(|add| add.join().unwrap());
            assert_eq!(usize::from(first) + usize::from(second), if before == 0 { 2 } else { 1 });
            for (key, added) in [(10, first), (11, second)] {
                let expected = if added { Ok(key + 1) } else { Err(true) };
                assert_eq!(bucket.get(key).map(|value| **value), expected);
            }
            assert_eq!(bucket.iter().count() as u64, if before == 0 { 2 } else { 3 });
        });
    }
}

/// Two threads come to one leaf: one of them expands it, both see the edge that it has written, and no path is left.
#[test]
fn a_leaf_is_expanded_once_and_paths_are_taken_back() {
    loom::model(|| {
        let shared = Arc::new((AtomicU64::new(Node::leaf(true).bits()), AtomicU64::new(0)));
        let visit = |shared: &(AtomicU64, AtomicU64)| {
            let (node, edge) = shared;
            node_word::enter(node);
            let expanded = node_word::look(node).count() == 0 && node_word::claim(node) == Leaf::Ours;
            if expanded {
                edge.store(9, Ordering::Relaxed);
                node_word::open(node, 5, 1);
            }
            let now = node_word::look(node);
            assert!(
                now.count() == 0 || now.first() == 5 && edge.load(Ordering::Relaxed) == 9,
                "edges before the count"
            );
            node_word::leave(node);
            expanded
        };
        let other = shared.clone();
        let other = thread::spawn(move || visit(&other));
        let expanded = [visit(&shared), other.join().unwrap()];
        assert!(expanded[0] != expanded[1]);
        assert_eq!(node_word::look(&shared.0).bits(), Node::leaf(true).with_edges(5, 1).bits());
    });
}

/// Two threads bring a number up to date with what it follows from: what is final stays, and who comes next finds it.
#[test]
fn a_final_number_is_never_written_again() {
    loom::model(|| {
        let shared = Arc::new([1, 1, 2].map(AtomicU64::new));
        let follow = |shared: &[AtomicU64; 3]| {
            let sum = || shared[0].load(Ordering::SeqCst) + shared[1].load(Ordering::SeqCst);
            node_word::follow(&shared[2], |number| number >= 100, sum)
        };
        let settle = move |shared: &[AtomicU64; 3], child: usize, value: u64| {
            shared[child].store(value, Ordering::SeqCst);
            follow(shared);
        };
        let other = shared.clone();
        let other = thread::spawn(move || settle(&other, 0, 100));
        settle(&shared, 1, 7);
        let seen = shared[2].load(Ordering::SeqCst);
        other.join().unwrap();
        follow(&shared);
        let last = shared[2].load(Ordering::SeqCst);
        assert!([101, 107].contains(&last) && (seen < 100 || seen == last), "{seen}, {last}");
        assert!(!follow(&shared), "nothing is left to correct");
    });
}

/// Two threads take what is due of a table's next memory: every page once.
#[test]
fn no_page_is_provided_twice() {
    loom::model(|| {
        let ahead = Arc::new(Ahead::new());
        let take = |ahead: &Ahead| [ahead.next(0..20, 80, 100), ahead.next(0..20, 100, 100)];
        let other = ahead.clone();
        let other = thread::spawn(move || take(&other));
        let mut pages: Vec<_> = take(&ahead).into_iter().chain(other.join().unwrap()).flatten().collect();
        pages.sort_unstable_by_key(|page| page.start);
        pages.extend(ahead.next(0..20, 100, 100)); // who came second may have got none
        assert_eq!(pages, [0..10, 10..20]);
    });
}
