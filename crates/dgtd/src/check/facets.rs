//! Straight facets on what looks like a curved surface.

use super::surface::Surface;
use crate::domain::Domain;
use crate::geometry::{Edge, edges_of};
use crate::problem::Problem;
use glam::DVec3;
use phasefront_core::SelfCheck;
use phasefront_core::constants::C0;
use std::collections::BTreeSet;

/// Angles between neighboring facets of a curved surface, rad: smaller ones are rounding of flat surfaces, larger ones edges of bodies.
const BEND: [f64; 2] = [0.5 * DEGREE, 40.0 * DEGREE];
const DEGREE: f64 = std::f64::consts::PI / 180.0;
/// Largest sagitta of a facet, in wavelengths.
const MAX_SAGITTA: f64 = 2e-3;

/// Flat facets in one plane.
struct Panel {
    nodes: Vec<DVec3>,
    center: DVec3,
    area: f64,
    /// Panels next to it at a small angle.
    neighbors: BTreeSet<usize>,
}

/// How far straight facets are from the curved surface that they stand for, in wavelengths; none without such facets.
pub fn self_check(problem: &Problem, domain: &Domain, surface: &Surface) -> Option<SelfCheck> {
    let bent = bent_edges(domain, surface);
    if bent.is_empty() {
        return None;
    }
    let (panel_of, panels) = panels(domain, surface, &bent);
    let mut worst = (0.0, DVec3::ZERO);
    for &(edge, [a, b], angle) in &bent {
        let sides = [a, b].map(|facet| (facet, panel_of[facet as usize]));
        // A crease between two plane parts has no curved surface around it: panels of one have a bent edge on one side only.
        if sides.iter().any(|(_, panel)| panels[*panel].neighbors.len() < 2) {
            continue;
        }
        let [from, to] = edge.map(|node| DVec3::from(domain.mesh.nodes[node as usize]));
        let middle = 0.5 * (from + to);
        // Extent of a panel perpendicular to the edge, and the distance of its center from it.
        let extents = |(facet, panel): (u32, usize)| {
            let (up, _) = surface.inward(domain, facet, edge);
            let height = |point: DVec3| (point - middle).dot(up).max(0.0);
            let panel = &panels[panel];
            [
                panel.nodes.iter().map(|node| height(*node)).fold(0.0, f64::max),
                height(panel.center / panel.area),
            ]
        };
        let [[a, near_a], [b, near_b]] = sides.map(extents);
        // The narrower one: beside it there may be a large plane part.
        let (extent, distance) = (a.min(b), near_a.min(near_b));
        // Curvature: angle over the distance between the centers. Sagitta of a chord: curvature times its square over eight.
        let sagitta = angle / (2.0 * distance) * extent * extent / 8.0;
        let speed =
            sides.map(|(facet, _)| surface.facets[facet as usize].speed).into_iter().fold(1.0, f64::min);
        let relative = sagitta * problem.highest_frequency / (C0 * speed);
        if relative > worst.0 {
            worst = (relative, middle);
        }
    }
    (worst.0 > 0.0).then(|| judge(problem, worst))
}

fn judge(problem: &Problem, (sagitta, position): (f64, DVec3)) -> SelfCheck {
    let [x, y, z] = position.to_array();
    let millimeters = 1e3 * sagitta * C0 / problem.highest_frequency;
    let sentence = if sagitta > MAX_SAGITTA {
        format!(
            "straight facets stand for what looks like a curved surface and miss it by up to {millimeters:.2} mm, near ({x:.4}, {y:.4}, {z:.4}) m: \
             the error of the shape is that of order 1, and order {} is wasted there; mesh with second-order elements \
             (Mesh.ElementOrder = 2 in Gmsh), which are curved, or refine the surface",
            problem.order
        )
    } else {
        "Straight facets follow the curved surfaces closely for this wavelength.".to_owned()
    };
    SelfCheck::at_most("sagitta of straight facets", sagitta, MAX_SAGITTA, sentence).in_unit("wavelengths")
}

/// Edges between two straight facets of one kind, with the angle by which the surface bends there.
fn bent_edges(domain: &Domain, surface: &Surface) -> Vec<(Edge, [u32; 2], f64)> {
    let bend = |(edge, facets): (&Edge, &Vec<u32>)| {
        let [a, b] = facets[..] else { return None };
        let [first, second] = [a, b].map(|i| &surface.facets[i as usize]);
        if first.curved || second.curved || first.kind != second.kind {
            return None;
        }
        let [up, down] = [a, b].map(|i| surface.inward(domain, i, *edge).0);
        let angle = up.angle_between(-down);
        (BEND[0]..BEND[1]).contains(&angle).then_some((*edge, [a, b], angle))
    };
    surface.edges.iter().filter_map(bend).collect()
}

/// Facets joined over the edges at which they do not bend: the panel of each facet, and all panels.
fn panels(domain: &Domain, surface: &Surface, bent: &[(Edge, [u32; 2], f64)]) -> (Vec<usize>, Vec<Panel>) {
    let mut panel_of = vec![usize::MAX; surface.facets.len()];
    let mut panels: Vec<Panel> = Vec::new();
    for start in 0..surface.facets.len() {
        if panel_of[start] != usize::MAX {
            continue;
        }
        let mut panel =
            Panel { nodes: Vec::new(), center: DVec3::ZERO, area: 0.0, neighbors: BTreeSet::new() };
        let mut stack = vec![start];
        panel_of[start] = panels.len();
        while let Some(facet) = stack.pop() {
            let corners =
                surface.facets[facet].nodes.map(|node| DVec3::from(domain.mesh.nodes[node as usize]));
            let area = 0.5 * (corners[1] - corners[0]).cross(corners[2] - corners[0]).length();
            panel.nodes.extend(corners);
            panel.center += area / 3.0 * corners.iter().sum::<DVec3>();
            panel.area += area;
            for next in flat_neighbors(domain, surface, facet) {
                if panel_of[next] == usize::MAX {
                    panel_of[next] = panels.len();
                    stack.push(next);
                }
            }
        }
        panels.push(panel);
    }
    for (_, [a, b], _) in bent {
        let [a, b] = [*a, *b].map(|facet| panel_of[facet as usize]);
        panels[a].neighbors.insert(b);
        panels[b].neighbors.insert(a);
    }
    (panel_of, panels)
}

/// Neighbors of a facet in its plane.
fn flat_neighbors(domain: &Domain, surface: &Surface, facet: usize) -> Vec<usize> {
    let nodes = surface.facets[facet].nodes;
    let over = |edge: Edge| {
        let [a, b] = surface.edges.get(&edge).map(std::vec::Vec::as_slice)? else { return None };
        let [up, down] = [*a, *b].map(|i| surface.inward(domain, i, edge).0);
        let other = if *a as usize == facet { *b } else { *a };
        (up.angle_between(-down) < BEND[0]).then_some(other as usize)
    };
    edges_of(nodes).into_iter().filter_map(over).collect()
}
