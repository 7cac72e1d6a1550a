//! The text of a kernel file as a compiler gets it, and what it says of its kernels' parameters.

use crate::{Arg, DeviceError, Grid, KernelSource, Result};
use std::fmt::Write;

/// The dialect, put before every kernel file.
pub const PRELUDE: &str = include_str!("../kernels/prelude.h");

/// Defines, prelude and source in one text; `#line` makes the compiler's messages name the kernel file.
pub(crate) fn full_text(source: &KernelSource, defines: &[(&str, &str)]) -> String {
    let mut text = String::new();
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

/// Checks number and types of `args` against the parameters of `kernel` as its source declares them.
///
/// Drivers trust the caller with this, and read past the end of a list that is too short.
pub(crate) fn check_arguments(source: &KernelSource, kernel: &str, args: &[Arg<'_>]) -> Result<()> {
    let wrong = |reason: String| Err(DeviceError::KernelArguments { kernel: kernel.into(), reason });
    let Some(parameters) = parameters(source.text, kernel) else {
        return Err(DeviceError::KernelNotFound { file: source.name.into(), kernel: kernel.into() });
    };
    if parameters.len() != args.len() {
        return wrong(format!("it takes {} arguments, {} were given", parameters.len(), args.len()));
    }
    for (i, (parameter, arg)) in parameters.iter().zip(args).enumerate() {
        let (fits, given) = match arg {
            Arg::Buffer(_) => (parameter.contains('*'), "a buffer"),
            Arg::I32(_) => (is_scalar(parameter, "i32"), "an i32"),
            Arg::I64(_) => (is_scalar(parameter, "i64"), "an i64"),
            Arg::F32(_) => (is_scalar(parameter, "f32"), "an f32"),
            Arg::F64(_) => (is_scalar(parameter, "f64"), "an f64"),
        };
        if !fits {
            return wrong(format!("parameter {i} is `{parameter}`, {given} was given"));
        }
    }
    Ok(())
}

/// The parameters of `KERNEL name(...)`, as written.
fn parameters<'a>(text: &'a str, name: &str) -> Option<Vec<&'a str>> {
    let starts = text.match_indices("KERNEL").map(|(at, word)| text[at + word.len()..].trim_start());
    let list = starts
        .filter_map(|rest| rest.strip_prefix(name)?.trim_start().strip_prefix('('))
        .find_map(|rest| rest.split_once(')').map(|(list, _)| list))?;
    Some(list.split(',').map(str::trim).filter(|parameter| !parameter.is_empty()).collect())
}

/// Refuses more groups than run at once: they would wait for each other for ever.
pub(crate) fn check_resident(kernel: &str, grid: Grid, resident: u32) -> Result<()> {
    let groups = grid.groups.iter().map(|&groups| u64::from(groups)).fold(1, u64::saturating_mul);
    if groups <= u64::from(resident) {
        return Ok(());
    }
    Err(DeviceError::TooManyGroups { kernel: kernel.into(), groups, resident })
}

fn is_scalar(parameter: &str, kind: &str) -> bool {
    !parameter.contains('*') && parameter.split_whitespace().any(|word| word == kind)
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
    fn wrong_arguments_are_named() {
        let source = KernelSource { name: "t.cu", text: "KERNEL f(GLOBAL f64 *x, i64 n, f32 k) {}" };
        let fails = |args: &[Arg<'_>]| check_arguments(&source, "f", args).unwrap_err().to_string();
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
