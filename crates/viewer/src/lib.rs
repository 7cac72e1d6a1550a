//! A local web server over result folders and live runs.
//!
//! A [`Server`] listens on 127.0.0.1 only and accepts requests whose `Host` and `Origin` are its own and that have the token of its
//! printed address. It serves the web page (built from `web/`, embedded in the binary), a list of the runs below one folder, and the
//! files of these runs: the page reads `result.json` and `plots.json` and draws. A live run reports its events to a [`Live`], which
//! forwards them to every connected client, no faster than the client reads.
//!
//! ```
//! use phasefront_viewer::{Config, Server};
//! let folder = tempfile::tempdir()?;
//! let server = Server::start(Config { root: folder.path().into(), ..Config::default() })?;
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod connections;
mod error;
mod files;
mod guard;
mod live;
mod page;
mod runs;
mod server;
mod stall;
mod token;

pub use error::ViewerError;
pub use live::{End, Live};
pub use server::{Config, Server};
