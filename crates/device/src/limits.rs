//! Limits of memory that hold for this process alone: the address space that `ulimit -v` grants, and
//! the control groups (cgroups) by which batch systems and containers bound a job.

use crate::MemoryInfo;
use std::fs;
use std::path::{Path, PathBuf};

/// The tightest limit of this process, and what is free below it; none without a limit.
pub(crate) fn process_limit() -> Option<MemoryInfo> {
    [address_space(), control_groups()].into_iter().flatten().min_by_key(|limit| limit.free)
}

/// RLIMIT_AS. On Linux only: elsewhere it is not enforced.
fn address_space() -> Option<MemoryInfo> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let total = address_space_limit(&limits)?;
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let used = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    let used: u64 = used.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(MemoryInfo { free: total.saturating_sub(used << 10), total })
}

/// The soft limit in the text of `/proc/self/limits`; none if it is unlimited.
fn address_space_limit(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The memory controllers of version 2 above this process: each bounds all groups below it.
fn control_groups() -> Option<MemoryInfo> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let root = Path::new("/sys/fs/cgroup");
    let folder = root.join(own);
    let above: Vec<PathBuf> =
        folder.ancestors().take_while(|path| path.starts_with(root)).map(Path::to_owned).collect();
    above.iter().filter_map(|group| control_group(group)).min_by_key(|limit| limit.free)
}

/// The limit of one group; none without one.
fn control_group(folder: &Path) -> Option<MemoryInfo> {
    let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
    // "max" stands for no limit.
    let total: u64 = read("memory.max")?.trim().parse().ok()?;
    let used: u64 = read("memory.current")?.trim().parse().ok()?;
    // Cached files are counted too, but are dropped when memory is needed.
    let files =
        read("memory.stat")?.lines().find_map(|line| line.strip_prefix("inactive_file ")?.parse().ok());
    Some(MemoryInfo { free: total.saturating_sub(used.saturating_sub(files.unwrap_or(0))), total })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_the_address_space_is_found() {
        let text = |limit: &str| {
            format!(
                "Limit                     Soft Limit           Hard Limit           Units\n\
                 Max address space         {limit}            unlimited            bytes\n\
                 Max file locks            unlimited            unlimited            locks\n"
            )
        };
        assert_eq!(address_space_limit(&text("4194304000")), Some(4_194_304_000));
        assert_eq!(address_space_limit(&text("unlimited ")), None);
        assert_eq!(address_space_limit(""), None);
    }

    #[test]
    fn a_control_group_leaves_what_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("memory.max", "max\n");
        assert_eq!(control_group(folder.path()), None);
        write("memory.max", "1000\n");
        write("memory.current", "700\n");
        write("memory.stat", "anon 500\ninactive_file 150\n");
        assert_eq!(control_group(folder.path()), Some(MemoryInfo { free: 450, total: 1000 }));
    }
}
