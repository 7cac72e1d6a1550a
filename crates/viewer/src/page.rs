//! The page itself, embedded in the program.

use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse, Response};

/// Files of the page by name; none where npm was not there when the program was built.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// What stands in for the page.
const PLAIN: &str = include_str!("plain.html");

/// `/`.
pub async fn index() -> Response {
    match find("index.html") {
        Some(bytes) => Html(bytes).into_response(),
        None => Html(PLAIN).into_response(),
    }
}

/// `/assets/...`.
pub async fn asset(Path(name): Path<String>) -> Response {
    match find(&format!("assets/{name}")) {
        Some(bytes) => ([(CONTENT_TYPE, content_type(&name))], bytes).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn find(name: &str) -> Option<&'static [u8]> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, bytes)| *bytes)
}

/// What a browser is to take a file for, by the end of its name.
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
