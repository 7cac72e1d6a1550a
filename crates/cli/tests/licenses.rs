//! Every crate that goes into the binary on this platform has a license that lets anyone use, change and
//! sell the result without opening their own code.

use serde_json::Value;
use std::process::Command;

/// Permissive licenses. Copyleft ones (GPL, LGPL, MPL, EPL) are left out on purpose.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "Zlib",
];

/// Whether an SPDX expression can be met with [`ALLOWED`] alone.
fn allowed(expression: &str) -> bool {
    // Old manifests write `MIT/Apache-2.0` for a choice.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    choice(&mut rest) == Some(true) && rest.is_empty()
}

/// Reads one side of the grammar after the other; `None` where the text is no expression.
fn choice(words: &mut &[&str]) -> Option<bool> {
    let mut met = all(words)?;
    while let ["OR", rest @ ..] = *words {
        *words = rest;
        met |= all(words)?;
    }
    Some(met)
}

fn all(words: &mut &[&str]) -> Option<bool> {
    let mut met = one(words)?;
    while let ["AND", rest @ ..] = *words {
        *words = rest;
        met &= one(words)?;
    }
    Some(met)
}

fn one(words: &mut &[&str]) -> Option<bool> {
    match *words {
        ["(", rest @ ..] => {
            *words = rest;
            let met = choice(words);
            let [")", rest @ ..] = *words else { return None };
            *words = rest;
            met
        }
        [name, "WITH", exception, rest @ ..] => {
            *words = rest;
            Some(ALLOWED.contains(&format!("{name} WITH {exception}").as_str()))
        }
        [name, rest @ ..] => {
            *words = rest;
            Some(ALLOWED.contains(name))
        }
        [] => None,
    }
}

#[test]
fn expressions_are_understood() {
    let good = [
        "MIT",
        "MIT/Apache-2.0",
        "GPL-3.0 OR MIT",
        "(MIT OR GPL-2.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
    ];
    for expression in good {
        assert!(allowed(expression), "{expression}");
    }
    for expression in
        ["", "GPL-3.0", "MIT AND MPL-2.0", "MIT OR", "(MIT", "MIT Apache-2.0", "LGPL-2.1/GPL-2.0"]
    {
        assert!(!allowed(expression), "{expression}");
    }
}

#[test]
fn every_dependency_is_permissive() {
    let host = host();
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", &host])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    assert!(packages.len() > 50, "only {} packages seen", packages.len());
    let refused: Vec<String> = packages
        .iter()
        .filter(|package| !allowed(package["license"].as_str().unwrap_or_default()))
        .map(|package| format!("{} {}: {}", package["name"], package["version"], package["license"]))
        .collect();
    assert!(refused.is_empty(), "licenses that are not on the list:\n{}", refused.join("\n"));
}

/// What `phasefront licenses` prints names every package that the lock file has for the program, and no other version of it.
#[test]
fn notices_follow_the_lock_file() {
    let print = |arguments: &[&str]| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_phasefront")).args(arguments).output().expect("phasefront runs");
        assert!(output.status.success());
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let notices = print(&["licenses"]);
    assert!(notices.starts_with("Phasefront is licensed under MIT or Apache-2.0"));
    let bill: Value = serde_json::from_str(&print(&["licenses", "--sbom"])).expect("JSON");
    assert_eq!((bill["bomFormat"].as_str(), bill["specVersion"].as_str()), (Some("CycloneDX"), Some("1.5")));
    let lock = include_str!("../../../Cargo.lock");
    let components = bill["components"].as_array().expect("components");
    assert!(components.len() > 150, "only {} components", components.len());
    for component in components {
        let (name, version) =
            (component["name"].as_str().unwrap_or(""), component["version"].as_str().unwrap_or(""));
        assert!(notices.contains(&format!("\n{name} {version}")), "no notice of {name} {version}");
        if component["purl"].as_str().is_some_and(|purl| purl.starts_with("pkg:cargo/")) {
            let locked = format!("name = \"{name}\"\nversion = \"{version}\"\n");
            assert!(
                lock.contains(&locked),
                "{name} {version} is not in Cargo.lock: run tests/supply/notices.py"
            );
        }
    }
    for name in ["faer", "axum", "three", "uplot"] {
        assert!(components.iter().any(|component| component["name"] == name), "{name} is missing");
    }
}

/// The platform this was built for, as cargo names it. Crates of other platforms need not be downloaded.
fn host() -> String {
    let output = Command::new("rustc").arg("-vV").output().expect("rustc runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.expect("rustc names its host").to_owned()
}
