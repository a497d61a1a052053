//! `experiment won-positions`: how often a player wins what is won.

use anyhow::{Context, Result};
use indicatif::ProgressBar;
use perfectplay_arena::experiments::won_positions::{Line, Wanted, Won, find, read, run as play, text_of};
use perfectplay_core::StopHandle;

use crate::args::WonPositionsArgs;
use crate::output::{Outcome, emit, emit_json, ended};

pub(crate) fn run(args: &WonPositionsArgs) -> Result<Outcome> {
    let (mut store, stop) = args.played.begin()?;
    let Some(won) = positions(args, &stop)? else {
        return Ok(ended(&stop, "which positions are won is not known yet"));
    };
    let Some(player) = args.with.as_deref().filter(|_| !args.list) else {
        match args.played.json {
            true => emit_json(&won)?,
            false => emit(&text_of(&won))?,
        }
        return Ok(Outcome::Done);
    };
    let (players, seed) = ([player, args.against.as_str()], args.played.seed);
    let line = play(&args.game, &won, players, args.rounds, seed, &mut store, &stop)?;
    match &line {
        _ if args.played.json => emit_json(&line)?,
        Some(line) => emit(&in_words(line))?,
        None => {}
    }
    Ok(ended(&stop, "the games until then are kept if --store names a file"))
}

/// The positions that are won; `None` if it was stopped before they are known.
fn positions(args: &WonPositionsArgs, stop: &StopHandle) -> Result<Option<Vec<Won>>> {
    if let Some(file) = &args.solved {
        let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        return Ok(Some(read(&args.game, &text).with_context(|| file.display().to_string())?));
    }
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(std::time::Duration::from_millis(200));
    let (plies, sample, solver, seed) = (args.plies, args.sample, args.solver.clone(), args.played.seed);
    let won = find(&args.game, &Wanted { plies, sample, solver, seed }, stop, &mut |done, all| {
        bar.set_message(format!("solving: {done} of {all} positions"));
    });
    bar.finish_and_clear();
    Ok(won?)
}

fn in_words(line: &Line) -> String {
    let Line { game, player, against, positions, games, different, wins, draws, losses, share, .. } = line;
    let [share, low, high] = [*share, line.interval.0, line.interval.1].map(|share| 100.0 * share);
    format!(
        "{player} from {positions} won positions of {game} against {against}\n\
         {games} games, {different} of them different: {wins} won, {draws} drawn, {losses} lost\n\
         {share:.1} % won, 95 %: {low:.1} … {high:.1}\n"
    )
}
