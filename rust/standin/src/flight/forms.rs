//! The forms in which server generations send Doris' types: stored (newest) columns are converted where a switch
//! requires it.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use arrow_array::builder::{FixedSizeBinaryBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowTimestampType, Float64Type, Int32Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampSecondType, UInt32Type,
};
use arrow_array::{
    Array, ArrayRef, ListArray, MapArray, PrimitiveArray, RecordBatch, RecordBatchOptions, StructArray,
};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef, TimeUnit};

use crate::profile::{DateForm, DatetimeForm, HllForm, Ipv4Form, Ipv6Form, LargeintForm, Switches, TimeForm};
use crate::sql::engine::ResultColumn;
use crate::values::text;
use crate::values::types::{DorisType, unit_of_scale};
use crate::values::zone::Zone;

/// Turns stored batches into batches of the stream's schema.
pub(crate) struct Reform {
    types: Vec<DorisType>,
    schema: SchemaRef,
    forms: Forms,
}

/// The switches that matter here, with the session's zone.
#[derive(Clone)]
struct Forms {
    switches: Arc<Switches>,
    zone: Zone,
    zone_text: Arc<str>,
}

/// The schema that a result is sent in, and how to get there; `None` when the stored arrays serve as they are.
///
/// Every field is nullable, whatever the table declares.
pub(crate) fn plan(
    columns: &[ResultColumn],
    switches: &Arc<Switches>,
    zone: Zone,
    zone_text: &str,
) -> (SchemaRef, Option<Reform>) {
    let zone_text = if zone_text == "CST" {
        "Asia/Shanghai"
    } else {
        zone_text
    };
    let forms = Forms {
        switches: switches.clone(),
        zone,
        zone_text: zone_text.into(),
    };
    let fields: Vec<Field> = columns
        .iter()
        .map(|column| {
            let field = Field::new(&column.name, forms.target(&column.doris_type), true);
            match doris_type_name(&column.doris_type) {
                Some(name) if switches.doris_type_metadata => {
                    field.with_metadata([("doris_type".to_owned(), name.to_owned())].into())
                }
                _ => field,
            }
        })
        .collect();
    let same = columns.iter().zip(&fields).all(|(column, field)| {
        column.doris_type.arrow_type() == *field.data_type() && forms.keeps_values(&column.doris_type)
    });
    let schema = Arc::new(Schema::new(fields));
    if same {
        return (schema, None);
    }
    let types = columns.iter().map(|column| column.doris_type.clone()).collect();
    (schema.clone(), Some(Reform { types, schema, forms }))
}

impl Reform {
    /// One batch in the stream's schema; columns whose form is the stored one are shared.
    pub(crate) fn apply(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let columns = self
            .types
            .iter()
            .zip(batch.columns())
            .map(|(doris_type, column)| self.forms.convert(doris_type, column))
            .collect::<Result<Vec<_>, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
    }
}

/// Value of the field metadata `doris_type`, for the types that Arrow alone does not distinguish.
fn doris_type_name(doris_type: &DorisType) -> Option<&'static str> {
    match doris_type {
        DorisType::Ipv4 => Some("IPV4"),
        DorisType::Ipv6 => Some("IPV6"),
        DorisType::LargeInt => Some("LARGEINT"),
        DorisType::Json => Some("JSON"),
        DorisType::Variant => Some("VARIANT"),
        _ => None,
    }
}

impl Forms {
    fn target(&self, doris_type: &DorisType) -> DataType {
        let switches = &self.switches;
        match doris_type {
            DorisType::LargeInt if switches.largeint_form == LargeintForm::FixedBinary => {
                DataType::FixedSizeBinary(16)
            }
            DorisType::Date if switches.date_form == DateForm::Utf8 => DataType::Utf8,
            DorisType::DateTime(scale) => match switches.datetime_form {
                DatetimeForm::Zoneless => DataType::Timestamp(self.unit(*scale), None),
                DatetimeForm::SessionZone => {
                    DataType::Timestamp(self.unit(*scale), Some(self.zone_text.clone()))
                }
                DatetimeForm::Utf8 => DataType::Utf8,
            },
            DorisType::TimestampTz(scale) => {
                DataType::Timestamp(unit_of_scale(*scale), Some(self.zone_text.clone()))
            }
            DorisType::Ipv4 => match switches.ipv4_form {
                Ipv4Form::Int32 => DataType::Int32,
                Ipv4Form::UInt32 => DataType::UInt32,
                Ipv4Form::Utf8 => DataType::Utf8,
            },
            DorisType::Hll if switches.hll_form == HllForm::Utf8 => DataType::Utf8,
            DorisType::Array(item) => DataType::List(Arc::new(Field::new("item", self.target(item), true))),
            DorisType::Map(key, value) => {
                let entries = Fields::from(vec![
                    Field::new("key", self.target(key), false),
                    Field::new("value", self.target(value), true),
                ]);
                DataType::Map(
                    Arc::new(Field::new("entries", DataType::Struct(entries), false)),
                    false,
                )
            }
            DorisType::Struct(fields) => DataType::Struct(
                fields
                    .iter()
                    .map(|field| Field::new(&field.name, self.target(&field.doris_type), true))
                    .collect(),
            ),
            other => other.arrow_type(),
        }
    }

    /// Whether values of equal Arrow type are equal too: some forms change only what is written in them.
    fn keeps_values(&self, doris_type: &DorisType) -> bool {
        match doris_type {
            DorisType::Ipv6 => self.switches.ipv6_form == Ipv6Form::Utf8,
            DorisType::Time(_) => self.switches.time_form == TimeForm::Micros,
            DorisType::Array(item) => self.keeps_values(item),
            DorisType::Map(key, value) => self.keeps_values(key) && self.keeps_values(value),
            DorisType::Struct(fields) => fields.iter().all(|field| self.keeps_values(&field.doris_type)),
            _ => true,
        }
    }

    /// Unit that the Arrow field names; with the fault of doris#68392 always microseconds, whatever the values are in.
    fn unit(&self, scale: u8) -> TimeUnit {
        if self.switches.datetime_unit_fault {
            TimeUnit::Microsecond
        } else {
            unit_of_scale(scale)
        }
    }

    fn convert(&self, doris_type: &DorisType, array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
        let target = self.target(doris_type);
        if target == *array.data_type() && self.keeps_values(doris_type) {
            return Ok(array.clone());
        }
        Ok(match doris_type {
            DorisType::LargeInt => largeint_bytes(array)?,
            DorisType::DateTime(scale) if target != DataType::Utf8 => {
                self.datetime(*scale, array, &target)?
            }
            DorisType::TimestampTz(_) => retype(array, &target)?,
            DorisType::Ipv4 if target == DataType::UInt32 => {
                let bits = array.as_primitive::<Int32Type>();
                Arc::new(bits.unary::<_, UInt32Type>(|bits| bits as u32))
            }
            DorisType::Ipv4 => {
                let bits = array.as_primitive::<Int32Type>();
                texts(
                    bits.iter()
                        .map(|bits| bits.map(|bits| Ipv4Addr::from(bits as u32).to_string())),
                )
            }
            DorisType::Ipv6 => self.ipv6(array),
            DorisType::Time(_) => self.time(array),
            DorisType::Hll => {
                let bytes = array.as_binary::<i32>();
                texts(
                    bytes
                        .iter()
                        .map(|bytes| bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned())),
                )
            }
            DorisType::Array(item) => self.list(item, array, &target)?,
            DorisType::Map(key, value) => self.map(key, value, array, &target)?,
            DorisType::Struct(fields) => {
                let stored = array.as_struct();
                let columns = fields
                    .iter()
                    .zip(stored.columns())
                    .map(|(field, column)| self.convert(&field.doris_type, column))
                    .collect::<Result<Vec<_>, _>>()?;
                let DataType::Struct(targets) = target else {
                    return Err(mismatch(doris_type));
                };
                Arc::new(StructArray::try_new(targets, columns, stored.nulls().cloned())?)
            }
            other => texts((0..array.len()).map(|row| text::render(other, array, row, &self.zone))),
        })
    }

    fn datetime(&self, scale: u8, array: &ArrayRef, target: &DataType) -> Result<ArrayRef, ArrowError> {
        let shifted = if self.switches.datetime_form == DatetimeForm::SessionZone {
            match unit_of_scale(scale) {
                TimeUnit::Second => self.to_instant::<TimestampSecondType>(array, 1),
                TimeUnit::Millisecond => self.to_instant::<TimestampMillisecondType>(array, 1_000),
                _ => self.to_instant::<TimestampMicrosecondType>(array, 1_000_000),
            }
        } else {
            array.clone()
        };
        retype(&shifted, target)
    }

    /// Wall clock of the session's zone to the instant that it shows.
    fn to_instant<T: ArrowTimestampType>(&self, array: &ArrayRef, per_second: i64) -> ArrayRef {
        let wall = array.as_primitive::<T>();
        let instants: PrimitiveArray<T> =
            wall.unary(|wall| wall - self.zone.offset_at_wall(wall.div_euclid(per_second)) * per_second);
        Arc::new(instants)
    }

    fn ipv6(&self, array: &ArrayRef) -> ArrayRef {
        match self.switches.ipv6_form {
            Ipv6Form::Utf8 => array.clone(),
            Ipv6Form::Decimal => {
                let number = |text: &str| match text.parse::<Ipv6Addr>() {
                    Ok(address) => u128::from(address).to_string(),
                    Err(_) => text.to_owned(),
                };
                texts(array.as_string::<i32>().iter().map(|text| text.map(number)))
            }
        }
    }

    fn time(&self, array: &ArrayRef) -> ArrayRef {
        match self.switches.time_form {
            TimeForm::Micros => array.clone(),
            TimeForm::Seconds => Arc::new(
                array
                    .as_primitive::<Float64Type>()
                    .unary::<_, Float64Type>(|micros| micros / 1e6),
            ),
        }
    }

    fn list(&self, item: &DorisType, array: &ArrayRef, target: &DataType) -> Result<ArrayRef, ArrowError> {
        let DataType::List(field) = target else {
            return Err(mismatch(item));
        };
        let stored = array.as_list::<i32>();
        let values = self.convert(item, stored.values())?;
        let list = ListArray::try_new(
            field.clone(),
            stored.offsets().clone(),
            values,
            stored.nulls().cloned(),
        )?;
        Ok(Arc::new(list))
    }

    fn map(
        &self,
        key: &DorisType,
        value: &DorisType,
        array: &ArrayRef,
        target: &DataType,
    ) -> Result<ArrayRef, ArrowError> {
        let DataType::Map(entries, _) = target else {
            return Err(mismatch(value));
        };
        let DataType::Struct(fields) = entries.data_type() else {
            return Err(mismatch(value));
        };
        let stored = array.as_map();
        let columns = vec![
            self.convert(key, stored.keys())?,
            self.convert(value, stored.values())?,
        ];
        let pairs = StructArray::try_new(fields.clone(), columns, stored.entries().nulls().cloned())?;
        let map = MapArray::try_new(
            entries.clone(),
            stored.offsets().clone(),
            pairs,
            stored.nulls().cloned(),
            false,
        )?;
        Ok(Arc::new(map))
    }
}

/// The same values under another type of the same width: only zone or unit differ.
fn retype(array: &ArrayRef, target: &DataType) -> Result<ArrayRef, ArrowError> {
    let data = array.to_data().into_builder().data_type(target.clone()).build()?;
    Ok(arrow_array::make_array(data))
}

fn largeint_bytes(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let stored = array.as_string::<i32>();
    let mut bytes = FixedSizeBinaryBuilder::with_capacity(stored.len(), 16);
    for text in stored {
        match text {
            None => bytes.append_null(),
            Some(text) => {
                let number: i128 = text
                    .parse()
                    .map_err(|_| ArrowError::CastError(format!("no LARGEINT: {text}")))?;
                bytes.append_value(number.to_le_bytes())?;
            }
        }
    }
    Ok(Arc::new(bytes.finish()))
}

fn texts(values: impl Iterator<Item = Option<String>>) -> ArrayRef {
    let mut builder = StringBuilder::new();
    for value in values {
        builder.append_option(value);
    }
    Arc::new(builder.finish())
}

fn mismatch(doris_type: &DorisType) -> ArrowError {
    ArrowError::SchemaError(format!(
        "stored rows of {} are not in their own form",
        doris_type.sql_name()
    ))
}
