//! Nested values cast level by level: arrays and maps by their parts, structs field by field in order.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ListArray, MapArray, StructArray};
use arrow_schema::DataType;

use super::build::CellError;
use super::cast::cast_array;
use crate::values::types::DorisType;
use crate::values::zone::Zone;

/// The cast, or `None` when the two types differ in kind or in the number of fields.
pub fn cast_nested(
    from: &DorisType,
    to: &DorisType,
    array: &ArrayRef,
    zone: &Zone,
    strict: bool,
) -> Option<Result<ArrayRef, CellError>> {
    match (from, to, array.data_type(), to.arrow_type()) {
        (DorisType::Array(a), DorisType::Array(b), DataType::List(_), DataType::List(field)) => {
            let lists = array.as_list::<i32>();
            let values = cast_array(a, b, lists.values(), zone, strict);
            Some(values.map(|values| {
                let (offsets, nulls) = (lists.offsets().clone(), lists.nulls().cloned());
                Arc::new(ListArray::new(field, offsets, values, nulls)) as ArrayRef
            }))
        }
        (DorisType::Map(ak, av), DorisType::Map(bk, bv), DataType::Map(..), DataType::Map(field, _)) => {
            let maps = array.as_map();
            Some(cast_map(maps, (ak, av), (bk, bv), field, zone, strict))
        }
        (DorisType::Struct(a), DorisType::Struct(b), DataType::Struct(_), DataType::Struct(fields))
            if a.len() == b.len() =>
        {
            let values = array.as_struct();
            let columns = a
                .iter()
                .zip(b)
                .zip(values.columns())
                .map(|((from, to), column)| {
                    cast_array(&from.doris_type, &to.doris_type, column, zone, strict)
                })
                .collect::<Result<Vec<_>, _>>();
            Some(columns.and_then(|columns| {
                StructArray::try_new_with_length(fields, columns, values.nulls().cloned(), array.len())
                    .map(|array| Arc::new(array) as ArrayRef)
                    .map_err(|e| CellError {
                        row: 0,
                        message: e.to_string(),
                    })
            }))
        }
        _ => None,
    }
}

fn cast_map(
    maps: &MapArray,
    from: (&DorisType, &DorisType),
    to: (&DorisType, &DorisType),
    field: arrow_schema::FieldRef,
    zone: &Zone,
    strict: bool,
) -> Result<ArrayRef, CellError> {
    let keys = cast_array(from.0, to.0, maps.keys(), zone, strict)?;
    let values = cast_array(from.1, to.1, maps.values(), zone, strict)?;
    let refused = |e: arrow_schema::ArrowError| CellError {
        row: 0,
        message: e.to_string(),
    };
    let DataType::Struct(fields) = field.data_type().clone() else {
        return Err(CellError {
            row: 0,
            message: "a map without entries".into(),
        });
    };
    let entries = StructArray::try_new(fields, vec![keys, values], None).map_err(refused)?;
    let array = MapArray::try_new(
        field,
        maps.offsets().clone(),
        entries,
        maps.nulls().cloned(),
        false,
    );
    array.map(|array| Arc::new(array) as ArrayRef).map_err(refused)
}
