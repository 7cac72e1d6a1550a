//! Accumulates triangles during reading.

use crate::error::MeshError;
use crate::triangle::{TriangleMesh, Units};
use std::collections::HashMap;

/// The group of triangles to which the file gives none.
pub const DEFAULT_GROUP: &str = "body";

/// A surface as read from a file, in meters. [`crate::repair`] makes it valid for computation.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// The surface.
    pub mesh: TriangleMesh,
    /// Notes for the user: what else the file contains and how it was handled.
    pub notes: Vec<String>,
}

/// Vertices and triangles in the units of a file, with the group that new triangles go to.
#[derive(Debug, Default)]
pub(crate) struct Soup {
    pub mesh: TriangleMesh,
    pub notes: Vec<String>,
    group: Option<u32>,
    /// Numbers of the groups by name: a file may have as many groups as triangles.
    numbers: HashMap<String, u32>,
}

impl Soup {
    /// Selects the group of the following triangles; an empty name is the default group.
    pub fn enter(&mut self, name: &str) {
        let name = if name.is_empty() { DEFAULT_GROUP } else { name };
        self.group = Some(self.number(name));
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.mesh.group_names.len() as u32;
        self.mesh.group_names.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }

    /// A vertex.
    pub fn add_vertex(&mut self, vertex: [f64; 3]) -> Result<(), MeshError> {
        MeshError::push(&mut self.mesh.vertices, vertex)
    }

    /// A polygon as triangles with a common corner.
    pub fn add_polygon(&mut self, corners: &[u32]) -> Result<(), MeshError> {
        if self.group.is_none() {
            self.enter(DEFAULT_GROUP);
        }
        let group = self.group.unwrap_or_default();
        // A fan about the first corner, exact for planar convex polygons.
        for pair in corners.get(1..).unwrap_or_default().windows(2) {
            MeshError::push(&mut self.mesh.triangles, [corners[0], pair[0], pair[1]])?;
            MeshError::push(&mut self.mesh.groups, group)?;
        }
        Ok(())
    }

    /// The mesh in meters, without groups that have no triangles.
    pub fn into_import(mut self, units: Units) -> Result<Import, MeshError> {
        let scale = units.in_meters();
        for coordinate in self.mesh.vertices.as_flattened_mut() {
            *coordinate *= scale;
        }
        let TriangleMesh { vertices, triangles, mut groups, group_names } = self.mesh;
        // Groups are renumbered in the order of their first triangle; empty ones drop out.
        let mut number = vec![None; group_names.len()];
        let mut used = Vec::new();
        for group in &mut groups {
            let old = *group as usize;
            *group = *number[old].get_or_insert_with(|| {
                used.push(group_names[old].clone());
                used.len() as u32 - 1
            });
        }
        let mesh = TriangleMesh::new(vertices, triangles, groups, used)?;
        Ok(Import { mesh, notes: self.notes })
    }
}
