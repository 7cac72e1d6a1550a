//! Halo exchange between threads: copies change hands under the lock; bytes are copied outside it.

use super::world::{ChannelId, World};
use crate::buffer::Buffer;
use crate::comm::{Halo, Link, Traffic};
use crate::error::Result;
use std::sync::Arc;
use std::time::Instant;

/// One rank's side of an exchange.
pub struct ThreadHalo {
    world: Arc<World>,
    links: Vec<Link>,
    /// Channels to and from each neighbor.
    channels: Vec<(ChannelId, ChannelId)>,
    outgoing: Vec<Buffer>,
    incoming: Vec<Buffer>,
    /// Links whose bytes have not arrived yet.
    missing: Vec<usize>,
    traffic: Traffic,
}

impl ThreadHalo {
    /// Prepares exchange number `halo` of `rank`. The links have been checked.
    pub fn new(world: Arc<World>, halo: usize, rank: usize, links: &[Link]) -> Result<Self> {
        let channels = links.iter().enumerate().map(|(index, link)| {
            let nth = links[..index].iter().filter(|other| other.neighbor == link.neighbor).count();
            let to = ChannelId { halo, from: rank, to: link.neighbor, nth };
            (to, ChannelId { from: link.neighbor, to: rank, ..to })
        });
        Ok(Self {
            channels: channels.collect(),
            outgoing: links.iter().map(|link| Buffer::zeroed(link.outgoing)).collect::<Result<_>>()?,
            incoming: links.iter().map(|link| Buffer::zeroed(link.incoming)).collect::<Result<_>>()?,
            missing: Vec::new(),
            traffic: Traffic::default(),
            links: links.to_vec(),
            world,
        })
    }

    fn assert_idle(&self) {
        assert!(self.missing.is_empty(), "a halo exchange is under way: wait for it first");
    }
}

impl Halo for ThreadHalo {
    fn outgoing(&mut self, link: usize) -> &mut [u8] {
        self.assert_idle();
        self.outgoing[link].bytes_mut()
    }

    fn incoming(&self, link: usize) -> &[u8] {
        self.assert_idle();
        self.incoming[link].bytes()
    }

    fn start(&mut self) -> Result<()> {
        self.assert_idle();
        let spare = self.world.take(|state| {
            let channels = self.channels.iter();
            channels.map(|(to, _)| state.channels.entry(*to).or_default().empty.pop()).collect::<Vec<_>>()
        })?;
        let mut copies = Vec::with_capacity(spare.len());
        for (buffer, outgoing) in spare.into_iter().zip(&self.outgoing) {
            let mut copy = buffer.map_or_else(|| Buffer::zeroed(outgoing.len()), Ok)?;
            copy.bytes_mut().copy_from_slice(outgoing.bytes());
            copies.push(copy);
        }
        self.world.update(|state| {
            for ((to, _), copy) in self.channels.iter().zip(copies) {
                state.channels.entry(*to).or_default().full.push_back(copy);
            }
        })?;
        self.missing = (0..self.links.len()).collect();
        self.traffic.count(&self.links);
        Ok(())
    }

    fn poll(&mut self) -> Result<bool> {
        let arrived = self.world.take(|state| {
            let take = |link: &usize| {
                Some((*link, state.channels.get_mut(&self.channels[*link].1)?.full.pop_front()?))
            };
            self.missing.iter().filter_map(take).collect::<Vec<_>>()
        })?;
        for (link, buffer) in &arrived {
            self.incoming[*link].bytes_mut().copy_from_slice(buffer.bytes());
        }
        self.missing.retain(|link| arrived.iter().all(|(other, _)| other != link));
        self.world.take(|state| {
            for (link, buffer) in arrived {
                state.channels.entry(self.channels[link].1).or_default().empty.push(buffer);
            }
        })?;
        Ok(self.missing.is_empty())
    }

    fn wait(&mut self) -> Result<()> {
        let started = Instant::now();
        while !self.poll()? {
            let (channels, missing) = (&self.channels, &self.missing);
            self.world.wait_for(|state| {
                let arrived = |link: &usize| {
                    state.channels.get(&channels[*link].1).is_some_and(|channel| !channel.full.is_empty())
                };
                missing.iter().any(arrived).then_some(())
            })?;
        }
        self.traffic.seconds_waited += started.elapsed().as_secs_f64();
        Ok(())
    }

    fn traffic(&self) -> Traffic {
        self.traffic
    }
}

impl Drop for ThreadHalo {
    fn drop(&mut self) {
        // After a failure the whole state goes soon.
        let _ = self.world.take(|state| {
            for (_, from) in &self.channels {
                state.channels.remove(from);
            }
        });
    }
}
