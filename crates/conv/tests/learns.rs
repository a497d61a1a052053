//! It learns tic-tac-toe, and it comes back from a file. Run by hand: `cargo test --release` here.

use perfectplay_core::{FeatureBatch, Model, ModelScratch};
use perfectplay_learn::{Limits, ModelFile, Plan, Run};

fn run(method: &str) -> Run {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(perfectplay_conv::install);
    let model = "conv:channels=16,blocks=1,batch=64".into();
    Run::new(Plan { game: "tic-tac-toe".into(), model, method: method.into(), seed: 1 }).unwrap()
}

fn games(games: u64) -> Limits {
    Limits { games: Some(games), ..Limits::default() }
}

#[test]
fn tic_tac_toe_is_learned() {
    let run = run("descent:evaluations=40,replay=window,window=50,uses=2");
    run.go_on(&games(400), &mut ());
    let (wrong, all) = run.wrong_states().unwrap();
    assert!(wrong * 10 < all, "{wrong} of {all} states have a value of another sign");
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
    let values = ask(&*whole.model(), &batch);
    assert_eq!(values, ask(&*resumed.model(), &batch), "stopped and resumed");
    let file = ModelFile::from_bytes(&whole.file().to_bytes()).unwrap();
    assert_eq!(values, ask(&file.network, &batch), "from its file");
    let small = ModelFile::from_bytes(&whole.file().to_small_bytes()).unwrap();
    assert_eq!(values, ask(&small.network, &batch), "from its compressed file");
    for i in 0..batch.len() {
        let mut one = FeatureBatch::default();
        one.push(batch.get(i));
        assert!((ask(&file.network, &one)[0] - values[i]).abs() < 1e-4, "alone");
    }
}
