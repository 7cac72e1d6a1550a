//! Teams: threads for parallel loops of a few microseconds that follow one another.
//!
//! The threads of rayon go to sleep between such loops, and take longer to wake than a loop takes. Members of a team stay awake: they spin for
//! the next loop, then yield to other threads, and sleep after a long pause. A member has the same share of every loop of a length, so that data
//! stay in its cache. The thread that leads the team does the shares that nobody has begun when its own is done: a loop ends even where the members
//! get no processor.
//!
//! Tasks that run side by side each lead a team ([`Teams`]). A thread without a task joins the smallest of them and stays until its task ends: the
//! threads of short tasks help with the long ones. Results do not depend on who is in a team.

use rayon::prelude::*;
use std::any::Any;
use std::cell::{RefCell, UnsafeCell};
use std::hint::spin_loop;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering, fence};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, Thread};

/// Turns of waiting that spin, about 0.1 ms: longer than what one thread does between two loops.
const SPINS: u32 = 2000;
/// Turns after these that yield, before a member sleeps: again about 0.1 ms.
const YIELDS: u32 = 200;

/// States of a share: done; to be done; somebody does it; no further loops.
const IDLE: u8 = 0;
const OPEN: u8 = 1;
const TAKEN: u8 = 2;
const CLOSED: u8 = 3;

/// Members of all teams of the process.
static MEMBERS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The team that this thread leads, but while it is in a loop: loops inside of it are no loops of the team.
    static CURRENT: RefCell<Option<Arc<Team>>> = const { RefCell::new(None) };
}

/// One loop: the number of calls, the members that share them, and what is called with their indices.
#[derive(Clone, Copy)]
struct Loop {
    count: usize,
    members: usize,
    work: *const (dyn Fn(usize) + Sync),
}

struct Team {
    /// One for each thread that may be a member.
    shares: Box<[Share]>,
    /// Members so far, the leader included. They join between two loops and stay.
    size: AtomicUsize,
    /// The current loop: written by the leader while all shares are idle, read by who has taken one.
    current: UnsafeCell<Option<Loop>>,
    /// The first panic of the current loop.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

// SAFETY: `current` is written while no share is open or taken, and read by those only who have taken a share; the state of the share orders both. The
// closure that it points to is `Sync`.
unsafe impl Send for Team {}
// SAFETY: as above.
unsafe impl Sync for Team {}

/// What a member does of each loop. On cache lines of its own: the member polls the state.
#[repr(align(128))]
struct Share {
    state: AtomicU8,
    member: Member,
}

/// The thread of a share; read by the leader in every loop, and hardly ever written.
#[repr(align(128))]
struct Member {
    sleeps: AtomicBool,
    thread: OnceLock<Thread>,
}

/// The teams of tasks that run side by side, and the threads that have no task.
pub struct Teams {
    open: Mutex<Open>,
    changed: Condvar,
    /// Threads of all teams together.
    threads: usize,
}

struct Open {
    /// Teams whose tasks are under way.
    teams: Vec<Arc<Team>>,
    /// Threads that may lead further teams.
    leaders: usize,
}

impl Teams {
    /// `leaders` threads will each call [`Teams::leading`] once; with those that only [help](Teams::help) there are `threads`.
    pub fn new(leaders: usize, threads: usize) -> Self {
        let open = Open { teams: Vec::new(), leaders };
        Self { open: Mutex::new(open), changed: Condvar::new(), threads: threads.max(leaders) }
    }

    /// Runs all that this thread will do as a leader: any number of tasks by [`Teams::lead`].
    pub fn leading<T>(&self, work: impl FnOnce() -> T) -> T {
        // Helpers wait for the last leader, even if its work panics.
        let _retiring = Retiring(self);
        work()
    }

    /// Runs `work` as the leader of a team: the loops of this module run on all of its threads, which leave it with the end of `work`.
    pub fn lead<T>(&self, work: impl FnOnce() -> T) -> T {
        let team = Arc::new(Team::new(self.threads));
        self.open().teams.push(Arc::clone(&team));
        self.changed.notify_all();
        let _leading = Leading { before: CURRENT.replace(Some(Arc::clone(&team))), team, teams: self };
        work()
    }

    /// Joins the smallest team, and when its task has ended the next, until no thread leads any more.
    pub fn help(&self) {
        let mut open = self.open();
        while open.leaders > 0 {
            let smallest = open.teams.iter().min_by_key(|team| team.size.load(Ordering::Relaxed));
            match smallest.and_then(Team::join) {
                Some((team, index)) => {
                    drop(open);
                    team.serve(index);
                    open = self.open();
                }
                None => open = self.changed.wait(open).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs `work` as the leader of a team of `threads` threads, itself included: the loops of this module run on all of them. The others end with
/// `work`. A system that grants fewer threads makes it slower, not wrong.
///
/// ```
/// use phasefront_device::cpu::team;
/// let squares = team::with(3, || team::map(10, 4, |range| range.map(|i| i * i).sum::<usize>()));
/// assert_eq!(squares, [14, 126, 145]);
/// ```
pub fn with<T>(threads: usize, work: impl FnOnce() -> T) -> T {
    let teams = Teams::new(1, threads);
    thread::scope(|scope| {
        for _ in 1..teams.threads {
            // Where the system refuses another thread, the team is smaller.
            let _ = thread::Builder::new().name("team".into()).spawn_scoped(scope, || teams.help());
        }
        teams.leading(|| teams.lead(work))
    })
}

/// A thread that leads teams.
struct Retiring<'a>(&'a Teams);

impl Drop for Retiring<'_> {
    fn drop(&mut self) {
        self.0.open().leaders -= 1;
        self.0.changed.notify_all();
    }
}

/// Calls `work` with blocks of `len` things, `size` in each but the last, and returns the results in order. Blocks do not depend on the number of
/// threads: sums over blocks, in order, have the same bits for any.
pub fn map<R: Send>(len: usize, size: usize, work: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
    let mut results: Vec<Option<R>> = (0..len.div_ceil(size)).map(|_| None).collect();
    let target = Start(results.as_mut_ptr());
    for_each(results.len(), &|block| {
        let result = work(block * size..len.min((block + 1) * size));
        // SAFETY: each block is done once, and has a place of its own.
        unsafe { *target.at(block) = Some(result) };
    });
    results.into_iter().flatten().collect()
}

/// The same with mutable slices of equal length: `work` gets the index of the first value of a block, and the block of each slice.
///
/// ```
/// use phasefront_device::cpu::team;
/// let (mut a, mut b) = ([0; 5], [0; 5]);
/// let sums = team::map_mut(2, (&mut a[..], &mut b[..]), |first, (a, b)| {
///     a.fill(first);
///     b.fill(10 * first);
///     a.len()
/// });
/// assert_eq!((a, b, sums), ([0, 0, 2, 2, 4], [0, 0, 20, 20, 40], vec![2, 2, 1]));
/// ```
///
/// # Panics
/// If the slices differ in length.
pub fn map_mut<S: Slices, R: Send>(
    size: usize,
    slices: S,
    work: impl Fn(usize, S::Block) -> R + Sync,
) -> Vec<R> {
    let (len, start) = slices.start();
    map(len, size, |range| {
        let first = range.start;
        // SAFETY: blocks are disjoint parts of slices that are borrowed for the whole loop, and each block is done once.
        work(first, unsafe { S::block(&start, range) })
    })
}

/// A vector of `len` values: `values` gives those of a block, in order.
///
/// ```
/// use phasefront_device::cpu::team;
/// assert_eq!(team::collect(5, 2, |range| range.map(|i| i * i)), [0, 1, 4, 9, 16]);
/// ```
///
/// # Panics
/// If a block gets fewer values than it has.
pub fn collect<T: Copy + Send, I: IntoIterator<Item = T>>(
    len: usize,
    size: usize,
    values: impl Fn(Range<usize>) -> I + Sync,
) -> Vec<T> {
    let mut all = Vec::with_capacity(len);
    // Not filled with zeros before: by one thread that takes about as long as a loop.
    map_mut(size, &mut all.spare_capacity_mut()[..len], |first, block: &mut [MaybeUninit<T>]| {
        let (len, mut written) = (block.len(), 0);
        for (to, value) in block.iter_mut().zip(values(first..first + len)) {
            to.write(value);
            written += 1;
        }
        assert_eq!(written, len, "a block has too few values");
    });
    // SAFETY: each block has written all of its values.
    unsafe { all.set_len(len) };
    all
}

/// A mutable slice, or a pair of them: the values of the same index belong together.
pub trait Slices: Send {
    /// A block of each.
    type Block;
    /// Where they are.
    type Start: Sync;
    /// Length and place.
    fn start(self) -> (usize, Self::Start);
    /// A block of each.
    ///
    /// # Safety
    /// The range is within the slices, which are borrowed at least as long as the block, and no other block overlaps it.
    unsafe fn block(start: &Self::Start, range: Range<usize>) -> Self::Block;
}

/// The address of the first value of a slice.
pub struct Start<T>(*mut T);

// SAFETY: who uses the address takes care that no two threads use the same value.
unsafe impl<T: Send> Sync for Start<T> {}

impl<T> Start<T> {
    fn at(&self, index: usize) -> *mut T {
        self.0.wrapping_add(index)
    }
}

impl<'a, T: Send> Slices for &'a mut [T] {
    type Block = &'a mut [T];
    type Start = Start<T>;

    fn start(self) -> (usize, Start<T>) {
        (self.len(), Start(self.as_mut_ptr()))
    }

    unsafe fn block(start: &Start<T>, range: Range<usize>) -> &'a mut [T] {
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(start.at(range.start), range.len()) }
    }
}

impl<A: Slices, B: Slices> Slices for (A, B) {
    type Block = (A::Block, B::Block);
    type Start = (A::Start, B::Start);

    fn start(self) -> (usize, Self::Start) {
        let ((len, a), (other, b)) = (self.0.start(), self.1.start());
        assert_eq!(len, other, "the slices of a loop differ in length");
        (len, (a, b))
    }

    unsafe fn block(start: &Self::Start, range: Range<usize>) -> Self::Block {
        // SAFETY: the caller's promise, for both.
        unsafe { (A::block(&start.0, range.clone()), B::block(&start.1, range)) }
    }
}

/// Calls `work` with every index below `count`: on the team that this thread leads, else on rayon's threads.
fn for_each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    if let Some(team) = CURRENT.take() {
        let back = Back(team);
        back.0.run(count, work);
    } else if count > 1 && rayon::current_num_threads() > 1 {
        (0..count).into_par_iter().for_each(work);
    } else {
        (0..count).for_each(work);
    }
}

/// Returns a team to its leader.
struct Back(Arc<Team>);

impl Drop for Back {
    fn drop(&mut self) {
        CURRENT.set(Some(Arc::clone(&self.0)));
    }
}

/// Ends a team with the work of its leader, even if that panics.
struct Leading<'a> {
    team: Arc<Team>,
    before: Option<Arc<Team>>,
    teams: &'a Teams,
}

impl Drop for Leading<'_> {
    fn drop(&mut self) {
        // Nobody joins it any more, before its members are let go.
        self.teams.open().teams.retain(|team| !Arc::ptr_eq(team, &self.team));
        self.team.set(1..self.team.size.load(Ordering::Relaxed), CLOSED);
        CURRENT.set(self.before.take());
    }
}

impl Team {
    fn new(threads: usize) -> Self {
        let share = |_| Share {
            state: AtomicU8::new(IDLE),
            member: Member { sleeps: AtomicBool::new(false), thread: OnceLock::new() },
        };
        MEMBERS.fetch_add(1, Ordering::Relaxed);
        Self {
            shares: (0..threads).map(share).collect(),
            size: AtomicUsize::new(1),
            current: UnsafeCell::new(None),
            panic: Mutex::new(None),
        }
    }

    /// Makes this thread a member, if there is room; called by one thread at a time. Returns the index of its share.
    fn join(self: &Arc<Self>) -> Option<(Arc<Self>, usize)> {
        let index = self.size.load(Ordering::Relaxed);
        let _ = self.shares.get(index)?.member.thread.set(thread::current());
        MEMBERS.fetch_add(1, Ordering::Relaxed);
        self.size.store(index + 1, Ordering::Release);
        Some((Arc::clone(self), index))
    }

    /// One loop, by its leader.
    // A cast cannot change the lifetime of a trait object behind a pointer.
    #[allow(clippy::transmute_ptr_to_ptr)]
    fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        let members = self.size.load(Ordering::Acquire).min(count);
        if members < 2 {
            return (0..count).for_each(work);
        }
        let work: *const (dyn Fn(usize) + Sync) = work;
        // SAFETY: of the type only the lifetime changes. Nobody calls the closure after this function, as no share is left open or taken.
        let work = unsafe {
            std::mem::transmute::<*const (dyn Fn(usize) + Sync), *const (dyn Fn(usize) + Sync)>(work)
        };
        // SAFETY: all shares are idle, so that nobody reads it.
        unsafe { *self.current.get() = Some(Loop { count, members, work }) };
        self.set(1..members, OPEN);
        self.work_on(0);
        for (index, share) in self.shares.iter().enumerate().take(members).skip(1) {
            // Looked at before it is written to: a member that works needs its cache line.
            if share.state.load(Ordering::Relaxed) == OPEN && share.take() {
                self.work_on(index);
                share.state.store(IDLE, Ordering::Relaxed);
            }
        }
        for share in &self.shares[1..members] {
            wait(|| share.state.load(Ordering::Acquire) == IDLE, thread::yield_now);
        }
        let panic = self.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    /// Changes the states of members, and wakes those that sleep.
    fn set(&self, members: Range<usize>, state: u8) {
        let members = &self.shares[members];
        for share in members {
            share.state.store(state, Ordering::Release);
        }
        // Either this sees that a member sleeps, or the member, behind its own fence, sees the state.
        fence(Ordering::SeqCst);
        for Share { member, .. } in members {
            if member.sleeps.load(Ordering::Relaxed)
                && let Some(thread) = member.thread.get()
            {
                thread.unpark();
            }
        }
    }

    /// A member's life.
    fn serve(&self, index: usize) {
        let share = &self.shares[index];
        let Share { state, member } = share;
        let is_called = || matches!(state.load(Ordering::Acquire), OPEN | CLOSED);
        loop {
            wait(is_called, || {
                member.sleeps.store(true, Ordering::Relaxed);
                fence(Ordering::SeqCst);
                // May return for no reason: then it sleeps again.
                if !is_called() {
                    thread::park();
                }
                member.sleeps.store(false, Ordering::Relaxed);
            });
            if state.load(Ordering::Acquire) == CLOSED {
                MEMBERS.fetch_sub(1, Ordering::Relaxed);
                return;
            }
            if share.take() {
                self.work_on(index);
                state.store(IDLE, Ordering::Release);
            }
        }
    }

    /// A share of the current loop, by who has taken it: consecutive indices.
    fn work_on(&self, index: usize) {
        // SAFETY: written before the share was opened.
        let Some(Loop { count, members, work }) = (unsafe { *self.current.get() }) else { return };
        let (each, more) = (count / members, count % members);
        let first = index * each + index.min(more);
        let own = first..first + each + usize::from(index < more);
        // SAFETY: the leader keeps the closure until all shares are done.
        let work = unsafe { &*work };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| own.for_each(work))) {
            self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        MEMBERS.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Share {
    /// Takes an open share.
    fn take(&self) -> bool {
        self.state.compare_exchange(OPEN, TAKEN, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }
}

/// Spins, then yields, then rests, until something is the case. Where teams have more members than there are processors, others need the processor: no
/// spinning.
fn wait(is_so: impl Fn() -> bool, rest: impl Fn()) {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    let processors = *PROCESSORS.get_or_init(|| thread::available_parallelism().map_or(1, Into::into));
    let mut turn = if MEMBERS.load(Ordering::Relaxed) > processors { SPINS } else { 0 };
    while !is_so() {
        match turn {
            0..SPINS => spin_loop(),
            SPINS.. if turn < SPINS + YIELDS => thread::yield_now(),
            _ => rest(),
        }
        turn = turn.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::time::{Duration, Instant};

    /// Σ i² over blocks, with a loop inside of the loop.
    fn squares(len: usize) -> (Vec<usize>, usize) {
        let mut values = vec![0; len];
        let sums = map_mut(7, &mut values[..], |first, block: &mut [usize]| {
            block.iter_mut().enumerate().for_each(|(i, value)| *value = (first + i) * (first + i));
            // A loop in a loop is done by its own thread, or by rayon's.
            map(block.len(), 3, |range| block[range].iter().sum::<usize>()).into_iter().sum::<usize>()
        });
        (values, sums.into_iter().sum())
    }

    #[test]
    fn every_index_is_done_once_by_any_team() {
        for len in [0, 1, 6, 7, 8, 100, 5041] {
            let expected: Vec<usize> = (0..len).map(|i| i * i).collect();
            let sum = expected.iter().sum();
            for threads in [0, 1, 2, 3, 8, 33] {
                assert_eq!(
                    with(threads, || squares(len)),
                    (expected.clone(), sum),
                    "{len}, {threads} threads"
                );
            }
            assert_eq!(squares(len), (expected, sum), "{len}, without a team");
        }
    }

    #[test]
    fn more_members_than_processors_and_teams_side_by_side_end_all_loops() {
        let loops = |threads: usize| {
            with(threads, || {
                for i in 0..2000 {
                    let counts = map(3 * threads, 1, |range| range.start + i);
                    assert_eq!(counts, (i..i + 3 * threads).collect::<Vec<_>>());
                    // Long enough for the members to sleep.
                    if i % 500 == 0 {
                        thread::sleep(Duration::from_millis(3));
                    }
                }
            });
        };
        loops(8);
        thread::scope(|scope| (0..3).for_each(|_| drop(scope.spawn(|| loops(8)))));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        pool.install(|| loops(4));
        assert_eq!(pool.install(|| squares(50)), squares(50));
    }

    #[test]
    fn threads_whose_task_has_ended_join_the_team_that_is_left() {
        let teams = Teams::new(2, 4);
        let last = || {
            let (mut seen, start) = (HashSet::new(), Instant::now());
            // The leader takes what nobody has begun: all four are seen after some loops.
            while seen.len() < 4 && start.elapsed() < Duration::from_mins(1) {
                seen.extend(map(16, 1, |_| {
                    thread::sleep(Duration::from_micros(100));
                    thread::current().id()
                }));
            }
            seen.len()
        };
        let seen = thread::scope(|scope| {
            let lead = |work: &dyn Fn() -> usize| {
                let found = teams.leading(|| teams.lead(work));
                teams.help();
                found
            };
            for _ in 0..2 {
                scope.spawn(|| teams.help());
            }
            let short = scope.spawn(move || lead(&|| squares(50).0.len()));
            let long = scope.spawn(move || lead(&last));
            (short.join().unwrap(), long.join().unwrap())
        });
        assert_eq!(seen, (50, 4));
    }

    #[test]
    fn a_panic_of_any_member_reaches_the_leader_and_the_team_works_on() {
        with(8, || {
            for bad in 0..40 {
                let failing = || map(40, 1, |range| assert!(range.start != bad, "number {bad}"));
                let panic = catch_unwind(AssertUnwindSafe(failing)).unwrap_err();
                assert_eq!(*panic.downcast::<String>().unwrap(), format!("number {bad}"));
                assert_eq!(squares(50), with(1, || squares(50)));
            }
        });
        // A panic of the leader outside of a loop ends the team.
        let leader = catch_unwind(|| with(4, || panic!("by the leader")));
        assert_eq!(*leader.unwrap_err().downcast::<&str>().unwrap(), "by the leader");
        assert!(CURRENT.take().is_none());
    }
}
