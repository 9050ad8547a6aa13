//! One value in every form of a body, beside the same value inserted.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Decimal128Array, Int32Array, LargeStringArray, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{Field, Schema};

use super::{all, load};
use crate::sql::tests::Fixture;

/// The bytes of an Arrow stream of one batch.
pub(super) fn stream(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, array)| Field::new(*name, array.data_type().clone(), true))
        .collect();
    let schema = Arc::new(Schema::new(fields));
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    let batch = RecordBatch::try_new(schema.clone(), arrays).unwrap();
    let mut writer = StreamWriter::try_new(Vec::new(), &schema).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

/// Loads one value in each form beside an inserted one, and gives what is stored.
pub(super) struct Case {
    doris_type: &'static str,
    /// In `VALUES`.
    literal: &'static str,
    csv: &'static str,
    json: &'static str,
    arrow: Vec<ArrayRef>,
}

pub(super) fn case(
    doris_type: &'static str,
    literal: &'static str,
    csv: &'static str,
    json: &'static str,
    arrow: impl Into<Vec<ArrayRef>>,
) -> Case {
    Case {
        doris_type,
        literal,
        csv,
        json,
        arrow: arrow.into(),
    }
}

impl Case {
    pub(super) async fn check(&self, f: &mut Fixture) {
        f.run("DROP TABLE IF EXISTS x").await;
        f.run(&format!(
            "CREATE TABLE x (id INT, v {}) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1",
            self.doris_type
        ))
        .await;
        f.run(&format!("INSERT INTO x VALUES (0, {})", self.literal))
            .await;
        let zone = ("timezone", "+00:00");
        let csv = format!("1\t{}\n2\t\\N\n", self.csv);
        assert_eq!(load(f, "x", &[zone], csv).await, all(2), "{}", self.doris_type);
        let json = format!(
            "{{\"id\":3,\"v\":{}}}\n{{\"id\":4,\"v\":null}}\n{{\"id\":5,\"v\":{}}}",
            self.json,
            match self.json.starts_with('"') {
                true => self.json.to_string(),
                // The official connector sends every value as a string.
                false => serde_json::Value::from(self.json).to_string(),
            }
        );
        assert_eq!(
            load(f, "x", &[("format", "json"), zone], json).await,
            all(3),
            "{}",
            self.doris_type
        );
        for (at, array) in self.arrow.iter().enumerate() {
            let ids: ArrayRef = Arc::new(Int32Array::from(vec![6 + at as i32]));
            let body = stream(vec![("v", Arc::clone(array)), ("id", ids)]);
            let headers = [("format", "arrow"), zone];
            assert_eq!(load(f, "x", &headers, body).await, all(1), "{}", self.doris_type);
        }
        let rows = f.texts("SELECT id, v FROM x ORDER BY id").await;
        let stored: Vec<&str> = rows.iter().map(|row| row.split_once('|').unwrap().1).collect();
        assert_eq!(stored.len(), 6 + self.arrow.len());
        for (at, value) in stored.iter().enumerate() {
            let expected = if at == 2 || at == 4 { "NULL" } else { stored[0] };
            assert_eq!(*value, expected, "{} row {at} of {rows:?}", self.doris_type);
        }
        assert!(
            stored[0] != "NULL" || self.literal == "NULL",
            "{} {}",
            self.doris_type,
            self.literal
        );
    }
}

pub(super) fn one(array: impl Array + 'static) -> Vec<ArrayRef> {
    vec![Arc::new(array)]
}

pub(super) fn text(value: &str) -> Vec<ArrayRef> {
    vec![
        Arc::new(StringArray::from(vec![value])),
        Arc::new(LargeStringArray::from(vec![value])),
    ]
}

pub(super) fn decimal(value: i128, precision: u8, scale: i8) -> Vec<ArrayRef> {
    let array = Decimal128Array::from(vec![value]).with_precision_and_scale(precision, scale);
    one(array.unwrap())
}
