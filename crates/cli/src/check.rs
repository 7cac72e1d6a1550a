//! `phasefront check`: validates a case and reports the resources that it needs.

use crate::args::Check;
use crate::case_file;
use crate::failure::Result;
use crate::output::{Style, number, seconds};
use crate::self_checks;
use crate::session::Session;
use phasefront_core::text::visible;
use phasefront_core::units::bytes_text;
use phasefront_run::Plan;
use std::fmt::Write;
use std::process::ExitCode;

/// Runs it.
pub fn check(args: &Check) -> Result<ExitCode> {
    let mut session = Session::new(&args.verbosity);
    let case = case_file::find(&args.case)?;
    let (progress, _stop) = session.progress()?;
    let plan = phasefront_run::check(&case, &args.options(), &progress)?;
    plan.warnings.iter().for_each(|warning| session.bars.warn(warning));
    if session.json {
        session.out.json(&plan)?;
    } else {
        let text = describe(&plan, session.style);
        session.print(&text)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn describe(plan: &Plan, style: Style) -> String {
    let mut text = format!("{} ({}): the case is valid\n", style.bold(&visible(&plan.name)), plan.solver);
    let settings = plan.settings.iter().map(|setting| setting.path.len());
    let width = settings.chain(plan.facts.keys().map(String::len)).max().unwrap_or(0);
    // Writing to a string cannot fail.
    text += "\nsettings\n";
    for setting in &plan.settings {
        let _ = write!(text, "  {:<width$}  {}", visible(&setting.path), visible(&setting.value));
        if setting.is_default {
            text += &style.dim("  (default)");
        }
        text.push('\n');
    }
    text += "\nfacts\n";
    for (name, value) in &plan.facts {
        let _ = writeln!(text, "  {:<width$}  {}", visible(name), number(*value));
    }
    let checks = self_checks::table(&plan.trust);
    if !checks.is_empty() {
        let _ = write!(text, "\n{}", checks.render(style));
    }
    let _ = writeln!(text, "\ndevice  {}", plan.device);
    for usage in &plan.memory {
        let [needed, free] = [usage.needed_bytes, usage.free_bytes].map(bytes_text);
        let _ = writeln!(text, "memory  {needed} needed, {free} free ({})", usage.place);
    }
    match (plan.likely_seconds, plan.seconds) {
        (Some(likely), Some(most)) if likely < most => {
            let [likely, most] = [likely, most].map(seconds);
            let _ = writeln!(text, "time    about {likely} without long-lived resonances, {most} at most");
        }
        (_, Some(most)) => {
            let _ = writeln!(text, "time    {} at most", seconds(most));
        }
        (Some(likely), None) => {
            let _ = writeln!(text, "time    about {}", seconds(likely));
        }
        (None, None) => {}
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_case::Setting;
    use phasefront_run::MemoryUse;

    #[test]
    fn defaults_are_marked() {
        let setting = |path: &str, value: &str, is_default| Setting {
            path: path.to_owned(),
            value: value.to_owned(),
            is_default,
        };
        let plan = Plan {
            name: "circle".into(),
            solver: "mom".into(),
            settings: vec![setting("solve.order", "8", false), setting("solve.method", "\"lcn\"", true)],
            facts: [("unknowns".to_owned(), 256.0)].into(),
            device: "cpu, 2 threads".into(),
            memory: vec![MemoryUse { place: "host", needed_bytes: 1 << 20, free_bytes: 1 << 30 }],
            seconds: Some(12.5),
            likely_seconds: Some(2.5),
            trust: Vec::new(),
            warnings: Vec::new(),
        };
        let text = describe(&plan, Style::PLAIN);
        assert!(text.contains("solve.order   8\n"), "{text}");
        assert!(text.contains("solve.method  \"lcn\"  (default)\n"), "{text}");
        assert!(
            text.contains("memory  1.0 MiB needed, 1.0 GiB free (host)\ntime    about 2.50 s without long-lived resonances, 12.50 s at most\n"),
            "{text}"
        );
    }
}
