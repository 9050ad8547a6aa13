//! `CREATE TABLE` read into a declaration, with Doris' checks.

use std::collections::BTreeMap;

use datafusion::sql::sqlparser::tokenizer::Token;

use super::auto_partition::{check_auto_partition, read_auto_partition};
use super::cursor::Cursor;
use super::partition_clause::{PartitionClause, read_partitions};
use super::types::read_type;
use crate::error::SqlError;
use crate::store::info::KeysType;
use crate::store::schema::{Aggregation, Column, DefaultValue, Distribution, TableSchema};
use crate::values::types::DorisType;

/// Buckets that `BUCKETS AUTO` gives.
const AUTO_BUCKETS: usize = 10;

/// A `CREATE TABLE` as read and checked.
#[derive(Debug)]
pub struct CreateTable {
    /// Database, where named.
    pub database: Option<String>,
    /// Name.
    pub name: String,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// Declaration.
    pub schema: TableSchema,
    /// Partitions to begin with.
    pub partitions: Vec<PartitionClause>,
}

/// Reads what follows `CREATE TABLE`.
pub fn read_create_table(cursor: &mut Cursor<'_>) -> Result<CreateTable, SqlError> {
    let if_not_exists = cursor.eat_all(&["IF", "NOT", "EXISTS"]);
    if cursor.is("AUTO") {
        return Err(cursor.unexpected("the name of a table"));
    }
    let (database, name) = cursor.table_name()?;
    let columns = read_columns(cursor)?;
    let mut builder = Builder {
        columns,
        ..Builder::default()
    };
    builder.clauses(cursor)?;
    cursor.expect_end()?;
    let partitions = std::mem::take(&mut builder.partitions);
    Ok(CreateTable {
        database,
        name,
        if_not_exists,
        schema: builder.finish()?,
        partitions,
    })
}

fn read_columns(cursor: &mut Cursor<'_>) -> Result<Vec<Column>, SqlError> {
    cursor.expect_token(&Token::LParen)?;
    let mut columns: Vec<Column> = Vec::new();
    loop {
        if cursor.is("INDEX") && cursor.ahead(1) != Some(&Token::LParen) {
            skip_index(cursor)?;
        } else {
            let column = read_column(cursor)?;
            if columns.iter().any(|c| c.name.eq_ignore_ascii_case(&column.name)) {
                return Err(SqlError::plain(format!(
                    "Duplicate column name '{}'",
                    column.name
                )));
            }
            columns.push(column);
        }
        if !cursor.eat_token(&Token::Comma) {
            break;
        }
    }
    cursor.expect_token(&Token::RParen)?;
    Ok(columns)
}

/// Indexes change how Doris searches, not what it answers.
fn skip_index(cursor: &mut Cursor<'_>) -> Result<(), SqlError> {
    while !matches!(cursor.peek(), None | Some(Token::Comma | Token::RParen)) {
        if cursor.peek() == Some(&Token::LParen) {
            cursor.skip_parens()?;
        } else {
            cursor.take();
        }
    }
    Ok(())
}

/// Reads a column: name, type, and its options in any order.
pub fn read_column(cursor: &mut Cursor<'_>) -> Result<Column, SqlError> {
    let name = cursor.ident()?;
    if name.is_empty() || name.starts_with("__DORIS_") {
        return Err(SqlError::plain(format!("Incorrect column name '{name}'")));
    }
    let mut column = Column {
        doris_type: read_type(cursor)?,
        name,
        nullable: true,
        key: false,
        default: None,
        comment: String::new(),
        aggregation: None,
        auto_increment: false,
    };
    loop {
        if cursor.eat_all(&["NOT", "NULL"]) {
            column.nullable = false;
        } else if cursor.eat("NULL") {
            column.nullable = true;
        } else if cursor.eat("KEY") {
            column.key = true;
        } else if cursor.eat("AUTO_INCREMENT") {
            column.auto_increment = true;
            if cursor.peek() == Some(&Token::LParen) {
                cursor.skip_parens()?;
            }
        } else if cursor.eat("DEFAULT") {
            column.default = Some(read_default(cursor)?);
        } else if cursor.eat_all(&["ON", "UPDATE"]) {
            read_default(cursor)?;
        } else if cursor.eat("COMMENT") {
            column.comment = cursor.string()?;
        } else if let Some(aggregation) = peek_word(cursor).and_then(Aggregation::of_name) {
            cursor.take();
            column.aggregation = Some(aggregation);
        } else {
            break;
        }
    }
    if column.doris_type.is_opaque() {
        column.nullable = false;
    }
    check_default(&column)?;
    Ok(column)
}

fn peek_word<'a>(cursor: &Cursor<'a>) -> Option<&'a str> {
    match cursor.peek() {
        Some(Token::Word(word)) if word.quote_style.is_none() => Some(&word.value),
        _ => None,
    }
}

fn read_default(cursor: &mut Cursor<'_>) -> Result<DefaultValue, SqlError> {
    if cursor.eat("NULL") {
        return Ok(DefaultValue::Null);
    }
    if cursor.eat("CURRENT_TIMESTAMP") || cursor.eat("NOW") {
        let mut scale = 0;
        if cursor.eat_token(&Token::LParen) {
            if cursor.peek() != Some(&Token::RParen) {
                scale = cursor.number()?;
            }
            cursor.expect_token(&Token::RParen)?;
        }
        return Ok(DefaultValue::Now(scale));
    }
    if cursor.eat("CURRENT_DATE") {
        if cursor.eat_token(&Token::LParen) {
            cursor.expect_token(&Token::RParen)?;
        }
        return Ok(DefaultValue::Today);
    }
    if cursor.eat("BITMAP_EMPTY") {
        return Ok(DefaultValue::BitmapEmpty);
    }
    read_literal(cursor)?
        .map(DefaultValue::Text)
        .ok_or_else(|| cursor.unexpected("a default value"))
}

/// A literal's text: quoted, a number with its sign, `TRUE` or `FALSE`; `None` when none is next.
pub fn read_literal(cursor: &mut Cursor<'_>) -> Result<Option<String>, SqlError> {
    if let Some(text) = cursor.eat_string() {
        return Ok(Some(text));
    }
    for word in ["TRUE", "FALSE", "PI", "E"] {
        if cursor.eat(word) {
            return Ok(Some(word.to_ascii_lowercase()));
        }
    }
    let negative = match cursor.peek() {
        Some(Token::Minus) => true,
        Some(Token::Plus | Token::Number(..)) => false,
        _ => return Ok(None),
    };
    if !matches!(cursor.peek(), Some(Token::Number(..))) {
        cursor.take();
    }
    match cursor.take() {
        Some(Token::Number(number, _)) => Ok(Some(if negative {
            format!("-{number}")
        } else {
            number.clone()
        })),
        _ => Err(cursor.unexpected("a number")),
    }
}

fn check_default(column: &Column) -> Result<(), SqlError> {
    match &column.default {
        Some(DefaultValue::Null) if !column.nullable => Err(SqlError::plain(format!(
            "Can not set null default value to non nullable column: {}",
            column.name
        ))),
        Some(DefaultValue::Text(text)) => crate::store::defaults::default_array(&column.doris_type, text)
            .map(drop)
            .map_err(|message| {
                SqlError::plain(format!("Invalid default value for '{}': {message}", column.name))
            }),
        _ => Ok(()),
    }
}

/// `("key" = "value", …)`.
pub fn read_properties(cursor: &mut Cursor<'_>) -> Result<BTreeMap<String, String>, SqlError> {
    cursor.expect_token(&Token::LParen)?;
    let mut properties = BTreeMap::new();
    while !cursor.eat_token(&Token::RParen) {
        if !properties.is_empty() {
            cursor.expect_token(&Token::Comma)?;
        }
        let key = match cursor.eat_string() {
            Some(key) => key,
            None => cursor.ident()?,
        };
        cursor.expect_token(&Token::Eq)?;
        let value = match cursor.eat_string() {
            Some(value) => value,
            None => read_literal(cursor)?.map_or_else(|| cursor.ident(), Ok)?,
        };
        properties.insert(key, value);
    }
    Ok(properties)
}

/// `DISTRIBUTED BY …` after the two words were taken: distribution, buckets, whether they are automatic.
pub fn read_distribution(cursor: &mut Cursor<'_>) -> Result<(Distribution, usize, bool), SqlError> {
    let distribution = if cursor.eat("RANDOM") {
        Distribution::Random
    } else {
        cursor.expect("HASH")?;
        Distribution::Hash(
            cursor
                .ident_list()?
                .into_iter()
                .map(|n| n.to_lowercase())
                .collect(),
        )
    };
    if !cursor.eat("BUCKETS") || cursor.eat("AUTO") {
        return Ok((distribution, AUTO_BUCKETS, true));
    }
    let buckets: usize = cursor.number()?;
    if buckets == 0 {
        return Err(SqlError::plain("Buckets num must be greater than 0"));
    }
    Ok((distribution, buckets, false))
}

#[derive(Default)]
struct Builder {
    columns: Vec<Column>,
    keys: Option<(KeysType, Vec<String>)>,
    partition_by: Vec<String>,
    auto_partition: Option<String>,
    partitions: Vec<PartitionClause>,
    distribution: Option<(Distribution, usize, bool)>,
    properties: BTreeMap<String, String>,
    comment: String,
}

impl Builder {
    fn clauses(&mut self, cursor: &mut Cursor<'_>) -> Result<(), SqlError> {
        while !cursor.done() {
            if cursor.eat("ENGINE") {
                cursor.expect_token(&Token::Eq)?;
                let engine = cursor.ident()?;
                if !engine.eq_ignore_ascii_case("OLAP") {
                    return Err(SqlError::plain(format!("Unknown table engine '{engine}'")));
                }
            } else if let Some(keys_type) = read_keys_type(cursor) {
                self.keys = Some((keys_type, cursor.ident_list()?));
            } else if cursor.eat_all(&["CLUSTER", "BY"]) || cursor.eat_all(&["ORDER", "BY"]) {
                cursor.ident_list()?;
            } else if cursor.eat("COMMENT") {
                self.comment = cursor.string()?;
            } else if cursor.eat_all(&["AUTO", "PARTITION", "BY"]) {
                let (column, unit) = read_auto_partition(cursor)?;
                self.partitions = read_partitions(cursor)?;
                self.partition_by = vec![column];
                self.auto_partition = Some(unit);
            } else if cursor.eat_all(&["PARTITION", "BY"]) {
                self.partition_by(cursor)?;
            } else if cursor.eat_all(&["DISTRIBUTED", "BY"]) {
                self.distribution = Some(read_distribution(cursor)?);
            } else if cursor.eat("ROLLUP") {
                cursor.skip_parens()?;
            } else if cursor.eat("PROPERTIES") {
                self.properties = read_properties(cursor)?;
            } else {
                return Err(cursor.unexpected("a clause of CREATE TABLE"));
            }
        }
        Ok(())
    }

    fn partition_by(&mut self, cursor: &mut Cursor<'_>) -> Result<(), SqlError> {
        if cursor.is("LIST") {
            return Err(SqlError::plain("PARTITION BY LIST is not served here: RANGE is"));
        }
        // `PARTITION BY (col)` is a range too.
        cursor.eat("RANGE");
        let columns: Vec<String> = cursor
            .ident_list()?
            .into_iter()
            .map(|n| n.to_lowercase())
            .collect();
        self.partitions = read_partitions(cursor)?;
        self.partition_by = columns;
        Ok(())
    }

    fn finish(mut self) -> Result<TableSchema, SqlError> {
        let keys_type = self.mark_keys()?;
        let (distribution, buckets, auto_buckets) =
            self.distribution.take().unwrap_or_else(|| match keys_type {
                KeysType::Duplicate => (Distribution::Random, AUTO_BUCKETS, true),
                _ => {
                    let keys = self
                        .columns
                        .iter()
                        .filter(|c| c.key)
                        .map(|c| c.name.to_lowercase())
                        .collect();
                    (Distribution::Hash(keys), AUTO_BUCKETS, true)
                }
            });
        let schema = TableSchema {
            keys_type,
            columns: self.columns,
            partition_columns: self.partition_by,
            auto_partition: self.auto_partition,
            distribution,
            buckets,
            auto_buckets,
            properties: self.properties,
            comment: self.comment,
        };
        check(&schema)?;
        Ok(schema)
    }

    /// Marks the key columns; without a clause the first columns that may be one.
    fn mark_keys(&mut self) -> Result<KeysType, SqlError> {
        let aggregates = self.columns.iter().any(|c| c.aggregation.is_some());
        let (keys_type, names) = match self.keys.take() {
            Some(keys) => keys,
            None if aggregates => {
                let keys = self.columns.iter().take_while(|c| c.aggregation.is_none());
                (KeysType::Aggregate, keys.map(|c| c.name.clone()).collect())
            }
            None => (KeysType::Duplicate, default_keys(&self.columns)),
        };
        self.columns.iter_mut().for_each(|c| c.key = false);
        for (position, name) in names.iter().enumerate() {
            let found = self
                .columns
                .iter()
                .position(|c| c.name.eq_ignore_ascii_case(name));
            match found {
                None => return Err(SqlError::plain(format!("Key column[{name}] doesn't exist."))),
                Some(at) if at != position => {
                    return Err(SqlError::plain(
                        "Key columns should be a ordered prefix of the schema.",
                    ));
                }
                Some(at) => self.columns[at].key = true,
            }
        }
        if keys_type != KeysType::Duplicate && names.is_empty() {
            return Err(SqlError::plain("The table must have at least one key column"));
        }
        Ok(keys_type)
    }
}

fn read_keys_type(cursor: &mut Cursor<'_>) -> Option<KeysType> {
    let kinds = [
        ("UNIQUE", KeysType::Unique),
        ("DUPLICATE", KeysType::Duplicate),
        ("AGGREGATE", KeysType::Aggregate),
    ];
    kinds
        .into_iter()
        .find(|(word, _)| cursor.eat_all(&[word, "KEY"]))
        .map(|(_, keys_type)| keys_type)
}

/// Doris' choice for a Duplicate table without a key clause: up to three columns, a text is the last of them.
fn default_keys(columns: &[Column]) -> Vec<String> {
    let mut keys = Vec::new();
    for column in columns.iter().take(3) {
        if !may_be_key(&column.doris_type) {
            break;
        }
        keys.push(column.name.clone());
        if matches!(column.doris_type, DorisType::Varchar(_)) {
            break;
        }
    }
    keys
}

fn may_be_key(doris_type: &DorisType) -> bool {
    !(doris_type.is_opaque()
        || doris_type.is_nested()
        || matches!(
            doris_type,
            DorisType::Float
                | DorisType::Double
                | DorisType::String
                | DorisType::Json
                | DorisType::Variant
                | DorisType::Time(_)
        ))
}

fn check(schema: &TableSchema) -> Result<(), SqlError> {
    for column in &schema.columns {
        check_column(schema.keys_type, column)?;
    }
    if let Distribution::Hash(names) = &schema.distribution {
        for name in names {
            match schema.index_of(name).map(|i| &schema.columns[i]) {
                None => {
                    return Err(SqlError::plain(format!(
                        "Distribution column({name}) doesn't exist"
                    )));
                }
                Some(column) if schema.keys_type != KeysType::Duplicate && !column.key => {
                    return Err(SqlError::plain(format!(
                        "Distribution column[{name}] is not key column"
                    )));
                }
                Some(_) => {}
            }
        }
    } else if schema.keys_type == KeysType::Unique {
        return Err(SqlError::plain(
            "Create unique keys table should not contain random distribution desc",
        ));
    }
    for name in &schema.partition_columns {
        match schema.index_of(name).map(|i| &schema.columns[i]) {
            None => {
                return Err(SqlError::plain(format!(
                    "Partition column[{name}] does not exist in columns."
                )));
            }
            Some(column) if schema.keys_type != KeysType::Duplicate && !column.key => {
                return Err(SqlError::plain(
                    "The partition column could not be aggregated column",
                ));
            }
            Some(_) => {}
        }
    }
    check_auto_partition(schema)?;
    match schema.properties.get("function_column.sequence_col") {
        Some(name) if schema.index_of(name).is_none() => Err(SqlError::plain(format!(
            "Sequence column[{name}] does not exist."
        ))),
        _ => Ok(()),
    }
}

/// Checks one column against the model of its table.
pub fn check_column(keys_type: KeysType, column: &Column) -> Result<(), SqlError> {
    let name = &column.name;
    if column.key {
        if matches!(column.doris_type, DorisType::Float | DorisType::Double) {
            return Err(SqlError::plain(
                "Float or double can not used as a key, use decimal instead.",
            ));
        }
        if !may_be_key(&column.doris_type) {
            let type_name = column.doris_type.data_type_name().to_uppercase();
            return Err(SqlError::plain(format!(
                "{type_name} type should not be used in key column[{name}]."
            )));
        }
        if let Some(aggregation) = column.aggregation {
            return Err(SqlError::plain(format!(
                "Key column[{name}] should not have aggregate type {}",
                aggregation.sql_name()
            )));
        }
        return Ok(());
    }
    match (keys_type, column.aggregation) {
        (KeysType::Aggregate, None) => Err(SqlError::plain(format!(
            "Should specify aggregate type for non-key column[{name}]"
        ))),
        (KeysType::Aggregate, Some(Aggregation::Sum)) if !column.doris_type.is_number() => {
            Err(SqlError::plain(format!(
                "Aggregate type SUM is not compatible with primitive type {}",
                column.doris_type.sql_name()
            )))
        }
        (KeysType::Aggregate, Some(Aggregation::BitmapUnion)) if column.doris_type != DorisType::Bitmap => {
            Err(SqlError::plain(format!(
                "Aggregate type BITMAP_UNION is not compatible with primitive type {}",
                column.doris_type.sql_name()
            )))
        }
        (KeysType::Unique | KeysType::Duplicate, Some(aggregation)) => Err(SqlError::plain(format!(
            "Table cannot specify aggregate type {} for column[{name}]",
            aggregation.sql_name()
        ))),
        _ => Ok(()),
    }
}
