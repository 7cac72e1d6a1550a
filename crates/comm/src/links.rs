//! Checks that the links of all ranks fit together, before an exchange waits for bytes that nobody sends.

use crate::comm::{Comm, Link};
use crate::error::{CommError, Result};

/// Bytes of a link in a message: three 64-bit numbers.
const LINK_BYTES: usize = 24;

/// Compares the links of all ranks on rank 0; every rank gets the same answer. Collective.
pub fn check(comm: &dyn Comm, links: &[Link]) -> Result<()> {
    let mut bytes = Vec::with_capacity(links.len() * LINK_BYTES);
    for link in links {
        for value in [link.neighbor, link.outgoing, link.incoming] {
            bytes.extend((value as u64).to_le_bytes());
        }
    }
    let mut verdict = Vec::new();
    if let Some(all) = comm.gather(&bytes)? {
        let all: Vec<_> = all.iter().map(|bytes| decode(bytes)).collect();
        verdict = mismatch(&all).unwrap_or_default().into_bytes();
    }
    comm.broadcast(&mut verdict)?;
    if verdict.is_empty() {
        Ok(())
    } else {
        Err(CommError::Links { reason: String::from_utf8_lossy(&verdict).into_owned() })
    }
}

fn decode(bytes: &[u8]) -> Vec<Link> {
    let numbers: Vec<_> =
        bytes.as_chunks().0.iter().map(|&chunk| u64::from_le_bytes(chunk) as usize).collect();
    let links = numbers.as_chunks().0.iter();
    links.map(|&[neighbor, outgoing, incoming]| Link { neighbor, outgoing, incoming }).collect()
}

/// The first thing that is wrong in the links of all ranks.
fn mismatch(all: &[Vec<Link>]) -> Option<String> {
    for (rank, links) in all.iter().enumerate() {
        if let Some(link) = links.iter().find(|link| link.neighbor >= all.len()) {
            return Some(format!("rank {rank} names rank {} of {} as a neighbor", link.neighbor, all.len()));
        }
        for (index, link) in links.iter().enumerate() {
            let nth = links[..index].iter().filter(|other| other.neighbor == link.neighbor).count();
            let Some(other) = all[link.neighbor].iter().filter(|other| other.neighbor == rank).nth(nth)
            else {
                return Some(format!(
                    "rank {rank} has more links to rank {} than it has back",
                    link.neighbor
                ));
            };
            if link.outgoing != other.incoming {
                return Some(format!(
                    "rank {rank} sends {} bytes to rank {}, which expects {}",
                    link.outgoing, link.neighbor, other.incoming
                ));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(neighbor: usize, outgoing: usize, incoming: usize) -> Link {
        Link { neighbor, outgoing, incoming }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let fits = [vec![link(1, 3, 4), link(1, 0, 9)], vec![link(1, 5, 5), link(0, 4, 3), link(0, 9, 0)]];
        assert_eq!(mismatch(&fits), None);
        let unknown = [vec![link(2, 0, 0)], vec![]];
        assert_eq!(mismatch(&unknown).unwrap(), "rank 0 names rank 2 of 2 as a neighbor");
        let one_way = [vec![link(1, 1, 1)], vec![]];
        assert_eq!(mismatch(&one_way).unwrap(), "rank 0 has more links to rank 1 than it has back");
        let size = [vec![link(1, 8, 8)], vec![link(0, 8, 16)]];
        assert_eq!(mismatch(&size).unwrap(), "rank 0 sends 8 bytes to rank 1, which expects 16");
    }
}
