//! Every wrong input has its own message, says where, and what to do.

use phasefront_mesh::{
    GmshMesh, MeshError, Outline, Segment, csv_points, gmsh_outlines, naca4, spline, svg_outlines,
};

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, MeshError>, message: &str, advice: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.to_string(), message);
    assert_eq!(error.advice(), advice);
}

fn line(from: [f64; 2], to: [f64; 2]) -> Segment {
    Segment::Line { from, to }
}

#[test]
fn wrong_outlines() {
    let new = |segments: &[Segment], closed| Outline::new(segments.to_vec(), closed);
    refused(new(&[], false), "an outline needs at least one segment", "draw a line or a curve");
    let (a, b, c) = ([0.0, 0.0], [1.0, 0.0], [1.0, 1.0]);
    refused(
        new(&[line(a, b), line(b, c)], true),
        "the outline does not close: its ends are 1.4142135623730951 apart, from (1, 1) to (0, 0)",
        "add the missing piece, or make it an open outline",
    );
    refused(
        new(&[line(a, b), line([1.0, 0.1], c)], false),
        "segments 1 and 2 are 0.1 apart, from (1, 0) to (1, 0.1)",
        "let each segment begin where the one before it ends",
    );
    refused(
        new(&[line(a, b), line(b, b), line(b, c)], false),
        "segment 2 has no length, at (1, 0)",
        "remove it: it is shorter than a billionth of its outline",
    );
    refused(
        new(&[line(a, b), Segment::Cubic { points: [b; 4] }], false),
        "segment 2 has no length, at (1, 0)",
        "remove it: it is shorter than a billionth of its outline",
    );
    refused(
        new(&[line(a, [f64::NAN, 0.0])], false),
        "segment 1 has coordinates that are no finite numbers",
        "give finite coordinates",
    );
    refused(
        new(&[line(a, b), line(b, a)], true),
        "the outline turns back onto itself at (0, 0)",
        "draw a thin body as an open line, once",
    );
    let range = "give coordinates in a unit in which it is between 1e-60 and 1e60 long";
    refused(new(&[line(a, [1e-200, 0.0])], false), "the outline is 1e-200 long", range);
    refused(new(&[line(a, [1e300, 0.0]), line([1e300, 0.0], c)], false), "the outline is 2e300 long", range);
    let arc = |semi_axes, sweep| Segment::Arc { center: a, semi_axes, rotation: 0.0, start: 0.0, sweep };
    refused(
        new(&[arc([1.0, 0.0], 1.0)], false),
        "segment 1 is part of an ellipse with semi-axes 1 and 0",
        "give semi-axes other than zero, or draw a line",
    );
    refused(
        new(&[arc([1.0, 1.0], 7.0)], false),
        "segment 1 is an arc of 7 radians, more than a full turn",
        "let it sweep one turn at most",
    );
    refused(
        new(&[Segment::Cubic { points: [a, c, [0.0, 1.0], b] }], false),
        "segment 1 is a cubic curve that stops or turns back inside",
        "build it with Segment::from_cubic, which cuts it there",
    );
}

#[test]
fn wrong_airfoils() {
    for code in ["12", "00120", "001a", "", "NACA", "23012", "é12", "äöüß"] {
        refused(
            naca4(code, 1.0),
            &format!("{code:?} is not a four-digit NACA section"),
            "give four digits, for example \"0012\" or \"2412\"",
        );
    }
    refused(
        naca4("2400", 1.0),
        "NACA section \"2400\" has no thickness",
        "its last two digits are the thickness in percent of the chord: give at least 01",
    );
    refused(
        naca4("2012", 1.0),
        "NACA section \"2012\" has its greatest camber at the nose",
        "its second digit is the position of the greatest camber in tenths of the chord: give 1 to 9",
    );
    refused(naca4("0012", -1.0), "a chord of -1 m is not a length", "give a chord above zero");
}

#[test]
fn wrong_points() {
    let (a, b, c) = ([0.0, 0.0], [1.0, 0.0], [1.0, 1.0]);
    let tags = [false; 3];
    refused(
        spline(&[a, b], &tags, false),
        "there are 2 points and 3 corner tags",
        "give one tag for each point",
    );
    refused(spline(&[a, b], &tags[1..], true), "2 points make no closed outline", "give at least 3 points");
    refused(spline(&[a], &tags[2..], false), "1 points make no open outline", "give at least 2 points");
    // Numbers whose squares are zero or infinite.
    let range = "give coordinates in a unit in which it is between 1e-60 and 1e60 long";
    refused(spline(&[a, [1e-170, 0.0]], &tags[1..], false), "the outline is 1e-170 long", range);
    refused(
        spline(&[a, [0.0, 1e-310], [1e-310, 0.0]], &tags, false),
        "the outline is 2.4142135623731e-310 long",
        range,
    );
    refused(
        spline(&[a, [1e300, 0.0], [0.0, 1e300]], &tags, true),
        "the outline is 3.414213562373095e300 long",
        range,
    );
    refused(spline(&[a, a], &tags[1..], false), "points 1 and 2 are the same, (0, 0)", "remove one of them");
    refused(
        spline(&[a, [f64::MAX, 0.0], [-f64::MAX, 0.0]], &tags, true),
        "the points are too far apart",
        "give coordinates that are not so large",
    );
    refused(spline(&[a, b, b], &tags, true), "points 2 and 3 are the same, (1, 0)", "remove one of them");
    refused(spline(&[a, b, a], &tags, true), "points 3 and 1 are the same, (0, 0)", "remove one of them");
    refused(
        spline(&[a, [0.0, f64::INFINITY], c], &tags, true),
        "point 2 has coordinates that are no finite numbers",
        "give coordinates that are numbers",
    );
}

#[test]
fn wrong_tables() {
    let number = "write coordinates as plain numbers, without units: `1.5`";
    refused(csv_points("x,y\n0,0\n1,1mm\n"), "line 3: \"1mm\" is not a number", number);
    refused(csv_points("0 0\n1 nan\n"), "line 2: \"nan\" is not a number", number);
    refused(
        csv_points("0;0\n1,5;2\n"),
        "line 2: \"1,5\" is not a number",
        "write decimals with a point: `1.5`",
    );
    let columns = "write a line like `1.5, 0.25` or `1.5, 0.25, corner`";
    refused(
        csv_points("# c\n\n1\n"),
        "line 3: 1 columns where x, y and perhaps a corner tag belong",
        columns,
    );
    refused(csv_points("1,2,0,4\n"), "line 1: 4 columns where x, y and perhaps a corner tag belong", columns);
    refused(
        csv_points("1,2,edge\n"),
        "line 1: \"edge\" is not a corner tag",
        "write 1 or corner for a corner, 0 or nothing for a smooth point",
    );
    refused(
        csv_points("y,x\n1,2\n"),
        "line 1: the columns are named y and x, and are read as x and y",
        "put x in the first column and y in the second",
    );
    refused(csv_points("x,y\n"), "the table has no points", "give a point in each line: x, y");
}

#[track_caller]
fn drawing_refused(body: &str, id: Option<&str>, message: &str, advice: &str) {
    let text = format!("<svg xmlns='http://www.w3.org/2000/svg'>\n{body}\n</svg>");
    refused(svg_outlines(&text, id), message, advice);
}

#[test]
fn wrong_drawings() {
    refused(
        svg_outlines("x = 1\n", None),
        "line 1: the drawing is not XML: unknown token at 1:1",
        "save it as plain SVG",
    );
    refused(
        svg_outlines("\n<html/>", None),
        "line 2: the file begins with <html>, not with <svg>",
        "give an SVG drawing",
    );
    let body = "<g id='wings'><circle id='wing' r='1'/></g><path id='duct' d='M0 0h1'/><defs id='d'/>";
    drawing_refused(
        body,
        Some("ducts"),
        "there is no element with the id \"ducts\"",
        "did you mean \"duct\"? the file has \"wings\" (<g>), \"wing\" (<circle>) and \"duct\" (<path>)",
    );
    drawing_refused(
        "<circle r='1'/>",
        Some("a"),
        "there is no element with the id \"a\"",
        "the file has none",
    );
    let nothing = "name a shape, a path or a group of them";
    drawing_refused("<circle id='a'/>", Some("a"), "line 2: <circle id=\"a\"> draws nothing", nothing);
    drawing_refused("<path d='M1 1'/>", None, "line 1: <svg> draws nothing", nothing);
    drawing_refused("<defs id='d'/>", Some("d"), "line 2: <defs id=\"d\"> draws nothing", nothing);
}

#[test]
fn drawings_with_what_is_not_read() {
    drawing_refused(
        "<use href='#a'/>",
        None,
        "line 2: <use> is not supported",
        "replace it by a copy of what it repeats (Inkscape: Edit, Clone, Unlink Clone)",
    );
    drawing_refused(
        "<g>\n<text id='t'>a</text></g>",
        None,
        "line 3: <text id=\"t\"> is not supported",
        "turn it into a path (Inkscape: Path, Object to Path), or name the shapes by id",
    );
    drawing_refused(
        "<image/>",
        None,
        "line 2: <image> is not supported",
        "remove it, or name the shapes by id",
    );
    drawing_refused(
        "<circle id='c' r='5mm'/>",
        None,
        "line 2: the unit in r=\"5mm\" of <circle id=\"c\"> is not supported",
        "write lengths as plain numbers, and give the scale of the drawing",
    );
    drawing_refused(
        "<svg x='3'><circle r='1'/></svg>",
        None,
        "line 2: the frame of <svg> is not supported",
        "let the drawing have a single <svg>, with groups <g> inside",
    );
    drawing_refused(
        "<circle r='1' style='transform: scale(2)'/>",
        None,
        "line 2: a transform in style of <circle> is not supported",
        "write it as the attribute transform=\"...\"",
    );
    drawing_refused(
        "<circle r='1' transform-origin='1 1'/>",
        None,
        "line 2: transform-origin of <circle> is not supported",
        "write transform=\"translate(...) ... translate(...)\" instead",
    );
}

#[test]
fn drawings_with_slips() {
    drawing_refused(
        "<circle r='five'/>",
        None,
        "line 2: r=\"five\" of <circle> is not a length: invalid number at position 1",
        "write a plain number",
    );
    drawing_refused(
        "<path id='p' d='M 0 0 L 1 x'/>",
        None,
        "line 2: the path data of <path id=\"p\"> cannot be read: invalid number at position 11",
        "write commands like d=\"M 0 0 L 10 0 A 5 5 0 0 1 0 0 Z\"",
    );
    drawing_refused(
        "<polygon points='0 0 1 0 1'/>",
        None,
        "line 2: the points of <polygon> cannot be read",
        "write pairs of numbers: points=\"0,0 10,0 10,5\"",
    );
    drawing_refused(
        "<g transform='turn(3)'><circle r='1'/></g>",
        None,
        "line 2: transform=\"turn(3)\" of <g> cannot be read: unexpected data at position 1",
        "write for example transform=\"translate(10 20) rotate(30)\"",
    );
    drawing_refused(
        "<circle id='c' r='1' transform='scale(1 0)'/>",
        None,
        "line 2: <circle id=\"c\">: segment 1 is part of an ellipse with semi-axes 1 and 0",
        "give semi-axes other than zero, or draw a line",
    );
    drawing_refused(
        "<path d='M0 0h1z'/>",
        None,
        "line 2: <path>: the outline turns back onto itself at (0, 0)",
        "draw a thin body as an open line, once",
    );
}

const HEAD: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
const AGAIN: &str = "the file is damaged: save it again from Gmsh";
const SHORT: &str = "the file is cut short: save or copy it again";

#[track_caller]
fn mesh_refused(text: &str, message: &str, advice: &str) {
    refused(GmshMesh::parse(text.as_bytes()), message, advice);
}

#[test]
fn damaged_binary_meshes_of_version_2() {
    let refused = |section: &str, numbers: &[i32], message: &str| {
        let head = "$MeshFormat\n2.2 1 8\n\u{1}\0\0\0\n$EndMeshFormat\n";
        let nodes = format!("$Nodes\n1\n\u{7}\0\0\0{}\n$EndNodes\n", "\0".repeat(24));
        let numbers = numbers.iter().flat_map(|number| number.to_le_bytes());
        let bytes: Vec<u8> =
            format!("{head}{nodes}{section}").into_bytes().into_iter().chain(numbers).collect();
        let error = GmshMesh::parse(&bytes).unwrap_err();
        // After the location, which is in bytes.
        let shown = error.to_string();
        assert_eq!(shown.split_once(": ").unwrap().1, message);
    };
    let elements = "$Elements\n2\n";
    refused(elements, &[15, 3, 2], "3 elements where 1 to 2 belong, in $Elements");
    refused(elements, &[15, 0, 2], "0 elements where 1 to 2 belong, in $Elements");
    refused(elements, &[15, -1, 2], "-1 where a number or count belongs, in $Elements");
    refused(elements, &[15, 1, 0, 1, 8], "an element has node 8, which is not there");
    refused(elements, &[15, 1, 0, 1, 7], "the file ends inside $Elements");
    refused(elements, &[1000, 0], "Gmsh's element type 1000 is not supported");
    refused("$Nodes\nx\n", &[], "\"x\" where a number or count belongs, in $Nodes");
    refused("$Nodes\n1\n", &[7, 0, 0, 0, 0, 0, 0], "node 7 is there twice");
}

#[test]
fn wrong_mesh_formats() {
    let begin = "give a mesh that Gmsh saved as MSH version 4.1 or 2.2";
    mesh_refused("", "line 1: the file does not begin with $MeshFormat", begin);
    mesh_refused("$NOD\n1\n", "line 2: the file does not begin with $MeshFormat", begin);
    mesh_refused(
        "solid cube\n",
        "line 1: \"solid cube\" where a section such as $Nodes belongs",
        "give a mesh that Gmsh saved as MSH",
    );
    let save = "save it as version 4.1 or 2.2 from Gmsh";
    mesh_refused("$MeshFormat\n4 0 8\n", "line 2: MSH version 4, type 0 is not supported", save);
    mesh_refused("$MeshFormat\n2.2 2 8\n", "line 2: MSH version 2.2, type 2 is not supported", save);
    mesh_refused("$MeshFormat\n4.1 0 4\n", "line 2: MSH with a data size of 4 bytes is not supported", save);
    mesh_refused(
        "$MeshFormat\n4.1\n",
        "line 2: \"4.1\" where version, file type and data size belong",
        AGAIN,
    );
    mesh_refused("$MeshFormat\n4.1 1 8\nabcd", "byte 24: the byte order is not given", AGAIN);
    mesh_refused("$MeshFormat\n4.1 1 8\nab", "byte 20: the file ends inside $MeshFormat", SHORT);
    mesh_refused(
        &format!("{HEAD}$PartitionedEntities\n"),
        "line 5: a partitioned mesh is not supported",
        "save it in one piece: Mesh, Delete partitions in Gmsh",
    );
}

#[test]
fn damaged_meshes() {
    let with = |rest: &str| format!("{HEAD}{rest}");
    let most = u64::MAX;
    for (count, left) in [(2, 9), (1_000_000_000_000, 9), (most, 9)] {
        let message = format!(
            "line 5: $Nodes announces {count} items of at least 8 bytes each, and {left} bytes follow"
        );
        mesh_refused(&with(&format!("$Nodes\n{count}\n1 0 0 0\n")), &message, SHORT);
    }
    mesh_refused(&with("$Nodes\n2\n1 0 0 0\n1 1 0 0"), "line 7: node 1 is there twice", AGAIN);
    mesh_refused(&with("$Nodes\n1\n1 0 0 0\n$EndNo"), "line 7: the file ends inside $Nodes", SHORT);
    mesh_refused(&with("$Comments\nhello\n"), "line 6: the file ends inside $Comments", SHORT);
    mesh_refused(
        &with("$Nodes\n2\n1 0 0 0\n$EndNodes\n"),
        "line 7: $Nodes has fewer numbers than it says",
        AGAIN,
    );
    mesh_refused(
        &with("$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n"),
        "line 7: $Nodes does not end where its numbers do",
        AGAIN,
    );
    mesh_refused(
        &with("$Nodes\n1\n1 0 zero 0\n$EndNodes\n"),
        "line 6: \"zero\" where a coordinate belongs, in $Nodes",
        AGAIN,
    );
    mesh_refused(
        &with("$Nodes\n1\n1 0 inf 0\n$EndNodes\n"),
        "line 6: a coordinate in $Nodes is not a finite number",
        AGAIN,
    );
    mesh_refused(
        &with("$Nodes\n-1\n$EndNodes\n"),
        "line 5: \"-1\" where a number or count belongs, in $Nodes",
        AGAIN,
    );
    mesh_refused(&with("$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n"), "line 7: node 1 is there twice", AGAIN);
    mesh_refused(
        &with("$Elements\n1\n1 1 2 0 1 3 4\n$EndElements\n"),
        "line 6: an element has node 3, which is not there",
        AGAIN,
    );
    mesh_refused(
        &with("$Elements\n1\n1 99 2 0 1 3 4\n$EndElements\n"),
        "line 6: Gmsh's element type 99 is not supported",
        "mesh with lines, triangles, quadrangles, tetrahedra, hexahedra, prisms or pyramids of low order",
    );
    mesh_refused(
        &with("$PhysicalNames\n1\n1 1 wall\n$EndPhysicalNames\n"),
        "line 6: the name of a physical group is not between quotes",
        AGAIN,
    );
    mesh_refused(
        &with("$PhysicalNames\n1\n7 1 \"wall\"\n$EndPhysicalNames\n"),
        "line 6: a dimension of 7 in $PhysicalNames",
        AGAIN,
    );
}

/// Nodes (0,0), (1,0), (1,1), (0,1), (0,0) at z = 2 and the given elements.
fn square(elements: &[&str]) -> GmshMesh {
    let text = format!(
        "{HEAD}$PhysicalNames\n3\n1 1 \"wall\"\n1 3 \"empty\"\n2 2 \"inside\"\n$EndPhysicalNames\n\
         $Nodes\n5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 2\n$EndNodes\n\
         $Elements\n{}\n{}\n$EndElements\n",
        elements.len(),
        elements.join("\n")
    );
    GmshMesh::parse(text.as_bytes()).unwrap()
}

#[test]
fn meshes_without_the_outline_asked_for() {
    let good = square(&["1 1 2 1 1 1 2", "2 1 2 1 1 2 3", "3 2 2 2 1 1 2 3"]);
    refused(
        gmsh_outlines(&good, Some("walls"), false),
        "there is no physical group \"walls\"",
        "did you mean \"wall\"? the file has \"wall\" (dimension 1), \"empty\" (dimension 1) and \"inside\" (dimension 2)",
    );
    refused(
        gmsh_outlines(&good, Some("inside"), false),
        "the physical group \"inside\" has dimension 2, where dimension 1 is wanted",
        "make a group of curves: Physical Curve(\"name\") = {...} in Gmsh",
    );
    let curves = "mesh the curves, and save them: all elements, or those of a Physical Curve";
    refused(
        gmsh_outlines(&good, Some("empty"), false),
        "the physical group \"empty\" has no line elements",
        curves,
    );
    refused(gmsh_outlines(&square(&[]), None, false), "the mesh has no line elements", curves);
    refused(
        gmsh_outlines(&square(&["1 1 2 1 1 1 2", "2 1 2 1 1 2 3", "3 1 2 1 1 2 4"]), None, false),
        "three lines meet at node 2, (1, 0)",
        "an outline does not branch: put each body into a physical group of its own",
    );
    refused(
        gmsh_outlines(&square(&["1 1 2 1 1 1 5"]), None, false),
        "node 5 is at z = 2",
        "an outline lies in the plane z = 0: move it there, or choose another physical group",
    );
    refused(
        gmsh_outlines(&square(&["1 27 2 1 1 1 2 3 4 1"]), None, false),
        "the mesh has line elements with 5 nodes",
        "save a mesh of order 1, 2 or 3",
    );
}
