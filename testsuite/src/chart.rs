//! What does a learning curve look like, and a comparison of policies?
//!
//! A chart is a [`Scene`] of rectangles, lines and texts; the same scene is written as SVG and
//! rasterised as PNG. The bitmap font comes with a crate, so no font of the machine is needed.

mod curve;
mod lines;
mod png;
mod svg;

pub(crate) use curve::learning_curve;
pub(crate) use lines::{Axis, Panel, Series, lines, lines_close};
pub(crate) use png::png;
pub(crate) use svg::svg;

/// A colour, opaque.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Colour(pub(crate) u8, pub(crate) u8, pub(crate) u8);

/// Where a text's given point lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// At its beginning.
    Start,
    /// In its middle.
    Middle,
    /// At its end.
    End,
}

/// One thing that is drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    /// A filled rectangle.
    Rectangle {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
        fill: Colour,
    },
    /// A line through points.
    Line {
        points: Vec<(f32, f32)>,
        width: f32,
        colour: Colour,
        dashed: bool,
    },
    /// A filled disc.
    Disc {
        centre: (f32, f32),
        radius: f32,
        fill: Colour,
    },
    /// A text on one line, its baseline at `y`.
    Text {
        x: f32,
        y: f32,
        text: String,
        size: TextSize,
        anchor: Anchor,
        colour: Colour,
    },
}

/// The two sizes of text there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextSize {
    /// Labels.
    Label,
    /// The title.
    Title,
}

/// A picture.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scene {
    /// Pixels across.
    pub(crate) width: u16,
    /// Pixels down.
    pub(crate) height: u16,
    /// What is drawn, from back to front.
    pub(crate) shapes: Vec<Shape>,
}
