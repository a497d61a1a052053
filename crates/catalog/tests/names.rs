//! Names that nobody knows.

use perfectplay_catalog::{Algorithm, open};

#[test]
fn an_unknown_name_suggests_near_ones() {
    let error = |text| open(text).err().expect("no such game").to_string();
    assert_eq!(error("conect-for:7x6"), "there is no game \"conect-for\"; did you mean connect-four or connect6?");
    assert_eq!(error("zzz"), "there is no game \"zzz\"; `perfectplay games` lists them all");
    let error = Algorithm::parse("backwards-induction").unwrap_err().to_string();
    assert_eq!(error, "there is no algorithm \"backwards-induction\"; did you mean backward-induction?");
}
