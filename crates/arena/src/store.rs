//! The store: one SQLite file for any number of tournaments, readable by every tool that reads SQLite.
//!
//! Every game is committed as it ends. A game's name is unique within its tournament, so none can be counted twice,
//! whoever is killed when and whoever else plays the same tournament into the same file.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use perfectplay_core::Objective;
use rusqlite::{Connection, OptionalExtension, params};

use crate::match_play::{Ending, GameRecord};
use crate::schedule::Job;
use crate::{Error, Opening};

/// Marks a file as a store of ours: "ppar".
const APPLICATION: i32 = 0x7070_6172;

/// The form of the tables; another number means another form.
const VERSION: i32 = 1;

const TABLES: &str = "
CREATE TABLE tournament (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,     -- everything that decides which games are played, as JSON
    game TEXT NOT NULL,
    objective TEXT NOT NULL,      -- gain or score: what is compared
    version TEXT NOT NULL,        -- of perfectplay
    started INTEGER NOT NULL      -- seconds since 1970
);
CREATE TABLE player (
    tournament INTEGER NOT NULL REFERENCES tournament(id),
    number INTEGER NOT NULL,
    label TEXT NOT NULL,
    text TEXT NOT NULL,           -- as on the command line
    version TEXT,                 -- as the player says itself
    PRIMARY KEY (tournament, number)
);
CREATE TABLE game (
    id INTEGER PRIMARY KEY,
    tournament INTEGER NOT NULL REFERENCES tournament(id),
    job TEXT NOT NULL,            -- the name of the game: round, group, seating
    round INTEGER NOT NULL,
    players TEXT NOT NULL,        -- the group, as JSON
    seating TEXT NOT NULL,        -- the player in each seat, as JSON
    seed INTEGER NOT NULL,
    opening TEXT NOT NULL,        -- as JSON
    moves TEXT NOT NULL,          -- after the opening, separated by blanks
    gains TEXT NOT NULL,          -- -1, 0, 1 per seat, as JSON
    scores TEXT NOT NULL,         -- per seat, as JSON
    ending TEXT NOT NULL,         -- rules, forfeit, length
    reason TEXT NOT NULL,
    played TEXT NOT NULL,         -- moves, seconds, nodes, depths per seat, as JSON
    versions TEXT NOT NULL,       -- per seat, as JSON
    ended INTEGER NOT NULL,       -- seconds since 1970
    UNIQUE (tournament, job)
);
";

/// An open store.
pub struct Store {
    connection: Connection,
    file: String,
    shard: Shard,
}

/// The part of every tournament that is played into a store: several machines play one tournament, each into a store of
/// its own, and [`Store::merge`] puts them together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 1.
    pub number: u32,
    /// Of so many.
    pub of: u32,
}

impl Shard {
    /// Everything.
    pub const WHOLE: Shard = Shard { number: 1, of: 1 };
}

impl std::str::FromStr for Shard {
    type Err = String;

    /// Reads `2/16`.
    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || format!("expected NUMBER/OF, as in 2/16, got \"{text}\"");
        let (number, of) = text.split_once('/').ok_or_else(expected)?;
        match (number.parse(), of.parse()) {
            (Ok(number), Ok(of)) if 1 <= number && number <= of => Ok(Shard { number, of }),
            _ => Err(expected()),
        }
    }
}

/// A tournament in a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its number.
    pub id: i64,
    /// The game.
    pub game: String,
    /// What is compared.
    pub objective: Objective,
    /// The version of perfectplay that played it.
    pub version: String,
    /// Names for its players.
    pub labels: Vec<String>,
    /// Games played so far.
    pub games: usize,
}

impl Store {
    /// Opens a store, or makes one.
    pub fn open(file: &Path) -> Result<Self, Error> {
        let name = file.display().to_string();
        let connection = Connection::open(file).map_err(|error| broken(&name, &error))?;
        Self::prepare(connection, name, true)
    }

    /// Opens a store that is there.
    pub fn open_existing(file: &Path) -> Result<Self, Error> {
        let name = file.display().to_string();
        if !file.is_file() {
            return Err(Error::Store { file: name, reason: "there is no such file".into() });
        }
        let connection = Connection::open(file).map_err(|error| broken(&name, &error))?;
        Self::prepare(connection, name, false)
    }

    /// A store that is gone when it is dropped.
    pub fn in_memory() -> Result<Self, Error> {
        let connection = Connection::open_in_memory().map_err(|error| broken("in memory", &error))?;
        Self::prepare(connection, "in memory".into(), true)
    }

    fn prepare(mut connection: Connection, file: String, make: bool) -> Result<Self, Error> {
        let refuse = |reason: String| Error::Store { file: file.clone(), reason };
        let sql = |error: rusqlite::Error| broken(&file, &error);
        connection.busy_timeout(Duration::from_secs(30)).map_err(sql)?;
        let number = |c: &Connection, name: &str| c.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
        // Two processes may make the same store at the same time: the second one waits here, and finds it made.
        let transaction = if make {
            connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        } else {
            connection.transaction()
        };
        let transaction = transaction.map_err(sql)?;
        let tables: i64 =
            transaction.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0)).map_err(sql)?;
        let application = number(&transaction, "application_id").map_err(sql)?;
        let version = number(&transaction, "user_version").map_err(sql)?;
        match (tables, application, version) {
            (_, APPLICATION, VERSION) => {}
            (_, APPLICATION, other) => {
                return Err(refuse(format!(
                    "it has format {other}, this version of perfectplay reads format {VERSION}; name another \
                     file with --store"
                )));
            }
            (0, 0, 0) if make => {
                transaction.execute_batch(TABLES).map_err(sql)?;
                transaction.pragma_update(None, "application_id", APPLICATION).map_err(sql)?;
                transaction.pragma_update(None, "user_version", VERSION).map_err(sql)?;
            }
            _ => return Err(refuse("it holds no tournaments of perfectplay".into())),
        }
        transaction.commit().map_err(sql)?;
        if make {
            // Games survive the end of the process at once, and a power failure up to the last few.
            connection.pragma_update(None, "journal_mode", "WAL").map_err(sql)?;
            connection.pragma_update(None, "synchronous", "NORMAL").map_err(sql)?;
        }
        Ok(Store { connection, file, shard: Shard::WHOLE })
    }

    /// From now on only this part of every tournament is played into it.
    pub fn only(&mut self, shard: Shard) {
        self.shard = shard;
    }

    /// Whether this game is played into it. Blocks stay together, so that each part is fair in itself.
    pub(crate) fn plays(&self, job: &Job) -> bool {
        (job.round as usize + job.group.iter().sum::<usize>()) % self.shard.of as usize + 1
            == self.shard.number as usize
    }

    /// Takes over all games of another store, those that it has itself excepted; answers how many are new.
    pub fn merge(&mut self, other: &Store) -> Result<usize, Error> {
        let tournaments: Vec<(i64, String)> = other.sql((|| {
            let mut select = other.connection.prepare("SELECT id, key FROM tournament ORDER BY id")?;
            let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        })())?;
        let mut new = 0;
        for (theirs, key) in tournaments {
            let listed = other.list()?.into_iter().find(|t| t.id == theirs).expect("it was listed just now");
            let players = other.players(theirs)?;
            let ours = self.enter(&key, &listed.game, listed.objective, &players)?;
            for game in other.games(theirs)? {
                new += usize::from(self.add(ours, &game)?);
            }
        }
        Ok(new)
    }

    /// The players of a tournament: label and text.
    fn players(&self, tournament: i64) -> Result<Vec<(String, String)>, Error> {
        self.sql((|| {
            let mut select =
                self.connection.prepare("SELECT label, text FROM player WHERE tournament = ?1 ORDER BY number")?;
            let rows = select.query_map([tournament], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        })())
    }

    fn sql<T>(&self, result: rusqlite::Result<T>) -> Result<T, Error> {
        result.map_err(|error| broken(&self.file, &error))
    }

    /// The number of the tournament with this key, if it was begun before.
    pub(crate) fn find(&self, key: &str) -> Result<Option<i64>, Error> {
        let row = self.connection.query_row("SELECT id FROM tournament WHERE key = ?1", [key], |row| row.get(0));
        self.sql(row.optional())
    }

    /// The tournament with this key: the one begun before, or a new one.
    pub(crate) fn enter(
        &mut self,
        key: &str,
        game: &str,
        objective: Objective,
        players: &[(String, String)],
    ) -> Result<i64, Error> {
        let entered = (|| {
            let transaction = self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            transaction.execute(
                "INSERT OR IGNORE INTO tournament (key, game, objective, version, started) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![key, game, objective.name(), env!("CARGO_PKG_VERSION"), now()],
            )?;
            let id: i64 = transaction.query_row("SELECT id FROM tournament WHERE key = ?1", [key], |row| row.get(0))?;
            for (number, (label, text)) in players.iter().enumerate() {
                transaction.execute(
                    "INSERT OR IGNORE INTO player (tournament, number, label, text) VALUES (?1, ?2, ?3, ?4)",
                    params![id, number as i64, label, text],
                )?;
            }
            transaction.commit()?;
            Ok(id)
        })();
        self.sql(entered)
    }

    /// The names of the games that were played.
    pub(crate) fn done(&self, tournament: i64) -> Result<HashSet<String>, Error> {
        let read = (|| {
            let mut select = self.connection.prepare("SELECT job FROM game WHERE tournament = ?1")?;
            let rows = select.query_map([tournament], |row| row.get(0))?;
            rows.collect()
        })();
        self.sql(read)
    }

    /// Commits a game; false if it was there already.
    pub(crate) fn add(&mut self, tournament: i64, game: &GameRecord) -> Result<bool, Error> {
        self.add_all(tournament, std::slice::from_ref(game)).map(|added| added == 1)
    }

    /// Commits games, all or none; answers how many were not there yet.
    pub(crate) fn add_all(&mut self, tournament: i64, games: &[GameRecord]) -> Result<usize, Error> {
        let added = (|| {
            let transaction = self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let mut added = 0;
            for game in games {
                added += insert(&transaction, tournament, game)?;
            }
            transaction.commit()?;
            Ok(added)
        })();
        self.sql(added)
    }

    /// Forgets the games of a tournament.
    pub(crate) fn clear(&mut self, tournament: i64) -> Result<(), Error> {
        let cleared = self.connection.execute("DELETE FROM game WHERE tournament = ?1", [tournament]);
        self.sql(cleared).map(drop)
    }

    /// All games of a tournament, round by round.
    pub fn games(&self, tournament: i64) -> Result<Vec<GameRecord>, Error> {
        let read = (|| {
            let mut select = self.connection.prepare(
                "SELECT round, players, seating, seed, opening, moves, gains, scores, ending, reason, played, versions \
                 FROM game WHERE tournament = ?1 ORDER BY round, players, seating",
            )?;
            let rows = select.query_map([tournament], |row| {
                let ending: String = row.get(8)?;
                Ok(GameRecord {
                    job: Job {
                        round: row.get(0)?,
                        group: from_json(row, 1)?,
                        seating: from_json(row, 2)?,
                        seed: row.get::<_, i64>(3)? as u64,
                    },
                    opening: from_json::<Opening>(row, 4)?,
                    moves: row.get::<_, String>(5)?.split_whitespace().map(str::to_owned).collect(),
                    gains: from_json(row, 6)?,
                    scores: from_json(row, 7)?,
                    ending: Ending::from_name(&ending).ok_or(rusqlite::Error::InvalidQuery)?,
                    reason: row.get(9)?,
                    played: from_json(row, 10)?,
                    versions: from_json(row, 11)?,
                })
            })?;
            rows.collect()
        })();
        self.sql(read)
    }

    /// The tournaments in the store, oldest first.
    pub fn list(&self) -> Result<Vec<Listed>, Error> {
        let read = (|| {
            let mut select = self.connection.prepare(
                "SELECT id, game, objective, version, (SELECT count(*) FROM game WHERE tournament = tournament.id) \
                 FROM tournament ORDER BY id",
            )?;
            let mut labels =
                self.connection.prepare("SELECT label FROM player WHERE tournament = ?1 ORDER BY number")?;
            let rows = select.query_map([], |row| {
                Ok(Listed {
                    id: row.get(0)?,
                    game: row.get(1)?,
                    objective: Objective::parse(&row.get::<_, String>(2)?).unwrap_or_default(),
                    version: row.get(3)?,
                    labels: Vec::new(),
                    games: row.get::<_, i64>(4)? as usize,
                })
            })?;
            let mut all: Vec<Listed> = rows.collect::<rusqlite::Result<_>>()?;
            for listed in &mut all {
                listed.labels = labels.query_map([listed.id], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            }
            Ok(all)
        })();
        self.sql(read)
    }
}

fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64)
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("plain data")
}

fn from_json<T: serde::de::DeserializeOwned>(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
    })
}

/// One sentence about an error of SQLite.
fn broken(file: &str, error: &rusqlite::Error) -> Error {
    use rusqlite::ErrorCode;
    let reason = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => "it is not a database".into(),
        Some(ErrorCode::CannotOpen) => "it cannot be opened or made".into(),
        Some(ErrorCode::ReadOnly) => "it cannot be written".into(),
        Some(ErrorCode::DatabaseBusy) => "another program keeps it locked".into(),
        Some(ErrorCode::DiskFull) => "the disk is full".into(),
        _ => error.to_string(),
    };
    Error::Store { file: file.into(), reason }
}

/// Inserts a game; answers 1, or 0 if it was there already.
fn insert(connection: &Connection, tournament: i64, game: &GameRecord) -> rusqlite::Result<usize> {
    let mut rows = connection.prepare_cached(
        "INSERT OR IGNORE INTO game (tournament, job, round, players, seating, seed, opening, moves, gains, scores, \
         ending, reason, played, versions, ended) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
    )?;
    let added = rows.execute(params![
        tournament,
        game.job.name(),
        game.job.round,
        json(&game.job.group),
        json(&game.job.seating),
        game.job.seed as i64,
        json(&game.opening),
        game.moves.join(" "),
        json(&game.gains),
        json(&game.scores),
        game.ending.name(),
        game.reason,
        json(&game.played),
        json(&game.versions),
        now(),
    ])?;
    let mut version = connection
        .prepare_cached("UPDATE player SET version = ?3 WHERE tournament = ?1 AND number = ?2 AND version IS NULL")?;
    for (&player, told) in game.job.seating.iter().zip(&game.versions) {
        version.execute(params![tournament, player as i64, told])?;
    }
    Ok(added)
}
