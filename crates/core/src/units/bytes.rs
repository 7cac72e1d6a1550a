//! Memory sizes as text.

/// Bytes in the largest binary unit that keeps the number above one.
///
/// ```
/// assert_eq!(phasefront_core::units::bytes_text(3 << 30), "3.0 GiB");
/// ```
pub fn bytes_text(bytes: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    // 1024^power ≤ bytes, by integer arithmetic: a floating-point logarithm may round up just below
    // a unit.
    let power = (bytes.max(1).ilog2() / 10) as usize;
    if power == 0 {
        return format!("{bytes} bytes");
    }
    format!("{:.1} {}", bytes as f64 / (1_u64 << (10 * power)) as f64, units[power])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_well() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (1536, "1.5 KiB"),
            (3 << 30, "3.0 GiB"),
            (u64::MAX, "16.0 EiB"),
        ] {
            assert_eq!(bytes_text(bytes), text);
        }
    }
}
