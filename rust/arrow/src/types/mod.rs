//! Types on both sides: Doris' from the text of `information_schema`, Flink's from its serializable text, and which
//! fits which.
//!
//! | Flink | canonical Arrow type |
//! |---|---|
//! | `BOOLEAN` | Bool |
//! | `TINYINT` … `BIGINT` | Int8 … Int64 |
//! | `FLOAT`, `DOUBLE` | Float32, Float64 |
//! | `DECIMAL(p,s)` | Decimal128(p,s) |
//! | `DATE` | Date32 |
//! | `TIME(p)` | Int32, milliseconds of the day |
//! | `TIMESTAMP(p)`, `TIMESTAMP_LTZ(p)` | Timestamp(µs, no zone); for `TIMESTAMP_LTZ` the UTC instant |
//! | `CHAR`, `VARCHAR`, `STRING` | Utf8 |
//! | `BINARY`, `VARBINARY`, `BYTES` | Binary |
//! | `ARRAY`, `MAP`, `ROW` | List, Map, Struct |
//! | `MULTISET<T>` | Map from T to Int32; only written |
//! | `INTERVAL` of months, of milliseconds | Int32, Int64; only written |

mod compat;
mod doris;
mod flink;
mod natural;
mod text;

pub use compat::{match_fields, select_type};
pub use doris::{DorisField, DorisType};
pub use flink::{FlinkField, FlinkKind, FlinkType, MAX_LENGTH};
pub use natural::natural_type;
