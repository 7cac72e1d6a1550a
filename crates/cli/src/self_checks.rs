//! The self-checks of a run or of a case: how far to trust the result.

use crate::output::{Verdict, number};
use crate::table::Table;
use phasefront_core::{Bound, SelfCheck};

/// A row for each self-check. What a value means is in the report, and in the warning where it does
/// not hold.
pub fn table(checks: &[SelfCheck]) -> Table {
    let mut table = Table::new(&["self-check"], &["value", "limit"]);
    for check in checks {
        let unit = if check.unit.is_empty() { String::new() } else { format!(" {}", check.unit) };
        let sign = match check.bound {
            Bound::AtMost => "<=",
            Bound::AtLeast => ">=",
        };
        let cells = [
            check.name.clone(),
            format!("{}{unit}", number(check.value)),
            format!("{sign} {}{unit}", number(check.limit)),
        ];
        table.row(&cells, Some(Verdict::of_self_check(check.holds())));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Style;

    #[test]
    fn a_self_check_that_does_not_hold_is_marked() {
        let checks = [
            SelfCheck::at_most("residual", 3e-14, 1e-6, "Sampled rows of the equations hold."),
            SelfCheck::at_least("edge length", 2.5, 5.0, "Refine the mesh.").in_unit("mm"),
            SelfCheck::at_most("energy\x1b[2J", f64::NAN, 0.1, ""),
        ];
        let lines = "self-check        value    limit\n\
                     residual          3e-14  <= 1e-6  holds\n\
                     edge length      2.5 mm  >= 5 mm  WARNING\n\
                     energy\\u{1b}[2J     NaN   <= 0.1  WARNING\n";
        assert_eq!(table(&checks).render(Style::PLAIN), lines);
    }
}
