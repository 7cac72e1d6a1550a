//! Self-checks of several runs as one list.

use phasefront_core::{Bound, SelfCheck};

/// Of the self-checks of each name the one that holds least, in order of first appearance.
pub(super) fn worst(all: impl Iterator<Item = SelfCheck>) -> Vec<SelfCheck> {
    let mut found: Vec<SelfCheck> = Vec::new();
    for check in all {
        match found.iter_mut().find(|known| known.name == check.name) {
            Some(known) if is_worse(&check, known) => *known = check,
            Some(_) => {}
            None => found.push(check),
        }
    }
    found
}

/// Checks of one name have one bound and one limit.
fn is_worse(check: &SelfCheck, than: &SelfCheck) -> bool {
    match check.bound {
        Bound::AtMost => check.value > than.value,
        Bound::AtLeast => check.value < than.value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_run_is_told() {
        let decay = |value: f64| SelfCheck::at_least("decay", value, 50.0, format!("{value} dB"));
        let rise = |value: f64| SelfCheck::at_most("rise", value, 2.0, format!("{value}"));
        let found = worst([decay(60.0), rise(1.0), decay(40.0), rise(3.0), decay(70.0)].into_iter());
        assert_eq!(found, [decay(40.0), rise(3.0)]);
    }
}
