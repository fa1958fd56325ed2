//! How are several curves laid out in one panel?

use super::{Anchor, Colour, Scene, Shape, TextSize};

const WIDTH: u16 = 1040;
const HEIGHT: u16 = 560;
const LEFT: f32 = 76.0;
const RIGHT: f32 = 800.0;
const TOP: f32 = 64.0;
const BOTTOM: f32 = 486.0;
const LEGEND: f32 = 826.0;
const LEGEND_LINE: f32 = 22.0;
const TICKS: u8 = 5;
/// Labels of the axis across stand at least this far apart.
const LABEL_ROOM: f32 = 34.0;

const INK: Colour = Colour(38, 43, 51);
const FAINT: Colour = Colour(120, 128, 140);
const GRID: Colour = Colour(228, 231, 236);
/// The one that is told apart: the last member drawn, our default.
const OURS: Colour = Colour(200, 30, 60);
const OURS_NAME: &str = "survival";
const PALETTE: [Colour; 10] = [
    Colour(31, 98, 190),
    Colour(26, 140, 90),
    Colour(196, 92, 20),
    Colour(120, 80, 180),
    Colour(0, 150, 170),
    Colour(140, 110, 60),
    Colour(90, 100, 115),
    Colour(210, 150, 30),
    Colour(60, 60, 140),
    Colour(150, 180, 70),
];

/// What runs across.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Axis {
    label: String,
    logarithmic: bool,
}

impl Axis {
    /// Equal steps for equal differences.
    pub(crate) fn linear(label: &str) -> Self {
        Self {
            label: label.to_owned(),
            logarithmic: false,
        }
    }

    /// Equal steps for equal ratios; values are positive.
    pub(crate) fn logarithmic(label: &str) -> Self {
        Self {
            label: label.to_owned(),
            logarithmic: true,
        }
    }

    fn map(&self, value: f64) -> f64 {
        if self.logarithmic {
            value.max(f64::MIN_POSITIVE).ln()
        } else {
            value
        }
    }
}

/// One curve.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// Curves over one axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) across: Axis,
    pub(crate) series: Vec<Series>,
}

/// The panel as a picture, its axis from zero or below.
pub(crate) fn lines(panel: &Panel) -> Scene {
    drawn(panel, &Frame::of(panel))
}

/// The panel as a picture, its axis only as long as the curves: for differences that are small beside what they are of.
pub(crate) fn lines_close(panel: &Panel) -> Scene {
    drawn(panel, &Frame::close(panel))
}

fn drawn(panel: &Panel, frame: &Frame) -> Scene {
    let mut shapes = vec![
        Shape::Rectangle {
            x: 0.0,
            y: 0.0,
            width: f32::from(WIDTH),
            height: f32::from(HEIGHT),
            fill: Colour(255, 255, 255),
        },
        Shape::Text {
            x: LEFT,
            y: 34.0,
            text: panel.title.clone(),
            size: TextSize::Title,
            anchor: Anchor::Start,
            colour: INK,
        },
    ];
    axes(panel, frame, &mut shapes);
    let numbered = || panel.series.iter().enumerate();
    let ours = |series: &Series| series.name == OURS_NAME;
    // Ours last, so that nothing covers it.
    let others = numbered().filter(|(_, series)| !ours(series));
    for (at, series) in others.chain(numbered().filter(|(_, series)| ours(series))) {
        curve(panel, frame, at, series, &mut shapes);
    }
    Scene {
        width: WIDTH,
        height: HEIGHT,
        shapes,
    }
}

fn label(at: (f32, f32), text: String, anchor: Anchor, colour: Colour) -> Shape {
    Shape::Text {
        x: at.0,
        y: at.1,
        text,
        size: TextSize::Label,
        anchor,
        colour,
    }
}

/// Lines and figures on the left, figures and the axis's name below.
fn axes(panel: &Panel, frame: &Frame, shapes: &mut Vec<Shape>) {
    for tick in 0..=TICKS {
        let value = frame.low + (frame.high - frame.low) * f64::from(tick) / f64::from(TICKS);
        let y = frame.y(value);
        shapes.push(stroke(vec![(LEFT, y), (RIGHT, y)], 1.0, GRID, false));
        let at = (LEFT - 8.0, y + 4.0);
        let text = if frame.high > 2.0 {
            plain(value)
        } else {
            format!("{value:.2}")
        };
        shapes.push(label(at, text, Anchor::End, FAINT));
    }
    let mut free_from = f32::MIN;
    for value in frame.stops(panel) {
        let x = frame.x(&panel.across, value);
        if x >= free_from {
            let at = (x, BOTTOM + 20.0);
            shapes.push(label(at, plain(value), Anchor::Middle, FAINT));
            free_from = x + LABEL_ROOM;
        }
    }
    let middle = (LEFT.midpoint(RIGHT), BOTTOM + 44.0);
    let name = panel.across.label.clone();
    shapes.push(label(middle, name, Anchor::Middle, FAINT));
}

/// A curve, and its line in the legend.
fn curve(panel: &Panel, frame: &Frame, at: usize, series: &Series, shapes: &mut Vec<Shape>) {
    let style = Style::of(at, &series.name);
    let points: Vec<(f32, f32)> = series
        .points
        .iter()
        .map(|(x, y)| (frame.x(&panel.across, *x), frame.y(*y)))
        .collect();
    for centre in &points {
        shapes.push(Shape::Disc {
            centre: *centre,
            radius: style.width + 0.5,
            fill: style.colour,
        });
    }
    shapes.push(stroke(points, style.width, style.colour, style.dashed));
    #[expect(clippy::cast_precision_loss, reason = "a legend has a few lines")]
    let y = TOP + LEGEND_LINE * at as f32;
    let sample = vec![(LEGEND, y - 4.0), (LEGEND + 26.0, y - 4.0)];
    shapes.push(stroke(sample, style.width, style.colour, style.dashed));
    shapes.push(label(
        (LEGEND + 34.0, y),
        series.name.clone(),
        Anchor::Start,
        INK,
    ));
}

struct Style {
    colour: Colour,
    width: f32,
    dashed: bool,
}

impl Style {
    fn of(at: usize, name: &str) -> Self {
        if name == OURS_NAME {
            return Self {
                colour: OURS,
                width: 3.5,
                dashed: false,
            };
        }
        Self {
            colour: PALETTE[at % PALETTE.len()],
            width: 1.8,
            dashed: at >= PALETTE.len(),
        }
    }
}

fn stroke(points: Vec<(f32, f32)>, width: f32, colour: Colour, dashed: bool) -> Shape {
    Shape::Line {
        points,
        width,
        colour,
        dashed,
    }
}

fn plain(value: f64) -> String {
    if value.fract() == 0.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.1}")
    }
}

fn points(panel: &Panel) -> impl Iterator<Item = &(f64, f64)> {
    panel.series.iter().flat_map(|series| &series.points)
}

/// The lowest and the highest value; infinite without points.
fn extremes(panel: &Panel) -> (f64, f64) {
    let least = points(panel).map(|p| p.1).fold(f64::INFINITY, f64::min);
    let most = points(panel).map(|p| p.1).fold(f64::NEG_INFINITY, f64::max);
    (least, most)
}

/// What the panel spans.
struct Frame {
    left: f64,
    right: f64,
    low: f64,
    high: f64,
}

impl Frame {
    fn of(panel: &Panel) -> Self {
        let (low, high) = extremes(panel);
        // Shares in steps of twentieths, counts in whole ones.
        let step = if high > 2.0 { 1.0 } else { 0.05 };
        Self::spanning(panel, low.min(0.0), high, step)
    }

    fn close(panel: &Panel) -> Self {
        let (low, high) = extremes(panel);
        Self::spanning(panel, low, high, 0.01)
    }

    /// From `low` to at least `high`, both moved outwards so that each tick is a multiple of `step`.
    fn spanning(panel: &Panel, low: f64, high: f64, step: f64) -> Self {
        let across = || points(panel).map(|point| panel.across.map(point.0));
        let ticks = f64::from(TICKS);
        let low = (low / step + 1e-9).floor() * step;
        let highest = high.max(low + step);
        let high = low + ((highest - low) / (step * ticks) - 1e-9).ceil() * step * ticks;
        Self {
            left: across().fold(f64::INFINITY, f64::min),
            right: across().fold(f64::NEG_INFINITY, f64::max),
            low: if low.is_finite() { low } else { 0.0 },
            high: if high.is_finite() { high } else { 1.0 },
        }
    }

    /// The values that points have across, ascending.
    fn stops(&self, panel: &Panel) -> Vec<f64> {
        let mut stops: Vec<f64> = panel
            .series
            .iter()
            .flat_map(|series| series.points.iter().map(|point| point.0))
            .collect();
        stops.sort_by(f64::total_cmp);
        stops.dedup();
        stops
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "a pixel position needs no double precision"
    )]
    fn x(&self, axis: &Axis, value: f64) -> f32 {
        let span = self.right - self.left;
        let share = if span > 0.0 {
            (axis.map(value) - self.left) / span
        } else {
            0.5
        };
        LEFT + share as f32 * (RIGHT - LEFT)
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "a pixel position needs no double precision"
    )]
    fn y(&self, value: f64) -> f32 {
        let share = (value - self.low) / (self.high - self.low);
        BOTTOM - share as f32 * (BOTTOM - TOP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ratios_are_equal_steps_on_a_logarithmic_axis() {
        let panel = Panel {
            title: "t".to_owned(),
            across: Axis::logarithmic("k"),
            series: vec![Series {
                name: "a".to_owned(),
                points: vec![(10.0, 0.0), (100.0, 0.5), (1000.0, 1.0)],
            }],
        };
        let frame = Frame::of(&panel);
        let middle = frame.x(&panel.across, 100.0);
        assert!((middle - LEFT.midpoint(RIGHT)).abs() < 0.1);
        assert!((frame.y(1.0) - TOP).abs() < 0.1);
    }

    #[test]
    fn a_close_axis_ends_where_the_curves_do_and_counts_have_whole_ticks() {
        let panel = |points: Vec<(f64, f64)>| Panel {
            title: "t".to_owned(),
            across: Axis::linear("k"),
            series: vec![Series {
                name: "a".to_owned(),
                points,
            }],
        };
        let close = Frame::close(&panel(vec![(0.0, 0.861), (1.0, 0.887)]));
        assert!((close.low - 0.86).abs() < 1e-9 && (close.high - 0.91).abs() < 1e-9);
        let counts = Frame::of(&panel(vec![(0.0, 0.0), (1.0, 83.0)]));
        assert_eq!((counts.low, counts.high), (0.0, 85.0));
    }
}
