//! Files of runs, confined to the folder that is served.

use crate::guard::refusal;
use crate::page::content_type;
use axum::body::Body;
use axum::http::header::{
    CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use std::path::{Path, PathBuf};
use tokio_util::io::ReaderStream;

/// Reports and images may not run scripts or load anything: their contents come from case files.
const POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:";

/// The file of that name below `root`; none if it does not exist or lies outside.
///
/// Every component of the name is checked, and the target again after links are resolved.
pub fn find(root: &Path, name: &str) -> Option<PathBuf> {
    let bad = |part: &str| part.is_empty() || part.starts_with('.') || part.contains(['\\', '\0', ':']);
    if name.split('/').any(bad) {
        return None;
    }
    // Both canonical: a link inside the folder must not lead out of it.
    let root = root.canonicalize().ok()?;
    let path = root.join(name).canonicalize().ok()?;
    (path.starts_with(&root) && path.is_file()).then_some(path)
}

/// Streams a file in chunks: results may be larger than memory.
pub async fn send(root: &Path, name: &str, download: bool) -> Response {
    let missing = || {
        let help = "the run may have been moved or replaced: load the list of runs again";
        refusal(StatusCode::NOT_FOUND, "there is no such file in the results", help)
    };
    let Some(path) = find(root, name) else { return missing() };
    let Ok(file) = tokio::fs::File::open(&path).await else { return missing() };
    let Ok(data) = file.metadata().await else { return missing() };
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type(name)));
    headers.insert(CONTENT_LENGTH, data.len().into());
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    if download {
        headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    }
    (headers, Body::from_stream(ReaderStream::new(file))).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn nothing_outside_is_found() {
        let outside = tempfile::tempdir().unwrap();
        let root = outside.path().join("results");
        fs::create_dir_all(root.join("circle/frames")).unwrap();
        fs::write(outside.path().join("secret.txt"), "secret").unwrap();
        fs::write(root.join("circle/result.json"), "{}").unwrap();
        fs::write(root.join("circle/frames/1.txt"), "1").unwrap();
        fs::write(root.join("circle/.hidden"), "x").unwrap();
        assert!(find(&root, "circle/result.json").is_some());
        assert!(find(&root, "circle/frames/1.txt").is_some());
        for bad in [
            "",
            "circle",
            "../secret.txt",
            "circle/../../secret.txt",
            "circle/../circle/result.json",
            "./circle/result.json",
            "circle//result.json",
            "/etc/passwd",
            "//etc/passwd",
            "circle/.hidden",
            "..\\secret.txt",
            "circle/result.json\0.png",
            "C:/secret.txt",
            "circle/no.json",
        ] {
            assert_eq!(find(&root, bad), None, "{bad:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_that_lead_outside_are_not_followed() {
        let outside = tempfile::tempdir().unwrap();
        let root = outside.path().join("results");
        fs::create_dir_all(root.join("circle")).unwrap();
        fs::write(outside.path().join("secret.txt"), "secret").unwrap();
        fs::write(root.join("circle/a.txt"), "a").unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret.txt"), root.join("circle/link.txt")).unwrap();
        std::os::unix::fs::symlink(outside.path(), root.join("up")).unwrap();
        std::os::unix::fs::symlink(root.join("circle/a.txt"), root.join("inside.txt")).unwrap();
        assert_eq!(find(&root, "circle/link.txt"), None);
        assert_eq!(find(&root, "up/secret.txt"), None);
        assert!(find(&root, "inside.txt").is_some());
    }
}
