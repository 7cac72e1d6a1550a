//! CUDA graphs: work captured from a stream once and launched as a whole.
//!
//! The capture has a stream of its own, visible to the recording thread only, so that other threads can use the GPU meanwhile.

use super::capture::Capture;
use super::queue::Queue;
use super::status::check;
use crate::{Recording, Result, Work};
use cudarc::driver::sys::{self, CUstream};
use std::any::Any;
use std::sync::Arc;

/// A graph, ready to launch.
pub struct Graph<'a> {
    queue: Arc<Queue>,
    executable: sys::CUgraphExec,
    _retained: Vec<Arc<dyn Any>>,
    /// Keeps what the work borrows.
    _work: Box<Work<'a>>,
}

impl<'a> Graph<'a> {
    /// Does `work` and records it. Doing it first makes plans and loads kernels, which a capture does not allow.
    pub fn record(queue: &Arc<Queue>, work: Box<Work<'a>>) -> Result<Self> {
        queue.refuse_in_recording("a recording")?;
        work()?;
        queue.bind()?;
        let mut stream = std::ptr::null_mut();
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the context is bound and the pointer is to a live local.
        check("cuStreamCreate", unsafe { sys::cuStreamCreate(&raw mut stream, flags) })?;
        let captured = capture(queue, stream, &*work);
        // SAFETY: created above, destroyed once; nothing but the capture, which has ended, used it.
        let _ = unsafe { sys::cuStreamDestroy_v2(stream) };
        let (captured, retained) = captured?;
        let mut executable = std::ptr::null_mut();
        // SAFETY: the graph was captured whole; an executable graph does not need it any more.
        let status = unsafe {
            let status = sys::cuGraphInstantiateWithFlags(&raw mut executable, captured, 0);
            sys::cuGraphDestroy(captured);
            status
        };
        check("cuGraphInstantiate", status)?;
        Ok(Self { queue: queue.clone(), executable, _retained: retained, _work: work })
    }
}

fn capture(
    queue: &Arc<Queue>,
    stream: CUstream,
    work: &Work<'_>,
) -> Result<(sys::CUgraph, Vec<Arc<dyn Any>>)> {
    let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    // SAFETY: the stream is alive and not in use.
    check("cuStreamBeginCapture", unsafe { sys::cuStreamBeginCapture_v2(stream, mode) })?;
    let capture = Capture::begin(queue.id(), stream);
    let done = work();
    let retained = capture.end();
    let mut graph = std::ptr::null_mut();
    // SAFETY: the capture began above, on this thread; it ends whatever became of the work.
    let status = unsafe { sys::cuStreamEndCapture(stream, &raw mut graph) };
    if let Err(error) = done {
        if !graph.is_null() {
            // SAFETY: captured by the call above, and nobody else has it.
            let _ = unsafe { sys::cuGraphDestroy(graph) };
        }
        return Err(error);
    }
    check("cuStreamEndCapture", status)?;
    Ok((graph, retained))
}

impl Recording for Graph<'_> {
    fn replay(&self) -> Result<()> {
        self.queue.refuse_in_recording("a replay")?;
        self.queue.bind()?;
        // SAFETY: the graph is alive, and so is all it uses: `_work` and `_retained` hold it.
        check("cuGraphLaunch", unsafe { sys::cuGraphLaunch(self.executable, self.queue.stream()) })
    }
}

impl Drop for Graph<'_> {
    fn drop(&mut self) {
        if self.queue.synchronize().is_ok() {
            // SAFETY: instantiated once, destroyed once, and no launch of it is under way.
            let _ = unsafe { sys::cuGraphExecDestroy(self.executable) };
        }
    }
}
