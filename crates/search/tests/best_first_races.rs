//! The small structures that threads of a best-first search share, in every order in which threads can come: `loom`
//! runs them all, with every value that a read may see. The same files as in the library, on loom's atomic words.

mod sync {
    pub(crate) use loom::sync::atomic::{AtomicI64, AtomicU32, Ordering, fence};

    pub(crate) fn pause(_tries: u32) {
        loom::thread::yield_now();
    }
}

#[allow(dead_code, unreachable_pub)]
#[path = "../src/best_first/bucket.rs"]
mod bucket;
#[allow(dead_code, unreachable_pub)]
#[path = "../src/best_first/provisional.rs"]
mod provisional;
#[allow(dead_code, unreachable_pub)]
#[path = "../src/best_first/versioned.rs"]
mod versioned;

use bucket::{Bucket, PLACES};
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;
use provisional::{Claimable, Visits};
use sync::{AtomicU32, Ordering};
use versioned::{OneWord, Versioned};

/// A list of keys in one bucket, as the tree's nodes are in its index: each node is written by who makes it.
struct Index {
    bucket: Bucket,
    nodes: Vec<UnsafeCell<u32>>,
    made: AtomicU32,
}

impl Index {
    fn new(nodes: usize) -> Self {
        Index {
            bucket: Bucket::new(),
            nodes: (0..nodes).map(|_| UnsafeCell::new(u32::MAX)).collect(),
            made: AtomicU32::new(0),
        }
    }

    /// Without a lock, as lookups are. Loom complains if a node is read that was not told.
    fn find(&self, key: u32) -> Option<u32> {
        let filled = self.bucket.filled();
        let mut alike = self.bucket.alike(key as u8, filled);
        while alike != 0 {
            let node = self.bucket.node((alike.trailing_zeros() / 8) as usize);
            // SAFETY: what is in the index was written before; loom checks that.
            #[allow(unsafe_code)]
            if self.nodes[node as usize].with(|at| unsafe { *at }) == key {
                return Some(node);
            }
            alike &= alike - 1;
        }
        None
    }

    /// `None` if it is full.
    fn enter(&self, key: u32) -> Option<u32> {
        let _locked = self.bucket.lock();
        if let Some(node) = self.find(key) {
            return Some(node);
        }
        if self.bucket.filled() == PLACES {
            return None;
        }
        let node = self.made.fetch_add(1, Ordering::Relaxed);
        // SAFETY: nobody else has this place; loom checks that.
        #[allow(unsafe_code)]
        self.nodes[node as usize].with_mut(|at| unsafe { *at = key });
        self.bucket.fill(key as u8, node);
        Some(node)
    }
}

#[test]
fn a_key_is_entered_once() {
    loom::model(|| {
        let index = Arc::new(Index::new(4));
        let other = {
            let index = index.clone();
            thread::spawn(move || (index.enter(7), index.find(8)))
        };
        // Another key with the same byte of hash, and the same key.
        let far = index.enter(7 + 256);
        let near = index.enter(7);
        let (theirs, _) = other.join().unwrap();
        assert_eq!(near, theirs);
        assert_ne!(near, far);
        assert_eq!((index.bucket.filled(), index.find(7), index.find(8)), (2, near, None));
    });
}

#[test]
fn lookups_need_no_lock() {
    loom::model(|| {
        let index = Arc::new(Index::new(2));
        let other = {
            let index = index.clone();
            thread::spawn(move || index.enter(3))
        };
        if let Some(node) = index.find(3) {
            assert_eq!(node, 0);
        }
        other.join().unwrap();
        assert_eq!(index.find(3), Some(0));
    });
}

/// Two threads fill the last place; who finds none ends the round, and the table grows when both have ended.
#[test]
fn growth_loses_nothing() {
    // Filling takes many steps, which have nobody to race with.
    let mut model = loom::model::Builder::new();
    model.max_branches = 100_000;
    model.check(|| {
        let full = PLACES as u32 - 1;
        let index = Arc::new(Index::new(PLACES));
        (0..full).for_each(|key| _ = index.enter(key));
        let other = {
            let index = index.clone();
            thread::spawn(move || index.enter(100).is_some())
        };
        let mine = index.enter(101).is_some();
        let theirs = other.join().unwrap();
        assert!(mine != theirs, "one place, one key");
        let larger = [Index::new(PLACES), Index::new(PLACES)];
        let home = |key: u32| &larger[key as usize % 2];
        for place in 0..index.bucket.filled() {
            // SAFETY: no other thread is left.
            #[allow(unsafe_code)]
            let key = index.nodes[index.bucket.node(place) as usize].with(|at| unsafe { *at });
            home(key).enter(key);
        }
        let late = if mine { 100 } else { 101 };
        assert!(home(late).enter(late).is_some());
        assert!((0..full).chain([100, 101]).all(|key| home(key).find(key).is_some()));
        assert_eq!(larger.iter().map(|part| part.bucket.filled()).sum::<usize>(), PLACES + 1);
    });
}

#[test]
fn a_leaf_is_opened_by_one_line_and_seen_whole() {
    const LEAF: u32 = 0;
    const CLAIMED: u32 = 1;
    const OPENED: u32 = 2;
    loom::model(|| {
        let shared = Arc::new((Claimable::new(LEAF), UnsafeCell::new(0), AtomicU32::new(0)));
        let visit = |shared: &(Claimable, UnsafeCell<u32>, AtomicU32)| {
            let (shape, edges, opened) = shared;
            if shape.get() == OPENED {
                // SAFETY: it was opened; loom checks that its edges were written before.
                #[allow(unsafe_code)]
                edges.with(|at| assert_eq!(unsafe { *at }, 5));
            } else if shape.claim(LEAF, CLAIMED) {
                // SAFETY: it is claimed by this thread; loom checks that nobody else reads.
                #[allow(unsafe_code)]
                edges.with_mut(|at| unsafe { *at += 5 });
                opened.fetch_add(1, Ordering::Relaxed);
                shape.set(OPENED);
            }
        };
        let others: Vec<_> = (0..2)
            .map(|_| {
                let shared = shared.clone();
                thread::spawn(move || visit(&shared))
            })
            .collect();
        visit(&shared);
        others.into_iter().for_each(|other| other.join().unwrap());
        assert_eq!((shared.0.get(), shared.2.load(Ordering::Relaxed)), (OPENED, 1));
    });
}

#[test]
fn a_claim_can_be_given_up() {
    loom::model(|| {
        let leaf = Arc::new(Claimable::new(0));
        let other = {
            let leaf = leaf.clone();
            thread::spawn(move || {
                if leaf.claim(0, 1) {
                    leaf.set(0);
                }
            })
        };
        let mine = leaf.claim(0, 1);
        other.join().unwrap();
        assert_eq!(leaf.get(), u32::from(mine));
    });
}

#[test]
fn visits_are_taken_back_exactly() {
    loom::model(|| {
        let visits = Arc::new(Visits::new(3));
        let others: Vec<_> = [true, false]
            .into_iter()
            .map(|in_vain| {
                let visits = visits.clone();
                thread::spawn(move || {
                    visits.begin(1);
                    assert!(visits.get() > 3);
                    if in_vain {
                        visits.take_back(1);
                    }
                })
            })
            .collect();
        visits.begin(3);
        visits.take_back(2);
        others.into_iter().for_each(|other| other.join().unwrap());
        assert_eq!(visits.get(), 5);
    });
}

#[test]
fn values_of_several_words_are_read_whole_until_they_are_final() {
    loom::model(|| {
        let shared = Arc::new((Versioned::new(false), AtomicU32::new(1), AtomicU32::new(1)));
        let write = |shared: &(Versioned, AtomicU32, AtomicU32), value: u32, last: bool| {
            shared.0.write(|| {
                shared.1.store(value, Ordering::Relaxed);
                shared.2.store(value, Ordering::Relaxed);
                Some(last)
            });
        };
        let writer = {
            let shared = shared.clone();
            thread::spawn(move || {
                write(&shared, 2, false);
                write(&shared, 3, true);
                write(&shared, 4, false);
            })
        };
        let read = || shared.0.read(|| (shared.1.load(Ordering::Relaxed), shared.2.load(Ordering::Relaxed)));
        let ((a, b), last) = read();
        assert!(a == b && last == (a == 3), "{a} {b} {last}");
        writer.join().unwrap();
        assert_eq!(read(), ((3, 3), true));
    });
}

/// A state with two children: resolved if both are. Two lines resolve one child each and back the state up.
#[test]
fn what_is_resolved_stays_resolved_and_only_if_it_is() {
    const RESOLVED: i64 = 1;
    loom::model(|| {
        let shared = Arc::new((OneWord::new(0), [OneWord::new(0), OneWord::new(0)]));
        let back_up = |shared: &(OneWord, [OneWord; 2])| {
            shared.0.update(|now| {
                let all = shared.1[0].get() & shared.1[1].get();
                (now != RESOLVED && all != now).then_some(all)
            })
        };
        let line = move |shared: &(OneWord, [OneWord; 2]), child: usize| {
            shared.1[child].update(|_| Some(RESOLVED));
            back_up(shared);
            let before = shared.0.get();
            back_up(shared);
            assert!(before != RESOLVED || shared.0.get() == RESOLVED);
        };
        let other = {
            let shared = shared.clone();
            thread::spawn(move || line(&shared, 1))
        };
        line(&shared, 0);
        other.join().unwrap();
        // Whoever comes next sees it, if the two did not see each other.
        back_up(&shared);
        assert_eq!(shared.0.get(), RESOLVED);
    });
}
