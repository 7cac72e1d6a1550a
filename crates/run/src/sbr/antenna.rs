//! Antennas at positions: what a case says of them, and what they receive as a table and a plot.

use crate::antenna_pattern::far_fields;
use crate::format::degrees;
use crate::input::InputFolder;
use phasefront_case::model::sbr::Antenna as CaseAntenna;
use phasefront_case::model::{Point, Three};
use phasefront_core::constants::C0;
use phasefront_core::decibels::power_db;
use phasefront_core::{FieldError, Quantity};
use phasefront_mesh::TriangleMesh;
use phasefront_report::Table;
use phasefront_sbr::{Antenna, AntennaPattern, Antennas, Link, Reception, Response, SampledAntenna};

/// An antenna of a case; `path` is that of its table.
pub(super) fn antenna(
    case: &CaseAntenna,
    path: &str,
    mesh: &TriangleMesh,
    frequencies: &[f64],
    folder: &InputFolder,
) -> Result<Antenna, FieldError> {
    let position = case.position.si();
    let [low, high] = mesh.bounds();
    let toward_middle = [0, 1, 2].map(|k| 0.5 * (low[k] + high[k]) - position[k]);
    let mut rotation = case.polarization.map_or(0.0, Quantity::si);
    let pattern = if let Some(power_exponent) = case.power_exponent {
        AntennaPattern::Cosine { power_exponent }
    } else if let Some(length) = case.dipole {
        AntennaPattern::Dipole { lengths: frequencies.iter().map(|f| length.meters(C0 / f)).collect() }
    } else if let Some(pattern) = &case.pattern {
        rotation = pattern.rotation.si();
        AntennaPattern::Sampled(SampledAntenna {
            far_fields: far_fields(pattern, frequencies, folder, &format!("{path}.pattern"))?.into(),
            phase_center: pattern.phase_center.map_or([0.0; 3], Point::si),
        })
    } else {
        AntennaPattern::Isotropic
    };
    let boresight = case.boresight.map_or(toward_middle, |Three(boresight)| boresight);
    Ok(Antenna { position, boresight, rotation, pattern })
}

/// `received.csv`: what each receiver receives of each transmitter.
pub(super) fn received(antennas: &Antennas, reception: &Reception) -> Table {
    let rows: Vec<(&Link, &Response)> =
        reception.links.iter().flat_map(|link| link.responses.iter().map(move |at| (link, at))).collect();
    let column = |get: &dyn Fn(&Link, &Response) -> f64| rows.iter().map(|(l, at)| get(l, at)).collect();
    let receiver = |link: &Link| match (link.receiver, &antennas.receivers) {
        (Some(i), Some(receivers)) => &receivers[i],
        _ => &antennas.transmitters[link.transmitter],
    };
    let mut table = Table::new("received")
        .number("frequency_hz", column(&|_, at| at.frequency))
        .number("transmitter", column(&|link, _| (link.transmitter + 1) as f64))
        .number("receiver", column(&|link, _| (link.receiver.unwrap_or(link.transmitter) + 1) as f64));
    for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
        let position = |link: &Link, _: &Response| antennas.transmitters[link.transmitter].position[k];
        table = table.number(format!("transmitter_{axis}_m"), column(&position));
    }
    for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
        table = table.number(format!("receiver_{axis}_m"), column(&|link, _| receiver(link).position[k]));
    }
    table
        .number("transmitter_range_m", column(&|link, _| link.ranges[0]))
        .number("receiver_range_m", column(&|link, _| link.ranges[1]))
        .number("transmitter_gain_dbi", column(&|_, at| power_db(at.gains[0])))
        .number("receiver_gain_dbi", column(&|_, at| power_db(at.gains[1])))
        .number("power_ratio_db", column(&|_, at| power_db(at.transmission.norm_sqr())))
        .number("phase_deg", column(&|_, at| degrees(at.transmission.arg())))
        .number("transmission_re", column(&|_, at| at.transmission.re))
        .number("transmission_im", column(&|_, at| at.transmission.im))
        .number("sigma_dbsm", column(&|_, at| power_db(at.cross_section)))
}
