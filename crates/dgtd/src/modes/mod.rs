//! Modes of waveguides and transmission lines, by scalar finite elements on the triangles of a port.
//!
//! With the transverse wave number k_c, a scalar ψ with ∇²ψ + k_c² ψ = 0 gives all transverse fields of a homogeneous guide (R. E. Collin,
//! *Field Theory of Guided Waves*, 2nd ed., 1991, chapter 5): TE modes e = n × ∇ψ with ∂ψ/∂n = 0 on conductors, TM modes e = −∇ψ with
//! ψ = 0 there, and lines (TEM, and quasi-TEM in layers) e = −∇ψ with k_c = 0 and ψ constant on each conductor (`lines.rs`). On
//! magnetic walls, symmetry planes, the conditions change places.

mod eigen;
mod lines;
mod section;

pub use section::{Section, Wall};

use crate::geometry::{Edge, edges_of};
use eigen::lowest;
use faer::Mat;
use section::Unknowns;
use std::collections::BTreeSet;

/// Relative difference of cut-offs that are one in an exact guide: the mesh splits them.
const DEGENERATE: f64 = 1e-3;

/// Kind of a mode.
#[derive(Debug, Clone, PartialEq)]
pub enum ModeKind {
    /// Transverse electromagnetic (TEM, or quasi-TEM in layers): no cut-off.
    Line {
        /// Its impedance without dielectrics, Ω.
        empty_impedance: f64,
        /// Share of each medium in the effective permittivity: ε_eff = Σ ε share.
        shares: Vec<f64>,
    },
    /// Transverse electric.
    Te,
    /// Transverse magnetic.
    Tm,
}

/// A mode with the transverse fields E = V e and H = I n' × g, where n' points into the guide and ∫ e·g dA = 1; in homogeneous guides
/// g = e but for its unit.
#[derive(Debug, Clone)]
pub struct Mode {
    /// Its kind.
    pub kind: ModeKind,
    /// Transverse wave number k_c, rad/m.
    pub cutoff: f64,
    /// Whether its sign has a meaning: of a line, the conductors beside the largest are positive.
    signed: bool,
    /// ψ of e at the nodes of each triangle.
    electric: Vec<Vec<f64>>,
    /// ψ of g at the nodes of each triangle.
    dual: Vec<Vec<f64>>,
}

impl Mode {
    /// a times this mode plus b times another one with the same cut-off.
    fn combined(&self, a: f64, other: &Self, b: f64) -> Self {
        let mix = |one: &[Vec<f64>], two: &[Vec<f64>]| -> Vec<Vec<f64>> {
            let nodes =
                |(p, q): (&Vec<f64>, &Vec<f64>)| p.iter().zip(q).map(|(p, q)| a * p + b * q).collect();
            one.iter().zip(two).map(nodes).collect()
        };
        Self {
            electric: mix(&self.electric, &other.electric),
            dual: mix(&self.dual, &other.dual),
            ..self.clone()
        }
    }

    fn is_degenerate_with(&self, other: &Self) -> bool {
        let waves = self.cutoff > 0.0 && (self.cutoff - other.cutoff).abs() < DEGENERATE * self.cutoff;
        waves && self.kind == other.kind
    }
}

impl Section {
    /// The `count` modes with the lowest cut-offs: lines, then TE and TM. Only lines have modes in layers of several media.
    pub fn modes(&self, count: usize) -> Vec<Mode> {
        let mut modes = self.lines();
        if modes.len() < count && self.is_homogeneous() {
            let mut waves = self.waves(&ModeKind::Te, count);
            waves.extend(self.waves(&ModeKind::Tm, count));
            waves.sort_by(|a, b| a.cutoff.total_cmp(&b.cutoff));
            modes.extend(waves);
        }
        modes.truncate(count);
        modes
    }

    /// The same modes, each with the sign that makes its moment positive; of two that are degenerate the first has all of it. `moments`
    /// are values of one linear function of one or two modes, and whether modes whose sign has a meaning are turned, too.
    pub fn oriented(&self, count: usize, moments: impl Fn(&[Mode]) -> (Vec<f64>, bool)) -> Vec<Mode> {
        // One more, which may be the second of a pair.
        let mut modes = self.modes(count + 1);
        let mut i = 0;
        while i < modes.len() {
            let paired = i + 1 < modes.len() && modes[i].is_degenerate_with(&modes[i + 1]);
            let turned = if paired { 2 } else { 1 };
            match moments(&modes[i..i + turned]) {
                (along, _) if paired => {
                    let (sin, cos) = along[1].atan2(along[0]).sin_cos();
                    let [first, second] = [modes[i].clone(), modes[i + 1].clone()];
                    modes[i] = first.combined(cos, &second, sin);
                    modes[i + 1] = second.combined(cos, &first, -sin);
                }
                (along, all) if along[0] < 0.0 && (all || !modes[i].signed) => {
                    modes[i] = modes[i].combined(-1.0, &modes[i], 0.0);
                }
                _ => {}
            }
            i += turned;
        }
        modes.truncate(count);
        modes
    }

    /// TE or TM modes.
    fn waves(&self, kind: &ModeKind, count: usize) -> Vec<Mode> {
        let essential = if *kind == ModeKind::Te { Wall::Magnetic } else { Wall::Electric };
        let unknowns = self.unknowns();
        let fixed = self.on_walls(&unknowns, essential);
        let free: Vec<usize> = (0..unknowns.count).filter(|i| !fixed.contains(i)).collect();
        let [stiffness, mass] = self.matrices(&unknowns, &vec![1.0; self.eps.len()]);
        let part = |of: &Mat<f64>| Mat::from_fn(free.len(), free.len(), |i, j| of[(free[i], free[j])]);
        // Without a fixed value the constant ψ has k_c = 0 and no field.
        let constant = usize::from(fixed.is_empty());
        let found = lowest(&part(&stiffness), &part(&mass), count + constant);
        let modes = found.into_iter().skip(constant).map(|(square, vector)| {
            let mut values = vec![0.0; unknowns.count];
            // ∫ |∇ψ|² dA = k_c² ∫ ψ² dA = 1.
            let scale = square.max(0.0).sqrt().recip();
            for (&unknown, value) in free.iter().zip(vector) {
                values[unknown] = scale * value;
            }
            let electric = of_triangles(&unknowns, &values);
            let (cutoff, dual) = (square.max(0.0).sqrt(), electric.clone());
            Mode { kind: kind.clone(), cutoff, signed: false, dual, electric }
        });
        modes.collect()
    }

    /// e of a mode at a point of a triangle, in the coordinates of the section.
    pub fn electric(&self, mode: &Mode, triangle: usize, point: [f64; 2]) -> [f64; 2] {
        self.field(&mode.kind, triangle, point, &mode.electric[triangle])
    }

    /// g of a mode.
    pub fn dual(&self, mode: &Mode, triangle: usize, point: [f64; 2]) -> [f64; 2] {
        self.field(&mode.kind, triangle, point, &mode.dual[triangle])
    }

    /// ψ of e at the ends of these edges where they are edges of triangles.
    pub fn potentials_at(&self, mode: &Mode, edges: &BTreeSet<Edge>) -> Vec<f64> {
        let mut found = Vec::new();
        for (corners, values) in self.corner_nodes().zip(&mode.electric) {
            let (numbers, nodes) = corners;
            for (side, _) in edges_of(*numbers).iter().enumerate().filter(|(_, edge)| edges.contains(*edge)) {
                found.extend([side, (side + 1) % 3].map(|corner| values[nodes[corner]]));
            }
        }
        found
    }

    fn field(&self, kind: &ModeKind, triangle: usize, point: [f64; 2], potential: &[f64]) -> [f64; 2] {
        let [x, y] = self.gradient(triangle, point, potential);
        match kind {
            ModeKind::Te => [-y, x],
            ModeKind::Line { .. } | ModeKind::Tm => [-x, -y],
        }
    }
}

/// Values of unknowns at the nodes of each triangle.
fn of_triangles(unknowns: &Unknowns, values: &[f64]) -> Vec<Vec<f64>> {
    unknowns.of.iter().map(|numbers| numbers.iter().map(|&i| values[i]).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Edge, edges_of};
    use phasefront_core::constants::ETA0;
    use std::collections::BTreeMap;
    use std::f64::consts::{PI, TAU};

    /// A section of triangles whose outer edges have these walls, by their middles, and inner ones where there is one.
    fn section(
        corners: Vec<[u32; 3]>,
        shapes: Vec<[[f64; 2]; 6]>,
        wall: impl Fn([f64; 2], bool) -> Option<Wall>,
        eps: impl Fn([f64; 2]) -> f64,
        order: usize,
    ) -> Section {
        let mut edges: BTreeMap<Edge, Vec<[f64; 2]>> = BTreeMap::new();
        for (triangle, shape) in corners.iter().zip(&shapes) {
            for (edge, middle) in edges_of(*triangle).into_iter().zip(&shape[3..]) {
                edges.entry(edge).or_default().push(*middle);
            }
        }
        let walls = edges.into_iter().filter_map(|(edge, at)| Some((edge, wall(at[0], at.len() == 1)?)));
        let middle = |s: &[[f64; 2]; 6]| [0, 1].map(|k| (s[0][k] + s[1][k] + s[2][k]) / 3.0);
        let all: Vec<f64> = shapes.iter().map(|shape| eps(middle(shape))).collect();
        let mut values = all.clone();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let media = all.iter().map(|eps| values.iter().position(|v| v == eps).unwrap()).collect();
        Section::new(corners, shapes, walls.collect(), (media, values), order)
    }

    /// A rectangle with these coordinates of its cells, of two triangles each; those of its right half mirror those of its left half.
    fn rectangle(
        coordinates: [&[f64]; 2],
        walls: impl Fn([f64; 2], bool) -> Option<Wall>,
        eps: impl Fn([f64; 2]) -> f64,
        order: usize,
    ) -> Section {
        part_of_rectangle(coordinates, |_| true, walls, eps, order)
    }

    /// Those of its cells whose center is `inside`.
    fn part_of_rectangle(
        [xs, ys]: [&[f64]; 2],
        inside: impl Fn([f64; 2]) -> bool,
        walls: impl Fn([f64; 2], bool) -> Option<Wall>,
        eps: impl Fn([f64; 2]) -> f64,
        order: usize,
    ) -> Section {
        let number = |i: usize, j: usize| (j * xs.len() + i) as u32;
        let middle = |a: [f64; 2], b: [f64; 2]| [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])];
        let (mut triangles, mut shapes) = (Vec::new(), Vec::new());
        for j in 0..ys.len() - 1 {
            for i in 0..xs.len() - 1 {
                if !inside(middle([xs[i], ys[j]], [xs[i + 1], ys[j + 1]])) {
                    continue;
                }
                let square = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
                let halves =
                    if 2 * i + 1 < xs.len() { [[0, 1, 2], [0, 2, 3]] } else { [[0, 1, 3], [1, 2, 3]] };
                for triple in halves {
                    triangles.push(triple.map(|k: usize| number(square[k][0], square[k][1])));
                    let [p, q, r] = triple.map(|k| [xs[square[k][0]], ys[square[k][1]]]);
                    shapes.push([p, q, r, middle(p, q), middle(q, r), middle(r, p)]);
                }
            }
        }
        section(triangles, shapes, walls, eps, order)
    }

    fn even(length: f64, cells: usize) -> Vec<f64> {
        (0..=cells).map(|i| length * i as f64 / cells as f64).collect()
    }

    fn metal(_: [f64; 2], outer: bool) -> Option<Wall> {
        outer.then_some(Wall::Electric)
    }

    fn vacuum(_: [f64; 2]) -> f64 {
        1.0
    }

    /// A ring in quadratic triangles, by a map of a rectangle of angle and radius; a disk if the inner radius is zero.
    fn ring([inner, outer]: [f64; 2], cells: [usize; 2], order: usize) -> Section {
        let place = |i: f64, j: f64| {
            let (r, angle) = (inner + (outer - inner) * j / cells[1] as f64, TAU * i / cells[0] as f64);
            [r * angle.cos(), r * angle.sin()]
        };
        let number = |i: usize, j: usize| {
            let at_center = inner == 0.0 && j == 0;
            if at_center { 0 } else { (j * cells[0] + i % cells[0]) as u32 }
        };
        let (mut corners, mut shapes) = (Vec::new(), Vec::new());
        for j in 0..cells[1] {
            for i in 0..cells[0] {
                let square = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
                // Around the center of a disk a square has two corners in one place.
                let halves = if inner == 0.0 && j == 0 { &[[0, 2, 3]][..] } else { &[[0, 1, 2], [0, 2, 3]] };
                for triple in halves {
                    let ends = triple.map(|k: usize| square[k]);
                    corners.push(ends.map(|[i, j]| number(i, j)));
                    let middle = |a: [usize; 2], b: [usize; 2]| {
                        // The center has no angle of its own.
                        let at_center = |end: [usize; 2]| inner == 0.0 && end[1] == 0;
                        let angles = [if at_center(a) { b } else { a }, if at_center(b) { a } else { b }];
                        place(0.5 * (angles[0][0] + angles[1][0]) as f64, 0.5 * (a[1] + b[1]) as f64)
                    };
                    let [p, q, r] = ends.map(|[i, j]| place(i as f64, j as f64));
                    let middles =
                        [middle(ends[0], ends[1]), middle(ends[1], ends[2]), middle(ends[2], ends[0])];
                    shapes.push([p, q, r, middles[0], middles[1], middles[2]]);
                }
            }
        }
        section(corners, shapes, metal, vacuum, order)
    }

    fn near(found: f64, exact: f64, tolerance: f64) {
        assert!((found / exact - 1.0).abs() < tolerance, "{found} instead of {exact}");
    }

    /// Impedance and ε_eff of a line.
    fn of_line(section: &Section, mode: &Mode) -> [f64; 2] {
        let ModeKind::Line { empty_impedance, shares } = &mode.kind else { panic!("{:?}", mode.kind) };
        let eps: f64 = shares.iter().zip(&section.eps).map(|(share, eps)| share * eps).sum();
        [empty_impedance / eps.sqrt(), eps]
    }

    /// Of a circular guide of radius 1: TE₁₁ twice, TM₀₁, TE₂₁ twice; zeros of J₁', J₀ and J₂' (M. Abramowitz, I. Stegun, tables 9.5).
    #[test]
    fn cutoffs_of_a_circular_guide() {
        let modes = ring([0.0, 1.0], [24, 4], 4).modes(5);
        let expected = [1.841_183_781, 1.841_183_781, 2.404_825_558, 3.054_236_928, 3.054_236_928];
        for (mode, cutoff) in modes.iter().zip(expected) {
            near(mode.cutoff, cutoff, 1e-5);
        }
        assert_eq!(modes[2].kind, ModeKind::Tm);
    }

    /// k_c² = (mπ/a)² + (nπ/b)² (Collin, section 5.3).
    #[test]
    fn cutoffs_of_a_rectangular_guide() {
        let (a, b) = (22.86e-3, 10.16e-3);
        let exact = |m: f64, n: f64| (m * PI / a).hypot(n * PI / b);
        let modes = rectangle([&even(a, 8), &even(b, 4)], metal, vacuum, 4).modes(5);
        let expected = [(1.0, 0.0), (2.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 1.0)];
        for (mode, (m, n)) in modes.iter().zip(expected) {
            near(mode.cutoff, exact(m, n), 1e-5);
        }
        // TE₁₁ and TM₁₁ are degenerate, and come in either order.
        assert!(modes[..3].iter().all(|mode| mode.kind == ModeKind::Te));
        assert_ne!(modes[3].kind, modes[4].kind);
    }

    /// A quarter of a double-ridge guide of 17.551 × 8.153 mm, the ridges 4.394 mm wide and 3.454 mm apart (WRD-750 with sharp corners):
    /// TE₁₀ by mode matching at the side of the ridge (J. P. Montgomery, *IEEE Trans. Microwave Theory Tech.* 19, 547, 1971), 8 to 64 modes
    /// in the gap: k_c = 129.667, 129.670, 129.671, 129.671 rad/m.
    #[test]
    fn cutoff_of_a_ridge_guide() {
        let [half_width, half_height, ridge, gap] =
            [17.5514e-3, 8.1534e-3, 4.3942e-3, 3.4544e-3].map(|side| 0.5 * side);
        let (xs, ys) = (graded(&[0.0, ridge, half_width], 2, 3.0), graded(&[0.0, gap, half_height], 2, 3.0));
        let walls = |[x, _]: [f64; 2], outer: bool| {
            outer.then_some(if x < 1e-9 { Wall::Magnetic } else { Wall::Electric })
        };
        let modes = part_of_rectangle([&xs, &ys], |[x, y]| x > ridge || y < gap, walls, vacuum, 4).modes(1);
        assert_eq!(modes[0].kind, ModeKind::Te);
        near(modes[0].cutoff, 129.671, 1e-3);
    }

    /// TE₁₀ has e = √(2/ab) sin(πx/a) ŷ.
    #[test]
    fn the_field_of_te10() {
        let (a, b) = (2.0, 1.0);
        let section = rectangle([&even(a, 6), &even(b, 3)], metal, vacuum, 4);
        let upward = |mode: &Mode| section.integral(|t, point| section.electric(mode, t, point)[1]);
        let mode = &section.oriented(1, |modes| (modes.iter().map(upward).collect(), false))[0];
        for triangle in 0..section.len() {
            for point in [[0.3, 0.3], [0.1, 0.7]] {
                let position = section.position(triangle, point);
                let found = section.point(triangle, position);
                assert!((found[0] - point[0]).abs() + (found[1] - point[1]).abs() < 1e-12);
                let [ex, ey] = section.electric(mode, triangle, point);
                let exact = (2.0 / (a * b)).sqrt() * (PI * position[0] / a).sin();
                assert!(ex.abs() < 1e-4 && (ey - exact).abs() < 1e-4, "{ex} {ey} {exact}");
            }
        }
    }

    /// The two TE₁₁ of a circular guide: the first has all of its field along y on average, the second none.
    #[test]
    fn degenerate_modes_are_turned() {
        let section = ring([0.0, 1.0], [12, 3], 3);
        let along = |axis: usize| {
            let section = &section;
            move |mode: &Mode| section.integral(|t, point| section.electric(mode, t, point)[axis])
        };
        let modes = section.oriented(2, |modes| (modes.iter().map(along(1)).collect(), false));
        let [first, second] = [&modes[0], &modes[1]].map(|mode| [along(0)(mode), along(1)(mode)]);
        assert!(first[1] > 0.1 && first[0].abs() < 1e-3 * first[1], "{first:?}");
        assert!(second[1].abs() < 1e-9 && (second[0].abs() / first[1] - 1.0).abs() < 1e-3, "{second:?}");
    }

    /// Half of a guide behind a magnetic wall at x = a/2 has the modes with odd m.
    #[test]
    fn a_magnetic_wall_is_a_symmetry_plane() {
        let walls = |[x, _]: [f64; 2], outer: bool| {
            outer.then_some(if (x - 1.0).abs() < 1e-9 { Wall::Magnetic } else { Wall::Electric })
        };
        let modes = rectangle([&even(1.0, 4), &even(1.0, 4)], walls, vacuum, 4).modes(2);
        near(modes[0].cutoff, PI / 2.0, 1e-5);
        // TE₃₀ and TE₁₁ of the guide of 2 by 1: the latter is lower.
        near(modes[1].cutoff, (PI / 2.0).hypot(PI), 1e-5);
    }

    /// Of a coaxial line with b/a = 2.3: TEM with Z = (η₀/2π) ln(b/a), and TE₁₁ with J₁'(x) Y₁'(2.3 x) = J₁'(2.3 x) Y₁'(x), x = k_c a
    /// (N. Marcuvitz, *Waveguide Handbook*, section 2.4; the root by SciPy).
    #[test]
    fn modes_of_a_coaxial_line() {
        let (a, b) = (1e-3, 2.3e-3);
        let section = ring([a, b], [24, 4], 4);
        let modes = section.modes(3);
        let [impedance, eps] = of_line(&section, &modes[0]);
        near(impedance, ETA0 * (b / a).ln() / TAU, 1e-5);
        near(eps, 1.0, 1e-9);
        // e = ρ̂/(ρ ln(b/a)) of 1 V, from the inner conductor to the outer one.
        for triangle in 0..section.len() {
            let [x, y] = section.position(triangle, [0.3, 0.4]);
            let [ex, ey] = section.electric(&modes[0], triangle, [0.3, 0.4]);
            near((ex * x + ey * y) * (b / a).ln(), 1.0, 1e-3);
        }
        near(modes[1].cutoff * a, 0.618_632_260_046_273_3, 1e-5);
        near(modes[2].cutoff * a, 0.618_632_260_046_273_3, 1e-5);
    }

    /// Between parallel plates with magnetic walls at the sides, half filled with ε: two capacitors in series,
    /// C/C₀ = 2ε/(1 + ε), and Z₀ = η₀ (height/width)/√ε_eff.
    #[test]
    fn a_layered_line_between_plates() {
        let walls = |[x, _]: [f64; 2], outer: bool| {
            outer.then_some(if (x - 1.0).abs() > 1.0 - 1e-9 { Wall::Magnetic } else { Wall::Electric })
        };
        let filling = |[_, y]: [f64; 2]| if y < 0.5 { 4.0 } else { 1.0 };
        let section = rectangle([&even(2.0, 2), &even(1.0, 4)], walls, filling, 2);
        let modes = section.modes(5);
        assert_eq!(modes.len(), 1);
        let [impedance, eps] = of_line(&section, &modes[0]);
        near(eps, 1.6, 1e-9);
        near(impedance, ETA0 / 2.0 / 1.6_f64.sqrt(), 1e-9);
        let product = section.integral(|t, point| {
            let ([ex, ey], [gx, gy]) =
                (section.electric(&modes[0], t, point), section.dual(&modes[0], t, point));
            ex * gx + ey * gy
        });
        near(product, 1.0, 1e-12);
    }

    /// Cells that shrink by a ratio toward both ends of each interval.
    fn graded(ends: &[f64], cells: usize, ratio: f64) -> Vec<f64> {
        let mut all = vec![ends[0]];
        for pair in ends.windows(2) {
            let size = |i: usize| ratio.powi(i.min(2 * cells - 1 - i) as i32);
            let total: f64 = (0..2 * cells).map(size).sum();
            let mut at = pair[0];
            for i in 0..2 * cells {
                at += (pair[1] - pair[0]) * size(i) / total;
                all.push(if i + 1 == 2 * cells { pair[1] } else { at });
            }
        }
        all
    }

    /// A thin strip of 2.426 mm on 0.787 mm of ε_r = 2.2 in a wide box has 50 Ω and ε_eff = 1.881 by E. Hammerstad and O. Jensen (IEEE
    /// MTT-S Digest, 1980, p. 407; 0.01 % in Z of the static line).
    #[test]
    fn a_microstrip_line() {
        let (w, h) = (2.426e-3, 0.787e-3);
        let xs = graded(&[-20e-3, -0.5 * w, 0.5 * w, 20e-3], 6, 3.0);
        let ys = graded(&[0.0, h, 16e-3], 5, 3.0);
        let walls = |[x, y]: [f64; 2], outer: bool| {
            (outer || (y - h).abs() < 1e-9 && x.abs() < 0.5 * w).then_some(Wall::Electric)
        };
        let section = rectangle([&xs, &ys], walls, |[_, y]| if y < h { 2.2 } else { 1.0 }, 2);
        let [impedance, eps] = of_line(&section, &section.modes(1)[0]);
        near(impedance, 50.0, 0.01);
        near(eps, 1.881, 0.01);
    }

    /// Two plates beside each other over a ground, far apart in vacuum: the even and the odd mode, in this order.
    #[test]
    fn a_pair_has_an_even_and_an_odd_mode() {
        let xs = graded(&[-6.0, -2.0, -1.0, 1.0, 2.0, 6.0], 2, 2.0);
        let walls = |[x, y]: [f64; 2], outer: bool| {
            (outer || (y - 1.0).abs() < 1e-9 && (1.0..2.0).contains(&x.abs())).then_some(Wall::Electric)
        };
        let section = rectangle([&xs, &graded(&[0.0, 1.0, 4.0], 2, 2.0)], walls, vacuum, 2);
        let modes = section.modes(2);
        let [even, odd] = [0, 1].map(|i| of_line(&section, &modes[i])[0]);
        // Power of both lines: half the impedance of one, and the even one has the larger.
        assert!(even > odd, "{even} {odd}");
        let upward = |mode: &Mode, side: f64| {
            section.integral(|t, point| {
                let [x, y] = section.position(t, point);
                // Below the plates: the voltage between the lid and the ground is zero.
                if x * side > 0.0 && y < 1.0 { section.electric(mode, t, point)[1] } else { 0.0 }
            })
        };
        near(upward(&modes[0], 1.0) / upward(&modes[0], -1.0), 1.0, 1e-3);
        near(upward(&modes[1], 1.0) / upward(&modes[1], -1.0), -1.0, 1e-3);
    }
}
