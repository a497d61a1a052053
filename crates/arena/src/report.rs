//! What a tournament says, as JSON (this struct), CSV and a page of HTML that needs nothing else.

use std::fmt::Write;

use perfectplay_core::{Objective, escape_xml};
use serde::Serialize;

use crate::match_play::{Ending, GameRecord};
use crate::stats::{Interval, SprtState};
use crate::{End, Pair, Row, Table, charts};

/// A tournament so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The game.
    pub game: String,
    /// What was compared.
    #[serde(serialize_with = "by_name")]
    pub objective: Objective,
    /// Games played.
    pub games: usize,
    /// Games planned, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planned: Option<usize>,
    /// How it ended, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<End>,
    /// The players in the order in which they were named: `pairs` counts by it.
    pub players: Vec<String>,
    /// A row per player, best first.
    pub table: Vec<Row>,
    /// Every two that met.
    pub pairs: Vec<Pair>,
    /// The sequential test, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtState>,
    /// Games that did not end by the rules.
    pub incidents: Vec<Incident>,
}

fn by_name<S: serde::Serializer>(objective: &Objective, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(objective.name())
}

/// A game that did not end by the rules.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Incident {
    /// The game's name.
    pub game: String,
    /// `forfeit` or `length`.
    pub ending: &'static str,
    /// In words.
    pub reason: String,
    /// The player who lost by its own fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player: Option<String>,
}

impl Report {
    /// What these games say.
    pub fn new(game: &str, labels: &[String], games: &[GameRecord], objective: Objective) -> Self {
        let table = Table::for_objective(labels, games, objective);
        let order = table.ranking();
        let incident = |record: &GameRecord| Incident {
            game: record.job.name(),
            ending: record.ending.name(),
            reason: record.reason.clone(),
            player: (record.ending == Ending::Forfeit)
                .then(|| record.gains.iter().position(|&gain| gain < 0))
                .flatten()
                .map(|seat| labels[record.job.seating[seat]].clone()),
        };
        Report {
            game: game.into(),
            objective,
            games: games.len(),
            planned: None,
            status: None,
            players: labels.to_vec(),
            table: order.iter().map(|&player| table.rows[player].clone()).collect(),
            pairs: table.pairs,
            sprt: None,
            incidents: games.iter().filter(|game| game.ending != Ending::Rules).map(incident).collect(),
        }
    }

    /// The table as CSV, a line per player.
    pub fn csv(&self) -> String {
        let mut text = String::from(
            "player,games,wins,draws,losses,forfeits,score,score_low,score_high,rating,rating_low,rating_high,\
             seconds_per_move,nodes_per_move,depth\n",
        );
        for row in &self.table {
            let (Interval(low, high), Interval(from, to)) = (row.interval, row.rating_interval);
            let _ = writeln!(
                text,
                "\"{}\",{},{},{},{},{},{:.6},{low:.6},{high:.6},{:.2},{from:.2},{to:.2},{:.6},{:.1},{}",
                row.player.replace('"', "\"\""),
                row.games,
                row.wins,
                row.draws,
                row.losses,
                row.forfeits,
                row.score,
                row.rating,
                row.seconds,
                row.nodes,
                row.depth.map_or(String::new(), |depth| format!("{depth:.2}")),
            );
        }
        text
    }

    /// A page with the table, a cross table, the ratings and the scores over time.
    pub fn html(&self, games: &[GameRecord]) -> Result<String, String> {
        let title = format!("Tournament: {}", escape_xml(&self.game));
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n\
             <style>\n{STYLE}</style></head>\n\
             <body><h1>{title}</h1>\n<p>{} games{}. Intervals are 95&nbsp;%; \
             games of one opening count as one block.</p>\n",
            self.games,
            self.status.map_or(String::new(), |status| format!(", {status}")),
        );
        page.push_str(&self.html_table());
        page.push_str(
            "<h2>Against each other</h2>\n<p>Score of the row's player against the column's, with its interval and \
                       wins, draws, losses.</p>\n",
        );
        page.push_str(&self.html_cross());
        let _ = write!(page, "<h2>Ratings</h2>\n{}\n", charts::ratings(&self.players, &self.table)?);
        let _ = write!(page, "<h2>Score over time</h2>\n{}\n", charts::scores(&self.players, games, self.objective)?);
        if !self.incidents.is_empty() {
            page.push_str("<h2>Games that did not end by the rules</h2>\n<ul>\n");
            for incident in &self.incidents {
                let _ = writeln!(page, "<li>{}: {}</li>", escape_xml(&incident.game), escape_xml(&incident.reason));
            }
            page.push_str("</ul>\n");
        }
        page.push_str("</body></html>\n");
        Ok(page)
    }

    fn html_table(&self) -> String {
        let mut text = String::from(
            "<table><tr><th></th><th>player</th><th>rating</th><th>±</th><th>games</th><th>wins</th><th>draws</th>\
             <th>losses</th><th>forfeits</th><th>score</th><th>95&nbsp;%</th>\
             <th>ms per move</th><th>nodes per move</th></tr>\n",
        );
        for (place, row) in (1..).zip(&self.table) {
            let (Interval(low, high), Interval(from, to)) = (row.interval, row.rating_interval);
            let _ = writeln!(
                text,
                "<tr><td>{place}</td><td class=\"name\">{}</td><td>{:.0}</td><td>{:.0}</td>\
                 <td>{}</td><td>{}</td><td>{}</td>\
                 <td>{}</td><td>{}</td><td>{:.1}&nbsp;%</td><td>{:.1} – {:.1}</td><td>{:.1}</td><td>{:.0}</td></tr>",
                escape_xml(&row.player),
                row.rating,
                (to - from) / 2.0,
                row.games,
                row.wins,
                row.draws,
                row.losses,
                row.forfeits,
                row.score * 100.0,
                low * 100.0,
                high * 100.0,
                row.seconds * 1000.0,
                row.nodes,
            );
        }
        text.push_str("</table>\n");
        text
    }

    fn html_cross(&self) -> String {
        let mut text = String::from("<table><tr><th></th>");
        for place in 1..=self.table.len() {
            let _ = write!(text, "<th>{place}</th>");
        }
        text.push_str("</tr>\n");
        for (place, row) in (1..).zip(&self.table) {
            let _ = write!(text, "<tr><td class=\"name\">{place} {}</td>", escape_xml(&row.player));
            for other in &self.table {
                let cell =
                    self.cross(&row.player, &other.player).map_or("<td>·</td>".into(), |(score, interval, wdl)| {
                        // From red to green by score.
                        format!(
                            "<td style=\"background:hsl({:.0},55%,85%)\">{:.0}&nbsp;%<br><small>{:.0} – {:.0}<br>\
                         +{} ={} −{}</small></td>",
                            score * 120.0,
                            score * 100.0,
                            interval.0 * 100.0,
                            interval.1 * 100.0,
                            wdl[0],
                            wdl[1],
                            wdl[2]
                        )
                    });
                text.push_str(&cell);
            }
            text.push_str("</tr>\n");
        }
        text.push_str("</table>\n");
        text
    }

    /// Score, interval, and wins, draws and losses of one player against another, if they met.
    pub fn cross(&self, player: &str, other: &str) -> Option<(f64, Interval, [usize; 3])> {
        let number = |name: &str| self.players.iter().position(|p| p == name);
        let (a, b) = (number(player)?, number(other)?);
        let pair = self.pairs.iter().find(|p| p.players == [a.min(b), a.max(b)])?;
        let (Interval(low, high), wdl) = (pair.interval, [pair.wins, pair.draws, pair.losses]);
        Some(if a < b {
            (pair.score, pair.interval, wdl)
        } else {
            (1.0 - pair.score, Interval(1.0 - high, 1.0 - low), [wdl[2], wdl[1], wdl[0]])
        })
    }
}

const STYLE: &str = "body{font-family:sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222}
table{border-collapse:collapse;margin:1em 0}
th,td{border:1px solid #ccc;padding:.3em .6em;text-align:right}
td.name{text-align:left;font-family:monospace}
th{background:#f2f2f2}
svg{max-width:100%;height:auto}
";
