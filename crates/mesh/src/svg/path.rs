//! Path data, and the basic shapes as paths.

use super::pen::Pen;
use crate::error::MeshError;
use crate::point::{Point, add, sub, times};
use svgtypes::PathSegment as Step;

/// Draws the steps of a path (SVG 1.1, chapter 8.3).
pub(super) fn draw(pen: &mut Pen, steps: &[Step]) -> Result<(), MeshError> {
    // Last control point of the preceding step, which S and T reflect; any other step resets it.
    let (mut cubic, mut quadratic): (Option<Point>, Option<Point>) = (None, None);
    for step in steps {
        let at = pen.at();
        let absolute = |abs: bool, x: f64, y: f64| if abs { [x, y] } else { add(at, [x, y]) };
        let mirrored = |control: Option<Point>| control.map_or(at, |c| sub(times(2.0, at), c));
        let (mut new_cubic, mut new_quadratic) = (None, None);
        match *step {
            Step::MoveTo { abs, x, y } => pen.move_to(absolute(abs, x, y))?,
            Step::LineTo { abs, x, y } => pen.line_to(absolute(abs, x, y)),
            Step::HorizontalLineTo { abs, x } => pen.line_to([absolute(abs, x, 0.0)[0], at[1]]),
            Step::VerticalLineTo { abs, y } => pen.line_to([at[0], absolute(abs, 0.0, y)[1]]),
            Step::CurveTo { abs, x1, y1, x2, y2, x, y } => {
                new_cubic = Some(absolute(abs, x2, y2));
                pen.cubic_to(absolute(abs, x1, y1), absolute(abs, x2, y2), absolute(abs, x, y));
            }
            Step::SmoothCurveTo { abs, x2, y2, x, y } => {
                new_cubic = Some(absolute(abs, x2, y2));
                pen.cubic_to(mirrored(cubic), absolute(abs, x2, y2), absolute(abs, x, y));
            }
            Step::Quadratic { abs, x1, y1, x, y } => {
                new_quadratic = Some(absolute(abs, x1, y1));
                pen.quadratic_to(absolute(abs, x1, y1), absolute(abs, x, y));
            }
            Step::SmoothQuadratic { abs, x, y } => {
                let control = mirrored(quadratic);
                new_quadratic = Some(control);
                pen.quadratic_to(control, absolute(abs, x, y));
            }
            Step::EllipticalArc { abs, rx, ry, x_axis_rotation, large_arc, sweep, x, y } => {
                pen.arc_to([rx, ry], x_axis_rotation.to_radians(), large_arc, sweep, absolute(abs, x, y));
            }
            Step::ClosePath { .. } => pen.close()?,
        }
        (cubic, quadratic) = (new_cubic, new_quadratic);
    }
    Ok(())
}

/// A rectangle, with rounded corners if the radii are not zero (SVG 1.1, chapter 9.2).
pub(super) fn draw_rect(
    pen: &mut Pen,
    [x, y]: Point,
    [w, h]: [f64; 2],
    radii: [f64; 2],
) -> Result<(), MeshError> {
    let [rx, ry] = [radii[0].min(0.5 * w), radii[1].min(0.5 * h)];
    pen.move_to([x + rx, y])?;
    // Per side: the end of its line, and the end of the corner arc after it. Without radii the arc
    // is a line of zero length, which the pen drops.
    for (line, corner) in [
        ([x + w - rx, y], [x + w, y + ry]),
        ([x + w, y + h - ry], [x + w - rx, y + h]),
        ([x + rx, y + h], [x, y + h - ry]),
        ([x, y + ry], [x + rx, y]),
    ] {
        pen.line_to(line);
        pen.arc_to([rx, ry], 0.0, false, true, corner);
    }
    pen.close()
}

/// Straight lines from point to point.
pub(super) fn draw_polyline(pen: &mut Pen, points: &[Point], closed: bool) -> Result<(), MeshError> {
    let Some((first, rest)) = points.split_first() else {
        return Ok(());
    };
    pen.move_to(*first)?;
    for p in rest {
        pen.line_to(*p);
    }
    if closed { pen.close() } else { Ok(()) }
}
