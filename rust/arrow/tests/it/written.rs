//! Rows to be written: values by their Flink types, as arrays and as what JSON must say about them.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Float32Array, Float64Array,
    Int8Array, Int16Array, Int32Array, Int64Array, ListArray, MapArray, RecordBatch, StringArray,
    StructArray, TimestampMicrosecondArray,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, Field, Schema};
use chrono::{DateTime, NaiveDate};
use doris_arrow::encode::{Column, CsvOptions, Encoder, Format, JsonOptions};
use doris_arrow::error::Result;
use doris_arrow::normalize::Zone;
use doris_arrow::types::{DorisType, FlinkKind, FlinkType};
use proptest::prelude::*;
use serde_json::{Value, json};

/// One value; numbers of all widths, dates and times are integers.
#[derive(Clone, Debug)]
pub enum Val {
    Null,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    /// Items of an array, fields of a row, keys and values of a map in turn.
    Many(Vec<Val>),
}

pub fn text(text: &str) -> Val {
    Val::Text(text.to_owned())
}

/// `name`, Flink's type, Doris' type or nothing. The first column is the key.
pub fn columns(columns: &[(&str, &str, &str)]) -> Vec<Column> {
    columns
        .iter()
        .enumerate()
        .map(|(i, (name, flink, doris))| {
            let doris = (!doris.is_empty()).then(|| DorisType::parse(doris).unwrap());
            Column {
                name: (*name).to_owned(),
                flink: FlinkType::parse(flink).unwrap(),
                cast: matches!(
                    doris,
                    Some(DorisType::Array(_) | DorisType::Map(..) | DorisType::Struct(_))
                ),
                doris,
                sized: None,
                key: i == 0,
            }
        })
        .collect()
}

/// The batch with these rows.
pub fn batch(columns: &[Column], rows: &[Vec<Val>]) -> RecordBatch {
    let arrays: Vec<ArrayRef> = columns
        .iter()
        .enumerate()
        .map(|(i, column)| {
            let values: Vec<Val> = rows.iter().map(|row| row[i].clone()).collect();
            array(&column.flink, &values)
        })
        .collect();
    let fields: Vec<Field> = columns
        .iter()
        .zip(&arrays)
        .map(|(column, array)| Field::new(&column.name, array.data_type().clone(), true))
        .collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap()
}

/// The body of a load of these batches.
pub fn encode(format: &Format, columns: &[Column], batches: &[RecordBatch], zone: &str) -> Result<Vec<u8>> {
    let mut encoder = Encoder::new(format, columns.to_vec(), Zone::parse(zone).unwrap())?;
    let mut out = Vec::new();
    for batch in batches {
        encoder.encode(batch, &mut out)?;
    }
    encoder.finish(&mut out)?;
    Ok(out)
}

pub fn json() -> Format {
    Format::Json(JsonOptions {
        line_delimiter: b"\n".to_vec(),
        skip_nulls: false,
    })
}

pub fn csv(separator: &str, delimiter: &str, enclose: Option<u8>, escape: Option<u8>) -> Format {
    Format::Csv(CsvOptions {
        column_separator: separator.as_bytes().to_vec(),
        line_delimiter: delimiter.as_bytes().to_vec(),
        enclose,
        escape,
    })
}

/// An array of the canonical type.
pub fn array(flink: &FlinkType, values: &[Val]) -> ArrayRef {
    use FlinkKind as F;
    let int = |value: &Val| match value {
        Val::Int(value) => Some(*value),
        _ => None,
    };
    let float = |value: &Val| match value {
        Val::Float(value) => Some(*value),
        _ => None,
    };
    let ints = || values.iter().map(int);
    let nulls = || {
        let valid: NullBuffer = values.iter().map(|v| !matches!(v, Val::Null)).collect();
        (valid.null_count() > 0).then_some(valid)
    };
    let items = |value: &Val| match value {
        Val::Many(items) => items.clone(),
        _ => Vec::new(),
    };
    match &flink.kind {
        F::Boolean => Arc::new(BooleanArray::from_iter(values.iter().map(|v| match v {
            Val::Bool(value) => Some(*value),
            _ => None,
        }))),
        F::TinyInt => Arc::new(Int8Array::from_iter(ints().map(|v| v.map(|v| v as i8)))),
        F::SmallInt => Arc::new(Int16Array::from_iter(ints().map(|v| v.map(|v| v as i16)))),
        F::Int | F::Time(_) | F::IntervalYearMonth => {
            Arc::new(Int32Array::from_iter(ints().map(|v| v.map(|v| v as i32))))
        }
        F::BigInt | F::IntervalDayTime => {
            Arc::new(Int64Array::from_iter(ints().map(|v| v.map(|v| v as i64))))
        }
        F::Float => Arc::new(Float32Array::from_iter(
            values.iter().map(|v| float(v).map(|v| v as f32)),
        )),
        F::Double => Arc::new(Float64Array::from_iter(values.iter().map(float))),
        F::Decimal(p, s) => Arc::new(
            Decimal128Array::from_iter(ints())
                .with_precision_and_scale(*p, *s)
                .unwrap(),
        ),
        F::Char(_) | F::Varchar(_) => Arc::new(StringArray::from_iter(values.iter().map(|v| match v {
            Val::Text(text) => Some(text.as_str()),
            _ => None,
        }))),
        F::Binary(_) | F::Varbinary(_) => Arc::new(BinaryArray::from_iter(values.iter().map(|v| match v {
            Val::Bytes(bytes) => Some(bytes.as_slice()),
            _ => None,
        }))),
        F::Date => Arc::new(Date32Array::from_iter(ints().map(|v| v.map(|v| v as i32)))),
        F::Timestamp(_) | F::TimestampLtz(_) => Arc::new(TimestampMicrosecondArray::from_iter(
            ints().map(|v| v.map(|v| v as i64)),
        )),
        F::Array(item) => {
            let lists: Vec<Vec<Val>> = values.iter().map(items).collect();
            let array = array(item, &lists.concat());
            Arc::new(ListArray::new(
                Arc::new(Field::new("item", array.data_type().clone(), true)),
                OffsetBuffer::from_lengths(lists.iter().map(Vec::len)),
                array,
                nulls(),
            ))
        }
        F::Map(key, value) => map(key, value, &values.iter().map(items).collect::<Vec<_>>(), nulls()),
        F::Multiset(key) => {
            let count = FlinkType::parse("INT").unwrap();
            map(
                key,
                &count,
                &values.iter().map(items).collect::<Vec<_>>(),
                nulls(),
            )
        }
        F::Row(fields) if fields.is_empty() => Arc::new(StructArray::new_empty_fields(values.len(), nulls())),
        F::Row(fields) => {
            let rows: Vec<Vec<Val>> = values.iter().map(items).collect();
            let arrays: Vec<ArrayRef> = fields
                .iter()
                .enumerate()
                .map(|(i, field)| {
                    let column: Vec<Val> = rows
                        .iter()
                        .map(|row| row.get(i).cloned().unwrap_or(Val::Null))
                        .collect();
                    array(&field.r#type, &column)
                })
                .collect();
            let DataType::Struct(types) = flink.canonical().unwrap() else {
                panic!("a row is a struct");
            };
            Arc::new(StructArray::new(types, arrays, nulls()))
        }
        F::Other(text) => panic!("no values of {text}"),
    }
}

fn map(key: &FlinkType, value: &FlinkType, maps: &[Vec<Val>], nulls: Option<NullBuffer>) -> ArrayRef {
    let entries: Vec<&[Val]> = maps.iter().flat_map(|map| map.chunks(2)).collect();
    let keys = array(key, &entries.iter().map(|e| e[0].clone()).collect::<Vec<_>>());
    let values = array(value, &entries.iter().map(|e| e[1].clone()).collect::<Vec<_>>());
    let entries = StructArray::new(
        vec![
            Field::new("key", keys.data_type().clone(), false),
            Field::new("value", values.data_type().clone(), true),
        ]
        .into(),
        vec![keys, values],
        None,
    );
    Arc::new(MapArray::new(
        Arc::new(Field::new("entries", entries.data_type().clone(), false)),
        OffsetBuffer::from_lengths(maps.iter().map(|map| map.len() / 2)),
        entries,
        nulls,
        false,
    ))
}

/// The text of a scalar, made by other means than the encoder's.
pub fn plain(flink: &FlinkType, value: &Val) -> String {
    use FlinkKind as F;
    match (&flink.kind, value) {
        (_, Val::Bool(value)) => value.to_string(),
        (_, Val::Text(text)) => text.clone(),
        (F::Float, Val::Float(value)) => zmij::Buffer::new().format_finite(*value as f32).to_owned(),
        (_, Val::Float(value)) => zmij::Buffer::new().format_finite(*value).to_owned(),
        (F::Decimal(_, scale), Val::Int(value)) if *scale > 0 => {
            let unit = 10i128.pow(*scale as u32);
            format!(
                "{}{}.{:0width$}",
                if *value < 0 { "-" } else { "" },
                (value / unit).abs(),
                (value % unit).abs(),
                width = *scale as usize
            )
        }
        (F::Date, Val::Int(days)) => (NaiveDate::default() + chrono::TimeDelta::days(*days as i64))
            .format("%Y-%m-%d")
            .to_string(),
        (F::Timestamp(digits) | F::TimestampLtz(digits), Val::Int(micros)) => {
            let at = DateTime::from_timestamp_micros(*micros as i64)
                .unwrap()
                .naive_utc();
            let text = at.format("%Y-%m-%d %H:%M:%S%.6f").to_string();
            let cut = if *digits == 0 { 7 } else { 6 - usize::from(*digits) };
            text[..text.len() - cut].to_owned()
        }
        (F::Time(_), Val::Int(millis)) => {
            let at = DateTime::from_timestamp_millis(*millis as i64).unwrap();
            at.format("%H:%M:%S%.3f").to_string()
        }
        (_, Val::Int(value)) => value.to_string(),
        (_, Val::Bytes(bytes)) => bytes.iter().map(|b| format!("{b:02X}")).collect(),
        (kind, value) => panic!("{value:?} is no {kind}"),
    }
}

/// What JSON must say: numbers and Booleans as such.
pub fn document(flink: &FlinkType, value: &Val) -> Value {
    use FlinkKind as F;
    match (&flink.kind, value) {
        (_, Val::Null) => Value::Null,
        (F::Boolean, Val::Bool(value)) => json!(value),
        (F::Decimal(_, _), Val::Int(_)) => serde_json::from_str(&plain(flink, value)).unwrap(),
        (F::TinyInt | F::SmallInt | F::Int | F::BigInt, Val::Int(value)) => json!(*value as i64),
        // The same reader on both sides, since it is not exact; that the texts are is tested beside the encoder.
        (F::Float | F::Double, Val::Float(_)) => serde_json::from_str(&plain(flink, value)).unwrap(),
        (F::Array(item), Val::Many(items)) => items.iter().map(|i| document(item, i)).collect(),
        (F::Map(key, item), Val::Many(entries)) => entries
            .chunks(2)
            .map(|entry| (plain(key, &entry[0]), document(item, &entry[1])))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        (F::Row(fields), Val::Many(values)) => fields
            .iter()
            .zip(values)
            .map(|(field, value)| (field.name.clone(), document(&field.r#type, value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        _ => Value::String(plain(flink, value)),
    }
}

/// A text as Doris casts it to a nested type: as JSON, but what stands behind a backslash means itself, and so does all else.
pub fn cast(text: &str) -> Value {
    let (mut document, mut inside, mut chars) = (String::new(), false, text.chars());
    while let Some(c) = chars.next() {
        let meant = match c {
            '\\' if inside => chars.next().unwrap_or(c),
            '"' => {
                inside = !inside;
                document.push(c);
                continue;
            }
            c => c,
        };
        match meant {
            '"' | '\\' => document.extend(['\\', meant]),
            c if c < ' ' => document.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => document.push(c),
        }
    }
    serde_json::from_str(&document).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// Types with values: scalars of all kinds, and arrays, maps and rows of them.
pub fn typed_values(rows: usize) -> BoxedStrategy<(String, String, Vec<Val>)> {
    scalar()
        .prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                (inner.clone(), 0..4usize).prop_map(|((flink, doris, value), count)| (
                    format!("ARRAY<{flink}>"),
                    format!("array<{doris}>"),
                    prop::collection::vec(value, 0..=count)
                        .prop_map(Val::Many)
                        .boxed()
                )),
                (inner.clone(), 0..3usize).prop_map(|((flink, doris, value), count)| (
                    format!("MAP<STRING, {flink}>"),
                    format!("map<string,{doris}>"),
                    prop::collection::vec((any::<String>().prop_map(Val::Text), value), 0..=count)
                        .prop_map(|entries| Val::Many(
                            entries.into_iter().flat_map(|(k, v)| [k, v]).collect()
                        ))
                        .boxed()
                )),
                (inner.clone(), inner).prop_map(|((f1, d1, v1), (f2, d2, v2))| (
                    format!("ROW<`a` {f1}, `b c` {f2}>"),
                    format!("struct<a:{d1},`b c`:{d2}>"),
                    (v1, v2).prop_map(|(a, b)| Val::Many(vec![a, b])).boxed()
                )),
            ]
        })
        .prop_flat_map(move |(flink, doris, value)| {
            (
                Just(flink),
                Just(doris),
                prop::collection::vec(prop_oneof![4 => value, 1 => Just(Val::Null)], rows..=rows),
            )
        })
        .boxed()
}

fn scalar() -> impl Strategy<Value = (String, String, BoxedStrategy<Val>)> {
    let ints = |low: i128, high: i128| (low..=high).prop_map(Val::Int).boxed();
    let of =
        |flink: &str, doris: &str, values: BoxedStrategy<Val>| (flink.to_owned(), doris.to_owned(), values);
    prop::sample::select(vec![
        of("BOOLEAN", "boolean", any::<bool>().prop_map(Val::Bool).boxed()),
        of("TINYINT", "tinyint", ints(-128, 127)),
        of("SMALLINT", "smallint", ints(-32768, 32767)),
        of("INT", "int", ints(i32::MIN.into(), i32::MAX.into())),
        of("BIGINT", "bigint", ints(i64::MIN.into(), i64::MAX.into())),
        of(
            "FLOAT",
            "float",
            prop::num::f32::NORMAL.prop_map(|v| Val::Float(v.into())).boxed(),
        ),
        of(
            "DOUBLE",
            "double",
            prop::num::f64::NORMAL.prop_map(Val::Float).boxed(),
        ),
        of(
            "DECIMAL(12, 3)",
            "decimal(12,3)",
            ints(-999_999_999_999, 999_999_999_999),
        ),
        of("STRING", "string", any::<String>().prop_map(Val::Text).boxed()),
        of(
            "STRING",
            "varchar(20)",
            r#"[\t\n\r",\\'|N{}:\x00-\x1f a]{0,8}"#.prop_map(Val::Text).boxed(),
        ),
        of("DATE", "date", ints(-719_162, 2_932_896)),
        of("TIME(3)", "string", ints(0, 86_399_999)),
        of(
            "TIMESTAMP(6)",
            "datetime(6)",
            ints(-62_135_596_800_000_000, 253_402_300_799_999_999),
        ),
        of(
            "TIMESTAMP(3)",
            "datetime(3)",
            ints(-62_135_596_800_000_000, 253_402_300_799_999_999),
        ),
        of(
            "TIMESTAMP_LTZ(0)",
            "datetime",
            ints(-62_135_596_800_000_000, 253_402_300_799_999_999),
        ),
        of(
            "BYTES",
            "varbinary",
            prop::collection::vec(any::<u8>(), 0..9)
                .prop_map(Val::Bytes)
                .boxed(),
        ),
    ])
}
