//! What can be typed. Help, completions and the man page all come from these definitions.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::builder::PossibleValue;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use perfectplay_arena::experiments::completion::COMPARISONS;
use perfectplay_arena::{Shard, Store};
use perfectplay_catalog::{Algorithm, AlgorithmInfo, AnyGame, AnyPosition, Setup, open, uses_all_cores};
use perfectplay_core::{Budget, Facts, Objective, StopHandle, parse_count, parse_duration, parse_size};
use perfectplay_learn::write_whole;

/// Solves and plays perfect-information games for two or more players.
#[derive(Debug, Parser)]
#[command(name = "perfectplay", version, max_term_width = 100)]
#[command(after_help = "Examples:
  perfectplay solve connect-four:5x4        is it a win? with the best line
  perfectplay analyse tic-tac-toe --moves \"b2 a1\"
  perfectplay solve connect-four:5x4 --proof draw.proof && perfectplay verify draw.proof
  perfectplay play connect-four:7x6         play against the machine
  perfectplay show tic-tac-toe --tree --depth 1")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

impl Cli {
    /// What was typed. A value may begin with `-`: a position may, and a limit that does is refused for what it is.
    pub(crate) fn read() -> Self {
        let matches = with_hyphens(Cli::command()).get_matches();
        Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

fn with_hyphens(command: clap::Command) -> clap::Command {
    let relaxed = |arg: clap::Arg| match (arg.is_positional(), arg.get_action().takes_values()) {
        (false, true) => arg.allow_hyphen_values(true),
        (true, _) => arg.allow_negative_numbers(true),
        (false, false) => arg,
    };
    command.mut_args(relaxed).mut_subcommands(with_hyphens)
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// List the games, with their parameters and facts
    Games(ListArgs),
    /// List the algorithms, with their options
    Algorithms(ListArgs),
    /// Draw a position, a game tree, or the normal form of a small game
    Show(ShowArgs),
    /// Count move sequences, to compare rules with other programs
    Perft(PerftArgs),
    /// Find the exact value of a position
    Solve(SolveArgs),
    /// Check a proof that `solve --proof` wrote, by the rules alone
    Verify(VerifyArgs),
    /// Look at every move of a position
    #[command(visible_alias = "analyze")]
    Analyse(SolveArgs),
    /// Build opening books, which `solve` and `analyse` answer from at once
    Book(BookArgs),
    /// Learn to evaluate a game from its rules alone, by self-play
    Train(TrainArgs),
    /// Play against an algorithm
    Play(PlayArgs),
    /// Let two players play against each other
    Match(MatchArgs),
    /// Let players meet, and say which is better and how sure that is
    Tournament(TournamentArgs),
    /// Open the page: play, analyse, watch, prove and compare in a browser
    Serve(ServeArgs),
    /// Do a piece of work that is given as a text
    Job(JobArgs),
    /// Measure the algorithms
    Bench(BenchArgs),
    /// Repeat a published experiment
    Experiment(ExperimentArgs),
    /// Print shell completions
    Completions(CompletionArgs),
    /// Print the man page
    Man,
    /// What can stand where WORD does: for the completions
    #[command(hide = true)]
    Words(WordsArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only this one, in detail
    pub(crate) name: Option<String>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which position of which game.
#[derive(Debug, Args)]
pub(crate) struct PositionArgs {
    /// The game: a name and its parameters, as in connect-four:7x6 or nim:1,3,5,7 (see `perfectplay games`)
    pub(crate) game: String,
    /// Begin at this position, in the game's notation
    #[arg(long, value_name = "TEXT")]
    pub(crate) position: Option<String>,
    /// Then play these moves, as in "4 4 3" or 443
    #[arg(long, value_name = "MOVES")]
    pub(crate) moves: Option<String>,
}

impl PositionArgs {
    pub(crate) fn game(&self) -> Result<Box<dyn AnyGame>> {
        Ok(open(&self.game)?)
    }

    pub(crate) fn position(&self, game: &dyn AnyGame) -> Result<Box<dyn AnyPosition>> {
        let mut position = match &self.position {
            Some(text) => {
                let position = game.parse_position(text)?;
                if let Some(note) = game.position_note(text) {
                    eprintln!("perfectplay: {note}");
                }
                position
            }
            None => game.start(),
        };
        position.play_all(self.moves.as_deref().unwrap_or(""))?;
        Ok(position)
    }
}

/// What is asked, and of which algorithm.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// The algorithm and its options, as in descent:completion=off (see `perfectplay algorithms`); chosen by the game's
    /// facts if not given
    #[arg(long, value_name = "NAME[:OPTIONS]")]
    pub(crate) with: Option<String>,
    /// What is to be settled: win, draw or loss; the game's own score; or win, draw or loss and how soon
    #[arg(long = "for", value_name = "WHAT", default_value = "gain")]
    pub(crate) objective: ObjectiveArg,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
}

impl SearchArgs {
    /// The algorithm named, or the one that `default` gives for the game.
    pub(crate) fn algorithm<T: AsRef<str>>(&self, game: &dyn AnyGame, default: fn(&Facts) -> T) -> Result<Algorithm> {
        match &self.with {
            Some(name) => Ok(Algorithm::parse(name)?),
            None => Ok(Algorithm::parse(default(&game.facts()).as_ref())?),
        }
    }

    pub(crate) fn setup(&self) -> Setup {
        Setup { objective: self.objective.into(), ..self.budget.setup() }
    }
}

/// An [`Objective`], as it can be typed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObjectiveArg(Objective);

impl ValueEnum for ObjectiveArg {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<[ObjectiveArg; 3]> = LazyLock::new(|| Objective::ALL.map(ObjectiveArg));
        ALL.as_slice()
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()).help(self.0.meaning()))
    }
}

impl ObjectiveArg {
    /// For verbs that look at ends of games only.
    pub(crate) fn of_payoffs(self) -> Result<Objective> {
        match self.0 {
            Objective::Length => bail!("--for length is for solve and analyse; here it is gain or score"),
            other => Ok(other),
        }
    }
}

impl From<ObjectiveArg> for Objective {
    fn from(arg: ObjectiveArg) -> Self {
        arg.0
    }
}

/// What it may cost.
#[derive(Debug, Args)]
pub(crate) struct BudgetArgs {
    /// Stop after this time, as in 10s, 500ms, 2m30s or 1.5h
    #[arg(long, value_parser = parse_duration)]
    pub(crate) time: Option<Duration>,
    /// Stop after creating so many nodes, as in 1000000 or 5M
    #[arg(long, value_parser = parse_count)]
    pub(crate) nodes: Option<u64>,
    /// Hold at most so many bytes in the whole program, as in 256M or 8G
    #[arg(long, value_parser = parse_size)]
    pub(crate) memory: Option<usize>,
    /// Search with so many threads (`perfectplay algorithms` tells who can); if not said, one, but solve and analyse by
    /// auto and every-move use all cores unless --nodes, --reproducible or a checkpoint asks for the same run every
    /// time
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Seed of all random choices: the same seed, the same result
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// With several threads, too, find the same every time; limit it by --nodes, not by --time
    #[arg(long, conflicts_with = "time")]
    pub(crate) reproducible: bool,
}

/// What the program itself takes.
const OWN_BYTES: usize = 8 << 20;

impl BudgetArgs {
    /// The part of the memory that is left to the search: the limit is on the whole program.
    pub(crate) fn for_search(&self) -> Option<usize> {
        self.memory.map(|limit| limit - OWN_BYTES.min(limit / 4))
    }

    /// One thread if nobody says how many.
    fn threads(&self) -> usize {
        self.threads.map_or(1, usize::from)
    }

    /// Threads of a search by `algorithm`. If nobody says how many: all cores where its members search side by side,
    /// unless the run is to be the same every time.
    pub(crate) fn threads_for(&self, algorithm: &AlgorithmInfo) -> usize {
        let side_by_side = self.threads.is_none() && self.nodes.is_none() && !self.reproducible;
        if side_by_side && uses_all_cores(algorithm) { cores() } else { self.threads() }
    }

    /// What an algorithm is told of it.
    pub(crate) fn setup(&self) -> Setup {
        Setup {
            seed: self.seed,
            memory: self.for_search(),
            threads: self.threads(),
            reproducible: self.reproducible,
            ..Setup::default()
        }
    }

    /// The budget, with Ctrl-C as its stop handle.
    pub(crate) fn budget(&self) -> Budget {
        let stop = StopHandle::new();
        stop_on_ctrl_c(&stop);
        self.with_stop(stop)
    }

    /// The budget with this stop handle.
    pub(crate) fn with_stop(&self, stop: StopHandle) -> Budget {
        Budget {
            time: self.time,
            nodes: self.nodes,
            memory: self.for_search(),
            threads: self.threads(),
            stop,
            ..Budget::default()
        }
    }
}

/// As many threads as run at the same moment.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The first Ctrl-C asks the work to end with what it has; the second ends the program.
pub(crate) fn stop_on_ctrl_c(stop: &StopHandle) {
    let stop = stop.clone();
    // An error means that a handler is there already, or that there are no signals: nothing is lost.
    let _ = ctrlc::set_handler(move || {
        if stop.is_pulled() {
            std::process::exit(130);
        }
        stop.pull();
    });
}

/// A polite request to end counts as Ctrl-C. Used where that saves work; elsewhere the program just ends.
pub(crate) fn stop_on_termination(stop: &StopHandle) {
    #[cfg(unix)]
    if let Ok(mut signals) = signal_hook::iterator::Signals::new([signal_hook::consts::SIGTERM]) {
        let stop = stop.clone();
        std::thread::spawn(move || signals.forever().for_each(|_| stop.pull()));
    }
    #[cfg(not(unix))]
    let _ = stop;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For a terminal
    Text,
    /// A picture
    Svg,
    /// Graphviz, for trees
    Dot,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    pub(crate) at: PositionArgs,
    /// Show the last position of a saved match
    #[arg(long = "match", value_name = "FILE", conflicts_with_all = ["position", "moves"])]
    pub(crate) record: Option<PathBuf>,
    /// Draw the game tree, with values at the nodes
    #[arg(long, conflicts_with = "matrix")]
    pub(crate) tree: bool,
    /// How many plies of the tree
    #[arg(long, default_value_t = 2, requires = "tree")]
    pub(crate) depth: usize,
    /// Write the game as a matrix of strategies, with its equilibrium
    #[arg(long)]
    pub(crate) matrix: bool,
    /// How to draw
    #[arg(long, default_value = "text", conflicts_with = "json")]
    pub(crate) format: Format,
    /// What the values are about
    #[arg(long = "for", value_name = "WHAT", default_value = "gain")]
    pub(crate) objective: ObjectiveArg,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Open a browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Where to listen; another address than this machine's own needs --token
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8017")]
    pub(crate) listen: std::net::SocketAddr,
    /// What visitors must know: they open the address with ?token=TOKEN at its end
    #[arg(long)]
    pub(crate) token: Option<String>,
    /// Pages that may be open at the same time
    #[arg(long, default_value_t = 256, value_parser = count(1..=100_000))]
    pub(crate) sessions: u32,
    /// Searches that one page may have
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) searches: u32,
    /// Bytes that all searches together may hold
    #[arg(long, default_value = "4G", value_parser = parse_size)]
    pub(crate) memory: usize,
    /// Bytes that one search may hold
    #[arg(long, default_value = "512M", value_parser = parse_size)]
    pub(crate) search_memory: usize,
    /// Time that one search may take
    #[arg(long, default_value = "10m", value_parser = parse_duration)]
    pub(crate) time: Duration,
    /// Searches that run at the same moment, the others waiting for their turn; as many as there are cores if not given
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

#[derive(Debug, Args)]
pub(crate) struct PerftArgs {
    #[command(flatten)]
    pub(crate) at: PositionArgs,
    /// How many plies
    #[arg(value_parser = clap::value_parser!(u32).range(..=1000))]
    pub(crate) depth: u32,
    /// Do not count finished games: faster, because the last ply is not played
    #[arg(long)]
    pub(crate) bulk: bool,
    /// Stop after this time, as in 10s
    #[arg(long, value_parser = parse_duration)]
    pub(crate) time: Option<Duration>,
    /// Count with so many threads; as many as there are cores if not given
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SolveArgs {
    #[command(flatten)]
    pub(crate) at: PositionArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    /// Value every position that can be reached, not only this one (backward induction)
    #[arg(long, conflicts_with = "with")]
    pub(crate) strong: bool,
    /// With --strong: write every position and its value per player to this file, a line each (with --for length the
    /// plies follow)
    #[arg(long, value_name = "FILE", requires = "strong")]
    pub(crate) values: Option<PathBuf>,
    /// solve: write the value and distance of every position to this file (retrograde); analyse: look the moves up
    /// there
    #[arg(long, value_name = "FILE", conflicts_with = "strong")]
    pub(crate) table: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) saving: SavingArgs,
    /// Answer from this opening book where it holds the position (see `perfectplay book`); a book that comes with the
    /// program is used where no algorithm is named
    #[arg(long, value_name = "FILE")]
    #[arg(conflicts_with_all = ["with", "strong", "proof", "growth", "checkpoint", "resume"])]
    pub(crate) book: Option<PathBuf>,
    /// If it is solved, write a proof to this file, for `verify` and `play`; limits on time and nodes then hold once
    /// more
    #[arg(long, value_name = "FILE")]
    pub(crate) proof: Option<PathBuf>,
    /// Write to this file how ubfm, descent, umb, pns or mopns grow their tree: a JSON document per iteration, a line
    /// each; - is standard error
    #[arg(long, value_name = "FILE", conflicts_with = "strong")]
    pub(crate) growth: Option<PathBuf>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BookArgs {
    #[command(subcommand)]
    pub(crate) verb: BookVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BookVerb {
    /// Find the exact value of every position within some plies of the start; stopped or killed, the same command goes
    /// on
    Build(BookBuildArgs),
    /// Tell what is in a book
    Show(BookShowArgs),
    /// Check a book: its positions and earlier plies by the rules, a sample of its last ply by solving it again
    Verify(BookVerifyArgs),
}

#[derive(Debug, Args)]
pub(crate) struct BookBuildArgs {
    /// The game: a name and its parameters, as in connect-four:7x6 (see `perfectplay games`)
    pub(crate) game: String,
    /// How many moves from the start the book reaches
    #[arg(long, value_parser = clap::value_parser!(u32).range(..=1000))]
    pub(crate) plies: u32,
    /// Write it to this file; the game's name with .book if not given. What is done so far is in FILE.part
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// What the values are: the game's own score, which tells who wins as well; or win, draw or loss
    #[arg(long = "for", value_name = "WHAT", default_value = "score")]
    pub(crate) objective: ObjectiveArg,
    /// Stop after this time, as in 10m
    #[arg(long, value_parser = parse_duration)]
    pub(crate) time: Option<Duration>,
    /// Hold at most so many bytes in all, as in 256M or 8G
    #[arg(long, value_parser = parse_size)]
    pub(crate) memory: Option<usize>,
    /// Use so many threads, each at a position of its own
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: u16,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BookShowArgs {
    /// The book
    pub(crate) file: PathBuf,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BookVerifyArgs {
    /// The book
    pub(crate) file: PathBuf,
    /// How many positions of the last ply are solved again
    #[arg(long, value_name = "POSITIONS", default_value_t = 10)]
    pub(crate) sample: usize,
    /// Stop after this time, as in 10m
    #[arg(long, value_parser = parse_duration)]
    pub(crate) time: Option<Duration>,
    /// Hold at most so many bytes in all, as in 256M or 8G
    #[arg(long, value_parser = parse_size)]
    pub(crate) memory: Option<usize>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// A budget of time, memory and threads.
pub(crate) fn budget(time: Option<Duration>, memory: Option<usize>, threads: u16) -> Budget {
    BudgetArgs { time, nodes: None, memory, threads: Some(threads), seed: 0, reproducible: false }.budget()
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The certificate, or the table of all values
    pub(crate) file: PathBuf,
    /// Hold at most so many bytes, as in 256M or 8G
    #[arg(long, value_parser = parse_size, default_value = "4G")]
    pub(crate) memory: usize,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Where a search is saved now and then.
#[derive(Debug, Args)]
pub(crate) struct SavingArgs {
    /// Save the search to this file now and then, and when it is stopped
    #[arg(long, value_name = "FILE", conflicts_with = "strong")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// How often to save
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    pub(crate) every: Duration,
    /// Go on with the search saved in this file: give the same game and position; the algorithm is the saved one. It is
    /// saved there again, unless --checkpoint names another file
    #[arg(long, value_name = "FILE", conflicts_with = "strong")]
    pub(crate) resume: Option<PathBuf>,
}

impl SavingArgs {
    /// Whether there is anything to save or to resume.
    pub(crate) fn asked(&self) -> bool {
        self.checkpoint.is_some() || self.resume.is_some()
    }
}

#[derive(Debug, Args)]
pub(crate) struct PlayArgs {
    #[command(flatten)]
    pub(crate) at: PositionArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    /// Which player you are, counted from 1; several as in 1,3; 0 to watch the machine play alone
    #[arg(long = "as", value_name = "PLAYERS", default_value = "1", value_delimiter = ',')]
    pub(crate) seats: Vec<usize>,
    /// How well the machine plays, from 1 (a child can win) to 9 (as well as it can in a second a move, the default)
    #[arg(long, value_name = "1..9", value_parser = clap::value_parser!(u8).range(1..=9),
          conflicts_with_all = ["time", "nodes"])]
    pub(crate) level: Option<u8>,
    /// Go on with a saved match
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "moves"])]
    pub(crate) load: Option<PathBuf>,
    /// Play what this proof says, where it says something: it wins what it claims
    #[arg(long, value_name = "FILE")]
    pub(crate) proof: Option<PathBuf>,
    /// Save the match here after every move
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
}

/// How games are played, and where they are kept.
#[derive(Debug, Args)]
pub(crate) struct ArenaArgs {
    /// How many openings are played; each by everybody in every seating
    #[arg(long, value_parser = count(1..=1_000_000))]
    pub(crate) rounds: Option<u32>,
    /// Where games begin: start, random:PLIES, all:PLIES or file:PATH (moves or a position per line)
    #[arg(long, value_name = "WHICH")]
    pub(crate) openings: Option<String>,
    /// Who sits where in games for more than two
    #[arg(long, value_name = "HOW")]
    pub(crate) seatings: Option<SeatingsArg>,
    /// Stop as soon as a sequential test tells whether the first player is better by elo0 or by elo1, as in
    /// elo0=0,elo1=5
    #[arg(long, value_name = "TEST")]
    pub(crate) sprt: Option<String>,
    /// What is compared: who wins, or who has the better score
    #[arg(long = "for", value_name = "WHAT", default_value = "gain")]
    pub(crate) objective: ObjectiveArg,
    /// Seed of all random choices: the same seed, the same result
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Games at the same time; as many as there are cores if not given
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// A game that takes more moves is a draw
    #[arg(long, value_name = "MOVES", default_value_t = 1000)]
    pub(crate) longest: u32,
    /// How long an engine may take beyond its limit before the game is lost for it
    #[arg(long, value_parser = parse_duration, default_value = "5s")]
    pub(crate) grace: Duration,
    /// Keep all games in this file, and go on with those it has
    #[arg(long, value_name = "FILE", default_value = "perfectplay-arena.sqlite")]
    pub(crate) store: PathBuf,
    /// Play only this part of the games, as in 2/16: each part into a store of its own, for `tournament merge`
    #[arg(long, value_name = "NUMBER/OF")]
    pub(crate) shard: Option<Shard>,
    /// Forget the games of this tournament that the file has
    #[arg(long)]
    pub(crate) restart: bool,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SeatingsArg {
    /// As many players as seats, in every order
    Orders,
    /// As many players as seats, in every rotation of one order
    Rotations,
    /// Two players share the seats in every way
    Mixed,
}

#[derive(Debug, Args)]
pub(crate) struct MatchArgs {
    /// The game: a name and its parameters, as in connect-four:7x6 (see `perfectplay games`)
    pub(crate) game: String,
    /// A player: NAME, NAME:OPTIONS or NAME:OPTIONS@LIMITS, as in ubfm:eval=heuristic@time=1s, uci:COMMAND or
    /// gtp:COMMAND
    pub(crate) first: String,
    /// The other player
    pub(crate) second: String,
    #[command(flatten)]
    pub(crate) arena: ArenaArgs,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct TournamentArgs {
    #[command(subcommand)]
    pub(crate) sub: Option<TournamentVerb>,
    /// The game: a name and its parameters, as in connect-four:7x6 (see `perfectplay games`)
    #[arg(required = true)]
    pub(crate) game: Option<String>,
    /// Players: NAME, NAME:OPTIONS or NAME:OPTIONS@LIMITS, as in ubfm:eval=heuristic@time=1s, uci:COMMAND or
    /// gtp:COMMAND
    #[arg(required = true, num_args = 2..)]
    pub(crate) players: Vec<String>,
    /// Only the first player meets the others
    #[arg(long)]
    pub(crate) gauntlet: bool,
    #[command(flatten)]
    pub(crate) arena: ArenaArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TournamentVerb {
    /// Say again what the games in a store mean, or export them
    Report(ReportArgs),
    /// Put stores together that were played in parts
    Merge(MergeArgs),
}

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The stores to take games from
    #[arg(required = true)]
    pub(crate) stores: Vec<PathBuf>,
    /// The store that gets them all
    #[arg(long, value_name = "FILE", default_value = "perfectplay-arena.sqlite")]
    pub(crate) store: PathBuf,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The store
    pub(crate) store: PathBuf,
    /// Which tournament of the store, by its number; the last if not given
    #[arg(long)]
    pub(crate) id: Option<i64>,
    /// List the tournaments of the store
    #[arg(long, conflicts_with_all = ["id", "format", "output"])]
    pub(crate) list: bool,
    /// How to write it
    #[arg(long, default_value = "text", conflicts_with = "json")]
    pub(crate) format: ReportFormat,
    /// Leave out what the clock has measured: the same games then give the same text, byte for byte
    #[arg(long)]
    pub(crate) without_times: bool,
    /// Write it to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct JobArgs {
    #[command(subcommand)]
    pub(crate) verb: JobVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum JobVerb {
    /// Do it, and print the result as one JSON document
    Run(JobRunArgs),
}

#[derive(Debug, Args)]
pub(crate) struct JobRunArgs {
    /// The file with the text, or - for standard input (docs/scale.md describes it)
    pub(crate) file: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Tables for a terminal
    Text,
    /// The table, a line per player
    Csv,
    /// A page with tables and pictures
    Html,
    /// The games of chess
    Pgn,
    /// The games, in the form that `show --match` reads
    Moves,
}

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Only this game; a fixed set of games if not given
    pub(crate) game: Option<String>,
    /// Only these algorithms
    #[arg(long, value_name = "NAME[:OPTIONS]")]
    pub(crate) with: Vec<String>,
    /// Nodes each algorithm may create on each game
    #[arg(long, default_value = "500000", value_parser = parse_count)]
    pub(crate) nodes: u64,
    /// Measure games that algorithms are compiled for behind the seam as well, like all others
    #[arg(long, conflicts_with_all = ["set", "playouts", "signature"])]
    pub(crate) packed: bool,
    /// Score the positions of this file instead, one per line: moves, a space, the score for the player to move
    #[arg(long, value_name = "FILE", requires = "game", conflicts_with_all = ["with", "signature"])]
    pub(crate) set: Option<PathBuf>,
    /// Only the first lines of the set
    #[arg(long, value_name = "LINES", requires = "set")]
    pub(crate) limit: Option<usize>,
    /// Memory of the table for a set
    #[arg(long, value_name = "BYTES", value_parser = parse_size, default_value = "64M")]
    pub(crate) memory: usize,
    /// Measure random games instead, of this game or of an example of every game
    #[arg(long, group = "timed", conflicts_with_all = ["with", "set", "signature"])]
    pub(crate) playouts: bool,
    /// Measure evaluations instead, learned and hand-written, of this game or of every game with a learned one
    #[arg(long, group = "timed", conflicts_with_all = ["with", "set", "signature", "packed"])]
    pub(crate) evaluations: bool,
    /// The learned evaluation to measure: a file, or a name; the game's own if not given
    #[arg(long, value_name = "MODEL", requires = "evaluations", requires = "game")]
    pub(crate) model: Option<String>,
    /// How long random games of each game are played, or each evaluation is asked
    #[arg(long, value_name = "TIME", value_parser = parse_duration, requires = "timed", default_value = "1s")]
    pub(crate) time: Duration,
    /// Measure what so many threads gain over one instead, on a fixed list of works (game and --with choose among them)
    #[arg(long, value_name = "THREADS", conflicts_with_all = ["packed", "set", "playouts", "evaluations", "signature"],
        value_parser = clap::value_parser!(u16).range(2..=1024))]
    pub(crate) threads: Option<u16>,
    /// How often each work is done with one thread and with several
    #[arg(long, value_name = "TIMES", requires = "threads", default_value = "5",
        value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) rounds: u16,
    /// Print only the node counts, which must not change unless an algorithm does
    #[arg(long, conflicts_with = "json")]
    pub(crate) signature: bool,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExperimentArgs {
    #[command(subcommand)]
    pub(crate) experiment: Experiment,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Experiment {
    /// Compare mopns with pns on Connect Four and Woodpush (Saffidine and Cazenave 2012)
    MopnsTables(MopnsTablesArgs),
    /// Play ubfm with completion against ubfm without, on 22 games (Cohen-Solal 2025)
    Completion(CompletionExperimentArgs),
    /// Play paranoid against maxn on Chinese Checkers (Sturtevant 2002)
    ParanoidVsMaxn(ParanoidExperimentArgs),
    /// Compare what solve does without --with with the best algorithm, position by position
    Defaults(DefaultsArgs),
    /// Solve the same positions with every algorithm that can (10M nodes each unless a limit is given)
    Solvers(SolversArgs),
    /// Play with learned evaluations against hand-written ones, mcts and the usual opponent, at equal time
    Learned(LearnedArgs),
    /// Connect Four: how often a player errs in positions whose moves are all solved
    Mistakes(MistakesArgs),
    /// How often a player wins positions that are won, against a perfect player or another one
    WonPositions(WonPositionsArgs),
}

#[derive(Debug, Args)]
pub(crate) struct CompletionExperimentArgs {
    /// Only these games of the published table, by their names here (as in othello:8)
    pub(crate) games: Vec<String>,
    /// How large: quick (minutes), small (an hour of a core), medium (half a day), or paper, which is only costed
    #[arg(long, value_enum, default_value_t = CompletionSize::Quick)]
    pub(crate) size: CompletionSize,
    /// What to compare
    #[arg(long, value_name = "QUESTION", default_value = COMPARISONS[0].name)]
    #[arg(value_parser = COMPARISONS.map(|c| c.name))]
    pub(crate) compare: String,
    /// Sets of evaluations per game, if another number than that of the size
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) sets: Option<u32>,
    /// Processor time to learn a set, if another than that of the size
    #[arg(long, value_parser = parse_duration, value_name = "TIME")]
    pub(crate) training: Option<Duration>,
    /// States per move, if another number than that of the size
    #[arg(long, value_parser = parse_count, value_name = "N")]
    pub(crate) nodes: Option<u64>,
    /// What a finished game counts, if not its score or, where it has none, how soon it ends
    #[arg(long, value_name = "WHAT", value_parser = ["gain", "score", "depth", "ratio"])]
    pub(crate) f: Option<String>,
    /// Sets that are learned and played at the same time; as many as there are cores if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Learn and play nothing: tell what the store has, and what the rest would cost
    #[arg(long)]
    pub(crate) cost: bool,
    /// Look at up to N matches of each game that the second did not win: what could it have proved?
    #[arg(long, value_name = "N")]
    pub(crate) examine: Option<usize>,
    /// Draw the table into this file, as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) picture: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) kept: SummaryArgs,
    #[command(flatten)]
    pub(crate) played: PlayedArgs,
}

/// Results that outlive the store.
#[derive(Debug, Args)]
pub(crate) struct SummaryArgs {
    /// Keep all results in this file: go on with those it has, and write it anew whenever some more are complete
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
    /// Go on with the results in this summary, too, as that of another shard; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) known: Vec<PathBuf>,
}

impl SummaryArgs {
    /// The summaries to be read.
    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.known.iter().chain(self.summary.as_ref().filter(|file| file.exists()))
    }

    /// Writes the summary, if one is to be kept: whole, or not at all.
    pub(crate) fn write(&self, summary: &impl serde::Serialize) -> Result<()> {
        let Some(file) = &self.summary else { return Ok(()) };
        let text = serde_json::to_string_pretty(summary)? + "\n";
        write_whole(file, text.as_bytes()).with_context(|| format!("cannot write {}", file.display()))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompletionSize {
    Quick,
    Small,
    Medium,
    Paper,
}

#[derive(Debug, Args)]
pub(crate) struct LearnedArgs {
    /// These games; all whose models come with the program, if none is named
    pub(crate) games: Vec<String>,
    /// The model, as after eval=learned: (a file, or a name); the game's own if not given
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Time per move, 50 ms if not given
    #[arg(long, value_parser = parse_duration)]
    pub(crate) time: Option<Duration>,
    /// Openings per pair of players, each played in every seating
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = count(1..=100_000))]
    pub(crate) rounds: u32,
    /// Random plies at the beginning
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) plies: u32,
    #[command(flatten)]
    pub(crate) played: PlayedArgs,
}

/// What experiments by play share.
#[derive(Debug, Args)]
pub(crate) struct PlayedArgs {
    /// Seed of all random choices: the same seed, the same result
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Keep all games in this file, and go on with those it has
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    /// Play only this part of the games, as in 2/16: each part into a store of its own, for `tournament merge`
    #[arg(long, value_name = "NUMBER/OF", requires = "store")]
    pub(crate) shard: Option<Shard>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

impl PlayedArgs {
    /// Where the games go, and what ends the experiment early.
    pub(crate) fn begin(&self) -> Result<(Store, StopHandle)> {
        let mut store = match &self.store {
            Some(file) => Store::open(file)?,
            None => Store::in_memory()?,
        };
        store.only(self.shard.unwrap_or(Shard::WHOLE));
        let stop = StopHandle::new();
        stop_on_ctrl_c(&stop);
        Ok((store, stop))
    }
}

#[derive(Debug, Args)]
pub(crate) struct ParanoidExperimentArgs {
    /// The size that ends within two minutes (the default)
    #[arg(long, conflicts_with = "full")]
    pub(crate) quick: bool,
    /// The published size: 250,000 nodes per move, 600 games for each number of players
    #[arg(long)]
    pub(crate) full: bool,
    /// Only for so many players, as in 4,6
    #[arg(long, value_parser = parse_players, value_delimiter = ',')]
    pub(crate) players: Vec<usize>,
    /// Stop after this time with the games played so far, as in 10m
    #[arg(long, value_parser = parse_duration)]
    pub(crate) time: Option<Duration>,
    #[command(flatten)]
    pub(crate) kept: SummaryArgs,
    #[command(flatten)]
    pub(crate) played: PlayedArgs,
}

#[derive(Debug, Args)]
pub(crate) struct MopnsTablesArgs {
    /// The full size: it may take long
    #[arg(long)]
    pub(crate) full: bool,
    /// Write pictures into this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) pictures: Option<PathBuf>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DefaultsArgs {
    /// Only positions of these games, as in connect-four:5x5
    pub(crate) games: Vec<String>,
    /// Another program that solves the start of a game, to stand beside: connect-four:6x5="echo | ./solver"
    /// (repeatable)
    #[arg(long = "peer", value_name = "GAME=COMMAND")]
    pub(crate) peers: Vec<String>,
    /// What each search may cost
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SolversArgs {
    /// These games; a fixed set if none is given
    pub(crate) games: Vec<String>,
    /// Only these algorithms
    #[arg(long, value_name = "NAME[:OPTIONS]")]
    pub(crate) with: Vec<String>,
    /// What is to be settled: win, draw or loss; the game's own score; or win, draw or loss and how soon
    #[arg(long = "for", value_name = "WHAT", default_value = "gain")]
    pub(crate) objective: ObjectiveArg,
    /// What each search may cost
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct MistakesArgs {
    /// Positions with the score of every move, as in data/connect-four/move-scores.txt, or with their own score, as in
    /// data/connect-four/begin-hard.txt: then the moves that are chosen are solved, on all cores
    pub(crate) file: PathBuf,
    /// Only the first N positions of each set
    #[arg(long, value_name = "N")]
    pub(crate) first: Option<usize>,
    /// The players
    #[arg(long, value_name = "NAME[:OPTIONS]", required = true)]
    pub(crate) with: Vec<String>,
    /// Only these sets, as in middle-medium
    #[arg(long, value_name = "NAME")]
    pub(crate) set: Vec<String>,
    /// What each move may cost
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  perfectplay experiment won-positions connect-four:7x6 --with greedy:eval=learned --rounds 200
      by one ply, moving first, against a perfect player that loses as late as possible
  perfectplay experiment won-positions hex:6 --solved data/hex/first-moves-6.txt \\
      --with greedy:eval=learned:hex-6.safetensors --against mcts@nodes=10000 --rounds 3
      on the winning side after every first move, against 10,000 playouts per move
  perfectplay experiment won-positions hex:4 --plies 1 --list
      which first moves win")]
pub(crate) struct WonPositionsArgs {
    /// The game, as in connect-four:7x6
    pub(crate) game: String,
    /// Who has a won position: a player as in `match`, as in greedy:eval=learned:FILE or ubfm:eval=learned@nodes=600
    #[arg(long, value_name = "PLAYER", required_unless_present = "list")]
    pub(crate) with: Option<String>,
    /// Who plays against it: perfect, which solves every position before it moves, or any player as in `match`
    #[arg(long, value_name = "PLAYER", default_value = "perfect", conflicts_with = "list")]
    pub(crate) against: String,
    /// Which positions: all after so many plies that are won; 0: the start
    #[arg(long, default_value_t = 0)]
    pub(crate) plies: u32,
    /// Instead of all, only so many of them, by random moves
    #[arg(long, value_name = "N", value_parser = count(1..=1_000_000))]
    pub(crate) sample: Option<u32>,
    /// Who solves these positions, if not what `solve` uses; the opening book is asked first
    #[arg(long, value_name = "NAME[:OPTIONS]")]
    pub(crate) solver: Option<String>,
    /// Read the positions from this file instead, a line each: moves, then 1 or 2 for who wins
    #[arg(long, value_name = "FILE", conflicts_with_all = ["plies", "sample", "solver"])]
    pub(crate) solved: Option<PathBuf>,
    /// Print the positions, as --solved reads them, and play no games
    #[arg(long)]
    pub(crate) list: bool,
    /// Games from each position; more go on with the games that the store has
    #[arg(long, default_value_t = 10, value_parser = count(1..=1_000_000))]
    pub(crate) rounds: u32,
    #[command(flatten)]
    pub(crate) played: PlayedArgs,
}

/// What is learned, how, and for how long.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  perfectplay train connect-four:7x6 --time 10m
  perfectplay train connect-four:7x6 --resume connect-four-7x6.safetensors --time 10m
  perfectplay train hex:6 --model tuples:count=50 --with td --games 20000 --games games.jsonl
  perfectplay play connect-four:7x6 --with ubfm:eval=learned:connect-four-7x6.safetensors,decision=safest")]
pub(crate) struct TrainArgs {
    /// The game, as in connect-four:7x6
    pub(crate) game: String,
    /// Learn for this time from now on, as in 10m; 10 minutes if neither time nor games are given
    #[arg(long, value_parser = parse_duration)]
    pub(crate) time: Option<Duration>,
    /// A number: stop after so many games in all. A file: write every game of self-play there, a JSON line each
    #[arg(long, value_name = "N|FILE")]
    pub(crate) games: Vec<String>,
    /// What is trained: tuples (tables) or mlp (layers), with options (docs/learning.md)
    #[arg(long, value_name = "NAME[:OPTIONS]", default_value = "tuples")]
    pub(crate) model: String,
    /// The way to learn: descent, ubfm, minimax or td, with options (docs/learning.md); descent, or td where
    /// positions can repeat or games are long
    #[arg(long, value_name = "NAME[:OPTIONS]")]
    pub(crate) with: Option<String>,
    /// Where the model is written, with all that going on needs; named after the game if not given
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Go on with the run that wrote this file; it is written again unless --out names another
    #[arg(long, value_name = "FILE", conflicts_with_all = ["model", "with", "seed"])]
    pub(crate) resume: Option<PathBuf>,
    /// Write the model for use elsewhere: small if the name ends in .zst, ONNX if it ends in .onnx
    #[arg(long, value_name = "FILE")]
    pub(crate) export: Vec<PathBuf>,
    /// Play with so many threads; if not given, as many as before, and all cores at the beginning unless there is a
    /// seed
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Seed of all random choices: with one thread the same model every time
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Append how it goes, a JSON line per look
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Write a page with the learning curves
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Draw the scores of the exams as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) picture: Option<PathBuf>,
    /// Games against each opponent of the exam, which is taken ten times in a run; fewer, but one at least, where they
    /// would take more than half as long as the learning before them; 0: no exam
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) exam: u64,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionArgs {
    /// For which shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct WordsArgs {
    /// What is named
    pub(crate) kind: WordKind,
    /// What is there already
    #[arg(default_value = "", allow_hyphen_values = true)]
    pub(crate) word: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WordKind {
    /// A game
    Game,
    /// An algorithm
    Algorithm,
}

/// The numbers of players of the published comparison.
/// How many, within `range`: `1000` or `1k`.
fn count(range: RangeInclusive<u32>) -> impl Fn(&str) -> Result<u32, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = parse_count(text).map_err(|error| error.to_string())?;
        let fitting = u32::try_from(number).ok().filter(|number| range.contains(number));
        fitting.ok_or_else(|| format!("{number} is not in {}..={}", range.start(), range.end()))
    }
}

fn parse_players(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| [3, 4, 6].contains(n)).ok_or_else(|| "expected 3, 4 or 6".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_defined() {
        with_hyphens(Cli::command()).debug_assert();
    }

    #[test]
    fn counts_have_units_and_bounds() {
        assert_eq!(count(1..=1_000_000)("20k"), Ok(20_000));
        assert_eq!(count(1..=1_000_000)("2M"), Err("2000000 is not in 1..=1000000".into()));
        assert!(count(1..=1000)("1.5").is_err() && count(1..=1000)("0").is_err());
    }

    /// How amounts are read is tested in `core`; here, that every door reads them alike.
    #[test]
    fn amounts_are_read_with_their_units() {
        let parse = |args: &[&str]| Cli::try_parse_from([&["perfectplay", "solve", "nim"][..], args].concat());
        let Verb::Solve(args) = parse(&["--time", "1h", "--nodes", "1e6", "--memory", "1.5G"]).unwrap().verb else {
            panic!("another verb");
        };
        let budget = args.search.budget;
        let expected = (Some(Duration::from_secs(3600)), Some(1_000_000), Some(3 << 29));
        assert_eq!((budget.time, budget.nodes, budget.memory), expected);
        for wrong in [["--time", "1y"], ["--nodes", "1.5"], ["--memory", "0"]] {
            assert!(parse(&wrong).is_err(), "{wrong:?}");
        }
    }
}
