//! Adaptive beams: ray tubes bounded by the facets that they hit.
//!
//! Parallel rays reflected by a plane stay parallel, so a tube can be as wide as the facets that it hits (beam tracing: P. S.
//! Heckbert, P. Hanrahan, Computer Graphics 18, 119, 1984). Every illuminated facet starts a beam with its whole projection; what
//! other facets occlude is clipped away, and the rest is reflected. Over a beam the phase is linear, and the radiation integral has a
//! closed form. Every facet that a beam hits radiates the wave that it reflects, and the shadow that it casts.

use super::frame::{BeamFrame, ProjectedFacet};
use super::polygon::{Affine, Polygon};
use super::subdivision::{Subdivision, intersection};
use super::tasks::TASKS_AT_ONCE;
use crate::accumulator::Accumulator;
use crate::batch::{Batch, Incidence};
use crate::error::SbrError;
use crate::exit_aperture::{ExitAperture, Section};
use crate::far_field::{FarField, Radiator, RayTube};
use crate::layout::{DEEP_AREA, DEEP_BOUNCES, MAX_CANDIDATES, MAX_CORNERS};
use crate::sampling::Sampling;
use crate::scene::{NO_FACET, Scene};
use glam::DVec2;
use phasefront_core::Progress;
use phasefront_mesh::bvh::{Bundle, Sheaf};
use rayon::prelude::*;
use std::ops::Range;

/// Facets whose beams one task traces.
const FACETS_PER_TASK: usize = 64;

/// Traces and radiates all beams of one incident wave.
pub(super) fn trace(
    batch: &Batch<'_>,
    incidence: &Incidence<'_>,
    progress: &Progress,
) -> Result<Accumulator, SbrError> {
    let (study, scene) = (batch.study, &batch.study.scene);
    let far_field = FarField::new(scene, incidence.aspects, batch.frequencies, study.problem.formulation);
    let beams = Beams {
        scene,
        sheaf: incidence.aperture.sheaf,
        far_field: &far_field,
        bounces: batch.bounces,
        narrow: study.narrow_beam_area(),
        sampling: Sampling::new(batch),
        by_facet: batch.by_facet,
    };
    let mut total = Accumulator::new(far_field.sums());
    let facets = scene.facets.len();
    // Tasks and the order of their sums depend on the mesh alone: results are the same for any
    // number of threads.
    let firsts: Vec<usize> = (0..facets).step_by(FACETS_PER_TASK).collect();
    for firsts in firsts.chunks(TASKS_AT_ONCE) {
        progress.check()?;
        let task = |&first: &usize| beams.starting_on(first..facets.min(first + FACETS_PER_TASK));
        let parts: Vec<Accumulator> = firsts.par_iter().map(task).collect();
        for part in parts {
            total.merge(part);
        }
    }
    Ok(total)
}

/// The beams of one incident wave.
struct Beams<'a> {
    scene: &'a Scene,
    sheaf: Sheaf,
    far_field: &'a FarField<'a>,
    bounces: usize,
    /// Area below which a beam is not clipped but follows its central ray.
    narrow: f64,
    sampling: Sampling,
    by_facet: bool,
}

/// A task that traces beams depth first.
struct Task<'a> {
    beams: &'a Beams<'a>,
    total: Accumulator,
    /// Facets that the current beam was reflected by.
    path: Vec<u32>,
    /// Path length on the first of them.
    first: Affine,
    /// Memory of beams that are done, for those that follow.
    spare: Vec<Spare>,
}

/// The memory that a beam works in.
#[derive(Default)]
struct Spare {
    subdivision: Subdivision,
    candidates: Vec<Candidate>,
    parts: Vec<Polygon>,
}

impl Beams<'_> {
    /// Traces the beams that start on a range of facets.
    fn starting_on(&self, facets: Range<usize>) -> Accumulator {
        let total = Accumulator::new(self.far_field.sums());
        let path = Vec::with_capacity(self.bounces);
        let mut task = Task { beams: self, total, path, first: Affine::default(), spare: Vec::new() };
        let frame = BeamFrame::new(&self.sheaf, self.scene.tolerance);
        for facet in facets {
            if let Some(projected) = frame.project(&self.scene.facets[facet]) {
                task.illuminate(&frame, facet as u32, &projected, projected.shape);
            }
        }
        task.total
    }
}

/// A facet that may be hit by a beam, and the part of the beam on its plane.
struct Candidate {
    facet: u32,
    projected: ProjectedFacet,
    beam: Polygon,
}

impl Task<'_> {
    /// The incident wave on a facet: what no other facet occludes is reflected.
    fn illuminate(&mut self, frame: &BeamFrame, facet: u32, projected: &ProjectedFacet, beam: Polygon) {
        // A narrow beam is represented by its central ray:
        // clipping would recurse into ever thinner slivers.
        if self.is_narrow(&beam) {
            return self.hit_if_visible(frame, None, facet, projected, beam);
        }
        let mut spare = self.spare.pop().unwrap_or_default();
        let visible = &mut spare.subdivision;
        visible.begin(beam);
        // No facet beyond the deepest point of the target can occlude it.
        let bundle = frame.bundle(&beam, [f64::NEG_INFINITY, beam.range(&projected.depth)[1]]);
        self.visit(frame, &bundle, |other, occluder| {
            if other != facet {
                visible.subtract(occluder, &[before(occluder, other, projected, facet)]);
            }
            // Traversal ends early when nothing is left, or when the beam has to be bisected.
            if visible.is_empty() || visible.is_full() { f64::NEG_INFINITY } else { bundle.high[2] }
        });
        // Halves have fewer occluders, and narrow beams are not clipped: the recursion ends.
        if visible.is_full() {
            self.spare.push(spare);
            return beam.halves().for_each(|half| self.illuminate(frame, facet, projected, half));
        }
        for &polygon in visible.polygons() {
            self.reflect(frame, facet, projected, polygon);
        }
        self.spare.push(spare);
    }

    fn reflect(&mut self, frame: &BeamFrame, facet: u32, projected: &ProjectedFacet, beam: Polygon) {
        self.path.push(facet);
        if self.path.len() == 1 {
            self.first = projected.depth;
        }
        let mirrored = frame.mirrored(&self.beams.scene.facets[facet as usize]);
        self.radiate(&mirrored, &projected.depth, &beam);
        // At the maximum number of bounces what the beam would hit is neglected, and measured.
        if self.path.len() == self.beams.bounces {
            self.measure_remaining(&mirrored, &projected.depth, &beam);
        } else {
            self.propagate(&mirrored, &projected.depth, beam);
        }
        self.path.pop();
    }

    /// Adds the power of a beam that would hit the target once more.
    fn measure_remaining(&mut self, frame: &BeamFrame, start: &Affine, beam: &Polygon) {
        let (count, area) = self.beams.sampling.rays(&self.path, beam.area());
        if count == 0 {
            return;
        }
        let mut hit_area = 0.0;
        for i in 0..count {
            let hit = self.first_hit(frame, Some(start), beam.sample(i, count));
            if hit.is_some_and(|facet| frame.project(&self.beams.scene.facets[facet as usize]).is_some()) {
                hit_area += area;
            }
        }
        if hit_area > 0.0 {
            self.total.counts.remaining_power += hit_area * self.beams.far_field.power(&self.path);
        }
    }

    /// Whether a beam is too narrow to be clipped.
    fn is_narrow(&self, beam: &Polygon) -> bool {
        let deep = if self.path.len() >= DEEP_BOUNCES { DEEP_AREA } else { 1.0 };
        beam.area() <= deep * self.beams.narrow
    }

    /// A reflected beam; `start` is the path length where it was reflected.
    fn propagate(&mut self, frame: &BeamFrame, start: &Affine, beam: Polygon) {
        if self.is_narrow(&beam) {
            return self.follow_central_ray(frame, start, beam);
        }
        // `candidates` are the parts on facets. `free` is what none of them covers, as long as it is simple
        // enough: once it is empty, the traversal can end.
        let mut spare = self.spare.pop().unwrap_or_default();
        let Spare { subdivision: free, candidates, parts } = &mut spare;
        free.begin(beam);
        candidates.clear();
        let mut deepest = f64::NEG_INFINITY;
        let bundle = frame.bundle(&beam, [beam.range(start)[0], f64::INFINITY]);
        // Depths of the beam are relative to its frame,
        // those of the bundle to the center of the scene.
        let base = bundle.low[2] - beam.range(start)[0];
        self.visit(frame, &bundle, |facet, projected| {
            let ahead = projected.depth.minus(start);
            intersection(&beam, projected, &ahead, parts);
            for &beam in &*parts {
                // Once the candidates cover the beam, facets behind all of them are occluded.
                if !free.is_empty() {
                    deepest = f64::max(deepest, beam.range(&projected.depth)[1] + base);
                }
                candidates.push(Candidate { facet, projected: *projected, beam });
            }
            // The facet covers its part of the free beam,
            // whether or not another is in front of it there.
            if !free.is_full() {
                free.subtract(projected, &[ahead]);
            }
            // The callback returns the depth up to which the traversal continues.
            if candidates.len() > MAX_CANDIDATES {
                f64::NEG_INFINITY
            } else if free.is_empty() {
                deepest
            } else {
                f64::INFINITY
            }
        });
        if candidates.len() > MAX_CANDIDATES {
            self.spare.push(spare);
            return beam.halves().for_each(|half| self.propagate(frame, start, half));
        }
        for candidate in &*candidates {
            self.hit(frame, start, candidate, candidate.beam, candidates);
        }
        self.spare.push(spare);
    }

    /// A beam toward a candidate: what the other candidates do not occlude is reflected.
    fn hit(
        &mut self,
        frame: &BeamFrame,
        start: &Affine,
        target: &Candidate,
        beam: Polygon,
        candidates: &[Candidate],
    ) {
        let Candidate { facet, projected, .. } = target;
        if self.is_narrow(&beam) {
            return self.hit_if_visible(frame, Some(start), *facet, projected, beam);
        }
        // Candidates are few, at most `MAX_CANDIDATES`:
        // all pairs are tested without a further search.
        let mut spare = self.spare.pop().unwrap_or_default();
        let visible = &mut spare.subdivision;
        visible.begin(beam);
        for other in candidates.iter().filter(|other| other.facet != *facet) {
            // An occluder is in front of the target and beyond the facet that the beam comes from.
            let conditions = [
                before(&other.projected, other.facet, projected, *facet),
                other.projected.depth.minus(start),
            ];
            visible.subtract(&other.projected, &conditions);
            if visible.is_empty() || visible.is_full() {
                break;
            }
        }
        if visible.is_full() {
            self.spare.push(spare);
            return beam.halves().for_each(|half| self.hit(frame, start, target, half, candidates));
        }
        for &polygon in visible.polygons() {
            self.reflect(frame, *facet, projected, polygon);
        }
        self.spare.push(spare);
    }

    /// A narrow beam toward a facet hits it if its central ray does.
    fn hit_if_visible(
        &mut self,
        frame: &BeamFrame,
        start: Option<&Affine>,
        facet: u32,
        projected: &ProjectedFacet,
        beam: Polygon,
    ) {
        if self.first_hit(frame, start, beam.center()) == Some(facet) {
            self.reflect(frame, facet, projected, beam);
        }
    }

    /// A narrow reflected beam follows its central ray.
    fn follow_central_ray(&mut self, frame: &BeamFrame, start: &Affine, beam: Polygon) {
        let Some(facet) = self.first_hit(frame, Some(start), beam.center()) else { return };
        // `None` from inside a closed body, through a gap
        // of the mesh: the beam is lost.
        if let Some(projected) = frame.project(&self.beams.scene.facets[facet as usize]) {
            self.reflect(frame, facet, &projected, beam);
        }
    }

    /// Calls `each` for every facet within a bundle except the last one of the path; it returns the depth to search up to.
    fn visit(
        &mut self,
        frame: &BeamFrame,
        bundle: &Bundle,
        mut each: impl FnMut(u32, &ProjectedFacet) -> f64,
    ) {
        self.total.counts.rays += 1;
        let scene = self.beams.scene;
        let last = self.path.last().copied();
        let mut farthest = bundle.high[2];
        scene.tree.bundle(bundle, |facet| {
            if Some(facet) != last
                && let Some(projected) = frame.project(&scene.facets[facet as usize])
            {
                farthest = each(facet, &projected);
            }
            farthest
        });
    }

    /// The first facet that a single ray hits.
    fn first_hit(&mut self, frame: &BeamFrame, start: Option<&Affine>, position: DVec2) -> Option<u32> {
        self.total.counts.rays += 1;
        let scene = self.beams.scene;
        let k = frame.axes[2];
        let origin = match start {
            Some(start) => frame.point(position, start.at(position)),
            None => scene.primary_origin(frame.point(position, 0.0), k),
        };
        scene.closest(origin, k, self.path.last().copied().unwrap_or(NO_FACET), &mut None)
    }

    /// Adds the far field of a beam on the last facet of its path: `depth` is the path length there, `frame` that of the reflected beam.
    fn radiate(&mut self, frame: &BeamFrame, depth: &Affine, beam: &Polygon) {
        let Beams { sheaf, far_field, by_facet, .. } = self.beams;
        let (center, bounces) = (beam.center(), self.path.len());
        let mut corners = [DVec2::ZERO; MAX_CORNERS];
        for (corner, position) in corners.iter_mut().zip(beam.corners()) {
            *corner = *position - center;
        }
        let section = Section::Polygon(&corners[..beam.corners().len()]);
        let v = frame.reflected(sheaf, far_field.incident[0], bounces);
        let aperture = |depth: &Affine| ExitAperture::new(&frame.ray(center, depth, v), section);
        // The image of the first facet is where it would be if the reflected rays had been straight.
        let radiator = |depth: &Affine, weight: f64, shadow: bool| Radiator {
            aperture: aperture(depth),
            bounces,
            weight,
            shadow,
        };
        let area = if bounces == 1 { beam.area() } else { 0.0 };
        let mut add = |radiators: &[Radiator<'_>]| {
            self.total.add(far_field, &RayTube { path: &self.path, radiators }, area, *by_facet);
        };
        if bounces == 1 {
            add(&[radiator(depth, 1.0, true)]);
        } else {
            add(&[radiator(depth, 0.5, true), radiator(&self.first, 0.5, false)]);
        }
    }
}

/// Distance by which an occluder is in front of a facet. Of two coincident facets, the one with the lower index is hit.
fn before(occluder: &ProjectedFacet, occluder_index: u32, facet: &ProjectedFacet, index: u32) -> Affine {
    let mut before = facet.depth.minus(&occluder.depth);
    before.offset += if occluder_index < index { 2.0 * before.tolerance } else { 0.0 };
    before
}
