//! Proofs are written by every exact algorithm, pass the checker, and nothing false ever does.

use std::collections::HashMap;
use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::Path;

use perfectplay_catalog::{ALGORITHMS, Algorithm, AnyPosition, Error, ProofFile, Setup, open};
use perfectplay_check::bytes::{Bytes, put};
use perfectplay_check::format::{self, Packer};
use perfectplay_check::{Claim, Header, Part, Proof, check, check_file, strategy};
use perfectplay_core::{Budget, FullGame, Objective, Observer, Payoff, Progress, Spec, ZeroSum};
use perfectplay_games::seam::{self, Packed, SeamVisitor};
use perfectplay_search::oracle::backward_induction::BackwardInduction;
use perfectplay_search::oracle::equilibria::Equilibria;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const MEMORY: usize = 1 << 30;
/// For searches: tables of the usual size would take longer to make than these games to solve.
const LITTLE: usize = 16 << 20;

fn certificate(position: &dyn AnyPosition, algorithm: &str, objective: Objective, file: &Path) -> Result<(), Error> {
    let setup = Setup { objective, exact: true, memory: Some(LITTLE), ..Setup::default() };
    let budget = Budget { memory: Some(LITTLE), ..Budget::unlimited() };
    let mut search = position.search(&Algorithm::parse(algorithm)?, &setup)?;
    search.can_prove()?;
    search.run(&budget, &mut ());
    search.write_proof(ProofFile::new(file)?, &budget, &mut ()).map(|_| ())
}

fn certificate_of(game: &str, algorithm: &str, objective: Objective) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.proof");
    let position = open(game).unwrap().start();
    certificate(&*position, algorithm, objective, &file).unwrap_or_else(|e| panic!("{game} {algorithm}: {e}"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left behind");
    std::fs::read(file).unwrap()
}

fn checked(bytes: &[u8]) -> Result<Proof, perfectplay_check::Error> {
    check(Cursor::new(bytes.to_vec()), MEMORY)
}

#[test]
fn every_exact_algorithm_writes_proofs_that_pass() {
    let games = ["tic-tac-toe", "nim:1,2,3", "hex:2", "connect-four:3x4", "dots-and-boxes:1x2", "nim:1,2,2,players=3"];
    let variants = ["pns:table=off,squared=on", "df-pn:symmetry=off", "alpha-beta:table=off", "mtdf:exact=on"];
    let names: Vec<&str> = ALGORITHMS.iter().filter(|a| a.exact).map(|a| a.name).chain(variants).collect();
    let mut written = HashMap::new();
    for spec in games {
        for objective in [Objective::Gain, Objective::Score] {
            let truth = truth(spec, None, objective);
            for name in &names {
                let folder = tempfile::tempdir().unwrap();
                let (file, position) = (folder.path().join("a.proof"), open(spec).unwrap().start());
                match certificate(&*position, name, objective, &file) {
                    Ok(()) => {}
                    // A textbook search to a fixed depth may end before the game does, and some need two players.
                    Err(Error::Refused(_) | Error::Unproved(_)) => continue,
                    Err(error) => panic!("{spec} {name}: {error}"),
                }
                let proof = checked(&std::fs::read(&file).unwrap()).unwrap_or_else(|e| panic!("{spec} {name}: {e}"));
                assert!(truth.contains(&proof.values()), "{spec} {name}: {:?} of {truth:?}", proof.values());
                *written.entry(*name).or_insert(0) += 1;
            }
        }
    }
    for name in ["backward-induction", "ubfm", "descent", "umb"] {
        assert_eq!(written[name], 12, "{name}: {written:?}");
    }
    for name in ["pns", "mopns", "df-pn", "df-mopns", "alpha-beta", "mtdf"].into_iter().chain(variants) {
        assert!(written[name] >= 10, "{name}: {written:?}");
    }
}

/// What is claimed, with its length if it is about that.
fn claimed(proof: &Proof) -> Vec<i32> {
    match proof.header {
        Header { objective: Objective::Length, claim: Claim::Value(value), .. } => vec![value, -value],
        _ => proof.values(),
    }
}

#[test]
fn the_length_of_best_play_can_be_proved() {
    let games = ["tic-tac-toe", "nim:1,2,3", "hex:2", "connect-four:3x4", "connect-four:4x4", "random:depth=7,seed=5"];
    let mut lengths = Vec::new();
    for spec in games {
        let truth = truth(spec, None, Objective::Length);
        for name in ["backward-induction", "retrograde", "alpha-beta"] {
            let proof = checked(&certificate_of(spec, name, Objective::Length)).unwrap();
            assert_eq!(vec![claimed(&proof)], truth, "{spec} {name}");
            lengths.push(proof.value_in_words());
        }
    }
    assert!(lengths.iter().filter(|words| words.contains("wins in")).count() >= 9, "{lengths:?}");
    // Where positions repeat a win can be proved, too, and here nobody has another way.
    let mut endings = open("chess:draws=loose").unwrap().parse_position("k7/8/1K6/8/8/8/8/7R w - - 0 1").unwrap();
    for (value, plies) in [("player 1 wins in 1 ply", 1), ("player 1 wins in 3 plies", 3)] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.proof");
        certificate(&*endings, "alpha-beta", Objective::Length, &file).unwrap();
        let proof = checked(&std::fs::read(&file).unwrap()).unwrap();
        assert_eq!(proof.value_in_words(), value);
        assert_eq!(proof.parts.len(), if plies == 1 { 1 } else { 2 });
        endings = open("chess:draws=loose").unwrap().parse_position("1k6/8/K7/8/8/8/8/2R5 w - - 0 1").unwrap();
    }
}

/// The values that a position has: one for two players, those of all equilibria otherwise.
fn truth(game: &str, position: Option<&str>, objective: Objective) -> Vec<Vec<i32>> {
    seam::open(Spec::parse(game).unwrap(), Truth { position, objective }).unwrap().unwrap()
}

struct Truth<'a> {
    position: Option<&'a str>,
    objective: Objective,
}

impl Truth<'_> {
    fn of<G: FullGame>(self, game: G) -> Vec<Vec<i32>> {
        let state = self.position.map_or(game.start(), |text| game.parse_position(text).unwrap());
        let count = game.facts().players;
        let players = || perfectplay_core::Player::all(count);
        let game = std::sync::Arc::new(game);
        if self.objective == Objective::Length {
            let value = BackwardInduction::solve(game, state, self.objective).unwrap();
            return vec![players().map(|p| value.score(p)).collect()];
        }
        let values = Equilibria::solve(game, state, self.objective).unwrap();
        values.iter().map(|v| players().map(|p| self.objective.value(*v, p)).collect()).collect()
    }
}

impl SeamVisitor for Truth<'_> {
    type Output = Vec<Vec<i32>>;
    fn zero_sum<const S: usize, const K: usize, const M: usize>(self, game: Packed<ZeroSum, S, K, M>) -> Self::Output {
        self.of(game)
    }
    fn several<P: Payoff, const S: usize, const K: usize, const M: usize>(
        self,
        game: Packed<P, S, K, M>,
    ) -> Self::Output {
        self.of(game)
    }
}

/// A certificate taken apart: the header, and the numbers of all records.
struct Parts {
    header: Header,
    numbers: Vec<u64>,
}

impl Parts {
    fn of(bytes: &[u8]) -> Self {
        let (header, mut records) = format::open(Cursor::new(bytes)).unwrap();
        let mut numbers = Vec::new();
        while let Ok(number) = records.number() {
            numbers.push(number);
        }
        Parts { header, numbers }
    }

    /// Whole again, with sizes and checksums that fit.
    fn seal(&self) -> Vec<u8> {
        let mut packer = Packer::new().unwrap();
        self.numbers.iter().for_each(|&n| put(packer.out(), n));
        let mut file = Vec::new();
        packer.finish(&self.header, &mut file).unwrap();
        file
    }
}

fn below(dice: &mut Xoshiro256PlusPlus, n: usize) -> usize {
    (dice.next_u64() % n.max(1) as u64) as usize
}

/// One lie: another move, a reply dropped, two references swapped, another value, another part, another number of
/// states.
fn mutate(parts: &mut Parts, dice: &mut Xoshiro256PlusPlus, positions: &[String]) {
    let (at, other) = (below(dice, parts.numbers.len()), below(dice, parts.numbers.len()));
    match below(dice, 12) {
        0..=2 => parts.numbers[at] = parts.numbers[at].wrapping_add(1) & 0xf,
        3 => parts.numbers[at] = parts.numbers[at].wrapping_sub(1) & 0xff,
        4 | 5 => parts.numbers.swap(at, other),
        6 => {
            parts.numbers.remove(at);
        }
        7 => parts.numbers.insert(at, other as u64 & 3),
        8 => parts.numbers[at] = [u64::MAX, 1 << 32, 0, 1][other & 3],
        9 => parts.header.position = positions[below(dice, positions.len())].clone(),
        10 => change_claim(&mut parts.header, dice),
        _ => change_parts(&mut parts.header, dice),
    }
}

fn change_claim(header: &mut Header, dice: &mut Xoshiro256PlusPlus) {
    let by = [-2, -1, 1, 2][below(dice, 4)];
    match &mut header.claim {
        Claim::Value(value) => *value += by,
        Claim::Equilibrium(payoff) => {
            let (i, j) = (below(dice, payoff.len()), below(dice, payoff.len()));
            if i == j { payoff[i].1 += by } else { payoff.swap(i, j) }
        }
    }
}

fn change_parts(header: &mut Header, dice: &mut Xoshiro256PlusPlus) {
    match below(dice, 4) {
        0 => header.parts.truncate(1),
        1 => header.parts.reverse(),
        2 => header.parts.iter_mut().for_each(|(_, states)| *states += 1),
        _ => header.objective = Objective::ALL[below(dice, 3)],
    }
    if below(dice, 3) == 0 {
        // Leave out what is hard to show, records and all.
        header.parts.retain(|(part, _)| *part == Part::AtLeast);
    }
}

#[test]
fn no_wrong_claim_passes_whatever_is_changed() {
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(7);
    let (mut passed, mut refused) = (0, 0);
    let games = [
        "tic-tac-toe",
        "hex:3,swap=off",
        "nim:1,2,3",
        "connect-four:3x3",
        "dots-and-boxes:1x2",
        "random:depth=5,seed=7",
        "random:depth=5,outcomes=4,seed=8",
    ];
    let many = ["nim:1,2,2,players=3", "nim:1,3,2,players=3", "random:players=3,depth=4,seed=2"];
    for spec in games.into_iter().chain(many) {
        // How long a win takes is a question for two.
        let objectives = if many.contains(&spec) { &Objective::ALL[..2] } else { &Objective::ALL };
        for &objective in objectives {
            let honest = certificate_of(spec, "backward-induction", objective);
            assert!(checked(&honest).is_ok());
            let positions = some_positions(spec);
            let mut truths = HashMap::new();
            for round in 0..700 {
                let mut parts = Parts::of(&honest);
                for _ in 0..1 + round % 3 {
                    mutate(&mut parts, &mut dice, &positions);
                }
                match checked(&parts.seal()) {
                    Err(_) => refused += 1,
                    Ok(proof) => {
                        passed += 1;
                        let (position, objective) = (parts.header.position.clone(), parts.header.objective);
                        let truth = truths
                            .entry((position.clone(), objective))
                            .or_insert_with(|| truth(spec, Some(&position), objective));
                        assert!(truth.contains(&claimed(&proof)), "{spec}: {:?} is not in {truth:?}", proof.header);
                    }
                }
            }
        }
    }
    assert!(refused > 10_000 && passed > 20, "{refused} refused, {passed} passed");
}

/// Positions near the start.
fn some_positions(game: &str) -> Vec<String> {
    let start = open(game).unwrap().start();
    let mut positions = vec![start.text()];
    for mv in start.moves() {
        let mut next = start.clone_box();
        next.play(&mv).unwrap();
        positions.push(next.text());
    }
    positions
}

#[test]
fn damaged_files_are_refused() {
    let honest = certificate_of("tic-tac-toe", "alpha-beta", Objective::Gain);
    assert!(checked(&honest).is_ok());
    for length in 0..honest.len() {
        assert!(checked(&honest[..length]).is_err(), "cut off after {length} bytes");
    }
    for bit in 0..8 * honest.len().min(600) {
        let mut bytes = honest.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(checked(&bytes).is_err(), "bit {bit}");
    }
    let mut longer = honest.clone();
    longer.push(0);
    assert!(checked(&longer).unwrap_err().to_string().contains("longer"));
}

#[test]
fn hostile_files_take_no_memory() {
    // A header of 4 GiB, a packed text of 2^62 bytes, a frontier that would not fit.
    let mut header = format::MAGIC.to_vec();
    header.extend([1, 0, 0xff, 0xff, 0xff, 0xff]);
    assert!(checked(&header).is_err());
    let mut bytes = Bytes::new(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f][..], 9);
    assert!(bytes.text(1 << 20).is_err());
    let honest = certificate_of("connect-four:4x4", "alpha-beta", Objective::Gain);
    let refused = check(Cursor::new(honest.clone()), 1 << 14).unwrap_err();
    assert!(refused.to_string().contains("memory") && !refused.is_a_no());
    // Millions of equal bytes pack into nothing; they are refused as soon as they make no sense.
    let mut bomb = Parts::of(&honest);
    bomb.numbers = vec![0; 5_000_000];
    assert!(matches!(checked(&bomb.seal()), Err(perfectplay_check::Error::Unproved { .. })));
}

#[test]
fn a_proof_plays_what_it_claims() {
    let folder = tempfile::tempdir().unwrap();
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(1);
    for (spec, seat, least) in
        [("hex:3,swap=off", 0, 1), ("tic-tac-toe", 0, 0), ("tic-tac-toe", 1, 0), ("nim:1,2,3", 1, 1)]
    {
        let file = folder.path().join("a.proof");
        let game = open(spec).unwrap();
        certificate(&*game.start(), "alpha-beta", Objective::Gain, &file).unwrap();
        let (_, book) = strategy(&file, MEMORY, &mut ()).unwrap();
        for _ in 0..200 {
            let mut position = game.start();
            let ended = loop {
                match position.status() {
                    Err(ended) => break ended,
                    Ok(mover) if mover.index() == seat => {
                        let mv = book.choice(&position.text()).expect("a proof has an answer to every reply");
                        position.play(&mv).unwrap();
                    }
                    Ok(_) => {
                        let moves = position.moves();
                        position.play(&moves[below(&mut dice, moves.len())]).unwrap();
                    }
                }
            };
            assert!(ended.gains[seat] >= least, "{spec} as player {}: {ended:?}", seat + 1);
        }
    }
}

#[test]
fn proofs_need_an_end_and_a_place() {
    let folder = tempfile::tempdir().unwrap();
    let ttt = open("tic-tac-toe").unwrap().start();
    let mut search = ttt.search(&Algorithm::parse("alpha-beta").unwrap(), &Setup::default()).unwrap();
    let file = folder.path().join("none.proof");
    let unsolved = search.write_proof(ProofFile::new(&file).unwrap(), &Budget::unlimited(), &mut ());
    assert!(matches!(unsolved, Err(Error::Unproved(_))) && !file.exists());
    assert!(matches!(ProofFile::new(folder.path()), Err(Error::Unwritable(_))));
    assert!(matches!(ProofFile::new(&folder.path().join("no/such/folder")), Err(Error::Unwritable(_))));
    let over = {
        let mut position = ttt.clone_box();
        position.play_all("a1 a2 b1 b2 c1").unwrap();
        position
    };
    certificate(&*over, "backward-induction", Objective::Gain, &file).unwrap();
    assert_eq!(checked(&std::fs::read(&file).unwrap()).unwrap().values(), [1, -1]);
}

#[test]
fn a_budget_ends_the_writing_of_a_proof() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("none.proof");
    let position = open("connect-four:5x4").unwrap().start();
    let setup = Setup { exact: true, ..Setup::default() };
    let mut search = position.search(&Algorithm::parse("alpha-beta").unwrap(), &setup).unwrap();
    search.run(&Budget::unlimited(), &mut ());
    let written = search.write_proof(ProofFile::new(&file).unwrap(), &Budget::nodes(1000), &mut ());
    assert!(matches!(written, Err(Error::Unproved(text)) if text.contains("nodes")));
    assert!(!file.exists());
}

/// Keeps the shares that it is told, and stops after so many.
struct Shares(Vec<f64>, usize);

impl Observer for Shares {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.0.push(progress.share.expect("the header promises the number of states"));
        if self.0.len() >= self.1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn checking_tells_how_far_it_is_and_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.proof");
    certificate(&*open("connect-four:5x4").unwrap().start(), "alpha-beta", Objective::Gain, &file).unwrap();
    let mut shares = Shares(Vec::new(), usize::MAX);
    check_file(&file, MEMORY, &mut shares).unwrap();
    assert!(shares.0.len() > 3 && shares.0.is_sorted(), "{:?}", shares.0);
    assert!(shares.0[0] == 0.0 && *shares.0.last().unwrap() > 0.5 && *shares.0.last().unwrap() <= 1.0);
    let stopped = check_file(&file, MEMORY, &mut Shares(Vec::new(), 2)).unwrap_err();
    assert!(matches!(stopped, perfectplay_check::Error::Stopped) && !stopped.is_a_no());
}
