//! It learns tic-tac-toe, and it comes back from a file. Run by hand: `cargo test --release` here.

use perfectplay_core::{FeatureBatch, Model, ModelScratch};
use perfectplay_learn::{Limits, ModelFile, Plan, Run};

fn run(method: &str) -> Run {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(perfectplay_conv::install);
    let model = "conv:channels=16,blocks=1,batch=64,rate=0.003".into();
    Run::new(Plan { game: "tic-tac-toe".into(), model, method: method.into(), seed: 1 }).unwrap()
}

fn games(games: u64) -> Limits {
    Limits { games: Some(games), ..Limits::default() }
}

#[test]
fn tic_tac_toe_is_learned() {
    let run = run("descent:evaluations=40,replay=window,window=50,uses=4");
    let (before, _) = run.wrong_states().unwrap();
    run.go_on(&games(1500), &mut ());
    let (wrong, all) = run.wrong_states().unwrap();
    assert!(before * 2 > all && wrong * 5 < all, "of {all} states {before} had a wrong value, now {wrong}");
}

#[test]
fn a_file_says_the_same_and_a_run_goes_on() {
    let whole = run("descent:evaluations=30");
    whole.go_on(&games(6), &mut ());
    let begun = run("descent:evaluations=30");
    begun.go_on(&games(3), &mut ());
    let resumed = Run::resume(ModelFile::from_bytes(&begun.saved().to_bytes()).unwrap()).unwrap();
    resumed.go_on(&games(6), &mut ());
    let mut batch = FeatureBatch::default();
    (0..5).for_each(|seed| whole.sample_features(seed, &mut batch));
    let ask = |model: &dyn Model, batch: &FeatureBatch| {
        let mut out = Vec::new();
        model.evaluate(batch, &mut ModelScratch::default(), &mut out);
        out
    };
    // How sums are rounded depends on where numbers lie in memory.
    let same = |a: &[f32], b: &[f32]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4);
    let values = ask(&*whole.model(), &batch);
    assert!(same(&values, &ask(&*resumed.model(), &batch)), "stopped and resumed");
    assert!(!same(&values, &ask(&*run("descent:evaluations=30").model(), &batch)), "it has learned something");
    for bytes in [whole.file().to_bytes(), whole.file().to_small_bytes()] {
        let file = ModelFile::from_bytes(&bytes).unwrap();
        assert!(same(&values, &ask(&file.network, &batch)), "from its file");
        for i in 0..batch.len() {
            let mut one = FeatureBatch::default();
            one.push(batch.get(i));
            assert!(same(&values[i..=i], &ask(&file.network, &one)), "alone");
        }
    }
}
