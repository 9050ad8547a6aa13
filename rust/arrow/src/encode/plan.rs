//! How the values of a column become text: chosen once from its types, bound to the arrays of each batch.

use arrow::array::cast::AsArray;
use arrow::array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType,
};
use arrow::array::{Array, ArrayRef, BooleanArray};
use arrow::buffer::NullBuffer;

use super::clock::{Clock, Turn};
use super::json_text::{self, Quirk};
use super::longest::Longest;
use crate::error::{Error, Result};
use crate::normalize::Zone;
use crate::types::{DorisField, DorisType, FlinkField, FlinkKind, FlinkType, match_fields};

/// How values become text.
#[derive(Debug)]
pub(super) struct Plan {
    shape: Shape,
    /// Whether JSON gets the value as a string.
    quoted: bool,
    longest: Longest,
}

#[derive(Debug)]
enum Shape {
    Boolean,
    Int8,
    Int16,
    Int32,
    Int64,
    Float,
    Double,
    Decimal(u8),
    Text,
    Bytes(Spelling),
    Date,
    Time(u8),
    Timestamp {
        digits: u8,
        turn: Turn,
        offset: bool,
    },
    List(Box<Plan>),
    Map(Box<Plan>, Box<Plan>),
    /// With each field what stands in front of its value: `,"name":`.
    Row(Vec<(Vec<u8>, Plan)>),
}

/// How bytes become text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// For `VARBINARY`.
    Hex,
    /// For everything else: `from_base64` makes bytes of it.
    Base64,
}

/// Where a value stands, which decides whether JSON gets it as a string.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A column of its own.
    Column,
    /// Inside an array, a map or a row.
    Inside,
    Key,
}

/// What a value is written to.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) doris: Option<&'a DorisType>,
    /// The same with the lengths of its texts, where they are known.
    pub(super) sized: Option<&'a DorisType>,
}

impl Target<'_> {
    /// The item of an array.
    pub(super) fn item(self) -> Self {
        self.inner(|r#type| match r#type {
            DorisType::Array(item) => Some(item),
            _ => None,
        })
    }

    /// The key of a map.
    pub(super) fn key(self) -> Self {
        self.inner(|r#type| match r#type {
            DorisType::Map(key, _) => Some(key),
            _ => None,
        })
    }

    /// The value of a map.
    pub(super) fn value(self) -> Self {
        self.inner(|r#type| match r#type {
            DorisType::Map(_, value) => Some(value),
            _ => None,
        })
    }

    fn inner(self, of: impl Fn(&DorisType) -> Option<&DorisType>) -> Self {
        Self {
            doris: self.doris.and_then(&of),
            sized: self.sized.and_then(&of),
        }
    }
}

/// What is the same for all values.
#[derive(Clone, Copy)]
struct Context {
    zone: Zone,
    quirk: Quirk,
}

impl Plan {
    /// The plan for a column; the error names which type cannot be written. `sized` bounds the texts; `zone` is where
    /// `TIMESTAMP_LTZ` becomes a wall clock.
    pub(super) fn new(
        flink: &FlinkType,
        doris: Option<&DorisType>,
        sized: Option<&DorisType>,
        zone: Zone,
        quirk: Quirk,
    ) -> std::result::Result<Self, String> {
        let context = Context { zone, quirk };
        plan(flink, Target { doris, sized }, context, Place::Column)
    }

    /// The plan with its values in an array of the canonical type.
    pub(super) fn bind<'a>(&'a self, array: &'a ArrayRef) -> Result<Bound<'a>> {
        let values = match &self.shape {
            Shape::Boolean => array.as_boolean_opt().map(Values::Boolean),
            Shape::Int8 => array
                .as_primitive_opt::<Int8Type>()
                .map(|a| Values::Int8(a.values())),
            Shape::Int16 => array
                .as_primitive_opt::<Int16Type>()
                .map(|a| Values::Int16(a.values())),
            Shape::Int32 => array
                .as_primitive_opt::<Int32Type>()
                .map(|a| Values::Int32(a.values())),
            Shape::Int64 => array
                .as_primitive_opt::<Int64Type>()
                .map(|a| Values::Int64(a.values())),
            Shape::Float => array
                .as_primitive_opt::<Float32Type>()
                .map(|a| Values::Float(a.values())),
            Shape::Double => array
                .as_primitive_opt::<Float64Type>()
                .map(|a| Values::Double(a.values())),
            Shape::Decimal(scale) => array
                .as_primitive_opt::<Decimal128Type>()
                .map(|a| Values::Decimal(a.values(), *scale)),
            Shape::Text => array
                .as_string_opt::<i32>()
                .map(|a| Values::Text(a.value_offsets(), a.value_data())),
            Shape::Bytes(spelling) => array
                .as_binary_opt::<i32>()
                .map(|a| Values::Bytes(a.value_offsets(), a.value_data(), *spelling)),
            Shape::Date => array
                .as_primitive_opt::<Date32Type>()
                .map(|a| Values::Date(a.values())),
            Shape::Time(digits) => array
                .as_primitive_opt::<Int32Type>()
                .map(|a| Values::Time(a.values(), *digits)),
            Shape::Timestamp { digits, turn, offset } => array
                .as_primitive_opt::<TimestampMicrosecondType>()
                .map(|a| Values::Timestamp {
                    micros: a.values(),
                    digits: *digits,
                    clock: Clock::new(*turn),
                    offset: *offset,
                }),
            Shape::List(item) => match array.as_list_opt::<i32>() {
                Some(a) => Some(Values::List(a.value_offsets(), Box::new(item.bind(a.values())?))),
                None => None,
            },
            Shape::Map(key, value) => match array.as_map_opt() {
                Some(a) => Some(Values::Map(
                    a.value_offsets(),
                    Box::new(key.bind(a.keys())?),
                    Box::new(value.bind(a.values())?),
                )),
                None => None,
            },
            Shape::Row(fields) => match array.as_struct_opt() {
                Some(a) if a.num_columns() == fields.len() => Some(Values::Row(
                    fields
                        .iter()
                        .zip(a.columns())
                        .map(|((prefix, plan), column)| Ok((prefix.as_slice(), plan.bind(column)?)))
                        .collect::<Result<_>>()?,
                )),
                _ => None,
            },
        };
        Ok(Bound {
            values: values.ok_or_else(|| {
                Error::corrupt(format!("{} where {:?} is due", array.data_type(), self.shape))
            })?,
            nulls: array.nulls().filter(|nulls| nulls.null_count() > 0),
            quoted: self.quoted,
            longest: self.longest,
        })
    }
}

/// The values of a column in one batch.
pub(super) struct Bound<'a> {
    pub(super) values: Values<'a>,
    nulls: Option<&'a NullBuffer>,
    pub(super) quoted: bool,
    pub(super) longest: Longest,
}

/// Values as they are; the numbers are scales and digits of a second.
pub(super) enum Values<'a> {
    Boolean(&'a BooleanArray),
    Int8(&'a [i8]),
    Int16(&'a [i16]),
    Int32(&'a [i32]),
    Int64(&'a [i64]),
    Float(&'a [f32]),
    Double(&'a [f64]),
    Decimal(&'a [i128], u8),
    Text(&'a [i32], &'a [u8]),
    Bytes(&'a [i32], &'a [u8], Spelling),
    Date(&'a [i32]),
    Time(&'a [i32], u8),
    Timestamp {
        micros: &'a [i64],
        digits: u8,
        clock: Clock,
        offset: bool,
    },
    List(&'a [i32], Box<Bound<'a>>),
    Map(&'a [i32], Box<Bound<'a>>, Box<Bound<'a>>),
    Row(Vec<(&'a [u8], Bound<'a>)>),
}

impl Bound<'_> {
    #[inline]
    pub(super) fn is_null(&self, row: usize) -> bool {
        match self.nulls {
            None => false,
            Some(nulls) => nulls.is_null(row),
        }
    }
}

/// What stands between two offsets.
#[inline]
pub(super) fn slice<'a>(offsets: &[i32], bytes: &'a [u8], row: usize) -> &'a [u8] {
    &bytes[offsets[row] as usize..offsets[row + 1] as usize]
}

fn plan(
    flink: &FlinkType,
    target: Target<'_>,
    context: Context,
    place: Place,
) -> std::result::Result<Plan, String> {
    use FlinkKind as F;
    let inside = |flink: &FlinkType, target: Target<'_>| plan(flink, target, context, Place::Inside);
    let doris = target.doris;
    let shape = match &flink.kind {
        F::Boolean => Shape::Boolean,
        F::TinyInt => Shape::Int8,
        F::SmallInt => Shape::Int16,
        F::Int | F::IntervalYearMonth => Shape::Int32,
        F::BigInt | F::IntervalDayTime => Shape::Int64,
        F::Float => Shape::Float,
        F::Double => Shape::Double,
        F::Decimal(_, scale) => Shape::Decimal(scale.unsigned_abs()),
        F::Char(_) | F::Varchar(_) => Shape::Text,
        F::Binary(_) | F::Varbinary(_) => Shape::Bytes(match doris {
            Some(DorisType::Varbinary(_)) => Spelling::Hex,
            _ => Spelling::Base64,
        }),
        F::Date => Shape::Date,
        F::Time(digits) => Shape::Time((*digits).min(3)),
        F::Timestamp(digits) | F::TimestampLtz(digits) => Shape::Timestamp {
            digits: (*digits).min(6),
            turn: turn(flink, doris, context.zone),
            offset: matches!(doris, Some(DorisType::TimestampTz(_))),
        },
        F::Array(wanted) => Shape::List(Box::new(inside(wanted, target.item())?)),
        F::Map(wanted_key, wanted_value) => Shape::Map(
            Box::new(plan(wanted_key, target.key(), context, Place::Key)?),
            Box::new(inside(wanted_value, target.value())?),
        ),
        F::Multiset(wanted) => Shape::Map(
            Box::new(plan(wanted, target.key(), context, Place::Key)?),
            Box::new(Plan {
                shape: Shape::Int32,
                quoted: false,
                longest: Longest::of(None),
            }),
        ),
        F::Row(fields) => Shape::Row(
            fields
                .iter()
                .zip(fields_of(fields, target))
                .map(|(field, (name, target))| {
                    Ok((
                        json_text::prefix(name, context.quirk),
                        inside(&field.r#type, target)?,
                    ))
                })
                .collect::<std::result::Result<_, String>>()?,
        ),
        F::Other(text) => return Err(format!("type {text} cannot be written")),
    };
    let quoted = match (&shape, place) {
        (Shape::List(_) | Shape::Map(_, _) | Shape::Row(_), _) => false,
        (Shape::Text | Shape::Bytes(_) | Shape::Date | Shape::Time(_) | Shape::Timestamp { .. }, _) => true,
        (_, Place::Key) => true,
        // Inside a document the server takes numbers as their text, with all digits.
        (_, Place::Inside) => matches!(
            doris,
            Some(DorisType::Char(_) | DorisType::Varchar(_) | DorisType::String)
        ),
        (shape, Place::Column) => !is_native(shape, &flink.kind, doris),
    };
    Ok(Plan {
        shape,
        quoted,
        longest: Longest::of(target.sized),
    })
}

/// Whether JSON may get a number or Boolean as such: where the target is a number or Boolean. Not for decimals that a
/// parser of floating-point numbers would round; and not where the target is unknown, since Doris reads every type
/// from a string.
fn is_native(shape: &Shape, flink: &FlinkKind, doris: Option<&DorisType>) -> bool {
    use DorisType as D;
    let exact = match (shape, flink) {
        (Shape::Decimal(_), FlinkKind::Decimal(precision, _)) => *precision <= 15,
        _ => true,
    };
    exact
        && matches!(
            doris,
            Some(
                D::Boolean
                    | D::TinyInt
                    | D::SmallInt
                    | D::Int
                    | D::BigInt
                    | D::Float
                    | D::Double
                    | D::Decimal(_, _)
            )
        )
}

/// How a timestamp is turned: `TIMESTAMP` and `DATETIME` are wall clocks, `TIMESTAMP_LTZ` and `TIMESTAMPTZ` are
/// instants.
pub(super) fn turn(flink: &FlinkType, doris: Option<&DorisType>, zone: Zone) -> Turn {
    let instant = matches!(flink.kind, FlinkKind::TimestampLtz(_));
    match (instant, doris) {
        (true, Some(DorisType::TimestampTz(_))) => Turn::Keep,
        (true, _) => Turn::ToWall(zone),
        (false, Some(DorisType::TimestampTz(_))) => Turn::ToInstant(zone),
        (false, _) => Turn::Keep,
    }
}

/// For each field of a row its name in the `STRUCT` that it is written to, which is its own where that is unknown, and
/// what it is written to.
pub(super) fn fields_of<'a>(fields: &'a [FlinkField], target: Target<'a>) -> Vec<(&'a str, Target<'a>)> {
    let found = struct_fields(fields, target.doris);
    let sized = struct_fields(fields, target.sized);
    fields
        .iter()
        .zip(found.into_iter().zip(sized))
        .map(|(field, (found, sized))| {
            let target = Target {
                doris: found.map(|f| &f.r#type),
                sized: sized.map(|f| &f.r#type),
            };
            (found.map_or(field.name.as_str(), |f| f.name.as_str()), target)
        })
        .collect()
}

fn struct_fields<'a>(fields: &[FlinkField], doris: Option<&'a DorisType>) -> Vec<Option<&'a DorisField>> {
    if let Some(DorisType::Struct(own)) = doris {
        let names: Vec<&str> = own.iter().map(|f| f.name.as_str()).collect();
        if let Ok(places) = match_fields(&names, fields) {
            return places.into_iter().map(|place| Some(&own[place])).collect();
        }
    }
    vec![None; fields.len()]
}
