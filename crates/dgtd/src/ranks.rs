//! One rank of a run: its engine, and what it exchanges with the others.

use crate::checkpoint::{CheckpointPart, PartNumbers, PartValues, Saved};
use crate::engine::{Elements, Engine};
use crate::error::DgtdError;
use crate::restore::{Assembly, agreed};
use crate::share::{self, Direction, Share};
use bytemuck::Pod;
use num_complex::Complex64;
use phasefront_comm::{Comm, Halo, Link, Traffic};
use phasefront_core::ExactSum;

/// One rank of a run.
pub(crate) struct Rank<'a> {
    pub comm: &'a dyn Comm,
    share: &'a Share<'a>,
    engine: Box<dyn Engine + 'a>,
    /// One exchange for each level that may be the highest to take a step in the next stage.
    halos: Vec<Box<dyn Halo>>,
    /// What each rank has, on rank 0.
    numbers: Numbers,
}

/// What a rank did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankReport {
    /// Its elements.
    pub elements: f64,
    /// Bytes that it sent in each stage.
    pub halo_bytes: f64,
    /// Seconds in which it waited for others.
    pub seconds_waited: f64,
}

/// Numbers in the study of what each rank has, rank by rank; empty on other ranks than 0.
struct Numbers {
    terms: Vec<Vec<u32>>,
    nodes: Vec<Vec<u32>>,
    snapshots: Vec<Vec<u32>>,
    tets: Vec<Vec<u32>>,
}

impl<'a> Rank<'a> {
    /// A rank with its engine, at the initial fields.
    pub fn new(
        comm: &'a dyn Comm,
        share: &'a Share<'a>,
        engine: Box<dyn Engine + 'a>,
    ) -> Result<Self, DgtdError> {
        let bytes = share.study.problem.precision.bytes();
        let links = |level: u8| -> Vec<Link> {
            let size = |halo: &share::Halo, direction| halo.values(&share.plan, direction, level) * bytes;
            let link = |halo: &share::Halo| Link {
                neighbor: halo.rank,
                outgoing: size(halo, Direction::Sent),
                incoming: size(halo, Direction::Received),
            };
            share.halos.iter().map(link).collect()
        };
        let levels = 0..share.study.clusters.levels() as u8;
        // Sizes are agreed on once: ranks that differ are refused here, before the first stage.
        let halos = levels.map(|level| comm.halo(&links(level))).collect::<Result<_, _>>()?;
        let numbers = Numbers {
            terms: gathered(comm, &share.term_numbers)?,
            nodes: gathered(comm, &share.node_numbers)?,
            snapshots: gathered(comm, &share.snapshot_numbers)?,
            tets: gathered(comm, &share.tets)?,
        };
        let mut rank = Self { comm, share, engine, halos, numbers };
        rank.exchange()?;
        Ok(rank)
    }

    /// Whether this is the rank that decides and keeps the results.
    pub fn is_first(&self) -> bool {
        self.comm.rank() == 0
    }

    /// One time step from `time` (s), stage by stage. Traces of common faces are exchanged while the elements that no other rank sees are
    /// advanced.
    pub fn step(&mut self, time: f64, dt: f64) -> Result<(), DgtdError> {
        let clusters = &self.share.study.clusters;
        let stages = self.share.study.stages();
        for (stage, c) in stages.iter().enumerate() {
            let time = time + c * dt;
            let level = clusters.last_due((stage + 1) % stages.len());
            self.engine.advance(Elements::Border, time, stage)?;
            self.send(level)?;
            self.engine.advance(Elements::Interior, time, stage)?;
            self.receive(level)?;
        }
        Ok(())
    }

    /// Exchanges traces between two steps.
    fn exchange(&mut self) -> Result<(), DgtdError> {
        let level = self.share.study.clusters.last_due(0);
        self.send(level)?;
        self.receive(level)
    }

    /// What elements up to a level read in the next stage.
    fn send(&mut self, level: u8) -> Result<(), DgtdError> {
        let halo = &mut self.halos[usize::from(level)];
        for link in 0..self.share.halos.len() {
            self.engine.pack(link, halo.outgoing(link))?;
        }
        Ok(halo.start()?)
    }

    fn receive(&mut self, level: u8) -> Result<(), DgtdError> {
        let halo = &mut self.halos[usize::from(level)];
        halo.wait()?;
        for link in 0..self.share.halos.len() {
            self.engine.unpack(link, halo.incoming(link))?;
        }
        Ok(())
    }

    /// Samples the monitors, their spectra with these factors.
    pub fn sample(&mut self, factors: &[Complex64]) -> Result<(), DgtdError> {
        self.engine.sample(factors)
    }

    /// Rows of the time series since the last call, from step `first` on, on rank 0: sums of terms in the order of the study.
    pub fn take_rows(&mut self, first: u64) -> Result<Vec<f64>, DgtdError> {
        let own = self.engine.take_samples()?;
        let ranks: Vec<Vec<f64>> = gathered(self.comm, &own)?;
        let study = self.share.study;
        let count: usize = study.monitors.rows.iter().map(|row| row.terms.len()).sum();
        let mut rows = Vec::new();
        let mut terms = vec![0.0; count];
        for step in 0..ranks.iter().zip(&self.numbers.terms).map(steps).max().unwrap_or(0) {
            // Terms back into the order of the study, so that sums of a row round as on one rank.
            for (values, numbers) in ranks.iter().zip(&self.numbers.terms) {
                for (number, value) in numbers.iter().zip(&values[step * numbers.len()..]) {
                    terms[*number as usize] = *value;
                }
            }
            let time = study.sources.start + (first + step as u64) as f64 * study.step.dt;
            let pulse = study.problem.pulse.at(time);
            let mut rest = &terms[..];
            for row in &study.monitors.rows {
                let (own, later) = rest.split_at(row.terms.len());
                rows.push(own.iter().sum::<f64>() + row.source * pulse);
                rest = later;
            }
        }
        Ok(rows)
    }

    /// The energy of all ranks, on rank 0: ½ ∫ ε|E|² + μ|H|², in ε₀ V²/m² m³.
    pub fn energy(&mut self) -> Result<f64, DgtdError> {
        let own = self.engine.energy()?;
        self.sum(&own)
    }

    /// A sum over all ranks, on rank 0.
    fn sum(&self, own: &ExactSum) -> Result<f64, DgtdError> {
        // Exact: the sum over elements does not depend on how they are divided among ranks.
        let mut all = ExactSum::default();
        for bytes in self.comm.gather(&own.to_bytes())?.unwrap_or_default() {
            // Written by `to_bytes` of this program.
            all.merge(&ExactSum::from_bytes(&bytes).unwrap_or_default());
        }
        Ok(all.value())
    }

    /// ‖fields − exact‖/‖exact‖ at a time (s) where the exact fields are known, on rank 0.
    pub fn error(&mut self, time: f64) -> Result<Option<f64>, DgtdError> {
        if self.share.study.problem.sources.initial.is_none() {
            return Ok(None);
        }
        let fields = self.engine.fields()?;
        let Some([miss, exact]) = self.share.distance_to_exact(&fields, time) else { return Ok(None) };
        Ok(Some((self.sum(&miss)? / self.sum(&exact)?).sqrt()))
    }

    /// Spectra of all monitored nodes, [frequency][node][component], on rank 0.
    pub fn spectra(&mut self) -> Result<Vec<Complex64>, DgtdError> {
        let own = self.engine.spectra()?;
        let study = self.share.study;
        let frequencies = study.problem.monitors.frequencies.len();
        placed(&gathered(self.comm, &own)?, &self.numbers.nodes, frequencies, study.monitors.nodes.len(), 6)
    }

    /// The current fields of the elements in snapshots, on rank 0: [element][node][component], E and η₀H.
    pub fn snapshot(&mut self) -> Result<Vec<f32>, DgtdError> {
        // All fields are downloaded: snapshots are few.
        let (fields, nodes) = (self.engine.fields()?, self.share.plan.element.len());
        // Only the elements of snapshots are sent to rank 0.
        let mut own: Vec<f32> = Vec::new();
        for &slot in &self.share.snapshots {
            let values = &fields[6 * nodes * slot as usize..][..6 * nodes];
            // From [component][node] to [node][component]; single precision suffices for plots.
            own.extend((0..6 * nodes).map(|i| values[i % 6 * nodes + i / 6] as f32));
        }
        let elements = self.share.study.monitors.snapshots.len();
        placed(&gathered(self.comm, &own)?, &self.numbers.snapshots, 1, elements, 6 * nodes)
    }

    /// The current fields of all elements, on rank 0: [element][component][node], E and η₀H.
    pub fn fields(&mut self) -> Result<Vec<f64>, DgtdError> {
        let (fields, per) = (self.engine.fields()?, 6 * self.share.plan.element.len());
        // Slots are sorted by kind and border, which depends on the ranks; results are in the order of the mesh.
        let slots = self.share.tets.iter().map(|&tet| self.share.plan.slot_of[tet as usize] as usize);
        let own: Vec<f64> = slots.flat_map(|slot| &fields[per * slot..][..per]).copied().collect();
        let elements = self.share.study.domain.mesh.tets.len();
        placed(&gathered(self.comm, &own)?, &self.numbers.tets, 1, elements, per)
    }

    /// The state of this rank's elements.
    pub fn part(&mut self) -> Result<CheckpointPart, DgtdError> {
        let numbers = PartNumbers { tets: self.share.tets.clone(), nodes: self.share.node_numbers.clone() };
        let values = PartValues { fields: self.engine.state()?, spectra: self.engine.spectra()? };
        Ok(CheckpointPart { numbers, values })
    }

    /// Restores a saved state: every rank reads its elements. On all ranks the steps of the checkpoint that rank 0 has, and whether its
    /// run had settled.
    pub fn restore(&mut self, saved: &Saved<'_>, settled: bool) -> Result<(u64, bool), DgtdError> {
        let own = Assembly::new(self.share)?.fill(saved.parts);
        let (fields, spectra) = agreed(self.comm, own)?;
        self.engine.restore(&fields, &spectra)?;
        self.exchange()?;
        let mut message = [&saved.checkpoint.steps.to_le_bytes()[..], &[u8::from(settled)]].concat();
        self.comm.broadcast(&mut message)?;
        let (steps, settled) = message.split_at_checked(8).unwrap_or_default();
        Ok((u64::from_le_bytes(steps.try_into().unwrap_or_default()), settled == [1]))
    }

    /// What each rank did, on rank 0; empty for a single rank.
    pub fn reports(&self) -> Result<Vec<RankReport>, DgtdError> {
        if self.comm.size() == 1 {
            return Ok(Vec::new());
        }
        let (mut exchanges, mut bytes, mut seconds_waited) = (0, 0, 0.0);
        for Traffic { exchanges: more, bytes_sent, seconds_waited: waited, .. } in
            self.halos.iter().map(|halo| halo.traffic())
        {
            exchanges += more;
            bytes += bytes_sent;
            seconds_waited += waited;
        }
        let per_exchange = bytes as f64 / (exchanges.max(1)) as f64;
        let ranks = gathered(self.comm, &[self.share.tets.len() as f64, per_exchange, seconds_waited])?;
        let report = |rank: &Vec<f64>| match rank[..] {
            [elements, halo_bytes, seconds_waited] => {
                Some(RankReport { elements, halo_bytes, seconds_waited })
            }
            _ => None,
        };
        Ok(ranks.iter().filter_map(report).collect())
    }
}

/// Steps in the samples of a rank.
fn steps((values, numbers): (&Vec<f64>, &Vec<u32>)) -> usize {
    values.len() / numbers.len().max(1)
}

/// The values of every rank, on rank 0.
fn gathered<T: Pod>(comm: &dyn Comm, own: &[T]) -> Result<Vec<Vec<T>>, DgtdError> {
    let ranks = comm.gather(bytemuck::cast_slice(own))?.unwrap_or_default();
    Ok(ranks.iter().map(|bytes| bytemuck::pod_collect_to_vec(bytes)).collect())
}

/// Values of ranks, [plane][item][value], where `numbers` are the indices of their items among all; empty on other ranks than 0.
fn placed<T: Pod>(
    ranks: &[Vec<T>],
    numbers: &[Vec<u32>],
    planes: usize,
    items: usize,
    per: usize,
) -> Result<Vec<T>, DgtdError> {
    if ranks.is_empty() {
        return Ok(Vec::new());
    }
    let mut all = phasefront_device::zeros(planes * items * per)?;
    for (values, numbers) in ranks.iter().zip(numbers) {
        for plane in 0..planes {
            for (i, number) in numbers.iter().enumerate() {
                let from = &values[(plane * numbers.len() + i) * per..][..per];
                all[(plane * items + *number as usize) * per..][..per].copy_from_slice(from);
            }
        }
    }
    Ok(all)
}
