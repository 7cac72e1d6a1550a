//! Progress on standard error: bars on a terminal; in a log one line per finished stage, and one every so often while stages last.

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

/// When a log has its first line on a stage that lasts, and the longest time between two.
const LOG_INTERVALS: [Duration; 2] = [Duration::from_secs(10), Duration::from_mins(10)];

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
    /// Of a log, while stages run.
    clock: Option<LogClock>,
}

/// When the next line of a log is due: each interval is twice the one before it.
struct LogClock {
    next: Instant,
    interval: Duration,
}

impl LogClock {
    fn new(now: Instant) -> Self {
        let [interval, _] = LOG_INTERVALS;
        Self { next: now + interval, interval }
    }

    /// Whether a line is due, once for each.
    fn is_due(&mut self, now: Instant) -> bool {
        let due = now >= self.next;
        if due {
            self.interval = (2 * self.interval).min(LOG_INTERVALS[1]);
            self.next = now + self.interval;
        }
        due
    }
}

struct Running {
    id: u64,
    name: String,
    unit: String,
    done: u64,
    started: Instant,
    /// What was done when it first advanced, and when: a resumed run begins in the middle.
    first: Option<(u64, Instant)>,
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
        let mut state = self.state();
        if state.stages.is_empty() {
            state.clock = (!self.style.is_terminal).then(|| LogClock::new(started));
        }
        state.stages.push(Running { id, name, unit, done: 0, started, first: None, bar, scalars });
    }

    /// Says in a log how far the running stages are, every so often.
    fn log(&self, now: Instant) {
        let line = {
            let mut state = self.state();
            let is_due = state.clock.as_mut().is_some_and(|clock| clock.is_due(now));
            is_due.then(|| stages_text(&state.stages, now)).flatten()
        };
        if let Some(line) = line {
            self.say(&line);
        }
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
                    stage.first.get_or_insert_with(|| (done, Instant::now()));
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
        self.log(Instant::now());
    }
}

/// The running stages, the outermost first, and the time that is left by the first that knows its end: `sweep: 1 of 4 cases, time steps: 120
/// of 480 (25 %), about 3 min 20 s left`. None of stages that count nothing.
fn stages_text(stages: &[Running], now: Instant) -> Option<String> {
    let counted: Vec<&Running> = stages.iter().filter(|stage| !stage.unit.is_empty()).collect();
    let mut parts: Vec<String> = counted.iter().map(|stage| stage.position()).collect();
    parts.extend(counted.iter().find_map(|stage| stage.left(now)));
    (!counted.is_empty()).then(|| format!("{}\n", parts.join(", ")))
}

impl Running {
    /// `time steps: 120 of 480 (25 %)`.
    fn position(&self) -> String {
        let Self { name, unit, done, .. } = self;
        match self.bar.length() {
            Some(total) if total > 0 => {
                format!("{name}: {done} of {total} {unit} ({:.0} %)", 100.0 * *done as f64 / total as f64)
            }
            _ => format!("{name}: {done} {unit}"),
        }
    }

    /// `about 3 min 20 s left`, at the mean rate so far.
    fn left(&self, now: Instant) -> Option<String> {
        let (total, (first, since)) = (self.bar.length()?, self.first?);
        let done = self.done.checked_sub(first).filter(|done| *done > 0)?;
        let elapsed = now.saturating_duration_since(since).as_secs_f64();
        let left = elapsed * total.saturating_sub(self.done) as f64 / done as f64;
        Some(format!("about {} left", output::seconds(left.round())))
    }

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

    #[test]
    fn lines_of_a_log_become_rare() {
        let start = Instant::now();
        let mut clock = LogClock::new(start);
        let due: Vec<u64> = (0..3600).filter(|s| clock.is_due(start + Duration::from_secs(*s))).collect();
        assert_eq!(due, [10, 30, 70, 150, 310, 630, 1230, 1830, 2430, 3030]);
    }

    #[test]
    fn a_log_tells_where_stages_are_and_what_is_left() {
        let bars = Bars::new(true);
        let text = |seconds: u64| {
            let state = bars.state();
            let start = state.stages.first().map_or_else(Instant::now, |stage| stage.started);
            stages_text(&state.stages, start + Duration::from_secs(seconds))
        };
        bars.event(Event::Stage { id: 0, name: "prepare", total: None, unit: "" });
        assert_eq!(text(10), None);
        bars.event(Event::Stage { id: 1, name: "time", total: Some(400), unit: "steps" });
        assert_eq!(text(10).unwrap(), "time: 0 of 400 steps (0 %)\n");
        bars.event(Event::Advance { id: 1, done: 40 });
        bars.event(Event::Advance { id: 1, done: 100 });
        bars.event(Event::Stage { id: 2, name: "save", total: None, unit: "files" });
        // Resumed at 40: 60 in a minute, and 300 more.
        assert_eq!(
            text(60).unwrap(),
            "time: 100 of 400 steps (25 %), save: 0 files, about 5 min 00 s left\n"
        );
    }
}
