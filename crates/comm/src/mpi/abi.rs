//! What differs between MPI libraries: the type of handles, the values of constants, the layout of a status.
//!
//! The numbers are those of the headers: `mpi.h` of MPICH 4 and 5 (which Intel MPI, Cray MPICH and MVAPICH share), `mpi.h` of
//! Open MPI 4 and 5, and the ABI of the MPI 5.0 standard, chapter 20.

use crate::error::{CommError, Result};
use std::ffi::c_int;

/// Room for the status of any ABI: 20 bytes in MPICH, 24 in Open MPI, 32 in the standard ABI.
#[repr(C, align(8))]
pub struct Status(pub [c_int; 8]);

/// A type of handles: integers in the ABI of MPICH, addresses in the others.
pub trait Handle: Copy + Send + Sync + 'static {}
impl Handle for c_int {}
impl Handle for usize {}

/// The constants of an ABI.
pub struct Abi<H> {
    /// `MPI_COMM_WORLD`.
    pub world: H,
    /// `MPI_BYTE`.
    pub byte: H,
    /// `MPI_DOUBLE`.
    pub double: H,
    /// `MPI_MAX`.
    pub max: H,
    /// `MPI_ERRORS_RETURN`.
    pub errors_return: H,
    /// `MPI_REQUEST_NULL`.
    pub no_request: H,
    /// `MPI_ANY_SOURCE`.
    pub any_source: c_int,
    /// The address that is `MPI_STATUSES_IGNORE`.
    pub ignore_statuses: usize,
    /// Which integer of a status is the sender.
    pub source_field: usize,
    /// `MPI_THREAD_SERIALIZED`.
    pub thread_serialized: c_int,
    /// `MPI_THREAD_MULTIPLE`.
    pub thread_multiple: c_int,
}

/// The ABI of a library, told by its symbols.
pub enum Flavor {
    /// Handles are integers.
    Mpich(Abi<c_int>),
    /// Handles are addresses: Open MPI and the standard ABI.
    Pointers(Abi<usize>),
}

impl Flavor {
    /// The ABI of `library`, which must stay loaded.
    pub fn of(library: &libloading::Library, file: &str) -> Result<Self> {
        if has_standard_abi(library) {
            return Ok(Self::Pointers(standard()));
        }
        if is_open_mpi(library) {
            return open_mpi(library, file).map(Self::Pointers);
        }
        Ok(Self::Mpich(mpich()))
    }
}

/// Whether the library answers with a version of the standard ABI. MPICH 5 and Intel MPI have the function in their own ABI
/// too, where it answers -1.
fn has_standard_abi(library: &libloading::Library) -> bool {
    type GetVersion = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
    // SAFETY: the signature is that of the standard, without handles.
    let Ok(get_version) = (unsafe { library.get::<GetVersion>(b"MPI_Abi_get_version") }) else {
        return false;
    };
    let (mut major, mut minor) = (-1, -1);
    // SAFETY: the standard allows the call before MPI is started; the pointers are to live locals.
    let code = unsafe { get_version(&raw mut major, &raw mut minor) };
    code == 0 && major >= 1
}

/// Whether the library is Open MPI or a relative of it.
pub fn is_open_mpi(library: &libloading::Library) -> bool {
    address(library, "ompi_mpi_comm_world").is_some()
}

/// The address of a variable of the library.
fn address(library: &libloading::Library, symbol: &str) -> Option<usize> {
    // SAFETY: only the address is used, never the value behind it.
    unsafe { library.get::<*const ()>(symbol.as_bytes()) }.ok().map(|found| *found as usize)
}

fn mpich() -> Abi<c_int> {
    Abi {
        world: 0x4400_0000,
        byte: 0x4c00_010d,
        double: 0x4c00_080b,
        max: 0x5800_0001,
        errors_return: 0x5400_0001,
        no_request: 0x2c00_0000,
        any_source: -2,
        ignore_statuses: 1,
        source_field: 2,
        thread_serialized: 2,
        thread_multiple: 3,
    }
}

fn standard() -> Abi<usize> {
    Abi {
        world: 0x101,
        byte: 0x247,
        double: 0x214,
        max: 0x23,
        errors_return: 0x143,
        no_request: 0x180,
        any_source: -1,
        ignore_statuses: 0,
        source_field: 0,
        thread_serialized: 2048,
        thread_multiple: 4096,
    }
}

/// Handles of Open MPI are the addresses of its variables.
fn open_mpi(library: &libloading::Library, file: &str) -> Result<Abi<usize>> {
    let find = |symbol: &str| {
        let missing =
            || CommError::LibraryUnusable { library: file.into(), reason: format!("it has no {symbol}") };
        address(library, symbol).ok_or_else(missing)
    };
    Ok(Abi {
        world: find("ompi_mpi_comm_world")?,
        byte: find("ompi_mpi_byte")?,
        double: find("ompi_mpi_double")?,
        max: find("ompi_mpi_op_max")?,
        errors_return: find("ompi_mpi_errors_return")?,
        no_request: find("ompi_request_null")?,
        any_source: -1,
        ignore_statuses: 0,
        source_field: 0,
        thread_serialized: 2,
        thread_multiple: 3,
    })
}
