//! Progress on standard error: bars on a terminal, one line per finished stage in a log.

use crate::output::{self, Style};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use phasefront_core::text::{visible, visible_lines};
use phasefront_core::{Event, Sink};
use std::collections::HashSet;
use std::fmt;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Redraw interval of idle bars, so that their clocks advance.
const TICK: Duration = Duration::from_millis(200);

/// Draws the events of a run.
pub struct Bars {
    multi: MultiProgress,
    state: Mutex<State>,
    style: Style,
    quiet: bool,
}

#[derive(Default)]
struct State {
    /// Running stages, the innermost last.
    stages: Vec<Running>,
    warned: HashSet<String>,
    noted: HashSet<String>,
}

struct Running {
    id: u64,
    name: String,
    unit: String,
    done: u64,
    started: Instant,
    bar: ProgressBar,
    /// The last value of each series during the stage, in order of first appearance.
    scalars: Vec<(String, f64)>,
}

impl Bars {
    /// For standard error as it is; `quiet` draws nothing, and prints warnings only.
    pub fn new(quiet: bool) -> Self {
        let style = Style::stderr();
        let drawn = style.is_terminal && !quiet;
        let target = if drawn { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self { multi: MultiProgress::with_draw_target(target), state: Mutex::default(), style, quiet }
    }

    /// A writer to standard error that does not disturb the bars.
    pub fn writer(&self) -> Writer {
        Writer(self.multi.clone())
    }

    /// Prints a message above the bars, unless quiet.
    pub fn say(&self, text: &str) {
        if !self.quiet {
            self.multi.suspend(|| output::message(text));
        }
    }

    /// Prints a warning, also if quiet, unless the same was printed before.
    pub fn warn(&self, text: &str) {
        if self.state().warned.insert(text.to_owned()) {
            let line = format!("{} {}\n", self.style.bold("warning:"), visible_lines(text));
            self.multi.suspend(|| output::message(&line));
        }
    }

    /// Prints a note unless the same was printed before: every case of a demo runs on the same device.
    fn note(&self, text: &str) {
        if self.state().noted.insert(text.to_owned()) {
            self.say(&format!("{}\n", visible_lines(text)));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere must not be masked by a second one here.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, id: u64, name: &str, total: Option<u64>, unit: &str) {
        let (name, unit) = (visible(name), visible(unit));
        let bar = self.multi.add(ProgressBar::no_length());
        if let Some(total) = total {
            bar.set_length(total);
        }
        bar.set_style(bar_style(total.is_some(), &unit));
        bar.set_prefix(name.clone().into_owned());
        // A ticking thread without a terminal would only cost time.
        if self.style.is_terminal && !self.quiet {
            bar.enable_steady_tick(TICK);
        }
        let (name, unit) = (name.into_owned(), unit.into_owned());
        let (started, scalars) = (Instant::now(), Vec::new());
        self.state().stages.push(Running { id, name, unit, done: 0, started, bar, scalars });
    }

    fn end(&self, id: u64) {
        let (stage, outermost) = {
            let mut state = self.state();
            // The lock is released before the bar is cleared: drawing may wait for the terminal.
            let Some(index) = state.stages.iter().position(|stage| stage.id == id) else { return };
            (state.stages.remove(index), state.stages.is_empty())
        };
        stage.bar.finish_and_clear();
        self.multi.remove(&stage.bar);
        // A log of a long sweep has a line for the sweep, not for each of its steps; and none for a stage that counts nothing.
        if !self.style.is_terminal && outermost && !stage.unit.is_empty() {
            self.say(&stage.summary());
        }
    }
}

impl Sink for Bars {
    fn event(&self, event: Event<'_>) {
        match event {
            Event::Stage { id, name, total, unit } => self.begin(id, name, total, unit),
            Event::Advance { id, done } => {
                if let Some(stage) = self.state().stages.iter_mut().find(|stage| stage.id == id) {
                    // Threads may report out of order; a bar never goes back.
                    stage.done = stage.done.max(done);
                    stage.bar.set_position(stage.done);
                }
            }
            Event::Total { id, total } => {
                if let Some(stage) = self.state().stages.iter().find(|stage| stage.id == id) {
                    stage.bar.set_length(total.max(stage.done));
                }
            }
            Event::StageEnd { id } => self.end(id),
            Event::Scalar { series, value, .. } => {
                // Scalars belong to the innermost stage, whose bar has room for them.
                if let Some(stage) = self.state().stages.last_mut() {
                    stage.take(series, value);
                    stage.bar.set_message(stage.scalars());
                }
            }
            Event::Frame(_) => {}
            Event::Note(text) => self.note(text),
            Event::Warning(text) => self.warn(text),
        }
    }
}

impl Running {
    fn take(&mut self, series: &str, value: f64) {
        let series = visible(series).into_owned();
        match self.scalars.iter_mut().find(|(name, _)| *name == series) {
            Some(scalar) => scalar.1 = value,
            None => self.scalars.push((series, value)),
        }
    }

    /// `objective 1.23e4  d_min_dbi 29.31`.
    fn scalars(&self) -> String {
        let texts: Vec<String> =
            self.scalars.iter().map(|(name, value)| format!("{name} {}", output::short(*value))).collect();
        texts.join("  ")
    }

    fn summary(&self) -> String {
        let elapsed = self.started.elapsed().as_secs_f64();
        let time = output::seconds(elapsed);
        let scalars = if self.scalars.is_empty() { String::new() } else { format!("  {}", self.scalars()) };
        if self.done == 0 {
            return format!("{}: {time}{scalars}\n", self.name);
        }
        let rate = output::per_second(self.done as f64 / elapsed.max(1e-9));
        format!("{}: {} {} in {time} ({rate}){scalars}\n", self.name, self.done, self.unit)
    }
}

fn bar_style(bounded: bool, unit: &str) -> ProgressStyle {
    // Braces in a unit would be read as a template.
    let unit = unit.replace(['{', '}'], "");
    let template = if bounded {
        format!(
            "{{prefix:14}} {{bar:28}} {{percent:>3}} %  {{human_pos}}/{{human_len}} {unit}  \
             {{rate}}  {{eta}} left  {{msg}}"
        )
    } else if unit.is_empty() {
        "{prefix:14} {spinner} {elapsed}  {msg}".to_owned()
    } else {
        format!("{{prefix:14}} {{spinner}} {{human_pos}} {unit}  {{elapsed}}  {{msg}}")
    };
    let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style.with_key("rate", |state: &ProgressState, text: &mut dyn fmt::Write| {
        // A failure to draw must not stop the run.
        let _ = text.write_str(&output::per_second(state.per_sec()));
    })
}

/// See [`Bars::writer`].
#[derive(Clone)]
pub struct Writer(MultiProgress);

impl Write for Writer {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.0.suspend(|| io::stderr().lock().write(buffer))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_nest_and_repeated_warnings_are_dropped() {
        let bars = Bars::new(true);
        bars.event(Event::Stage { id: 0, name: "sweep", total: Some(2), unit: "frequencies" });
        bars.event(Event::Stage { id: 1, name: "fill {odd}", total: None, unit: "rows {odd}" });
        bars.event(Event::Advance { id: 1, done: 5 });
        bars.event(Event::Advance { id: 1, done: 3 });
        bars.event(Event::Advance { id: 0, done: 1 });
        bars.event(Event::Total { id: 0, total: 4 });
        assert_eq!(bars.state().stages[0].bar.length(), Some(4));
        let done = || bars.state().stages.iter().map(|stage| stage.done).collect::<Vec<_>>();
        assert_eq!(done(), [1, 5]);
        for (series, value) in [("objective", 12345.678), ("d_min_dbi", 29.0), ("d_min_dbi", 29.314)] {
            bars.event(Event::Scalar { series, x_label: "", x: 1.0, value });
        }
        assert_eq!(bars.state().stages[1].scalars(), "objective 1.235e4  d_min_dbi 29.31");
        bars.event(Event::StageEnd { id: 1 });
        assert_eq!(done(), [1]);
        bars.event(Event::Warning("thin"));
        bars.event(Event::Warning("thin"));
        assert_eq!(bars.state().warned.len(), 1);
        bars.event(Event::StageEnd { id: 0 });
        bars.event(Event::StageEnd { id: 0 });
        assert!(bars.state().stages.is_empty());
    }
}
