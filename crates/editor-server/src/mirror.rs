//! How taps and servers find each other, and what a tap tells a server.

pub(crate) mod ask;
pub(crate) mod client;
pub(crate) mod message;
pub(crate) mod rendezvous;
