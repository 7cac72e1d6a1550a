//! The sample rate in an HDF5 file: what is nearest to the samples counts.

use super::array::Array;
use super::search::{Library, group_of};
use crate::nah::recordings::recording::{RATES, checked_rate};
use hdf5_pure::AttrValue;

/// From an attribute of the samples, or else of their group or of a number in it, and so on outward; none if there is none.
pub(super) fn of(library: &Library, samples: &Array) -> Result<Option<f64>, String> {
    let mut rate = among(samples.attributes()?);
    let mut path = samples.name.as_str();
    while rate.is_none() && !path.is_empty() {
        path = path.rsplit_once('/').map_or("", |(group, _)| group);
        rate = of_group(library, path)?;
    }
    rate.map(checked_rate).transpose()
}

/// From an attribute of a group, or a number in it.
fn of_group(library: &Library, group: &str) -> Result<Option<f64>, String> {
    let broken = |error: hdf5_pure::Error| format!("its group /{group} cannot be read: {error}");
    let attributes = group_of(&library.file, group).and_then(|group| group.attrs()).map_err(broken)?;
    if let Some(rate) = among(attributes.into_iter().collect()) {
        return Ok(Some(rate));
    }
    for (name, dataset) in library.datasets(group)? {
        if !is_rate(name.rsplit('/').next().unwrap_or_default()) {
            continue;
        }
        let Ok(array) = Array::of(name, dataset) else { continue };
        if array.count() == 1 && array.is_real() {
            array.check_readable(library.size)?;
            let number = array.number()?;
            return Ok(Some(number.kind.value(&array.raw()?, number.endian)));
        }
    }
    Ok(None)
}

/// The first number that has the name of a sample rate; in the order of names, since attributes have none.
fn among(mut attributes: Vec<(String, AttrValue)>) -> Option<f64> {
    attributes.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    attributes.iter().filter(|(name, _)| is_rate(name)).find_map(|(_, value)| {
        value
            .as_f64()
            .or_else(|| value.as_i64().map(|value| value as f64))
            .or_else(|| value.as_u64().map(|value| value as f64))
    })
}

fn is_rate(name: &str) -> bool {
    RATES.contains(&name.to_lowercase().as_str())
}
