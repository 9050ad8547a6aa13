//! The headers of a load: the user's parameters, and what the sink adds.

use http::header::{AUTHORIZATION, EXPECT};
use http::{HeaderMap, HeaderName, HeaderValue};

use doris_arrow::encode::Format;

use super::properties;
use super::spec::Input;
use crate::error::Error;
use crate::fe::TableSchema;
use crate::sql::quote;
use crate::write::config::WriteConfig;
use crate::write::table_check::{DELETE_SIGN, parse_list};

/// The headers that all attempts of a load share; a label is added to each by [`labelled`]. `schema` gives the
/// columns as Doris spells them; raw rows have none.
pub(in crate::write) fn common(
    config: &WriteConfig,
    input: &Input,
    schema: Option<&TableSchema>,
) -> Result<HeaderMap, Error> {
    let properties = &config.properties;
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, config.cluster.login.basic()?);
    headers.insert(EXPECT, HeaderValue::from_static("100-continue"));
    for (name, value) in &properties.headers {
        headers.insert(name.clone(), value.clone());
    }
    if config.two_phase {
        headers.insert("two_phase_commit", HeaderValue::from_static("true"));
    }
    // Bytes of a user's serializer were written in a zone that is not ours to know.
    let ours = matches!(input, Input::Rows { .. });
    if ours && !properties.has("timezone") && !properties.has("time_zone") {
        // The zone in which instants were written down, so that the server's functions agree with it.
        set(&mut headers, "timezone", &config.local_zone_text)?;
    }
    if let (Format::Csv(options), Input::Rows { .. }) = (&properties.format, input)
        && let Some(escape) = options.escape
        && !properties.has("escape")
    {
        set(
            &mut headers,
            "escape",
            char::from(escape).encode_utf8(&mut [0; 4]),
        )?;
    }
    if let (Format::Csv(options), Input::Rows { .. }) = (&properties.format, input)
        && options.enclose == Some(b'"')
        && !properties.has("trim_double_quotes")
    {
        // Without it older servers leave the enclosing quotes in the values.
        set(&mut headers, "trim_double_quotes", "true")?;
    }
    let (columns, hidden) = columns(config, input, schema);
    if let Some(columns) = columns {
        set(&mut headers, "columns", &columns)?;
    }
    if hidden && !properties.hidden_columns {
        set(&mut headers, "hidden_columns", DELETE_SIGN)?;
    }
    Ok(headers)
}

/// The same with the label of an attempt.
pub(super) fn labelled(common: &HeaderMap, label: Option<&str>) -> Result<HeaderMap, Error> {
    let mut headers = common.clone();
    if let Some(label) = label {
        set(&mut headers, "label", label)?;
    }
    Ok(headers)
}

/// The value of `columns`, and whether `hidden_columns` names the delete sign.
///
/// Servers look at `hidden_columns` only where there is no `columns`; both are sent for JSON and Arrow, whose columns
/// go by name, so that servers that map them otherwise find the sign too. Rows that name their columns each by itself
/// (flexible partial update) take neither.
fn columns(config: &WriteConfig, input: &Input, schema: Option<&TableSchema>) -> (Option<String>, bool) {
    let properties = &config.properties;
    let (declared, delete_sign) = match input {
        Input::Rows {
            declared,
            delete_sign,
        } => (Some(declared), *delete_sign),
        Input::Raw { delete_sign } => (None, *delete_sign),
    };
    if properties.flexible {
        return (None, false);
    }
    if let Some(listed) = &properties.columns {
        let named = parse_list(listed)
            .iter()
            .any(|e| e.name.eq_ignore_ascii_case(DELETE_SIGN));
        let columns = if delete_sign && !named {
            format!(
                "{},{}",
                listed.trim_end().trim_end_matches(','),
                quote(DELETE_SIGN)
            )
        } else {
            listed.clone()
        };
        return (Some(columns), false);
    }
    let Some(declared) = declared else {
        return (None, delete_sign);
    };
    let mut names: Vec<String> = declared
        .iter()
        .map(|field| {
            let found = schema.and_then(|s| s.find(&field.name));
            quote(found.map_or(&field.name, |c| &c.name))
        })
        .collect();
    if delete_sign {
        names.push(quote(DELETE_SIGN));
    }
    let by_name = !matches!(properties.format, Format::Csv(_));
    (Some(names.join(",")), delete_sign && by_name)
}

fn set(headers: &mut HeaderMap, name: &'static str, value: &str) -> Result<(), Error> {
    headers.insert(
        HeaderName::from_static(name),
        properties::header_value(name, value)?,
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use doris_arrow::types::{FlinkField, FlinkKind, FlinkType};

    use super::*;
    use crate::write::config::tests::config;

    fn rows(delete_sign: bool) -> Input {
        let FlinkKind::Row(declared): FlinkKind =
            FlinkType::parse("ROW<`id` INT, `名``x` STRING>").unwrap().kind
        else {
            panic!("a row")
        };
        let declared: Vec<FlinkField> = declared;
        Input::Rows {
            declared,
            delete_sign,
        }
    }

    fn shown(properties: &[(&str, &str)], input: &Input) -> Vec<(String, String)> {
        let headers = common(&config(&[], properties), input, None).unwrap();
        let mut shown: Vec<(String, String)> = headers
            .iter()
            .filter(|(n, _)| *n != AUTHORIZATION)
            .map(|(n, v)| (n.to_string(), String::from_utf8_lossy(v.as_bytes()).into_owned()))
            .collect();
        shown.sort();
        shown
    }

    fn find<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
        headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    #[test]
    fn generated_headers() {
        let headers = shown(&[("format", "csv"), ("timeout", "1200")], &rows(true));
        assert_eq!(
            find(&headers, "columns"),
            Some("`id`,`名``x`,`__DORIS_DELETE_SIGN__`")
        );
        assert_eq!(find(&headers, "hidden_columns"), None);
        assert_eq!(find(&headers, "timezone"), Some("Asia/Shanghai"));
        assert_eq!(find(&headers, "two_phase_commit"), Some("true"));
        assert_eq!(find(&headers, "expect"), Some("100-continue"));
        assert_eq!(find(&headers, "timeout"), Some("1200"));
        let headers = shown(&[("format", "json"), ("timezone", "+01:00")], &rows(true));
        assert_eq!(find(&headers, "hidden_columns"), Some("__DORIS_DELETE_SIGN__"));
        assert_eq!(find(&headers, "timezone"), Some("+01:00"));
        let headers = shown(&[("format", "json")], &rows(false));
        assert_eq!(find(&headers, "columns"), Some("`id`,`名``x`"));
        assert_eq!(find(&headers, "hidden_columns"), None);
    }

    #[test]
    fn the_users_columns_get_the_sign_unless_they_name_it() {
        let columns = |list: &str, sign| {
            let headers = shown(&[("columns", list), ("format", "json")], &rows(sign));
            assert_eq!(find(&headers, "hidden_columns"), None);
            find(&headers, "columns").map(str::to_owned)
        };
        assert_eq!(
            columns("id, u, b=f(u)", true).as_deref(),
            Some("id, u, b=f(u),`__DORIS_DELETE_SIGN__`")
        );
        assert_eq!(columns("id, u", false).as_deref(), Some("id, u"));
        assert_eq!(
            columns("id, __doris_delete_sign__", true).as_deref(),
            Some("id, __doris_delete_sign__")
        );
    }

    #[test]
    fn an_escape_character_comes_with_enclose() {
        let enclosed = [("enclose", "\"")];
        assert_eq!(find(&shown(&enclosed, &rows(false)), "escape"), Some("\\"));
        let own = [("enclose", "\""), ("escape", "^")];
        assert_eq!(find(&shown(&own, &rows(false)), "escape"), Some("^"));
        assert_eq!(find(&shown(&[], &rows(false)), "escape"), None);
        // Bytes of a user's serializer are read by the user's parameters.
        assert_eq!(
            find(&shown(&enclosed, &Input::Raw { delete_sign: false }), "escape"),
            None
        );
    }

    #[test]
    fn double_quotes_are_taken_off_where_fields_are_enclosed_in_them() {
        let trim = |properties: &[(&str, &str)], input: &Input| {
            find(&shown(properties, input), "trim_double_quotes").map(str::to_owned)
        };
        let enclosed = ("enclose", "\"");
        assert_eq!(trim(&[enclosed], &rows(false)).as_deref(), Some("true"));
        for given in ["false", "true"] {
            let own = [enclosed, ("trim_double_quotes", given)];
            assert_eq!(trim(&own, &rows(false)).as_deref(), Some(given));
        }
        assert_eq!(trim(&[("enclose", "'")], &rows(false)), None);
        assert_eq!(trim(&[], &rows(false)), None);
        assert_eq!(trim(&[("format", "json"), enclosed], &rows(false)), None);
        // Bytes of a user's serializer are read by the user's parameters.
        assert_eq!(trim(&[enclosed], &Input::Raw { delete_sign: false }), None);
    }

    #[test]
    fn rows_that_name_their_columns_by_themselves() {
        let headers = shown(
            &[
                ("format", "json"),
                ("unique_key_update_mode", "UPDATE_FLEXIBLE_COLUMNS"),
            ],
            &rows(true),
        );
        assert_eq!(find(&headers, "columns"), None);
        assert_eq!(find(&headers, "hidden_columns"), None);
        let headers = shown(&[("format", "json")], &Input::Raw { delete_sign: true });
        assert_eq!(find(&headers, "timezone"), None);
        assert_eq!(find(&headers, "columns"), None);
        assert_eq!(find(&headers, "hidden_columns"), Some("__DORIS_DELETE_SIGN__"));
    }
}
