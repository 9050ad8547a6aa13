//! `ALTER TABLE`: clauses about partitions.

use std::sync::Arc;

use datafusion::sql::sqlparser::tokenizer::Token;

use super::alter::Alter;
use super::create_table::{read_distribution, read_properties};
use super::cursor::Cursor;
use super::partition_clause::read_partition;
use crate::error::SqlError;
use crate::store::tablet::Partition;

impl Alter<'_> {
    pub(super) fn add_partition(&mut self, cursor: &mut Cursor<'_>, temporary: bool) -> Result<(), SqlError> {
        let schema = Arc::clone(&self.version.schema);
        if schema.partition_columns.is_empty() {
            return Err(SqlError::plain(
                "Only support adding partition to range and list partitioned table",
            ));
        }
        let clause = read_partition(cursor)?;
        let mut buckets = schema.buckets;
        if cursor.eat_all(&["DISTRIBUTED", "BY"]) {
            buckets = read_distribution(cursor)?.1;
        }
        if self.version.partition(&clause.name, temporary).is_some() {
            return match clause.if_not_exists {
                true => Ok(()),
                false => Err(SqlError::plain(format!(
                    "Duplicate partition name {}",
                    clause.name
                ))),
            };
        }
        let beside: Vec<Arc<Partition>> = self
            .version
            .partitions
            .iter()
            .filter(|p| p.temporary == temporary)
            .cloned()
            .collect();
        let partition = self
            .engine
            .partition_of_clause(&schema, &beside, clause, buckets, temporary)?;
        self.version.partitions.push(partition);
        Ok(())
    }

    pub(super) fn drop_partition(
        &mut self,
        cursor: &mut Cursor<'_>,
        temporary: bool,
    ) -> Result<(), SqlError> {
        let if_exists = cursor.eat_all(&["IF", "EXISTS"]);
        let name = cursor.ident()?;
        cursor.eat("FORCE");
        if self.version.schema.partition_columns.is_empty() {
            return Err(SqlError::plain("Table is not partitioned"));
        }
        let before = self.version.partitions.len();
        self.version
            .partitions
            .retain(|p| p.temporary != temporary || !p.name.eq_ignore_ascii_case(&name));
        if self.version.partitions.len() == before && !if_exists {
            return Err(SqlError::plain(format!("Error in list of partitions to {name}")));
        }
        self.version.version += 1;
        Ok(())
    }

    /// `REPLACE PARTITION (p1, …) WITH TEMPORARY PARTITION (tp1, …)`.
    pub(super) fn replace_partition(&mut self, cursor: &mut Cursor<'_>) -> Result<(), SqlError> {
        let read = |cursor: &mut Cursor<'_>| {
            if cursor.peek() == Some(&Token::LParen) {
                cursor.ident_list()
            } else {
                Ok(vec![cursor.ident()?])
            }
        };
        let old = read(cursor)?;
        for word in ["WITH", "TEMPORARY", "PARTITION"] {
            cursor.expect(word)?;
        }
        let new = read(cursor)?;
        if cursor.eat("PROPERTIES") {
            read_properties(cursor)?;
        }
        for (names, temporary) in [(&old, false), (&new, true)] {
            for name in names.iter() {
                if self.version.partition(name, temporary).is_none() {
                    return Err(SqlError::plain(format!("Partition {name} does not exist")));
                }
            }
        }
        let is_in = |names: &[String], name: &str| names.iter().any(|n| n.eq_ignore_ascii_case(name));
        self.version
            .partitions
            .retain(|p| p.temporary || !is_in(&old, &p.name));
        let same_count = old.len() == new.len();
        for partition in &mut self.version.partitions {
            if partition.temporary && is_in(&new, &partition.name) {
                let place = new
                    .iter()
                    .position(|n| n.eq_ignore_ascii_case(&partition.name))
                    .unwrap_or(0);
                let name = if same_count {
                    old[place].clone()
                } else {
                    partition.name.clone()
                };
                *partition = Arc::new(Partition {
                    temporary: false,
                    name,
                    ..(**partition).clone()
                });
            }
        }
        self.version.version += 1;
        Ok(())
    }
}
