//! Boxes cut into tetrahedra.

use super::check::MAX_TETS;
use super::grid::{Grid, SAME_PLANE, Spans, stops};
use super::mesh::{DEFAULT_VOLUME, TetMesh, group_number};
use crate::error::MeshError;
use rayon::prelude::*;

/// A box cut into tetrahedra, six to a cell, which conform.
///
/// The ends of the box, of its regions and of its sheets are planes of the grid; between two of
/// them are equal cells, as few as `cell` allows. A cell is divided by Kuhn's scheme: every
/// tetrahedron is a path along the edges from the lowest corner to the highest (H. W. Kuhn, IBM J.
/// Res. Dev. 4, 518, 1960). Diagonals are the same everywhere, so that neighbors conform, and
/// opposite sides of the box are translates of each other.
///
/// Surface groups are the sides of the box, `xmin` to `zmax`; the skin of every region under the name of the region; and the
/// sheets.
///
/// ```
/// use phasefront_mesh::{BoxMesh, BoxRegion};
///
/// let slab = BoxRegion { name: "slab".into(), from: [0.0, 0.0, 0.4], to: [1.0, 1.0, 0.6] };
/// let mesh = BoxMesh {
///     from: [0.0; 3],
///     to: [1.0; 3],
///     cell: [0.5; 3],
///     name: "air".into(),
///     regions: vec![slab],
///     sheets: vec![],
/// };
/// let mesh = mesh.mesh().unwrap();
/// assert_eq!(mesh.volume_names, ["air", "slab"]);
/// assert_eq!(mesh.tets.len(), 6 * 2 * 2 * 3);
/// assert_eq!(mesh.surface_names, ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax", "slab"]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BoxMesh {
    /// The lowest corner.
    pub from: [f64; 3],
    /// The highest corner.
    pub to: [f64; 3],
    /// Maximum size of cells along each axis.
    pub cell: [f64; 3],
    /// The volume group outside all regions.
    pub name: String,
    /// Parts of the box with a group of their own. A cell is in the last one that holds its middle. Those with the same name
    /// are one group.
    pub regions: Vec<BoxRegion>,
    /// Rectangles whose faces make a surface group. Those with the same name are one group.
    pub sheets: Vec<BoxSheet>,
}

/// A part of a [`BoxMesh`] that is a volume group, and its skin a surface group.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxRegion {
    /// Name of both groups.
    pub name: String,
    /// The lowest corner.
    pub from: [f64; 3],
    /// The highest corner.
    pub to: [f64; 3],
}

/// A rectangle in a [`BoxMesh`] that is a surface group: along one axis, `from` and `to` are the same.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxSheet {
    /// Name of the group.
    pub name: String,
    /// The lowest corner.
    pub from: [f64; 3],
    /// The highest corner.
    pub to: [f64; 3],
}

impl Default for BoxMesh {
    /// The unit cube in one cell, `"domain"`.
    fn default() -> Self {
        Self {
            from: [0.0; 3],
            to: [1.0; 3],
            cell: [1.0; 3],
            name: DEFAULT_VOLUME.into(),
            regions: Vec::new(),
            sheets: Vec::new(),
        }
    }
}

/// Names of the sides of a box.
const SIDES: [&str; 6] = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];

impl BoxMesh {
    /// The mesh, once the box, its regions and its sheets are checked.
    pub fn mesh(&self) -> Result<TetMesh, MeshError> {
        let grid = self.grid()?;
        let cells: usize = grid.cells().iter().product();
        let mut mesh = TetMesh { nodes: grid.nodes(), ..TetMesh::default() };
        for region in std::iter::once(&self.name).chain(self.regions.iter().map(|region| &region.name)) {
            number(&mut mesh.volume_names, region)?;
        }
        let mut spans = Vec::new();
        for region in &self.regions {
            spans.push((grid.range(region.from, region.to), mesh.volume_group(&region.name)?));
        }
        let group = |cell: usize| {
            let cell = grid.cell(cell);
            let holds = |of: &Spans| (0..3).all(|a| (of[a][0]..of[a][1]).contains(&cell[a]));
            // The last region that contains the cell wins, as documented; none is group 0, the
            // background.
            [spans.iter().rev().find(|(of, _)| holds(of)).map_or(0, |&(_, group)| group); 6]
        };
        mesh.tets = of_cells(cells, |cell| grid.cut(grid.cell(cell)))?;
        mesh.volume_of = of_cells(cells, group)?;
        self.add_surfaces(&grid, &mut mesh)?;
        Ok(mesh)
    }

    fn check(&self) -> Result<(), MeshError> {
        for a in 0..3 {
            let axis = ["x", "y", "z"][a];
            let length = self.to[a] - self.from[a];
            if !(length > 0.0 && length.is_finite()) {
                return Err(MeshError::geometry(
                    format!("the box reaches from {axis} = {} to {}", self.from[a], self.to[a]),
                    "give a box whose \"to\" is above its \"from\" along every axis",
                ));
            }
            if !(self.cell[a] > 0.0 && self.cell[a].is_finite()) {
                return Err(MeshError::geometry(
                    format!("cells of {} m along {axis}", self.cell[a]),
                    "give the largest edge of a cell, above zero",
                ));
            }
        }
        for region in &self.regions {
            let flat = self.flat_axes("region", &region.name, region.from, region.to)?;
            if flat.contains(&true) {
                return Err(MeshError::geometry(
                    format!("the region {:?} is flat", region.name),
                    "give it a size along every axis, or make it a sheet",
                ));
            }
        }
        for sheet in &self.sheets {
            let flat = self.flat_axes("sheet", &sheet.name, sheet.from, sheet.to)?;
            if flat.iter().filter(|&&flat| flat).count() != 1 {
                return Err(MeshError::geometry(
                    format!("the sheet {:?} is no rectangle", sheet.name),
                    "give \"from\" and \"to\" that are the same along one axis, and along no other",
                ));
            }
            if SIDES.contains(&sheet.name.as_str()) {
                return Err(MeshError::geometry(
                    format!("the sheet {:?} has the name of a side of the box", sheet.name),
                    "give it another name",
                ));
            }
        }
        let side = self.regions.iter().find(|region| SIDES.contains(&region.name.as_str()));
        side.map_or(Ok(()), |region| {
            Err(MeshError::geometry(
                format!("the region {:?} has the name of a side of the box", region.name),
                "give it another name",
            ))
        })
    }

    /// Along which axes a part of the box has no length, once it is checked that it is a part.
    fn flat_axes(
        &self,
        kind: &str,
        name: &str,
        from: [f64; 3],
        to: [f64; 3],
    ) -> Result<[bool; 3], MeshError> {
        let mut flat = [false; 3];
        for a in 0..3 {
            let near = SAME_PLANE * (self.to[a] - self.from[a]);
            if !(from[a] >= self.from[a] - near && to[a] <= self.to[a] + near && from[a] <= to[a] + near) {
                return Err(MeshError::geometry(
                    format!(
                        "the {kind} {name:?} reaches from {axis} = {} to {}, in a box from {} to {}",
                        from[a],
                        to[a],
                        self.from[a],
                        self.to[a],
                        axis = ["x", "y", "z"][a]
                    ),
                    "keep it within the box, with \"to\" above \"from\"",
                ));
            }
            flat[a] = to[a] - from[a] <= near;
        }
        Ok(flat)
    }

    /// The number of tetrahedra, before there is any: so that the caller can ask for the memory.
    ///
    /// ```
    /// use phasefront_mesh::BoxMesh;
    /// assert_eq!(BoxMesh { cell: [0.01; 3], ..BoxMesh::default() }.tets().unwrap(), 6e6);
    /// ```
    pub fn tets(&self) -> Result<f64, MeshError> {
        self.check()?;
        let along = |a: usize| self.stops(a).windows(2).map(|ends| self.cells(a, ends)).sum::<f64>();
        // In floating point: tiny cells must not overflow an integer.
        let tets = 6.0 * along(0) * along(1) * along(2);
        if tets > MAX_TETS as f64 {
            return Err(MeshError::geometry(
                "the cells are too small for the box",
                format!("give larger cells: at most {MAX_TETS} tetrahedra can be counted"),
            ));
        }
        Ok(tets)
    }

    /// The ends of the box and of its parts along an axis.
    fn stops(&self, a: usize) -> Vec<f64> {
        let ends = self.regions.iter().flat_map(|region| [region.from[a], region.to[a]]);
        let ends = ends.chain(self.sheets.iter().flat_map(|sheet| [sheet.from[a], sheet.to[a]]));
        stops([self.from[a], self.to[a]], ends)
    }

    /// Cells between two stops.
    fn cells(&self, a: usize, ends: &[f64]) -> f64 {
        // The tolerance keeps a length that is an integer number of cells up to rounding from
        // getting one more.
        ((ends[1] - ends[0]) / self.cell[a] - 1e-9).ceil().max(1.0)
    }

    fn grid(&self) -> Result<Grid, MeshError> {
        self.tets()?;
        let mut planes = [const { Vec::new() }; 3];
        for (a, planes) in planes.iter_mut().enumerate() {
            planes.push(self.from[a]);
            for ends in self.stops(a).windows(2) {
                let count = self.cells(a, ends) as usize;
                let step = (ends[1] - ends[0]) / count as f64;
                planes.extend((1..count).map(|i| ends[0] + i as f64 * step));
                // The stop itself, not a multiple of the step: regions and sheets find their planes
                // exactly.
                planes.push(ends[1]);
            }
        }
        Ok(Grid { planes })
    }

    fn add_surfaces(&self, grid: &Grid, mesh: &mut TetMesh) -> Result<(), MeshError> {
        mesh.surface_names = SIDES.map(String::from).into();
        // The boundary surface of each region, by volume group.
        let mut skins = vec![None; mesh.volume_names.len()];
        for region in &self.regions {
            let volume = mesh.volume_group(&region.name)?;
            skins[usize::from(volume)] = Some(number(&mut mesh.surface_names, &region.name)?);
        }
        let mut sheets = Vec::new();
        for sheet in &self.sheets {
            sheets.push((grid.range(sheet.from, sheet.to), number(&mut mesh.surface_names, &sheet.name)?));
        }
        let found = BoxSurfaces { grid, mesh, skins: &skins, sheets: &sheets };
        let triangles: Vec<([u32; 3], u16)> =
            (0..mesh.tets.len() / 6).into_par_iter().flat_map_iter(|cell| found.of_cell(cell)).collect();
        (mesh.triangles, mesh.surface_of) = triangles.into_iter().unzip();
        Ok(())
    }
}

/// Surface groups of the faces in grid planes.
struct BoxSurfaces<'a> {
    grid: &'a Grid,
    mesh: &'a TetMesh,
    /// The boundary surface of each region, by volume group.
    skins: &'a [Option<u16>],
    sheets: &'a [(Spans, u16)],
}

impl BoxSurfaces<'_> {
    /// Triangles of the faces of a cell, with their groups; those of an interior face are with the first of its two tetrahedra.
    fn of_cell(&self, cell: usize) -> Vec<([u32; 3], u16)> {
        let at = self.grid.cell(cell);
        let mut triangles = Vec::new();
        // Most cells have the same volume all around, and no sheet: they are not looked at any further.
        let other = |axis: usize, up: bool| {
            let behind = self.grid.beside(at, axis, up).map(|cell| self.mesh.volume_of[6 * cell]);
            behind != Some(self.mesh.volume_of[6 * cell])
        };
        let touches = |(of, _): &(Spans, u16)| (0..3).all(|a| of[a][0] <= at[a] + 1 && at[a] <= of[a][1]);
        let surfaces = (0..3).any(|axis| other(axis, false) || other(axis, true));
        if surfaces || self.sheets.iter().any(touches) {
            for (tet, face) in (6 * cell..6 * cell + 6).flat_map(|tet| (0..4).map(move |face| (tet, face))) {
                self.add_face(at, (tet, face), &mut triangles);
            }
        }
        triangles
    }

    fn add_face(&self, cell: [usize; 3], mine: (usize, usize), triangles: &mut Vec<([u32; 3], u16)>) {
        let spans = self.grid.spans(self.mesh.face(mine.0, mine.1));
        // Only faces in grid planes belong to surfaces. An interior face is visited from both
        // sides and is taken the first time.
        let Some(axis) = spans.iter().position(|span| span[0] == span[1]) else { return };
        let behind = self.behind(cell, mine, (axis, spans[axis][0] > cell[axis]));
        if behind.is_some_and(|other| other < mine) {
            return;
        }
        let volume_of = |(tet, _): (usize, usize)| self.mesh.volume_of[tet];
        let skin = |of: (usize, usize)| self.skins[usize::from(volume_of(of))].map(|group| (group, of));
        let mut groups = Vec::new();
        // A region's surface takes the triangle as the region sees it, with the normal
        // outward.
        match behind {
            None => groups.push((2 * axis as u16 + u16::from(spans[axis][0] > 0), mine)),
            Some(other) if volume_of(other) != volume_of(mine) => groups.extend(skin(other)),
            Some(_) => {}
        }
        if behind.map(volume_of) != Some(volume_of(mine)) {
            groups.extend(skin(mine));
        }
        let within = |of: &Spans| (0..3).all(|a| of[a][0] <= spans[a][0] && spans[a][1] <= of[a][1]);
        groups.extend(self.sheets.iter().filter(|(of, _)| within(of)).map(|&(_, group)| (group, mine)));
        groups.sort_unstable();
        groups.dedup_by_key(|(group, _)| *group);
        triangles.extend(groups.iter().map(|&(group, (tet, face))| (self.mesh.face(tet, face), group)));
    }

    /// The same face as seen from the cell behind it, if there is one.
    fn behind(
        &self,
        cell: [usize; 3],
        mine: (usize, usize),
        (axis, up): (usize, bool),
    ) -> Option<(usize, usize)> {
        let other = self.grid.beside(cell, axis, up)?;
        let nodes = self.mesh.face(mine.0, mine.1);
        let same =
            |&(tet, face): &(usize, usize)| self.mesh.face(tet, face).iter().all(|node| nodes.contains(node));
        (6 * other..6 * other + 6).flat_map(|tet| (0..4).map(move |face| (tet, face))).find(same)
    }
}

/// Values of the six tetrahedra of every cell.
fn of_cells<T: Send>(cells: usize, of: impl Fn(usize) -> [T; 6] + Send + Sync) -> Result<Vec<T>, MeshError> {
    let mut all = Vec::new();
    MeshError::reserve(&mut all, cells)?;
    (0..cells).into_par_iter().map(of).collect_into_vec(&mut all);
    Ok(all.into_flattened())
}

/// The position of a name, which is added if it is new.
fn number(names: &mut Vec<String>, name: &str) -> Result<u16, MeshError> {
    let found = names.iter().position(|known| known == name);
    let position = found.unwrap_or_else(|| {
        names.push(name.into());
        names.len() - 1
    });
    group_number(position)
}
