//! The rules by which a session reads what an agent sends.

mod fixtures;
mod observed;
mod reference;

mod projection;
mod session;
mod texts_and_paths;
mod timeline;
