//! Names in a parsed query brought to the one form that the planner knows: columns in lower case, tables as written.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Expr, Function, Ident, ObjectName, ObjectNamePart, OrderByKind, Query, Select, SelectItem, SetExpr,
    Statement, TableFactor, UnaryOperator, VisitMut, VisitorMut,
};

use crate::store::catalog::is_built_in;

/// How one item of the outermost select list is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputColumn {
    /// One column of this name.
    Name(String),
    /// As many columns as the wildcard gives, by their declared names.
    Wildcard,
}

/// Brings names to their form; gives what the outermost select list is shown as (`items` = its texts), or nothing
/// where it is not known.
pub fn normalise(statement: &mut Statement, items: &[String]) -> Vec<OutputColumn> {
    let shown = match statement {
        Statement::Query(query) => first_select(&mut query.body)
            .map(|s| output_columns(s, items))
            .unwrap_or_default(),
        _ => Vec::new(),
    };
    let _ = statement.visit(&mut Normaliser);
    shown
}

fn first_select(body: &mut SetExpr) -> Option<&mut Select> {
    match body {
        SetExpr::Select(select) => Some(select),
        SetExpr::SetOperation { left, .. } => first_select(left),
        SetExpr::Query(query) => first_select(&mut query.body),
        _ => None,
    }
}

/// Reads the shown names, and gives items whose names would collide names of their own.
fn output_columns(select: &mut Select, items: &[String]) -> Vec<OutputColumn> {
    let known = items.len() == select.projection.len();
    let wildcards = select
        .projection
        .iter()
        .any(|i| matches!(i, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..)));
    let mut used: Vec<String> = Vec::new();
    // The planner names what has no alias by what it computes, so `@@a` and `@@b` of one value are one name to it.
    let mut computed: Vec<String> = Vec::new();
    let mut shown = Vec::new();
    for (at, item) in select.projection.iter_mut().enumerate() {
        let (name, internal) = match item {
            SelectItem::ExprWithAlias { alias, .. } => (alias.value.clone(), alias.value.to_lowercase()),
            SelectItem::UnnamedExpr(expr) => {
                let name = match expr {
                    Expr::Identifier(ident) => ident.value.clone(),
                    Expr::CompoundIdentifier(parts) => {
                        parts.last().map(|i| i.value.clone()).unwrap_or_default()
                    }
                    _ if known => items[at].clone(),
                    other => other.to_string(),
                };
                let internal = name.to_lowercase();
                (name, internal)
            }
            _ => {
                shown.push(OutputColumn::Wildcard);
                continue;
            }
        };
        // A column beside a wildcard is there twice.
        let column = matches!(
            item,
            SelectItem::UnnamedExpr(Expr::Identifier(_) | Expr::CompoundIdentifier(_))
        );
        let again = match item {
            SelectItem::UnnamedExpr(expr) if !column => {
                let text = bare(expr).to_string().to_lowercase();
                let again = computed.contains(&text);
                computed.push(text);
                again
            }
            _ => false,
        };
        if again || used.contains(&internal) || wildcards && column {
            let unique = format!("{internal}#{at}");
            let expr = match item {
                SelectItem::ExprWithAlias { expr, .. } | SelectItem::UnnamedExpr(expr) => expr.clone(),
                _ => continue,
            };
            *item = SelectItem::ExprWithAlias {
                expr,
                alias: Ident::with_quote('`', unique),
            };
        }
        used.push(internal);
        shown.push(OutputColumn::Name(name));
    }
    shown
}

/// An expression without the parentheses around it.
fn bare(expr: &Expr) -> &Expr {
    match expr {
        Expr::Nested(inner) => bare(inner),
        other => other,
    }
}

struct Normaliser;

impl VisitorMut for Normaliser {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        if let Some(with) = &mut query.with {
            for cte in &mut with.cte_tables {
                cte.alias.columns.iter_mut().for_each(|c| lower(&mut c.name));
            }
        }
        if let Some(order) = &mut query.order_by
            && let OrderByKind::Expressions(list) = &mut order.kind
        {
            list.iter_mut().for_each(|o| lower_column(&mut o.expr));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        for item in &mut select.projection {
            if let SelectItem::ExprWithAlias { alias, .. } = item {
                lower(alias);
            }
        }
        for table in &mut select.from {
            for join in &mut table.joins {
                use datafusion::sql::sqlparser::ast::{JoinConstraint, JoinOperator};
                let constraint = match &mut join.join_operator {
                    JoinOperator::Join(c)
                    | JoinOperator::Inner(c)
                    | JoinOperator::Left(c)
                    | JoinOperator::LeftOuter(c)
                    | JoinOperator::Right(c)
                    | JoinOperator::RightOuter(c)
                    | JoinOperator::FullOuter(c) => c,
                    _ => continue,
                };
                if let JoinConstraint::Using(columns) = constraint {
                    columns.iter_mut().for_each(lower_last);
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        if let TableFactor::Table {
            alias: Some(alias), ..
        }
        | TableFactor::Derived {
            alias: Some(alias), ..
        } = factor
        {
            alias.columns.iter_mut().for_each(|c| lower(&mut c.name));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, relation: &mut ObjectName) -> ControlFlow<()> {
        if relation.0.len() == 3 && part(&relation.0[0]).is_some_and(|p| p.eq_ignore_ascii_case("internal")) {
            relation.0.remove(0);
        }
        if relation.0.len() == 2 && part(&relation.0[0]).is_some_and(is_built_in) {
            for part in &mut relation.0 {
                if let ObjectNamePart::Identifier(ident) = part {
                    lower(ident);
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        lower_column(expr);
        if let Expr::RLike {
            negated,
            expr: text,
            pattern,
            ..
        } = expr
        {
            let call = super::ast_functions::call(
                "regexp_like",
                vec![text.as_ref().clone(), pattern.as_ref().clone()],
            );
            *expr = match negated {
                true => Expr::UnaryOp {
                    op: UnaryOperator::Not,
                    expr: Box::new(call),
                },
                false => call,
            };
        }
        if let Expr::Function(function) = expr {
            lower_function(function);
            if let Some(other) = super::ast_functions::rewritten(function) {
                *expr = other;
            }
        }
        ControlFlow::Continue(())
    }
}

fn part(part: &ObjectNamePart) -> Option<&str> {
    match part {
        ObjectNamePart::Identifier(ident) => Some(&ident.value),
        ObjectNamePart::Function(_) => None,
    }
}

fn lower(ident: &mut Ident) {
    ident.value = ident.value.to_lowercase();
}

fn lower_last(name: &mut ObjectName) {
    if let Some(ObjectNamePart::Identifier(ident)) = name.0.last_mut() {
        lower(ident);
    }
}

fn lower_column(expr: &mut Expr) {
    match expr {
        Expr::Identifier(ident) => lower(ident),
        Expr::CompoundIdentifier(parts) => {
            if parts.len() == 4 && parts[0].value.eq_ignore_ascii_case("internal") {
                parts.remove(0);
            }
            if let Some(ident) = parts.last_mut() {
                lower(ident);
            }
        }
        _ => {}
    }
}

fn lower_function(function: &mut Function) {
    for part in &mut function.name.0 {
        if let ObjectNamePart::Identifier(ident) = part {
            lower(ident);
        }
    }
}
