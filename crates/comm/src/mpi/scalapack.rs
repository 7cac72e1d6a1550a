//! LU factorization on all ranks by ScaLAPACK, loaded at run time: the one that was built for the MPI in use.
//!
//! Its routines are called by their Fortran names, with 32-bit integers (LP64); grids of ranks are made by the C names of BLACS,
//! which is part of the library.

use super::abi::Handle;
use super::library::{Scope, file_name, launcher_folders, load, root_cause};
use super::session::Session;
use crate::dense::{BlockCyclic, DENSE_BLOCK, DenseLu, DenseOp, Entries, EntriesMut};
use crate::error::{CommError, Result, SCALAPACK_VARIABLE};
use std::ffi::{c_char, c_int, c_void};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// Order, order, matrix, first row, first column, descriptor, pivots, code.
type Factor = unsafe extern "C" fn(
    *const c_int,
    *const c_int,
    *mut c_void,
    *const c_int,
    *const c_int,
    *const c_int,
    *mut c_int,
    *mut c_int,
);

/// Transposition, order, number of right-hand sides, matrix, first row, first column, descriptor, pivots, right-hand sides with
/// the same three, code; and the length of the first argument, as Fortran compilers pass it.
type Solve = unsafe extern "C" fn(
    *const c_char,
    *const c_int,
    *const c_int,
    *const c_void,
    *const c_int,
    *const c_int,
    *const c_int,
    *const c_int,
    *mut c_void,
    *const c_int,
    *const c_int,
    *const c_int,
    *mut c_int,
    usize,
);

/// The library, found. It stays loaded until the process ends, as MPI does.
pub struct Scalapack<H> {
    file: String,
    /// A handle of BLACS for a communicator of MPI.
    system_handle: unsafe extern "C" fn(H) -> c_int,
    /// Makes a grid: handle on entry, context on return; order of the ranks, rows, columns.
    grid_init: unsafe extern "C" fn(*mut c_int, *const c_char, c_int, c_int),
    factor: [Factor; 2],
    solve: [Solve; 2],
    /// Number of threads of OpenBLAS, if that is what the library computes with.
    set_threads: Option<unsafe extern "C" fn(c_int)>,
    /// The context of the grid of all ranks, made once for the life of the process.
    grid: OnceLock<c_int>,
}

impl<H: Handle> Scalapack<H> {
    /// Loads the library that the user named, or else the first one that was built for the MPI of the session.
    pub fn find(session: &Session<H>) -> Result<Self> {
        let named = std::env::var_os(SCALAPACK_VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
        let is_named = named.is_some();
        let candidates = named.map_or_else(|| candidates(session.is_open_mpi), |name| vec![name]);
        let (mut reasons, mut missing) = (Vec::new(), Vec::new());
        for path in candidates {
            let file = path.display().to_string();
            match load(&path, Scope::Local).map_err(|error| root_cause(&error)) {
                Ok(library) => match Self::from_library(&file, library, session) {
                    Err(error) if is_named => return Err(error),
                    Err(error) => reasons.push(error.to_string()),
                    found => return found,
                },
                Err(text) if text.contains("No such file") => missing.push(file),
                // A file that is there and cannot be loaded is the better explanation.
                Err(text) => reasons.push(text),
            }
        }
        let tried = format!("tried {}", missing.join(", "));
        let reason = if reasons.is_empty() { tried } else { reasons.join("; ") };
        Err(CommError::ScalapackMissing { mpi: session.library.clone(), reason })
    }

    fn from_library(file: &str, library: libloading::Library, session: &Session<H>) -> Result<Self> {
        let unusable = |reason: String| CommError::ScalapackUnusable { library: file.to_owned(), reason };
        // Handles of two libraries do not mix. A library that names no MPI uses the one that is loaded.
        // SAFETY: only the address is used.
        let its_mpi = unsafe { library.get::<*const ()>(b"MPI_Comm_dup") }.ok().map(|found| *found);
        if its_mpi.is_some_and(|address| address != session.functions.comm_dup as *const ()) {
            return Err(unusable(format!("it was built for another MPI than {}", session.library)));
        }
        let library: &'static libloading::Library = Box::leak(Box::new(library));
        macro_rules! symbol {
            ($name:literal) => {
                // SAFETY: the types of the fields are those of the sources of ScaLAPACK 2 and of its BLACS.
                *unsafe { library.get($name.as_bytes()) }
                    .map_err(|_| unusable(format!("it has no {}", $name)))?
            };
        }
        Ok(Self {
            file: file.to_owned(),
            system_handle: symbol!("Csys2blacs_handle"),
            grid_init: symbol!("Cblacs_gridinit"),
            factor: [symbol!("pcgetrf_"), symbol!("pzgetrf_")],
            solve: [symbol!("pcgetrs_"), symbol!("pzgetrs_")],
            // SAFETY: the signature is that of OpenBLAS.
            set_threads: unsafe { library.get(b"openblas_set_num_threads") }.ok().map(|found| *found),
            grid: OnceLock::new(),
        })
    }

    /// The context of a grid of all ranks. Collective at the first call, which needs the permission to call MPI.
    fn grid(&self, session: &Session<H>, layout: &BlockCyclic) -> c_int {
        *self.grid.get_or_init(|| {
            let [rows, columns] = [layout.rows, layout.columns].map(|axis| axis.parts as c_int);
            // BLACS makes communicators of its own out of the world. It does not look at error codes, so that they are those of the
            // world, where an error ends the job; on ours it would go on with wrong numbers.
            // SAFETY: MPI is started, and all ranks are here; the context is a live local, and the text ends with a zero.
            unsafe {
                let mut context = (self.system_handle)(session.abi.world);
                (self.grid_init)(&raw mut context, c"Row".as_ptr(), rows, columns);
                context
            }
        })
    }
}

/// Files to try, in order: of each name first the one beside the launcher, then where the system's loader looks.
fn candidates(is_open_mpi: bool) -> Vec<PathBuf> {
    let folders = launcher_folders();
    let mut files = Vec::new();
    for name in names(is_open_mpi) {
        files.extend(folders.iter().map(|folder| folder.join(&name)).filter(|path| path.is_file()));
        files.push(name.into());
    }
    files
}

/// Debian's names tell which MPI a library was built for; elsewhere it is installed beside its MPI.
fn names(is_open_mpi: bool) -> Vec<String> {
    let debian = if is_open_mpi { "scalapack-openmpi" } else { "scalapack-mpich" };
    [
        (debian, "2.2"),
        (debian, "2.1"),
        ("scalapack", "2.2"),
        ("scalapack", "2.1"),
        ("scalapack", "2"),
        ("scalapack", ""),
    ]
    .map(|(stem, version)| file_name(stem, version))
    .into()
}

/// A matrix of one order on the ranks of a session.
pub struct ScalapackLu<H: Handle> {
    session: Arc<Session<H>>,
    library: Arc<Scalapack<H>>,
    layout: BlockCyclic,
    /// Row interchanges of the rows of this rank.
    pivots: Vec<c_int>,
}

impl<H: Handle> ScalapackLu<H> {
    /// For matrices of order `n`.
    pub fn new(
        session: Arc<Session<H>>,
        library: Arc<Scalapack<H>>,
        n: usize,
        threads: usize,
    ) -> Result<Self> {
        let layout = BlockCyclic::on_ranks(n, DENSE_BLOCK, session.size, session.rank);
        // The first rank has the most; a bound for the order itself follows.
        let entries = layout.of_rank(0).own_len();
        if entries > i32::MAX as usize {
            return Err(CommError::TooManyEntries { entries });
        }
        if let Some(set_threads) = library.set_threads {
            // SAFETY: it may be called at any time between computations.
            unsafe { set_threads(threads as c_int) };
        }
        Ok(Self { session, library, layout, pivots: Vec::new() })
    }

    /// The descriptor of a distributed matrix: type, context, rows, columns, their blocks, the owner of the first entry, and the number of
    /// rows that this rank stores. As [`Scalapack::grid`].
    fn descriptor(&self, matrix: &BlockCyclic) -> [c_int; 9] {
        let BlockCyclic { rows, columns } = *matrix;
        let context = self.library.grid(&self.session, &self.layout);
        let sizes = [rows.len, columns.len, rows.block, columns.block].map(|size| size as c_int);
        let stored = rows.own_len().max(1) as c_int;
        [1, context, sizes[0], sizes[1], sizes[2], sizes[3], 0, 0, stored]
    }

    /// Negative codes name a wrong argument: an error of this file.
    fn checked(call: &'static str, code: c_int) -> Result<c_int> {
        if code >= 0 {
            return Ok(code);
        }
        Err(CommError::Call { call, code, reason: "an argument has a wrong value".into() })
    }
}

impl<H: Handle> DenseLu for ScalapackLu<H> {
    fn layout(&self) -> &BlockCyclic {
        &self.layout
    }

    fn describe(&self) -> String {
        let [rows, columns] = [self.layout.rows.parts, self.layout.columns.parts];
        format!("ScaLAPACK ({}) on {rows} x {columns} ranks", self.library.file)
    }

    fn factor(&mut self, matrix: EntriesMut<'_>) -> Result<Option<usize>> {
        let (address, len, which) = match matrix {
            EntriesMut::Single(values) => (values.as_mut_ptr().cast(), values.len(), 0),
            EntriesMut::Double(values) => (values.as_mut_ptr().cast::<c_void>(), values.len(), 1),
        };
        assert_eq!(len, self.layout.own_len(), "the entries are not those of this rank");
        self.pivots = vec![0; self.layout.rows.own_len() + DENSE_BLOCK];
        let (n, one, mut code) = (self.layout.rows.len as c_int, 1, 0);
        let session = self.session.clone();
        let guard = session.enter()?;
        let descriptor = self.descriptor(&self.layout);
        // SAFETY: the matrix has the entries that its descriptor tells, the pivots the length that ScaLAPACK asks for, and all ranks
        // are here.
        unsafe {
            (self.library.factor[which])(
                &raw const n,
                &raw const n,
                address,
                &raw const one,
                &raw const one,
                descriptor.as_ptr(),
                self.pivots.as_mut_ptr(),
                &raw mut code,
            );
        }
        drop(guard);
        let code = Self::checked("PxGETRF", code)?;
        // Columns are counted from 1.
        Ok((code > 0).then(|| code as usize - 1))
    }

    fn solve(
        &self,
        op: DenseOp,
        factors: Entries<'_>,
        right_hand_sides: EntriesMut<'_>,
        columns: usize,
    ) -> Result<()> {
        let (from, to, which) = match (factors, right_hand_sides) {
            (Entries::Single(a), EntriesMut::Single(b)) => {
                ((a.as_ptr().cast(), a.len()), (b.as_mut_ptr().cast(), b.len()), 0)
            }
            (Entries::Double(a), EntriesMut::Double(b)) => {
                ((a.as_ptr().cast::<c_void>(), a.len()), (b.as_mut_ptr().cast::<c_void>(), b.len()), 1)
            }
            _ => panic!("matrix and right-hand sides have different precisions"),
        };
        let layout = self.layout.right_hand_sides(columns);
        assert_eq!((from.1, to.1), (self.layout.own_len(), layout.own_len()), "not the entries of this rank");
        assert!(!self.pivots.is_empty(), "the factorization comes first");
        let (n, count, one, mut code) = (layout.rows.len as c_int, columns as c_int, 1, 0);
        let transposition: c_char = match op {
            DenseOp::None => b'N' as c_char,
            DenseOp::Transpose => b'T' as c_char,
            DenseOp::ConjTranspose => b'C' as c_char,
        };
        let guard = self.session.enter()?;
        let (matrix, rhs) = (self.descriptor(&self.layout), self.descriptor(&layout));
        // SAFETY: matrix and right-hand sides have the entries that their descriptors tell, and all ranks are here. The factors and
        // the pivots are read only.
        unsafe {
            (self.library.solve[which])(
                &raw const transposition,
                &raw const n,
                &raw const count,
                from.0,
                &raw const one,
                &raw const one,
                matrix.as_ptr(),
                self.pivots.as_ptr(),
                to.0,
                &raw const one,
                &raw const one,
                rhs.as_ptr(),
                &raw mut code,
                1,
            );
        }
        drop(guard);
        Self::checked("PxGETRS", code).map(|_| ())
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn the_names_fit_the_mpi() {
        assert_eq!(names(true)[0], "libscalapack-openmpi.so.2.2");
        assert_eq!(names(false)[0], "libscalapack-mpich.so.2.2");
        assert_eq!(names(true).last().unwrap(), "libscalapack.so");
    }
}
