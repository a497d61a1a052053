//! `experiment paranoid-vs-maxn`: the published comparison, measured again.

use anyhow::Result;
use indicatif::ProgressBar;
use perfectplay_arena::experiments::paranoid_vs_maxn::{Line, Plan, Size, TABLE};
use perfectplay_arena::stats::Interval;

use crate::args::ParanoidExperimentArgs;
use crate::output::{Outcome, emit, emit_json, ended, grouped, table, table_text};

pub(crate) fn run(args: &ParanoidExperimentArgs) -> Result<Outcome> {
    let mut size = if args.full { Size::full() } else { Size::quick() };
    size.time = args.time.or(size.time);
    let chosen = TABLE.into_iter().filter(|t| args.players.is_empty() || args.players.contains(&t.0)).collect();
    let mut plan = Plan::new(chosen, size, args.played.seed);
    args.kept.files().try_for_each(|file| plan.take_over(file))?;
    let (mut store, stop) = args.played.begin()?;
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(std::time::Duration::from_millis(200));
    let mut written = Ok(());
    let found = plan.run(&mut store, &stop, &mut |players, summary| {
        let games = summary.lines.iter().find(|line| line.players == players).map_or(0, |line| line.games);
        bar.set_message(format!("{players} players, {games} games"));
        if written.is_ok() {
            written = args.kept.write(summary);
        }
        if written.is_err() {
            stop.pull();
        }
    });
    bar.finish_and_clear();
    written?;
    let found = found?;
    args.kept.write(&found)?;
    if args.played.json {
        emit_json(&found)?;
    } else {
        emit(&text_of(&found.lines, &plan.size))?;
    }
    Ok(ended(&stop, "the games until then are shown, and are kept if --store or --summary names a file"))
}

fn text_of(lines: &[Line], size: &Size) -> String {
    let titles = ["players", "games", "undecided", "paranoid wins", "95 %", "published", "depth", "published depth"];
    let mut rows = table(&titles, &[1, 2, 3, 4, 5, 6, 7]);
    let depths = |depths: Option<(f64, f64)>| depths.map_or(String::new(), |(p, m)| format!("{p:.1} / {m:.1}"));
    for line in lines {
        rows.add_row([
            line.players.to_string(),
            line.games.to_string(),
            line.undecided.to_string(),
            line.share.map_or("–".into(), |share| format!("{share:.1} %")),
            line.interval.map_or(String::new(), |Interval(low, high)| format!("{low:.1} … {high:.1}")),
            format!("{:.1} %", line.published),
            depths(line.depths),
            depths(line.published_depths),
        ]);
    }
    format!(
        "Paranoid against maxn on Chinese checkers with 6 pieces, all mixed seatings, {} nodes per move; \
         depths paranoid / maxn\n\n{}",
        grouped(size.nodes),
        table_text(&rows)
    )
}
