//! Partitions made and dropped: ends completed, overlaps refused, tablets placed on back ends.

use std::sync::Arc;

use super::partition_clause::PartitionClause;
use crate::error::SqlError;
use crate::sql::engine::Engine;
use crate::store::changelog::log::ChangeLog;
use crate::store::partition::{Bound, BoundEncoder, PartitionFinder};
use crate::store::schema::TableSchema;
use crate::store::tablet::{Partition, Tablet};

impl Engine {
    /// The first partitions of a table.
    pub(crate) fn first_partitions(
        &self,
        table: &str,
        schema: &TableSchema,
        clauses: Vec<PartitionClause>,
    ) -> Result<Vec<Arc<Partition>>, SqlError> {
        if !schema.is_partitioned() {
            return Ok(vec![self.new_partition(table, Bound::All, schema.buckets, false)]);
        }
        let mut partitions = Vec::new();
        for clause in clauses {
            let partition = self.partition_of_clause(schema, &partitions, clause, schema.buckets, false)?;
            partitions.push(partition);
        }
        Ok(partitions)
    }

    /// A partition beside others of the same kind (temporary or not); overlap is an error.
    pub(crate) fn partition_of_clause(
        &self,
        schema: &TableSchema,
        beside: &[Arc<Partition>],
        clause: PartitionClause,
        buckets: usize,
        temporary: bool,
    ) -> Result<Arc<Partition>, SqlError> {
        let encoder = BoundEncoder::new(schema)?;
        let mut bound = clause.bound;
        match &mut bound {
            Bound::Range { lower, upper } => {
                if clause.open_start {
                    *lower = lower_end(&encoder, beside, upper.as_deref())?;
                }
                if let (Some(lower), Some(upper)) = (&lower, &upper)
                    && encoder.bound(lower)? >= encoder.bound(upper)?
                {
                    return Err(SqlError::plain(format!(
                        "Range of partition {} is empty or intersects with another",
                        clause.name
                    )));
                }
            }
            Bound::All => {}
        }
        let all = beside.iter().map(|p| &p.bound).chain([&bound]);
        if PartitionFinder::new(schema, all)?.overlap() {
            return Err(overlap(&clause.name));
        }
        Ok(self.new_partition(&clause.name, bound, buckets, temporary))
    }

    /// An empty partition whose tablets go to the back ends by turns.
    pub(crate) fn new_partition(
        &self,
        name: &str,
        bound: Bound,
        buckets: usize,
        temporary: bool,
    ) -> Arc<Partition> {
        let catalog = self.catalog();
        let backends = self.cluster().backends().len().max(1);
        let tablets = (0..buckets)
            .map(|_| {
                let backend_index = self.next_backend() % backends;
                Arc::new(Tablet {
                    id: catalog.next_id(),
                    backend_index,
                    batches: Vec::new(),
                    changes: ChangeLog::default(),
                })
            })
            .collect();
        Arc::new(Partition {
            id: catalog.next_id(),
            name: name.to_string(),
            bound,
            version: 1,
            visible_micros: catalog.clock.now_micros(),
            temporary,
            tablets,
        })
    }
}

fn overlap(name: &str) -> SqlError {
    SqlError::plain(format!(
        "Range or list of partition {name} is intersected with another partition"
    ))
}

/// Where a `LESS THAN` partition begins: at the largest end of another that is not above its own.
fn lower_end(
    encoder: &BoundEncoder,
    beside: &[Arc<Partition>],
    upper: Option<&[crate::store::partition::BoundValue]>,
) -> Result<Option<Vec<crate::store::partition::BoundValue>>, SqlError> {
    let own = upper.map(|v| encoder.bound(v)).transpose()?;
    let mut best: Option<(Vec<u8>, Vec<crate::store::partition::BoundValue>)> = None;
    for partition in beside {
        if let Bound::Range {
            upper: Some(values), ..
        } = &partition.bound
        {
            let end = encoder.bound(values)?;
            let below = own.as_ref().is_none_or(|own| end < *own);
            if below && best.as_ref().is_none_or(|(known, _)| end > *known) {
                best = Some((end, values.clone()));
            }
        }
    }
    Ok(best.map(|(_, values)| values))
}
