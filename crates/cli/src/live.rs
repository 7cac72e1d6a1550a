//! `phasefront run --live`: the page of a run in progress.

use crate::args::Run;
use crate::failure::Result;
use crate::output;
use crate::view::serve;
use phasefront_core::{Event, Sink};
use phasefront_run::{Outcome, RunError};
use phasefront_viewer::{Config, End, Live, Server};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

/// Time in which a page receives the end of a run.
const TOLD: Duration = Duration::from_millis(200);

/// The page of a run.
pub struct LivePage {
    live: Arc<Live>,
    _server: Server,
}

impl LivePage {
    /// Opens it for the case that `args` names. Results in the default folder are shown with the
    /// others there; an explicit folder is shown alone, since its neighbors need not be results.
    pub fn open(args: &Run, case: &Path, quiet: bool) -> Result<Self> {
        let (name, solver) = phasefront_run::identify(case)?;
        let (root, folder) = match &args.out {
            // The empty path is the root itself.
            Some(out) => (out.clone(), String::new()),
            None => (PathBuf::from("results"), name.clone()),
        };
        let live = Live::new(&name, solver, &folder);
        let shown = output::path_text(&root);
        let config = Config { root, live: Some(live.clone()), ..Config::default() };
        let server = serve(config, &shown, &args.page, quiet)?;
        Ok(Self { live, _server: server })
    }

    /// Forwards events to the page and to `next`.
    pub fn sink(&self, next: Arc<dyn Sink>) -> Arc<dyn Sink> {
        Arc::new(Both { first: self.live.clone(), second: next })
    }

    /// Reports the end of the run to the page.
    pub fn end(&self, ran: &std::result::Result<Outcome, RunError>) {
        let (state, message) = match ran {
            Ok(_) => ("finished", String::new()),
            Err(error @ (RunError::Interrupted(_) | RunError::Stopped { .. })) => {
                ("stopped", error.to_string())
            }
            Err(error) => ("failed", error.to_string()),
        };
        self.live.end(End { state, message });
    }

    /// Waits until the page is closed or `stop` is set; after a failure only until the page has
    /// received it, since the terminal reports it too.
    pub fn wait(&self, stop: &AtomicBool, good: bool) {
        if good {
            self.live.wait(stop);
        } else {
            thread::sleep(TOLD);
        }
    }
}

struct Both {
    first: Arc<Live>,
    second: Arc<dyn Sink>,
}

impl Sink for Both {
    fn event(&self, event: Event<'_>) {
        self.first.event(event);
        self.second.event(event);
    }
}
