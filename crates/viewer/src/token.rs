//! The token that opens the page: only who can read the program's output may see the results.
//!
//! On a machine that several users share, each of them can connect to 127.0.0.1. The printed
//! address has a random token, which `/` exchanges for a cookie; every other request needs that
//! cookie.

use axum::http::header::{COOKIE, HeaderMap, HeaderValue, SET_COOKIE};
use axum::response::{Html, IntoResponse, Response};
use std::fmt::Write;
use std::hint::black_box;
use std::io;

/// 128 bits cannot be guessed.
const BYTES: usize = 16;

/// A token, and the port of the server that it opens.
pub struct Token {
    text: String,
    port: u16,
}

impl Token {
    /// A new one from the randomness of the operating system.
    pub fn random(port: u16) -> io::Result<Self> {
        let mut bytes = [0_u8; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        let mut text = String::new();
        for byte in bytes {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        Ok(Self { text, port })
    }

    /// The part of the printed address that names it.
    pub fn query(&self) -> String {
        format!("?token={}", self.text)
    }

    /// Whether the query of a request names it.
    pub fn is_in_query(&self, query: Option<&str>) -> bool {
        let mut parts = query.unwrap_or_default().split('&');
        parts.any(|part| part.strip_prefix("token=").is_some_and(|given| self.is(given)))
    }

    /// Whether a cookie of a request is it.
    pub fn is_in_cookies(&self, headers: &HeaderMap) -> bool {
        let name = self.cookie_name();
        let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        lines
            .flat_map(|line| line.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .any(|(key, value)| key == name && self.is(value))
    }

    /// The answer to a request with the token: the cookie, and the address without the token.
    ///
    /// It is a page that goes on, and not a redirect of HTTP: a browser that came here from another
    /// place would follow that one without the cookie, which is for this site's own links only.
    pub fn exchange(&self) -> Response {
        let cookie = format!("{}={}; HttpOnly; SameSite=Strict; Path=/", self.cookie_name(), self.text);
        let mut response = Html(forward("/")).into_response();
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            response.headers_mut().insert(SET_COOKIE, cookie);
        }
        response
    }

    /// Browsers share cookies between the ports of a host: two servers need two names.
    fn cookie_name(&self) -> String {
        format!("phasefront-{}", self.port)
    }

    /// Comparison in a time that does not tell how much of a guess is right.
    fn is(&self, given: &str) -> bool {
        let differing = self.text.bytes().zip(given.bytes()).fold(0, |all, (a, b)| black_box(all | (a ^ b)));
        given.len() == self.text.len() && differing == 0
    }
}

/// A page that leads to another address at once, without an entry in the history.
pub fn forward(address: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Phasefront</title>\
         <meta name=\"referrer\" content=\"no-referrer\">\
         <meta http-equiv=\"refresh\" content=\"0; url={address}\"></head>\n\
         <body><p><a href=\"{address}\">Go on to the page</a></p></body></html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_opens() {
        let token = Token::random(4000).unwrap();
        let text = token.text.clone();
        assert_eq!(text.len(), 2 * BYTES);
        assert_ne!(text, Token::random(4000).unwrap().text);
        assert!(token.is_in_query(Some(&format!("a=b&token={text}"))));
        let (part, wrong) = (&text[1..], format!("{text}0"));
        let upper = text.to_uppercase();
        for bad in ["", part, &wrong, "0", &"0".repeat(2 * BYTES)] {
            assert!(!token.is_in_query(Some(&format!("token={bad}"))), "{bad}");
        }
        assert!(!token.is_in_query(None) && (upper == text || !token.is(&upper)));
    }

    #[test]
    fn the_cookie_is_of_its_port() {
        let token = Token::random(4000).unwrap();
        let asked = |line: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(COOKIE, line.parse().unwrap());
            token.is_in_cookies(&headers)
        };
        let text = &token.text;
        assert!(asked(&format!("other=1; phasefront-4000={text}")));
        assert!(!asked(&format!("phasefront-4001={text}")));
        assert!(!asked("phasefront-4000=") && !asked("phasefront-4000"));
        let response = token.exchange();
        let cookie = response.headers()[SET_COOKIE].to_str().unwrap().to_owned();
        assert_eq!(cookie, format!("phasefront-4000={text}; HttpOnly; SameSite=Strict; Path=/"));
    }
}
