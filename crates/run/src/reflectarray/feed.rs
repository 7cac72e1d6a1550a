//! The feed: a power of the cosine, or a far field from a file.

use crate::antenna_pattern::far_fields;
use crate::input::InputFolder;
use phasefront_case::model::reflectarray::Feed as CaseFeed;
use phasefront_case::model::{AntennaPattern, Point};
use phasefront_core::FieldError;
use phasefront_pattern::Pattern;
use phasefront_reflectarray::{Feed, FeedPattern, SampledFeed};

/// The feed of a case.
pub(super) fn feed(case: &CaseFeed, frequencies: &[f64], folder: &InputFolder) -> Result<Feed, FieldError> {
    let pattern = match &case.pattern {
        // One of the two is given, or the case was refused.
        None => FeedPattern::Cosine { power_exponent: case.power_exponent.unwrap_or_default() },
        Some(pattern) => FeedPattern::Sampled(sampled(pattern, frequencies, folder)?),
    };
    Ok(Feed {
        offset: case.offset.si(),
        height: case.height.si(),
        pattern,
        polarization: case.polarization.si(),
    })
}

fn sampled(
    case: &AntennaPattern,
    frequencies: &[f64],
    folder: &InputFolder,
) -> Result<SampledFeed, FieldError> {
    Ok(SampledFeed {
        far_fields: far_fields(case, frequencies, folder, "geometry.feed.pattern")?.into(),
        rotation: case.rotation.si(),
        phase_center: case.phase_center.map_or([0.0; 3], Point::si),
    })
}

/// What is not known of a feed.
pub(super) fn warnings(feed: &Feed) -> Vec<String> {
    let FeedPattern::Sampled(sampled) = &feed.pattern else { return Vec::new() };
    let is_known =
        |pattern: &Pattern| pattern.powers().radiated.is_some() || pattern.radiated_power().is_ok();
    if sampled.far_fields.iter().all(is_known) {
        return Vec::new();
    }
    vec![
        "the spillover is not known: the pattern of the feed covers a part of the sphere, and its file has no directivity to tell the \
         radiated power; export theta from 0 to 180 deg and phi over 360 deg"
            .into(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads this text as a file of this name in a case with these frequencies.
    fn read(name: &str, text: &str, frequencies: &[f64]) -> Result<Feed, FieldError> {
        let path = std::env::temp_dir().join(format!("phasefront-feed-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join(name), text).unwrap();
        let case: CaseFeed = serde_json::from_value(serde_json::json!({
            "offset": "0.1 m", "height": "0.3 m", "pattern": { "file": name, "rotation": "90 deg" }
        }))
        .unwrap();
        let read = feed(&case, frequencies, &InputFolder::new(&path));
        std::fs::remove_dir_all(&path).unwrap();
        read
    }

    #[test]
    fn a_file_of_each_frequency_is_read() {
        let cut = "cut\n0 30 2 0 3 1 2\n1 0 0 0\n0.5 0 0 0\ncut\n0 30 2 90 3 1 2\n1 0 0 0\n0.5 0 0 0\n";
        let fed = read("a.cut", cut, &[1e10]).unwrap();
        let FeedPattern::Sampled(sampled) = &fed.pattern else { panic!("samples") };
        assert_eq!((sampled.far_fields[0].frequency(), sampled.far_fields[0].theta().len()), (1e10, 2));
        assert!((sampled.rotation - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
        // A part of the sphere, and no directivity.
        assert_eq!(warnings(&fed).len(), 1);
        let error = read("b.cut", cut, &[1e10, 1.1e10]).unwrap_err();
        assert_eq!(error.path, "geometry.feed.pattern.file");
        assert_eq!(error.message, "b.cut: patterns in the file: 1; frequencies known for them: 2");
    }

    #[test]
    fn other_files_are_refused() {
        let error = read("a.txt", "", &[1e10]).unwrap_err();
        assert_eq!(error.message, "a.txt: the ending of the name tells no format");
        let error = read("a.ffe", "nothing", &[1e10]).unwrap_err();
        assert_eq!(error.path, "geometry.feed.pattern.file");
        assert!(error.message.starts_with("a.ffe: line 1: "), "{}", error.message);
    }
}
