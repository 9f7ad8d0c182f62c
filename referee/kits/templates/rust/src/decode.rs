//! From JSON to the types of messages.rs, and the macros that declare them.

use crate::json::Json;
use std::collections::BTreeMap;
use std::fmt;

/// A message is not as the protocol says.
#[derive(Debug, Clone, PartialEq)]
pub struct DecodeError {
    /// Where: the names of fields, from the inner one to the outer one.
    pub path: Vec<&'static str>,
    pub problem: &'static str,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let path: Vec<&str> = self.path.iter().rev().copied().collect();
        write!(f, "{}: {}", path.join("."), self.problem)
    }
}

impl std::error::Error for DecodeError {}

impl DecodeError {
    /// The same error, seen from the object around it.
    fn within(mut self, name: &'static str) -> DecodeError {
        self.path.push(name);
        self
    }
}

pub type Result<T> = std::result::Result<T, DecodeError>;

pub fn wrong<T>(problem: &'static str) -> Result<T> {
    Err(DecodeError {
        path: Vec::new(),
        problem,
    })
}

/// A type that can be read from JSON.
pub trait FromJson: Sized {
    fn from_json(value: &Json) -> Result<Self>;

    /// What an absent field means; None for fields that are never absent.
    fn absent() -> Option<Self> {
        None
    }
}

/// A type of which there are several kinds, and whose kind is said by a word elsewhere.
pub trait FromJsonAs: Sized {
    fn from_json_as(kind: &str, value: &Json) -> Result<Self>;
}

/// A field of an object.
pub fn field<T: FromJson>(object: &Json, name: &'static str) -> Result<T> {
    match object.get(name) {
        Some(value) => T::from_json(value),
        None => T::absent().map_or_else(|| wrong("this field is missing"), Ok),
    }
    .map_err(|error| error.within(name))
}

/// A field of an object, or what it is when it is absent.
pub fn field_or<T: FromJson>(object: &Json, name: &'static str, default: T) -> Result<T> {
    match object.get(name) {
        Some(_) => field(object, name),
        None => Ok(default),
    }
}

/// A field of an object whose kind is said by another field.
pub fn field_as<T: FromJsonAs>(object: &Json, name: &'static str, by: &'static str) -> Result<T> {
    let kind: String = field(object, by)?;
    match object.get(name) {
        Some(value) => T::from_json_as(&kind, value),
        None => wrong("this field is missing"),
    }
    .map_err(|error| error.within(name))
}

impl FromJson for i64 {
    fn from_json(value: &Json) -> Result<i64> {
        match value {
            Json::Integer(integer) => Ok(*integer),
            _ => wrong("this is no integer"),
        }
    }
}

impl FromJson for bool {
    fn from_json(value: &Json) -> Result<bool> {
        match value {
            Json::Bool(truth) => Ok(*truth),
            _ => wrong("this is neither true nor false"),
        }
    }
}

impl FromJson for String {
    fn from_json(value: &Json) -> Result<String> {
        match value {
            Json::String(text) => Ok(text.to_string()),
            _ => wrong("this is no string"),
        }
    }
}

impl FromJson for Json<'static> {
    fn from_json(value: &Json) -> Result<Json<'static>> {
        Ok(value.to_owned_json())
    }
}

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(value: &Json) -> Result<Option<T>> {
        match value {
            Json::Null => Ok(None),
            _ => T::from_json(value).map(Some),
        }
    }

    fn absent() -> Option<Option<T>> {
        Some(None)
    }
}

fn list<T>(value: &Json, read: impl Fn(&Json) -> Result<T>) -> Result<Vec<T>> {
    let Json::Array(items) = value else {
        return wrong("this is no list");
    };
    let mut found = Vec::with_capacity(items.len());
    for item in items {
        found.push(read(item)?);
    }
    Ok(found)
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(value: &Json) -> Result<Vec<T>> {
        list(value, T::from_json)
    }
}

impl<T: FromJsonAs> FromJsonAs for Vec<T> {
    fn from_json_as(kind: &str, value: &Json) -> Result<Vec<T>> {
        list(value, |item| T::from_json_as(kind, item))
    }
}

impl<A: FromJson, B: FromJson> FromJson for (A, B) {
    fn from_json(value: &Json) -> Result<(A, B)> {
        match value {
            Json::Array(items) if items.len() == 2 => {
                Ok((A::from_json(&items[0])?, B::from_json(&items[1])?))
            }
            _ => wrong("this is no list of two"),
        }
    }
}

impl<T: FromJson> FromJson for BTreeMap<String, T> {
    fn from_json(value: &Json) -> Result<BTreeMap<String, T>> {
        let Json::Object(members) = value else {
            return wrong("this is no object");
        };
        let mut map = BTreeMap::new();
        for (name, value) in members {
            map.insert(name.to_string(), T::from_json(value)?);
        }
        Ok(map)
    }
}

/// Declares enums of words, which JSON has as strings. A word that is not declared is `Unknown`.
macro_rules! words {
    ($(pub enum $name:ident { $($variant:ident = $word:literal,)* })*) => {
        $(
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub enum $name { $($variant,)* Unknown }

            impl $name {
                /// The word as it is in messages.
                pub fn as_str(self) -> &'static str {
                    match self { $($name::$variant => $word,)* $name::Unknown => "unknown" }
                }
            }

            impl $crate::decode::FromJson for $name {
                fn from_json(value: &$crate::json::Json) -> $crate::decode::Result<Self> {
                    match value {
                        $crate::json::Json::String(word) => Ok(match word.as_ref() {
                            $($word => $name::$variant,)*
                            _ => $name::Unknown,
                        }),
                        _ => $crate::decode::wrong("this is no string"),
                    }
                }
            }
        )*
    };
}

/// Declares structs that are read from objects: `field: Type`, `field: Type = what it is when it is absent`, or
/// `field: Type => by other_field`, which says of which kind it is.
macro_rules! structs {
    (@read $value:ident $field:ident) => {
        $crate::decode::field($value, stringify!($field))?
    };
    (@read $value:ident $field:ident = $default:expr) => {
        $crate::decode::field_or($value, stringify!($field), $default)?
    };
    (@read $value:ident $field:ident => $by:ident) => {
        $crate::decode::field_as($value, stringify!($field), stringify!($by))?
    };
    ($($(#[$meta:meta])* pub struct $name:ident {
        $($field:ident: $type:ty $(= $default:expr)? $(=> by $by:ident)?,)*
    })*) => {
        $(
            $(#[$meta])*
            #[derive(Debug, Clone, PartialEq)]
            pub struct $name { $(pub $field: $type,)* }

            impl $crate::decode::FromJson for $name {
                fn from_json(_value: &$crate::json::Json) -> $crate::decode::Result<Self> {
                    Ok($name { $($field: structs!(@read _value $field $(= $default)? $(=> $by)?),)* })
                }
            }
        )*
    };
}

/// Declares enums of structs that are told apart by a word, which is in a field of their own, or elsewhere.
macro_rules! choices {
    ($($(#[$meta:meta])* pub enum $name:ident $(by $field:literal)? {
        $($variant:ident($type:ident) = $word:literal,)*
    })*) => {
        $(
            $(#[$meta])*
            #[derive(Debug, Clone, PartialEq)]
            pub enum $name { $($variant($type),)* Unknown }

            impl $crate::decode::FromJsonAs for $name {
                fn from_json_as(kind: &str, value: &$crate::json::Json) -> $crate::decode::Result<Self> {
                    match kind {
                        $($word => $crate::decode::FromJson::from_json(value).map($name::$variant),)*
                        _ => Ok($name::Unknown),
                    }
                }
            }

            $(impl $crate::decode::FromJson for $name {
                fn from_json(value: &$crate::json::Json) -> $crate::decode::Result<Self> {
                    let kind: String = $crate::decode::field(value, $field)?;
                    $crate::decode::FromJsonAs::from_json_as(&kind, value)
                }
            })?
        )*
    };
}

pub(crate) use {choices, structs, words};
