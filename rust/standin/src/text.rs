//! Values as text: what the MySQL port shows and `CAST(x AS STRING)` gives.

use arrow_array::Array;

use crate::types::DorisType;
use crate::zone::Zone;

/// One value as the MySQL port shows it; `None` is NULL. `array` holds the Arrow form or the compute form of the type.
pub fn render(_doris_type: &DorisType, _array: &dyn Array, _row: usize, _zone: &Zone) -> Option<String> {
    None
}
