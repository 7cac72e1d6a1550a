//! Stanford polygon files (Turk 1994, "The PLY Polygon File Format"): vertices and faces; other
//! elements are skipped.

mod format;
mod header;
mod values;

use super::soup::Soup;
use crate::error::MeshError;
use format::{Element, Property};
use values::Values;

pub(super) fn read(bytes: &[u8]) -> Result<Soup, MeshError> {
    let (elements, mut values) = header::read(bytes)?;
    let mut soup = Soup::default();
    for element in &elements {
        match element.name.as_str() {
            "vertex" => vertices(element, &mut values, &mut soup)?,
            "face" => faces(element, &mut values, &mut soup)?,
            "tristrips" => {
                return Err(MeshError::unsupported(
                    values.location(),
                    "a mesh of triangle strips",
                    "save it with faces",
                ));
            }
            _ => skip(element, &mut values)?,
        }
    }
    // Checked once all elements are read: faces may precede the vertices.
    let count = soup.mesh.vertices.len();
    if soup.mesh.triangles.as_flattened().iter().any(|&i| i as usize >= count) {
        return Err(values.damaged(format!("a face has a corner that is none of the {count} vertices")));
    }
    Ok(soup)
}

fn vertices(element: &Element, values: &mut Values, soup: &mut Soup) -> Result<(), MeshError> {
    let mut axes = Vec::new();
    for property in &element.properties {
        axes.push(["x", "y", "z"].iter().position(|axis| property.name() == *axis));
    }
    if let Some(axis) = (0..3).find(|axis| !axes.contains(&Some(*axis))) {
        let name = ["x", "y", "z"][axis];
        return Err(values.damaged(format!("vertices have no property {name:?}")));
    }
    MeshError::reserve(&mut soup.mesh.vertices, values.count(element)?)?;
    for _ in 0..element.count {
        let mut vertex = [0.0; 3];
        for (property, axis) in element.properties.iter().zip(&axes) {
            let value = one_or_list(property, values, |_| {})?;
            if let Some(axis) = *axis {
                vertex[axis] = value;
            }
        }
        if !vertex.iter().all(|x| x.is_finite()) {
            let number = soup.mesh.vertices.len() + 1;
            return Err(values.damaged(format!("vertex {number} has coordinates that are no finite numbers")));
        }
        soup.add_vertex(vertex)?;
    }
    Ok(())
}

fn faces(element: &Element, values: &mut Values, soup: &mut Soup) -> Result<(), MeshError> {
    let is_corners = |property: &Property| ["vertex_indices", "vertex_index"].contains(&property.name());
    if !element.properties.iter().any(is_corners) {
        return Err(values.damaged("faces have no property \"vertex_indices\""));
    }
    MeshError::reserve(&mut soup.mesh.triangles, values.count(element)?)?;
    let mut corners = Vec::new();
    for _ in 0..element.count {
        corners.clear();
        for property in &element.properties {
            let keep = is_corners(property);
            one_or_list(property, values, |value| {
                if keep {
                    // A negative or fractional index becomes one that no vertex has, and is
                    // rejected at the end.
                    let fine = value >= 0.0 && value < f64::from(u32::MAX) && value.fract() == 0.0;
                    corners.push(if fine { value as u32 } else { u32::MAX });
                }
            })?;
        }
        if corners.len() < 3 {
            return Err(values.damaged(format!("a face with {} corners", corners.len())));
        }
        soup.add_polygon(&corners)?;
    }
    Ok(())
}

fn skip(element: &Element, values: &mut Values) -> Result<(), MeshError> {
    // An element without properties occupies no bytes; a damaged count would loop for ever.
    if element.properties.is_empty() {
        return Ok(());
    }
    values.count(element)?;
    for _ in 0..element.count {
        for property in &element.properties {
            one_or_list(property, values, |_| {})?;
        }
    }
    Ok(())
}

/// The value of a scalar; the length of a list, whose items go to `item`.
fn one_or_list(
    property: &Property,
    values: &mut Values,
    mut item: impl FnMut(f64),
) -> Result<f64, MeshError> {
    match property {
        Property::One(_, kind) => values.next(*kind),
        Property::List(_, length, kind) => {
            let count = values.next(*length)?;
            if count < 0.0 || count.fract() != 0.0 {
                return Err(values.damaged(format!("a list of {count} items")));
            }
            for _ in 0..count as u64 {
                item(values.next(*kind)?);
            }
            Ok(count)
        }
    }
}
