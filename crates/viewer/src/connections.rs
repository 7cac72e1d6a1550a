//! Connections: how many there are, and how long each may keep the server waiting.
//!
//! Any program of this machine can connect. One that opens connections and sends nothing must take
//! neither the page from its user nor file handles from the run.

use crate::stall::Stall;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// Maximum number of connections. A browser opens six to a host; processes often have 1024 handles.
const MAX_CONNECTIONS: usize = 128;
/// How long the head of a request may take to come, from the begin of the connection or the end of
/// the request before: a connection without requests ends after it too.
const HEAD_LIMIT: Duration = Duration::from_secs(10);
/// How long a client may leave what it asked for unread.
const WRITE_LIMIT: Duration = Duration::from_secs(30);
/// Wait after an error of the listener, such as too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// The answer when every connection is in use by a page.
const BUSY: &str = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n\
                    {\"error\":\"too many pages are open\",\"help\":\"close some of them and try again\"}";

/// Whether a connection has sent a request that the guard let in.
#[derive(Clone, Default)]
pub struct Admission(Arc<AtomicBool>);

impl Admission {
    /// Marks the connection.
    pub fn grant(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_granted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

struct Connection {
    task: JoinHandle<()>,
    admission: Admission,
}

/// Serves `app` until it is dropped.
pub async fn serve(listener: TcpListener, app: Router) {
    // The oldest first.
    let mut open: Vec<Connection> = Vec::new();
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::debug!("no connection was accepted: {error}");
                sleep(PAUSE).await;
                continue;
            }
        };
        open.retain(|connection| !connection.task.is_finished());
        if open.len() >= MAX_CONNECTIONS {
            // The oldest stranger makes room: a page sends its request at once and is known by then.
            let Some(stranger) = open.iter().position(|connection| !connection.admission.is_granted()) else {
                // Whether the client reads this is its own affair.
                let _ = stream.try_write(BUSY.as_bytes());
                continue;
            };
            open.remove(stranger).task.abort();
        }
        let admission = Admission::default();
        let app = app.clone().layer(Extension(admission.clone()));
        open.push(Connection { task: tokio::spawn(attend(stream, app)), admission });
    }
}

async fn attend(stream: TcpStream, app: Router) {
    let io = TokioIo::new(Stall::new(stream, WRITE_LIMIT));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_LIMIT)
        .serve_connection(io, TowerToHyperService::new(app))
        .with_upgrades();
    if let Err(error) = connection.await {
        tracing::debug!("a connection ended: {error}");
    }
}
