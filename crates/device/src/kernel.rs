//! The text of a kernel file as a compiler gets it.

use crate::KernelSource;
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
