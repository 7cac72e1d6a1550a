//! What comes over the network: datagrams of a microphone array, and requests to the page's server.

use crate::files::folder;
use phasefront_nah::{Assembler, Datagram, Stream};
use phasefront_viewer::{Config, Server};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::OnceLock;
use std::time::Duration;

/// Datagrams one after the other, each behind its length in two bytes, into a stream of two microphones.
pub(crate) fn datagram(bytes: &[u8]) {
    let _ = Datagram::decode(bytes);
    let address = ([127, 0, 0, 1], 0).into();
    let stream = Stream { address, duration: None, rate: 16.0, microphones: 2, bits: None, full_scale: 1.0 };
    let mut assembler = Assembler::new(stream, 4, 8);
    let mut rest = bytes;
    let mut blocks = 0_usize;
    while let Some((length, after)) = rest.split_first_chunk() {
        let length = usize::from(u16::from_le_bytes(*length)).min(after.len());
        let (one, after) = after.split_at(length);
        assembler.push(one, |_| blocks += 1);
        rest = after;
    }
    // A block has 32 bytes; gaps are bounded, so that a short input makes no flood of blocks.
    assert!(blocks <= 16 + bytes.len(), "{blocks} blocks from {} bytes", bytes.len());
}

/// A request as it is, to a server over an empty folder. The server must go on to answer.
pub(crate) fn http(bytes: &[u8]) {
    static SERVER: OnceLock<Option<(Server, String)>> = OnceLock::new();
    let server = SERVER.get_or_init(|| {
        let server = Server::start(Config { root: folder("served"), ..Config::default() }).ok()?;
        let url = server.url();
        let address = url.split("//").nth(1)?.split('/').next()?.to_owned();
        Some((server, address))
    });
    let Some((_, address)) = server else { return };
    let answer = |request: &[u8]| -> std::io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        stream.set_write_timeout(Some(Duration::from_secs(5)))?;
        let mut answer = Vec::new();
        // The server may close before all is sent; what it has said until then is read.
        if stream.write_all(request).and_then(|()| stream.shutdown(Shutdown::Write)).is_ok() {
            let _ = stream.take(1 << 20).read_to_end(&mut answer);
        }
        Ok(answer)
    };
    let request = String::from_utf8_lossy(bytes).replace("ADDRESS", address);
    let _ = answer(request.as_bytes());
    let good = format!("GET /api/state HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let state = answer(good.as_bytes());
    assert!(state.is_ok_and(|state| state.starts_with(b"HTTP/1.1 ")), "the server no longer answers");
}
