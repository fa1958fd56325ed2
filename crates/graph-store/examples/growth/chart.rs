//! How does growth look? Time against size as SVG, both relative, with the logarithm to hold it against.

use std::fmt::Write as _;

use crate::Curve;

const WIDTH: f64 = 760.0;
const PANEL_HEIGHT: f64 = 300.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 46.0;
const BOTTOM: f64 = 34.0;
/// Colours that people with any kind of sight tell apart (Okabe and Ito).
const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000",
];

/// Two panels, one for each way to draw keys: the time of each operation over its time on the smallest graph.
pub(crate) fn svg(sizes: &[usize], curves: &[Curve]) -> String {
    let highest = curves
        .iter()
        .flat_map(|curve| {
            relative(&curve.hot)
                .into_iter()
                .chain(relative(&curve.uniform))
        })
        .fold(2.0_f64, f64::max)
        .ceil();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        2.0 * PANEL_HEIGHT
    );
    let hot: Vec<(&str, Vec<f64>)> = curves.iter().map(|c| (c.name, relative(&c.hot))).collect();
    let uniform: Vec<(&str, Vec<f64>)> = curves
        .iter()
        .map(|c| (c.name, relative(&c.uniform)))
        .collect();
    let panels = [
        ("The same few keys again and again: the steps taken", hot),
        (
            "Keys from the whole graph: steps and the processor's caches",
            uniform,
        ),
    ];
    for (top, (title, lines)) in [0.0, PANEL_HEIGHT].into_iter().zip(panels) {
        panel(&mut out, top, title, sizes, &lines, highest);
    }
    out.push_str("</svg>\n");
    out
}

fn relative(times: &[f64]) -> Vec<f64> {
    let first = times.first().copied().unwrap_or(1.0);
    times.iter().map(|time| time / first).collect()
}

fn panel(
    out: &mut String,
    top: f64,
    title: &str,
    sizes: &[usize],
    lines: &[(&str, Vec<f64>)],
    highest: f64,
) {
    let steps = sizes.len().saturating_sub(1).max(1) as f64;
    let x = |at: usize| LEFT + at as f64 / steps * (WIDTH - LEFT - RIGHT);
    let y =
        |value: f64| top + PANEL_HEIGHT - BOTTOM - value / highest * (PANEL_HEIGHT - TOP - BOTTOM);
    let _ = writeln!(
        out,
        "<text x=\"{LEFT}\" y=\"{}\" font-size=\"14\">{title}</text>",
        top + 22.0
    );
    let mut mark = 0.0;
    while mark <= highest {
        let _ = writeln!(
            out,
            "<path d=\"M{LEFT} {y:.1}H{right}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{mark}×</text>",
            LEFT - 8.0,
            y(mark) + 4.0,
            y = y(mark),
            right = WIDTH - RIGHT
        );
        mark += 1.0;
    }
    for (at, size) in sizes.iter().enumerate() {
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{} k</text>",
            x(at),
            top + PANEL_HEIGHT - 12.0,
            size / 1_000
        );
    }
    let logarithms: Vec<f64> = sizes.iter().map(|size| (*size as f64).ln()).collect();
    let points = |values: &[f64]| -> String {
        let all = values.iter().enumerate();
        all.map(|(at, value)| format!("{:.1},{:.1} ", x(at), y(*value)))
            .collect()
    };
    let _ = writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#999\" stroke-width=\"5\" opacity=\"0.6\"/>",
        points(&relative(&logarithms))
    );
    legend(out, top, 0, "log n", "#999");
    for (number, (name, values)) in lines.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"/>",
            points(values)
        );
        let growth = values.last().copied().unwrap_or(1.0);
        legend(
            out,
            top,
            number + 1,
            &format!("{name} {growth:.2}×"),
            colour,
        );
    }
}

fn legend(out: &mut String, top: f64, row: usize, text: &str, colour: &str) {
    let (x, y) = (WIDTH - RIGHT + 12.0, top + TOP + 8.0 + 20.0 * row as f64);
    let _ = writeln!(
        out,
        "<path d=\"M{x} {y}h16\" stroke=\"{colour}\" stroke-width=\"3\"/><text x=\"{}\" y=\"{}\">{text}</text>",
        x + 22.0,
        y + 4.0
    );
}
