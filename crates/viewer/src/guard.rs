//! Access control: read-only requests to this host from this page, opened with the token.
//!
//! A page of another site can make a browser send requests to 127.0.0.1, by name (DNS rebinding) or
//! by address. The first kind has a foreign `Host`, the second a foreign `Origin`; both are
//! rejected. Other users of this machine send what they like, but do not know the token.

use crate::connections::Admission;
use crate::token::Token;
use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderName, HeaderValue, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};
use serde_json::json;
use std::sync::Arc;

/// Maximum length of a request address.
const LONGEST_URI: usize = 4096;

/// The page may load resources of this server only; scripts set the styles of charts.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; \
                      object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// An error response with an explanation.
pub fn refusal(status: StatusCode, error: &str, help: &str) -> Response {
    (status, axum::Json(json!({"error": error, "help": help}))).into_response()
}

/// Who is let in.
pub struct Gate {
    /// The port that this server listens on.
    pub port: u16,
    /// None: every user of this machine is let in.
    pub token: Option<Token>,
}

/// Middleware in front of every response.
pub async fn guard(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let refused = complaint(&request, gate.port).or_else(|| gate.stop(&request));
    let mut response = if let Some(response) = refused {
        response
    } else {
        if let Some(admission) = request.extensions().get::<Admission>() {
            admission.grant();
        }
        next.run(request).await
    };
    let headers = response.headers_mut();
    // Files of runs set a stricter policy, which is preserved.
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    let only_here = HeaderName::from_static("cross-origin-resource-policy");
    headers.insert(only_here, HeaderValue::from_static("same-origin"));
    response
}

fn complaint(request: &Request, port: u16) -> Option<Response> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let help = "this server only shows results: use GET";
        return Some(refusal(StatusCode::METHOD_NOT_ALLOWED, "nothing can be changed here", help));
    }
    if request.uri().to_string().len() > LONGEST_URI {
        return Some(refusal(StatusCode::URI_TOO_LONG, "the address is too long", "ask for a file of a run"));
    }
    if !is_ours(request.headers(), port) {
        let help = format!("open http://127.0.0.1:{port}/ in a browser on this machine");
        return Some(refusal(StatusCode::FORBIDDEN, "this server answers its own page only", &help));
    }
    None
}

impl Gate {
    /// The answer to a request that brings the token, or does not have the cookie for it.
    fn stop(&self, request: &Request) -> Option<Response> {
        let token = self.token.as_ref()?;
        if request.uri().path() == "/" && token.is_in_query(request.uri().query()) {
            return Some(token.exchange());
        }
        (!token.is_in_cookies(request.headers())).then(|| locked(request.headers()))
    }
}

/// The refusal of a request without the token, in the form that the client can show.
fn locked(headers: &HeaderMap) -> Response {
    const ERROR: &str = "this page opens only with its token";
    const HELP: &str = "open the whole address that the program printed, with ?token= in it; \
                        every start of the program has another token";
    let accepted = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accepted.contains("text/html") {
        let page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Phasefront</title></head>\n\
             <body><h1>Phasefront</h1><p>{ERROR}: {HELP}.</p></body></html>\n"
        );
        return (StatusCode::UNAUTHORIZED, Html(page)).into_response();
    }
    refusal(StatusCode::UNAUTHORIZED, ERROR, HELP)
}

/// Whether there is exactly one `Host`, which is this server, and `Origin`, if present, is its
/// page.
fn is_ours(headers: &HeaderMap, port: u16) -> bool {
    let names = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
    let mut hosts = headers.get_all(HOST).iter();
    let host_is_ours = match (hosts.next(), hosts.next()) {
        // Two `Host` headers could be read differently by a proxy: only one is accepted.
        (Some(host), None) => names.iter().any(|name| host == name),
        _ => false,
    };
    host_is_ours
        && headers
            .get_all(ORIGIN)
            .iter()
            .all(|origin| names.iter().any(|name| origin.as_bytes() == format!("http://{name}").as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(HeaderName, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            map.append(name, HeaderValue::from_static(value));
        }
        map
    }

    #[test]
    fn other_hosts_and_origins_are_refused() {
        for good in [
            headers(&[(HOST, "127.0.0.1:4000")]),
            headers(&[(HOST, "localhost:4000")]),
            headers(&[(HOST, "127.0.0.1:4000"), (ORIGIN, "http://127.0.0.1:4000")]),
        ] {
            assert!(is_ours(&good, 4000), "{good:?}");
        }
        for bad in [
            headers(&[]),
            headers(&[(HOST, "127.0.0.1")]),
            headers(&[(HOST, "127.0.0.1:4001")]),
            headers(&[(HOST, "example.com:4000")]),
            headers(&[(HOST, "127.0.0.1:4000.example.com")]),
            headers(&[(HOST, "127.0.0.1:4000"), (HOST, "example.com")]),
            headers(&[(HOST, "127.0.0.1:4000"), (ORIGIN, "http://example.com")]),
            headers(&[(HOST, "127.0.0.1:4000"), (ORIGIN, "null")]),
            headers(&[(HOST, "127.0.0.1:4000"), (ORIGIN, "https://127.0.0.1:4000")]),
            headers(&[(HOST, "127.0.0.1:4000"), (ORIGIN, "http://127.0.0.1:4001")]),
        ] {
            assert!(!is_ours(&bad, 4000), "{bad:?}");
        }
    }
}
