//! The near field: Gauss quadrature on the device for far cells, near-singular quadrature on the host for near ones.

use super::context::{Context, DeviceMedium, DeviceSystem, GROUP};
use super::solve;
use crate::error::MomError;
use crate::media::Media;
use crate::near_field::Region;
use crate::system::System;
use num_complex::{Complex, Complex64};
use phasefront_core::{Progress, Real};
use phasefront_device::{Arg, Buffer, Complex as DeviceComplex, Grid};
use rayon::prelude::*;

/// The field of the first solution at points in the given regions: scattered outside, total in a dielectric.
pub(super) fn field<T: Real>(
    device: (&Context, &DeviceSystem),
    system: &System<'_>,
    solutions: &Buffer<Complex<T>>,
    (points, regions): (&[Complex64], &[Region]),
    progress: &Progress,
) -> Result<Vec<Complex64>, MomError>
where
    Complex<T>: DeviceComplex,
{
    let stage = progress.stage("near", Some(points.len() as u64), "points");
    let regions_of_media = std::iter::once(None).chain(system.interiors.iter().map(|i| Some(i.block)));
    let mut field = vec![Complex64::ZERO; points.len()];
    // One launch per medium: all points of a launch have the same wavenumber.
    for inside in regions_of_media {
        progress.check()?;
        let here: Vec<usize> = (0..points.len()).filter(|&i| regions[i].inside == inside).collect();
        if here.is_empty() {
            continue;
        }
        let chosen: Vec<(Complex64, &Region)> = here.iter().map(|&i| (points[i], &regions[i])).collect();
        let values = far_cell_field(device, system, solutions, inside, &chosen)?;
        here.iter().zip(values).for_each(|(&i, value)| field[i] = value);
        stage.advance(here.len() as u64);
    }
    // Near cells on the host: few of them, and their quadrature branches too much for a kernel.
    let solution = &solve::select(device.0, solutions, &[0])?[0];
    let media = Media::new(system);
    field.par_iter_mut().enumerate().for_each(|(i, value)| {
        if regions[i].near_cells.is_empty() {
            return;
        }
        let medium = media.at(regions[i].inside);
        *value += system.near_cell_field(solution, points[i], &regions[i], medium);
    });
    Ok(field)
}

/// The field of the far cells at points in one medium.
fn far_cell_field<T: Real>(
    (context, device): (&Context, &DeviceSystem),
    system: &System<'_>,
    solutions: &Buffer<Complex<T>>,
    inside: Option<usize>,
    points: &[(Complex64, &Region)],
) -> Result<Vec<Complex64>, MomError>
where
    Complex<T>: DeviceComplex,
{
    let gpu = &context.gpu;
    let (k, single, double) = system.representation(inside);
    // Inside a dielectric only its own layers radiate.
    let unknowns = inside.map_or(0..context.n, |block| system.layout.blocks[block].unknowns.clone());
    // Near cells of all points in one list, and where those of each point begin.
    let (mut near_cells, mut starts) = (Vec::new(), vec![0]);
    for (_, region) in points {
        near_cells.extend(region.near_cells.iter().map(|&c| c as i32));
        starts.push(near_cells.len() as i32);
    }
    let coordinates: Vec<f64> = points.iter().flat_map(|(p, _)| [p.re, p.im]).collect();
    let field: Buffer<Complex64> = gpu.alloc(points.len())?;
    let (coordinates, starts) = (gpu.upload(&coordinates)?, gpu.upload(&starts)?);
    let near_cells = gpu.upload(&near_cells)?;
    let medium = DeviceMedium::new(&**gpu, k)?;
    let mut args = vec![Arg::from(&field), solutions.into()];
    args.extend(context.node_args());
    args.extend(device.column_args());
    args.extend(medium.args());
    args.extend([Arg::from(&coordinates), Arg::from(&starts), Arg::from(&near_cells)]);
    args.extend([points.len(), unknowns.start, unknowns.end].map(|size| Arg::I64(size as i64)));
    args.extend([single.re, single.im, double.re, double.im].map(Arg::F64));
    context.launch("far_cell_field", Grid::cover(points.len(), GROUP), &args)?;
    Ok(gpu.download(&field)?)
}
