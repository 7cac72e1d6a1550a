//! The program under MPI launchers: `mpirun.openmpi` and `mpirun.mpich` (Debian's names), else `mpirun`, of those that are on the path.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// All that are there.
pub fn all() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        |name: &str| std::env::split_paths(&path).map(|folder| folder.join(name)).find(|p| p.is_file());
    let named: Vec<PathBuf> = ["mpirun.openmpi", "mpirun.mpich"].into_iter().filter_map(found).collect();
    if named.is_empty() { found("mpirun").into_iter().collect() } else { named }
}

/// A program, alone or as so many ranks, each with one thread, and on the CPU unless the arguments name another device.
pub fn command(
    program: &Path,
    launcher: Option<(&Path, usize)>,
    folder: &Path,
    arguments: &[&str],
) -> Command {
    let mut command = match launcher {
        None => Command::new(program),
        Some((launcher, ranks)) => {
            let mut command = Command::new(launcher);
            command.args(["-n", &ranks.to_string()]);
            // More ranks than the machine has cores, and tests that run as root in a container.
            if launcher.ends_with("mpirun.openmpi") {
                command.arg("--oversubscribe");
                command.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
            }
            command.arg(program);
            command
        }
    };
    command.current_dir(folder).args(arguments).args(["--threads", "1"]);
    if !arguments.contains(&"--device") {
        command.args(["--device", "cpu"]);
    }
    command.stdin(Stdio::null());
    command
}
