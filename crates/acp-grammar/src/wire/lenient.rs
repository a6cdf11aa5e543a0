//! Reading JSON members that may have any shape.
//!
//! Agents send numbers where a string belongs, objects where a list belongs, and members that
//! nobody has heard of. Each type here takes what fits, remembers a `null`, and reads past all
//! else, so that one odd member costs only itself. Everything is read in one pass over the text;
//! only broken JSON is an error.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;

use super::Field;

/// A type that makes something of every JSON value. The defaults read past the value.
trait Lenient<'de>: Sized {
    /// What a value of an unfitting shape becomes; also what `null` becomes.
    fn unfit() -> Self;

    fn from_text(_text: Cow<'de, str>) -> Self {
        Self::unfit()
    }

    fn from_flag(_flag: bool) -> Self {
        Self::unfit()
    }

    fn from_number(_number: Option<u64>) -> Self {
        Self::unfit()
    }

    fn from_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::unfit())
    }

    fn from_object<A: MapAccess<'de>>(mut object: A) -> Result<Self, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::unfit())
    }
}

struct AnyShape<T>(PhantomData<T>);

impl<'de, T: Lenient<'de>> Visitor<'de> for AnyShape<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<T, E> {
        Ok(T::unfit())
    }

    fn visit_bool<E>(self, flag: bool) -> Result<T, E> {
        Ok(T::from_flag(flag))
    }

    fn visit_u64<E>(self, number: u64) -> Result<T, E> {
        Ok(T::from_number(Some(number)))
    }

    fn visit_i64<E>(self, number: i64) -> Result<T, E> {
        Ok(T::from_number(u64::try_from(number).ok()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<T, E> {
        Ok(T::from_number(whole_number(number)))
    }

    fn visit_str<E>(self, text: &str) -> Result<T, E> {
        Ok(T::from_text(Cow::Owned(text.to_owned())))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<T, E> {
        Ok(T::from_text(Cow::Borrowed(text)))
    }

    fn visit_string<E>(self, text: String) -> Result<T, E> {
        Ok(T::from_text(Cow::Owned(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<T, A::Error> {
        T::from_list(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<T, A::Error> {
        T::from_object(object)
    }
}

/// JavaScript has one kind of number, so `3.0` and `3e0` are the line 3 too.
fn whole_number(number: f64) -> Option<u64> {
    const LARGEST: f64 = 9_007_199_254_740_991.0;
    if number.fract() == 0.0 && (0.0..=LARGEST).contains(&number) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole, not negative, and below 2^53"
        )]
        Some(number as u64)
    } else {
        None
    }
}

macro_rules! lenient_deserialize {
    ($([$($generics:tt)*] $type:ty,)+) => {$(
        impl<'de, $($generics)*> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(AnyShape(PhantomData))
            }
        }
    )+};
}

lenient_deserialize! {
    [] Text<'de>,
    [] Number,
    [] Flag,
    [] TextLength,
    [T: Object<'de>] Map<T>,
    [T: Deserialize<'de>] List<T>,
    [T: Object<'de>] OneOrMany<T>,
}

/// A string; every other shape counts as `null`.
#[derive(Debug, Default)]
pub(crate) struct Text<'a>(pub(crate) Field<Cow<'a, str>>);

impl<'a> Text<'a> {
    /// The string, if it is one.
    pub(crate) fn value(self) -> Option<Cow<'a, str>> {
        self.0.value()
    }

    /// The string to look at; empty when it is missing or no string.
    pub(crate) fn as_str(&self) -> &str {
        self.0.as_value().map_or("", AsRef::as_ref)
    }
}

impl<'de> Lenient<'de> for Text<'de> {
    fn unfit() -> Self {
        Self(Field::Null)
    }

    fn from_text(text: Cow<'de, str>) -> Self {
        Self(Field::Value(text))
    }
}

/// A whole number that is not negative.
#[derive(Debug, Default)]
pub(crate) struct Number(pub(crate) Option<u64>);

impl Lenient<'_> for Number {
    fn unfit() -> Self {
        Self(None)
    }

    fn from_number(number: Option<u64>) -> Self {
        Self(number)
    }
}

/// A boolean; every other shape is false.
#[derive(Debug, Default)]
pub(crate) struct Flag(pub(crate) bool);

impl Lenient<'_> for Flag {
    fn unfit() -> Self {
        Self(false)
    }

    fn from_flag(flag: bool) -> Self {
        Self(flag)
    }
}

/// The length in bytes of a string that nobody wants to keep.
#[derive(Debug, Default)]
pub(crate) struct TextLength(pub(crate) usize);

impl<'de> Lenient<'de> for TextLength {
    fn unfit() -> Self {
        Self(0)
    }

    fn from_text(text: Cow<'de, str>) -> Self {
        Self(text.len())
    }
}

/// Any value as its JSON text, `null` apart.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Raw<'a>(pub(crate) Field<&'a RawValue>);

impl<'de> Deserialize<'de> for Raw<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        Ok(Self(if raw.get() == "null" {
            Field::Null
        } else {
            Field::Value(raw)
        }))
    }
}

/// An object whose members are read into `T`; every other shape counts as `null`.
#[derive(Debug, Default)]
pub(crate) struct Map<T>(pub(crate) Field<T>);

impl<'de, T: Object<'de>> Lenient<'de> for Map<T> {
    fn unfit() -> Self {
        Self(Field::Null)
    }

    fn from_object<A: MapAccess<'de>>(object: A) -> Result<Self, A::Error> {
        read_object(object).map(|value| Self(Field::Value(value)))
    }
}

/// A list; every other shape counts as `null`.
#[derive(Debug)]
pub(crate) struct List<T>(pub(crate) Field<Vec<T>>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Field::Missing)
    }
}

impl<T> List<T> {
    /// The elements; none when there is no list.
    pub(crate) fn into_vec(self) -> Vec<T> {
        self.0.value().unwrap_or_default()
    }
}

impl<'de, T: Deserialize<'de>> Lenient<'de> for List<T> {
    fn unfit() -> Self {
        Self(Field::Null)
    }

    fn from_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = list.next_element()? {
            elements.push(element);
        }
        Ok(Self(Field::Value(elements)))
    }
}

/// One object, or a list of them: `content` is a block in a message chunk, and a list in a call.
#[derive(Debug, Default)]
pub(crate) enum OneOrMany<T> {
    #[default]
    Missing,
    /// `null`, and what JavaScript takes for nothing like it: false, 0, an empty string.
    Nothing,
    /// A value of another shape.
    Odd,
    /// Boxed, so that what holds it stays small enough to be moved about.
    One(Box<T>),
    /// Elements that are no objects are left out.
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    fn odd_unless(nothing: bool) -> Self {
        if nothing { Self::Nothing } else { Self::Odd }
    }
}

impl<'de, T: Object<'de>> Lenient<'de> for OneOrMany<T> {
    fn unfit() -> Self {
        Self::Nothing
    }

    fn from_text(text: Cow<'de, str>) -> Self {
        Self::odd_unless(text.is_empty())
    }

    fn from_flag(flag: bool) -> Self {
        Self::odd_unless(!flag)
    }

    fn from_number(number: Option<u64>) -> Self {
        Self::odd_unless(number == Some(0))
    }

    fn from_object<A: MapAccess<'de>>(object: A) -> Result<Self, A::Error> {
        read_object(object).map(|value| Self::One(Box::new(value)))
    }

    fn from_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut elements = Vec::new();
        while let Some(Map(element)) = list.next_element()? {
            elements.extend(element.value());
        }
        Ok(Self::Many(elements))
    }
}

/// A member that is read into its place.
pub(crate) trait Member<'de>: Deserialize<'de> {
    /// Reads the value of the member whose name `object` has just given.
    fn read<A: MapAccess<'de>>(&mut self, object: &mut A) -> Result<(), A::Error> {
        *self = object.next_value()?;
        Ok(())
    }
}

impl<'de> Member<'de> for Text<'de> {}
impl Member<'_> for Number {}
impl Member<'_> for Flag {}
impl Member<'_> for TextLength {}
impl<'de> Member<'de> for Raw<'de> {}
impl<'de, T: Deserialize<'de>> Member<'de> for List<T> {}
impl<'de, T: Object<'de>> Member<'de> for OneOrMany<T> {}

/// Objects are large, and most of them are in other objects; they are not moved about.
impl<'de, T: Object<'de>> Member<'de> for Map<T> {
    fn read<A: MapAccess<'de>>(&mut self, object: &mut A) -> Result<(), A::Error> {
        object.next_value_seed(Place(&mut self.0))
    }
}

/// Where an object is read to; what is no object becomes a `null` there.
struct Place<'p, T>(&'p mut Field<T>);

impl<'de, T: Object<'de>> DeserializeSeed<'de> for Place<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        *self.0 = Field::Null;
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Object<'de>> Visitor<'de> for Place<'_, T> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<(), A::Error> {
        *self.0 = Field::Value(T::default());
        match self.0 {
            Field::Value(value) => read_members(value, object),
            Field::Missing | Field::Null => Ok(()),
        }
    }
}

/// A set of members that [`object!`] knows by name.
pub(crate) trait Object<'de>: Default {
    /// Reads the member `key`, which `object` has just given, into its place. False when the name
    /// is not one of them, and the value is still to be read.
    fn read_member<A: MapAccess<'de>>(
        &mut self,
        key: &str,
        object: &mut A,
    ) -> Result<bool, A::Error>;
}

fn read_object<'de, T: Object<'de>, A: MapAccess<'de>>(object: A) -> Result<T, A::Error> {
    let mut value = T::default();
    read_members(&mut value, object)?;
    Ok(value)
}

fn read_members<'de, T: Object<'de>, A: MapAccess<'de>>(
    value: &mut T,
    mut object: A,
) -> Result<(), A::Error> {
    while let Some(key) = object.next_key::<Text<'de>>()? {
        if !value.read_member(key.as_str(), &mut object)? {
            object.next_value::<IgnoredAny>()?;
        }
    }
    Ok(())
}

/// Declares a struct and how its members are called in JSON. A name that comes twice overwrites
/// itself, as it does in JavaScript. After `else` stands a field that takes the other members.
macro_rules! object {
    ($(#[$attr:meta])* $vis:vis struct $name:ident<$life:lifetime> {
        $($key:literal => $field:ident: $type:ty,)+
        $(else => $rest:ident: $rest_type:ty,)?
    }) => {
        $(#[$attr])*
        #[derive(Debug, Default)]
        $vis struct $name<$life> {
            $(pub(crate) $field: $type,)+
            $(pub(crate) $rest: $rest_type,)?
        }

        impl<$life> $crate::wire::lenient::Object<$life> for $name<$life> {
            fn read_member<A: serde::de::MapAccess<$life>>(
                &mut self,
                key: &str,
                object: &mut A,
            ) -> Result<bool, A::Error> {
                match key {
                    $($key => $crate::wire::lenient::Member::read(&mut self.$field, object)?,)+
                    $(_ if self.$rest.read_member(key, object)? => {})?
                    _ => return Ok(false),
                }
                Ok(true)
            }
        }
    };
}
pub(crate) use object;

/// Reads a JSON text that should be an object. `None` when it is something else or no JSON.
pub(crate) fn object_from_str<'a, T: Object<'a>>(json: &'a str) -> Option<T> {
    let Map(value) = serde_json::from_str(json).ok()?;
    value.value()
}
