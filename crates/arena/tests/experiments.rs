//! Experiments by play: what they count, that they go on where they were, and that their results outlive the store.

use perfectplay_arena::experiments::paranoid_vs_maxn::{Plan, Size};
use perfectplay_arena::experiments::results::Match;
use perfectplay_arena::stats::Interval;
use perfectplay_arena::{Ending, Store};
use perfectplay_core::StopHandle;

#[test]
fn paranoid_and_maxn_share_the_seats_in_every_way_once() {
    let size = Size { nodes: 30, games: 6, plies: 2, time: None };
    let (mut store, stop) = (Store::in_memory().unwrap(), StopHandle::new());
    let plan = |games| Plan::new(vec![(3, 60.6, None)], Size { games, ..size.clone() }, 1);
    let found = plan(6).run(&mut store, &stop, &mut |_, _| {}).unwrap();
    let line = &found.lines[0];
    assert_eq!((line.games, found.games[0].matches.len()), (6, 6), "one opening, six ways to share three seats");
    let (share, Interval(low, high)) = (line.share.unwrap(), line.interval.unwrap());
    assert!(low <= share && share <= high && (0.0..=100.0).contains(&low) && high <= 100.0);
    assert!(line.depths.is_some());
    let mut told = Vec::new();
    let more = plan(12).run(&mut store, &stop, &mut |_, summary| told.push(summary.lines[0].games)).unwrap();
    assert_eq!((told[0], more.lines[0].games), (6, 12), "those from before count");
    // What a file keeps goes on without the store, in whatever order games were played; a smaller size counts its part.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("summary.json");
    std::fs::write(&file, serde_json::to_string(&found).unwrap()).unwrap();
    let mut known = plan(12);
    known.take_over(&file).unwrap();
    known.take_over(&file).unwrap();
    let (mut empty, mut heard) = (Store::in_memory().unwrap(), Vec::new());
    let on = known.run(&mut empty, &stop, &mut |_, summary| heard.push(summary.lines[0].games)).unwrap();
    assert_eq!(heard, [6, 7, 8, 9, 10, 11, 12]);
    let share = |summary: &perfectplay_arena::experiments::paranoid_vs_maxn::Summary| summary.lines[0].share;
    assert_eq!((on.lines[0].games, share(&on), on.lines[0].depths), (12, share(&more), more.lines[0].depths));
    std::fs::write(&file, serde_json::to_string(&on).unwrap()).unwrap();
    let mut fewer = plan(6);
    fewer.take_over(&file).unwrap();
    let fewer = fewer.run(&mut empty, &stop, &mut |_, _| {}).unwrap();
    assert_eq!((&fewer.lines, &fewer.games), (&found.lines, &on.games));
}

#[test]
fn a_result_is_a_line_that_can_be_read_again() {
    let text = "43 0,1,1,0 -1,1,0,-1 length 250,249,250,0 1234567,0,99,1 700,0,0,3 250,0,0,1";
    let read: Match = text.parse().unwrap();
    assert_eq!((read.round, read.ending, read.plies()), (43, Ending::Length, 749));
    assert_eq!(read.to_string(), text);
    let written = serde_json::to_string(&read).unwrap();
    assert_eq!((serde_json::from_str::<Match>(&written).unwrap(), written), (read, format!("\"{text}\"")));
    for wrong in [
        "",
        "r43 0,1 1,-1 rules 1,1 1,1 0,0 0,0",
        "43 0,1 1,-2 rules 1,1 1,1 0,0 0,0",
        "43 0,1 1,-1 rulez 1,1 1,1 0,0 0,0",
        "43 0,1 1,-1,0 rules 1,1 1,1 0,0 0,0",
        "43 0,1 1,-1 rules 1,1 1 0,0 0,0",
        "43 0,1 1,-1 rules 1,1 1,-1 0,0 0,0",
        "43 0,1 1,-1 rules 1,1 1,18446744073709551615 0,0 0,0",
        "43 0,1 1,-1 rules 1,1 1,1 0,0",
        "43 0,1 1,-1 rules 1,1 1,1 0,0 0,0 0,0",
    ] {
        assert!(wrong.parse::<Match>().unwrap_err().contains("is not the result of a match"), "{wrong}");
    }
}
