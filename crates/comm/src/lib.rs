//! Ranks that solve one problem together: a single process, threads of one process, or MPI.
//!
//! Solvers see the trait [`Comm`] and its persistent [`Halo`] exchange, and nothing of what is behind them. [`open`]
//! joins the job of the launcher that started this process; [`threads::run`] makes ranks of threads. [`DenseLu`] factors dense matrices
//! that ranks share.
//!
//! ```
//! use phasefront_comm::{CommError, Link, threads};
//!
//! // A ring: every rank sends its number to the next one.
//! threads::run(3, |comm| {
//!     let (next, previous) = ((comm.rank() + 1) % comm.size(), (comm.rank() + comm.size() - 1) % comm.size());
//!     let links = [
//!         Link { neighbor: next, outgoing: 1, incoming: 0 },
//!         Link { neighbor: previous, outgoing: 0, incoming: 1 },
//!     ];
//!     let mut halo = comm.halo(&links)?;
//!     halo.outgoing(0)[0] = comm.rank() as u8;
//!     halo.start()?;
//!     halo.wait()?;
//!     assert_eq!(halo.incoming(1), [previous as u8]);
//!     Ok::<_, CommError>(())
//! })?;
//! # Ok::<(), CommError>(())
//! ```

mod backoff;
mod buffer;
mod comm;
mod dense;
mod error;
mod host;
mod launcher;
mod links;
mod mpi;
mod open;
pub mod queue;
mod single;
pub mod threads;

pub use comm::{Comm, Halo, Link, Traffic};
pub use dense::{
    BlockCyclic, Cyclic, DENSE_BLOCK, DENSE_BLOCK_GPU, DenseLu, DenseNumber, DenseOp, Entries, EntriesMut,
};
pub use error::{CommError, LIBRARY_VARIABLE, Result, SCALAPACK_VARIABLE};
pub use launcher::{Launcher, LauncherKind};
pub use open::{is_off, open};
pub use single::Single;
