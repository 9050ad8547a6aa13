//! From what a server delivers to canonical Arrow types: planned once per stream, applied per batch.
//!
//! A batch whose columns are all canonical is verified and passed on untouched (the identity path). Otherwise columns
//! that are right as they are keep their bytes, and only the others are decoded and converted.

mod convert;
mod nulls;
mod plan;
mod text;
mod zone;

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::buffer::Buffer;
use arrow::datatypes::{Schema, SchemaRef};
use bytes::Bytes;

pub use zone::Zone;

use crate::error::{Error, Result};
use crate::ipc::{IpcBatch, Layout, Piece, assemble, bytes_for_text, decode};
use crate::types::{DorisType, FlinkType};
use plan::Conversion;

/// A column as it is wanted.
#[derive(Clone, Debug)]
pub struct ColumnSpec {
    /// The column as the user knows it, for messages.
    pub label: String,
    /// Its name in the delivered schema.
    pub name: String,
    /// The type in the table.
    pub doris: DorisType,
    /// The declared type.
    pub flink: FlinkType,
}

/// The way from one delivered schema to the wanted columns.
#[derive(Debug)]
pub struct Normalizer {
    delivered: SchemaRef,
    columns: Vec<Column>,
    identity: bool,
    decoded: Vec<usize>,
}

#[derive(Debug)]
struct Column {
    spec: ColumnSpec,
    source: usize,
    conversion: Conversion,
}

/// The dictionaries of a stream, for servers that send some.
#[derive(Debug, Default)]
pub struct Dictionaries(HashMap<i64, ArrayRef>);

/// A batch in canonical types, and whether it took the identity path.
#[derive(Debug)]
pub struct Normalized {
    /// The batch.
    pub batch: IpcBatch,
    /// `true` when header and body are the delivered ones.
    pub identity: bool,
}

impl Normalizer {
    /// Plans the conversion of every wanted column. `local` is `table.local-time-zone`. The error lists all columns
    /// that are missing or arrive in a form that cannot be read.
    pub fn new(delivered: &Schema, wanted: Vec<ColumnSpec>, local: Zone) -> Result<Self> {
        let mut problems = Vec::new();
        let mut columns = Vec::with_capacity(wanted.len());
        for (position, spec) in wanted.into_iter().enumerate() {
            let Some(source) = find(delivered, position, &spec.name) else {
                problems.push(format!(
                    "column '{}' is missing in what the server sent",
                    spec.label
                ));
                continue;
            };
            match plan::plan(
                delivered.field(source).data_type(),
                &spec.doris,
                &spec.flink,
                local,
            ) {
                Ok(conversion) => columns.push(Column {
                    spec,
                    source,
                    conversion,
                }),
                Err(why) => problems.push(format!(
                    "column '{}' ({} in Doris, declared {}): {why}",
                    spec.label, spec.doris, spec.flink
                )),
            }
        }
        if !problems.is_empty() {
            return Err(Error::Schema(problems));
        }
        let identity = columns.len() == delivered.fields().len()
            && columns
                .iter()
                .enumerate()
                .all(|(i, c)| c.source == i && c.conversion.is_same());
        let decoded = columns
            .iter()
            .filter(|c| !c.conversion.is_same())
            .map(|c| c.source)
            .collect();
        Ok(Self {
            delivered: Arc::new(bytes_for_text(delivered)),
            columns,
            identity,
            decoded,
        })
    }

    /// Whether batches are passed on untouched.
    pub fn is_identity(&self) -> bool {
        self.identity
    }

    /// Remembers a dictionary that came in the stream.
    pub fn add_dictionary(&self, dictionaries: &mut Dictionaries, header: &[u8], body: Bytes) -> Result<()> {
        let message = arrow::ipc::root_as_message(header)
            .map_err(|e| Error::corrupt(format!("the header is not a valid message ({e})")))?;
        let batch = message
            .header_as_dictionary_batch()
            .ok_or_else(|| Error::corrupt("a dictionary is missing"))?;
        let values = batch
            .data()
            .ok_or_else(|| Error::corrupt("a dictionary without values"))?;
        let r#type = plan::dictionary_value(&self.delivered, batch.id())
            .ok_or_else(|| Error::corrupt(format!("no column uses the dictionary {}", batch.id())))?;
        Layout::verify_batch(&values, message.bodyLength(), &body, &vec![r#type].into())?;
        arrow::ipc::reader::read_dictionary(
            &Buffer::from(body),
            batch,
            &self.delivered,
            &mut dictionaries.0,
            &message.version(),
        )
        .map_err(|e| Error::corrupt(e.to_string()))
    }

    /// Turns one delivered record batch (a bare flatbuffer `Message` and its body) into canonical form. Verifies the
    /// header in any case, and that nothing is NULL that is declared `NOT NULL`.
    pub fn apply(&self, header: Bytes, body: Bytes, dictionaries: &Dictionaries) -> Result<Normalized> {
        let layout = Layout::verify(&header, &body, self.delivered.fields())?;
        let (strict, mut decode): (Vec<usize>, Vec<usize>) =
            (self.raw_with_nulls(&layout), self.decoded.clone());
        decode.extend(&strict);
        let arrays = self.decode(&header, &body, &decode, dictionaries)?;
        let (converted, checked) = arrays.split_at(self.decoded.len());
        for (source, array) in strict.iter().zip(checked) {
            for column in self.columns.iter().filter(|c| c.source == *source) {
                nulls::check(array, &column.spec.flink, &column.spec.label)?;
            }
        }
        if self.identity {
            let rows = layout.rows;
            return Ok(Normalized {
                batch: IpcBatch { header, body, rows },
                identity: true,
            });
        }
        let mut converted = converted.iter();
        let mut pieces = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            if column.conversion.is_same() {
                pieces.push(Piece::Raw(&layout.columns[column.source]));
                continue;
            }
            let array = converted
                .next()
                .ok_or_else(|| Error::corrupt("a column was not decoded"))?;
            let array = convert::convert(array, &column.conversion, &column.spec.label)?;
            nulls::check(&array, &column.spec.flink, &column.spec.label)?;
            pieces.push(Piece::Array(array));
        }
        Ok(Normalized {
            batch: assemble(&layout, &body, &pieces)?,
            identity: false,
        })
    }

    /// Columns that keep their bytes and hold a NULL where one may be forbidden: only these need a closer look.
    fn raw_with_nulls(&self, layout: &Layout) -> Vec<usize> {
        self.columns
            .iter()
            .filter(|c| c.conversion.is_same())
            .filter(|c| {
                nulls::suspicious(
                    &c.spec.flink,
                    &layout.nodes[layout.columns[c.source].nodes.clone()],
                )
            })
            .map(|c| c.source)
            .collect()
    }

    fn decode(
        &self,
        header: &[u8],
        body: &Bytes,
        columns: &[usize],
        dictionaries: &Dictionaries,
    ) -> Result<Vec<ArrayRef>> {
        if columns.is_empty() {
            return Ok(Vec::new());
        }
        decode(
            header,
            body,
            self.delivered.clone(),
            Some(columns),
            &dictionaries.0,
        )
    }
}

/// The place of a wanted column: where it was requested if its name is there, else by name, exactly and then in any
/// case.
fn find(delivered: &Schema, position: usize, name: &str) -> Option<usize> {
    let fields = delivered.fields();
    if fields
        .get(position)
        .is_some_and(|f| f.name().eq_ignore_ascii_case(name))
    {
        return Some(position);
    }
    fields
        .iter()
        .position(|f| f.name() == name)
        .or_else(|| fields.iter().position(|f| f.name().eq_ignore_ascii_case(name)))
}
