//! What one rank does of a study: its elements, and the sources and monitors in them.

use crate::monitors::Term;
use crate::part::{FaceId, Part};
use crate::plan::{NO_SLOT, Plan};
use crate::sheets::SheetFace;
use crate::sources::{PointCurrent, SourceFace};
use crate::state::Elements;
use crate::study::Study;
use crate::thin_wires::WireElement;
use std::ops::Range;

/// The faces that a rank shares with another one.
pub struct Halo {
    /// The other rank.
    pub rank: usize,
    /// Own faces whose traces are sent: slot and face.
    pub sent: Vec<FaceId>,
    /// Of these, whether they are curved: their traces are at quadrature points.
    pub curved: Vec<bool>,
    /// Number of the first face that is received, as neighbors are numbered in the plan.
    pub first: usize,
    /// Levels of local steps, of the other rank's element behind each face that is sent, and of the own element at each that is received.
    pub reader_levels: [Vec<u8>; 2],
}

/// One of the two directions of a halo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Faces that are sent.
    Sent,
    /// Faces that are received.
    Received,
}

impl Halo {
    /// The faces whose traces are exchanged before a stage at which the levels up to `level` take a step: those that such elements read.
    pub fn faces(&self, direction: Direction, level: u8) -> impl Iterator<Item = usize> {
        let levels = &self.reader_levels[direction as usize];
        levels.iter().enumerate().filter(move |(_, reader)| **reader <= level).map(|(face, _)| face)
    }

    /// Levels of the elements whose traces are exchanged: of the own element at each face that is sent, and of the other rank's element behind
    /// each face that is received.
    pub fn writer_levels(&self, direction: Direction) -> &[u8] {
        // Who reads in one direction writes in the other.
        &self.reader_levels[1 - direction as usize]
    }

    /// Values of their traces.
    pub fn values(&self, plan: &Plan, direction: Direction, level: u8) -> usize {
        self.faces(direction, level).map(|face| face_values(plan, self.curved[face])).sum()
    }
}

/// Values of the trace of a face, at its nodes or at its quadrature points.
pub fn face_values(plan: &Plan, curved: bool) -> usize {
    if curved {
        plan.points.face.len() * plan.point_traces()
    } else {
        plan.element.face_len() * plan.traces()
    }
}

/// A face with states: its own are [state][node or point][scalar], those of all faces one after the other.
pub struct SheetStates<'a> {
    /// The slot of its element.
    pub slot: u32,
    /// The face.
    pub face: &'a SheetFace,
    /// Whether it is curved, with states at quadrature points.
    pub curved: bool,
    /// Its states.
    pub range: Range<usize>,
}

/// One rank's share of a study.
pub struct Share<'a> {
    /// The study.
    pub study: &'a Study,
    /// Its elements.
    pub plan: Plan,
    /// Their numbers in the mesh.
    pub tets: Vec<u32>,
    /// Sources on its faces, with their slots.
    pub sources: Vec<(u32, &'a SourceFace)>,
    /// Its faces with states, in the order of their slots.
    pub sheets: Vec<SheetStates<'a>>,
    /// Elements with thin wires, and their slots; all of them are of one rank.
    pub wires: Vec<(u32, &'a WireElement)>,
    /// Dipole currents in its elements, with their slots.
    pub currents: Vec<(u32, &'a PointCurrent)>,
    /// Terms of the time series in its elements, with their slots.
    pub terms: Vec<(u32, &'a Term)>,
    /// The numbers of these terms among all of the study.
    pub term_numbers: Vec<u32>,
    /// Nodes with spectra in its elements: slot and node.
    pub nodes: Vec<(u32, u8)>,
    /// The numbers of these nodes among all of the study.
    pub node_numbers: Vec<u32>,
    /// Slots of its elements in snapshots.
    pub snapshots: Vec<u32>,
    /// The numbers of these elements among all in snapshots.
    pub snapshot_numbers: Vec<u32>,
    /// Faces shared with other ranks.
    pub halos: Vec<Halo>,
}

impl<'a> Share<'a> {
    /// Where a state has the values of its elements.
    pub fn elements(&self) -> Elements {
        let sheets = self.sheets.iter().map(|sheet| (sheet.face.tet, sheet.range.clone()));
        // The states of wires are kept with the first element around them.
        let first = self.sheet_states();
        let wires = self.wires.first().map(|(_, element)| (element.tet, first..first + self.study.wires.states));
        Elements::new(&self.plan, &self.study.domain, sheets.chain(wires), self.study.saved_registers())
    }

    /// All states of its sheets.
    pub fn sheet_states(&self) -> usize {
        self.sheets.last().map_or(0, |sheet| sheet.range.end)
    }

    /// All of a study.
    pub fn whole(study: &'a Study) -> Self {
        Self::new(study, &Part::whole(&study.domain))
    }

    /// A part of a study.
    pub fn new(study: &'a Study, part: &Part) -> Self {
        let plan = study.plan(part);
        let slot = |tet: u32| Some(plan.slot_of[tet as usize]).filter(|slot| *slot != NO_SLOT);
        let mut sources: Vec<(u32, &SourceFace)> =
            study.sources.faces.iter().filter_map(|face| Some((slot(face.tet)?, face))).collect();
        // By slot, the order of the fields in memory.
        sources.sort_by_key(|(slot, face)| (*slot, face.face));
        let mut currents: Vec<(u32, &PointCurrent)> =
            study.sources.currents.iter().filter_map(|current| Some((slot(current.tet)?, current))).collect();
        currents.sort_by_key(|(slot, _)| *slot);
        let sheets = sheets(study, &plan);
        let wires = study.wires.elements.iter().filter_map(|element| Some((slot(element.tet)?, element))).collect();
        let all_terms = study.monitors.rows.iter().flat_map(|row| &row.terms).enumerate();
        let (term_numbers, terms) =
            all_terms.filter_map(|(i, term)| Some((i as u32, (slot(term.tet)?, term)))).unzip();
        let all_nodes = study.monitors.nodes.iter().enumerate();
        let (node_numbers, nodes) =
            all_nodes.filter_map(|(i, &(tet, node))| Some((i as u32, (slot(tet)?, node)))).unzip();
        let all_snapshots = study.monitors.snapshots.iter().enumerate();
        let (snapshot_numbers, snapshots) =
            all_snapshots.filter_map(|(i, &tet)| Some((i as u32, slot(tet)?))).unzip();
        Self {
            study,
            halos: halos(study, &plan, part),
            tets: part.tets.clone(),
            plan,
            sources,
            sheets,
            wires,
            currents,
            terms,
            term_numbers,
            nodes,
            node_numbers,
            snapshots,
            snapshot_numbers,
        }
    }
}

fn sheets<'a>(study: &'a Study, plan: &Plan) -> Vec<SheetStates<'a>> {
    let mut faces: Vec<(u32, &SheetFace)> = Vec::new();
    for face in &study.sheets.faces {
        let slot = plan.slot_of[face.tet as usize];
        if slot != NO_SLOT {
            faces.push((slot, face));
        }
    }
    faces.sort_by_key(|(slot, face)| (*slot, face.face));
    let mut end = 0;
    let of = |(slot, face): (u32, &'a SheetFace)| {
        let curved = plan.faces[slot as usize][usize::from(face.face)].curved;
        let start = end;
        end += study.sheets.states(face) * face_values(plan, curved);
        SheetStates { slot, face, curved, range: start..end }
    };
    faces.into_iter().map(of).collect()
}

fn halos(study: &Study, plan: &Plan, part: &Part) -> Vec<Halo> {
    // Traces of other ranks are stored behind those of all slots, four faces each.
    let mut first = 4 * plan.tets.len();
    let mut halo = |border: &crate::part::Border| {
        let sent: Vec<FaceId> =
            border.own.iter().map(|&(tet, face)| (plan.slot_of[tet as usize], face)).collect();
        let curved = sent.iter().map(|&(slot, face)| plan.faces[slot as usize][usize::from(face)].curved);
        // What is sent is read by the other rank's elements, and what is received by those of this one.
        let levels =
            |faces: &[FaceId]| faces.iter().map(|face| study.clusters.level(face.0 as usize)).collect();
        let reader_levels = [levels(&border.ghosts), levels(&border.own)];
        let halo = Halo { rank: border.rank, curved: curved.collect(), sent, first, reader_levels };
        first += border.own.len();
        halo
    };
    part.borders.iter().map(&mut halo).collect()
}
