//! A local page over folders of results, and over a run while it goes on.
//!
//! A [`Server`] answers on 127.0.0.1 only, to requests that name this host and come from this page. It serves the page (built from
//! `web/`, embedded in the program), a list of the runs below one folder, and the files of these runs as they are: the page reads
//! `result.json` and `plots.json` and draws. A run that goes on tells its events to a [`Live`], which passes them to every page that
//! looks, no faster than it reads.
//!
//! ```
//! use phasefront_viewer::{Config, Server};
//! let folder = tempfile::tempdir()?;
//! let server = Server::start(Config { root: folder.path().into(), ..Config::default() })?;
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(missing_docs)]

mod error;
mod files;
mod guard;
mod live;
mod page;
mod runs;
mod server;

pub use error::ViewerError;
pub use live::{End, Live};
pub use server::{Config, Server};
