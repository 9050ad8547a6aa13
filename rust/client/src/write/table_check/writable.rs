//! Which Flink type may be written to which column. Refused is what the server could only take by dropping digits or
//! by making NULL of it without a word; texts are taken everywhere, since reading them is the server's own business.

use doris_arrow::types::{DorisType, FlinkKind, FlinkType};

use crate::fe::TableColumn;

/// What kind of values a column takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Boolean,
    /// By rank: 0 for TINYINT to 4 for LARGEINT.
    Integer(u8),
    Float,
    Double,
    /// Digits before and after the point, where known.
    Decimal(Option<(i16, i16)>),
    Date,
    DateTime,
    Time,
    Text,
    Document,
    Address,
    Bytes,
    Array,
    Map,
    Struct,
    /// Made by functions only.
    Aggregate,
    /// A type that this version does not know.
    Unknown,
}

/// Whether values of the type may be written to the column; the error says what may be. `exact`: whether the server
/// takes numbers in the column's own type only.
pub(super) fn check(flink: &FlinkType, column: &TableColumn, exact: bool) -> Result<(), String> {
    use Class as C;
    use FlinkKind as F;
    let class = class(column);
    let integer = |rank: u8| match class {
        C::Integer(wide) => rank == wide || (rank < wide && !exact),
        C::Boolean | C::Float | C::Double | C::Decimal(_) => !exact,
        C::Text | C::Document => true,
        _ => false,
    };
    let fits = match (&flink.kind, class) {
        (F::Other(_), _) => false,
        (_, C::Unknown) => true,
        (F::Char(_) | F::Varchar(_), C::Aggregate) => false,
        (F::Char(_) | F::Varchar(_), C::Text | C::Document | C::Address | C::Integer(4) | C::Bytes) => true,
        (F::Char(_) | F::Varchar(_), _) => !exact,
        (F::Boolean, C::Boolean | C::Text | C::Document) => true,
        (F::Boolean, C::Integer(_)) => !exact,
        (F::TinyInt, _) => integer(0),
        (F::SmallInt, _) => integer(1),
        (F::Int | F::IntervalYearMonth, _) => integer(2),
        (F::BigInt | F::IntervalDayTime, _) => integer(3) || class == C::Integer(4),
        (F::Float, C::Float | C::Text | C::Document) => true,
        (F::Float, C::Double | C::Decimal(_)) => !exact,
        (F::Double, C::Double | C::Text | C::Document) => true,
        (F::Double, C::Decimal(_)) => !exact,
        (F::Decimal(p, s), C::Decimal(Some((digits, scale)))) => {
            i16::from(*s) <= scale && i16::from(*p) - i16::from(*s) <= digits
        }
        (F::Decimal(_, _), C::Decimal(None) | C::Text | C::Document) => true,
        (F::Decimal(_, 0), C::Integer(4)) => true,
        (F::Decimal(_, _), C::Double) => !exact,
        (F::Date, C::Date | C::Text) => true,
        (F::Date, C::DateTime) => !exact,
        (F::Time(_), C::Time | C::Text) => true,
        (F::Timestamp(_) | F::TimestampLtz(_), C::DateTime | C::Text) => true,
        (F::Binary(_) | F::Varbinary(_), C::Bytes | C::Text) => true,
        (F::Array(_), C::Array | C::Document | C::Text) => true,
        (F::Map(_, _) | F::Multiset(_), C::Map | C::Document | C::Text) => true,
        (F::Row(_), C::Struct | C::Document | C::Text) => true,
        _ => false,
    };
    if fits { Ok(()) } else { Err(allowed(class, exact)) }
}

fn class(column: &TableColumn) -> Class {
    use DorisType as D;
    match (&column.r#type, column.type_name.as_str()) {
        (Some(D::Boolean), _) => Class::Boolean,
        (Some(D::TinyInt), _) => Class::Integer(0),
        (Some(D::SmallInt), _) => Class::Integer(1),
        (Some(D::Int), _) => Class::Integer(2),
        (Some(D::BigInt), _) => Class::Integer(3),
        (Some(D::LargeInt), _) => Class::Integer(4),
        (Some(D::Float), _) => Class::Float,
        (Some(D::Double), _) => Class::Double,
        (Some(D::Decimal(p, s)), name) => {
            // Without its numbers the name alone does not decide.
            let told = name != "DECIMALV2" && (*p, *s) != (38, 9);
            Class::Decimal(told.then(|| (i16::from(*p) - i16::from(*s), i16::from(*s))))
        }
        (Some(D::Date), _) => Class::Date,
        (Some(D::DateTime(_) | D::TimestampTz(_) | D::TimestampNs), _) => Class::DateTime,
        (Some(D::Time(_)), _) => Class::Time,
        (Some(D::Char(_) | D::Varchar(_) | D::String), _) => Class::Text,
        (Some(D::Json | D::Variant), _) => Class::Document,
        (Some(D::Ipv4 | D::Ipv6 | D::Uuid), _) => Class::Address,
        (Some(D::Varbinary(_)), _) => Class::Bytes,
        (Some(D::Array(_)), _) | (_, "ARRAY") => Class::Array,
        (Some(D::Map(_, _)), _) | (_, "MAP") => Class::Map,
        (Some(D::Struct(_)), _) | (_, "STRUCT") => Class::Struct,
        (Some(D::Bitmap | D::Hll | D::QuantileState | D::AggState), _) => Class::Aggregate,
        _ => Class::Unknown,
    }
}

/// What may be declared for such a column.
fn allowed(class: Class, exact: bool) -> String {
    let integers = ["TINYINT", "SMALLINT", "INT", "BIGINT", "DECIMAL(38, 0)"];
    let text = |own: &str| {
        if exact {
            own.to_owned()
        } else {
            format!("{own}, STRING")
        }
    };
    match class {
        Class::Boolean if exact => "BOOLEAN".to_owned(),
        Class::Boolean => "BOOLEAN, integers, STRING".to_owned(),
        Class::Integer(4) => "integers, DECIMAL(p, 0), STRING".to_owned(),
        Class::Integer(rank) if exact => integers[usize::from(rank)].to_owned(),
        Class::Integer(rank) => {
            let mut list = integers[..=usize::from(rank)].to_vec();
            list.extend(["BOOLEAN", "STRING"]);
            list.join(", ")
        }
        Class::Float if exact => "FLOAT".to_owned(),
        Class::Float => "FLOAT, integers, STRING".to_owned(),
        Class::Double if exact => "DOUBLE".to_owned(),
        Class::Double => "DOUBLE, FLOAT, DECIMAL, integers, STRING".to_owned(),
        Class::Decimal(Some((digits, scale))) => format!(
            "DECIMAL with at most {digits} digits before and {scale} after the point{}",
            if exact { "" } else { ", FLOAT, DOUBLE, integers, STRING" }
        ),
        Class::Decimal(None) => text("DECIMAL"),
        Class::Date => text("DATE"),
        Class::DateTime => text("TIMESTAMP, TIMESTAMP_LTZ"),
        Class::Time => text("TIME"),
        Class::Text => "any type but RAW and structured types".to_owned(),
        Class::Document => "STRING, ROW, MAP, MULTISET, ARRAY, numbers, BOOLEAN".to_owned(),
        Class::Address => "STRING".to_owned(),
        Class::Bytes => "BYTES, BINARY, VARBINARY, STRING".to_owned(),
        Class::Array => text("ARRAY"),
        Class::Map => text("MAP, MULTISET"),
        Class::Struct => text("ROW"),
        Class::Aggregate => {
            "a column of another name from which sink.properties.columns derives it, such as users=to_bitmap(user_id)".to_owned()
        }
        Class::Unknown => "any type but RAW and structured types".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str) -> TableColumn {
        TableColumn {
            name: "c".to_owned(),
            type_name: name.to_owned(),
            r#type: DorisType::parse(name).ok(),
            key: false,
            sized: None,
        }
    }

    #[test]
    fn what_fits_and_what_would_be_lost() {
        for (flink, doris, fits) in [
            ("BIGINT", "BIGINT", true),
            ("INT", "BIGINT", true),
            ("BIGINT", "INT", false),
            ("BIGINT", "LARGEINT", true),
            ("STRING", "INT", true),
            ("DOUBLE", "FLOAT", false),
            ("DECIMAL(10, 2)", "DECIMAL64(10,2)", true),
            ("DECIMAL(10, 2)", "DECIMAL64(12,4)", true),
            ("DECIMAL(12, 2)", "DECIMAL64(10,2)", false),
            ("DATE", "DATETIMEV2", true),
            ("TIMESTAMP(3)", "DATEV2", false),
            ("TIMESTAMP_LTZ(3)", "TIMESTAMPTZ", true),
            ("ARRAY<INT>", "ARRAY", true),
            ("ARRAY<INT>", "MAP", false),
            ("MULTISET<STRING>", "JSON", true),
            ("ROW<`a` INT>", "STRUCT", true),
            ("ROW<`a` INT>", "INT", false),
            ("BYTES", "VARBINARY", true),
            ("STRING", "BITMAP", false),
            ("RAW('a', 'b')", "STRING", false),
            ("INTERVAL DAY TO SECOND(3)", "BIGINT", true),
            ("STRING", "SOMETHING_NEW", true),
        ] {
            let flink_type = FlinkType::parse(flink).unwrap();
            let checked = check(&flink_type, &column(doris), false);
            assert_eq!(checked.is_ok(), fits, "{flink} -> {doris}: {checked:?}");
        }
        for (flink, doris, fits) in [
            ("INT", "INT", true),
            ("INT", "BIGINT", false),
            ("STRING", "INT", false),
            ("STRING", "LARGEINT", true),
            ("TIMESTAMP(6)", "DATETIMEV2", true),
            ("INT", "STRING", true),
        ] {
            let flink_type = FlinkType::parse(flink).unwrap();
            let checked = check(&flink_type, &column(doris), true);
            assert_eq!(checked.is_ok(), fits, "{flink} -> {doris} in Arrow: {checked:?}");
        }
    }
}
