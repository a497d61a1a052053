//! How a run went: points in time, as JSON lines, as a page of HTML, as a few characters.

use std::error::Error;
use std::fmt::Write;

use perfectplay_core::escape_xml;
use plotters::prelude::*;
use serde::{Deserialize, Serialize};

use crate::exam::Marks;
use crate::run::Count;

/// A look at the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Seconds of learning, exams not counted.
    pub seconds: f64,
    /// Games so far.
    pub games: u64,
    /// Examples learned so far.
    pub examples: u64,
    /// States evaluated so far.
    pub evaluations: u64,
    /// Since the last point: the root of the mean squared error before learning.
    pub error: f64,
    /// Since the last point: plies per game that the learner chose.
    pub length: f64,
    /// Since the last point: which part of the states in the trees was resolved.
    pub resolved: f64,
    /// What the exam said.
    #[serde(flatten)]
    pub marks: Marks,
}

impl Point {
    /// What happened between two counts.
    pub fn between(before: &Count, now: &Count, marks: Marks) -> Self {
        let per = |sum: f64, count: u64| if count == 0 { 0.0 } else { sum / count as f64 };
        let squared = now.squared_errors - before.squared_errors;
        Point {
            seconds: now.seconds,
            games: now.games,
            examples: now.examples,
            evaluations: now.evaluations,
            error: per(squared, now.examples - before.examples).sqrt(),
            length: per((now.plies - before.plies) as f64, now.games - before.games),
            resolved: per((now.resolved - before.resolved) as f64, now.states - before.states),
            marks,
        }
    }

    /// One line of JSON.
    pub fn json_line(&self) -> String {
        serde_json::to_string(self).expect("plain data") + "\n"
    }
}

/// A curve in one line of text: `▁▂▅▇`.
pub fn spark(values: impl Iterator<Item = f64> + Clone, (low, high): (f64, f64)) -> String {
    const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let step = |value: f64| (((value - low) / (high - low).max(1e-9) * 8.0) as usize).min(7);
    values.map(|value| STEPS[step(value)]).collect()
}

/// The scores of the last exam in which somebody played.
pub fn last_scores(points: &[Point]) -> &[(String, f64)] {
    points.iter().rev().map(|point| point.marks.scores.as_slice()).find(|scores| !scores.is_empty()).unwrap_or_default()
}

/// A point of a curve: seconds of learning, and what was measured.
type Measured = (f64, f64);

/// Against each opponent the scores in percent.
fn scores(points: &[Point]) -> Vec<(String, Vec<Measured>)> {
    let against = |name: &String| {
        let score = |p: &Point| p.marks.scores.iter().find(|s| s.0 == *name).map(|s| (p.seconds, 100.0 * s.1));
        (name.clone(), points.iter().filter_map(score).collect())
    };
    last_scores(points).iter().map(|(name, _)| against(name)).collect()
}

/// The scores against opponents that never change, as SVG; nothing if nobody was played.
pub fn picture(points: &[Point]) -> Option<Result<String, String>> {
    let lines = scores(points);
    (!lines.is_empty()).then(|| chart("score, %", Some(100.0), &lines).map_err(undrawn))
}

fn undrawn(error: Box<dyn Error>) -> String {
    format!("the picture could not be drawn: {error}")
}

/// The page of a run.
pub fn html(made_by: &str, points: &[Point]) -> Result<String, String> {
    let title = "Learning";
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n<style>{STYLE}</style></head>\n\
         <body><h1>{title}</h1>\n<p><code>{}</code></p>\n",
        escape_xml(made_by)
    );
    let of = |value: fn(&Point) -> f64| points.iter().map(|point| (point.seconds, value(point))).collect::<Vec<_>>();
    let mut draw = |heading: &str, unit: &str, most: Option<f64>, lines: Vec<(String, Vec<Measured>)>| {
        if lines.iter().all(|line| line.1.is_empty()) {
            return Ok(());
        }
        let picture = chart(unit, most, &lines).map_err(undrawn)?;
        let _ = write!(page, "<h2>{heading}</h2>\n{picture}\n");
        Ok::<(), String>(())
    };
    draw("Score against opponents that never change", "score, %", Some(100.0), scores(points))?;
    let labels = points.iter().filter_map(|p| Some((p.seconds, p.marks.label_error?))).collect();
    draw(
        "Error",
        "distance from the target",
        None,
        vec![
            ("before learning, root of the mean square".to_owned(), of(|p| p.error)),
            ("one ply ahead, positions that a solver knows".to_owned(), labels),
        ],
    )?;
    let right = points.iter().filter_map(|p| Some((p.seconds, 100.0 * p.marks.right_states?))).collect();
    draw("All states of the game", "% valued rightly", Some(100.0), vec![("win, draw or loss".to_owned(), right)])?;
    draw("Length of games", "plies that the learner chose", None, vec![("plies".to_owned(), of(|p| p.length))])?;
    draw("Resolved states", "% of the trees", Some(100.0), vec![("resolved".to_owned(), of(|p| 100.0 * p.resolved))])?;
    page.push_str("<h2>Figures</h2>\n<table><tr><th>seconds</th><th>games</th><th>examples</th><th>evaluations</th>");
    let opponents = last_scores(points);
    opponents.iter().for_each(|(name, _)| _ = write!(page, "<th>{}, %</th>", escape_xml(name)));
    page.push_str("</tr>\n");
    for point in points {
        let Point { seconds, games, examples, evaluations, .. } = point;
        let _ = write!(page, "<tr><td>{seconds:.0}</td><td>{games}</td><td>{examples}</td><td>{evaluations}</td>");
        let score = |name: &str| point.marks.scores.iter().find(|score| score.0 == name);
        let text = |name: &str| score(name).map_or(String::new(), |score| format!("{:.0}", 100.0 * score.1));
        opponents.iter().for_each(|(name, _)| _ = write!(page, "<td>{}</td>", text(name)));
        page.push_str("</tr>\n");
    }
    page.push_str("</table>\n</body></html>\n");
    Ok(page)
}

const COLOURS: [RGBColor; 4] =
    [RGBColor(0x00, 0x72, 0xb2), RGBColor(0xe6, 0x9f, 0x00), RGBColor(0x00, 0x9e, 0x73), RGBColor(0xc8, 0x45, 0x2b)];

fn chart(unit: &str, most: Option<f64>, lines: &[(String, Vec<Measured>)]) -> Result<String, Box<dyn Error>> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (900, 320)).into_drawing_area();
        area.fill(&WHITE)?;
        let all = || lines.iter().flat_map(|line| &line.1);
        let end = all().fold(1.0f64, |end, point| end.max(point.0));
        let top = most.unwrap_or_else(|| all().fold(1e-6f64, |top, point| top.max(point.1)) * 1.1);
        let mut chart = ChartBuilder::on(&area)
            .margin(16)
            .x_label_area_size(40)
            .y_label_area_size(60)
            .build_cartesian_2d(0.0..end, 0.0..top)?;
        // Whole numbers where there is no room for others anyway.
        let shown =
            |end: f64| move |value: &f64| if end >= 10.0 { format!("{value:.0}") } else { format!("{value:.2}") };
        chart
            .configure_mesh()
            .x_desc("seconds of learning")
            .y_desc(unit)
            .x_label_formatter(&shown(end))
            .y_label_formatter(&shown(top))
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.12))
            .draw()?;
        for ((name, points), colour) in lines.iter().zip(COLOURS.into_iter().cycle()) {
            chart
                .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?
                .label(name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3))
            .draw()?;
        area.present()?;
    }
    Ok(svg)
}

const STYLE: &str = "body{font-family:sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222}
table{border-collapse:collapse;margin:1em 0}th,td{border:1px solid #ccc;padding:.3em .6em;text-align:right}
th{background:#f2f2f2}svg{max-width:100%;height:auto}code{white-space:pre-wrap}";
