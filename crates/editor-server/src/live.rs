//! Sessions that are watched while they happen, be it through a tap or in an agent of our own.

pub(crate) mod feed;
pub(crate) mod taps;
