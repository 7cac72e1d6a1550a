//! `phasefront view`: serves a page of a folder of results.

use crate::args::{Page, View};
use crate::failure::{Failure, Result};
use crate::output;
use crate::signals;
use phasefront_viewer::{Config, Live, Server, ViewerError};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

/// Runs it until Ctrl-C.
pub fn view(args: &View) -> Result<ExitCode> {
    let stop = signals::install(true)?;
    let _server = serve(&args.folder, None, &args.page, args.quiet)?;
    while !stop.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(50));
    }
    Ok(ExitCode::SUCCESS)
}

/// Starts the server, prints its address and opens the browser.
pub fn serve(root: &Path, live: Option<Arc<Live>>, page: &Page, quiet: bool) -> Result<Server> {
    let port = page.port.unwrap_or(0);
    let config = Config { root: root.into(), port, live, no_token: page.no_token };
    let mut server = Server::start(config).map_err(failure)?;
    // Without a browser the printed address is the only one that has the token.
    if !quiet || (page.no_browser && !page.no_token) {
        let root = output::path_text(root);
        output::message(&format!("{} shows {root}; Ctrl-C stops the server\n", server.url()));
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
