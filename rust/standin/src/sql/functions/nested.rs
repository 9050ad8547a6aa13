//! Functions that build nested values and take them apart.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int32Array, MapArray, StructArray, UInt32Array, new_null_array};
use arrow_buffer::OffsetBuffer;
use arrow_schema::DataType;
use arrow_select::concat::concat;
use arrow_select::take::take;
use datafusion::common::{DataFusionError, Result};

use super::{Arguments, Call, Definition};
use crate::values::text::render;
use crate::values::types::{DorisType, StructField};

pub(super) const FUNCTIONS: &[Definition] = &[
    Definition::new(&["struct_element", "element_at"], 2..=2, element_type, element),
    Definition::new(&["map"], 0..=usize::MAX, map_type, map),
    Definition::new(&["struct"], 1..=usize::MAX, struct_type, structure),
    Definition::new(&["named_struct"], 2..=usize::MAX, named_type, structure),
    Definition::new(&["size", "map_size"], 1..=1, |_| Ok(DorisType::Int), size),
];

fn field_index(fields: &[StructField], arguments: &Arguments<'_>) -> Result<usize> {
    let found = match arguments.text(1) {
        Some(name) => fields.iter().position(|f| f.name.eq_ignore_ascii_case(&name)),
        None => arguments
            .integer(1)
            .and_then(|n| usize::try_from(n - 1).ok())
            .filter(|n| *n < fields.len()),
    };
    found.ok_or_else(|| {
        let wanted = arguments
            .text(1)
            .or_else(|| arguments.integer(1).map(|n| n.to_string()))
            .unwrap_or_default();
        DataFusionError::Plan(format!(
            "the specified field name {wanted} was not found in the struct"
        ))
    })
}

fn element_type(arguments: &Arguments<'_>) -> Result<DorisType> {
    match &arguments.types[0] {
        DorisType::Struct(fields) => Ok(fields[field_index(fields, arguments)?].doris_type.clone()),
        DorisType::Array(item) => Ok(item.as_ref().clone()),
        DorisType::Map(_, value) => Ok(value.as_ref().clone()),
        DorisType::Null => Ok(DorisType::Null),
        other => Err(DataFusionError::Plan(format!(
            "{} has no elements",
            other.sql_name()
        ))),
    }
}

fn element(call: &Call<'_>) -> Result<ArrayRef> {
    match &call.types[0] {
        DorisType::Struct(fields) => struct_field(call, fields),
        DorisType::Array(_) => array_item(call),
        DorisType::Map(key, _) => map_value(call, key),
        _ => Ok(new_null_array(&call.returns.arrow_type(), call.rows)),
    }
}

fn struct_field(call: &Call<'_>, fields: &[StructField]) -> Result<ArrayRef> {
    let values = call.args[0].as_struct();
    if call.rows == 0 {
        return Ok(new_null_array(&call.returns.arrow_type(), 0));
    }
    // The name is a constant, or planning would have failed.
    let name = call.texts(1)?;
    let by_name = fields
        .iter()
        .position(|f| f.name.eq_ignore_ascii_case(name.value(0)));
    let index = by_name.or_else(|| name.value(0).parse::<usize>().ok().and_then(|n| n.checked_sub(1)));
    let index = index
        .filter(|i| *i < values.num_columns())
        .ok_or_else(|| DataFusionError::Execution(format!("no field {} in the struct", name.value(0))))?;
    let column = values.column(index);
    // A NULL struct has NULL fields, whatever lies below.
    let rows = (0..call.rows).map(|row| values.is_valid(row).then_some(row as u32));
    Ok(take(column, &rows.collect::<UInt32Array>(), None)?)
}

/// From 1, or from the end with a negative index; NULL outside.
fn array_item(call: &Call<'_>) -> Result<ArrayRef> {
    let lists = call.args[0].as_list::<i32>();
    let indexes = call.integers(1)?;
    let rows = (0..call.rows).map(|row| {
        if lists.is_null(row) || indexes.is_null(row) {
            return None;
        }
        let (start, length) = (
            i64::from(lists.value_offsets()[row]),
            i64::from(lists.value_length(row)),
        );
        match indexes.value(row) {
            n if n >= 1 && n <= length => Some((start + n - 1) as u32),
            n if n < 0 && -n <= length => Some((start + length + n) as u32),
            _ => None,
        }
    });
    Ok(take(lists.values(), &rows.collect::<UInt32Array>(), None)?)
}

fn map_value(call: &Call<'_>, key_type: &DorisType) -> Result<ArrayRef> {
    let maps = call.args[0].as_map();
    let wanted = call.arg(1, key_type)?;
    let zone = &call.surroundings.zone;
    let rows = (0..call.rows).map(|row| {
        if maps.is_null(row) {
            return None;
        }
        let wanted = render(key_type, &wanted, row, zone)?;
        let (start, end) = (
            maps.value_offsets()[row] as usize,
            maps.value_offsets()[row + 1] as usize,
        );
        (start..end)
            .find(|at| render(key_type, maps.keys(), *at, zone).as_ref() == Some(&wanted))
            .map(|at| at as u32)
    });
    Ok(take(maps.values(), &rows.collect::<UInt32Array>(), None)?)
}

/// The type of the first argument that is not NULL, of every second one from `first`.
fn common_type(types: &[DorisType], first: usize) -> DorisType {
    let mut found = DorisType::Null;
    for doris_type in types.iter().skip(first).step_by(2) {
        found = match (&found, doris_type) {
            (_, DorisType::Null) => found,
            (DorisType::Null, other) => other.clone(),
            (a, b) if a == b => found,
            (a, b) if a.is_text() || b.is_text() => DorisType::String,
            (a, b) if a.is_integer() && b.is_integer() => DorisType::BigInt,
            (a, b) if a.is_number() && b.is_number() => DorisType::Double,
            _ => found,
        };
    }
    found
}

fn map_type(arguments: &Arguments<'_>) -> Result<DorisType> {
    if !arguments.types.len().is_multiple_of(2) {
        return Err(DataFusionError::Plan(
            "map can't be odd parameters, need even parameters".into(),
        ));
    }
    let (key, value) = (common_type(&arguments.types, 0), common_type(&arguments.types, 1));
    Ok(DorisType::Map(Box::new(key), Box::new(value)))
}

fn map(call: &Call<'_>) -> Result<ArrayRef> {
    let DorisType::Map(key, value) = &call.returns else {
        return Err(DataFusionError::Internal("map gives a MAP".into()));
    };
    let pairs = call.args.len() / 2;
    let side = |first: usize, doris_type: &DorisType| -> Result<ArrayRef> {
        if pairs == 0 {
            return Ok(new_null_array(&doris_type.arrow_type(), 0));
        }
        let columns = (0..pairs)
            .map(|n| call.arg(first + 2 * n, doris_type))
            .collect::<Result<Vec<_>>>()?;
        let parts: Vec<&dyn Array> = columns.iter().map(|c| c.as_ref()).collect();
        let all = concat(&parts)?;
        let order =
            (0..call.rows).flat_map(|row| (0..pairs).map(move |pair| (pair * call.rows + row) as u32));
        Ok(take(&all, &UInt32Array::from_iter_values(order), None)?)
    };
    let (keys, values) = (side(0, key)?, side(1, value)?);
    let DataType::Map(field, _) = call.returns.arrow_type() else {
        return Err(DataFusionError::Internal("map gives a MAP".into()));
    };
    let DataType::Struct(fields) = field.data_type().clone() else {
        return Err(DataFusionError::Internal("a map has entries".into()));
    };
    let entries = StructArray::try_new(fields, vec![keys, values], None)
        .map_err(|_| DataFusionError::Execution("a map key is NULL".into()))?;
    let offsets = OffsetBuffer::from_repeated_length(pairs, call.rows);
    Ok(Arc::new(MapArray::try_new(field, offsets, entries, None, false)?))
}

fn struct_type(arguments: &Arguments<'_>) -> Result<DorisType> {
    let fields = arguments.types.iter().enumerate().map(|(n, t)| StructField {
        name: format!("col{}", n + 1),
        doris_type: t.clone(),
    });
    Ok(DorisType::Struct(fields.collect()))
}

fn named_type(arguments: &Arguments<'_>) -> Result<DorisType> {
    if !arguments.types.len().is_multiple_of(2) {
        return Err(DataFusionError::Plan(
            "named_struct can't be odd parameters, need even parameters".into(),
        ));
    }
    let field = |n: usize| {
        let name = arguments
            .text(2 * n)
            .ok_or_else(|| DataFusionError::Plan("named_struct only allows constant string names".into()))?;
        Ok(StructField {
            name,
            doris_type: arguments.types[2 * n + 1].clone(),
        })
    };
    Ok(DorisType::Struct(
        (0..arguments.types.len() / 2).map(field).collect::<Result<_>>()?,
    ))
}

/// Both struct functions: the values are the last of each group of arguments.
fn structure(call: &Call<'_>) -> Result<ArrayRef> {
    let DorisType::Struct(fields) = &call.returns else {
        return Err(DataFusionError::Internal("struct gives a STRUCT".into()));
    };
    let step = call.args.len() / fields.len();
    let columns = fields
        .iter()
        .enumerate()
        .map(|(n, field)| call.arg(n * step + step - 1, &field.doris_type))
        .collect::<Result<Vec<_>>>()?;
    let DataType::Struct(arrow_fields) = call.returns.arrow_type() else {
        return Err(DataFusionError::Internal("struct gives a STRUCT".into()));
    };
    Ok(Arc::new(StructArray::try_new_with_length(
        arrow_fields,
        columns,
        None,
        call.rows,
    )?))
}

fn size(call: &Call<'_>) -> Result<ArrayRef> {
    let array = &call.args[0];
    let sizes: Int32Array = match array.data_type() {
        DataType::List(_) => {
            let lists = array.as_list::<i32>();
            (0..call.rows)
                .map(|row| lists.is_valid(row).then(|| lists.value_length(row)))
                .collect()
        }
        DataType::Map(..) => {
            let maps = array.as_map();
            (0..call.rows)
                .map(|row| maps.is_valid(row).then(|| maps.value_length(row)))
                .collect()
        }
        _ => return Ok(new_null_array(&DataType::Int32, call.rows)),
    };
    Ok(Arc::new(sizes))
}
