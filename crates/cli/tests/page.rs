//! The commands around the page, and what shells and readers of manuals get.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const CASE: &str = r#"version = 1
solver = "mom"
name = "small"
[geometry]
bodies = [{ shape = "circle", radius = "0.5 m" }]
[source]
frequency = "300 MHz"
polarization = "TM"
propagation = "0 deg"
[output]
echo_width = { from = "0 deg", to = "360 deg", points = 37 }
near_field = { x = { from = "-1 m", to = "1 m", points = 9 }, y = { from = "-1 m", to = "1 m", points = 7 } }
"#;

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_phasefront"));
    command.args(arguments).current_dir(folder).env_remove("CARGO").stdin(Stdio::null());
    command
}

fn call(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A program that serves a page; it ends with the test.
struct Served {
    child: Child,
    address: String,
    /// Empty, or what the printed address has after `?token=`.
    token: String,
}

impl Served {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::watch(&mut command(folder, arguments))
    }

    fn watch(command: &mut Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        lines.read_line(&mut line).unwrap();
        let address = line.strip_prefix("http://").unwrap_or_else(|| panic!("{line}"));
        let (address, rest) = address.split_once('/').unwrap();
        let token = rest.split(' ').next().unwrap().strip_prefix("?token=").unwrap_or_default();
        let (address, token) = (address.to_owned(), token.to_owned());
        // What else it says must not fill the pipe.
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        Self { child, address, token }
    }

    fn get(&self, target: &str) -> String {
        let port = self.address.split_once(':').unwrap().1;
        self.ask(target, &format!("Cookie: phasefront-{port}={}\r\n", self.token))
    }

    fn ask(&self, target: &str, more: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = format!("GET {target} HTTP/1.1\r\nHost: {}\r\n{more}", self.address);
        stream.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn view_shows_a_folder_and_ends_with_a_signal() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("case.toml"), CASE).unwrap();
    assert!(call(folder.path(), &["run", "case.toml", "-q", "--device", "cpu"]).status.success());
    let mut view = Served::start(folder.path(), &["view", "results", "--no-browser"]);
    assert!(view.address.starts_with("127.0.0.1:"), "{}", view.address);
    assert!(view.get("/api/runs").contains("\"path\":\"small\",\"state\":\"finished\",\"solver\":\"mom\""));
    assert!(view.get("/files/small/plots.json").contains("\"kind\":\"polar\""));
    assert!(view.get("/api/live").starts_with("HTTP/1.1 404"));
    assert!(view.ask("/api/runs", "").starts_with("HTTP/1.1 401"));
    assert_eq!(view.token.len(), 32, "{}", view.token);
    assert!(Command::new("kill").args(["-INT", &view.child.id().to_string()]).status().unwrap().success());
    assert_eq!(view.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_mesh_is_shown_without_a_run() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("case.toml"), include_str!("line.toml")).unwrap();
    let mut view =
        Served::start(folder.path(), &["mesh", "case.toml", "--device", "cpu", "--view", "--no-browser"]);
    assert!(view.get("/api/state").contains("\"mesh\":true"));
    let plots = view.get("/files/plots.json");
    assert_eq!(plots.matches("\"kind\":\"mesh\"").count(), 1, "{plots}");
    for part in ["\"name\":\"strip\",\"kind\":\"conductor\"", "\"name\":\"limits the time step\""] {
        assert!(plots.contains(part), "{part} in {plots}");
    }
    assert!(view.get("/files/mesh.svg").contains("<svg"));
    assert!(Command::new("kill").args(["-INT", &view.child.id().to_string()]).status().unwrap().success());
    assert_eq!(view.child.wait().unwrap().code(), Some(0));
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn a_run_can_be_watched_and_ends_when_nobody_looks() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("case.toml"), CASE).unwrap();
    let started = Instant::now();
    let mut run =
        Served::start(folder.path(), &["run", "case.toml", "--device", "cpu", "--live", "--no-browser"]);
    assert!(run.get("/api/state").contains("\"live\":true"));
    assert!(run.ask("/api/state", "").starts_with("HTTP/1.1 401"));
    assert_eq!(run.child.wait().unwrap().code(), Some(0));
    assert!(started.elapsed() < Duration::from_mins(1));
    assert!(folder.path().join("results/small/result.json").is_file());
}

#[test]
fn the_token_can_be_left_out_and_is_told_where_it_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let open = Served::start(folder.path(), &["view", ".", "--no-browser", "--no-token"]);
    assert_eq!(open.token, "");
    assert!(open.ask("/api/runs", "").starts_with("HTTP/1.1 200"));
    // Nobody could open the page without the address.
    let quiet = Served::start(folder.path(), &["view", ".", "--no-browser", "--quiet"]);
    assert!(quiet.get("/api/runs").starts_with("HTTP/1.1 200"));
}

/// Every user of a machine can read the arguments of its processes.
#[cfg(unix)]
#[test]
fn a_browser_is_not_started_with_the_token() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let browser = folder.path().join(if cfg!(target_os = "macos") { "open" } else { "xdg-open" });
    std::fs::write(&browser, "#!/bin/sh\necho \"$1\" > started.part; mv started.part started\n").unwrap();
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let mut view = command(folder.path(), &["view", "."]);
    let mut view = Served::watch(view.env("PATH", path));
    let started = folder.path().join("started");
    let end = Instant::now() + Duration::from_secs(20);
    while !started.exists() {
        assert!(Instant::now() < end, "no browser");
        std::thread::sleep(Duration::from_millis(20));
    }
    let argument = std::fs::read_to_string(&started).unwrap();
    assert!(!argument.contains(&view.token), "{argument}");
    let door = Path::new(argument.trim());
    assert!(std::fs::read_to_string(door).unwrap().contains(&format!("/?token={}", view.token)));
    assert_eq!(door.metadata().unwrap().permissions().mode() & 0o077, 0, "for its owner alone");
    assert!(Command::new("kill").args(["-INT", &view.child.id().to_string()]).status().unwrap().success());
    assert_eq!(view.child.wait().unwrap().code(), Some(0));
    assert!(!door.exists(), "it is removed with the server");
}

#[test]
fn wrong_folders_and_ports_are_bad_input() {
    let folder = tempfile::tempdir().unwrap();
    let output = call(folder.path(), &["view", "nowhere", "--no-browser"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("there is no folder nowhere"), "{}", text(&output.stderr));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = call(folder.path(), &["view", ".", "--no-browser", "--port", &port]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains(&format!("cannot listen on 127.0.0.1:{port}")));
    let output = call(folder.path(), &["run", "no.toml", "--live", "--no-browser"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn hdf5_is_one_file_in_place_of_npz() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("case.toml"), CASE).unwrap();
    let output = call(folder.path(), &["run", "case.toml", "-q", "--device", "cpu", "--format", "h5"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let results = folder.path().join("results/small");
    assert_eq!(std::fs::read(results.join("data.h5")).unwrap()[..4], *b"\x89HDF");
    assert!(!results.join("near_field.npz").exists() && results.join("echo_width.csv").exists());
    let output = call(folder.path(), &["run", "case.toml", "--format", "mat"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn shells_and_man_know_every_command() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = call(folder.path(), &["completions", shell]);
        assert!(output.status.success(), "{shell}");
        for word in ["demo", "resume", "view", "deterministic"] {
            assert!(text(&output.stdout).contains(word), "{word} in {shell}");
        }
    }
    let page = text(&call(folder.path(), &["man"]).stdout);
    for part in [".TH phasefront 1", ".SH NAME", ".SH RUN", ".SH VIEW", "\\-\\-device", "Exit codes"] {
        assert!(page.contains(part), "{part} in {page}");
    }
}

#[cfg(unix)]
#[test]
fn bash_takes_the_completions() {
    let folder = tempfile::tempdir().unwrap();
    let script = text(&call(folder.path(), &["completions", "bash"]).stdout);
    std::fs::write(folder.path().join("phasefront.bash"), script).unwrap();
    let ask = "source ./phasefront.bash; COMP_WORDS=(phasefront re); COMP_CWORD=1; _phasefront phasefront re phasefront; \
               echo \"${COMPREPLY[@]}\"";
    let output = Command::new("bash").args(["-c", ask]).current_dir(folder.path()).output().unwrap();
    assert_eq!(text(&output.stdout).trim(), "resume", "{}", text(&output.stderr));
}
