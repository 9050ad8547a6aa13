//! `table@incr(…)` in a query: read, checked, and made a relation.

use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::sql::sqlparser::ast::{
    ExceptSelectItem, Expr, Ident, ObjectName, ObjectNamePart, OrderByExpr, OrderByKind, Query, Select,
    SelectItem, SelectItemQualifiedWildcardKind, SetExpr, Statement, TableFactor, TableWithJoins, VisitMut,
    VisitorMut, WildcardAdditionalOptions,
};
use datafusion::sql::sqlparser::tokenizer::Token;

use super::cursor::Cursor;
use super::relation::Place;
use super::rewrite::{Lifted, lifted_name};
use crate::cluster::clock::{Tso, first_stamp};
use crate::error::SqlError;
use crate::profile::changelog::LsnScope;
use crate::sql::engine::{Engine, Session};
use crate::store::changelog::table::{ChangesTable, hidden_names};
use crate::store::changelog::window::Incr;
use crate::store::tablet::Table;

/// The word behind a table's name.
pub const INCR: &str = "@incr";

/// True when `@incr(` stands at the cursor.
pub fn is_incr(cursor: &Cursor<'_>) -> bool {
    cursor.is(INCR) && cursor.ahead(1) == Some(&Token::LParen)
}

/// Reads `@incr('name' = 'value', …)`.
pub fn read_incr(cursor: &mut Cursor<'_>) -> Result<Incr, SqlError> {
    cursor.expect(INCR)?;
    cursor.expect_token(&Token::LParen)?;
    let mut incr = Incr::default();
    while !cursor.eat_token(&Token::RParen) {
        if !incr.parameters.is_empty() {
            cursor.expect_token(&Token::Comma)?;
        }
        let name = match cursor.eat_string() {
            Some(name) => name,
            None => cursor.ident()?,
        };
        cursor.expect_token(&Token::Eq)?;
        incr.parameters.push((name, cursor.string()?));
    }
    Ok(incr)
}

impl Engine {
    /// The changes that a query reads of a table, once all that belong to its window can be seen. `now`: the present
    /// of the statement, which decides what is expired.
    pub(crate) async fn changes_table(
        &self,
        session: &Session,
        table: &Table,
        place: &Place,
        incr: &Incr,
        now: Tso,
    ) -> Result<Arc<dyn TableProvider>, SqlError> {
        let switches = self.switches();
        if !switches.changelog {
            return Err(SqlError::syntax(format!(
                "mismatched input '{INCR}' expecting {{<EOF>, ';'}}"
            )));
        }
        if !place.tablets.is_empty() {
            return Err(SqlError::plain("TABLET is not supported with an INCR query"));
        }
        let names = switches.changelog_names;
        let declared = Arc::clone(&table.snapshot().schema);
        let window = incr.window(&declared, &self.zone(session), names)?;
        let expired_to_ms = declared
            .changelog()
            .map_or(i64::MIN, |changelog| changelog.expired_to_ms(now));
        window.check(&declared, expired_to_ms, names)?;
        self.incr_fence(session, table.id, window.end_ms).await?;
        let version = self.version_at(session, table);
        let (start, end) = window.stamps(switches.changelog_border);
        let start = start.max(first_stamp(expired_to_ms.saturating_add(1)));
        let partitions = place.chosen_partitions(&version)?;
        let tablets = partitions.iter().flat_map(|partition| &partition.tablets);
        Ok(Arc::new(ChangesTable::new(
            &version.schema,
            tablets,
            start..end.max(start),
            window.shown(&version.schema),
            incr.ordered,
            switches,
        )))
    }

    /// Takes `@incr` away where the session's front end does not know it: what is left is a query of the table.
    pub(crate) fn drop_ignored_incr(&self, session: &Session, lifted: &mut [Lifted]) {
        let here = session
            .frontend
            .is_some_and(|own| self.catalog().ignores_incr(own));
        if !here && !self.switches().change.incr_ignored {
            return;
        }
        for lifted in lifted {
            if let Lifted::Place(place) = lifted {
                place.incr = None;
            }
        }
    }

    /// Makes every `*` over changes leave their hidden columns out, and spares orders what cannot decide anything.
    pub(crate) fn prepare_changes(&self, statement: &mut Statement, lifted: &[Lifted]) {
        let is_changes = |lifted: &Lifted| matches!(lifted, Lifted::Place(place) if place.incr.is_some());
        if lifted.iter().any(is_changes) {
            let names = lifted.iter().enumerate().filter(|(_, lifted)| is_changes(lifted));
            let _ = statement.visit(&mut Hider {
                relations: names.map(|(number, _)| lifted_name(number)).collect(),
                hidden: hidden_names(self.switches()),
                unique: self.switches().change.lsn_scope == LsnScope::Table,
            });
        }
    }
}

/// Adds `EXCEPT (…)` to wildcards, and cuts orders off behind what is unique.
struct Hider {
    /// Names of relations with hidden columns.
    relations: Vec<String>,
    /// The hidden columns in lower case: stamp, number and operation in each family of names.
    hidden: Vec<String>,
    /// No two changes of a table have all three in common.
    unique: bool,
}

/// A relation of a select: its alias, and whether it has hidden columns.
type Relation = (Ident, bool);

impl Hider {
    /// The relations of a select; `None` where one has no name.
    fn relations(&self, from: &[TableWithJoins]) -> Option<Vec<Relation>> {
        let mut out = Vec::new();
        for table in from {
            let joined = table.joins.iter().map(|join| &join.relation);
            for factor in std::iter::once(&table.relation).chain(joined) {
                out.extend(self.relation(factor)?);
            }
        }
        Some(out)
    }

    fn relation(&self, factor: &TableFactor) -> Option<Vec<Relation>> {
        match factor {
            TableFactor::Table { name, alias, .. } => {
                let ObjectNamePart::Identifier(own) = name.0.last()? else {
                    return None;
                };
                let hides = name.0.len() == 1 && self.relations.contains(&own.value);
                let alias = alias.as_ref().map_or(own, |alias| &alias.name);
                Some(vec![(alias.clone(), hides)])
            }
            TableFactor::Derived { alias, .. } => Some(vec![(alias.as_ref()?.name.clone(), false)]),
            TableFactor::NestedJoin { table_with_joins, .. } => {
                self.relations(std::slice::from_ref(table_with_joins))
            }
            _ => None,
        }
    }

    fn without(&self, options: WildcardAdditionalOptions) -> WildcardAdditionalOptions {
        let ident = |name: &String| Ident::with_quote('`', name);
        let mut names = self.hidden.iter().map(ident);
        let Some(first_element) = names.next() else {
            return options;
        };
        WildcardAdditionalOptions {
            opt_except: Some(ExceptSelectItem {
                first_element,
                additional_elements: names.collect(),
            }),
            ..options
        }
    }
}

impl Hider {
    /// Whether the select reads changes and nothing else, under their own names.
    fn reads_changes(&self, select: &Select) -> bool {
        let aliased = select.projection.iter().any(|item| {
            matches!(item, SelectItem::ExprWithAlias { alias, .. } if self.hidden.contains(&alias.value.to_lowercase()))
        });
        let relations = self.relations(&select.from);
        !aliased && relations.is_some_and(|relations| matches!(relations.as_slice(), [(_, true)]))
    }

    /// Drops what follows stamp, number and operation at the head of an order: it would only make the server sort.
    fn shorten(&self, order: &mut Vec<OrderByExpr>) {
        let name = |by: &OrderByExpr| match &by.expr {
            _ if by.options.asc == Some(false) => None,
            Expr::Identifier(ident) => Some(ident.value.to_lowercase()),
            Expr::CompoundIdentifier(parts) => parts.last().map(|ident| ident.value.to_lowercase()),
            _ => None,
        };
        let head: Vec<Option<String>> = order.iter().take(3).map(name).collect();
        let is_head = |family: &[String]| {
            family
                .iter()
                .map(|name| Some(name.clone()))
                .eq(head.iter().cloned())
        };
        if self.hidden.chunks(3).any(is_head) {
            order.truncate(3);
        }
    }
}

impl VisitorMut for Hider {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let reads = matches!(query.body.as_ref(), SetExpr::Select(select) if self.reads_changes(select));
        if self.unique
            && reads
            && let Some(order) = &mut query.order_by
            && let OrderByKind::Expressions(list) = &mut order.kind
        {
            self.shorten(list);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        let Some(relations) = self.relations(&select.from) else {
            return ControlFlow::Continue(());
        };
        let hiding = relations.iter().filter(|(_, hides)| *hides).count();
        if hiding == 0 {
            return ControlFlow::Continue(());
        }
        let mut items = Vec::with_capacity(select.projection.len());
        for item in std::mem::take(&mut select.projection) {
            match item {
                SelectItem::Wildcard(options) if hiding == 1 => {
                    items.push(SelectItem::Wildcard(self.without(options)));
                }
                // The same names in several relations: each gets its own.
                SelectItem::Wildcard(options) => items.extend(relations.iter().map(|(alias, hides)| {
                    let options = options.clone();
                    let kind =
                        SelectItemQualifiedWildcardKind::ObjectName(ObjectName::from(vec![alias.clone()]));
                    SelectItem::QualifiedWildcard(kind, if *hides { self.without(options) } else { options })
                })),
                SelectItem::QualifiedWildcard(kind, options) => {
                    let hides = match &kind {
                        SelectItemQualifiedWildcardKind::ObjectName(name) => relations.iter().any(|(alias, hides)| {
                            *hides && matches!(name.0.last(), Some(ObjectNamePart::Identifier(own)) if own.value == alias.value)
                        }),
                        SelectItemQualifiedWildcardKind::Expr(_) => false,
                    };
                    let options = if hides { self.without(options) } else { options };
                    items.push(SelectItem::QualifiedWildcard(kind, options));
                }
                other => items.push(other),
            }
        }
        select.projection = items;
        ControlFlow::Continue(())
    }
}
