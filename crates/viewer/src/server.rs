//! The HTTP server: a thread that listens on 127.0.0.1.

use crate::error::ViewerError;
use crate::guard::{Gate, guard, refusal};
use crate::live::Live;
use crate::runs::RunList;
use crate::token::{Token, forward};
use crate::{connections, files, page};
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{DefaultBodyLimit, Path, RawQuery, State};
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;
use std::ffi::OsString;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use tempfile::NamedTempFile;
use tokio::sync::oneshot;

/// Maximum size of a message from a client.
const MAX_MESSAGE: usize = 1024;
/// Maximum number of pages that follow a live run.
const MAX_PAGES: usize = 64;

/// Configuration of the server.
#[derive(Clone, Default)]
pub struct Config {
    /// The folder with runs in it, or of one run.
    pub root: PathBuf,
    /// Whether the folder has the plot of a mesh in place of runs.
    pub mesh: bool,
    /// Port on 127.0.0.1; 0 for any that is free.
    pub port: u16,
    /// The run in progress, if any. Its folder need not exist yet.
    pub live: Option<Arc<Live>>,
    /// Lets in every user of this machine, without a token in the address.
    pub no_token: bool,
}

/// A running server. It stops when it is dropped.
pub struct Server {
    url: String,
    /// A page for this user alone that leads to the address with the token.
    door: Option<NamedTempFile>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts it.
    pub fn start(config: Config) -> Result<Self, ViewerError> {
        if config.live.is_none() && !config.root.is_dir() {
            return Err(ViewerError::NoFolder { path: config.root });
        }
        let failed = |error| ViewerError::Listen { port: config.port, error };
        // Bound before the thread starts, so that errors of the port reach the caller.
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, config.port)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let token =
            if config.no_token { None } else { Some(Token::random(port).map_err(ViewerError::Start)?) };
        let query = token.as_ref().map(Token::query).unwrap_or_default();
        let url = format!("http://{}/{query}", SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        let runtime =
            // One thread: the solver needs the cores, and a local page causes little traffic.
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ViewerError::Start)?;
        let (stop, stopped) = oneshot::channel();
        let work = move || {
            runtime.block_on(async {
                tokio::select! {
                    () = serve(listener, config, Gate { port, token }) => {}
                    _ = stopped => {}
                }
            });
            // Open connections are not awaited: browsers hold them until the process ends.
            runtime.shutdown_background();
        };
        let thread = thread::Builder::new().name("viewer".into()).spawn(work).map_err(ViewerError::Start)?;
        Ok(Self { url, door: None, stop: Some(stop), thread: Some(thread) })
    }

    /// Address of the page, with the token that opens it.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Opens the page in the user's browser. Errors are ignored: the address was printed.
    pub fn open_browser(&mut self) {
        let (program, before): (_, &[&str]) = if cfg!(target_os = "windows") {
            ("cmd", &["/c", "start", ""])
        } else if cfg!(target_os = "macos") {
            ("open", &[])
        } else {
            ("xdg-open", &[])
        };
        let address = match self.address_for_browser() {
            Ok(address) => address,
            Err(error) => return tracing::info!("no browser was opened: {error}"),
        };
        let mut command = Command::new(program);
        command.args(before).arg(address);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.spawn() {
            // Some browsers run in the foreground; a thread waits for them, so that no zombie
            // remains.
            Ok(mut child) => drop(thread::spawn(move || child.wait())),
            Err(error) => tracing::info!("no browser was opened: {program}: {error}"),
        }
    }
}

impl Server {
    /// What a browser is started with. On Unix every user can read the arguments of a process: they
    /// name a file that only this user can read in place of the token.
    fn address_for_browser(&mut self) -> io::Result<OsString> {
        if cfg!(not(unix)) || !self.url.contains('?') {
            return Ok(self.url.clone().into());
        }
        // Readable by its owner alone, as all temporary files of this library.
        let mut file = tempfile::Builder::new().prefix("phasefront-view-").suffix(".html").tempfile()?;
        file.write_all(forward(&self.url).as_bytes())?;
        let path = file.path().as_os_str().to_owned();
        self.door = Some(file);
        Ok(path)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail only if the thread has ended already.
        self.stop.take().map(|stop| stop.send(()));
        self.thread.take().map(JoinHandle::join);
    }
}

/// What the routes show.
struct Shown {
    config: Config,
    runs: RunList,
}

async fn serve(listener: TcpListener, config: Config, gate: Gate) {
    let app = Router::new()
        .route("/", get(page::index))
        .route("/api/state", get(state))
        .route("/api/runs", get(list))
        .route("/api/live", get(live))
        .route("/files/{*name}", get(file))
        .fallback(page::other)
        .with_state(Arc::new(Shown { config, runs: RunList::default() }))
        // The server is read-only: no request has a body.
        .layer(DefaultBodyLimit::max(0))
        .layer(from_fn_with_state(Arc::new(gate), guard));
    match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => connections::serve(listener, app).await,
        Err(error) => tracing::warn!("the page is not served: {error}"),
    }
}

async fn state(State(shown): State<Arc<Shown>>) -> Response {
    let config = &shown.config;
    let root = config.root.display().to_string();
    let version = env!("CARGO_PKG_VERSION");
    let state = json!({"version": version, "root": root, "live": config.live.is_some(), "mesh": config.mesh});
    Json(state).into_response()
}

async fn list(State(shown): State<Arc<Shown>>) -> Response {
    // Directory traversal blocks: keep it off the only thread of the runtime.
    match tokio::task::spawn_blocking(move || shown.runs.update(&shown.config.root)).await {
        Ok(runs) => Json(json!({ "runs": runs.iter().map(Arc::as_ref).collect::<Vec<_>>() })).into_response(),
        Err(error) => refusal(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string(), "load the page again"),
    }
}

async fn file(State(shown): State<Arc<Shown>>, Path(name): Path<String>, query: RawQuery) -> Response {
    files::send(&shown.config.root, &name, query.0.as_deref() == Some("download")).await
}

type Upgrade = Result<WebSocketUpgrade, WebSocketUpgradeRejection>;

async fn live(State(shown): State<Arc<Shown>>, upgrade: Upgrade) -> Response {
    match (shown.config.live.clone(), upgrade) {
        (Some(live), _) if live.pages() >= MAX_PAGES => refusal(
            StatusCode::SERVICE_UNAVAILABLE,
            "too many pages follow this run",
            "close some of them and try again",
        ),
        (Some(live), Ok(upgrade)) => {
            upgrade.max_message_size(MAX_MESSAGE).on_upgrade(async move |socket| live.attend(socket).await)
        }
        (None, _) => refusal(
            StatusCode::NOT_FOUND,
            "no case is running here",
            "`phasefront run CASE --live` shows a run while it runs",
        ),
        (_, Err(_)) => {
            refusal(StatusCode::BAD_REQUEST, "this address is for the page alone", "open / instead")
        }
    }
}
