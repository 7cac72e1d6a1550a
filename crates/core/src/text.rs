//! Text of messages: suggestions for misspelled names, and lists.

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
    fn lists_read_like_english() {
        assert_eq!(list(&["a"], "`", "and"), "`a`");
        assert_eq!(list(&["a", "b", "c"], "", "or"), "a, b or c");
        assert_eq!(list(&[], "", "and"), "");
    }
}
