//! How is a scene written as SVG?

use std::fmt::Write;

use super::{Anchor, Colour, Scene, Shape, TextSize};

/// The scene as an SVG document.
pub(crate) fn svg(scene: &Scene) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" font-family=\"ui-monospace, 'Noto Sans Mono', monospace\">\n",
        scene.width, scene.height
    );
    for shape in &scene.shapes {
        // Writing to a string cannot fail.
        let _infallible = match shape {
            Shape::Rectangle {
                x,
                y,
                width,
                height,
                fill,
            } => writeln!(
                out,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{}\"/>",
                hex(*fill)
            ),
            Shape::Line {
                points,
                width,
                colour,
                dashed,
            } => writeln!(
                out,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\" stroke-linecap=\"round\"{}/>",
                polyline(points),
                hex(*colour),
                if *dashed {
                    " stroke-dasharray=\"6 6\""
                } else {
                    ""
                }
            ),
            Shape::Disc {
                centre: (x, y),
                radius,
                fill,
            } => writeln!(
                out,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{}\"/>",
                hex(*fill)
            ),
            Shape::Text {
                x,
                y,
                text,
                size,
                anchor,
                colour,
            } => writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{}\"{} text-anchor=\"{}\" fill=\"{}\">{}</text>",
                match size {
                    TextSize::Label => 13,
                    TextSize::Title => 17,
                },
                match size {
                    TextSize::Label => "",
                    TextSize::Title => " font-weight=\"bold\"",
                },
                match anchor {
                    Anchor::Start => "start",
                    Anchor::Middle => "middle",
                    Anchor::End => "end",
                },
                hex(*colour),
                escape(text)
            ),
        };
    }
    out.push_str("</svg>\n");
    out
}

fn polyline(points: &[(f32, f32)]) -> String {
    let points: Vec<String> = points
        .iter()
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    points.join(" ")
}

fn hex(Colour(red, green, blue): Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_colours_are_hex() {
        let scene = Scene {
            width: 10,
            height: 10,
            shapes: vec![Shape::Text {
                x: 1.0,
                y: 2.0,
                text: "a<b & c".into(),
                size: TextSize::Label,
                anchor: Anchor::End,
                colour: Colour(255, 0, 16),
            }],
        };
        let svg = svg(&scene);
        assert!(svg.contains("a&lt;b &amp; c") && svg.contains("#ff0010"));
        assert!(svg.contains("text-anchor=\"end\""));
    }
}
