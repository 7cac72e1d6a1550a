//! Adaptive beams: ray tubes bounded by the facets that they hit.
//!
//! Parallel rays reflected by a plane stay parallel, so a tube can be as wide as the facets that it hits (beam tracing: P. S.
//! Heckbert, P. Hanrahan, Computer Graphics 18, 119, 1984). Every illuminated facet starts a beam with its whole projection; what
//! other facets occlude is clipped away, and the rest is reflected. Over a beam the phase is linear, and the radiation integral has a
//! closed form.

use super::frame::{BeamFrame, ProjectedFacet};
use super::polygon::{Affine, Polygon};
use super::spherical::SphericalWave;
use super::subdivision::{Subdivision, intersection};
use super::tasks::TASKS_AT_ONCE;
use crate::accumulator::Accumulator;
use crate::batch::{Batch, Incidence};
use crate::error::SbrError;
use crate::exit_aperture::{ExitAperture, Section};
use crate::far_field::{FarField, RayTube};
use crate::layout::{DEEP_AREA, DEEP_BOUNCES, MAX_CANDIDATES, MAX_CORNERS};
use crate::ray_differential::RayDifferential;
use crate::sampling::Sampling;
use crate::scene::{NO_FACET, Scene};
use crate::study::Study;
use glam::{DVec2, DVec3};
use phasefront_core::Progress;
use phasefront_mesh::bvh::{Bundle, Sheaf};
use rayon::prelude::*;
use std::ops::Range;

/// Facets whose beams one task traces.
const FACETS_PER_TASK: usize = 64;
/// Distance of a point from the middle of the scene, in radii, beyond which one perspective shows it: 42 degrees to each side.
const OUTSIDE: f64 = 1.5;

/// Traces and radiates all beams of one incident wave.
pub(super) fn trace(
    batch: &Batch<'_>,
    incidence: &Incidence<'_>,
    progress: &Progress,
) -> Result<Accumulator, SbrError> {
    let (study, scene) = (batch.study, &batch.study.scene);
    let far_field = FarField::new(scene, incidence.aspects, batch.frequencies, study.problem.formulation);
    let sheaf = incidence.aperture.sheaf;
    let beams = Beams {
        scene,
        wave: Wave::Plane { sheaf, far_field: &far_field },
        frame: BeamFrame::new(&sheaf, scene.tolerance),
        window: None,
        bounces: batch.bounces,
        narrow: study.narrow_beam_area(),
        sampling: Sampling::new(batch),
        by_facet: batch.by_facet,
    };
    beams.trace(progress)
}

/// Traces all beams of a spherical wave, and radiates them to its receivers.
pub(crate) fn trace_spherical(
    study: &Study,
    wave: &SphericalWave<'_>,
    bounces: usize,
    progress: &Progress,
) -> Result<Accumulator, SbrError> {
    let scene = &study.scene;
    let distance = wave.origin.length() + scene.radius;
    let mut total = Accumulator::new(wave.sums());
    for (axes, window) in views(wave.origin, scene) {
        let beams = Beams {
            scene,
            wave: Wave::Spherical(wave),
            frame: BeamFrame::spherical(wave.origin, axes, scene),
            window,
            bounces,
            // Areas of the aperture are those at unit distance.
            narrow: study.narrow_beam_area() / (distance * distance),
            sampling: Sampling::of_view(scene.radius / distance),
            by_facet: false,
        };
        total.merge(beams.trace(progress)?);
    }
    Ok(total)
}

/// Axes of the frames that cover all directions from a point to the scene, each with the part of its aperture that is its own. From outside
/// one is enough; else there are six, one through each side of a cube.
fn views(origin: DVec3, scene: &Scene) -> Vec<([DVec3; 3], Option<Polygon>)> {
    let frame = |w: DVec3| {
        let (u, v) = w.any_orthonormal_pair();
        [u, v, w]
    };
    if origin.length() > OUTSIDE * scene.radius {
        return vec![(frame(-origin.normalize()), None)];
    }
    let sides = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
    // For coordinate axes the other two are coordinate axes, too: the squares fill all directions.
    sides.map(|w| (frame(w), Some(Polygon::square(1.0)))).into()
}

impl Beams<'_> {
    fn trace(&self, progress: &Progress) -> Result<Accumulator, SbrError> {
        let mut total = Accumulator::new(self.wave.sums());
        let facets = self.scene.facets.len();
        // Tasks and the order of their sums depend on the mesh alone: results are the same for any
        // number of threads.
        let firsts: Vec<usize> = (0..facets).step_by(FACETS_PER_TASK).collect();
        for firsts in firsts.chunks(TASKS_AT_ONCE) {
            progress.check()?;
            let task = |&first: &usize| self.starting_on(first..facets.min(first + FACETS_PER_TASK));
            let parts: Vec<Accumulator> = firsts.par_iter().map(task).collect();
            for part in parts {
                total.merge(part);
            }
        }
        Ok(total)
    }
}

/// What beams are cut from.
enum Wave<'a> {
    /// A plane wave, and the far field that it is scattered to.
    Plane { sheaf: Sheaf, far_field: &'a FarField<'a> },
    /// A wave from a point to others.
    Spherical(&'a SphericalWave<'a>),
}

impl Wave<'_> {
    /// Number of sums that a beam contributes to.
    fn sums(&self) -> usize {
        match self {
            Self::Plane { far_field, .. } => far_field.sums(),
            Self::Spherical(wave) => wave.sums(),
        }
    }

    /// Power of a beam after the reflections of a path relative to that before.
    fn power(&self, frame: &BeamFrame, path: &[u32], beam: &Polygon) -> f64 {
        match self {
            Self::Plane { far_field, .. } => far_field.power(path),
            Self::Spherical(wave) => wave.power(frame.direction(beam.center()), path),
        }
    }
}

/// The beams of one incident wave.
struct Beams<'a> {
    scene: &'a Scene,
    wave: Wave<'a>,
    /// Of the incident wave.
    frame: BeamFrame,
    /// The part of the aperture that they start in, if not all of it.
    window: Option<Polygon>,
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
        let total = Accumulator::new(self.wave.sums());
        let path = Vec::with_capacity(self.bounces);
        let mut task = Task { beams: self, total, path, spare: Vec::new() };
        let mut parts = Vec::new();
        for facet in facets {
            let Some(projected) = self.frame.project(&self.scene.facets[facet]) else { continue };
            match (&self.window, projected.shape) {
                (None, Some(shape)) => task.illuminate(&self.frame, facet as u32, &projected, shape),
                // A view without a window has all of the scene in front.
                (None, None) => {}
                (Some(window), _) => {
                    intersection(window, &projected, &Affine::POSITIVE, &mut parts);
                    for &part in &parts {
                        task.illuminate(&self.frame, facet as u32, &projected, part);
                    }
                }
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
        let beams = self.beams;
        let mirrored = || frame.mirrored(&beams.scene.facets[facet as usize]);
        // At the maximum number of bounces the beam radiates: what it would hit is neglected, and measured.
        if self.path.len() == beams.bounces {
            self.measure_remaining(mirrored, &projected.depth, &beam);
            self.radiate(&beam);
        } else {
            self.propagate(&mirrored(), &projected.depth, beam);
        }
        self.path.pop();
    }

    /// Adds the power of a beam that would hit the target once more.
    fn measure_remaining(&mut self, frame: impl Fn() -> BeamFrame, start: &Affine, beam: &Polygon) {
        let (count, area) = self.beams.sampling.rays(&self.path, beam.area());
        if count == 0 {
            return;
        }
        let frame = frame();
        let mut hit_area = 0.0;
        for i in 0..count {
            let hit = self.first_hit(&frame, Some(start), beam.sample(i, count));
            if hit.is_some_and(|facet| frame.project(&self.beams.scene.facets[facet as usize]).is_some()) {
                hit_area += area;
            }
        }
        if hit_area > 0.0 {
            let power = self.beams.wave.power(&self.beams.frame, &self.path, beam);
            self.total.counts.remaining_power += hit_area * power;
        }
    }

    /// Whether a beam is too narrow to be clipped.
    fn is_narrow(&self, beam: &Polygon) -> bool {
        let deep = if self.path.len() >= DEEP_BOUNCES { DEEP_AREA } else { 1.0 };
        beam.area() <= deep * self.beams.narrow
    }

    /// A reflected beam; `start` is the path length where it was reflected. What hits no other facet is radiated.
    fn propagate(&mut self, frame: &BeamFrame, start: &Affine, beam: Polygon) {
        if self.is_narrow(&beam) {
            return self.follow_central_ray(frame, start, beam);
        }
        // `free` is the part that no facet covers, `candidates`
        // the parts on facets. One traversal yields both.
        let mut spare = self.spare.pop().unwrap_or_default();
        let Spare { subdivision: free, candidates, parts } = &mut spare;
        free.begin(beam);
        candidates.clear();
        let mut deepest = f64::NEG_INFINITY;
        let bundle = frame.bundle(&beam, [beam.range(start)[0], f64::INFINITY]);
        self.visit(frame, &bundle, |facet, projected| {
            let ahead = projected.depth.minus(start);
            intersection(&beam, projected, &ahead, parts);
            for &beam in &*parts {
                // Once the candidates cover the beam, facets behind all of them are occluded.
                if !free.is_empty() {
                    deepest = deepest.max(frame.deepest(&bundle, &beam, &projected.depth));
                }
                candidates.push(Candidate { facet, projected: *projected, beam });
            }
            // The facet covers its part of the free beam,
            // whether or not another is in front of it there.
            free.subtract(projected, &[ahead]);
            // The callback returns the depth up to which the traversal continues.
            if free.is_full() || candidates.len() > MAX_CANDIDATES {
                f64::NEG_INFINITY
            } else if free.is_empty() {
                deepest
            } else {
                f64::INFINITY
            }
        });
        if free.is_full() || candidates.len() > MAX_CANDIDATES {
            self.spare.push(spare);
            return beam.halves().for_each(|half| self.propagate(frame, start, half));
        }
        for polygon in free.polygons() {
            self.radiate(polygon);
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
        let Some(facet) = self.first_hit(frame, Some(start), beam.center()) else {
            return self.radiate(&beam);
        };
        // `None` from inside a closed body, through a gap
        // of the mesh: the beam is lost and not radiated.
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
        let origin = match start {
            Some(start) => frame.point(position, start.at(position)),
            None => frame.start(position, scene),
        };
        scene.closest(
            origin,
            frame.direction(position),
            self.path.last().copied().unwrap_or(NO_FACET),
            &mut None,
        )
    }

    /// Adds the far field of a beam that leaves the target.
    fn radiate(&mut self, beam: &Polygon) {
        let Beams { scene, wave, frame, by_facet, .. } = self.beams;
        let (sheaf, far_field) = match wave {
            Wave::Plane { sheaf, far_field } => (sheaf, far_field),
            Wave::Spherical(wave) => return wave.radiate(frame, &self.path, beam, &mut self.total),
        };
        let center = beam.center();
        let mut corners = [DVec2::ZERO; MAX_CORNERS];
        for (corner, position) in corners.iter_mut().zip(beam.corners()) {
            *corner = *position - center;
        }
        let section = Section::Polygon(&corners[..beam.corners().len()]);
        // Corners are relative to the reference ray, whose
        // path is known: it is reflected without a search.
        let start = RayDifferential::new(sheaf, far_field.incident[0], center.to_array());
        let aperture = |path: &[u32]| ExitAperture::new(&start.follow(scene, path), section);
        let tube =
            RayTube { path: &self.path, exit: aperture(&self.path), shadow: aperture(&self.path[..1]) };
        self.total.add(far_field, &tube, beam.area(), *by_facet);
    }
}

/// Distance by which an occluder is in front of a facet. Of two coincident facets, the one with the lower index is hit.
fn before(occluder: &ProjectedFacet, occluder_index: u32, facet: &ProjectedFacet, index: u32) -> Affine {
    let mut before = facet.depth.minus(&occluder.depth);
    before.offset += if occluder_index < index { 2.0 * before.tolerance } else { 0.0 };
    before
}
