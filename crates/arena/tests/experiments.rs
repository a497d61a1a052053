//! Experiments by play: their results outlive the store.

use perfectplay_arena::Ending;
use perfectplay_arena::experiments::results::Match;

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
