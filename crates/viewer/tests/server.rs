//! The server as a browser sees it, and as somebody sees it who means harm.

use phasefront_core::{Event, Frame, Sink};
use phasefront_report::{OutputFolder, RunResult};
use phasefront_viewer::{Config, End, Live, Server};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};
use tungstenite::Message;

/// Folder names of the tests: results, and a secret beside them.
fn results() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("secret.txt"), "secret").unwrap();
    run(&folder.path().join("results/demo/circle"));
    folder
}

fn run(path: &Path) {
    let mut folder = OutputFolder::create(path, false).unwrap();
    folder.write("echo width.csv", "a,b\n1,2\n", "a table").unwrap();
    folder.write("report.html", "<script>alert(1)</script>", "the report").unwrap();
    folder.finish(RunResult::new("mom", "circle")).unwrap();
}

fn serve(folder: &tempfile::TempDir) -> Server {
    Server::start(Config { root: folder.path().join("results"), ..Config::default() }).unwrap()
}

fn host(server: &Server) -> String {
    server.url().trim_start_matches("http://").split('/').next().unwrap().to_owned()
}

/// The line of a request head that has the token, as a browser sends it.
fn cookie(server: &Server) -> String {
    let (_, port) = host(server).rsplit_once(':').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let token = server.url().split_once("?token=").unwrap().1.to_owned();
    format!("Cookie: phasefront-{port}={token}")
}

/// Sends bytes as they are; gives back status, head and body.
fn raw(server: &Server, request: &str) -> (u16, String, String) {
    let mut stream = TcpStream::connect(host(server)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    // A server that refuses may close before all is sent; what it said counts.
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    (status, head.to_lowercase(), body.to_owned())
}

fn get(server: &Server, target: &str) -> (u16, String, String) {
    let head = format!("GET {target} HTTP/1.1\r\nHost: {}\r\n{}", host(server), cookie(server));
    raw(server, &format!("{head}\r\nConnection: close\r\n\r\n"))
}

#[test]
fn the_page_and_the_list_and_the_files_are_served() {
    let folder = results();
    let server = serve(&folder);
    let (status, head, body) = get(&server, "/");
    assert_eq!(status, 200);
    assert!(body.to_lowercase().contains("<!doctype html>") && body.contains("Phasefront"), "{body}");
    assert!(
        head.contains("content-security-policy: default-src 'self'") && head.contains("nosniff"),
        "{head}"
    );
    let (_, _, body) = get(&server, "/api/state");
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap()["live"], false);
    let (_, _, body) = get(&server, "/api/runs");
    let runs: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        (&runs["runs"][0]["path"], &runs["runs"][0]["state"]),
        (&json!("demo/circle"), &json!("finished"))
    );
    let (status, head, body) = get(&server, "/files/demo/circle/echo%20width.csv");
    assert_eq!((status, body.as_str()), (200, "a,b\n1,2\n"));
    assert!(head.contains("content-type: text/csv") && !head.contains("content-disposition"), "{head}");
    let (_, head, _) = get(&server, "/files/demo/circle/echo%20width.csv?download");
    assert!(head.contains("content-disposition: attachment"), "{head}");
    let (_, _, body) = get(&server, "/files/demo/circle/result.json");
    assert_eq!(RunResult::from_json(&body).unwrap().case, "circle");
}

#[test]
fn reports_cannot_run_scripts() {
    let folder = results();
    let (status, head, _) = get(&serve(&folder), "/files/demo/circle/report.html");
    assert_eq!(status, 200);
    assert!(head.contains("content-security-policy: sandbox; default-src 'none'"), "{head}");
}

#[test]
fn nothing_outside_the_folder_is_served() {
    let folder = results();
    let server = serve(&folder);
    for target in [
        "/files/../secret.txt",
        "/files/demo/../../secret.txt",
        "/files/%2e%2e/secret.txt",
        "/files/%2e%2e%2fsecret.txt",
        "/files/..%5csecret.txt",
        "/files//etc/passwd",
        "/files/%2fetc%2fpasswd",
        "/files/demo/circle/..%2f..%2f..%2fsecret.txt",
        "/files/demo/circle",
        "/files/",
        "/assets/../../../secret.txt",
        "/assets/%2e%2e/%2e%2e/secret.txt",
        "/secret.txt",
        "/../secret.txt",
        "/files/demo/circle/result.json%00.png",
        "/files/%ff%fe",
    ] {
        let (status, _, body) = get(&server, target);
        assert!((400..500).contains(&status), "{target}: {status} {body}");
        assert!(!body.contains("secret") || body.contains("error"), "{target}: {body}");
        assert!(!body.contains("root:"), "{target}");
    }
}

#[test]
fn other_hosts_origins_and_methods_are_refused() {
    let folder = results();
    let server = serve(&folder);
    let own = host(&server);
    let token = cookie(&server);
    let asks = |head: &str| raw(&server, &format!("{head}\r\n{token}\r\nConnection: close\r\n\r\n")).0;
    assert_eq!(asks(&format!("GET /api/runs HTTP/1.1\r\nHost: {own}\r\nOrigin: http://{own}")), 200);
    assert_eq!(asks("GET /api/runs HTTP/1.1\r\nHost: rebound.example"), 403);
    assert_eq!(asks("GET /api/runs HTTP/1.1\r\nHost: 127.0.0.1"), 403);
    assert_eq!(asks(&format!("GET /api/runs HTTP/1.1\r\nHost: {own}\r\nOrigin: http://evil.example")), 403);
    assert_eq!(asks(&format!("GET / HTTP/1.1\r\nHost: {own}\r\nOrigin: null")), 403);
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"] {
        assert_eq!(
            asks(&format!("{method} /api/runs HTTP/1.1\r\nHost: {own}\r\nContent-Length: 0")),
            405,
            "{method}"
        );
    }
}

#[test]
fn without_the_token_nothing_is_shown() {
    let folder = results();
    let live = Live::new("hum", "nah", "hum");
    let root = folder.path().join("results");
    let server = Server::start(Config { root: root.clone(), live: Some(live), ..Config::default() }).unwrap();
    let own = host(&server);
    let asks = |target: &str, more: &str| {
        raw(&server, &format!("GET {target} HTTP/1.1\r\nHost: {own}\r\n{more}Connection: close\r\n\r\n"))
    };
    let port = own.split_once(':').unwrap().1;
    let wrong = format!("Cookie: phasefront-{port}={}\r\n", "0".repeat(32));
    for target in [
        "/",
        "/?token=",
        "/?token=0",
        "/api/state",
        "/api/runs",
        "/api/live",
        "/assets/x.js",
        "/icon.svg",
        "/files/demo/circle/result.json",
        "/files/demo/circle/no.json",
    ] {
        for more in ["", wrong.as_str()] {
            let (status, _, body) = asks(target, more);
            assert_eq!(status, 401, "{target}: {body}");
            assert!(body.contains("opens only with its token") && body.contains("?token="), "{body}");
        }
    }
    let (status, head, body) = asks("/", "Accept: text/html,*/*\r\n");
    assert!(status == 401 && head.contains("content-type: text/html") && body.contains("?token="), "{body}");
    assert!(open_socket(&server, None, None).unwrap_err().contains("401"));
    assert!(open_socket(&server, None, Some("phasefront-1=0")).unwrap_err().contains("401"));
    // The token of the address is taken by `/` alone, and is not in the address that follows.
    let query = server.url().split_once('?').unwrap().1;
    assert_eq!(asks(&format!("/api/runs?{query}"), "").0, 401);
    let (status, head, body) = asks(&format!("/?{query}"), "");
    assert_eq!(status, 200);
    assert!(body.contains("url=/\"") && !body.contains(query), "{body}");
    let set = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    assert!(set.contains("; httponly") && set.contains("; samesite=strict"), "{set}");
    let pair = set.split(';').next().unwrap();
    assert_eq!(asks("/api/runs", &format!("Cookie: {pair}\r\n")).0, 200);
    let other = serve(&folder);
    assert_ne!(other.url().split_once('?').unwrap().1, query);

    let open = Server::start(Config { root, no_token: true, ..Config::default() }).unwrap();
    assert!(open.url().ends_with('/'), "{}", open.url());
    let head = format!("GET /api/runs HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", host(&open));
    assert_eq!(raw(&open, &head).0, 200);
}

/// Requests that never end must neither stay nor keep others out.
#[test]
fn six_hundred_half_open_requests_are_closed_and_a_good_one_is_answered() {
    let folder = results();
    let server = serve(&folder);
    let halves = ["", "GET / HTTP/1.1\r\nHost: 127", "GET /api/live HTTP/1.1\r\nUpgrade: websocket\r\n"];
    let mut open: Vec<TcpStream> = (0..600)
        .map(|i| {
            let mut stream = TcpStream::connect(host(&server)).unwrap();
            stream.write_all(halves[i % 3].as_bytes()).unwrap();
            stream
        })
        .collect();
    let started = Instant::now();
    assert_eq!(get(&server, "/api/runs").0, 200);
    let answered = started.elapsed();
    assert!(answered < Duration::from_secs(5), "{answered:?}");
    for stream in &mut open {
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        // Closed, with or without a word: but not for lack of patience of this side.
        let ended = stream.read_to_end(&mut Vec::new());
        let waits = ended.as_ref().is_err_and(|error| {
            matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
        });
        assert!(!waits, "{ended:?} after {:?}", started.elapsed());
    }
    let closed = started.elapsed();
    println!("a good request was answered after {answered:?}, all 600 were closed after {closed:?}");
    assert!(closed < Duration::from_secs(15), "{closed:?}");
    assert_eq!(get(&server, "/api/runs").0, 200);
}

/// As many pages as there are connections: one more is told so.
#[test]
fn too_many_pages_are_told() {
    let folder = results();
    let server = serve(&folder);
    let head = format!("GET /api/state HTTP/1.1\r\nHost: {}\r\n{}\r\n\r\n", host(&server), cookie(&server));
    let mut kept = Vec::new();
    for _ in 0..128 {
        let mut stream = TcpStream::connect(host(&server)).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        assert_eq!(stream.read(&mut [0; 12]).unwrap(), 12);
        kept.push(stream);
    }
    // Nothing is sent: a connection that is closed with unread bytes loses its answer.
    let (status, _, body) = raw(&server, "");
    assert!(status == 503 && body.contains("too many pages"), "{status} {body}");
    drop(kept);
    let end = Instant::now() + Duration::from_secs(10);
    while get(&server, "/api/state").0 != 200 {
        assert!(Instant::now() < end, "pages that left make room");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn large_requests_are_refused() {
    let folder = results();
    let server = serve(&folder);
    assert_eq!(get(&server, &format!("/files/{}", "a".repeat(8000))).0, 414);
    let many = (0..2000).map(|i| format!("X-{i}: {i}\r\n")).collect::<Vec<_>>().concat();
    let request = format!("GET / HTTP/1.1\r\nHost: {}\r\n{many}\r\n", host(&server));
    assert!((400..500).contains(&raw(&server, &request).0));
    let body = "x".repeat(1 << 20);
    let length = body.len();
    let request =
        format!("POST / HTTP/1.1\r\nHost: {}\r\nContent-Length: {length}\r\n\r\n{body}", host(&server));
    assert_eq!(raw(&server, &request).0, 405);
    assert_eq!(get(&server, "/").0, 200, "it goes on");
}

#[test]
fn two_servers_show_a_folder_that_is_being_written() {
    let folder = results();
    let (first, second) = (serve(&folder), serve(&folder));
    assert_ne!(first.url(), second.url());
    let states = |server: &Server| -> Vec<String> {
        let list: Value = serde_json::from_str(&get(server, "/api/runs").2).unwrap();
        let runs = list["runs"].as_array().unwrap();
        let mut states: Vec<_> =
            runs.iter().map(|run| format!("{} {}", run["path"], run["state"]).replace('"', "")).collect();
        states.sort();
        states
    };
    let mut writing = OutputFolder::create(folder.path().join("results/plate"), false).unwrap();
    writing.write("case.toml", "version = 1", "the case").unwrap();
    for server in [&first, &second] {
        assert_eq!(states(server), ["demo/circle finished", "plate running"]);
        assert_eq!(get(server, "/files/plate/case.toml").0, 200);
        assert_eq!(get(server, "/files/plate/result.json").0, 404);
    }
    writing.finish(RunResult::new("sbr", "plate")).unwrap();
    assert_eq!(states(&first), ["demo/circle finished", "plate finished"]);
    drop(first);
    assert_eq!(states(&second), ["demo/circle finished", "plate finished"]);
    std::fs::remove_dir_all(folder.path().join("results")).unwrap();
    assert!(states(&second).is_empty());
}

#[test]
fn a_port_that_is_taken_and_a_folder_that_is_not_there_are_errors() {
    let folder = results();
    let server = serve(&folder);
    let port = host(&server).split_once(':').unwrap().1.parse().unwrap();
    let taken =
        Server::start(Config { root: folder.path().into(), port, ..Config::default() }).err().unwrap();
    assert!(taken.to_string().starts_with(&format!("cannot listen on 127.0.0.1:{port}: ")), "{taken}");
    let missing =
        Server::start(Config { root: folder.path().join("no"), ..Config::default() }).err().unwrap();
    assert!(missing.to_string().starts_with("there is no folder ") && missing.advice().contains("demo"));
}

type Socket = tungstenite::WebSocket<TcpStream>;

fn connect(server: &Server, origin: Option<&str>) -> Result<Socket, String> {
    let cookie = cookie(server);
    open_socket(server, origin, cookie.strip_prefix("Cookie: "))
}

fn open_socket(server: &Server, origin: Option<&str>, cookie: Option<&str>) -> Result<Socket, String> {
    let mut request = tungstenite::client::IntoClientRequest::into_client_request(format!(
        "ws://{}/api/live",
        host(server)
    ))
    .unwrap();
    if let Some(origin) = origin {
        request.headers_mut().insert("Origin", origin.parse().unwrap());
    }
    if let Some(cookie) = cookie {
        request.headers_mut().insert("Cookie", cookie.parse().unwrap());
    }
    let stream = TcpStream::connect(host(server)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    tungstenite::client(request, stream).map(|(socket, _)| socket).map_err(|error| error.to_string())
}

/// The next message of a type.
fn next(socket: &mut Socket, kind: &str) -> Value {
    loop {
        match socket.read().unwrap() {
            Message::Text(text) => {
                let value: Value = serde_json::from_str(&text).unwrap();
                if value["type"] == kind {
                    return value;
                }
            }
            Message::Binary(bytes) if kind == "frame" => {
                let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
                return serde_json::from_slice(&bytes[4..4 + length]).unwrap();
            }
            _ => {}
        }
    }
}

#[test]
fn pages_follow_a_run_and_a_page_of_another_site_does_not() {
    let folder = results();
    let live = Live::new("hum", "nah", "hum");
    let root = folder.path().join("results");
    let server = Server::start(Config { root, live: Some(live.clone()), ..Config::default() }).unwrap();
    assert!(connect(&server, Some("http://evil.example")).unwrap_err().contains("403"));
    let own = format!("http://{}", host(&server));
    let mut one = connect(&server, Some(&own)).unwrap();
    assert_eq!(next(&mut one, "hello")["case"], "hum");
    let frame = |values: &[f32]| {
        live.event(Event::Frame(Frame {
            name: "1000 Hz",
            rows: 1,
            cols: 2,
            x: [-0.1, 0.1],
            y: [0.0, 0.0],
            value_label: "level (dB)",
            values,
        }));
    };
    frame(&[60.0, 61.0]);
    assert_eq!(next(&mut one, "frame")["number"], 1);
    live.event(Event::Scalar { series: "energy", x_label: "time (ns)", x: 0.0, value: 1.0 });
    assert_eq!(next(&mut one, "series")["value"], json!([1.0]));
    let mut two = connect(&server, None).unwrap();
    assert_eq!(next(&mut two, "frame")["x"], json!([-0.1, 0.1]));
    // More than a page may say: the connection ends, the run and the other page do not.
    let _ = two.send(Message::Text("x".repeat(100_000).into()));
    frame(&[62.0, 63.0]);
    assert_eq!(next(&mut one, "frame")["number"], 2);
    live.end(End { state: "finished", message: String::new() });
    assert_eq!(next(&mut one, "end")["folder"], "hum");
    let start = Instant::now();
    let waits = thread::scope(|scope| {
        let waiting = scope.spawn(|| live.wait(&AtomicBool::new(false)));
        thread::sleep(Duration::from_millis(300));
        let waits = !waiting.is_finished();
        drop(one);
        drop(two);
        waits
    });
    assert!(waits, "a page was open");
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
}

/// What the page needs is 30 pictures a second; sixty come if they are made.
#[test]
fn pictures_come_fast_enough_for_the_eye() {
    let live = Live::new("hum", "nah", "hum");
    let server = Server::start(Config { live: Some(live.clone()), ..Config::default() }).unwrap();
    let mut socket = connect(&server, None).unwrap();
    next(&mut socket, "hello");
    let values = vec![0.5_f32; 96 * 96];
    let maker = thread::spawn(move || {
        for _ in 0..125 {
            live.event(Event::Frame(Frame {
                name: "1000 Hz",
                rows: 96,
                cols: 96,
                x: [0.0, 1.0],
                y: [0.0, 1.0],
                value_label: "level (dB)",
                values: &values,
            }));
            thread::sleep(Duration::from_millis(8));
        }
    });
    let mut seen = 0;
    while next(&mut socket, "frame")["number"] != 125 {
        seen += 1;
    }
    maker.join().unwrap();
    assert!((30..=100).contains(&seen), "{seen} pictures in a second");
}
