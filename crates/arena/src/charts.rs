//! Pictures of a tournament, as SVG.

use std::collections::HashMap;
use std::error::Error;

use perfectplay_core::Objective;
use plotters::prelude::*;

use crate::match_play::GameRecord;
use crate::stats::Interval;
use crate::{Row, Table};

/// As everywhere (`Colour::PLAYERS`), and two more.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xc8, 0x45, 0x2b),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x44, 0x44, 0x44),
    RGBColor(0x8c, 0x56, 0x4b),
];

/// Points on the line of scores over time: more would not be seen.
const MOST_POINTS: usize = 60;

/// Ratings with their intervals, best first; every player in the colour that it has in [`scores`].
pub(crate) fn ratings(labels: &[String], rows: &[Row]) -> Result<String, String> {
    let mut svg = String::new();
    draw_ratings(&mut svg, labels, rows).map_err(|error| format!("the picture could not be drawn: {error}"))?;
    Ok(svg)
}

fn draw_ratings(svg: &mut String, labels: &[String], rows: &[Row]) -> Result<(), Box<dyn Error>> {
    let ends = rows.iter().flat_map(|row| [row.rating_interval.0, row.rating_interval.1]);
    let (low, high) = ends.filter(|e| e.is_finite()).fold((-10.0f64, 10.0f64), |(l, h), e| (l.min(e), h.max(e)));
    let room = (high - low) * 0.05;
    let height = 90 + 34 * rows.len() as u32;
    let area = SVGBackend::with_string(svg, (900, height)).into_drawing_area();
    area.fill(&WHITE)?;
    let count = rows.len() as f64;
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(10)
        .build_cartesian_2d(low - room..high + room, 0.0..count)?;
    chart.configure_mesh().disable_y_mesh().disable_y_axis().x_desc("rating (Elo, mean of the players = 0)").draw()?;
    for (place, row) in rows.iter().enumerate() {
        let y = count - place as f64 - 0.65;
        let player = labels.iter().position(|label| *label == row.player).unwrap_or(place);
        let colour = COLOURS[player % COLOURS.len()];
        let Interval(from, to) = row.rating_interval;
        let (from, to) = (from.max(low - room), to.min(high + room));
        chart.draw_series(LineSeries::new([(from, y), (to, y)], colour.stroke_width(2)))?;
        for end in [from, to] {
            chart.draw_series(LineSeries::new([(end, y - 0.12), (end, y + 0.12)], colour.stroke_width(2)))?;
        }
        chart.draw_series([Circle::new((row.rating, y), 5, colour.filled())])?;
        let label = format!("{}  {:+.0}", row.player, row.rating);
        chart.draw_series([Text::new(label, (low, y + 0.5), ("sans-serif", 14))])?;
    }
    area.present()?;
    Ok(())
}

/// The score of every player after so many games.
pub(crate) fn scores(labels: &[String], games: &[GameRecord], objective: Objective) -> Result<String, String> {
    let mut svg = String::new();
    draw_scores(&mut svg, labels, games, objective)
        .map_err(|error| format!("the picture could not be drawn: {error}"))?;
    Ok(svg)
}

fn draw_scores(
    svg: &mut String,
    labels: &[String],
    games: &[GameRecord],
    objective: Objective,
) -> Result<(), Box<dyn Error>> {
    let step = games.len().div_ceil(MOST_POINTS).max(1);
    let mut lines: HashMap<usize, Vec<(f64, f64)>> = HashMap::new();
    for played in (step..=games.len()).step_by(step) {
        let table = Table::scores(labels.len(), &games[..played], objective);
        for (player, score) in table.into_iter().enumerate() {
            if let Some(score) = score {
                lines.entry(player).or_default().push((played as f64, score * 100.0));
            }
        }
    }
    let area = SVGBackend::with_string(svg, (900, 420)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(50)
        .build_cartesian_2d(0.0..games.len().max(1) as f64, 0.0..100.0)?;
    chart.configure_mesh().x_desc("games of the tournament").y_desc("score, %").draw()?;
    for (player, label) in labels.iter().enumerate() {
        let colour = COLOURS[player % COLOURS.len()];
        let line = lines.remove(&player).unwrap_or_default();
        chart
            .draw_series(LineSeries::new(line, colour.stroke_width(2)))?
            .label(label)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
    }
    chart.configure_series_labels().background_style(WHITE.mix(0.8)).border_style(BLACK.mix(0.3)).draw()?;
    area.present()?;
    Ok(())
}

/// Two figures of the same thing, with intervals.
pub(crate) struct Compared {
    /// What they are about.
    pub(crate) label: String,
    /// Ours.
    pub(crate) ours: (f64, Interval),
    /// Somebody else's, if there is one.
    pub(crate) theirs: Option<(f64, Interval)>,
}

/// A row per comparison, ours above theirs; percent.
pub(crate) fn compared(rows: &[Compared], title: &str, names: [&str; 2]) -> Result<String, String> {
    let mut svg = String::new();
    draw_compared(&mut svg, rows, title, names).map_err(|error| format!("the picture could not be drawn: {error}"))?;
    Ok(svg)
}

fn draw_compared(svg: &mut String, rows: &[Compared], title: &str, names: [&str; 2]) -> Result<(), Box<dyn Error>> {
    let figures = || rows.iter().flat_map(|row| [Some(row.ours), row.theirs]).flatten();
    let ends = figures().flat_map(|(mean, Interval(from, to))| [mean, from, to]);
    let (low, high) = ends.filter(|e| e.is_finite()).fold((-10.0f64, 10.0f64), |(l, h), e| (l.min(e), h.max(e)));
    let room = (high - low) * 0.03;
    let height = 110 + 30 * rows.len() as u32;
    let area = SVGBackend::with_string(svg, (900, height)).into_drawing_area();
    area.fill(&WHITE)?;
    let count = rows.len() as f64;
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .caption(title, ("sans-serif", 17))
        .x_label_area_size(40)
        .y_label_area_size(150)
        .build_cartesian_2d(low - room..high + room, 0.0..count.max(1.0))?;
    chart.configure_mesh().disable_y_mesh().disable_y_axis().x_desc("mean result of the first, %").draw()?;
    chart.draw_series(LineSeries::new([(0.0, 0.0), (0.0, count)], BLACK.mix(0.5).stroke_width(1)))?;
    for (series, name) in names.into_iter().enumerate() {
        let colour = COLOURS[series];
        let drawn = rows.iter().enumerate().filter_map(|(place, row)| {
            let figure = if series == 0 { Some(row.ours) } else { row.theirs };
            Some((count - place as f64 - 0.35 - 0.3 * series as f64, figure?))
        });
        for (y, (mean, Interval(from, to))) in drawn {
            let (from, to) = (from.max(low - room), to.min(high + room));
            chart.draw_series(LineSeries::new([(from, y), (to, y)], colour.stroke_width(2)))?;
            chart.draw_series([Circle::new((mean, y), 4, colour.filled())])?;
        }
        let mark = move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(3));
        chart.draw_series([Circle::new((0.0, -1.0), 0, colour.filled())])?.label(name).legend(mark);
    }
    for (place, row) in rows.iter().enumerate() {
        let at = chart.backend_coord(&(low - room, count - place as f64 - 0.5));
        area.draw(&Text::new(row.label.clone(), (20, at.1 - 7), ("sans-serif", 14)))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    area.present()?;
    Ok(())
}
