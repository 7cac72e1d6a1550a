//! Damaged texts: the parser never panics, and every error points inside the text.

use miette::Diagnostic;
use phasefront_case::{CaseError, MAX_BYTES, parse, parse_bytes};

/// The worked case with characters of two, three and four bytes in it.
fn good() -> String {
    let text = include_str!("good/circle.toml");
    text.replace("# ", "# é€😀 ")
        .replace("\"0 m\"", "\"0 µm\"")
        .replace("name = \"circle\"", "name = \"Kreis-ä\" # 😀")
}

fn check(error: &CaseError) {
    let (text, span) = (error.source_text(), error.span());
    assert!(text.get(span.clone()).is_some(), "{span:?} is not a piece of the text of {} bytes", text.len());
    let before = &text[..span.start];
    assert_eq!(error.line(), before.matches('\n').count() + 1);
    let line = before.rsplit('\n').next().unwrap();
    assert_eq!(error.column(), line.chars().count() + 1);
    assert!(!error.message().is_empty() && !error.label().is_empty() && !error.help().is_empty());
    assert!(!error.message().contains("$__") && !error.message().contains("struct "), "{}", error.message());
    let label = error.labels().unwrap().next().unwrap();
    assert!(
        error.source_code().unwrap().read_span(label.inner(), 1, 1).is_ok(),
        "miette cannot show {span:?}"
    );
    assert!(error.render_plain().lines().count() >= 6);
}

/// Reads the text as far as it is text, and as raw bytes.
fn read(bytes: &[u8]) {
    if let Err(error) = parse_bytes("damaged.toml", bytes) {
        check(&error);
    }
    if let Err(error) = parse("damaged.toml", &String::from_utf8_lossy(bytes)) {
        check(&error);
    }
}

/// A repeatable sequence of numbers (xorshift); the seed is arbitrary.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below as u64) as usize
    }
}

#[test]
fn the_text_may_end_anywhere() {
    let text = good();
    assert!(parse("good.toml", &text).is_ok());
    for end in 0..text.len() {
        read(&text.as_bytes()[..end]);
    }
}

#[test]
fn any_byte_may_change() {
    let (text, mut numbers) = (good(), Numbers(0x9e37_79b9));
    for at in 0..text.len() {
        for _ in 0..4 {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1 << numbers.next(8);
            read(&bytes);
        }
    }
}

#[test]
fn pieces_may_be_lost_doubled_or_swapped() {
    let (text, mut numbers) = (good(), Numbers(0xdead_beef));
    for _ in 0..3000 {
        let mut bytes = text.clone().into_bytes();
        let (a, b) = (numbers.next(bytes.len()), numbers.next(bytes.len()));
        let (start, end) = (a.min(b), a.max(b).min(a.min(b) + 40));
        let piece = bytes[start..end].to_vec();
        match numbers.next(3) {
            0 => drop(bytes.drain(start..end)),
            1 => drop(bytes.splice(start..start, piece)),
            _ => bytes[start..end].reverse(),
        }
        read(&bytes);
    }
}

#[test]
fn values_of_every_kind_may_stand_anywhere() {
    let values = [
        "0",
        "-1",
        "1.5",
        "nan",
        "inf",
        "true",
        "\"\"",
        "\"é\"",
        "[]",
        "[[]]",
        "{}",
        "{ a = 1 }",
        "2024-05-01",
        "9e999",
        "0x7fffffffffffffff",
    ];
    let good = good();
    let others = [
        include_str!("good/every-shape.toml"),
        include_str!("good/monostatic.toml"),
        include_str!("good/reflectarray.toml"),
        include_str!("good/dgtd-sphere.toml"),
        include_str!("good/dgtd-line.toml"),
        include_str!("good/dgtd-cavity.toml"),
    ];
    for text in std::iter::once(good.as_str()).chain(others) {
        for (i, line) in text.lines().enumerate() {
            let Some((key, _)) = line.split_once(" = ") else { continue };
            for value in values {
                let mut lines: Vec<String> = text.lines().map(String::from).collect();
                lines[i] = format!("{key} = {value}");
                read(lines.join("\r\n").as_bytes());
            }
        }
    }
}

#[test]
fn deep_nesting_is_an_error_and_not_a_crash() {
    for (open, close) in [("[", "]"), ("{ a = ", " }")] {
        let text = format!("version = {}1{}\n", open.repeat(50_000), close.repeat(50_000));
        check(&parse("deep.toml", &text).unwrap_err());
    }
    check(&parse("deep.toml", &format!("a{} = 1\n", ".a".repeat(50_000))).unwrap_err());
}

#[test]
fn huge_files_are_refused_unread() {
    let error = parse_bytes("huge.toml", &vec![0xff; MAX_BYTES + 1]).unwrap_err();
    assert_eq!(error.to_string(), "the file size is 16 MB, above the limit of 16 MB for case files");
    check(&error);
    let text = "#".repeat(MAX_BYTES);
    assert!(parse("long.toml", &text).unwrap_err().to_string().starts_with("this is not a Phasefront case"));
}
