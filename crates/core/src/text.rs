//! Text of messages: suggestions for misspelled names, lists, and text of unknown origin.

use std::borrow::Cow;

/// The candidate that `given` most likely misspells.
///
/// ```
/// assert_eq!(phasefront_core::text::nearest("radus", ["radius", "center"]), Some("radius"));
/// ```
pub fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = given.to_lowercase();
    // Edit distance of up to a third of the letters: enough for transpositions and plurals, too little for another word.
    let allowed = (given.chars().count() / 3).clamp(1, 3);
    // A missing or an additional suffix counts as one edit: `eps` for `eps_r`, `eps_r` for `eps`.
    let is_one_slip = |candidate: &str| {
        let index = |rest: &str| rest.len() == 2 && rest.starts_with('_');
        candidate.strip_prefix(&*lower).is_some_and(|rest| rest.starts_with('_'))
            || lower.strip_prefix(candidate).is_some_and(index)
    };
    let distance = |candidate: &str| {
        if is_one_slip(candidate) { 1 } else { strsim::osa_distance(&lower, &candidate.to_lowercase()) }
    };
    candidates
        .into_iter()
        .map(|candidate| (distance(candidate), candidate))
        // A distance equal to the candidate's length would replace every letter of it.
        .filter(|&(distance, candidate)| distance <= allowed && distance < candidate.chars().count())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// `a, b and c`, each item between two marks and the last after `and` or `or`.
///
/// ```
/// assert_eq!(phasefront_core::text::list(&["a", "b", "c"], "`", "and"), "`a`, `b` and `c`");
/// ```
pub fn list(items: &[&str], mark: &str, join: &str) -> String {
    let quoted: Vec<String> = items.iter().map(|item| format!("{mark}{item}{mark}")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} {join} {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// One line of text from a file, with control characters in a visible form.
///
/// A name in a case file, a mesh or a reference may contain anything. Printed as it is, an escape
/// sequence could recolor, move or erase what a terminal shows, and a character that changes the
/// direction of writing could reorder it.
///
/// ```
/// use phasefront_core::text::visible;
///
/// assert_eq!(visible("a\x1b[2Jb\n"), "a\\u{1b}[2Jb\\n");
/// assert_eq!(visible("Ω = 50 ohm"), "Ω = 50 ohm");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unsafe(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown.into()
}

/// As [`visible`] for text that may have several lines.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    if text.contains(|c| c != '\n' && is_unsafe(c)) {
        text.split('\n').map(visible).collect::<Vec<_>>().join("\n").into()
    } else {
        text.into()
    }
}

/// Control characters, and those that change the direction of writing or break lines.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognized_and_other_words_are_not() {
        let keys = ["radius", "center", "material", "cells", "x", "y", "eps_r", "mu"];
        for (given, meant) in [
            ("radus", Some("radius")),
            ("Radius", Some("radius")),
            ("center", Some("center")),
            ("cell", Some("cells")),
            ("materail", Some("material")),
            ("eps", Some("eps_r")),
            ("mu_r", Some("mu")),
            ("ep", None),
            ("color", None),
            ("z", None),
        ] {
            assert_eq!(nearest(given, keys), meant, "{given}");
        }
    }

    #[test]
    fn what_moves_a_cursor_is_made_visible() {
        for (text, shown) in [
            ("plain, µ and 日本", "plain, µ and 日本"),
            ("\x1b]0;title\x07", "\\u{1b}]0;title\\u{7}"),
            ("a\rb\tc\u{7f}", "a\\rb\\tc\\u{7f}"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("abc\u{202e}cba", "abc\\u{202e}cba"),
        ] {
            assert_eq!(visible(text), shown);
            assert_eq!(visible_lines(text), shown);
            assert_eq!(visible(&visible(text)), shown, "twice is as once");
        }
        assert_eq!(visible("a\nb"), "a\\nb");
        assert_eq!(visible_lines("a\nb\x1b\n"), "a\nb\\u{1b}\n");
    }

    #[test]
    fn lists_read_like_english() {
        assert_eq!(list(&["a"], "`", "and"), "`a`");
        assert_eq!(list(&["a", "b", "c"], "", "or"), "a, b or c");
        assert_eq!(list(&[], "", "and"), "");
    }
}
