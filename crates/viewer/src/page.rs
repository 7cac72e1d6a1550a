//! The web page, embedded in the binary.

use crate::guard::refusal;
use axum::http::header::CONTENT_TYPE;
use axum::http::{StatusCode, Uri};
use axum::response::{Html, IntoResponse, Response};

/// Files of the page by name; empty if npm was not available at build time.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Replacement of the page.
const PLAIN: &str = include_str!("plain.html");

/// `/`.
pub async fn index() -> Response {
    match find("index.html") {
        Some(bytes) => Html(bytes).into_response(),
        None => Html(PLAIN).into_response(),
    }
}

/// Any other file of the page, by its path.
pub async fn other(uri: Uri) -> Response {
    let name = uri.path().trim_start_matches('/');
    match find(name) {
        Some(bytes) => ([(CONTENT_TYPE, content_type(name))], bytes).into_response(),
        None => refusal(StatusCode::NOT_FOUND, "there is nothing at this address", "open / for the page"),
    }
}

fn find(name: &str) -> Option<&'static [u8]> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, bytes)| *bytes)
}

/// Content type of a file, by its extension.
pub fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "csv" => "text/csv; charset=utf-8",
        "toml" | "txt" | "md" => "text/plain; charset=utf-8",
        "vtu" | "pvd" => "application/xml",
        _ => "application/octet-stream",
    }
}
