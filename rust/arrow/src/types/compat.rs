//! Which Doris type may be read as which Flink type, and as what the server must deliver it for that.

use super::doris::{DorisField, DorisType, UNBOUNDED_VARCHAR};
use super::flink::{FlinkField, FlinkKind, FlinkType, MAX_LENGTH};

/// The type that the server must deliver so that a column of type `doris` can be read as `flink`: `doris` itself, or
/// the target of a `CAST` where the text has to be Doris' own. When the pair does not fit, the error names what is
/// allowed.
pub fn select_type(doris: &DorisType, flink: &FlinkType) -> Result<DorisType, String> {
    select(doris, flink, true)
}

fn select(doris: &DorisType, flink: &FlinkType, top: bool) -> Result<DorisType, String> {
    use DorisType as D;
    use FlinkKind as F;
    let own = || Ok(doris.clone());
    let refuse = || Err(allowed(doris));
    match (doris, &flink.kind) {
        (D::Null, F::Other(_) | F::Multiset(_) | F::IntervalYearMonth | F::IntervalDayTime) => refuse(),
        (D::Null, _) if flink.nullable => own(),
        (D::Boolean, F::Boolean) => own(),
        (D::TinyInt, F::TinyInt | F::SmallInt | F::Int | F::BigInt) => own(),
        (D::SmallInt, F::SmallInt | F::Int | F::BigInt) => own(),
        (D::Int, F::Int | F::BigInt) => own(),
        (D::BigInt, F::BigInt) => own(),
        (D::LargeInt, F::Decimal(38, 0)) => own(),
        (D::LargeInt, F::Varchar(_)) if holds_text(doris, flink) => own(),
        (D::Float, F::Float | F::Double) => own(),
        (D::Double, F::Double) => own(),
        (D::Decimal(p, s), F::Decimal(wp, ws)) if *p <= 38 => {
            let digits = i16::from(*p) - i16::from(*s);
            if ws >= s && i16::from(*wp) - i16::from(*ws) >= digits {
                own()
            } else {
                refuse()
            }
        }
        (D::Decimal(p, s), F::Decimal(38, ws)) if *p > 38 && ws == s => own(),
        // Deterministic texts: by the server at the top, where a CAST is simple, and here inside nested types.
        (D::Decimal(p, _), F::Varchar(_)) if *p > 38 && holds_text(doris, flink) => as_text(doris, top),
        (D::Date, F::Date) => own(),
        (D::Date, F::Varchar(_)) if holds_text(doris, flink) => as_text(doris, top),
        (D::DateTime(s), F::Timestamp(p) | F::TimestampLtz(p)) if p >= s => own(),
        (D::DateTime(_), F::Varchar(_)) if holds_text(doris, flink) => as_text(doris, top),
        (D::TimestampTz(s), F::Timestamp(p) | F::TimestampLtz(p)) if p >= s => own(),
        // The text shows the session's zone, so it is always the server's.
        (D::TimestampTz(_), F::Varchar(_)) if holds_text(doris, flink) => Ok(D::String),
        (D::TimestampNs, F::Timestamp(9)) => own(),
        (D::TimestampNs, F::Varchar(_)) if holds_text(doris, flink) => Ok(D::String),
        // As a number its unit depends on the version of the server; its text does not.
        (D::Time(s), F::Time(p)) if p >= s && *p <= 3 => Ok(D::String),
        (D::Time(_), F::Double) => Ok(D::String),
        (D::Time(_), F::Varchar(_)) if holds_text(doris, flink) => Ok(D::String),
        (D::Char(_) | D::Varchar(_), F::Varchar(_)) if holds_text(doris, flink) => own(),
        (D::Char(_), F::Char(_)) if holds_text(doris, flink) => own(),
        (D::String | D::Json, F::Varchar(MAX_LENGTH)) => own(),
        (D::String, F::Varbinary(MAX_LENGTH)) => own(),
        // Its Arrow form differs by version; its text does not.
        (D::Variant, F::Varchar(MAX_LENGTH)) => Ok(D::String),
        (D::Ipv4, F::BigInt) => own(),
        (D::Ipv4 | D::Ipv6 | D::Uuid, F::Varchar(_)) if holds_text(doris, flink) => as_text(doris, top),
        (D::Array(_) | D::Map(_, _) | D::Struct(_), F::Varchar(MAX_LENGTH)) => Ok(D::String),
        (D::Array(item), F::Array(wanted)) => Ok(D::Array(Box::new(select(item, wanted, false)?))),
        (D::Map(key, value), F::Map(wanted_key, wanted_value)) => Ok(D::Map(
            Box::new(select(key, wanted_key, false)?),
            Box::new(select(value, wanted_value, false)?),
        )),
        (D::Struct(fields), F::Row(wanted)) => select_fields(fields, wanted),
        (D::Struct(fields), F::Map(key, value)) if is_string(key) && is_string(value) => Ok(D::Struct(
            fields
                .iter()
                .map(|f| DorisField {
                    name: f.name.clone(),
                    r#type: if is_text(&f.r#type) {
                        f.r#type.clone()
                    } else {
                        D::String
                    },
                })
                .collect(),
        )),
        (D::Bitmap | D::Hll | D::QuantileState, F::Varbinary(MAX_LENGTH)) => own(),
        (D::Varbinary(n), F::Varbinary(m)) if *m == MAX_LENGTH || m >= n => own(),
        _ => refuse(),
    }
}

/// For each wanted field of a `ROW` the place of its field in a `STRUCT`: by name, exactly first and then in any case;
/// if a name is missing and both have the same number of fields, by position. An error names the missing field.
pub fn match_fields(names: &[&str], wanted: &[FlinkField]) -> Result<Vec<usize>, String> {
    let by_name: Result<Vec<usize>, &str> = wanted
        .iter()
        .map(|field| {
            names
                .iter()
                .position(|name| *name == field.name)
                .or_else(|| {
                    names
                        .iter()
                        .position(|name| name.eq_ignore_ascii_case(&field.name))
                })
                .ok_or(field.name.as_str())
        })
        .collect();
    match by_name {
        Ok(places) => Ok(places),
        Err(_) if names.len() == wanted.len() => Ok((0..wanted.len()).collect()),
        Err(missing) => Err(format!(
            "a ROW of fields among {} (it has no field '{missing}')",
            names.join(", ")
        )),
    }
}

fn select_fields(fields: &[DorisField], wanted: &[FlinkField]) -> Result<DorisType, String> {
    let names: Vec<&str> = fields.iter().map(|f| f.name.as_str()).collect();
    let places = match_fields(&names, wanted)?;
    let mut selected = fields.to_vec();
    for (place, want) in places.iter().zip(wanted) {
        selected[*place].r#type = select(&fields[*place].r#type, &want.r#type, false)
            .map_err(|allowed| format!("a ROW whose field '{}' is {allowed}", want.name))?;
    }
    Ok(DorisType::Struct(selected))
}

fn as_text(doris: &DorisType, top: bool) -> Result<DorisType, String> {
    Ok(if top { DorisType::String } else { doris.clone() })
}

fn is_string(flink: &FlinkType) -> bool {
    flink.kind == FlinkKind::Varchar(MAX_LENGTH)
}

/// Types that arrive as their own text in every version.
fn is_text(doris: &DorisType) -> bool {
    matches!(
        doris,
        DorisType::Char(_) | DorisType::Varchar(_) | DorisType::String | DorisType::Json
    )
}

/// Whether every text of the Doris type fits into the declared length. Doris counts bytes, Flink characters, so a
/// length that is as large always suffices.
fn holds_text(doris: &DorisType, flink: &FlinkType) -> bool {
    let declared = match flink.kind {
        FlinkKind::Char(n) | FlinkKind::Varchar(n) => n,
        _ => return false,
    };
    let longest = match doris {
        DorisType::Char(n) => *n,
        DorisType::Varchar(n) if *n < UNBOUNDED_VARCHAR => *n,
        DorisType::LargeInt => 40,
        DorisType::Decimal(p, _) => u32::from(*p) + 3,
        DorisType::Date => 10,
        DorisType::DateTime(_) => 26,
        DorisType::TimestampTz(_) | DorisType::TimestampNs => 40,
        DorisType::Time(_) => 18,
        DorisType::Ipv4 => 15,
        DorisType::Ipv6 => 45,
        DorisType::Uuid => 36,
        _ => MAX_LENGTH,
    };
    declared >= longest
}

/// What a column of this type may be declared as, for messages.
fn allowed(doris: &DorisType) -> String {
    use DorisType as D;
    match doris {
        D::Null => "any nullable type".into(),
        D::Boolean => "BOOLEAN".into(),
        D::TinyInt => "TINYINT, SMALLINT, INT or BIGINT".into(),
        D::SmallInt => "SMALLINT, INT or BIGINT".into(),
        D::Int => "INT or BIGINT".into(),
        D::BigInt => "BIGINT".into(),
        D::LargeInt => "STRING or DECIMAL(38, 0)".into(),
        D::Float => "FLOAT or DOUBLE".into(),
        D::Double => "DOUBLE".into(),
        D::Decimal(p, s) if *p <= 38 => {
            format!(
                "DECIMAL({p}, {s}) or one with at least {s} digits after and {} before the point",
                i16::from(*p) - i16::from(*s)
            )
        }
        D::Decimal(_, s) if *s <= 38 => format!("STRING or DECIMAL(38, {s})"),
        D::Decimal(_, _) => "STRING".into(),
        D::Date => "DATE or STRING".into(),
        D::DateTime(s) | D::TimestampTz(s) => {
            format!("TIMESTAMP(p) or TIMESTAMP_LTZ(p) with p >= {s}, or STRING")
        }
        D::TimestampNs => "TIMESTAMP(9) or STRING".into(),
        D::Time(s) if *s <= 3 => format!("TIME(p) with {s} <= p <= 3, STRING or DOUBLE"),
        D::Time(_) => "STRING or DOUBLE".into(),
        D::Char(n) => format!("CHAR({n}), VARCHAR({n}), longer ones or STRING"),
        D::Varchar(n) if *n < UNBOUNDED_VARCHAR => format!("VARCHAR({n}), a longer one or STRING"),
        D::String => "STRING or BYTES".into(),
        D::Varchar(_) | D::Json | D::Variant | D::Ipv6 | D::Uuid => "STRING".into(),
        D::Ipv4 => "STRING or BIGINT".into(),
        D::Array(item) => format!("ARRAY of ({}), or STRING", allowed(item)),
        D::Map(key, value) => format!("MAP of ({}) to ({}), or STRING", allowed(key), allowed(value)),
        D::Struct(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|f| format!("{} ({})", f.name, allowed(&f.r#type)))
                .collect();
            format!("ROW of {}, MAP<STRING, STRING> or STRING", fields.join(", "))
        }
        D::Bitmap | D::Hll | D::QuantileState => "BYTES".into(),
        D::Varbinary(n) if *n < MAX_LENGTH => format!("VARBINARY({n}), a longer one or BYTES"),
        D::Varbinary(_) => "BYTES".into(),
        D::AggState => "nothing: read it through a view that applies a merge function".into(),
        D::Other(_) => "nothing: this type is not supported yet".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(doris: &str, flink: &str) -> Result<String, String> {
        select_type(
            &DorisType::parse(doris).unwrap(),
            &FlinkType::parse(flink).unwrap(),
        )
        .map(|t| t.to_string())
    }

    #[test]
    fn what_fits_and_what_the_server_delivers() {
        for (doris, flink, delivered) in [
            ("int", "BIGINT", "INT"),
            ("largeint", "DECIMAL(38, 0)", "LARGEINT"),
            ("decimal(10,2)", "DECIMAL(12, 4)", "DECIMAL(10,2)"),
            ("decimal(50,10)", "STRING", "STRING"),
            ("decimal(50,10)", "DECIMAL(38, 10)", "DECIMAL(50,10)"),
            ("date", "STRING", "STRING"),
            ("datetime(3)", "TIMESTAMP(3)", "DATETIME(3)"),
            ("datetime(3)", "TIMESTAMP_LTZ(6)", "DATETIME(3)"),
            ("timestamptz(6)", "TIMESTAMP(6)", "TIMESTAMPTZ(6)"),
            ("time(3)", "TIME(3)", "STRING"),
            ("array<time(3)>", "ARRAY<DOUBLE>", "ARRAY<STRING>"),
            ("varchar(50)", "VARCHAR(50)", "VARCHAR(50)"),
            ("varchar(65533)", "STRING", "VARCHAR(65533)"),
            ("text", "BYTES", "STRING"),
            ("variant", "STRING", "STRING"),
            ("ipv4", "BIGINT", "IPV4"),
            ("ipv4", "STRING", "STRING"),
            ("array<date>", "ARRAY<STRING>", "ARRAY<DATE>"),
            ("array<array<int>>", "ARRAY<STRING>", "ARRAY<STRING>"),
            (
                "struct<a:int,b:text>",
                "MAP<STRING, STRING>",
                "STRUCT<a:STRING,b:STRING>",
            ),
            (
                "struct<a:int,b:text>",
                "ROW<`B` STRING>",
                "STRUCT<a:INT,b:STRING>",
            ),
            (
                "struct<a:int,b:text>",
                "ROW<`x` INT, `y` STRING>",
                "STRUCT<a:INT,b:STRING>",
            ),
            ("bitmap", "BYTES", "BITMAP"),
        ] {
            assert_eq!(case(doris, flink).as_deref(), Ok(delivered), "{doris} as {flink}");
        }
    }

    #[test]
    fn what_does_not_fit_names_what_would() {
        for (doris, flink, allowed) in [
            ("bigint", "INT", "BIGINT"),
            ("text", "INT", "STRING or BYTES"),
            ("int", "STRING", "INT or BIGINT"),
            (
                "decimal(10,2)",
                "DECIMAL(10, 3)",
                "at least 2 digits after and 8 before",
            ),
            ("datetime(6)", "TIMESTAMP(3)", "p >= 6"),
            ("time(6)", "TIME(3)", "STRING or DOUBLE"),
            ("varchar(50)", "VARCHAR(20)", "VARCHAR(50)"),
            ("agg_state<sum(int)>", "BYTES", "nothing"),
            ("struct<a:int>", "ROW<`x` INT, `y` INT>", "no field 'x'"),
            ("array<bigint>", "ARRAY<INT>", "BIGINT"),
            ("geometry", "STRING", "not supported yet"),
        ] {
            let message = case(doris, flink).unwrap_err();
            assert!(message.contains(allowed), "{doris} as {flink}: {message}");
        }
    }
}
