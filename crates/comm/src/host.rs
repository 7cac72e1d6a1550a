//! The name of this machine.

/// Its host name, as messages show it.
pub fn name() -> String {
    let system = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let known =
        system.or_else(|| std::env::var("HOSTNAME").ok()).or_else(|| std::env::var("COMPUTERNAME").ok());
    known
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "localhost".into())
}
