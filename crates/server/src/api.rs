//! Plain requests. Every answer is JSON; every refusal is `{"error": sentence}` with a status that says whose fault it
//! is.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, Query, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use perfectplay_arena::levels::{LEVELS, USUAL};
use perfectplay_catalog::{
    ALGORITHMS, Algorithm, GAMES, Setup, algorithm_json, default_analyst, default_player, facts_text, game_json,
    opponent, option_json,
};
use perfectplay_core::{Colour, GameInfo, OptionDoc};
use perfectplay_learn::options::{MODELS, Method, WAYS};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::games::At;
use crate::job::{Ask, Job, Means, begin};
use crate::{Server, session};

/// What is not done, and why.
#[derive(Debug)]
pub(crate) struct Refused(pub(crate) StatusCode, pub(crate) String);

impl From<String> for Refused {
    fn from(sentence: String) -> Self {
        Refused(StatusCode::UNPROCESSABLE_ENTITY, sentence)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.0, Json(json!({ "error": self.1 }))).into_response()
    }
}

/// A body of JSON.
pub(crate) struct Body<T>(T);

impl<T: DeserializeOwned> FromRequest<Arc<Server>> for Body<T> {
    type Rejection = Refused;

    async fn from_request(request: Request, server: &Arc<Server>) -> Result<Self, Refused> {
        let bytes = Bytes::from_request(request, server).await.map_err(|rejection: BytesRejection| {
            let most = server.options.limits.body;
            match rejection.status() {
                StatusCode::PAYLOAD_TOO_LARGE => {
                    Refused(StatusCode::PAYLOAD_TOO_LARGE, format!("a request has at most {most} bytes"))
                }
                _ => Refused(StatusCode::BAD_REQUEST, "the request did not come in whole, or not in time".into()),
            }
        })?;
        let read = serde_json::from_slice(&bytes);
        read.map(Body)
            .map_err(|error| Refused(StatusCode::BAD_REQUEST, format!("the request is not understood: {error}")))
    }
}

pub(crate) fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/api/events", get(session::events))
        .route("/api/catalog", get(catalog))
        .route("/api/learning", get(learning))
        .route("/api/game", post(game))
        .route("/api/position", post(position))
        .route("/api/applies", post(applies))
        .route("/api/begin", post(start))
        .route("/api/stop", post(stop))
        .route("/api/growth", get(growth))
        .route("/api/proof", get(proof))
        .route("/api/model", get(model))
        .route("/api/walk", post(walk))
}

/// Work that takes more than a moment, away from the threads that talk.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> Result<T, Refused> + Send + 'static) -> Result<T, Refused> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| {
        let sentence = "this broke off: it is a mistake in the program";
        Err(Refused(StatusCode::INTERNAL_SERVER_ERROR, sentence.into()))
    })
}

/// All games, algorithms and levels, as the command line lists them.
async fn catalog(State(server): State<Arc<Server>>) -> Result<Json<Value>, Refused> {
    aside(move || {
        let limits = &server.options.limits;
        let levels = (1..).zip(LEVELS).map(|(number, level)| json!({ "level": number, "words": level.in_words() }));
        let colours =
            Colour::PLAYERS.map(|colour| json!({ "name": colour.name(), "fill": colour.fill(), "ink": colour.ink() }));
        Ok(Json(json!({
            "version": env!("CARGO_PKG_VERSION"),
            "games": GAMES.iter().map(|info| listed(info)).collect::<Vec<_>>(),
            "algorithms": ALGORITHMS.iter().map(|info| algorithm_json(info)).collect::<Vec<_>>(),
            "levels": levels.collect::<Vec<_>>(),
            "usual_level": USUAL,
            "colours": colours,
            "limits": { "jobs": limits.jobs, "memory": limits.search_memory, "seconds": limits.time.as_secs() },
        })))
    })
    .await
}

/// How a game can be learned: asked for by those who want to.
async fn learning() -> Json<Value> {
    Json(json!({
        "ways": WAYS.iter().map(|way| named(way.0, way.1, &Method::docs())).collect::<Vec<_>>(),
        "models": MODELS.iter().map(|model| named(model.0, model.1, &model.2())).collect::<Vec<_>>(),
    }))
}

/// Something with options that is no algorithm, told like one.
fn named(name: &str, summary: &str, options: &[OptionDoc]) -> Value {
    json!({ "name": name, "summary": summary, "options": options.iter().map(option_json).collect::<Vec<_>>() })
}

fn listed(info: &GameInfo) -> Value {
    json!({
        "name": info.name,
        "summary": info.summary,
        "players": info.players,
        "examples": info.examples,
        "parameters": (info.parameters)().iter().map(option_json).collect::<Vec<_>>(),
    })
}

#[derive(Deserialize)]
struct Named {
    game: String,
}

/// One game with everything that is known of it.
async fn game(State(server): State<Arc<Server>>, Body(named): Body<Named>) -> Result<Json<Value>, Refused> {
    aside(move || {
        let game = server.games.open(&named.game)?;
        let name = named.game.split([':', '(']).next().unwrap_or("").trim().to_owned();
        let info = GAMES.iter().find(|info| info.name == name);
        let Some(info) = info else { return Err(format!("there is no game \"{name}\"").into()) };
        let facts = game.facts();
        let mut told = game_json(info, &*game);
        told["rules"] = info.rules.into();
        told["sources"] = info.sources.into();
        told["facts_text"] = facts_text(&facts).into();
        told["solved"] = solved(info.name).into();
        told["opponent"] = default_player(&named.game).unwrap_or_else(|| opponent(&named.game, &facts)).into();
        told["analyst"] = default_analyst(&facts).into();
        Ok(Json(told))
    })
    .await
}

/// The rows of docs/solved.md that speak of a game.
fn solved(name: &str) -> Vec<String> {
    const PAGE: &str = include_str!("../../../docs/solved.md");
    let begins = [format!("| `{name}:"), format!("| `{name}`")];
    let row = |line: &&str| begins.iter().any(|begin| line.starts_with(begin.as_str()));
    PAGE.lines().filter(row).map(str::to_owned).collect()
}

#[derive(Deserialize)]
struct Look {
    #[serde(flatten)]
    at: At,
    #[serde(default)]
    flipped: bool,
}

/// A position with its board and its moves.
async fn position(State(server): State<Arc<Server>>, Body(look): Body<Look>) -> Result<Json<Value>, Refused> {
    aside(move || Ok(Json(look.at.reach(&server.games)?.to_json(look.flipped)))).await
}

/// Which algorithms work on a position, and why the others do not.
async fn applies(State(server): State<Arc<Server>>, Body(at): Body<At>) -> Result<Json<Value>, Refused> {
    aside(move || {
        let reached = at.reach(&server.games)?;
        let told = |name: &str| {
            let setup = Setup { memory: Some(1 << 20), ..Setup::default() };
            let tried = Algorithm::parse(name).and_then(|algorithm| reached.now.search(&algorithm, &setup));
            match tried {
                Ok(search) => json!({ "name": name, "applies": true, "grows": search.grows() }),
                Err(error) => json!({ "name": name, "applies": false, "why": error.to_string() }),
            }
        };
        Ok(Json(ALGORITHMS.iter().map(|info| told(info.name)).collect()))
    })
    .await
}

#[derive(Deserialize)]
struct Begin {
    session: String,
    job: u64,
    #[serde(flatten)]
    ask: Ask,
}

/// Begins a job of a session, under a number that the page chooses.
async fn start(State(server): State<Arc<Server>>, Body(begun): Body<Begin>) -> Result<Json<Value>, Refused> {
    let session = server.sessions.get(&begun.session)?;
    let means = Means {
        slots: server.slots.clone(),
        long_turns: server.long_turns.clone(),
        limits: server.options.limits.clone(),
        memory: server.sessions.memory.clone(),
        session: session.clone(),
    };
    aside(move || {
        let changed = session.changed.clone();
        let job = begin(begun.ask, means, changed)?;
        session.add(begun.job, job.clone(), server.options.limits.jobs).inspect_err(|_| job.stop.pull())?;
        Ok(Json(json!({ "job": begun.job })))
    })
    .await
}

#[derive(Deserialize)]
struct Which {
    session: String,
    job: u64,
    #[serde(default)]
    from: usize,
}

fn job(server: &Server, which: &Which) -> Result<Arc<Job>, Refused> {
    let found = server.sessions.get(&which.session)?.job(which.job);
    found.ok_or_else(|| Refused(StatusCode::NOT_FOUND, format!("there is no search {}", which.job)))
}

async fn stop(State(server): State<Arc<Server>>, Body(which): Body<Which>) -> Result<Json<Value>, Refused> {
    job(&server, &which)?.stop.pull();
    Ok(Json(json!({ "stopped": which.job })))
}

/// Lines of a growing tree that are sent at once.
const LINES: usize = 2000;

/// How a tree grew, line by line as `--growth` writes it.
async fn growth(State(server): State<Arc<Server>>, Query(which): Query<Which>) -> Result<Response, Refused> {
    let lines = job(&server, &which)?.growth(which.from, LINES);
    Ok(([(header::CONTENT_TYPE, "application/json")], format!("[{}]", lines.join(","))).into_response())
}

/// The certificate, to be kept and checked elsewhere.
async fn proof(State(server): State<Arc<Server>>, Query(which): Query<Which>) -> Result<Response, Refused> {
    let job = job(&server, &which)?;
    aside(move || {
        let bytes = job.with_proof(|proof| std::fs::read(&proof.file)).and_then(Result::ok);
        download(&job, "proof", bytes.ok_or("this search has no proof"))
    })
    .await
}

/// What was learned, to be played with elsewhere.
async fn model(State(server): State<Arc<Server>>, Query(which): Query<Which>) -> Result<Response, Refused> {
    let job = job(&server, &which)?;
    aside(move || {
        let bytes = job.model_file().and_then(|file| std::fs::read(file).ok());
        download(&job, "safetensors", bytes.ok_or("this training has no model yet"))
    })
    .await
}

fn download(job: &Job, ending: &str, bytes: Result<Vec<u8>, &str>) -> Result<Response, Refused> {
    let bytes = bytes.map_err(|missing| Refused(StatusCode::NOT_FOUND, missing.into()))?;
    let name = job.at.game.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}.{ending}\"")),
    ];
    Ok((headers, bytes).into_response())
}

#[derive(Deserialize)]
struct Walk {
    #[serde(flatten)]
    which: Which,
    /// What was played since the position that is proved.
    moves: Vec<String>,
}

/// What a proof says to play after these moves.
async fn walk(State(server): State<Arc<Server>>, Body(walk): Body<Walk>) -> Result<Json<Value>, Refused> {
    let job = job(&server, &walk.which)?;
    aside(move || {
        let mut at = job.at.clone();
        at.moves.extend(walk.moves);
        let reached = at.reach(&server.games)?;
        let choice = job.with_proof(|proof| proof.choice(&reached.now.text()));
        let Some(choice) = choice else {
            return Err(Refused(StatusCode::NOT_FOUND, "this search has no proof".into()));
        };
        let mut told = reached.to_json(false);
        told["choice"] = choice.into();
        Ok(Json(told))
    })
    .await
}
