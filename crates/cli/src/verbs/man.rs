//! `man`: made from the definitions of the command line itself.

use anyhow::Result;
use clap::CommandFactory;

use crate::args::Cli;
use crate::output::{Outcome, emit};

pub(crate) fn run() -> Result<Outcome> {
    let mut out = Vec::new();
    let command = Cli::command();
    clap_mangen::Man::new(command.clone()).render(&mut out)?;
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let man = clap_mangen::Man::new(verb.clone().display_name(format!("perfectplay {}", verb.get_name())));
        man.render_synopsis_section(&mut out)?;
        man.render_description_section(&mut out)?;
        man.render_options_section(&mut out)?;
    }
    emit(&String::from_utf8(out)?)?;
    Ok(Outcome::Done)
}
