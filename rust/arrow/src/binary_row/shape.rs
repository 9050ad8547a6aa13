//! Which of the forms of the format a type has.

use crate::types::{FlinkKind, FlinkType};

/// Precisions up to this one are kept in 8 bytes.
const COMPACT_DECIMAL: u8 = 18;
const COMPACT_TIMESTAMP: u8 = 3;

/// How a column's values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A bit becomes a byte.
    Bit,
    /// So many bytes as they are.
    Bytes(usize),
    /// 16 bytes, of which 8 count.
    Decimal { digits: u8, scale: i8 },
    /// 16 bytes.
    WideDecimal { digits: u8, scale: i8 },
    /// Microseconds become milliseconds.
    Millis,
    /// Microseconds become milliseconds and nanoseconds.
    Timestamp,
    /// Offsets and bytes.
    Text,
}

impl Shape {
    /// `None` for types that consist of others, and for those that are not read.
    pub(super) fn of(r#type: &FlinkType) -> Option<Self> {
        Some(match r#type.kind {
            FlinkKind::Boolean => Self::Bit,
            FlinkKind::TinyInt => Self::Bytes(1),
            FlinkKind::SmallInt => Self::Bytes(2),
            FlinkKind::Int | FlinkKind::Float | FlinkKind::Date | FlinkKind::Time(_) => Self::Bytes(4),
            FlinkKind::BigInt | FlinkKind::Double => Self::Bytes(8),
            FlinkKind::Decimal(digits, scale) if digits <= COMPACT_DECIMAL => Self::Decimal { digits, scale },
            FlinkKind::Decimal(digits, scale) => Self::WideDecimal { digits, scale },
            FlinkKind::Timestamp(digits) | FlinkKind::TimestampLtz(digits) if digits <= COMPACT_TIMESTAMP => {
                Self::Millis
            }
            FlinkKind::Timestamp(_) | FlinkKind::TimestampLtz(_) => Self::Timestamp,
            FlinkKind::Char(_) | FlinkKind::Varchar(_) | FlinkKind::Binary(_) | FlinkKind::Varbinary(_) => {
                Self::Text
            }
            FlinkKind::Array(_)
            | FlinkKind::Map(_, _)
            | FlinkKind::Row(_)
            | FlinkKind::Multiset(_)
            | FlinkKind::IntervalYearMonth
            | FlinkKind::IntervalDayTime
            | FlinkKind::Other(_) => return None,
        })
    }
}
