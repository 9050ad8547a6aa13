//! Doris' column types: their names, their Arrow form, and the form that expressions are computed in.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, TimeUnit};

/// Zone text of instants inside the engine; the Flight channel puts the session's in its place.
pub const UTC: &str = "+00:00";

/// Metadata key under which the engine carries a column's Doris type through DataFusion.
pub const TYPE_KEY: &str = "standin.type";

/// Metadata key under which the engine carries a column's name as it was declared.
pub const NAME_KEY: &str = "standin.name";

/// Longest text a `STRING` holds, as Doris' default.
pub const STRING_MAX: usize = 1_048_576;

/// A field of a `STRUCT`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StructField {
    /// Name as declared; names are compared without regard to case.
    pub name: String,
    /// Type of the field.
    pub doris_type: DorisType,
}

/// A Doris type. Scales are fractional digits of a second, 0 to 6; lengths count bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DorisType {
    /// Type of the literal `NULL`.
    Null,
    /// `BOOLEAN`
    Boolean,
    /// `TINYINT`
    TinyInt,
    /// `SMALLINT`
    SmallInt,
    /// `INT`
    Int,
    /// `BIGINT`
    BigInt,
    /// `LARGEINT`, 128 bits
    LargeInt,
    /// `FLOAT`
    Float,
    /// `DOUBLE`
    Double,
    /// `DECIMAL(precision, scale)`, precision up to 76
    Decimal(u8, u8),
    /// The old `DECIMALV2(precision, scale)`
    DecimalV2(u8, u8),
    /// The old `DATEV1`
    DateV1,
    /// `DATE`
    Date,
    /// The old `DATETIMEV1`
    DateTimeV1,
    /// `DATETIME(scale)`
    DateTime(u8),
    /// `TIMESTAMPTZ(scale)`, an instant
    TimestampTz(u8),
    /// `TIME(scale)`, may pass 24 hours and be negative
    Time(u8),
    /// `CHAR(length)`
    Char(u32),
    /// `VARCHAR(length)`
    Varchar(u32),
    /// `STRING` or `TEXT`
    String,
    /// `JSON` or `JSONB`
    Json,
    /// `VARIANT`
    Variant,
    /// `IPV4`
    Ipv4,
    /// `IPV6`
    Ipv6,
    /// `VARBINARY(length)`
    Varbinary(u32),
    /// `BITMAP`
    Bitmap,
    /// `HLL`
    Hll,
    /// `QUANTILE_STATE`
    QuantileState,
    /// `ARRAY<item>`
    Array(Box<DorisType>),
    /// `MAP<key, value>`
    Map(Box<DorisType>, Box<DorisType>),
    /// `STRUCT<name:type, …>`
    Struct(Vec<StructField>),
}

impl DorisType {
    /// The type as `DESC`, `SHOW CREATE TABLE` and `COLUMN_TYPE` print it, such as `decimal(10,2)`, `datetime(3)`.
    pub fn sql_name(&self) -> String {
        match self {
            Self::Null => "null_type".into(),
            Self::Boolean => "boolean".into(),
            Self::TinyInt => "tinyint".into(),
            Self::SmallInt => "smallint".into(),
            Self::Int => "int".into(),
            Self::BigInt => "bigint".into(),
            Self::LargeInt => "largeint".into(),
            Self::Float => "float".into(),
            Self::Double => "double".into(),
            Self::Decimal(p, s) => format!("decimal({p},{s})"),
            Self::DecimalV2(p, s) => format!("decimalv2({p},{s})"),
            Self::DateV1 => "datev1".into(),
            Self::Date => "date".into(),
            Self::DateTimeV1 => "datetimev1".into(),
            Self::DateTime(0) => "datetime".into(),
            Self::DateTime(s) => format!("datetime({s})"),
            Self::TimestampTz(0) => "timestamptz".into(),
            Self::TimestampTz(s) => format!("timestamptz({s})"),
            Self::Time(0) => "time".into(),
            Self::Time(s) => format!("time({s})"),
            Self::Char(n) => format!("char({n})"),
            Self::Varchar(n) => format!("varchar({n})"),
            Self::String => "text".into(),
            Self::Json => "json".into(),
            Self::Variant => "variant".into(),
            Self::Ipv4 => "ipv4".into(),
            Self::Ipv6 => "ipv6".into(),
            Self::Varbinary(n) => format!("varbinary({n})"),
            Self::Bitmap => "bitmap".into(),
            Self::Hll => "hll".into(),
            Self::QuantileState => "quantile_state".into(),
            Self::Array(item) => format!("array<{}>", item.sql_name()),
            Self::Map(k, v) => format!("map<{},{}>", k.sql_name(), v.sql_name()),
            Self::Struct(fields) => {
                let inner: Vec<String> = fields
                    .iter()
                    .map(|f| format!("{}:{}", f.name, f.doris_type.sql_name()))
                    .collect();
                format!("struct<{}>", inner.join(","))
            }
        }
    }

    /// `DATA_TYPE` of `information_schema.columns`: the name without its parameters.
    pub fn data_type_name(&self) -> String {
        let full = self.sql_name();
        full.split(['(', '<']).next().unwrap_or_default().to_string()
    }

    /// Name of the primitive type as the front end's `_schema` call gives it, such as `DATETIMEV2`, `DECIMAL64`.
    pub fn primitive_name(&self) -> &'static str {
        match self {
            Self::Null => "NULL_TYPE",
            Self::Boolean => "BOOLEAN",
            Self::TinyInt => "TINYINT",
            Self::SmallInt => "SMALLINT",
            Self::Int => "INT",
            Self::BigInt => "BIGINT",
            Self::LargeInt => "LARGEINT",
            Self::Float => "FLOAT",
            Self::Double => "DOUBLE",
            Self::Decimal(p, _) => match p {
                0..=9 => "DECIMAL32",
                10..=18 => "DECIMAL64",
                19..=38 => "DECIMAL128I",
                _ => "DECIMAL256",
            },
            Self::DecimalV2(..) => "DECIMALV2",
            Self::DateV1 => "DATE",
            Self::Date => "DATEV2",
            Self::DateTimeV1 => "DATETIME",
            Self::DateTime(_) => "DATETIMEV2",
            Self::TimestampTz(_) => "TIMESTAMPTZ",
            Self::Time(_) => "TIMEV2",
            Self::Char(_) => "CHAR",
            Self::Varchar(_) => "VARCHAR",
            Self::String => "STRING",
            Self::Json => "JSON",
            Self::Variant => "VARIANT",
            Self::Ipv4 => "IPV4",
            Self::Ipv6 => "IPV6",
            Self::Varbinary(_) => "VARBINARY",
            Self::Bitmap => "BITMAP",
            Self::Hll => "HLL",
            Self::QuantileState => "QUANTILE_STATE",
            Self::Array(_) => "ARRAY",
            Self::Map(..) => "MAP",
            Self::Struct(_) => "STRUCT",
        }
    }

    /// The Arrow type rows are stored in: the newest form that Doris sends through Flight.
    pub fn arrow_type(&self) -> DataType {
        match self {
            Self::Null => DataType::Null,
            Self::Boolean => DataType::Boolean,
            Self::TinyInt => DataType::Int8,
            Self::SmallInt => DataType::Int16,
            Self::Int | Self::Ipv4 => DataType::Int32,
            Self::BigInt => DataType::Int64,
            Self::Float => DataType::Float32,
            Self::Double | Self::Time(_) => DataType::Float64,
            Self::Decimal(p, s) | Self::DecimalV2(p, s) => {
                if *p <= 38 {
                    DataType::Decimal128(*p, *s as i8)
                } else {
                    DataType::Decimal256(*p, *s as i8)
                }
            }
            Self::Date => DataType::Date32,
            Self::DateTime(s) => DataType::Timestamp(unit_of_scale(*s), None),
            Self::TimestampTz(s) => DataType::Timestamp(unit_of_scale(*s), Some(UTC.into())),
            Self::LargeInt
            | Self::DateV1
            | Self::DateTimeV1
            | Self::Char(_)
            | Self::Varchar(_)
            | Self::String
            | Self::Json
            | Self::Variant
            | Self::Ipv6 => DataType::Utf8,
            Self::Varbinary(_) | Self::Bitmap | Self::Hll | Self::QuantileState => DataType::Binary,
            Self::Array(item) => DataType::List(Arc::new(Field::new("item", item.arrow_type(), true))),
            Self::Map(k, v) => {
                let entries = Fields::from(vec![
                    Field::new("key", k.arrow_type(), false),
                    Field::new("value", v.arrow_type(), true),
                ]);
                DataType::Map(
                    Arc::new(Field::new("entries", DataType::Struct(entries), false)),
                    false,
                )
            }
            Self::Struct(fields) => DataType::Struct(
                fields
                    .iter()
                    .map(|f| Field::new(&f.name, f.doris_type.arrow_type(), true))
                    .collect(),
            ),
        }
    }

    /// The Arrow type that expressions over the column are computed in: as stored, but numbers and dates that are
    /// stored as text become numbers and dates, so that they compare as such.
    pub fn compute_type(&self) -> DataType {
        match self {
            Self::LargeInt => DataType::Decimal256(LARGEINT_DIGITS, 0),
            Self::DateV1 => DataType::Date32,
            Self::DateTimeV1 => DataType::Timestamp(TimeUnit::Second, None),
            Self::Ipv4 => DataType::UInt32,
            other => other.arrow_type(),
        }
    }

    /// True when [`Self::compute_type`] differs from [`Self::arrow_type`].
    pub fn converts_to_compute(&self) -> bool {
        matches!(
            self,
            Self::LargeInt | Self::DateV1 | Self::DateTimeV1 | Self::Ipv4
        )
    }

    /// The Doris type of an expression's result of which only the Arrow type is known.
    pub fn of_arrow(data_type: &DataType) -> Self {
        match data_type {
            DataType::Null => Self::Null,
            DataType::Boolean => Self::Boolean,
            DataType::Int8 => Self::TinyInt,
            DataType::Int16 | DataType::UInt8 => Self::SmallInt,
            DataType::Int32 | DataType::UInt16 => Self::Int,
            DataType::Int64 | DataType::UInt32 | DataType::UInt64 => Self::BigInt,
            DataType::Float16 | DataType::Float32 => Self::Float,
            DataType::Float64 => Self::Double,
            DataType::Decimal256(LARGEINT_DIGITS, 0) => Self::LargeInt,
            DataType::Decimal32(p, s)
            | DataType::Decimal64(p, s)
            | DataType::Decimal128(p, s)
            | DataType::Decimal256(p, s) => Self::Decimal(*p, (*s).max(0) as u8),
            DataType::Date32 | DataType::Date64 => Self::Date,
            DataType::Timestamp(unit, None) => Self::DateTime(scale_of_unit(unit)),
            DataType::Timestamp(unit, Some(_)) => Self::TimestampTz(scale_of_unit(unit)),
            DataType::Time32(_) | DataType::Time64(_) => Self::Time(0),
            DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_) => Self::Varbinary(65533),
            DataType::List(item)
            | DataType::LargeList(item)
            | DataType::ListView(item)
            | DataType::FixedSizeList(item, _) => Self::Array(Box::new(Self::of_arrow(item.data_type()))),
            DataType::Map(entries, _) => match entries.data_type() {
                DataType::Struct(kv) if kv.len() == 2 => Self::Map(
                    Box::new(Self::of_arrow(kv[0].data_type())),
                    Box::new(Self::of_arrow(kv[1].data_type())),
                ),
                _ => Self::String,
            },
            DataType::Struct(fields) => Self::Struct(
                fields
                    .iter()
                    .map(|f| StructField {
                        name: f.name().clone(),
                        doris_type: Self::of_arrow(f.data_type()),
                    })
                    .collect(),
            ),
            DataType::Dictionary(_, value) => Self::of_arrow(value),
            _ => Self::String,
        }
    }

    /// A field for expressions: compute type, with the Doris type in its metadata.
    pub fn compute_field(&self, name: &str, nullable: bool) -> Field {
        Field::new(name, self.compute_type(), nullable)
            .with_metadata([(TYPE_KEY.to_string(), self.sql_name())].into())
    }

    /// True for `TINYINT` to `LARGEINT`.
    pub fn is_integer(&self) -> bool {
        matches!(
            self,
            Self::TinyInt | Self::SmallInt | Self::Int | Self::BigInt | Self::LargeInt
        )
    }

    /// True for every kind of number.
    pub fn is_number(&self) -> bool {
        self.is_integer()
            || matches!(
                self,
                Self::Float | Self::Double | Self::Decimal(..) | Self::DecimalV2(..)
            )
    }

    /// True for types whose values are text.
    pub fn is_text(&self) -> bool {
        matches!(self, Self::Char(_) | Self::Varchar(_) | Self::String)
    }

    /// True for types that cannot be compared, grouped or be a key.
    pub fn is_opaque(&self) -> bool {
        matches!(self, Self::Bitmap | Self::Hll | Self::QuantileState)
    }

    /// True for `ARRAY`, `MAP` and `STRUCT`.
    pub fn is_nested(&self) -> bool {
        matches!(self, Self::Array(_) | Self::Map(..) | Self::Struct(_))
    }
}

/// Digits of the decimal that `LARGEINT` is computed in.
pub const LARGEINT_DIGITS: u8 = 39;

/// Arrow's unit for a scale: 0 seconds, 1–3 milliseconds, 4–6 microseconds.
pub fn unit_of_scale(scale: u8) -> TimeUnit {
    match scale {
        0 => TimeUnit::Second,
        1..=3 => TimeUnit::Millisecond,
        _ => TimeUnit::Microsecond,
    }
}

/// The scale shown for a result of which only the unit is known.
pub fn scale_of_unit(unit: &TimeUnit) -> u8 {
    match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond | TimeUnit::Nanosecond => 6,
    }
}
