//! A picture of two costs per problem.

use plotters::prelude::*;

/// Points on two logarithmic axes, and the diagonal on which both costs are equal, as SVG.
pub(crate) fn scatter(title: &str, x: &str, y: &str, points: &[(f64, f64)]) -> Result<String, String> {
    let mut svg = String::new();
    draw(&mut svg, title, x, y, points).map_err(|error| format!("the picture could not be drawn: {error}"))?;
    Ok(svg)
}

fn draw(
    svg: &mut String,
    title: &str,
    x: &str,
    y: &str,
    points: &[(f64, f64)],
) -> Result<(), Box<dyn std::error::Error>> {
    let all = points.iter().flat_map(|&(x, y)| [x, y]).filter(|&v| v > 0.0);
    let (low, high) = all.fold((f64::INFINITY, 1.0f64), |(low, high), v| (low.min(v), high.max(v)));
    let (low, high) = (low.min(high) / 1.5, high * 1.5);
    let area = SVGBackend::with_string(svg, (640, 560)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(84)
        .build_cartesian_2d((low..high).log_scale(), (low..high).log_scale())?;
    let number = |v: &f64| format!("{v:.0}");
    chart.configure_mesh().x_desc(x).y_desc(y).x_label_formatter(&number).y_label_formatter(&number).draw()?;
    chart.draw_series(LineSeries::new([(low, low), (high, high)], BLACK.mix(0.5)))?;
    let colour = RGBColor(0x30, 0x63, 0x8e);
    chart.draw_series(points.iter().map(|&point| Circle::new(point, 3, colour.mix(0.6).filled())))?;
    area.present()?;
    Ok(())
}
