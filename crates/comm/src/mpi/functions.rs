//! The MPI functions in use, looked up once. `H` is the type of handles, which differs between ABIs.

use super::abi::Status;
use crate::error::{CommError, Result};
use std::ffi::{c_char, c_int, c_void};

/// Room for any text that MPI returns: versions of MPICH have up to 8192 characters.
const TEXT: usize = 8192;

/// Declares the table and how it is filled.
macro_rules! functions {
    ($($(#[$doc:meta])* $field:ident = $symbol:literal ($($argument:ty),*);)*) => {
        /// One pointer per function; all return an error code, 0 for success.
        pub struct Functions<H> {
            $($(#[$doc])* pub $field: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }

        impl<H> Functions<H> {
            /// Looks up every function in `library`, which must stay loaded, and whose handles must be of type `H`.
            pub fn load(library: &libloading::Library, file: &str) -> Result<Self> {
                Ok(Self {
                    $($field: {
                        // SAFETY: the signature is that of the MPI standard, with the handles of this ABI.
                        match unsafe { library.get::<unsafe extern "C" fn($($argument),*) -> c_int>($symbol) } {
                            Ok(function) => *function,
                            Err(_) => {
                                let name = String::from_utf8_lossy($symbol);
                                return Err(CommError::LibraryUnusable {
                                    library: file.to_owned(),
                                    reason: format!("it has no {name}"),
                                });
                            }
                        }
                    },)*
                })
            }
        }
    };
}

functions! {
    /// Whether MPI was started: flag.
    initialized = b"MPI_Initialized"(*mut c_int);
    /// Whether MPI was shut down: flag.
    finalized = b"MPI_Finalized"(*mut c_int);
    /// Starts MPI: argc, argv, thread level requested, thread level granted.
    init_thread = b"MPI_Init_thread"(*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int);
    /// The thread level granted.
    query_thread = b"MPI_Query_thread"(*mut c_int);
    /// Shuts MPI down.
    finalize = b"MPI_Finalize"();
    /// Ends the job: communicator, exit code.
    abort = b"MPI_Abort"(H, c_int);
    /// The text of an error: code, text, length.
    error_string = b"MPI_Error_string"(c_int, *mut c_char, *mut c_int);
    /// The host: text, length.
    get_processor_name = b"MPI_Get_processor_name"(*mut c_char, *mut c_int);
    /// The rank in a communicator.
    comm_rank = b"MPI_Comm_rank"(H, *mut c_int);
    /// The size of a communicator.
    comm_size = b"MPI_Comm_size"(H, *mut c_int);
    /// A second communicator of the same ranks, whose messages do not mix with those of the first.
    comm_dup = b"MPI_Comm_dup"(H, *mut H);
    /// Frees a communicator.
    comm_free = b"MPI_Comm_free"(*mut H);
    /// What happens on errors: communicator, handler.
    comm_set_errhandler = b"MPI_Comm_set_errhandler"(H, H);
    /// Barrier: communicator, request.
    ibarrier = b"MPI_Ibarrier"(H, *mut H);
    /// Broadcast: data, count, type, root, communicator, request.
    ibcast = b"MPI_Ibcast"(*mut c_void, c_int, H, c_int, H, *mut H);
    /// Reduction on all ranks: data, result, count, type, operation, communicator, request.
    iallreduce = b"MPI_Iallreduce"(*const c_void, *mut c_void, c_int, H, H, H, *mut H);
    /// Send: data, count, type, receiver, tag, communicator, request.
    isend = b"MPI_Isend"(*const c_void, c_int, H, c_int, c_int, H, *mut H);
    /// Receive: data, count, type, sender, tag, communicator, request.
    irecv = b"MPI_Irecv"(*mut c_void, c_int, H, c_int, c_int, H, *mut H);
    /// Whether a message has arrived: sender, tag, communicator, flag, status.
    iprobe = b"MPI_Iprobe"(c_int, c_int, H, *mut c_int, *mut Status);
    /// Persistent send: as `isend`.
    send_init = b"MPI_Send_init"(*const c_void, c_int, H, c_int, c_int, H, *mut H);
    /// Persistent receive: as `irecv`.
    recv_init = b"MPI_Recv_init"(*mut c_void, c_int, H, c_int, c_int, H, *mut H);
    /// Starts persistent requests: count, requests.
    startall = b"MPI_Startall"(c_int, *mut H);
    /// Whether all requests are finished: count, requests, flag, statuses.
    testall = b"MPI_Testall"(c_int, *mut H, *mut c_int, *mut Status);
    /// Frees a request.
    request_free = b"MPI_Request_free"(*mut H);
}

/// A text that MPI writes into a buffer.
pub fn text(write: impl FnOnce(*mut c_char, *mut c_int) -> c_int) -> String {
    let mut bytes = vec![0_u8; TEXT + 1];
    let mut length = 0;
    write(bytes.as_mut_ptr().cast(), &raw mut length);
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(TEXT);
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}
