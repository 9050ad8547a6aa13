//! The map of texts in which a configuration comes from Java: its bytes, and how a key becomes a value with a type.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::error::{Error, ErrorKind};

/// The map in the bytes that Java sends: u32 count, then u32 length and UTF-8 for each key and value, big-endian.
pub(crate) fn decode(bytes: &[u8]) -> Result<BTreeMap<String, String>, Error> {
    let mut rest = bytes;
    let count = take_u32(&mut rest)?;
    let mut map = BTreeMap::new();
    for _ in 0..count {
        let key = take_text(&mut rest)?;
        let value = take_text(&mut rest)?;
        map.insert(key, value);
    }
    if !rest.is_empty() {
        return Err(broken("bytes are left over"));
    }
    Ok(map)
}

fn broken(what: &str) -> Error {
    Error::new(
        ErrorKind::Config,
        format!("the configuration cannot be decoded: {what}"),
    )
}

fn take_u32(rest: &mut &[u8]) -> Result<u32, Error> {
    let (head, tail) = rest
        .split_first_chunk::<4>()
        .ok_or_else(|| broken("it ends early"))?;
    *rest = tail;
    Ok(u32::from_be_bytes(*head))
}

fn take_text(rest: &mut &[u8]) -> Result<String, Error> {
    let length = take_u32(rest)? as usize;
    let (head, tail) = rest
        .split_at_checked(length)
        .ok_or_else(|| broken("it ends early"))?;
    *rest = tail;
    String::from_utf8(head.to_vec()).map_err(|_| broken("a text is not UTF-8"))
}

/// The texts of a configuration by key.
pub(crate) struct Keys<'a>(pub(crate) &'a BTreeMap<String, String>);

impl Keys<'_> {
    pub(crate) fn text(&self, key: &str) -> Result<&str, Error> {
        self.0
            .get(key)
            .map(String::as_str)
            .ok_or_else(|| Error::new(ErrorKind::Config, format!("the configuration lacks '{key}'")))
    }

    pub(crate) fn not_empty(&self, key: &str) -> Result<String, Error> {
        match self.text(key)? {
            "" => Err(Error::new(ErrorKind::Config, format!("'{key}' is empty"))),
            text => Ok(text.to_owned()),
        }
    }

    pub(crate) fn parse<T>(
        &self,
        key: &str,
        allowed: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T, Error> {
        let text = self.text(key)?;
        parse(text).map_err(|why| {
            let why = if why.is_empty() {
                String::new()
            } else {
                format!(" ({why})")
            };
            Error::new(
                ErrorKind::Config,
                format!("'{key}' = '{text}' is not usable{why}; allowed: {allowed}"),
            )
        })
    }

    pub(crate) fn number<T: std::str::FromStr + PartialOrd + fmt::Display>(
        &self,
        key: &str,
        range: std::ops::RangeInclusive<T>,
    ) -> Result<T, Error> {
        let allowed = format!("{} to {}", range.start(), range.end());
        self.parse(key, &allowed, |text| {
            text.parse()
                .ok()
                .filter(|n| range.contains(n))
                .ok_or_else(String::new)
        })
    }

    pub(crate) fn flag(&self, key: &str) -> Result<bool, Error> {
        self.parse(key, "true or false", |text| match text {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(String::new()),
        })
    }

    pub(crate) fn millis(&self, key: &str) -> Result<Duration, Error> {
        // A year is as good as for ever and keeps instants representable.
        Ok(Duration::from_millis(
            self.number(key, 1..=u64::MAX)?.min(31_536_000_000),
        ))
    }
}
