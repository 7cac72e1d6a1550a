//! `phasefront view`: serves a page of a folder of results.

use crate::args::{Page, View};
use crate::failure::{Failure, Result};
use crate::output;
use crate::signals;
use phasefront_viewer::{Config, Server, ViewerError};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Runs it until Ctrl-C.
pub fn view(args: &View) -> Result<ExitCode> {
    let stop = signals::install(true)?;
    let config = Config { root: args.folder.clone(), ..Config::default() };
    let _server = serve(config, &output::path_text(&args.folder), &args.page, args.quiet)?;
    wait(&stop);
    Ok(ExitCode::SUCCESS)
}

/// Waits for Ctrl-C.
pub fn wait(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(50));
    }
}

/// Starts the server, prints its address with `what` it shows, and opens the browser.
pub fn serve(config: Config, what: &str, page: &Page, quiet: bool) -> Result<Server> {
    let config = Config { port: page.port.unwrap_or(0), no_token: page.no_token, ..config };
    let mut server = Server::start(config).map_err(failure)?;
    // Without a browser the printed address is the only one that has the token.
    if !quiet || (page.no_browser && !page.no_token) {
        output::message(&format!("{} shows {what}; Ctrl-C stops the server\n", server.url()));
    }
    if !page.no_browser {
        server.open_browser();
    }
    Ok(server)
}

fn failure(error: ViewerError) -> Failure {
    let advice = Some(error.advice());
    match error {
        ViewerError::Start(error) => Failure::io("cannot start the server", &error),
        _ => Failure::input(error.to_string(), advice),
    }
}
