//! Lists of a document that are long enough to be written on two threads.

use std::sync::mpsc;
use std::thread;

use serde::ser::{Error, SerializeSeq as _};
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// About so many bytes are made by one thread at a time.
const BYTES_AT_ONCE: usize = 256 << 10;
/// A list with fewer bytes is written by one thread.
const SMALL: usize = 4 * BYTES_AT_ONCE;
/// Runs of elements that may wait to be written.
const RUNS_AHEAD: usize = 2;

/// A list whose elements are made while it is written. Every second run of elements of a long list
/// is made by another thread; the document is the same.
pub(super) struct List<'a, T, F> {
    items: &'a [T],
    bytes: usize,
    element: F,
}

impl<'a, T, F, E> List<'a, T, F>
where
    F: Fn(&'a T) -> Option<E>,
{
    /// A list made of `items`, which hold about so many bytes of text. `element` makes an element
    /// of an item, or leaves it out.
    pub(super) fn new(items: &'a [T], bytes: usize, element: F) -> Self {
        Self {
            items,
            bytes,
            element,
        }
    }
}

impl<'a, T, F, E> Serialize for List<'a, T, F>
where
    T: Sync,
    F: Fn(&'a T) -> Option<E> + Sync,
    E: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let elements = |items: &'a [T]| items.iter().filter_map(&self.element);
        let mut list = serializer.serialize_seq(None)?;
        if self.bytes < SMALL {
            for element in elements(self.items) {
                list.serialize_element(&element)?;
            }
            return list.end();
        }
        let runs = self.bytes.div_ceil(BYTES_AT_ONCE);
        let runs = self.items.chunks(self.items.len().div_ceil(runs).max(1));
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::sync_channel(RUNS_AHEAD);
            let every_second = runs.clone().skip(1).step_by(2);
            scope.spawn(move || {
                for items in every_second {
                    let made: serde_json::Result<Vec<Box<RawValue>>> = elements(items)
                        .map(|element| to_raw_value(&element))
                        .collect();
                    // Nobody listens any more when the document could not be written.
                    if sender.send(made).is_err() {
                        return;
                    }
                }
            });
            for (index, items) in runs.enumerate() {
                if index % 2 == 0 {
                    for element in elements(items) {
                        list.serialize_element(&element)?;
                    }
                    continue;
                }
                let made = receiver.recv().map_err(S::Error::custom)?;
                for element in made.map_err(S::Error::custom)? {
                    list.serialize_element(&element)?;
                }
            }
            Ok(())
        })?;
        list.end()
    }
}
