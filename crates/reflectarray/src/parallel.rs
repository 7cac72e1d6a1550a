//! Independent tasks on groups of threads: few long tasks scale better than the short transforms inside each of them.

use phasefront_device::Backend;
use phasefront_device::cpu::team::{self, Teams};
use rayon::ThreadPoolBuilder;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;

/// Values of a block of a loop over elements or samples, a few microseconds of work: fixed, so that sums over blocks have the same bits for
/// any number of threads.
pub(crate) const BLOCK: usize = 128;

/// Whether two vectors are equal, by comparing whole blocks: several values at a time.
// Without a branch for each value.
#[allow(clippy::needless_bitwise_bool)]
pub(crate) fn equal(a: &[f64], b: &[f64]) -> bool {
    let same = |(a, b): (&[f64], &[f64])| a.iter().zip(b).fold(true, |all, (a, b)| all & (a == b));
    a.len() == b.len() && a.chunks(BLOCK).zip(b.chunks(BLOCK)).all(same)
}

/// Something of each item, on the threads of the team.
pub(crate) fn each<T: Sync>(items: &[T], of: impl Fn(&T) -> f64 + Sync) -> Vec<f64> {
    let mut values = vec![0.0; items.len()];
    team::map_mut(BLOCK, &mut values[..], |first, values: &mut [f64]| {
        values.iter_mut().zip(&items[first..]).for_each(|(value, item)| *value = of(item));
    });
    values
}

/// Tasks of a kind that run at the same time on `backend`. A GPU serves one after another.
pub(crate) fn concurrent_tasks(count: usize, backend: &Backend) -> usize {
    match backend {
        Backend::Cpu => count.min(rayon::current_num_threads()).max(1),
        Backend::Gpu(_) => 1,
    }
}

/// Does `work` for each of the `tasks`; `done` gets the results on this thread as they come, in any order. After a failure no further
/// task is started; the error is that of the first task in order, of those that failed.
///
/// Each task leads a team. Threads are divided evenly between the tasks that run at the same time; those of a task that ends, with no other left to
/// begin, join the team of another. What rayon does for a task, it does in a pool of the group: in a common pool a thread that waits for part of its
/// transform would take up another whole task.
pub(crate) fn for_each_task<T: Send, E: Send>(
    tasks: &[usize],
    backend: &Backend,
    work: impl Fn(usize) -> Result<T, E> + Sync,
    mut done: impl FnMut(usize, T),
) -> Result<(), E> {
    let groups = concurrent_tasks(tasks.len(), backend);
    if groups == 1 {
        for &task in tasks {
            let lead = || team::with(rayon::current_num_threads(), || work(task));
            let result = match backend {
                // Inside the pool once, instead of at every parallel loop of the task. A GPU may belong to this thread.
                Backend::Cpu => rayon::scope(|_| lead()),
                Backend::Gpu(_) => lead(),
            };
            done(task, result?);
        }
        return Ok(());
    }
    let threads = rayon::current_num_threads();
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, results) = channel();
    let mut errors = Vec::new();
    let teams = Teams::new(groups, threads);
    std::thread::scope(|scope| {
        for group in 0..groups {
            let (sender, next, failed, work, teams) = (sender.clone(), &next, &failed, &work, &teams);
            let run = move || {
                while !failed.load(Ordering::Relaxed) {
                    let Some(&task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                    let result = teams.lead(|| work(task));
                    failed.fetch_or(result.is_err(), Ordering::Relaxed);
                    // The receiver lives as long as the scope.
                    let _ = sender.send((task, result));
                }
            };
            let share = threads / groups + usize::from(group < threads % groups);
            scope.spawn(move || {
                teams.leading(|| match ThreadPoolBuilder::new().num_threads(share).build() {
                    Ok(pool) => pool.install(run),
                    // Without threads of its own the group uses those of all: slower, with the same results.
                    Err(_) => run(),
                });
                teams.help();
            });
        }
        for _ in groups..threads {
            scope.spawn(|| teams.help());
        }
        drop(sender);
        for (task, result) in results {
            match result {
                Ok(value) => done(task, value),
                Err(error) => errors.push((task, error)),
            }
        }
    });
    errors.into_iter().min_by_key(|(task, _)| *task).map_or(Ok(()), |(_, error)| Err(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    fn with_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
        ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
    }

    #[test]
    fn every_task_is_done_once_and_the_threads_are_divided() {
        for threads in [1, 2, 3, 7] {
            let mut sizes = vec![0; 5];
            let tasks = [4, 2, 0, 1, 3];
            // With a thread for every task, no group ends before each has taken one: a fast group could do several.
            let meeting = Barrier::new(if threads < tasks.len() { 1 } else { tasks.len() });
            let work = |task: usize| {
                meeting.wait();
                Ok::<_, ()>((task * task, rayon::current_num_threads()))
            };
            let done = |task: usize, (square, size): (usize, usize)| {
                assert_eq!((square, sizes[task]), (task * task, 0));
                sizes[task] = size;
            };
            with_threads(threads, || for_each_task(&tasks, &Backend::Cpu, work, done)).unwrap();
            let expected = if threads == 7 { vec![1, 1, 1, 2, 2] } else { vec![1; 5] };
            sizes.sort_unstable();
            assert!(sizes == expected || threads < 5, "{threads} threads: {sizes:?}");
            assert!(sizes.iter().all(|size| *size >= 1));
        }
    }

    #[test]
    fn a_failure_starts_no_further_task() {
        let work = |task: usize| if task == 1 { Err(task) } else { Ok(()) };
        for threads in [1, 4] {
            let mut count = 0;
            let tasks: Vec<usize> = (0..1_000_000).collect();
            let failed =
                with_threads(threads, || for_each_task(&tasks, &Backend::Cpu, work, |_, ()| count += 1));
            assert_eq!(failed, Err(1));
            assert!(count < tasks.len() - 1, "{threads} threads: {count}");
        }
    }
}
