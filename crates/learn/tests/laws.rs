//! What must hold of learning, whatever is learned.

use std::sync::Arc;
use std::time::Duration;

use perfectplay_catalog::{Algorithm, Setup, open};
use perfectplay_core::{Budget, FeatureBatch, Model, ModelScratch, StopHandle};
use perfectplay_learn::{End, Exam, ExamLimits, Limits, ModelFile, Plan, Run, SelfPlayTask, SelfPlayed, hash};
use perfectplay_model::file::Header;
use perfectplay_model::{Network, Shape, Structure, Tuples};

fn plan(game: &str, model: &str, method: &str) -> Plan {
    Plan { game: game.into(), model: model.into(), method: method.into(), seed: 5 }
}

fn games(games: u64) -> Limits {
    Limits { games: Some(games), ..Limits::default() }
}

/// Games for two and for three players, with and without symmetries and numbers.
const GAMES: [&str; 6] =
    ["connect-four:5x4", "hex:4", "dots-and-boxes:2x2", "breakthrough:4x5", "mnk:4x3x3,players=3", "rolit:4,players=3"];
const METHODS: [&str; 12] = [
    "descent:evaluations=30",
    "ubfm:evaluations=30,replay=window,window=5,uses=2",
    "descent:evaluations=20,learn=root,choose=epsilon,f=depth",
    "descent:evaluations=20,learn=terminal,choose=softmax,opponents=past,warm=5",
    "minimax:depth=2,replay=stratified,start=earlier",
    "minimax:depth=1,learn=root,f=ratio,plies=40",
    "td:choose=epsilon,epsilon=0.2",
    "td:lessons=3",
    "td:choose=epsilon,lambda=0.7,replay=window,window=5",
    "descent:evaluations=30,resolved=on",
    "descent:evaluations=30,f=presence,resolved=on",
    "td:f=mobility",
];

#[test]
fn a_run_that_was_stopped_goes_on_as_if_nothing_had_been() {
    for (i, method) in METHODS.iter().enumerate() {
        for model in [
            "tuples:count=6,length=4",
            "tuples:count=4,length=3,steps=coherence,phases=2",
            "tuples:count=2,length=3,patterns=on",
            "mlp:batch=16",
        ] {
            let game = GAMES[i % GAMES.len()];
            // Steps shrink towards the end of the whole run.
            let until = |most| Limits { end: End { games: Some(9), seconds: None }, ..games(most) };
            let whole = Run::new(plan(game, model, method)).unwrap();
            whole.go_on(&until(9), &mut ());
            let begun = Run::new(plan(game, model, method)).unwrap();
            begun.go_on(&until(4), &mut ());
            let saved = begun.saved().to_bytes();
            drop(begun);
            let resumed = Run::resume(ModelFile::from_bytes(&saved).unwrap()).unwrap();
            resumed.go_on(&until(9), &mut ());
            assert_eq!(whole.count().examples, resumed.count().examples, "{game} {model} {method}");
            assert!(weights(&whole) == weights(&resumed), "{game} {model} {method}: other weights");
        }
    }
}

/// Near its end a run learns in smaller steps, and before that as any other.
#[test]
fn steps_shrink_near_the_end_of_a_run() {
    let run = |model: &str, anneal: &str, most| {
        let run = Run::new(plan("connect-four:5x4", model, &format!("td:anneal={anneal}"))).unwrap();
        run.go_on(&Limits { end: End { games: Some(40), seconds: None }, ..games(most) }, &mut ());
        weights(&run)
    };
    for model in ["tuples:count=4,length=3", "tuples:count=4,length=3,steps=coherence", "mlp"] {
        assert!(run(model, "0.5", 20) == run(model, "0", 20), "{model}: the first half is alike");
        assert!(run(model, "0.5", 40) != run(model, "0", 40), "{model}: the second half is not");
    }
}

fn weights(run: &Run) -> Vec<u8> {
    let mut file = run.file();
    file.header.made_by = String::new(); // tells the seconds
    file.to_bytes()
}

/// Games of self-play by the model as it is, elsewhere.
fn task(run: &Run, first: u64, games: u64) -> (SelfPlayTask, Vec<u8>) {
    let (bytes, Plan { game, seed, .. }) = (run.saved().to_bytes(), run.plan().clone());
    (SelfPlayTask { game, model: hash(&bytes), file: None, seed, first, games }, bytes)
}

#[test]
fn games_that_are_played_elsewhere_are_the_games_played_here() {
    for (i, method) in METHODS.iter().enumerate() {
        let (game, stop) = (GAMES[i % GAMES.len()], StopHandle::new());
        let model = ["tuples:count=6,length=4", "mlp:batch=16"][i % 2];
        let [here, one, two] = [0; 3].map(|_| Run::new(plan(game, model, method)).unwrap());
        here.go_on(&games(6), &mut ());
        // A model for every game: as here, but replay has dice of its own.
        for first in 1..=6 {
            let (task, bytes) = task(&one, first, 1);
            one.learn_from(&task.run(Some(&bytes), &stop).unwrap(), 1.0, &End::default(), &mut ()).unwrap();
        }
        // What is resolved elsewhere is not kept.
        if !["replay", "resolved"].iter().any(|word| method.contains(word)) {
            assert!(weights(&here) == weights(&one), "{game} {model} {method}: other weights");
            assert_eq!((here.count().plies, here.count().examples), (one.count().plies, one.count().examples));
        }
        assert!(one.count().examples > 0 && one.count().seconds >= 6.0);
        // A model for three games: whatever the tasks are, the same is learned.
        let three = Run::new(plan(game, model, method)).unwrap();
        for first in [1, 4] {
            let (whole, bytes) = task(&two, first, 3);
            let whole = whole.run(Some(&bytes), &stop).unwrap();
            two.learn_from(&whole, 0.0, &End::default(), &mut ()).unwrap();
            for (first, games) in [(first, 1), (first + 1, 2)] {
                let part = SelfPlayTask { first, games, ..task(&three, 1, 1).0 };
                let part = SelfPlayTask { model: hash(&bytes), ..part }.run(Some(&bytes), &stop).unwrap();
                let of_whole = whole.games.iter().filter(|game| (first..first + games).contains(&game.line.game));
                assert!(part.games.iter().eq(of_whole), "{game} {model} {method}");
                three.learn_from(&part, 0.0, &End::default(), &mut ()).unwrap();
            }
        }
        assert!(weights(&two) == weights(&three), "{game} {model} {method}: other weights");
    }
}

#[test]
fn games_that_do_not_fit_are_not_learned() {
    let run = Run::new(plan("connect-four:5x4", "tuples:count=4,length=3", "descent:evaluations=20")).unwrap();
    let (task, bytes) = task(&run, 1, 2);
    let refusal = |task: &SelfPlayTask, bytes| task.run(bytes, &StopHandle::new()).unwrap_err().to_string();
    assert!(refusal(&task, None).contains("names no file"));
    assert!(refusal(&SelfPlayTask { model: "0".into(), ..task.clone() }, Some(&bytes)).contains("about the model 0"));
    assert!(refusal(&SelfPlayTask { game: "hex:4".into(), ..task.clone() }, Some(&bytes)).contains("not of hex:4"));
    assert!(refusal(&SelfPlayTask { first: 0, ..task.clone() }, Some(&bytes)).contains("counted from 1"));
    let stopped = StopHandle::new();
    stopped.pull();
    assert!(task.run(Some(&bytes), &stopped).unwrap_err().to_string().contains("stopped"));
    let played = task.run(Some(&bytes), &StopHandle::new()).unwrap();
    let refused = |played: &SelfPlayed| run.learn_from(played, 0.0, &End::default(), &mut ()).unwrap_err().to_string();
    let mut later = played.clone();
    later.games.remove(0);
    assert!(refused(&later).contains("game 2 came where game 1 was expected"));
    let mut more = played.clone();
    more.games[1].examples += 1;
    assert!(refused(&more).contains("do not fit"));
    let mut cut = played.clone();
    cut.examples.truncate(cut.examples.len() / 2);
    assert!(refused(&cut).contains("do not fit"));
    assert_eq!(run.count().games, 0);
    run.learn_from(&played, 0.0, &End::default(), &mut ()).unwrap();
    assert!(refused(&played).contains("game 1 came where game 3 was expected"));
}

/// Features of states on random lines.
fn states(game: &str, lines: u64) -> FeatureBatch {
    let mut batch = FeatureBatch::default();
    let cells = open(game).unwrap().start();
    drop(cells);
    let run = Run::new(plan(game, "tuples:count=1,length=1", "td:opening=0,choose=epsilon,epsilon=1")).unwrap();
    for seed in 0..lines {
        run.sample_features(seed, &mut batch);
    }
    batch
}

#[test]
fn a_model_says_the_same_in_a_batch_alone_and_after_its_file() {
    for game in GAMES {
        for model in ["tuples:count=10,length=4,phases=3", "tuples:count=3,length=4,patterns=on", "mlp"] {
            let run = Run::new(plan(game, model, "descent:evaluations=30")).unwrap();
            run.go_on(&games(10), &mut ());
            let batch = states(game, 6);
            let ask = |model: &dyn Model, batch: &FeatureBatch, scratch: &mut ModelScratch| {
                let mut out = Vec::new();
                model.evaluate(batch, scratch, &mut out);
                out
            };
            let network = run.file().network;
            let together = ask(&network, &batch, &mut ModelScratch::default());
            assert!(together.iter().any(|&value| value != 0.0) && together.iter().all(|value| value.abs() <= 1.0));
            // One after the other in the same room, backwards, and each in a new room.
            let one = |i: usize| {
                let mut one = FeatureBatch::default();
                one.push(batch.get(i));
                one
            };
            let outputs = network.outputs();
            let mut room = ModelScratch::default();
            for i in (0..batch.len()).rev() {
                let expected = &together[i * outputs..][..outputs];
                assert_eq!(ask(&network, &one(i), &mut room), expected, "{game} {model}, the state before in the room");
                assert_eq!(ask(&network, &one(i), &mut ModelScratch::default()), expected, "{game} {model}, alone");
            }
            let again = ModelFile::from_bytes(&run.file().to_bytes()).unwrap().network;
            assert_eq!(ask(&again, &batch, &mut ModelScratch::default()), together, "{game} {model}, from its file");
            let small = ModelFile::from_bytes(&run.file().to_small_bytes()).unwrap().network;
            let small = ask(&small, &batch, &mut ModelScratch::default());
            let apart = small.iter().zip(&together).map(|(a, b)| (a - b).abs()).fold(0f32, f32::max);
            assert!(apart < 0.1, "{game} {model}: the small form is {apart} apart");
        }
    }
}

#[test]
fn symmetric_states_get_equal_values() {
    for model in ["tuples:count=6,length=4", "tuples:count=1,length=2,patterns=on"] {
        symmetric_states_get_equal_values_from(model);
    }
}

fn symmetric_states_get_equal_values_from(model: &str) {
    // A corner, and the other three; an edge, and its images.
    let run = Run::new(plan("tic-tac-toe", model, "td")).unwrap();
    run.go_on(&games(200), &mut ());
    let model: Arc<dyn Model> = Arc::new(run.file().network);
    let value = |mv: &str| {
        let mut position = open("tic-tac-toe").unwrap().start();
        position.play(mv).unwrap();
        let mut search = position
            .with_model(model.clone())
            .unwrap()
            .search(&Algorithm::parse("greedy:eval=heuristic").unwrap(), &Setup::default())
            .unwrap();
        search.run(&Budget::unlimited(), &mut ());
        search.report().estimate.unwrap()[0]
    };
    for images in [["a1", "a3", "c1", "c3"], ["a2", "b1", "b3", "c2"]] {
        let values = images.map(value);
        // The images add the same weights in another order.
        assert!(values.iter().all(|v| (v - values[0]).abs() < 1e-5), "{images:?}: {values:?}");
        assert!(values[0] != 0.0);
    }
}

/// One tuple that covers the board of tic-tac-toe.
const WHOLE_BOARD: &str = "tuples:count=1,length=9,patterns=off,sides=off,rate=0.5,decay=1000";

/// One tuple that covers the board is a table of all states: what is learned becomes exact.
#[test]
fn tables_of_all_states_become_exact() {
    let run = Run::new(plan("tic-tac-toe", WHOLE_BOARD, "descent:evaluations=40")).unwrap();
    run.go_on(&games(12_000), &mut ());
    let wrong = run.wrong_states().unwrap();
    assert!(wrong.0 <= wrong.1 / 100, "{} of {} states have a value of another sign", wrong.0, wrong.1);
}

/// The same by temporal differences, whatever part comes from the end of the game, as far as games visit all states.
#[test]
fn temporal_differences_find_the_values_with_any_lambda() {
    for lambda in ["0", "0.5", "0.9"] {
        let run = Run::new(plan("tic-tac-toe", WHOLE_BOARD, &format!("td:choose=epsilon,epsilon=0.3,lambda={lambda}")))
            .unwrap();
        run.go_on(&games(40_000), &mut ());
        let wrong = run.wrong_states().unwrap();
        assert!(wrong.0 <= wrong.1 / 8, "lambda={lambda}: {} of {} states are wrong", wrong.0, wrong.1);
    }
}

/// Games that were proved need not be proved again, and nothing is learned wrongly by that.
#[test]
fn what_is_resolved_is_known_to_later_games() {
    let run = |options: &str| {
        let method = format!("descent:evaluations=40{options}");
        let run = Run::new(plan("tic-tac-toe", WHOLE_BOARD, &method)).unwrap();
        run.go_on(&games(3000), &mut ());
        (run.count().evaluations, run.wrong_states().unwrap())
    };
    let ((forgets, _), (keeps, wrong)) = (run(""), run(",resolved=on"));
    assert!(keeps * 2 < forgets, "{keeps} evaluations with what is known, {forgets} without");
    assert!(wrong.0 <= wrong.1 / 8, "{} of {} states have a value of another sign", wrong.0, wrong.1);
}

/// Where P is the longest game, a late win counts little more than a draw; with a larger one it is told from it.
#[test]
fn a_large_p_tells_late_wins_from_draws() {
    let wrong = |plies: u32| {
        let method = format!("descent:evaluations=40,f=depth,plies={plies},opening=0");
        let run = Run::new(plan("tic-tac-toe", WHOLE_BOARD, &method)).unwrap();
        run.go_on(&games(6000), &mut ());
        run.wrong_states().unwrap()
    };
    let ((narrow, all), (wide, _)) = (wrong(9), wrong(90));
    assert!(2 * wide < narrow, "of {all} states {narrow} and {wide} are wrong");
}

/// Patterns are learned where few kinds of stones are put side by side, unless somebody says otherwise.
#[test]
fn patterns_are_learned_where_they_suit_the_game() {
    let patterns = |game: &str, model: &str| match Run::new(plan(game, model, "td")).unwrap().file().network {
        Network::Tuples(tuples) => tuples.structure().patterns.len(),
        other => panic!("{other:?} of {model}"),
    };
    for (game, usual) in [("connect-four:5x4", true), ("hex:5", true), ("othello:6", false), ("chess", false)] {
        assert_eq!(patterns(game, "tuples:count=2") > 0, usual, "{game}");
        assert!(patterns(game, "tuples:count=2,patterns=on") > 0, "{game}");
        assert_eq!(patterns(game, "tuples:count=2,patterns=off"), 0, "{game}");
    }
}

/// Where nobody wins a random game, the first games are played by the hand-written evaluation.
#[test]
fn lessons_are_given_where_random_games_have_no_winner() {
    struct Won(usize);
    impl perfectplay_learn::Listener for Won {
        fn wants_games(&self) -> bool {
            true
        }
        fn record(&mut self, game: &perfectplay_learn::GameLine) {
            self.0 += usize::from(game.gains.contains(&1));
        }
    }
    let won = |method: &str| {
        let run = Run::new(plan("chinese-checkers:6,players=3", "tuples:count=5,length=3", method)).unwrap();
        let mut won = Won(0);
        run.go_on(&games(8), &mut won);
        (won.0, run.file().header.made_by)
    };
    assert_eq!(won("td:choose=epsilon,lessons=0").0, 0);
    let (taught, made_by) = won("td:choose=epsilon");
    assert!(taught >= 4, "{taught} of 8 games had a winner");
    assert!(made_by.contains("by the hand-written evaluation"), "{made_by}");
}

#[test]
fn what_makes_no_sense_is_refused_with_a_sentence() {
    for (game, model, method, word) in [
        ("nothing", "tuples", "descent", "there is no game"),
        ("tic-tac-toe", "forest", "descent", "expected tuples or mlp"),
        ("tic-tac-toe", "tuples", "magic", "expected descent"),
        ("tic-tac-toe", "tuples", "td:evaluations=5", "means nothing"),
        ("tic-tac-toe", "tuples", "descent:depth=2", "means nothing"),
        ("tic-tac-toe", "tuples", "descent:uses=2", "without replay"),
        ("tic-tac-toe", "tuples", "td:plies=50", "plies means nothing"),
        ("tic-tac-toe", "tuples", "td:start=earlier,opening=3", "opening, with start=earlier means nothing"),
        ("tic-tac-toe", "tuples", "td:resolved=on", "resolved means nothing"),
        ("tic-tac-toe", "tuples", "descent:generalisation=second", "a game for two"),
        ("mnk:3x3x3,players=3", "tuples", "td:generalisation=second", "means nothing"),
        ("tic-tac-toe", "tuples", "descent:resolved=on,f=depth", "needs another f"),
        ("chess", "tuples:length=5", "descent", "length is too large"),
        ("chess:draws=loose", "tuples", "descent", "positions can repeat"),
    ] {
        let refusal = Run::new(plan(game, model, method)).map(drop).unwrap_err().to_string();
        assert!(refusal.contains(word) && !refusal.contains('\n'), "{game} {model} {method}: {refusal}");
    }
}

#[test]
fn searches_ask_models_of_their_game_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.safetensors");
    let run = Run::new(plan("connect-four:5x4", "tuples:count=5,length=4", "td")).unwrap();
    run.go_on(&games(50), &mut ());
    run.saved().write(&path).unwrap();
    let path = path.display();
    let position = open("connect-four:5x4").unwrap().start();
    for algorithm in [
        "ubfm",
        "descent",
        "umb",
        "alpha-beta",
        "minimax",
        "mcts",
        "greedy",
        "maxn",
        "paranoid",
        "pns",
        "df-pn",
        "every-move",
    ] {
        let depth = if algorithm == "minimax" { ",depth=3" } else { "" };
        let algorithm = Algorithm::parse(&format!("{algorithm}:eval=learned:{path}{depth}")).unwrap();
        let mut search = position.search(&algorithm, &Setup::default()).unwrap();
        search.run(&Budget::nodes(300), &mut ());
        assert_eq!(search.report().algorithm, algorithm.text);
    }
    let ask = |game: &str, with: &str| {
        let algorithm = Algorithm::parse(with).unwrap();
        open(game).unwrap().start().search(&algorithm, &Setup::default()).map(drop).unwrap_err().to_string()
    };
    assert!(ask("connect-four:5x5", &format!("ubfm:eval=learned:{path}")).contains("is a model of connect-four:5x4"));
    assert!(ask("hex:4", &format!("ubfm:eval=learned:{path}")).contains("is a model of connect-four:5x4"));
    assert!(ask("hex:4", "ubfm:eval=learned:no-such-file").contains("there is no model"));
    assert!(ask("connect-four:5x4", &format!("backward-induction:eval=learned:{path}")).contains("means nothing"));
    // A model from before cells had one value more.
    let mut older = run.file();
    let Network::Tuples(tuples) = &older.network else { unreachable!("tuples were asked for") };
    let cells = tuples.shape().cells as u16;
    let structure =
        Structure { tuples: vec![vec![0, 1]], images: vec![(0..cells).collect()], phases: 1, ..Structure::default() };
    let shape = Shape { values: tuples.shape().values - 1, ..tuples.shape().clone() };
    older.header = Header { shape: shape.clone(), sides: false, phases: 1, ..older.header };
    older.network = Network::Tuples(Box::new(Tuples::new(shape, structure)));
    let path = folder.path().join("older.safetensors");
    older.write(&path).unwrap();
    let refusal = ask("connect-four:5x4", &format!("ubfm:eval=learned:{}", path.display()));
    assert!(refusal.contains("train it again"), "{refusal}");
    std::fs::write(folder.path().join("broken"), "not a model at all, but long enough").unwrap();
    let broken = folder.path().join("broken");
    assert!(ask("hex:4", &format!("ubfm:eval=learned:{}", broken.display())).contains("no model of perfectplay"));
}

/// So many games, however long they take.
fn exam_limits(games: u64) -> ExamLimits {
    ExamLimits { games, time: Duration::MAX, stop: StopHandle::new() }
}

/// An exam that has no time left plays one game against everybody, and one that is stopped none.
#[test]
fn exams_end() {
    let exam = Exam::new("mnk:4x4x3,players=3", 1).unwrap();
    let run = Run::new(plan("mnk:4x4x3,players=3", "tuples:count=4", "descent:evaluations=20")).unwrap();
    let take = |limits: &ExamLimits| exam.take(&run.model(), 1, limits).unwrap();
    let short = take(&ExamLimits { time: Duration::ZERO, ..exam_limits(18) });
    assert_eq!(short.exam_games, 1);
    assert!(!short.scores.is_empty());
    let stopped = exam_limits(18);
    stopped.stop.pull();
    let none = take(&stopped);
    assert_eq!((none.exam_games, none.scores.len()), (0, 0));
}

/// A player that learned beats one that did not, for three players, too.
#[test]
fn what_is_learned_wins() {
    for (game, method, least) in [
        ("connect-four:5x5", "descent", 0.8),
        ("mnk:4x4x3,players=3", "descent:evaluations=60", 0.5),
        ("mnk:4x4x3,players=3", "descent:evaluations=60,generalisation=second", 0.5),
    ] {
        let run = Run::new(plan(game, "tuples:count=20", method)).unwrap();
        run.go_on(&games(400), &mut ());
        let marks = Exam::new(game, 1).unwrap().take(&run.model(), 1, &exam_limits(18)).unwrap();
        assert_eq!(marks.exam_games, 18);
        assert!(marks.scores[0].1 >= least, "{game}: {marks:?}");
    }
}

/// A set of functions is made once; what a shorter or killed run has left is taken over.
#[test]
fn sets_of_functions_are_made_once() {
    let folder = tempfile::tempdir().unwrap();
    let stop = StopHandle::new();
    let set = |functions, milliseconds| perfectplay_learn::FunctionSet {
        game: "tic-tac-toe".into(),
        number: 1,
        functions,
        training: Duration::from_millis(milliseconds),
        terminal: None,
    };
    let short = set(2, 40);
    assert_eq!(short.left(folder.path()), short.training);
    let mut told = Duration::ZERO;
    assert!(short.train(folder.path(), &stop, &mut |spent| told = spent).unwrap());
    assert!(told >= short.training);
    let read = |name: &String| std::fs::read(folder.path().join(format!("{name}.zst"))).unwrap();
    let first: Vec<Vec<u8>> = short.names().iter().map(read).collect();
    assert_ne!(first[0], first[1], "they differ in strength");
    assert!(short.training_lines(folder.path()).unwrap()[0].starts_with("perfectplay train tic-tac-toe"));
    // Twice the time: the two are its first functions, and stay as they are.
    let long = set(3, 80);
    assert_eq!(long.names()[..2], short.names());
    assert_eq!(long.left(folder.path()), long.training);
    assert!(long.train(folder.path(), &stop, &mut |_| {}).unwrap());
    assert_eq!(long.left(folder.path()), Duration::ZERO);
    assert_eq!(long.names()[..2].iter().map(read).collect::<Vec<_>>(), first);
    // Another f_t makes other functions.
    let gain = perfectplay_learn::FunctionSet { terminal: Some("gain".into()), ..long.clone() };
    assert_eq!([&long, &gain].map(|set| set.terminal().unwrap()), ["depth", "gain"]);
    assert_eq!(gain.left(folder.path()), gain.training);
    assert!(gain.train(folder.path(), &stop, &mut |_| {}).unwrap());
    assert!(gain.training_lines(folder.path()).unwrap().iter().all(|line| line.contains("f=gain")));
    // Stopped before it began, nothing is there.
    stop.pull();
    let other = perfectplay_learn::FunctionSet { number: 2, ..long.clone() };
    assert!(!other.train(folder.path(), &stop, &mut |_| {}).unwrap());
    assert_eq!(other.left(folder.path()), other.training);
    let runs = std::fs::read_dir(folder.path())
        .unwrap()
        .filter(|f| f.as_ref().unwrap().path().extension().is_some_and(|end| end == "run"));
    assert_eq!(runs.count(), 0, "what going on needs is gone with the end");
}
