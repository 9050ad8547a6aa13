//! Which conversion leads from a delivered Arrow type to a declared Flink type.

use arrow::datatypes::{DataType, Field, Fields, Schema, TimeUnit};

use super::zone::Zone;
use crate::ipc::bytes_type;
use crate::types::{DorisField, DorisType, FlinkKind, FlinkType, match_fields};

/// One step or tree of steps for a column. Text is bytes throughout: it is passed on as the server sent it.
#[derive(Debug)]
pub(super) enum Conversion {
    /// The bytes are right as they are.
    Same,
    /// A column of nothing but NULL, as this type.
    Nulls(DataType),
    /// Numbers that are widened.
    Cast(DataType),
    /// Large, view and dictionary forms, brought into their plain form first.
    Unpack(DataType, Box<Conversion>),
    LargeIntToText,
    LargeIntToDecimal,
    TextToDecimal(u8, i8),
    Rescale(u8, i8),
    TextToDate,
    /// Timestamps as numbers.
    Time(Clock, TimeUnit),
    /// Timestamps as text.
    TextToTime(Clock),
    /// Microseconds as a number → milliseconds of the day.
    MicrosToTimeOfDay,
    TextToTimeOfDay,
    /// `TIME` as text → microseconds.
    TextToMicros,
    Ipv4ToText,
    Ipv4ToLong,
    /// Text, in older servers of the number.
    Ipv6ToText,
    UuidToText,
    DateToText,
    /// Timestamps as numbers, printed with that many digits of a second.
    TimeToText(Clock, TimeUnit, u8),
    DecimalToText,
    MicrosToText(u8),
    List(Box<Conversion>),
    Map(Box<Conversion>, Box<Conversion>),
    /// Place of the field in the struct, name for it, conversion.
    Row(Vec<(usize, String, Conversion)>),
    /// A struct of texts as a map from field names.
    RowToMap(Vec<String>),
}

/// How a timestamp is turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    /// The number is the answer.
    Keep,
    /// An instant; the answer is the wall clock of this zone.
    WallOf(Zone),
    /// A wall clock; the answer is the instant at which this zone shows it.
    InstantOf(Zone),
    /// An instant, shown by the first zone; the answer is the instant at which the second shows the same.
    Between(Zone, Zone),
}

impl Conversion {
    pub(super) fn is_same(&self) -> bool {
        matches!(self, Self::Same)
    }
}

/// Plans one column. The error names what arrived and cannot be read.
pub(super) fn plan(
    arrow: &DataType,
    doris: &DorisType,
    flink: &FlinkType,
    local: Zone,
) -> Result<Conversion, String> {
    use DataType as A;
    let doris = &doris.clone().refined_by(arrow);
    if let Some(plain) = plain_form(arrow) {
        let then = plan(&plain, doris, flink, local)?;
        return Ok(Conversion::Unpack(bytes_type(&plain), Box::new(then)));
    }
    let canonical = flink
        .canonical()
        .ok_or_else(|| format!("{flink} cannot be read"))?;
    if *arrow == A::Null {
        return Ok(Conversion::Nulls(bytes_type(&canonical)));
    }
    let refuse = || {
        Err(format!(
            "it arrives as Arrow {arrow}, from which it cannot be read"
        ))
    };
    let is_text = matches!(arrow, A::Utf8 | A::Binary);
    Ok(match (doris, &flink.kind) {
        (DorisType::Date, FlinkKind::Date) if is_text => Conversion::TextToDate,
        (
            DorisType::DateTime(_) | DorisType::TimestampTz(_) | DorisType::TimestampNs,
            FlinkKind::Timestamp(_) | FlinkKind::TimestampLtz(_),
        ) => {
            return time(arrow, doris, flink, local);
        }
        (DorisType::DateTime(scale), FlinkKind::Varchar(_)) => match arrow {
            A::Utf8 | A::Binary => Conversion::Same,
            A::Timestamp(_, zone) => {
                let clock = match zone {
                    Some(zone) => Clock::WallOf(parse_zone(zone)?),
                    None => Clock::Keep,
                };
                Conversion::TimeToText(clock, unit_of_scale(*scale), *scale)
            }
            _ => return refuse(),
        },
        (_, FlinkKind::Decimal(p, s)) => match arrow {
            A::Decimal128(dp, ds) if (dp, ds) == (p, s) => Conversion::Same,
            A::Decimal128(_, _) | A::Decimal256(_, _) => Conversion::Rescale(*p, *s),
            A::FixedSizeBinary(16) => Conversion::LargeIntToDecimal,
            A::Utf8 | A::Binary => Conversion::TextToDecimal(*p, *s),
            _ => return refuse(),
        },
        (DorisType::Time(_), FlinkKind::Time(_)) => match arrow {
            A::Float64 => Conversion::MicrosToTimeOfDay,
            A::Utf8 | A::Binary => Conversion::TextToTimeOfDay,
            _ => return refuse(),
        },
        (DorisType::Time(_), FlinkKind::Double) if is_text => Conversion::TextToMicros,
        (DorisType::Ipv4, FlinkKind::BigInt) => match arrow {
            A::Int32 | A::UInt32 | A::Utf8 | A::Binary => Conversion::Ipv4ToLong,
            A::Int64 => Conversion::Same,
            _ => return refuse(),
        },
        (_, FlinkKind::Char(_) | FlinkKind::Varchar(_)) => match (doris, arrow) {
            (_, A::Utf8 | A::Binary) => Conversion::Same,
            (DorisType::LargeInt, A::FixedSizeBinary(16)) => Conversion::LargeIntToText,
            (DorisType::Uuid, A::FixedSizeBinary(16)) => Conversion::UuidToText,
            (DorisType::Ipv4, A::Int32 | A::UInt32) => Conversion::Ipv4ToText,
            (DorisType::Date, A::Date32) => Conversion::DateToText,
            (DorisType::Time(s), A::Float64) => Conversion::MicrosToText(*s),
            (DorisType::Decimal(_, _), A::Decimal128(_, _) | A::Decimal256(_, _)) => {
                Conversion::DecimalToText
            }
            _ => return refuse(),
        },
        (_, FlinkKind::Binary(_) | FlinkKind::Varbinary(_)) if is_text => Conversion::Same,
        (DorisType::Array(item), FlinkKind::Array(wanted)) => {
            let A::List(field) = arrow else { return refuse() };
            let item = plan_inner(field.data_type(), item, wanted, local)?;
            if item.is_same() {
                Conversion::Same
            } else {
                Conversion::List(Box::new(item))
            }
        }
        (DorisType::Map(key, value), FlinkKind::Map(wanted_key, wanted_value)) => {
            let A::Map(entries, _) = arrow else {
                return refuse();
            };
            let A::Struct(fields) = entries.data_type() else {
                return refuse();
            };
            if fields.len() != 2 {
                return refuse();
            }
            let key = plan_inner(fields[0].data_type(), key, wanted_key, local)?;
            let value = plan_inner(fields[1].data_type(), value, wanted_value, local)?;
            if key.is_same() && value.is_same() {
                Conversion::Same
            } else {
                Conversion::Map(Box::new(key), Box::new(value))
            }
        }
        (DorisType::Struct(own), FlinkKind::Row(wanted)) => {
            let A::Struct(fields) = arrow else { return refuse() };
            return row(fields, own, wanted, local);
        }
        (DorisType::Struct(_), FlinkKind::Map(_, _)) => {
            let A::Struct(fields) = arrow else { return refuse() };
            if fields
                .iter()
                .any(|f| !matches!(f.data_type(), A::Utf8 | A::Binary))
            {
                return refuse();
            }
            Conversion::RowToMap(fields.iter().map(|f| f.name().clone()).collect())
        }
        _ if *arrow == canonical => Conversion::Same,
        _ if widens(arrow, &canonical) => Conversion::Cast(canonical),
        _ => return refuse(),
    })
}

/// Plans a part of a nested type. At the top, an IPV6 is cast to text by the server; in here it comes as it is.
fn plan_inner(
    arrow: &DataType,
    doris: &DorisType,
    flink: &FlinkType,
    local: Zone,
) -> Result<Conversion, String> {
    match (doris, arrow) {
        (DorisType::Ipv6, DataType::Utf8 | DataType::Binary) => Ok(Conversion::Ipv6ToText),
        _ => plan(arrow, doris, flink, local),
    }
}

/// Timestamps. The unit of the numbers follows from the scale of the column, also where the server names another one:
/// some versions of Doris 2.1 send seconds of a `DATETIME(0)` under the name of microseconds.
fn time(arrow: &DataType, doris: &DorisType, flink: &FlinkType, local: Zone) -> Result<Conversion, String> {
    let wall_wanted = matches!(flink.kind, FlinkKind::Timestamp(_));
    let is_instant = matches!(doris, DorisType::TimestampTz(_));
    let (unit, zone) = match arrow {
        DataType::Timestamp(unit, zone) => (*unit, zone.as_deref()),
        DataType::Utf8 | DataType::Binary => {
            // A text with an offset is an instant, one without is a wall clock.
            return Ok(Conversion::TextToTime(match (is_instant, wall_wanted) {
                (true, true) => Clock::WallOf(local),
                (false, false) => Clock::InstantOf(local),
                _ => Clock::Keep,
            }));
        }
        other => {
            return Err(format!(
                "it arrives as Arrow {other}, from which it cannot be read"
            ));
        }
    };
    let sent = match doris {
        DorisType::DateTime(scale) | DorisType::TimestampTz(scale) => unit_of_scale(*scale),
        _ => unit,
    };
    let clock = match (is_instant, zone, wall_wanted) {
        (true, _, false) | (false, None, true) => Clock::Keep,
        (true, _, true) => Clock::WallOf(local),
        (false, None, false) => Clock::InstantOf(local),
        (false, Some(zone), true) => Clock::WallOf(parse_zone(zone)?),
        (false, Some(zone), false) => match parse_zone(zone)? {
            shown if shown == local => Clock::Keep,
            shown => Clock::Between(shown, local),
        },
    };
    let clock = match clock {
        Clock::WallOf(zone) if zone == Zone::UTC => Clock::Keep,
        Clock::InstantOf(zone) if zone == Zone::UTC => Clock::Keep,
        other => other,
    };
    if clock == Clock::Keep && sent == TimeUnit::Microsecond {
        return Ok(Conversion::Same);
    }
    Ok(Conversion::Time(clock, sent))
}

fn unit_of_scale(scale: u8) -> TimeUnit {
    match scale {
        0 => TimeUnit::Second,
        1..=3 => TimeUnit::Millisecond,
        _ => TimeUnit::Microsecond,
    }
}

fn parse_zone(text: &str) -> Result<Zone, String> {
    Zone::parse(text).ok_or_else(|| format!("it arrives in the unknown time zone '{text}'"))
}

fn row(
    fields: &Fields,
    own: &[DorisField],
    wanted: &[crate::types::FlinkField],
    local: Zone,
) -> Result<Conversion, String> {
    let names: Vec<&str> = fields.iter().map(|f| f.name().as_str()).collect();
    let places = match_fields(&names, wanted)?;
    let mut same = places.len() == fields.len();
    let mut parts = Vec::with_capacity(places.len());
    for (i, (place, want)) in places.into_iter().zip(wanted).enumerate() {
        let field = &fields[place];
        let doris = own
            .iter()
            .find(|f| f.name == *field.name())
            .or_else(|| own.iter().find(|f| f.name.eq_ignore_ascii_case(field.name())))
            .or_else(|| own.get(place).filter(|_| own.len() == fields.len()))
            .map(|f| f.r#type.clone())
            .unwrap_or_else(|| DorisType::from_arrow(field.data_type()));
        let part = plan_inner(field.data_type(), &doris, &want.r#type, local)
            .map_err(|e| format!("field '{}': {e}", want.name))?;
        same &= i == place && part.is_same();
        parts.push((place, want.name.clone(), part));
    }
    Ok(if same {
        Conversion::Same
    } else {
        Conversion::Row(parts)
    })
}

fn widens(from: &DataType, to: &DataType) -> bool {
    use DataType as A;
    matches!(
        (from, to),
        (A::Int8, A::Int16 | A::Int32 | A::Int64)
            | (A::Int16, A::Int32 | A::Int64)
            | (A::Int32, A::Int64)
            | (A::Float32, A::Float64)
    )
}

/// The plain form of large, view and dictionary types; `None` for those that are plain.
fn plain_form(arrow: &DataType) -> Option<DataType> {
    Some(match arrow {
        DataType::LargeUtf8 | DataType::Utf8View => DataType::Utf8,
        DataType::LargeBinary | DataType::BinaryView => DataType::Binary,
        DataType::LargeList(item) | DataType::FixedSizeList(item, _) => DataType::List(item.clone()),
        DataType::Dictionary(_, value) => value.as_ref().clone(),
        _ => return None,
    })
}

/// The values of the dictionary with this id, as a field.
#[allow(deprecated)]
pub(super) fn dictionary_value(schema: &Schema, id: i64) -> Option<Field> {
    fn search(field: &Field, id: i64) -> Option<Field> {
        match field.data_type() {
            DataType::Dictionary(_, value) if field.dict_id() == Some(id) => {
                Some(Field::new("values", value.as_ref().clone(), true))
            }
            DataType::List(f)
            | DataType::LargeList(f)
            | DataType::FixedSizeList(f, _)
            | DataType::Map(f, _) => search(f, id),
            DataType::Struct(fields) => fields.iter().find_map(|f| search(f, id)),
            _ => None,
        }
    }
    schema.fields().iter().find_map(|f| search(f, id))
}
