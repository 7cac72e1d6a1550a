//! glTF 2.0 (Khronos Group, ISO/IEC 12113): the triangles of a scene, as binary .glb or as .gltf with its data inside.

use super::soup::Soup;
use crate::error::{Location, MeshError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use std::collections::HashMap;

const DAMAGED: &str = "the file is damaged: save it again";

/// A matrix by columns.
type Matrix = [[f64; 4]; 4];

const IDENTITY: Matrix =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Model {
    scene: usize,
    scenes: Vec<Scene>,
    nodes: Vec<Node>,
    meshes: Vec<Mesh>,
    materials: Vec<Material>,
    accessors: Vec<Accessor>,
    buffer_views: Vec<View>,
    buffers: Vec<Buffer>,
    extensions_required: Vec<String>,
}

#[derive(Deserialize)]
struct Scene {
    #[serde(default)]
    nodes: Vec<usize>,
}

#[derive(Deserialize)]
struct Node {
    #[serde(default)]
    name: String,
    mesh: Option<usize>,
    #[serde(default)]
    children: Vec<usize>,
    matrix: Option<[f64; 16]>,
    translation: Option<[f64; 3]>,
    rotation: Option<[f64; 4]>,
    scale: Option<[f64; 3]>,
}

#[derive(Deserialize)]
struct Mesh {
    #[serde(default)]
    name: String,
    primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
struct Primitive {
    attributes: HashMap<String, usize>,
    indices: Option<usize>,
    material: Option<usize>,
    mode: Option<u32>,
}

#[derive(Deserialize)]
struct Material {
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Accessor {
    buffer_view: Option<usize>,
    #[serde(default)]
    byte_offset: usize,
    component_type: u32,
    count: usize,
    #[serde(rename = "type")]
    shape: String,
    sparse: Option<serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct View {
    buffer: usize,
    #[serde(default)]
    byte_offset: usize,
    byte_length: usize,
    byte_stride: Option<usize>,
}

#[derive(Deserialize)]
struct Buffer {
    uri: Option<String>,
}

pub(super) fn read(bytes: &[u8]) -> Result<Soup, MeshError> {
    let (json, inside) = chunks(bytes)?;
    let model: Model = serde_json::from_slice(json).map_err(|error| {
        let advice = "give a glTF 2.0 file, .glb or .gltf";
        MeshError::syntax(Location::Line(error.line()), format!("not glTF: {error}"), advice)
    })?;
    // Materials and textures do not matter; compressed and quantized coordinates do.
    let other = |name: &&String| !name.contains("_material") && !name.contains("_texture");
    if let Some(name) = model.extensions_required.iter().find(other) {
        let advice = "export without compression and without extensions of the geometry";
        return Err(MeshError::unsupported(Location::Byte(0), format!("the extension {name}"), advice));
    }
    let buffers = model.buffers.iter().map(|buffer| data(buffer, inside)).collect::<Result<_, _>>()?;
    let mut reader = Reader { model: &model, buffers, soup: Soup::default(), skipped: 0 };
    reader.scene()?;
    let Reader { mut soup, skipped, .. } = reader;
    soup.notes
        .push("glTF is in meters with y up by its standard: the units given hold, and y stays y".into());
    if skipped > 0 {
        soup.notes.push(format!("{skipped} sets of points or lines are left out"));
    }
    Ok(soup)
}

/// The JSON of a file and its binary part, if it has one: .glb is a header of 12 bytes, then chunks of length, kind and content.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), MeshError> {
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes, None));
    }
    let chunk = |at: usize| -> Option<(&[u8], &[u8])> {
        let length = u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize;
        Some((bytes.get(at + 4..at + 8)?, bytes.get(at + 8..(at + 8).checked_add(length)?)?))
    };
    let cut_short =
        || MeshError::syntax(Location::Byte(bytes.len()), "the file ends inside a chunk", DAMAGED);
    match chunk(12).ok_or_else(cut_short)? {
        (b"JSON", json) => {
            let binary = chunk(20 + json.len()).filter(|(kind, _)| *kind == b"BIN\0");
            Ok((json, binary.map(|(_, content)| content)))
        }
        _ => Err(MeshError::syntax(Location::Byte(12), "the first chunk is not JSON", DAMAGED)),
    }
}

/// The content of a buffer.
fn data(buffer: &Buffer, inside: Option<&[u8]>) -> Result<Vec<u8>, MeshError> {
    let Some(uri) = &buffer.uri else { return Ok(inside.unwrap_or_default().to_vec()) };
    let Some((_, text)) = uri.split_once(";base64,").filter(|_| uri.starts_with("data:")) else {
        let advice = "save the model as one file, .glb";
        return Err(MeshError::unsupported(Location::Byte(0), "coordinates in another file", advice));
    };
    STANDARD.decode(text).map_err(|error| wrong(format!("a buffer is not base64: {error}")))
}

fn wrong(problem: impl Into<String>) -> MeshError {
    MeshError::geometry(problem, DAMAGED)
}

struct Reader<'a> {
    model: &'a Model,
    buffers: Vec<Vec<u8>>,
    soup: Soup,
    skipped: usize,
}

impl Reader<'_> {
    /// All nodes of the scene that the file shows, each where its parents put it.
    fn scene(&mut self) -> Result<(), MeshError> {
        let model = self.model;
        let mut left: Vec<(usize, Matrix)> = match model.scenes.get(model.scene) {
            Some(scene) => scene.nodes.iter().map(|&node| (node, IDENTITY)).collect(),
            None => return Err(wrong("the file has no scene")),
        };
        let mut seen = vec![false; model.nodes.len()];
        while let Some((number, parent)) = left.pop() {
            let node = model.nodes.get(number).ok_or_else(|| wrong(format!("there is no node {number}")))?;
            if std::mem::replace(&mut seen[number], true) {
                return Err(wrong(format!("node {number} is in the scene twice")));
            }
            let place = product(&parent, &node.matrix());
            left.extend(node.children.iter().map(|&child| (child, place)));
            if let Some(mesh) = node.mesh {
                let mesh = model.meshes.get(mesh).ok_or_else(|| wrong(format!("there is no mesh {mesh}")))?;
                for primitive in &mesh.primitives {
                    let material = primitive.material.and_then(|i| model.materials.get(i));
                    let names = [material.map_or("", |material| &material.name), &mesh.name, &node.name];
                    self.soup.enter(names.into_iter().find(|name| !name.is_empty()).unwrap_or_default());
                    self.add(primitive, &place)?;
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, primitive: &Primitive, place: &Matrix) -> Result<(), MeshError> {
        let mode = primitive.mode.unwrap_or(4);
        let (Some(&positions), 4..=6) = (primitive.attributes.get("POSITION"), mode) else {
            self.skipped += 1;
            return Ok(());
        };
        let first = self.soup.mesh.vertices.len() as u64;
        let positions = self.positions(positions)?;
        let count = positions.len() as u64;
        for point in positions {
            self.soup.add_vertex(moved(place, point))?;
        }
        let corners = match primitive.indices {
            Some(indices) => self.indices(indices)?,
            None => (0..count).collect(),
        };
        if let Some(corner) = corners.iter().find(|&&corner| corner >= count) {
            return Err(wrong(format!("a triangle has the corner {corner} of {count}")));
        }
        // A mirror image turns the winding around.
        let is_mirrored = determinant(place) < 0.0;
        for triangle in triangles(mode, &corners) {
            let mut triangle = triangle.map(|corner| (first + corner) as u32);
            if is_mirrored {
                triangle.swap(1, 2);
            }
            self.soup.add_polygon(&triangle)?;
        }
        Ok(())
    }

    fn positions(&self, number: usize) -> Result<Vec<[f64; 3]>, MeshError> {
        const FLOAT: u32 = 5126;
        let items = self.items(number, "VEC3", |kind| (kind == FLOAT).then_some(12))?;
        let coordinate = |item: &[u8], k: usize| {
            let bytes = item[4 * k..4 * k + 4].try_into().unwrap_or_default();
            f64::from(f32::from_le_bytes(bytes))
        };
        Ok(items.map(|item| [0, 1, 2].map(|k| coordinate(item, k))).collect())
    }

    fn indices(&self, number: usize) -> Result<Vec<u64>, MeshError> {
        let size = |kind: u32| match kind {
            5121 => Some(1),
            5123 => Some(2),
            5125 => Some(4),
            _ => None,
        };
        let items = self.items(number, "SCALAR", size)?;
        // Little-endian.
        Ok(items.map(|item| item.iter().rev().fold(0, |sum, &byte| 256 * sum + u64::from(byte))).collect())
    }

    /// The items of an accessor, whose size follows from the type of their components.
    fn items(
        &self,
        number: usize,
        shape: &str,
        size: impl Fn(u32) -> Option<usize>,
    ) -> Result<impl Iterator<Item = &[u8]>, MeshError> {
        let model = self.model;
        let accessor =
            model.accessors.get(number).ok_or_else(|| wrong(format!("there is no accessor {number}")))?;
        let size = size(accessor.component_type).filter(|_| accessor.shape == shape).ok_or_else(|| {
            wrong(format!("accessor {number} is {} of type {}", accessor.shape, accessor.component_type))
        })?;
        if accessor.sparse.is_some() {
            let advice = "export without sparse accessors";
            return Err(MeshError::unsupported(Location::Byte(0), "a sparse accessor", advice));
        }
        let bytes = accessor.buffer_view.and_then(|view| {
            let view = model.buffer_views.get(view)?;
            let buffer = self.buffers.get(view.buffer)?;
            let bytes = buffer.get(view.byte_offset..view.byte_offset.checked_add(view.byte_length)?)?;
            let stride = view.byte_stride.unwrap_or(size).max(size);
            let last = accessor.count.checked_sub(1)?.checked_mul(stride)?.checked_add(size)?;
            let bytes = bytes.get(accessor.byte_offset..accessor.byte_offset.checked_add(last)?)?;
            Some((bytes, stride))
        });
        let (bytes, stride) = bytes
            .ok_or_else(|| wrong(format!("accessor {number} reaches beyond its buffer, or is empty")))?;
        Ok((0..accessor.count).map(move |i| &bytes[i * stride..i * stride + size]))
    }
}

/// Triangles by mode: 4 for lists, 5 for strips, of which every other one is turned around, 6 for fans.
fn triangles(mode: u32, corners: &[u64]) -> Vec<[u64; 3]> {
    match mode {
        4 => corners.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect(),
        5 => {
            let turned =
                |(i, c): (usize, &[u64])| if i % 2 == 0 { [c[0], c[1], c[2]] } else { [c[1], c[0], c[2]] };
            corners.windows(3).enumerate().map(turned).collect()
        }
        _ => corners.windows(2).skip(1).map(|c| [corners[0], c[0], c[1]]).collect(),
    }
}

impl Node {
    /// Its matrix, or scale, then rotation by a quaternion (x, y, z, w), then translation.
    fn matrix(&self) -> Matrix {
        if let Some(m) = self.matrix {
            return [0, 1, 2, 3].map(|j| [0, 1, 2, 3].map(|i| m[4 * j + i]));
        }
        let [x, y, z, w] = self.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
        let [sx, sy, sz] = self.scale.unwrap_or([1.0; 3]);
        let [tx, ty, tz] = self.translation.unwrap_or([0.0; 3]);
        let column = |s: f64, [a, b, c]: [f64; 3]| [s * a, s * b, s * c, 0.0];
        [
            column(sx, [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)]),
            column(sy, [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)]),
            column(sz, [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)]),
            [tx, ty, tz, 1.0],
        ]
    }
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    [0, 1, 2, 3].map(|j| [0, 1, 2, 3].map(|i| (0..4).map(|k| a[k][i] * b[j][k]).sum()))
}

fn moved(m: &Matrix, [x, y, z]: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| m[0][i] * x + m[1][i] * y + m[2][i] * z + m[3][i])
}

/// Of the upper left 3 × 3 matrix.
fn determinant(m: &Matrix) -> f64 {
    let minor = |a: usize, b: usize| m[1][a] * m[2][b] - m[1][b] * m[2][a];
    m[0][0] * minor(1, 2) + m[0][1] * minor(2, 0) + m[0][2] * minor(0, 1)
}
