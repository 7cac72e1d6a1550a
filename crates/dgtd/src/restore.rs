//! From the parts of a saved state, however many ranks have saved it, to the elements of one rank.

use crate::ade;
use crate::checkpoint::{PartNumbers, PartValues, SavedParts};
use crate::error::DgtdError;
use crate::share::Share;
use crate::study::Study;
use num_complex::Complex64;
use phasefront_comm::Comm;

/// An element or a node that is not this rank's.
const ELSEWHERE: usize = usize::MAX;

/// The state of a rank's elements, filled part by part.
pub(crate) struct Assembly<'a> {
    study: &'a Study,
    /// Bytes of each element of the study.
    sizes: Vec<usize>,
    /// Where each element of the study begins in `fields`.
    starts: Vec<usize>,
    /// Which node of this rank each one of the study is.
    indices: Vec<usize>,
    nodes: usize,
    /// Elements that are still missing.
    missing: usize,
    fields: Vec<u8>,
    spectra: Vec<Complex64>,
}

impl<'a> Assembly<'a> {
    /// For the elements of a share.
    pub fn new(share: &Share<'a>) -> Result<Self, DgtdError> {
        let study = share.study;
        let sizes = element_bytes(study);
        let (mut starts, mut end) = (vec![ELSEWHERE; sizes.len()], 0);
        for &tet in &share.tets {
            starts[tet as usize] = end;
            end += sizes[tet as usize];
        }
        let mut indices = vec![ELSEWHERE; study.monitors.nodes.len()];
        for (index, &node) in share.node_numbers.iter().enumerate() {
            indices[node as usize] = index;
        }
        let nodes = share.node_numbers.len();
        Ok(Self {
            fields: phasefront_device::zeros(end)?,
            spectra: phasefront_device::zeros(6 * nodes * study.problem.monitors.frequencies.len())?,
            missing: share.tets.len(),
            study,
            sizes,
            starts,
            indices,
            nodes,
        })
    }

    /// Fields and spectra from all parts.
    pub fn fill(mut self, parts: &dyn SavedParts) -> Result<(Vec<u8>, Vec<Complex64>), DgtdError> {
        for part in 0..parts.count() {
            let numbers = parts.numbers(part)?;
            self.check_numbers(&numbers, part)?;
            // Nodes belong to elements: a part without an element of this rank has no node of it either.
            if numbers.tets.iter().any(|tet| self.starts[*tet as usize] != ELSEWHERE) {
                self.take(&numbers, &parts.values(part)?, part)?;
            }
        }
        if self.missing > 0 {
            return Err(DgtdError::WrongState(format!("it lacks {} elements", self.missing)));
        }
        Ok((self.fields, self.spectra))
    }

    fn check_numbers(&self, numbers: &PartNumbers, part: usize) -> Result<(), DgtdError> {
        // Strictly ascending: no element is there twice, and binary data of another mesh is unlikely to pass.
        let fit = |list: &[u32], count: usize| {
            list.is_sorted_by(|a, b| a < b) && list.last().is_none_or(|last| (*last as usize) < count)
        };
        if fit(&numbers.tets, self.starts.len()) && fit(&numbers.nodes, self.indices.len()) {
            return Ok(());
        }
        Err(DgtdError::WrongState(format!("part {part} has elements or nodes of another mesh")))
    }

    /// Takes what belongs to this rank.
    fn take(&mut self, numbers: &PartNumbers, values: &PartValues, part: usize) -> Result<(), DgtdError> {
        let bytes: usize = numbers.tets.iter().map(|tet| self.sizes[*tet as usize]).sum();
        let frequencies = self.study.problem.monitors.frequencies.len();
        let (spectra, count) = (6 * frequencies * numbers.nodes.len(), numbers.nodes.len());
        let (found, found_spectra) = (values.fields.len(), values.spectra.len());
        // Checked before anything is copied: lengths come from a file.
        if (found, found_spectra) != (bytes, spectra) {
            return Err(DgtdError::WrongState(format!(
                "part {part} has {found} bytes and {found_spectra} spectra instead of {bytes} and {spectra}"
            )));
        }
        let mut rest = &values.fields[..];
        for &tet in &numbers.tets {
            let (start, size) = (self.starts[tet as usize], self.sizes[tet as usize]);
            let (now, later) = rest.split_at(size);
            rest = later;
            if start != ELSEWHERE {
                self.fields[start..start + size].copy_from_slice(now);
                // A second part with the same element adds nothing.
                self.starts[tet as usize] = ELSEWHERE;
                self.missing -= 1;
            }
        }
        // Spectra are [frequency][node]: the strides differ, since a part has other nodes than this rank.
        for (i, &node) in numbers.nodes.iter().enumerate() {
            let index = self.indices[node as usize];
            for f in (0..frequencies).filter(|_| index != ELSEWHERE) {
                let from = &values.spectra[6 * (f * count + i)..][..6];
                self.spectra[6 * (f * self.nodes + index)..][..6].copy_from_slice(from);
            }
        }
        Ok(())
    }
}

/// Bytes of the state of each element.
fn element_bytes(study: &Study) -> Vec<usize> {
    let per = study.nodes() * study.problem.precision.bytes();
    let values = |kind| 6 + ade::unknowns(study.kinds.poles, &study.domain, kind);
    let mut sizes: Vec<usize> =
        study.kinds.of.iter().map(|kind| study.saved_registers() * per * values(*kind)).collect();
    for (tet, states) in study.sheet_states() {
        sizes[tet] += study.saved_registers() * states * study.problem.precision.bytes();
    }
    sizes
}

/// A state that one rank cannot use is refused by all of them, for its reason.
pub(crate) fn agreed<T>(comm: &dyn Comm, own: Result<T, DgtdError>) -> Result<T, DgtdError> {
    if comm.size() == 1 {
        return own;
    }
    let mut reason = match &own {
        Err(DgtdError::WrongState(reason)) => {
            format!("rank {} on {}: {reason}", comm.rank(), comm.host()).into_bytes()
        }
        _ => Vec::new(),
    };
    // The first rank that refuses speaks for all, so that every rank has the same message.
    if let Some(reasons) = comm.gather(&reason)? {
        reason = reasons.into_iter().find(|reason| !reason.is_empty()).unwrap_or_default();
    }
    comm.broadcast(&mut reason)?;
    if reason.is_empty() {
        own
    } else {
        Err(DgtdError::WrongState(String::from_utf8_lossy(&reason).into_owned()))
    }
}
