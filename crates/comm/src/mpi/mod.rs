//! MPI, loaded at run time: the program needs none to be built, and runs under any.

mod abi;
mod functions;
mod halo;
mod library;
mod messages;
mod scalapack;
mod session;

use crate::comm::{Comm, Halo, Link};
use crate::dense::DenseLu;
use crate::error::{CommError, Result};
use crate::launcher::Launcher;
use crate::links;
use abi::{Flavor, Handle};
use halo::MpiHalo;
use library::Library;
use messages::{DIRECT, GATHER};
use scalapack::{Scalapack, ScalapackLu};
use session::Session;
use std::ffi::c_int;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// One rank of an MPI job.
struct Mpi<H: Handle> {
    session: Arc<Session<H>>,
    node_rank: usize,
    node_size: usize,
    halos: AtomicUsize,
    /// Looked for when it is first needed.
    scalapack: OnceLock<Result<Arc<Scalapack<H>>>>,
}

/// Joins the job that `launcher` started.
pub fn open(launcher: &Launcher) -> Result<Box<dyn Comm>> {
    let library = Library::find(launcher)?;
    Ok(match Flavor::of(library.handle, &library.file)? {
        Flavor::Mpich(abi) => Box::new(Mpi::new(Session::start(&library, abi, launcher)?)?),
        Flavor::Pointers(abi) => Box::new(Mpi::new(Session::start(&library, abi, launcher)?)?),
    })
}

impl<H: Handle> Mpi<H> {
    fn new(session: Session<H>) -> Result<Self> {
        let (session, halos) = (Arc::new(session), AtomicUsize::new(0));
        let mut comm = Self { session, node_rank: 0, node_size: 1, halos, scalapack: OnceLock::new() };
        (comm.node_rank, comm.node_size) = comm.count_on_host()?;
        Ok(comm)
    }

    /// How many ranks are on the same host: those below this one, and all.
    fn count_on_host(&self) -> Result<(usize, usize)> {
        let hosts = self.gather(self.session.host.as_bytes())?;
        // Host names have no line breaks.
        let mut list = hosts.map_or_else(Vec::new, |hosts| hosts.join(&b'\n'));
        self.broadcast(&mut list)?;
        let same = |host: &&[u8]| *host == self.session.host.as_bytes();
        let hosts = || list.split(|byte| *byte == b'\n');
        Ok((hosts().take(self.session.rank).filter(same).count(), hosts().filter(same).count()))
    }
}

impl<H: Handle> Comm for Mpi<H> {
    fn rank(&self) -> usize {
        self.session.rank
    }

    fn size(&self) -> usize {
        self.session.size
    }

    fn node_rank(&self) -> usize {
        self.node_rank
    }

    fn node_size(&self) -> usize {
        self.node_size
    }

    fn host(&self) -> &str {
        &self.session.host
    }

    fn describe(&self) -> String {
        format!("{} ranks, {}", self.session.size, self.session.library)
    }

    fn is_concurrent(&self) -> bool {
        self.session.is_concurrent()
    }

    fn broadcast(&self, bytes: &mut Vec<u8>) -> Result<()> {
        self.session.broadcast(bytes)
    }

    fn gather(&self, bytes: &[u8]) -> Result<Option<Vec<Vec<u8>>>> {
        if self.session.rank > 0 {
            self.session.send(0, GATHER, bytes)?;
            return Ok(None);
        }
        let others = (1..self.session.size).map(|rank| self.session.receive(rank, GATHER));
        std::iter::once(Ok(bytes.to_vec())).chain(others).collect::<Result<_>>().map(Some)
    }

    fn max(&self, value: f64) -> Result<f64> {
        // What MPI makes of NaN is not defined, so it travels as a number of its own.
        let own = if value.is_nan() { [1.0, f64::NEG_INFINITY] } else { [0.0, value] };
        let mut all = [0.0; 2];
        let Session { functions, abi, comm, .. } = &*self.session;
        let (from, to) = (own.as_ptr().cast(), all.as_mut_ptr().cast());
        self.session.complete("MPI_Iallreduce", |request| {
            // SAFETY: both arrays live until the reduction is finished, and have as many numbers as it is told.
            unsafe {
                (functions.iallreduce)(from, to, own.len() as c_int, abi.double, abi.max, *comm, request)
            }
        })?;
        Ok(if all[0] > 0.0 { f64::NAN } else { all[1] })
    }

    fn barrier(&self) -> Result<()> {
        self.session.complete("MPI_Ibarrier", |request| {
            // SAFETY: the communicator is alive.
            unsafe { (self.session.functions.ibarrier)(self.session.comm, request) }
        })
    }

    fn halo(&self, links: &[Link]) -> Result<Box<dyn Halo>> {
        links::check(self, links)?;
        let number = self.halos.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(MpiHalo::new(self.session.clone(), number, links)?))
    }

    fn dense_lu(&self, n: usize, threads: usize) -> Result<Box<dyn DenseLu>> {
        let library = self.scalapack.get_or_init(|| Scalapack::find(&self.session).map(Arc::new)).clone()?;
        Ok(Box::new(ScalapackLu::new(self.session.clone(), library, n, threads)?))
    }

    fn send(&self, rank: usize, bytes: &[u8]) -> Result<()> {
        self.session.send(rank, DIRECT, bytes)
    }

    fn receive(&self, rank: usize) -> Result<Vec<u8>> {
        self.session.receive(rank, DIRECT)
    }

    fn try_receive(&self) -> Result<Option<(usize, Vec<u8>)>> {
        let Some(rank) = self.session.probe(DIRECT)? else { return Ok(None) };
        Ok(Some((rank, self.session.receive(rank, DIRECT)?)))
    }

    fn abort(&self, exit_code: i32, message: &str) -> CommError {
        self.session.abort(exit_code, message)
    }
}
