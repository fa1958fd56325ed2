//! How is a scene rasterised?

use anyhow::Context;
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, RasterizedChar, get_raster};
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, PathBuilder, Pixmap, PremultipliedColorU8, Rect,
    Stroke, StrokeDash, Transform,
};

use super::{Anchor, Colour, Scene, Shape, TextSize};

/// Dashes and gaps of a dashed line, in pixels.
const DASH: f32 = 6.0;

/// The scene as the bytes of a PNG file.
///
/// # Errors
/// When the scene has no area.
pub(crate) fn png(scene: &Scene) -> anyhow::Result<Vec<u8>> {
    let mut pixels = Pixmap::new(u32::from(scene.width), u32::from(scene.height))
        .context("a picture needs a width and a height")?;
    pixels.fill(Color::WHITE);
    for shape in &scene.shapes {
        draw(&mut pixels, shape);
    }
    pixels.encode_png().context("cannot encode the picture")
}

/// Draws one shape; a shape without extent (an empty line) leaves no trace.
fn draw(pixels: &mut Pixmap, shape: &Shape) {
    match shape {
        Shape::Rectangle {
            x,
            y,
            width,
            height,
            fill,
        } => {
            if let Some(rectangle) = Rect::from_xywh(*x, *y, *width, *height) {
                pixels.fill_rect(rectangle, &paint(*fill), Transform::identity(), None);
            }
        }
        Shape::Line {
            points,
            width,
            colour,
            dashed,
        } => line(pixels, points, *width, *colour, *dashed),
        Shape::Disc {
            centre: (x, y),
            radius,
            fill,
        } => {
            if let Some(circle) = PathBuilder::from_circle(*x, *y, *radius) {
                pixels.fill_path(
                    &circle,
                    &paint(*fill),
                    FillRule::Winding,
                    Transform::identity(),
                    None,
                );
            }
        }
        Shape::Text {
            x,
            y,
            text,
            size,
            anchor,
            colour,
        } => write_text(pixels, (*x, *y), text, *size, *anchor, *colour),
    }
}

fn line(pixels: &mut Pixmap, points: &[(f32, f32)], width: f32, colour: Colour, dashed: bool) {
    let mut builder = PathBuilder::new();
    for (index, (x, y)) in points.iter().enumerate() {
        if index == 0 {
            builder.move_to(*x, *y);
        } else {
            builder.line_to(*x, *y);
        }
    }
    let Some(path) = builder.finish() else { return };
    let stroke = Stroke {
        width,
        line_cap: LineCap::Round,
        line_join: LineJoin::Round,
        dash: dashed
            .then(|| StrokeDash::new(vec![DASH, DASH], 0.0))
            .flatten(),
        ..Stroke::default()
    };
    pixels.stroke_path(&path, &paint(colour), &stroke, Transform::identity(), None);
}

fn paint(Colour(red, green, blue): Colour) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, 255);
    paint.anti_alias = true;
    paint
}

/// Blends the bitmap font's glyphs onto the picture.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "pixel positions inside a picture of at most 65,535 pixels a side"
)]
fn write_text(
    pixels: &mut Pixmap,
    (x, baseline): (f32, f32),
    text: &str,
    size: TextSize,
    anchor: Anchor,
    colour: Colour,
) {
    let glyphs: Vec<RasterizedChar> = text
        .chars()
        .filter_map(|letter| glyph(letter, size))
        .collect();
    let width: usize = glyphs.iter().map(RasterizedChar::width).sum();
    let shift = match anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => width as f32 / 2.0,
        Anchor::End => width as f32,
    };
    let height = glyphs.first().map_or(0, RasterizedChar::height);
    // The font's baseline lies at about four fifths of its height.
    let top = (baseline - height as f32 * 0.8).round() as i64;
    let mut left = (x - shift).round() as i64;
    for glyph in &glyphs {
        for (row, intensities) in (top..).zip(glyph.rows()) {
            for (column, intensity) in (left..).zip(intensities) {
                blend(pixels, column, row, *intensity, colour);
            }
        }
        left += glyph.width() as i64;
    }
}

fn glyph(letter: char, size: TextSize) -> Option<RasterizedChar> {
    let (weight, height) = match size {
        TextSize::Label => (FontWeight::Regular, RasterHeight::Size16),
        TextSize::Title => (FontWeight::Bold, RasterHeight::Size20),
    };
    get_raster(letter, weight, height).or_else(|| get_raster('?', weight, height))
}

/// Mixes `colour` into one pixel; pixels outside the picture are left alone.
fn blend(
    pixels: &mut Pixmap,
    column: i64,
    row: i64,
    intensity: u8,
    Colour(red, green, blue): Colour,
) {
    let (Ok(column), Ok(row)) = (usize::try_from(column), usize::try_from(row)) else {
        return;
    };
    let (Ok(width), Ok(height)) = (
        usize::try_from(pixels.width()),
        usize::try_from(pixels.height()),
    ) else {
        return;
    };
    if column >= width || row >= height {
        return;
    }
    let pixel = &mut pixels.pixels_mut()[row * width + column];
    let mix = |below: u8, above: u8| {
        let strength = u16::from(intensity);
        let mixed = (u16::from(below) * (255 - strength) + u16::from(above) * strength) / 255;
        u8::try_from(mixed).unwrap_or(u8::MAX)
    };
    if let Some(mixed) = PremultipliedColorU8::from_rgba(
        mix(pixel.red(), red),
        mix(pixel.green(), green),
        mix(pixel.blue(), blue),
        u8::MAX,
    ) {
        *pixel = mixed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_lines_leave_ink_and_what_lies_outside_does_not() {
        let scene = Scene {
            width: 60,
            height: 30,
            shapes: vec![
                Shape::Text {
                    x: -20.0,
                    y: 500.0,
                    text: "outside".into(),
                    size: TextSize::Title,
                    anchor: Anchor::Start,
                    colour: Colour(0, 0, 0),
                },
                Shape::Text {
                    x: 5.0,
                    y: 20.0,
                    text: "ok".into(),
                    size: TextSize::Label,
                    anchor: Anchor::Start,
                    colour: Colour(0, 0, 0),
                },
                Shape::Line {
                    points: vec![(30.0, 5.0), (55.0, 25.0)],
                    width: 2.0,
                    colour: Colour(200, 0, 0),
                    dashed: false,
                },
            ],
        };
        let decoded = Pixmap::decode_png(&png(&scene).unwrap()).unwrap();
        let inked = |from: u32, to: u32| {
            (from..to).any(|x| (0..30).any(|y| decoded.pixel(x, y).unwrap().green() < 100))
        };
        assert!(inked(0, 28) && inked(29, 60));
    }
}
