//! Points from a table.

use crate::error::{Location, MeshError};
use crate::point::Point;

/// Points and corner tags from a text with a point in each line: x, y and an optional tag, which is `0`, `1`, `corner` or
/// empty. Columns stand between commas, semicolons, tabs or blanks; `#` begins a comment; a first line of names is
/// skipped. A last point equal to the first is dropped: outlines close by themselves.
///
/// ```
/// let text = "x, y, corner\n0, 0, 1\n1, 0\n0.5, 1\n0, 0\n";
/// let (points, corners) = phasefront_mesh::csv_points(text).unwrap();
/// assert_eq!(points, [[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]]);
/// assert_eq!(corners, [true, false, false]);
/// ```
pub fn csv_points(text: &str) -> Result<(Vec<Point>, Vec<bool>), MeshError> {
    let (mut points, mut corners) = (Vec::new(), Vec::new());
    let mut header_allowed = true;
    // Spreadsheet programs write a byte-order mark, which would hide the first number.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        if line.trim().is_empty() {
            continue;
        }
        let location = Location::Line(i + 1);
        let fields = fields(line);
        if std::mem::take(&mut header_allowed) && is_header(&fields) {
            check_header(location, &fields)?;
            continue;
        }
        let (point, corner) = row(location, &fields)?;
        points.push(point);
        corners.push(corner);
    }
    if points.len() > 1 && points.first() == points.last() {
        points.pop();
        let last = corners.pop();
        // A tag on either copy of the closing point counts.
        corners[0] |= last == Some(true);
    }
    if points.is_empty() {
        return Err(MeshError::geometry("the table has no points", "give a point in each line: x, y"));
    }
    Ok((points, corners))
}

fn fields(line: &str) -> Vec<&str> {
    // The semicolon first: tables from a locale with decimal commas are then reported at the
    // number, not misread as more columns.
    match [';', ','].into_iter().find(|&mark| line.contains(mark)) {
        Some(mark) => line.split(mark).map(str::trim).collect(),
        None => line.split_whitespace().collect(),
    }
}

/// A header has names and no numbers.
fn is_header(fields: &[&str]) -> bool {
    fields.iter().all(|field| field.parse::<f64>().is_err())
        && fields.iter().any(|field| field.starts_with(|c: char| c.is_alphabetic() || c == '"'))
}

fn check_header(location: Location, fields: &[&str]) -> Result<(), MeshError> {
    let name =
        |i: usize| fields.get(i).map(|field| field.trim_matches('"').to_lowercase()).unwrap_or_default();
    if name(0).starts_with('y') && name(1).starts_with('x') {
        return Err(MeshError::syntax(
            location,
            "the columns are named y and x, and are read as x and y",
            "put x in the first column and y in the second",
        ));
    }
    Ok(())
}

fn row(location: Location, fields: &[&str]) -> Result<(Point, bool), MeshError> {
    let (x, y, tag) = match *fields {
        [x, y] => (x, y, ""),
        [x, y, tag] => (x, y, tag),
        _ => {
            return Err(MeshError::syntax(
                location,
                format!("{} columns where x, y and perhaps a corner tag belong", fields.len()),
                "write a line like `1.5, 0.25` or `1.5, 0.25, corner`",
            ));
        }
    };
    let number = |field: &str| match field.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(MeshError::syntax(
            location,
            format!("{field:?} is not a number"),
            if field.contains(',') {
                "write decimals with a point: `1.5`"
            } else {
                "write coordinates as plain numbers, without units: `1.5`"
            },
        )),
    };
    let point = [number(x)?, number(y)?];
    let corner = match tag.trim_matches('"').to_ascii_lowercase().as_str() {
        "" | "0" => false,
        "1" | "corner" => true,
        _ => {
            return Err(MeshError::syntax(
                location,
                format!("{tag:?} is not a corner tag"),
                "write 1 or corner for a corner, 0 or nothing for a smooth point",
            ));
        }
    };
    Ok((point, corner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_the_same_table() {
        let expected = (vec![[0.0, 1.0], [2.5, -3.0], [1e-3, 4.0]], vec![true, false, false]);
        for text in [
            "0,1,1\n2.5,-3,0\n1e-3,4,",
            "0;1;corner\n2.5;-3\n1e-3;4;\n",
            "0\t1\t1\r\n2.5\t-3\r\n1e-3\t4\r\n",
            "  0   1  1\n\n2.5 -3\n 1e-3 4 # the last\n",
            "\u{feff}x_m,y_m,corner\n0,1,Corner\n2.5,-3,\n1e-3,4\n0,1",
            "# a wing\n\"x\" \"y\"\n0 1 1\n2.5 -3 0\n1e-3 4 0\n0 1 0\n",
            "0 1\n2.5 -3 0\n1e-3 4 0\n0 1 1\n",
        ] {
            assert_eq!(csv_points(text).unwrap(), expected, "{text:?}");
        }
    }
}
