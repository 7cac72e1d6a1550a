//! What comes over the network: datagrams of a microphone array, and requests to the page's server.

use crate::files::folder;
use phasefront_nah::{Assembler, Datagram, Stream};
use phasefront_viewer::{Config, Server};
use std::io::{Read, Write};
use std::net::TcpStream;
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
        if assembler.push(one, |_| blocks += 1) {
            crate::accept();
        }
        rest = after;
    }
    // A block has 32 bytes; gaps are bounded, so that a short input makes no flood of blocks.
    assert!(blocks <= 16 + bytes.len(), "{blocks} blocks from {} bytes", bytes.len());
}

/// A request as it is, to a server over an empty folder. The server must go on to answer.
pub(crate) fn http(bytes: &[u8]) {
    static SERVER: OnceLock<Option<(Server, String)>> = OnceLock::new();
    let server = SERVER.get_or_init(|| {
        let server =
            Server::start(Config { root: folder("served"), no_token: true, ..Config::default() }).ok()?;
        let url = server.url();
        let address = url.split("//").nth(1)?.split('/').next()?.to_owned();
        Some((server, address))
    });
    let Some((_, address)) = server else { return };
    let answer = |request: &[u8], patience: Duration| -> std::io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(patience))?;
        stream.set_write_timeout(Some(patience))?;
        let mut answer = Vec::new();
        // The server may close before all is sent, or wait for the rest of a request; what it has said until then counts.
        if stream.write_all(request).is_ok() {
            let _ = stream.take(1 << 20).read_to_end(&mut answer);
        }
        Ok(answer)
    };
    let address_in = |text: &[u8]| String::from_utf8_lossy(text).replace("ADDRESS", address).into_bytes();
    // Without invalid characters the address can be put in; with them, the bytes stay as they are.
    let request = if std::str::from_utf8(bytes).is_ok() { address_in(bytes) } else { bytes.to_vec() };
    if answer(&request, Duration::from_millis(20)).is_ok_and(|answer| answer.starts_with(b"HTTP/1.1 200")) {
        crate::accept();
    }
    let good = format!("GET /api/state HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let state = answer(good.as_bytes(), Duration::from_secs(8));
    assert!(state.is_ok_and(|state| state.starts_with(b"HTTP/1.1 ")), "the server no longer answers");
}
