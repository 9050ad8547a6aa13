//! The Flink type that a column is read as when none was declared.

use super::doris::DorisType;
use super::flink::{FlinkField, FlinkKind, FlinkType, MAX_LENGTH};

/// The type that keeps every value of `doris`, nullable at every level; `None` for what cannot be read at all.
/// Instants become the wall clock of the reading zone, what Flink has no type for becomes text.
pub fn natural_type(doris: &DorisType) -> Option<FlinkType> {
    use DorisType as D;
    use FlinkKind as F;
    let kind = match doris {
        D::Boolean => F::Boolean,
        D::TinyInt => F::TinyInt,
        D::SmallInt => F::SmallInt,
        D::Int => F::Int,
        D::BigInt => F::BigInt,
        D::Float => F::Float,
        D::Double => F::Double,
        D::Decimal(p, s) if *p <= 38 => F::Decimal(*p, *s),
        D::Date => F::Date,
        D::DateTime(s) | D::TimestampTz(s) => F::Timestamp(*s),
        D::TimestampNs => F::Timestamp(9),
        D::Null
        | D::LargeInt
        | D::Decimal(_, _)
        | D::Time(_)
        | D::Char(_)
        | D::Varchar(_)
        | D::String
        | D::Json
        | D::Variant
        | D::Ipv4
        | D::Ipv6
        | D::Uuid => F::Varchar(MAX_LENGTH),
        D::Bitmap | D::Hll | D::QuantileState | D::Varbinary(_) => F::Varbinary(MAX_LENGTH),
        D::Array(item) => F::Array(Box::new(natural_type(item)?)),
        D::Map(key, value) => F::Map(Box::new(natural_type(key)?), Box::new(natural_type(value)?)),
        D::Struct(fields) => F::Row(
            fields
                .iter()
                .map(|field| {
                    Some(FlinkField {
                        name: field.name.clone(),
                        r#type: natural_type(&field.r#type)?,
                    })
                })
                .collect::<Option<_>>()?,
        ),
        D::AggState | D::Other(_) => return None,
    };
    Some(FlinkType { kind, nullable: true })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::select_type;

    /// What is chosen here is among what a user may declare, and its text is read again as the same type.
    #[test]
    fn every_readable_type_has_one_that_fits() {
        for (text, expected) in [
            ("boolean", "BOOLEAN"),
            ("tinyint", "TINYINT"),
            ("smallint", "SMALLINT"),
            ("int", "INT"),
            ("bigint", "BIGINT"),
            ("largeint", "STRING"),
            ("float", "FLOAT"),
            ("double", "DOUBLE"),
            ("decimalv3(27,9)", "DECIMAL(27, 9)"),
            ("decimalv3(76,30)", "STRING"),
            ("date", "DATE"),
            ("datetime", "TIMESTAMP(0)"),
            ("datetimev2(6)", "TIMESTAMP(6)"),
            ("timestamptz(3)", "TIMESTAMP(3)"),
            ("time(6)", "STRING"),
            ("char(3)", "STRING"),
            ("varchar(20)", "STRING"),
            ("string", "STRING"),
            ("json", "STRING"),
            ("variant", "STRING"),
            ("ipv4", "STRING"),
            ("ipv6", "STRING"),
            ("bitmap", "BYTES"),
            ("hll", "BYTES"),
            ("array<array<datetimev2(3)>>", "ARRAY<ARRAY<TIMESTAMP(3)>>"),
            ("map<string,largeint>", "MAP<STRING, STRING>"),
            (
                "struct<a:int,`b c`:map<int,date>>",
                "ROW<`a` INT, `b c` MAP<INT, DATE>>",
            ),
        ] {
            let doris = DorisType::parse(text).unwrap();
            let natural = natural_type(&doris).unwrap_or_else(|| panic!("{text} is not readable"));
            assert_eq!(natural.to_string(), expected, "{text}");
            assert_eq!(FlinkType::parse(expected).unwrap(), natural, "{text}");
            select_type(&doris, &natural).unwrap_or_else(|allowed| panic!("{text}: {allowed}"));
        }
    }

    #[test]
    fn what_cannot_be_read_has_none() {
        for doris in [DorisType::AggState, DorisType::Other("cube".into())] {
            assert_eq!(natural_type(&doris), None);
            assert_eq!(natural_type(&DorisType::Array(Box::new(doris))), None);
        }
    }
}
