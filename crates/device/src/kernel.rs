//! Kernel sources: the full text for the compiler, and the parameter lists of the kernels in it.

use crate::{Arg, DeviceError, Grid, KernelSource, Result};
use std::fmt::Write;

/// The dialect, put before every kernel file.
pub const PRELUDE: &str = include_str!("../kernels/prelude.h");

/// Defines, prelude and source in one text; `#line` makes the compiler's messages name the kernel file.
pub(crate) fn full_text(source: &KernelSource, defines: &[(&str, &str)]) -> String {
    let mut text = String::new();
    // Before the prelude, which has defaults for macros that are not defined, such as REAL.
    for (name, value) in defines {
        let _ = writeln!(text, "#define {name} {value}");
    }
    let _ = write!(
        text,
        "#line 1 \"prelude.h\"\n{PRELUDE}\n#line 1 \"{}\"\n{}\n",
        source.name.replace(['"', '\\', '\n'], "_"),
        source.text
    );
    text
}

/// The type of a kernel argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Passed {
    Buffer,
    I32,
    I64,
    F32,
    F64,
}

impl Passed {
    const ALL: [(Self, &str, &str); 5] = [
        (Self::Buffer, "*", "a buffer"),
        (Self::I32, "i32", "an i32"),
        (Self::I64, "i64", "an i64"),
        (Self::F32, "f32", "an f32"),
        (Self::F64, "f64", "an f64"),
    ];

    /// What a parameter takes, as it is written; none when it is nothing that can be passed.
    fn to(parameter: &str) -> Option<Self> {
        // Pointers first: `GLOBAL f64 *x` names a scalar type too.
        if parameter.contains('*') {
            return Some(Self::Buffer);
        }
        // Whole words: `i32` must not be found in the name of a parameter.
        let is = |(_, name, _): &&(Self, &str, &str)| parameter.split_whitespace().any(|word| word == *name);
        Self::ALL.iter().find(is).map(|(passed, ..)| *passed)
    }

    fn by(arg: &Arg<'_>) -> Self {
        match arg {
            Arg::Buffer(_) => Self::Buffer,
            Arg::I32(_) => Self::I32,
            Arg::I64(_) => Self::I64,
            Arg::F32(_) => Self::F32,
            Arg::F64(_) => Self::F64,
        }
    }

    fn words(self) -> &'static str {
        Self::ALL.iter().find(|(passed, ..)| *passed == self).map_or("", |(.., words)| words)
    }
}

/// The parameters of a kernel as its source declares them, read once: launches may be many.
pub(crate) struct Parameters(Vec<(&'static str, Option<Passed>)>);

impl Parameters {
    pub(crate) fn of(source: &KernelSource, kernel: &str) -> Result<Self> {
        let Some(list) = parameters(source.text, kernel) else {
            return Err(DeviceError::KernelNotFound { file: source.name.into(), kernel: kernel.into() });
        };
        Ok(Self(list.into_iter().map(|parameter| (parameter, Passed::to(parameter))).collect()))
    }

    /// Checks number and types of `args`. Drivers trust the caller with this, and read past the end of a list that is too short.
    pub(crate) fn check(&self, kernel: &str, args: &[Arg<'_>]) -> Result<()> {
        let wrong = |reason: String| Err(DeviceError::KernelArguments { kernel: kernel.into(), reason });
        if self.0.len() != args.len() {
            return wrong(format!("it takes {} arguments, {} were given", self.0.len(), args.len()));
        }
        for (i, ((parameter, taken), arg)) in self.0.iter().zip(args).enumerate() {
            let given = Passed::by(arg);
            if *taken != Some(given) {
                return wrong(format!("parameter {i} is `{parameter}`, {} was given", given.words()));
            }
        }
        Ok(())
    }
}

/// The parameters of `KERNEL name(...)`, as written, with parameter-list macros expanded.
fn parameters<'a>(text: &'a str, name: &str) -> Option<Vec<&'a str>> {
    let starts = text.match_indices("KERNEL").map(|(at, word)| text[at + word.len()..].trim_start());
    let list = starts
        // A parenthesis must follow: `fill` is also the start of `fill_all`.
        .filter_map(|rest| rest.strip_prefix(name)?.trim_start().strip_prefix('('))
        .find_map(|rest| rest.split_once(')').map(|(list, _)| list))?;
    Some(expanded(text, list))
}

/// The items of a comma-separated parameter list. An item that is the name of an object-like macro of the same text, such as
/// `SCENE_PARAMS`, stands for the items of its definition, so that kernels can share one definition of a long list.
fn expanded<'a>(text: &'a str, list: &'a str) -> Vec<&'a str> {
    let blank = |c: char| c == '\\' || c.is_whitespace();
    let items = list.split(',').map(|item| item.trim_matches(blank)).filter(|item| !item.is_empty());
    items
        .flat_map(|item| match definition(text, item) {
            // A list macro may contain others.
            Some(list) => expanded(text, list),
            None => vec![item],
        })
        .collect()
}

/// What `#define name ...` stands for, over all of its continuation lines.
fn definition<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let lines = text.match_indices("#define ").map(|(at, word)| text[at + word.len()..].trim_start());
    let rest =
        // A blank must follow, or a continuation: `NAME(x)` would be a function-like macro.
        lines.filter_map(|rest| rest.strip_prefix(name)).find(|rest| rest.starts_with([' ', '\t', '\\']))?;
    let end = rest.match_indices('\n').find(|(at, _)| !rest[..*at].trim_end_matches('\r').ends_with('\\'));
    Some(end.map_or(rest, |(at, _)| &rest[..at]))
}

/// Refuses more groups than are resident at once: they would deadlock.
pub(crate) fn check_resident(kernel: &str, grid: Grid, resident: u32) -> Result<()> {
    let groups = grid.groups.iter().map(|&groups| u64::from(groups)).fold(1, u64::saturating_mul);
    if groups <= u64::from(resident) {
        return Ok(());
    }
    Err(DeviceError::TooManyGroups { kernel: kernel.into(), groups, resident })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_from_the_source() {
        let text = "KERNEL fill_all(GLOBAL f64* x) {}\nKERNEL\n fill (GLOBAL const c64 *RESTRICT z,\n  i64 n, f32 k)\n{}";
        assert_eq!(parameters(text, "fill").unwrap(), ["GLOBAL const c64 *RESTRICT z", "i64 n", "f32 k"]);
        assert_eq!(parameters(text, "fill_all").unwrap(), ["GLOBAL f64* x"]);
        assert_eq!(parameters(text, "missing"), None);
        assert_eq!(parameters("KERNEL none() {}", "none").unwrap(), [""; 0]);
    }

    #[test]
    fn parameter_list_macros_are_expanded() {
        let text = "#define SCENE_PARAMS_2 f32 other\n#define SCENE_PARAMS  GLOBAL const u32 *nodes, \\\n    RAY_PARAMS\n\
                    #define RAY_PARAMS \\\n i32 rays, \\\n f64 width\n\
                    KERNEL trace(SCENE_PARAMS, GLOBAL i32 *hits, SCENE_PARAMS_2) {}";
        let expected = ["GLOBAL const u32 *nodes", "i32 rays", "f64 width", "GLOBAL i32 *hits", "f32 other"];
        assert_eq!(parameters(text, "trace").unwrap(), expected);
    }

    #[test]
    fn wrong_arguments_are_named() {
        let source = KernelSource { name: "t.cu", text: "KERNEL f(GLOBAL f64 *x, i64 n, f32 k) {}" };
        let fails = |args: &[Arg<'_>]| {
            Parameters::of(&source, "f").unwrap().check("f", args).unwrap_err().to_string()
        };
        assert!(
            fails(&[Arg::I64(1)]).ends_with("it takes 3 arguments, 1 were given"),
            "{}",
            fails(&[Arg::I64(1)])
        );
        let wrong = [Arg::I64(1), Arg::I64(1), Arg::F32(1.0)];
        assert!(
            fails(&wrong).ends_with("parameter 0 is `GLOBAL f64 *x`, an i64 was given"),
            "{}",
            fails(&wrong)
        );
    }
}
