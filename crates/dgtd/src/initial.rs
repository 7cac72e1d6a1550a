//! Fields that are there at the beginning, and what becomes of them in vacuum.

use crate::problem::Initial;
use crate::solve::Study;
use glam::DVec3;
use phasefront_core::constants::C0;
use rayon::prelude::*;

impl Initial {
    /// E and η₀H at a place and a time (s), between walls or periodic sides that fit.
    pub fn at(&self, r: [f64; 3], time: f64) -> [f64; 6] {
        let time = C0 * time;
        match *self {
            Self::Mode { k, a } => {
                let (s, c): (Vec<f64>, Vec<f64>) = (0..3).map(|i| (k[i] * r[i]).sin_cos()).unzip();
                let (k, a) = (DVec3::from(k), DVec3::from(a));
                let (later, now) = (k.length() * time).sin_cos();
                // ∂(η₀H)/∂τ = −curl E.
                let h = -later / k.length() * k.cross(a);
                [
                    now * a.x * c[0] * s[1] * s[2],
                    now * a.y * s[0] * c[1] * s[2],
                    now * a.z * s[0] * s[1] * c[2],
                    h.x * s[0] * c[1] * c[2],
                    h.y * c[0] * s[1] * c[2],
                    h.z * c[0] * c[1] * s[2],
                ]
            }
            Self::Wave { k, e } => {
                let (k, e) = (DVec3::from(k), DVec3::from(e));
                let value = (k.dot(r.into()) - k.length() * time).cos();
                let h = k.normalize().cross(e);
                [e.x, e.y, e.z, h.x, h.y, h.z].map(|x| x * value)
            }
        }
    }
}

impl Study {
    /// E and η₀H at the beginning, [slot][component][node].
    pub(crate) fn initial_fields(&self) -> Option<Vec<f64>> {
        let initial = self.problem.sources.initial?;
        let nodes = self.plan.element.len();
        let mut values = vec![0.0; self.plan.tets.len() * 6 * nodes];
        for slot in (0..self.plan.tets.len()).filter(|&slot| self.plan.tets[slot].is_some()) {
            for node in 0..nodes {
                let fields = initial.at(self.plan.place(slot, node).into(), self.drive.start);
                for (component, value) in fields.into_iter().enumerate() {
                    values[(slot * 6 + component) * nodes + node] = value;
                }
            }
        }
        Some(values)
    }

    /// ‖fields − exact‖/‖exact‖ in the norm of the energy, with the exact fields (those that the initial ones become in vacuum)
    /// interpolated at the nodes; none without initial fields.
    pub(crate) fn distance_to_exact(&self, fields: &[f64], time: f64) -> Option<f64> {
        let initial = self.problem.sources.initial?;
        let (plan, nodes) = (&self.plan, self.plan.element.len());
        let used = (0..plan.tets.len()).into_par_iter().filter(|&slot| plan.tets[slot].is_some());
        let squares: Vec<[f64; 2]> = used
            .map(|slot| {
                let exact: Vec<[f64; 6]> =
                    (0..nodes).map(|node| initial.at(plan.place(slot, node).into(), time)).collect();
                let mut sums = [0.0; 2];
                for component in 0..6 {
                    let values = &fields[(slot * 6 + component) * nodes..][..nodes];
                    let exact: Vec<f64> = exact.iter().map(|fields| fields[component]).collect();
                    let miss: Vec<f64> = values.iter().zip(&exact).map(|(a, b)| a - b).collect();
                    sums[0] += plan.square(slot, &miss);
                    sums[1] += plan.square(slot, &exact);
                }
                sums
            })
            .collect();
        let sum = |i: usize| squares.iter().map(|s| s[i]).sum::<f64>();
        Some((sum(0) / sum(1)).sqrt())
    }
}
