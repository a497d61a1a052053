//! `job run`: a piece of work that another machine, a batch queue or a script has written down.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use perfectplay_core::StopHandle;
use perfectplay_jobs::Task;

use crate::args::{JobRunArgs, stop_on_ctrl_c, stop_on_termination};
use crate::output::{Outcome, emit_json};

pub(crate) fn run(args: &JobRunArgs) -> Result<Outcome> {
    let name = args.file.display();
    let text = read(&args.file).with_context(|| format!("cannot read {name}"))?;
    let task: Task = serde_json::from_str(&text).with_context(|| format!("{name} is no job"))?;
    let stop = StopHandle::new();
    stop_on_ctrl_c(&stop);
    stop_on_termination(&stop);
    match task.run(None, &stop) {
        Ok(result) => emit_json(&result).map(|()| Outcome::Done),
        Err(error) if stop.is_pulled() => {
            eprintln!("perfectplay: {error}");
            Ok(Outcome::NoAnswer)
        }
        Err(error) => Err(error.into()),
    }
}

fn read(file: &Path) -> std::io::Result<String> {
    if file != Path::new("-") {
        return std::fs::read_to_string(file);
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    Ok(text)
}
