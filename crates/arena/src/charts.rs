//! Pictures of a tournament, as SVG.

use std::collections::HashMap;
use std::error::Error;

use perfectplay_core::Objective;
use plotters::prelude::*;

use crate::match_play::GameRecord;
use crate::stats::Interval;
use crate::{Row, Table};

const COLOURS: [RGBColor; 8] = [
    RGBColor(0xd1, 0x49, 0x5b),
    RGBColor(0x30, 0x63, 0x8e),
    RGBColor(0xed, 0xae, 0x49),
    RGBColor(0x2e, 0x8b, 0x57),
    RGBColor(0x7b, 0x4f, 0xa3),
    RGBColor(0x44, 0x44, 0x44),
    RGBColor(0x00, 0x8b, 0x8b),
    RGBColor(0xa0, 0x52, 0x2d),
];

/// Points on the line of scores over time: more would not be seen.
const MOST_POINTS: usize = 60;

/// Ratings with their intervals, best first.
pub(crate) fn ratings(rows: &[Row]) -> Result<String, String> {
    let mut svg = String::new();
    draw_ratings(&mut svg, rows).map_err(|error| format!("the picture could not be drawn: {error}"))?;
    Ok(svg)
}

fn draw_ratings(svg: &mut String, rows: &[Row]) -> Result<(), Box<dyn Error>> {
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
        let colour = COLOURS[place % COLOURS.len()];
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
