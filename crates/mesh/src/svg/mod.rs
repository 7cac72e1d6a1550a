//! Outlines from SVG drawings.

mod affine;
mod path;
mod pen;

use crate::error::{Location, MeshError};
use crate::outline::Outline;
use crate::point::Point;
use affine::Affine;
use pen::Pen;
use roxmltree::{Document, Node, ParsingOptions};
use std::str::FromStr;
use svgtypes::{Length, LengthUnit, PathParser, PointsParser, TransformListParser};

const SVG: &str = "http://www.w3.org/2000/svg";
const SHAPES: [&str; 7] = ["path", "rect", "circle", "ellipse", "line", "polyline", "polygon"];
/// Elements whose children are drawn with them.
const GROUPS: [&str; 3] = ["svg", "g", "a"];
/// Elements that this reader does not support.
const UNSUPPORTED: [&str; 5] = ["use", "text", "image", "foreignObject", "switch"];

/// The outlines of a drawing, or of the element or group called `id` in it.
///
/// Read are `path`, `rect`, `circle`, `ellipse`, `line`, `polyline` and `polygon` with all their `transform`s; each
/// sub-path is an outline, closed if it says so or ends where it begins. Coordinates are user units of the drawing,
/// which the caller scales, with **y upward**: a point drawn at (x, y) comes out at (x, -y).
/// Fills, strokes, `viewBox` and style sheets are ignored; hidden elements are read only if `id`
/// names them.
///
/// ```
/// let drawing = r#"<svg xmlns="http://www.w3.org/2000/svg"><g id="duct" transform="scale(10)">
///   <path d="M 0 0 H 2 V 1 H 0 Z m 0.5 0.5 h 1"/>
/// </g></svg>"#;
/// let outlines = phasefront_mesh::svg_outlines(drawing, Some("duct")).unwrap();
/// assert_eq!(outlines.len(), 2);
/// assert_eq!(outlines[0].signed_area(), -200.0);
/// assert!(!outlines[1].closed);
/// assert_eq!(outlines[1].vertex(0), [5.0, -5.0]);
/// ```
pub fn svg_outlines(text: &str, id: Option<&str>) -> Result<Vec<Outline>, MeshError> {
    // Older programs write a DOCTYPE; the parser bounds what entities may expand to.
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        MeshError::syntax(
            Location::Line(error.pos().row as usize),
            format!("the drawing is not XML: {error}"),
            "save it as plain SVG",
        )
    })?;
    let root = document.root_element();
    if name(root) != "svg" {
        return Err(MeshError::syntax(
            location(root),
            format!("the file begins with <{}>, not with <svg>", root.tag_name().name()),
            "give an SVG drawing",
        ));
    }
    let start = match id {
        None => root,
        Some(id) => document
            .descendants()
            .find(|node| node.is_element() && node.attribute("id") == Some(id))
            .ok_or_else(|| not_found(&document, id))?,
    };
    let outlines = collect(start)?;
    if outlines.is_empty() {
        return Err(MeshError::syntax(
            location(start),
            format!("{} draws nothing", described(start)),
            "name a shape, a path or a group of them",
        ));
    }
    Ok(outlines)
}

fn not_found(document: &Document, id: &str) -> MeshError {
    let known = document
        .descendants()
        .filter(|node| SHAPES.contains(&name(*node)) || GROUPS.contains(&name(*node)))
        .filter_map(|node| node.attribute("id").map(|id| (id.to_owned(), format!(" (<{}>)", name(node)))));
    MeshError::NotFound { kind: "element with the id", name: id.into(), known: known.collect() }
}

/// All outlines of an element and its children, in the order in which they are drawn.
fn collect(start: Node) -> Result<Vec<Outline>, MeshError> {
    // Transforms of the ancestors apply to a named element too, outermost first.
    let mut above: Vec<Node> = start.ancestors().skip(1).filter(Node::is_element).collect();
    above.reverse();
    let mut map = Affine::FLIP;
    for node in above {
        map = map.after(&own_transform(node)?);
    }
    let mut outlines = Vec::new();
    // An explicit stack: the nesting depth of a drawing must not overflow the call stack.
    let mut waiting = vec![(start, map)];
    while let Some((node, map)) = waiting.pop() {
        let kind = name(node);
        // A hidden element is drawn only if the user names it.
        if node != start && is_hidden(node) {
            continue;
        }
        if SHAPES.contains(&kind) {
            let map = map.after(&own_transform(node)?);
            outlines.extend(draw(node, map).map_err(|error| located(error, node))?);
        } else if GROUPS.contains(&kind) {
            let map = map.after(&own_transform(node)?);
            // Reversed, so that the stack pops the children in drawing order.
            waiting.extend(node.children().rev().map(|child| (child, map)));
        } else if UNSUPPORTED.contains(&kind) {
            return Err(MeshError::unsupported(
                location(node),
                described(node),
                match kind {
                    "use" => "replace it by a copy of what it repeats (Inkscape: Edit, Clone, Unlink Clone)",
                    "text" => {
                        "turn it into a path (Inkscape: Path, Object to Path), or name the shapes by id"
                    }
                    _ => "remove it, or name the shapes by id",
                },
            ));
        }
    }
    Ok(outlines)
}

/// The name of an SVG element; empty for elements of other namespaces.
fn name<'a>(node: Node<'a, '_>) -> &'a str {
    match node.tag_name().namespace() {
        None | Some(SVG) => node.tag_name().name(),
        Some(_) => "",
    }
}

fn location(node: Node) -> Location {
    Location::Line(node.document().text_pos_at(node.range().start).row as usize)
}

/// `<path id="wing">`.
fn described(node: Node) -> String {
    let kind = node.tag_name().name();
    node.attribute("id").map_or_else(|| format!("<{kind}>"), |id| format!("<{kind} id={id:?}>"))
}

/// Adds the element and its line to an error of an outline.
fn located(error: MeshError, node: Node) -> MeshError {
    match error {
        MeshError::Geometry { problem, advice } => {
            MeshError::syntax(location(node), format!("{}: {problem}", described(node)), advice)
        }
        other => other,
    }
}

/// A property, whether written as an attribute or in `style`.
fn property<'a>(node: Node<'a, '_>, key: &str) -> Option<&'a str> {
    let declared = node.attribute("style").and_then(|style| {
        style.split(';').filter_map(|part| part.split_once(':')).find(|(name, _)| name.trim() == key)
    });
    declared.map(|(_, value)| value.trim()).or_else(|| node.attribute(key))
}

fn is_hidden(node: Node) -> bool {
    property(node, "display") == Some("none")
        || matches!(property(node, "visibility"), Some("hidden" | "collapse"))
}

fn own_transform(node: Node) -> Result<Affine, MeshError> {
    let refused = |what: &str, advice: &str| {
        Err(MeshError::unsupported(location(node), format!("{what} of {}", described(node)), advice))
    };
    if node.tag_name().name() == "svg" && node.parent_element().is_some() {
        return refused("the frame", "let the drawing have a single <svg>, with groups <g> inside");
    }
    if property(node, "transform-origin").is_some() {
        return refused("transform-origin", "write transform=\"translate(...) ... translate(...)\" instead");
    }
    let text = property(node, "transform").unwrap_or_default();
    // CSS transforms have another syntax, with units.
    if node.attribute("transform") != Some(text) && !text.is_empty() {
        return refused("a transform in style", "write it as the attribute transform=\"...\"");
    }
    let identity = svgtypes::TransformListToken::Translate { tx: 0.0, ty: 0.0 };
    let mut map = Affine::from_token(identity);
    for token in TransformListParser::from(text) {
        let token = token.map_err(|error| {
            MeshError::syntax(
                location(node),
                format!("transform={text:?} of {} cannot be read: {error}", described(node)),
                "write for example transform=\"translate(10 20) rotate(30)\"",
            )
        })?;
        map = map.after(&Affine::from_token(token));
    }
    Ok(map)
}

fn draw(node: Node, map: Affine) -> Result<Vec<Outline>, MeshError> {
    let mut pen = Pen::new(map);
    let number = |key: &str| length(node, key).map(Option::unwrap_or_default);
    match name(node) {
        "path" => path::draw(&mut pen, &steps(node)?)?,
        "rect" => {
            let size = [number("width")?, number("height")?];
            // A missing radius equals the other one (SVG 1.1, chapter 9.2).
            let (rx, ry) = (length(node, "rx")?, length(node, "ry")?);
            let radii = [rx.or(ry).unwrap_or_default(), ry.or(rx).unwrap_or_default()];
            if size[0] > 0.0 && size[1] > 0.0 {
                path::draw_rect(&mut pen, [number("x")?, number("y")?], size, radii.map(|r| r.max(0.0)))?;
            }
        }
        kind @ ("circle" | "ellipse") => {
            let radii = if kind == "circle" { [number("r")?; 2] } else { [number("rx")?, number("ry")?] };
            if radii[0] > 0.0 && radii[1] > 0.0 {
                pen.ellipse([number("cx")?, number("cy")?], radii)?;
            }
        }
        "line" => {
            let ends = [[number("x1")?, number("y1")?], [number("x2")?, number("y2")?]];
            path::draw_polyline(&mut pen, &ends, false)?;
        }
        kind => path::draw_polyline(&mut pen, &points(node)?, kind == "polygon")?,
    }
    pen.outlines()
}

/// A length attribute in user units.
fn length(node: Node, key: &str) -> Result<Option<f64>, MeshError> {
    let Some(text) = node.attribute(key) else {
        return Ok(None);
    };
    let text = text.trim();
    // The CSS keyword for a missing radius.
    if text == "auto" {
        return Ok(None);
    }
    let length = Length::from_str(text).map_err(|error| {
        MeshError::syntax(
            location(node),
            format!("{key}={text:?} of {} is not a length: {error}", described(node)),
            "write a plain number",
        )
    })?;
    match length.unit {
        LengthUnit::None | LengthUnit::Px => Ok(Some(length.number)),
        _ => Err(MeshError::unsupported(
            location(node),
            format!("the unit in {key}={text:?} of {}", described(node)),
            "write lengths as plain numbers, and give the scale of the drawing",
        )),
    }
}

fn steps(node: Node) -> Result<Vec<svgtypes::PathSegment>, MeshError> {
    let data = node.attribute("d").unwrap_or_default();
    PathParser::from(data).collect::<Result<_, _>>().map_err(|error| {
        MeshError::syntax(
            location(node),
            format!("the path data of {} cannot be read: {error}", described(node)),
            "write commands like d=\"M 0 0 L 10 0 A 5 5 0 0 1 0 0 Z\"",
        )
    })
}

fn points(node: Node) -> Result<Vec<Point>, MeshError> {
    let text = node.attribute("points").unwrap_or_default();
    let mut parser = svgtypes::NumberListParser::from(text);
    // `PointsParser` stops silently at an error: read the numbers first to report it.
    let numbers = parser.by_ref().collect::<Result<Vec<f64>, _>>().ok().filter(|list| list.len() % 2 == 0);
    if numbers.is_none() {
        return Err(MeshError::syntax(
            location(node),
            format!("the points of {} cannot be read", described(node)),
            "write pairs of numbers: points=\"0,0 10,0 10,5\"",
        ));
    }
    Ok(PointsParser::from(text).map(|(x, y)| [x, y]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::point::distance;
    use crate::segment::Segment;
    use std::f64::consts::{FRAC_PI_2, PI, TAU};

    fn all(body: &str) -> Vec<Outline> {
        svg_outlines(&format!("<svg xmlns=\"{SVG}\">{body}</svg>"), None).unwrap()
    }

    fn one(body: &str) -> Outline {
        let outlines = all(body);
        assert_eq!(outlines.len(), 1, "{outlines:?}");
        outlines.into_iter().next().unwrap()
    }

    #[track_caller]
    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-13 * b.abs().max(1.0), "{a} {b}");
    }

    #[test]
    fn circles_and_ellipses_however_they_are_drawn() {
        for body in [
            "<circle cx='1' cy='2' r='3'/>",
            "<path d='M -2 2 A 3 3 0 1 0 4 2 A 3 3 0 1 0 -2 2 Z'/>",
            "<path d='M-2,2a3,3 0 0 0 6,0 a3 3 0 0 0 -6 0'/>",
            "<path d='M 4 2 A 3 3 30 1 1 1 -1 A 3 3 0 0 1 4 2'/>",
            "<rect x='-2' y='-1' width='6' height='6' rx='9'/>",
            "<g transform='translate(1 2) rotate(30)'><ellipse rx='1' ry='6' transform='scale(3 .5)'/></g>",
        ] {
            let circle = one(body);
            assert!(circle.closed && circle.corners.iter().all(|corner| !corner), "{body}");
            close(circle.length(), 3.0 * TAU);
            close(circle.signed_area().abs(), 9.0 * PI);
            for segment in &circle.segments {
                close(distance(segment.point(0.4), [1.0, -2.0]), 3.0);
            }
        }
        // E(0.75) = 1.2110560275684594 (Abramowitz and Stegun, table 17.1); skewing keeps the area.
        let ellipse = one("<ellipse rx='2' ry='1' transform='rotate(20) translate(3,4)'/>");
        close(ellipse.length(), 8.0 * 1.211_056_027_568_459_4);
        close(one("<ellipse rx='2' ry='1' transform='skewX(40)'/>").signed_area(), -TAU);
    }

    #[test]
    fn every_path_command_absolute_and_relative() {
        let absolute =
            one("<path d='M1 2 L4 2 H6 V3 C6 5 5 6 4 6 S1 6 1 4 Q0 3 1 3 T1 2 A2 1 0 0 1 1 1 Z'/>");
        let relative =
            one("<path d='m1 2 l3 0 h2 v1 c0 2-1 3-2 3 s-3 0-3-2 q-1-1 0-1 t0-1 a2 1 0 0 1 0-1 z'/>");
        assert_eq!(absolute.segments.len(), relative.segments.len());
        for (a, b) in absolute.segments.iter().zip(&relative.segments) {
            assert!(distance(a.point(0.37), b.point(0.37)) < 1e-15);
        }
        // S mirrors the handle (5, 6) at (4, 6): smooth there. The y axis points up.
        let Segment::Cubic { points } = absolute.segments[4] else { unreachable!() };
        assert_eq!(points, [[4.0, -6.0], [3.0, -6.0], [1.0, -6.0], [1.0, -4.0]]);
        assert!(!absolute.corners[4]);
        // T mirrors the control (0, 3) at (1, 3) to (2, 3); a parabola passes (P + 2C + Q)/4.
        assert!(distance(absolute.segments[6].point(0.5), [1.5, -2.75]) < 1e-15);
    }

    #[test]
    fn arcs_take_the_way_their_flags_say() {
        // A unit circle around (1, 0) or (0, 1), from (0, 0) to (1, 1); in SVG positive angles go from +x to +y.
        for (flags, center, sweep) in [
            ("0 0", [0.0, 1.0], -FRAC_PI_2),
            ("0 1", [1.0, 0.0], FRAC_PI_2),
            ("1 0", [1.0, 0.0], -1.5 * PI),
            ("1 1", [0.0, 1.0], 1.5 * PI),
        ] {
            let outline = one(&format!("<path d='M0 0A1 1 0 {flags} 1 1'/>"));
            // Of the two centers, the one on the side that the flags choose.
            let Segment::Arc { center: got, sweep: turn, .. } = outline.segments[0] else { unreachable!() };
            close(turn, -sweep);
            let expected = if (flags == "0 0") || (flags == "1 1") { [1.0, 0.0] } else { [0.0, -1.0] };
            assert!(distance(got, expected) < 1e-15, "{flags} {got:?} {center:?}");
        }
        // Radii too small are grown until they reach.
        close(one("<path d='M0 0A1 1 0 0 1 8 0'/>").length(), 4.0 * PI);
        // Without a radius it is a line.
        assert_eq!(one("<path d='M0 0A0 1 0 0 1 8 0'/>").length(), 8.0);
    }

    #[test]
    fn shapes_and_their_corners() {
        let rect = one("<rect x='1' y='1' width='4' height='2'/>");
        assert_eq!((rect.corners.as_slice(), rect.signed_area()), ([true; 4].as_slice(), -8.0));
        let round = one("<rect width='4' height='2' rx='0.5'/>");
        assert_eq!(round.corners, [false; 8]);
        close(round.signed_area(), -(8.0 - 4.0 * 0.25 + 0.25 * PI));
        close(round.length(), 8.0 + PI);
        let polygon = one("<polygon points='0,0 4,0 4,3'/>");
        assert_eq!((polygon.length(), polygon.corners.as_slice()), (12.0, [true; 3].as_slice()));
        let polyline = one("<polyline points='0 0 4 0 4 3'/>");
        assert_eq!((polyline.length(), polyline.closed), (7.0, false));
        assert!(one("<polyline points='0 0 4 0 4 3 0 0'/>").closed);
        assert_eq!(one("<line x1='1' y1='2' x2='4' y2='6px'/>").vertex(1), [4.0, -6.0]);
    }

    #[test]
    fn curves_of_drawing_programs_with_handles_on_their_points() {
        let shape = one("<path d='M0 0 C0 0 5 0 5 0 C5 2 5 5 5 5 L5 5 C3 5 0 3 0 0 z'/>");
        // The first and second curve are straight; steps of no length are left out.
        assert_eq!(shape.segments.len(), 3);
        assert!(matches!(shape.segments[0], Segment::Line { .. }));
        assert!(shape.closed);
        for segment in &shape.segments {
            let speeds = (0..=100).map(|i| segment.derivative(f64::from(i) / 100.0));
            assert!(speeds.map(|d| d[0].hypot(d[1])).fold(f64::MAX, f64::min) > 1.0);
        }
    }

    #[test]
    fn groups_sub_paths_and_what_is_not_drawn() {
        let text = format!(
            "<?xml version='1.0'?><!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'svg11.dtd'>
            <svg xmlns='{SVG}' xmlns:x='urn:other' viewBox='0 0 9 9'><x:path d='bad'/><title>t</title>
            <defs><circle id='hidden' r='1'/></defs><style>text</style>
            <g id='both' transform='matrix(2 0 0 2 1 1)'>
              <path id='two' d='M0 0h1v1h-1z M5 5h1v1z l-1 0'/><g style='display:none'><text/></g>
              <circle r='1' visibility='hidden'/><a><circle id='c' r='1' transform='translate(1)scale(2)'/></a>
            </g></svg>"
        );
        let read = |id| svg_outlines(&text, id).unwrap();
        assert_eq!(read(None).len(), 4);
        assert_eq!(read(Some("both")), read(None));
        // Behind z the pen is where the sub-path began.
        assert_eq!(read(Some("two"))[2].segments, [Segment::Line { from: [11.0, -11.0], to: [9.0, -11.0] }]);
        assert_eq!(read(Some("hidden")).len(), 1);
        let Segment::Arc { center, semi_axes, .. } = read(Some("c"))[0].segments[0] else { unreachable!() };
        assert_eq!((center, semi_axes), ([3.0, -1.0], [4.0, 4.0]));
    }

    #[test]
    fn a_drawing_may_nest_deeply() {
        let deep = format!("{}<circle r='1'/>{}", "<g>".repeat(500), "</g>".repeat(500));
        assert_eq!(all(&deep).len(), 1);
    }
}
