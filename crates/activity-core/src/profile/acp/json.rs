//! JSON values that borrow from their text, for reading what an agent put into `rawInput`,
//! `rawOutput` and `_meta`.
//!
//! Agents spell the same member in many ways, so all look-ups take a list of names and the first
//! one that fits wins.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json<'a> {
    Null,
    Bool(bool),
    /// A whole number from 0; any other number is [`Json::OtherNumber`].
    Number(u64),
    OtherNumber,
    String(Cow<'a, str>),
    List(Vec<Json<'a>>),
    Object(Object<'a>),
}

/// The members of a JSON object, in order. Of several with one name the last counts.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Object<'a>(Vec<(Cow<'a, str>, Json<'a>)>);

impl<'a> Json<'a> {
    /// Reads a JSON text. `None` when it is malformed or nested too deeply.
    ///
    /// A string that holds a JSON object itself (some agents encode their arguments twice) is read
    /// as that object.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        match serde_json::from_str(text).ok()? {
            Json::String(Cow::Borrowed(inner)) if is_object(inner) => {
                Some(serde_json::from_str(inner).unwrap_or(Json::String(Cow::Borrowed(inner))))
            }
            Json::String(Cow::Owned(inner)) if is_object(&inner) => {
                let object = serde_json::from_str::<Json<'_>>(&inner)
                    .ok()
                    .map(Json::into_owned);
                Some(object.unwrap_or(Json::String(Cow::Owned(inner))))
            }
            value => Some(value),
        }
    }

    fn into_owned(self) -> Json<'static> {
        match self {
            Json::Null => Json::Null,
            Json::Bool(is) => Json::Bool(is),
            Json::Number(number) => Json::Number(number),
            Json::OtherNumber => Json::OtherNumber,
            Json::String(text) => Json::String(Cow::Owned(text.into_owned())),
            Json::List(items) => Json::List(items.into_iter().map(Json::into_owned).collect()),
            Json::Object(Object(members)) => Json::Object(Object(
                members
                    .into_iter()
                    .map(|(name, value)| (Cow::Owned(name.into_owned()), value.into_owned()))
                    .collect(),
            )),
        }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(is) => Some(*is),
            _ => None,
        }
    }

    pub(super) fn as_line(&self) -> Option<u32> {
        match self {
            Self::Number(number) => u32::try_from(*number).ok(),
            _ => None,
        }
    }

    pub(super) fn as_list(&self) -> Option<&[Json<'a>]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    pub(super) fn as_object(&self) -> Option<&Object<'a>> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }
}

fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

impl<'a> Object<'a> {
    pub(super) fn get(&self, name: &str) -> Option<&Json<'a>> {
        self.0
            .iter()
            .rev()
            .find(|(found, _)| found == name)
            .map(|(_, value)| value)
    }

    pub(super) fn members(&self) -> impl Iterator<Item = (&str, &Json<'a>)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), value))
    }

    /// The first of these members that is there and for which `read` gives something.
    pub(super) fn first<'s, T>(
        &'s self,
        names: &[&str],
        read: impl Fn(&'s Json<'a>) -> Option<T>,
    ) -> Option<T> {
        names.iter().find_map(|name| self.get(name).and_then(&read))
    }

    /// The first of these members that is a string.
    pub(super) fn text(&self, names: &[&str]) -> Option<&str> {
        self.first(names, Json::as_str)
    }

    /// The first of these members that is a string and not blank.
    pub(super) fn word(&self, names: &[&str]) -> Option<&str> {
        self.first(names, |value| {
            value.as_str().filter(|text| !text.trim().is_empty())
        })
    }

    /// The first of these members that is a boolean.
    pub(super) fn flag(&self, names: &[&str]) -> Option<bool> {
        self.first(names, Json::as_bool)
    }
}

impl<'de> Deserialize<'de> for Json<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyJson)
    }
}

struct AnyJson;

impl<'de> Visitor<'de> for AnyJson {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, is: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(is))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json<'de>, E> {
        Ok(Json::Number(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json<'de>, E> {
        Ok(u64::try_from(number).map_or(Json::OtherNumber, Json::Number))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Json<'de>, E> {
        Ok(Json::OtherNumber)
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::String(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json<'de>, E> {
        Ok(Json::String(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Json<'de>, E> {
        Ok(Json::String(Cow::Owned(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json<'de>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some((Name(name), value)) = map.next_entry()? {
            members.push((name, value));
        }
        Ok(Json::Object(Object(members)))
    }
}

/// A member's name, borrowed where it has no escapes. (`Cow` itself never borrows here.)
struct Name<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;
        impl<'de> Visitor<'de> for NameVisitor {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member's name")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(NameVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn arguments_that_were_encoded_twice_are_read() {
        let json = Json::read(r#""{\"path\":\"a\\nb\",\"n\":3}""#).unwrap();
        let object = json.as_object().unwrap();
        assert_eq!(object.text(&["path"]), Some("a\nb"));
        assert_eq!(object.get("n").and_then(Json::as_line), Some(3));
        assert_eq!(
            Json::read(r#""{not json""#).unwrap().as_str(),
            Some("{not json")
        );
    }

    #[test]
    fn the_first_name_that_fits_wins() {
        let json = Json::read(r#"{"path":" ","file":"a","file":"b","on":"yes","at":-1}"#).unwrap();
        let object = json.as_object().unwrap();
        assert_eq!(object.word(&["path", "file"]), Some("b"));
        assert_eq!(object.text(&["path", "file"]), Some(" "));
        assert_eq!(object.flag(&["on"]), None);
        assert_eq!(object.get("at"), Some(&Json::OtherNumber));
    }

    #[test]
    fn nesting_beyond_the_limit_is_no_value() {
        assert_eq!(Json::read(&"[".repeat(200_000)), None);
        assert_eq!(Json::read("{"), None);
    }
}
