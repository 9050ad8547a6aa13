//! `DESC` and `SHOW COLUMNS`: what a relation looks like.

use std::sync::Arc;

use super::cursor::Cursor;
use super::lexer::Statement;
use super::tables::Listing;
use crate::error::SqlError;
use crate::sql::engine::{Answer, Engine, Session};
use crate::sql::types::type_of_field;
use crate::store::catalog::{Relation, is_built_in};
use crate::store::info::KeysType;

impl Engine {
    pub(crate) async fn show_columns(
        &self,
        session: &Session,
        statement: &Statement,
        cursor: &mut Cursor<'_>,
        full: bool,
    ) -> Result<Answer, SqlError> {
        let (mut database, name) = cursor.table_name()?;
        if cursor.eat("FROM") || cursor.eat("IN") {
            database = Some(cursor.ident()?);
        }
        let database = self.database_of(session, database)?;
        let mut listing = match full {
            true => Listing::of_columns("Field Type Collation Null Key Default Extra Privileges Comment"),
            false => Listing::of_columns("Field Type Null Key Default Extra"),
        };
        for row in self.description(session, &database, &name).await? {
            let [field, type_name, null, key, default, extra, comment] = row;
            // `DESC` shows `Yes` and `true` where this shows `YES`, which drivers compare with.
            let yes_no = |value: Option<String>| {
                let yes = value.is_some_and(|v| v.eq_ignore_ascii_case("yes") || v == "true");
                Some(if yes { "YES" } else { "NO" }.to_string())
            };
            let (null, key) = (yes_no(null), yes_no(key));
            listing.push(match full {
                true => vec![
                    field,
                    type_name,
                    None,
                    null,
                    key,
                    default,
                    extra,
                    Some(String::new()),
                    comment,
                ],
                false => vec![field, type_name, null, key, default, extra],
            });
        }
        self.filtered(session, statement, cursor, listing).await
    }

    pub(crate) async fn describe(
        &self,
        session: &Session,
        cursor: &mut Cursor<'_>,
    ) -> Result<Answer, SqlError> {
        let (database, name) = cursor.table_name()?;
        cursor.eat("ALL");
        cursor.expect_end()?;
        let database = self.database_of(session, database)?;
        let mut listing = Listing::of_columns("Field Type Null Key Default Extra");
        for row in self.description(session, &database, &name).await? {
            let [field, type_name, null, key, default, extra, _comment] = row;
            listing.push(vec![field, type_name, null, key, default, extra]);
        }
        Ok(Answer::FrontEndRows(listing.into_rows()?))
    }

    /// Name, type, nullable, key, default, extra and comment of every column of a relation.
    async fn description(
        &self,
        session: &Session,
        database: &str,
        name: &str,
    ) -> Result<Vec<[Option<String>; 7]>, SqlError> {
        let yes_no = |yes: bool| Some(if yes { "Yes" } else { "No" }.to_string());
        if is_built_in(database) {
            let table = self.information_table(database, name)?;
            let row = |field: &arrow_schema::FieldRef| {
                let declared = field
                    .metadata()
                    .get(crate::values::types::NAME_KEY)
                    .unwrap_or(field.name())
                    .clone();
                let type_name = type_of_field(field).sql_name();
                [
                    Some(declared),
                    Some(type_name),
                    yes_no(true),
                    Some("false".into()),
                    None,
                    Some(String::new()),
                    Some(String::new()),
                ]
            };
            return Ok(table.schema().fields().iter().map(row).collect());
        }
        match self.catalog().relation(database, name)? {
            Relation::Table(table) => {
                let schema = Arc::clone(&table.snapshot().schema);
                Ok(schema
                    .columns
                    .iter()
                    .map(|column| {
                        let extra = match (column.key, column.aggregation, schema.keys_type) {
                            (true, _, _) => String::new(),
                            (_, Some(aggregation), _) => aggregation.sql_name().into(),
                            (_, None, KeysType::Duplicate | KeysType::Unique) => "NONE".into(),
                            _ => String::new(),
                        };
                        let extra = if column.auto_increment {
                            "AUTO_INCREMENT".into()
                        } else {
                            extra
                        };
                        [
                            Some(column.name.clone()),
                            Some(column.doris_type.sql_name()),
                            yes_no(column.nullable),
                            Some(column.key.to_string()),
                            column.default.as_ref().and_then(|d| d.shown()),
                            Some(extra),
                            Some(column.comment.clone()),
                        ]
                    })
                    .collect())
            }
            Relation::View(view) => {
                let columns = self.view_columns(session, &view).await?;
                Ok(columns
                    .into_iter()
                    .map(|column| {
                        [
                            Some(column.name),
                            Some(column.doris_type.sql_name()),
                            yes_no(column.nullable),
                            Some("false".into()),
                            None,
                            Some(String::new()),
                            Some(String::new()),
                        ]
                    })
                    .collect())
            }
        }
    }
}
