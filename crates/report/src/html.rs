//! `report.html`: one self-contained page for a run, and one that lists several.
//!
//! The page loads no scripts, fonts or images. It follows the reader's light or dark theme; plots
//! have a white background. All text from the user is escaped.

use crate::base64::base64;
use crate::plot::escape;
use crate::result::{Check, RunResult};
use crate::table::{Table, number_text};
use indexmap::IndexSet;
use phasefront_core::units::bytes_text;
use phasefront_core::{Bound, SelfCheck};
use std::fmt::Write as _;

/// Rows of a table on the page; the CSV file has all of them.
const ROWS: usize = 10;
/// The attribute of cells that hold numbers.
const NUMBER: &str = " class=\"number\"";
const CSS: &str = include_str!("report.css");

/// The contents of a page.
///
/// ```
/// use phasefront_report::{Report, RunResult, html};
///
/// let result = RunResult::new("mom", "circle");
/// let page = html(&Report {
///     title: "circle",
///     subtitle: "Scattering by a <perfect> conductor",
///     result: &result,
///     plots: &[],
///     tables: &[],
///     case_text: "solver = \"mom\"",
/// });
/// assert!(page.contains("Scattering by a &lt;perfect&gt; conductor"));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// Headline.
    pub title: &'a str,
    /// One line below it.
    pub subtitle: &'a str,
    /// The contents of `result.json`.
    pub result: &'a RunResult,
    /// Caption and SVG of each plot, as from [`crate::plot::Plot::render`], or a film as from [`picture`]. They
    /// are embedded unchanged.
    pub plots: &'a [(String, String)],
    /// Tables; the page shows the first rows of each.
    pub tables: &'a [&'a Table],
    /// The complete text of the case file.
    pub case_text: &'a str,
}

/// The page of one run.
pub fn html(report: &Report) -> String {
    let result = report.result;
    let mut body = String::new();
    header(&mut body, report);
    section(&mut body, "Checks", &checks(&result.checks));
    section(&mut body, "Warnings", &list(&result.warnings));
    section(&mut body, "How far to trust this", &trust(&result.trust));
    section(&mut body, "Results", &numbers(&result.metrics));
    section(&mut body, "Plots", &figures(report.plots));
    section(&mut body, "Tables", &report.tables.iter().map(|t| table(t)).collect::<String>());
    section(&mut body, "Device and time", &machine(result));
    let settings = result.settings.iter().map(|(path, value)| [code(path), code(value)]);
    section(&mut body, "Settings", &rows(["setting", "value"], &[], settings));
    let files = result.files.iter().map(|f| [link(&f.name, &f.name), escape(&f.what), bytes_text(f.bytes)]);
    section(&mut body, "Files", &rows(["file", "what it holds", "size"], &[2], files));
    if !report.case_text.is_empty() {
        section(&mut body, "Case", &format!("<pre>{}</pre>", escape(report.case_text)));
    }
    page(report.title, &body)
}

/// A page that lists several runs: of each its result, a plot, and a link to its own page.
///
/// ```
/// use phasefront_report::{Overview, RunResult, overview};
///
/// let result = RunResult::new("mom", "circle");
/// let run = Overview { result: &result, picture: None, meaning: "A wave meets a cylinder.", address: "circle/report.html" };
/// let page = overview("Demo", "One small case of each solver.", &[run], &["phasefront new mom"]);
/// assert!(page.contains("href=\"circle/report.html\""));
/// ```
pub fn overview(title: &str, intro: &str, runs: &[Overview], next: &[&str]) -> String {
    let passed = runs.iter().filter(|run| run.result.pass()).count();
    let mut body = format!(
        "<header><h1>{}</h1><p class=\"subtitle\">{}</p>{}</header>",
        escape(title),
        escape(intro),
        verdict(passed == runs.len(), &format!("{passed} of {} runs pass their checks", runs.len()))
    );
    let summary = runs.iter().map(|Overview { result, address, .. }| {
        let seconds: f64 = result.seconds.values().filter(|s| s.is_finite()).sum();
        [
            link(address, &result.case),
            escape(&result.solver),
            summary(result),
            escape(&result.device),
            seconds_text(seconds),
        ]
    });
    section(&mut body, "Runs", &rows(["case", "solver", "checks", "device", "time"], &[4], summary));
    for Overview { result, picture, meaning, address } in runs {
        let mut inside = format!("<p>{}</p>{}", escape(meaning), checks(&result.checks));
        if let Some(svg) = picture {
            inside += &figure(svg, &result.case);
        }
        // Writing to a String cannot fail.
        let _ = write!(inside, "<p>{}</p>", link(address, "The whole report"));
        section(&mut body, &escape(&result.case), &inside);
    }
    let commands: Vec<String> = next.iter().map(|command| escape(command)).collect();
    section(&mut body, "Try next", &format!("<pre>{}</pre>", commands.join("\n")));
    page(title, &body)
}

/// A run on the overview page.
pub struct Overview<'a> {
    /// Its result.
    pub result: &'a RunResult,
    /// The most informative plot, as SVG.
    pub picture: Option<&'a str>,
    /// The problem and what the plot shows, in a few sentences.
    pub meaning: &'a str,
    /// Where its own page is.
    pub address: &'a str,
}

fn page(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>{}</title><style>{CSS}</style></head>\n\
         <body><main>{body}</main></body></html>\n",
        escape(title)
    )
}

fn header(body: &mut String, report: &Report) {
    let result = report.result;
    let words = summary(result);
    let _ = write!(
        body,
        "<header><h1>{}</h1><p class=\"subtitle\">{}</p>{}<p class=\"facts\">case {}, solver {}, on {}, {} precision, by {}</p></header>",
        escape(report.title),
        escape(report.subtitle),
        verdict(result.pass() && result.warnings.is_empty(), &words),
        escape(&result.case),
        escape(&result.solver),
        escape(if result.device.is_empty() { "an unnamed device" } else { &result.device }),
        escape(&result.precision),
        escape(&result.software),
    );
}

/// One sentence about the checks.
fn summary(result: &RunResult) -> String {
    let (all, failed) = (result.checks.len(), result.checks.iter().filter(|check| !check.pass).count());
    let words = match (all, failed) {
        (0, _) => "Done; nothing to check against".to_owned(),
        (1, 0) => "The check passes".to_owned(),
        (_, 0) => format!("All {all} checks pass"),
        (1, _) => "The check fails".to_owned(),
        _ => format!("{failed} of {all} checks fail"),
    };
    match result.warnings.len() {
        0 => words,
        1 => format!("{words}; read the warning"),
        many => format!("{words}; read the {many} warnings"),
    }
}

fn verdict(pass: bool, words: &str) -> String {
    let class = if pass { "pass" } else { "fail" };
    format!("<p class=\"verdict {class}\">{}</p>", escape(words))
}

/// A section, omitted if empty.
fn section(body: &mut String, title: &str, inside: &str) {
    if !inside.is_empty() {
        let _ = writeln!(body, "<section><h2>{title}</h2>{inside}</section>");
    }
}

/// The checks, and below them their sources, each once.
fn checks(checks: &[Check]) -> String {
    // Many checks share a source: it is numbered once, in order of appearance.
    let sources: IndexSet<&str> = checks.iter().map(|check| check.source.as_str()).collect();
    let cells = checks.iter().map(|check| {
        let unit = check.unit.as_deref().map(|unit| format!(" {}", escape(unit))).unwrap_or_default();
        let with_unit = |x: f64| format!("{}{unit}", number(x));
        let (class, word) = if check.pass { ("pass", "pass") } else { ("fail", "FAIL") };
        let source = sources.get_index_of(check.source.as_str()).map_or(0, |index| index + 1);
        [
            escape(&check.name),
            format!("<span class=\"word {class}\">{word}</span>"),
            with_unit(check.value),
            with_unit(check.reference),
            short(check.error()),
            short(check.tolerance),
            format!("[{source}]"),
        ]
    });
    let table =
        rows(["check", "", "value", "reference", "error", "tolerance", "source"], &[2, 3, 4, 5, 6], cells);
    let sources: String = sources.iter().map(|source| element("li", "", &escape(source))).collect();
    if checks.is_empty() {
        table
    } else {
        format!("{table}<p>Sources of the references:</p><ol>{sources}</ol>")
    }
}

/// The self-checks of the run, each with its limit and what it means.
fn trust(checks: &[SelfCheck]) -> String {
    let cells = checks.iter().map(|check| {
        let (class, word) = if check.holds() { ("pass", "holds") } else { ("fail", "WARNING") };
        let bound = match check.bound {
            Bound::AtMost => "at most",
            Bound::AtLeast => "at least",
        };
        [
            escape(&check.name),
            format!("<span class=\"word {class}\">{word}</span>"),
            format!("{} {}", short(check.value), escape(&check.unit)),
            format!("{bound} {}", short(check.limit)),
            escape(&check.sentence),
        ]
    });
    rows(["self-check", "", "value", "limit", "what it means"], &[2, 3], cells)
}

fn list(items: &[String]) -> String {
    if items.is_empty() {
        return String::new();
    }
    let items: String = items.iter().map(|item| element("li", "", &escape(item))).collect();
    format!("<ul>{items}</ul>")
}

fn numbers(map: &indexmap::IndexMap<String, f64>) -> String {
    rows(["quantity", "value"], &[1], map.iter().map(|(name, value)| [escape(name), digits(*value, 6)]))
}

fn figures(plots: &[(String, String)]) -> String {
    plots.iter().map(|(caption, svg)| figure(svg, caption)).collect()
}

fn figure(svg: &str, caption: &str) -> String {
    let label = escape(caption);
    format!(
        "<figure><div class=\"card\" role=\"img\" aria-label=\"{label}\">{svg}</div>\
         <figcaption>{label}</figcaption></figure>"
    )
}

/// A PNG as an element of a page, which has the file in itself.
pub fn picture(png: &[u8]) -> String {
    format!("<img alt=\"\" src=\"data:image/png;base64,{}\">", base64(png))
}

fn table(table: &Table) -> String {
    let shown = table.rows().min(ROWS);
    let head: String = table.columns.iter().map(|c| element("th", NUMBER, &escape(&c.name))).collect();
    let mut lines = String::new();
    for row in 0..shown {
        let cell = |text: String| element("td", NUMBER, &escape(&text));
        let cells: String = table.columns.iter().map(|c| cell(c.values.cell(row))).collect();
        let _ = write!(lines, "<tr>{cells}</tr>");
    }
    let file = format!("{}.csv", table.name);
    let note = if shown < table.rows() {
        format!("The first {shown} of {} rows; all are in {}.", table.rows(), link(&file, &file))
    } else {
        format!("Also in {}.", link(&file, &file))
    };
    format!(
        "<h3>{}</h3><div class=\"wide\"><table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>\
         <p class=\"note\">{note}</p>",
        escape(&table.name)
    )
}

fn machine(result: &RunResult) -> String {
    let seed = result.seed.map_or_else(|| "none".to_owned(), |seed| seed.to_string());
    let facts = [
        ["device".to_owned(), escape(&result.device)],
        ["precision".to_owned(), escape(&result.precision)],
        ["seed".to_owned(), seed],
        ["deterministic".to_owned(), if result.deterministic { "yes" } else { "no" }.to_owned()],
        ["software".to_owned(), escape(&result.software)],
    ];
    let stages = result.seconds.iter().map(|(stage, s)| [escape(stage), seconds_text(*s)]);
    rows(["", ""], &[], facts.into_iter()) + &rows(["stage", "time"], &[1], stages)
}

/// A table of cells that are HTML already; nothing without rows. Columns in `right` hold numbers.
fn rows<const N: usize>(
    head: [&str; N],
    right: &[usize],
    cells: impl Iterator<Item = [String; N]>,
) -> String {
    let class = |i: usize| if right.contains(&i) { NUMBER } else { "" };
    let mut lines = String::new();
    for line in cells {
        let line: String = line.iter().enumerate().map(|(i, cell)| element("td", class(i), cell)).collect();
        let _ = write!(lines, "<tr>{line}</tr>");
    }
    if lines.is_empty() {
        return lines;
    }
    let has_head = head.iter().any(|title| !title.is_empty());
    let cells = head.iter().enumerate().map(|(i, title)| element("th", class(i), title));
    let head = if has_head {
        format!("<thead><tr>{}</tr></thead>", cells.collect::<String>())
    } else {
        String::new()
    };
    format!("<div class=\"wide\"><table>{head}<tbody>{lines}</tbody></table></div>")
}

/// An element around what is HTML already.
fn element(tag: &str, attribute: &str, inside: &str) -> String {
    format!("<{tag}{attribute}>{inside}</{tag}>")
}

fn code(text: &str) -> String {
    element("code", "", &escape(text))
}

/// A link to a file beside the page. Everything but plain letters is encoded, the colon too: a name such as
/// `javascript:x` stays a name.
fn link(address: &str, text: &str) -> String {
    let mut path = String::new();
    for byte in address.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            path.push(byte.into());
        } else {
            let _ = write!(path, "%{byte:02X}");
        }
    }
    format!("<a href=\"{path}\">{}</a>", escape(text))
}

/// A number with enough digits to show a relative error of 1e-12.
fn number(x: f64) -> String {
    digits(x, 12)
}

/// A number with few digits, for errors and tolerances.
fn short(x: f64) -> String {
    digits(x, 3)
}

fn digits(x: f64, digits: usize) -> String {
    if !x.is_finite() {
        return "not a number".to_owned();
    }
    // Rounded by way of text, then written in the shortest form: 0.30000000000000004 becomes 0.3.
    let rounded: f64 = format!("{x:.*e}", digits - 1).parse().unwrap_or(x);
    let text = number_text(rounded);
    let Some((mantissa, exponent)) = text.split_once('e') else { return text.replace('-', "\u{2212}") };
    let exponent = exponent.replace('-', "\u{2212}");
    format!("{}\u{d7}10<sup>{exponent}</sup>", mantissa.replace('-', "\u{2212}"))
}

fn seconds_text(s: f64) -> String {
    match s {
        s if !s.is_finite() => "unknown".to_owned(),
        s if s < 1e-3 => format!("{:.0} \u{b5}s", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s if s < 120.0 => format!("{s:.2} s"),
        s => format!("{:.1} min", s / 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileEntry;

    const EVIL: &str = "<script>alert('\"&')</script>";

    fn evil_result() -> RunResult {
        let mut result = RunResult::new(EVIL, EVIL);
        result.software = EVIL.into();
        result.device = EVIL.into();
        result.precision = EVIL.into();
        result.settings.insert(EVIL.into(), EVIL.into());
        result.seconds.insert(EVIL.into(), 1.0);
        result.metrics.insert(EVIL.into(), f64::NAN);
        let check = Check::new(EVIL, 1.0, 2.0, 0.1, EVIL);
        result.checks.push(Check { unit: Some(EVIL.into()), ..check });
        result.warnings.push(EVIL.into());
        result.files.push(FileEntry { name: EVIL.into(), bytes: 1, what: EVIL.into() });
        result.files.push(FileEntry { name: "javascript:alert(1)".into(), bytes: 1, what: String::new() });
        result
    }

    #[test]
    fn nothing_of_the_user_becomes_markup() {
        let result = evil_result();
        let table = Table::new(EVIL).text(EVIL, vec![EVIL.into()]);
        let page = html(&Report {
            title: EVIL,
            subtitle: EVIL,
            result: &result,
            plots: &[(EVIL.into(), "<svg/>".into())],
            tables: &[&table],
            case_text: EVIL,
        });
        let listing = overview(
            EVIL,
            EVIL,
            &[Overview { result: &result, picture: Some("<svg/>"), meaning: EVIL, address: EVIL }],
            &[EVIL],
        );
        for page in [page, listing] {
            assert!(!page.contains("<script") && !page.contains("\"&'"), "{page}");
            assert!(!page.contains("href=\"javascript:"));
            for outside in ["http:", "https:", "src=", "@import", "url("] {
                assert!(!page.contains(outside), "{outside}");
            }
        }
    }

    #[test]
    fn the_verdict_is_in_words() {
        let mut result = RunResult::new("mom", "circle");
        assert_eq!(summary(&result), "Done; nothing to check against");
        result.checks.push(Check::new("a", 1.0, 1.0, 0.1, ""));
        assert_eq!(summary(&result), "The check passes");
        result.checks.push(Check::new("b", 1.0, 1.0, 0.1, ""));
        assert_eq!(summary(&result), "All 2 checks pass");
        result.checks.push(Check::new("c", 1.0, 2.0, 0.1, ""));
        assert_eq!(summary(&result), "1 of 3 checks fail");
        result.warnings.push("coarse".into());
        assert_eq!(summary(&result), "1 of 3 checks fail; read the warning");
    }

    #[test]
    fn a_long_table_is_cut_and_says_so() {
        let long = Table::new("echo_width").number("a_deg", (0..361).map(f64::from).collect());
        let text = table(&long);
        assert!(text.contains("first 10 of 361 rows") && text.contains("echo_width.csv"));
        assert_eq!(text.matches("<tr>").count(), 11);
    }

    #[test]
    fn numbers_are_short_and_typeset() {
        assert_eq!(number(0.1 + 0.2), "0.3");
        assert_eq!(number(34.584560348), "34.584560348");
        assert_eq!(number(-256.0), "\u{2212}256");
        assert_eq!(short(1.23456e-9), "1.23\u{d7}10<sup>\u{2212}9</sup>");
        assert_eq!(number(f64::INFINITY), "not a number");
        assert_eq!(
            [bytes_text(999), bytes_text(1_500), bytes_text(2_000_000)],
            ["999 bytes", "1.5 KiB", "1.9 MiB"]
        );
        assert_eq!(
            [seconds_text(2e-5), seconds_text(0.25), seconds_text(300.0)],
            ["20 \u{b5}s", "250.0 ms", "5.0 min"]
        );
    }
}
