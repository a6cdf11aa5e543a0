//! Lines that are a `session/update` and nothing else, read in one pass.
//!
//! Nearly all lines of a trace are such, and their members come in the order in which everybody
//! writes them: the method before its parameters. A line that differs is left to the readers that
//! look at its form first.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};

use super::lenient::{Map, Object, Text};

/// The parameters in a line that has one of these forms, with no other members, and each but once:
/// - `{"jsonrpc": "2.0", "method": "session/update", "params": {...}}`,
/// - the same as `msg` of a line with `t` and `dir`,
/// - `{"sessionId": "...", "update": {...}}`.
///
/// `None` for every other line.
pub(super) fn params_of_line<'a, T: Object<'a>>(line: &'a str) -> Option<T> {
    let Whole(params) = serde_json::from_str(line).ok()?;
    Some(params)
}

/// A line.
struct Whole<T>(T);

/// A message in a line.
struct Inner<T>(T);

impl<'de, T: Object<'de>> Deserialize<'de> for Whole<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let form = Form::Open { outermost: true };
        let members = Members(form, PhantomData);
        deserializer.deserialize_map(members).map(Self)
    }
}

impl<'de, T: Object<'de>> Deserialize<'de> for Inner<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let form = Form::Open { outermost: false };
        let members = Members(form, PhantomData);
        deserializer.deserialize_map(members).map(Self)
    }
}

/// What the members so far say about the form of an object.
#[derive(Clone, Copy)]
enum Form {
    /// It may have any.
    Open { outermost: bool },
    /// It is a message whose method is `session/update`.
    Message,
    /// It holds a message.
    Wrapper,
    /// It holds the parameters themselves.
    Params,
}

struct Members<T>(Form, PhantomData<T>);

impl<'de, T: Object<'de>> Visitor<'de> for Members<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a plain session/update")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<T, A::Error> {
        let Self(mut form, _) = self;
        let mut params: Option<T> = None;
        while let Some(key) = members.next_key::<Text<'de>>()? {
            let key = key.as_str();
            match (key, form) {
                ("jsonrpc" | "t" | "dir", _) => {
                    members.next_value::<IgnoredAny>()?;
                }
                ("method", Form::Open { .. }) => {
                    let method: Text<'de> = members.next_value()?;
                    if method.as_str() != "session/update" {
                        return Err(another_form());
                    }
                    form = Form::Message;
                }
                ("params", Form::Message) if params.is_none() => {
                    let Map(object) = members.next_value()?;
                    params = object.value();
                }
                ("msg", Form::Open { outermost: true }) => {
                    let Inner(inner) = members.next_value()?;
                    params = Some(inner);
                    form = Form::Wrapper;
                }
                ("sessionId" | "update", Form::Open { outermost: true } | Form::Params) => {
                    let params = params.get_or_insert_default();
                    if !params.read_member(key, &mut members)? {
                        members.next_value::<IgnoredAny>()?;
                    }
                    form = Form::Params;
                }
                _ => return Err(another_form()),
            }
        }
        params.ok_or_else(another_form)
    }
}

fn another_form<E: Error>() -> E {
    E::custom("another form")
}
