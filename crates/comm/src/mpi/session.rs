//! MPI from its start to its end: initialization, thread levels, errors, waiting, messages of any length.

use super::abi::{Abi, Handle, Status, is_open_mpi};
use super::functions::{Functions, text};
use super::library::Library;
use crate::backoff::Backoff;
use crate::error::{CommError, Result};
use crate::launcher::{Launcher, MESSAGE_TIME};
use std::ffi::c_int;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

/// Longest piece of a message. Counts of MPI are 32-bit; pieces of this size reach full bandwidth.
pub const PIECE: usize = 64 << 20;

/// When several ranks fail together, one message is enough: each rank waits this much longer than the rank before it,
/// whose abort ends it meanwhile. Rank 0 does not wait, and rank 1 at least until the message of rank 0 is out.
const ABORT_STAGGER: Duration = Duration::from_millis(20);
/// The longest such wait.
const MAX_ABORT_DELAY: Duration = Duration::from_millis(500);

/// MPI, started. It is shut down when the last owner is gone.
pub struct Session<H: Handle> {
    /// The functions of the library.
    pub functions: Functions<H>,
    /// Its constants.
    pub abi: Abi<H>,
    /// Our own copy of the world.
    pub comm: H,
    /// Number of this rank.
    pub rank: usize,
    /// Number of ranks.
    pub size: usize,
    /// Name of this rank's host.
    pub host: String,
    /// The library, its version, and its file.
    pub library: String,
    /// Whether it is Open MPI or a relative of it.
    pub is_open_mpi: bool,
    threads: ThreadLevel,
    /// Whether `comm` is our own, to be freed.
    has_own_comm: bool,
    /// Whether MPI was started here; another library of this process may have done it before.
    is_owner: bool,
}

/// Who may call MPI.
enum ThreadLevel {
    /// Any thread at any time.
    Multiple,
    /// Any thread, one at a time.
    Serialized(Mutex<()>),
    /// The thread that started MPI.
    One(ThreadId),
}

impl<H: Handle> Session<H> {
    /// Starts MPI, and refuses a library that does not know the launcher.
    pub fn start(library: &Library, abi: Abi<H>, launcher: &Launcher) -> Result<Self> {
        let functions = Functions::<H>::load(library.handle, &library.file)?;
        let name = format!("{} ({})", library.version, library.file);
        let (threads, is_owner) = initialize(&functions, &abi, &name)?;
        let host = text(|bytes, length| {
            // SAFETY: MPI is started; the text has room for the longest name.
            unsafe { (functions.get_processor_name)(bytes, length) }
        });
        let mut session = Self {
            functions,
            comm: abi.world,
            abi,
            rank: 0,
            size: 1,
            host,
            library: name,
            is_open_mpi: is_open_mpi(library.handle),
            threads,
            has_own_comm: false,
            is_owner,
        };
        session.meet(launcher)?;
        Ok(session)
    }

    /// Learns rank and size, compares them with the launcher's, and makes a communicator of our own.
    fn meet(&mut self, launcher: &Launcher) -> Result<()> {
        let (world, mut rank, mut size) = (self.abi.world, 0, 0);
        // SAFETY: MPI is started; the pointers are to live locals.
        let codes = unsafe {
            (
                (self.functions.comm_rank)(world, &raw mut rank),
                (self.functions.comm_size)(world, &raw mut size),
            )
        };
        self.check("MPI_Comm_rank", codes.0)?;
        self.check("MPI_Comm_size", codes.1)?;
        (self.rank, self.size) = (rank as usize, size as usize);
        // Ranks may be reordered by the user, so that they are compared only if there is nothing else.
        let differs = match (launcher.size, launcher.rank) {
            (Some(told), _) => told != self.size,
            (None, Some(told)) => told != self.rank,
            (None, None) => false,
        };
        if differs {
            return Err(CommError::LauncherMismatch {
                launcher: launcher.to_string(),
                library: self.library.clone(),
                rank: self.rank,
                size: self.size,
            });
        }
        let mut own = world;
        // SAFETY: as above; all ranks are here.
        let code = unsafe { (self.functions.comm_dup)(world, &raw mut own) };
        self.check("MPI_Comm_dup", code)?;
        (self.comm, self.has_own_comm) = (own, true);
        // SAFETY: the communicator was just made. Without this MPI would end the process on errors.
        let code = unsafe { (self.functions.comm_set_errhandler)(own, self.abi.errors_return) };
        self.check("MPI_Comm_set_errhandler", code)
    }

    /// Permission to call MPI; keep the guard during the call.
    pub fn enter(&self) -> Result<Option<MutexGuard<'_, ()>>> {
        match &self.threads {
            ThreadLevel::Multiple => Ok(None),
            ThreadLevel::Serialized(lock) => Ok(Some(lock.lock().unwrap_or_else(PoisonError::into_inner))),
            ThreadLevel::One(thread) if *thread == std::thread::current().id() => Ok(None),
            ThreadLevel::One(_) => Err(CommError::WrongThread { library: self.library.clone() }),
        }
    }

    /// Whether several threads may be inside MPI at once.
    pub fn is_concurrent(&self) -> bool {
        matches!(self.threads, ThreadLevel::Multiple)
    }

    /// An error for any code but 0.
    pub fn check(&self, call: &'static str, code: c_int) -> Result<()> {
        if code == 0 {
            return Ok(());
        }
        let reason = text(|bytes, length| {
            // SAFETY: MPI is started; the text has room for the longest message.
            unsafe { (self.functions.error_string)(code, bytes, length) }
        });
        Err(CommError::Call { call, code, reason })
    }

    /// Whether all `requests` are finished.
    pub fn test(&self, requests: &mut [H]) -> Result<bool> {
        let guard = self.enter()?;
        let mut done = 0;
        let ignored = self.abi.ignore_statuses as *mut Status;
        // SAFETY: the requests are those of this session, and the statuses are ignored as this ABI has it.
        let code = unsafe {
            (self.functions.testall)(requests.len() as c_int, requests.as_mut_ptr(), &raw mut done, ignored)
        };
        drop(guard);
        self.check("MPI_Testall", code)?;
        Ok(done != 0)
    }

    /// Begins one operation by `begin`, which gets the address for its request, and waits until it is finished.
    ///
    /// The memory of the operation is in use until this returns.
    pub fn complete(&self, call: &'static str, begin: impl FnOnce(*mut H) -> c_int) -> Result<()> {
        let mut request = [self.abi.no_request];
        let guard = self.enter()?;
        let code = begin(request.as_mut_ptr());
        drop(guard);
        self.check(call, code)?;
        let backoff = Backoff::start();
        while !self.test(&mut request)? {
            backoff.pause();
        }
        Ok(())
    }

    /// Writes the message and ends all processes of the job.
    pub fn abort(&self, exit_code: i32, message: &str) -> ! {
        if let Ok(rank @ 1..) = u32::try_from(self.rank) {
            std::thread::sleep(2 * MESSAGE_TIME + ABORT_STAGGER.saturating_mul(rank).min(MAX_ABORT_DELAY));
        }
        // Nobody is left to return the message to.
        eprintln!("error: rank {} on {}: {message}", self.rank, self.host);
        std::thread::sleep(MESSAGE_TIME);
        // SAFETY: MPI is started. No lock: the process ends, and a thread inside MPI may hold it for long.
        unsafe { (self.functions.abort)(self.abi.world, exit_code) };
        // Libraries return from it when their launcher is gone.
        std::process::exit(exit_code)
    }
}

impl<H: Handle> Drop for Session<H> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The others may wait for this rank, and shutting down would wait for them.
            self.abort(1, "ended by a panic");
        }
        // SAFETY: nobody else has the session any more, so no call and no request is left.
        unsafe {
            if self.has_own_comm {
                (self.functions.comm_free)(&raw mut self.comm);
            }
            if self.is_owner {
                (self.functions.finalize)();
            }
        }
    }
}

/// Starts MPI if nobody has yet; who may call it, and whether it was started here.
fn initialize<H: Handle>(
    functions: &Functions<H>,
    abi: &Abi<H>,
    library: &str,
) -> Result<(ThreadLevel, bool)> {
    let (mut initialized, mut finalized, mut level) = (0, 0, 0);
    // SAFETY: both calls are allowed at any time; the pointers are to live locals.
    unsafe { ((functions.initialized)(&raw mut initialized), (functions.finalized)(&raw mut finalized)) };
    if finalized != 0 {
        return Err(CommError::Finalized { library: library.to_owned() });
    }
    // SAFETY: MPI is started once; it need not see the arguments of the program.
    let code = unsafe {
        if initialized == 0 {
            (functions.init_thread)(null_mut(), null_mut(), abi.thread_multiple, &raw mut level)
        } else {
            (functions.query_thread)(&raw mut level)
        }
    };
    if code != 0 {
        let reason = format!("MPI_Init_thread returned {code}");
        return Err(CommError::LibraryUnusable { library: library.to_owned(), reason });
    }
    let threads = if level >= abi.thread_multiple {
        ThreadLevel::Multiple
    } else if level >= abi.thread_serialized {
        ThreadLevel::Serialized(Mutex::new(()))
    } else {
        ThreadLevel::One(std::thread::current().id())
    };
    Ok((threads, initialized == 0))
}
