//! How is the learning curve laid out?

use super::{Anchor, Colour, Scene, Shape, TextSize};
use crate::metrics::CurvePoint;
use crate::report::QuestionReport;

const WIDTH: u16 = 960;
const HEIGHT: u16 = 600;
const LEFT: f32 = 80.0;
const RIGHT: f32 = 930.0;
/// Top and bottom of the upper panel (shares) and of the lower one (latency).
const SHARES: (f32, f32) = (84.0, 344.0);
const LATENCY: (f32, f32) = (410.0, 540.0);
const PANEL_TICKS: u8 = 4;
const QUESTION_TICKS: u8 = 6;

const INK: Colour = Colour(38, 43, 51);
const FAINT: Colour = Colour(120, 128, 140);
const GRID: Colour = Colour(228, 231, 236);
const ACCURACY: Colour = Colour(31, 98, 190);
const REUSE: Colour = Colour(26, 140, 90);
const MEDIAN: Colour = Colour(196, 92, 20);
const TAIL: Colour = Colour(232, 176, 130);

/// Accuracy and reuse above, latency below, over the questions asked.
pub(crate) fn learning_curve(report: &QuestionReport) -> Scene {
    let curve = &report.curve;
    let mut chart = Chart::new(curve.last().map_or(1, |point| point.asked));
    let title = format!("{}: the stream as it was asked", report.dataset);
    chart.text((LEFT, 30.0), &title, TextSize::Title, Anchor::Start, INK);
    let settings = format!(
        "{} questions, {}",
        report.figures.questions,
        report.settings.describe()
    );
    chart.text(
        (LEFT, 52.0),
        &settings,
        TextSize::Label,
        Anchor::Start,
        FAINT,
    );

    let share = Scale::new(SHARES, 0.0, 1.0);
    chart.panel(share, |value| format!("{:.0}%", value * 100.0));
    chart.legend(
        SHARES.0 - 10.0,
        &[("exact-set accuracy", ACCURACY), ("reuse (level 1)", REUSE)],
    );
    chart.series(curve, share, REUSE, |point| point.reuse_share);
    chart.series(curve, share, ACCURACY, |point| point.exact_set_accuracy);

    let slowest = curve.iter().map(|point| point.p95_ms).fold(0.0, f64::max);
    let time = Scale::new(LATENCY, 0.0, round_up(slowest));
    chart.panel(time, |value| format!("{} ms", trim(value)));
    chart.legend(
        LATENCY.0 - 10.0,
        &[("latency p50", MEDIAN), ("latency p95", TAIL)],
    );
    chart.series(curve, time, TAIL, |point| point.p95_ms);
    chart.series(curve, time, MEDIAN, |point| point.p50_ms);
    chart.question_axis();
    Scene {
        width: WIDTH,
        height: HEIGHT,
        shapes: chart.shapes,
    }
}

/// Maps values to the vertical extent of a panel.
#[derive(Debug, Clone, Copy)]
struct Scale {
    panel: (f32, f32),
    least: f64,
    most: f64,
}

impl Scale {
    fn new(panel: (f32, f32), least: f64, most: f64) -> Self {
        Self { panel, least, most }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "a pixel position needs no double precision"
    )]
    fn y(self, value: f64) -> f32 {
        let (top, bottom) = self.panel;
        let share = ((value - self.least) / (self.most - self.least)).clamp(0.0, 1.0) as f32;
        bottom - share * (bottom - top)
    }
}

struct Chart {
    shapes: Vec<Shape>,
    questions: usize,
}

impl Chart {
    fn new(questions: usize) -> Self {
        Self {
            shapes: vec![Shape::Rectangle {
                x: 0.0,
                y: 0.0,
                width: f32::from(WIDTH),
                height: f32::from(HEIGHT),
                fill: Colour(255, 255, 255),
            }],
            questions: questions.max(1),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "a pixel position needs no more than single precision"
    )]
    fn x(&self, asked: usize) -> f32 {
        LEFT + (RIGHT - LEFT) * (asked as f32 / self.questions as f32)
    }

    fn text(&mut self, at: (f32, f32), text: &str, size: TextSize, anchor: Anchor, colour: Colour) {
        self.shapes.push(Shape::Text {
            x: at.0,
            y: at.1,
            text: text.to_owned(),
            size,
            anchor,
            colour,
        });
    }

    fn panel(&mut self, scale: Scale, label: impl Fn(f64) -> String) {
        for tick in 0..=PANEL_TICKS {
            let value =
                scale.least + (scale.most - scale.least) * f64::from(tick) / f64::from(PANEL_TICKS);
            let y = scale.y(value);
            self.shapes.push(Shape::Line {
                points: vec![(LEFT, y), (RIGHT, y)],
                width: 1.0,
                colour: GRID,
                dashed: false,
            });
            self.text(
                (LEFT - 8.0, y + 4.0),
                &label(value),
                TextSize::Label,
                Anchor::End,
                FAINT,
            );
        }
        for third in [1.0, 2.0] {
            let x = LEFT + (RIGHT - LEFT) * third / 3.0;
            self.shapes.push(Shape::Line {
                points: vec![(x, scale.panel.0), (x, scale.panel.1)],
                width: 1.0,
                colour: GRID,
                dashed: true,
            });
        }
    }

    /// Names of the series in the panel's upper right, each behind a stroke of its colour.
    fn legend(&mut self, y: f32, entries: &[(&str, Colour)]) {
        let mut x = RIGHT;
        for (name, colour) in entries.iter().rev() {
            self.text((x, y), name, TextSize::Label, Anchor::End, INK);
            x -= text_width(name) + 8.0;
            self.shapes.push(Shape::Line {
                points: vec![(x - 18.0, y - 4.0), (x, y - 4.0)],
                width: 3.0,
                colour: *colour,
                dashed: false,
            });
            x -= 42.0;
        }
    }

    fn series(
        &mut self,
        curve: &[CurvePoint],
        scale: Scale,
        colour: Colour,
        value: impl Fn(&CurvePoint) -> f64,
    ) {
        let points: Vec<(f32, f32)> = curve
            .iter()
            .map(|point| (self.x(point.asked), scale.y(value(point))))
            .collect();
        let last = points.last().copied();
        self.shapes.push(Shape::Line {
            points,
            width: 2.5,
            colour,
            dashed: false,
        });
        if let Some(centre) = last {
            self.shapes.push(Shape::Disc {
                centre,
                radius: 4.0,
                fill: colour,
            });
        }
    }

    fn question_axis(&mut self) {
        let base = LATENCY.1 + 20.0;
        for tick in 0..=QUESTION_TICKS {
            let asked = self.questions * usize::from(tick) / usize::from(QUESTION_TICKS);
            let x = self.x(asked);
            self.text(
                (x, base),
                &asked.to_string(),
                TextSize::Label,
                Anchor::Middle,
                FAINT,
            );
        }
        self.text(
            (LEFT.midpoint(RIGHT), base + 24.0),
            "questions asked",
            TextSize::Label,
            Anchor::Middle,
            FAINT,
        );
    }
}

/// The label font is monospaced: its letters are this wide.
#[expect(
    clippy::cast_precision_loss,
    reason = "legends have a few dozen letters"
)]
fn text_width(text: &str) -> f32 {
    text.chars().count() as f32 * 7.2
}

/// The next of 1, 2, 4, 5, 8 times a power of ten: an axis end that divides by four.
fn round_up(value: f64) -> f64 {
    if value <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(value.log10().floor());
    [1.0, 2.0, 4.0, 8.0, 10.0]
        .into_iter()
        .map(|step| step * power)
        .find(|end| *end >= value)
        .unwrap_or(10.0 * power)
}

fn trim(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_ends_at_a_round_number_above_the_largest_value() {
        for (value, end) in [(0.7, 0.8), (3.1, 4.0), (81.0, 100.0), (0.0, 1.0)] {
            assert!((round_up(value) - end).abs() < 1e-9, "{value}");
        }
        assert_eq!(trim(0.25), "0.25");
        assert_eq!(trim(4.0), "4");
    }

    #[test]
    fn a_share_of_one_lies_at_the_panels_top() {
        let scale = Scale::new((10.0, 110.0), 0.0, 1.0);
        assert!((scale.y(1.0) - 10.0).abs() < 1e-3);
        assert!((scale.y(0.0) - 110.0).abs() < 1e-3);
        assert!((scale.y(7.0) - 10.0).abs() < 1e-3);
    }
}
