//! The command line: `perfectplay VERB GAME [options]`.
//!
//! A thin layer over the catalog. Exit codes: 0 done, 1 the question was answered "no", 2 bad usage or input, 3 stopped
//! by a limit without an answer.
#![forbid(unsafe_code)]

mod args;
mod growth;
mod output;
mod progress;
mod verbs;

use std::process::ExitCode;

use crate::args::{BookVerb, Cli, Experiment, JobVerb, Verb};
use crate::output::Outcome;

/// Does what the arguments of the program say.
pub fn main() -> ExitCode {
    let cli = Cli::read();
    perfectplay_learn::install();
    let result = match cli.verb {
        Verb::Games(args) => verbs::games::run(&args),
        Verb::Algorithms(args) => verbs::algorithms::run(&args),
        Verb::Show(args) => verbs::show::run(&args),
        Verb::Perft(args) => verbs::perft::run(&args),
        Verb::Solve(args) => verbs::solve::solve(&args),
        Verb::Analyse(args) => verbs::analyse::run(args),
        Verb::Verify(args) => verbs::verify::run(&args),
        Verb::Book(args) => match args.verb {
            BookVerb::Build(args) => verbs::book::build(&args),
            BookVerb::Show(args) => verbs::book::show(&args),
            BookVerb::Verify(args) => verbs::book::verify(&args),
        },
        Verb::Train(args) => verbs::train::run(&args),
        Verb::Play(args) => verbs::play::run(&args),
        Verb::Match(args) => verbs::tournament::run_match(&args),
        Verb::Tournament(args) => verbs::tournament::run(&args),
        Verb::Serve(args) => verbs::serve::run(&args),
        Verb::Job(args) => match args.verb {
            JobVerb::Run(args) => verbs::job::run(&args),
        },
        Verb::Bench(args) => verbs::bench::run(&args),
        Verb::Experiment(args) => match args.experiment {
            Experiment::Completion(args) => verbs::completion::run(&args),
            Experiment::Learned(args) => verbs::learned::run(&args),
            Experiment::ParanoidVsMaxn(args) => verbs::paranoid_vs_maxn::run(&args),
            Experiment::MopnsTables(args) => verbs::mopns_tables::run(&args),
            Experiment::Defaults(args) => verbs::defaults::run(&args),
            Experiment::Solvers(args) => verbs::solvers::run(&args),
            Experiment::Mistakes(args) => verbs::mistakes::run(&args),
            Experiment::WonPositions(args) => verbs::won_positions::run(&args),
        },
        Verb::Completions(args) => verbs::completions::run(&args),
        Verb::Man => verbs::man::run(),
        Verb::Words(args) => verbs::completions::words(&args),
    };
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::No) => ExitCode::from(1),
        Ok(Outcome::NoAnswer) => ExitCode::from(3),
        Err(error) => {
            eprintln!("perfectplay: {}", format!("{error:#}").replace('\n', " "));
            ExitCode::from(2)
        }
    }
}
