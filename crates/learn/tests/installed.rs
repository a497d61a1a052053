//! The models that come with the program: small, readable, about the games they are for, and played with.

use perfectplay_catalog::{Algorithm, Setup, default_player, has_model, installed_models, load_model, open};
use perfectplay_core::Budget;

#[test]
fn installed_models_are_small_and_about_their_games() {
    perfectplay_learn::install();
    let models = installed_models();
    assert!(models.len() >= 20, "{} models", models.len());
    assert!(models.iter().all(|entry| entry.bytes.len() <= 500_000));
    assert!(models.iter().map(|entry| entry.bytes.len()).sum::<usize>() <= 6_000_000);
    for entry in models {
        let file = load_model(entry.name, entry.game).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        assert!(file.header.made_by.starts_with("perfectplay train "), "{}", entry.name);
        assert!(has_model(entry.game), "{}", entry.game);
    }
}

/// The list beside the files says how each was made; `UPDATE_GOLDEN=1` writes it anew.
#[test]
fn the_list_of_models_is_true() {
    perfectplay_learn::install();
    let mut list = include_str!("installed_models.md").to_owned();
    list += "\n| model | game | made by |\n|---|---|---|\n";
    for entry in installed_models() {
        let made_by = load_model(entry.name, entry.game).unwrap().header.made_by.clone();
        list += &format!("| `{}.zst` | `{}` | `{made_by}` |\n", entry.name, entry.game);
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/models/README.md");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, &list).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(found == list, "data/models/README.md is out of date (UPDATE_GOLDEN=1 writes it anew)");
}

/// Whoever is named as a player can be asked for a move at once.
#[test]
fn default_players_play() {
    perfectplay_learn::install();
    let games = installed_models().iter().filter(|entry| entry.player.is_some()).map(|entry| entry.game);
    for game in games {
        let player = Algorithm::parse(default_player(game).unwrap()).unwrap();
        let position = open(game).unwrap().start();
        let mut search = position.search(&player, &Setup::default()).unwrap_or_else(|error| panic!("{game}: {error}"));
        search.run(&Budget::nodes(30), &mut ());
        let best = search.report().best_move;
        assert!(best.is_none_or(|mv| position.moves().contains(&mv)), "{game}");
    }
}

/// A model is refused where it does not fit.
#[test]
fn a_model_of_another_game_or_size_is_refused() {
    perfectplay_learn::install();
    for (name, game) in [("connect-four-7x6", "othello:8"), ("connect-four-7x6", "connect-four:7x7")] {
        let error = load_model(name, game).expect_err("it does not fit").to_string();
        assert!(error.contains("is a model of connect-four:7x6"), "{error}");
    }
}
