//! Functions that are another expression in disguise: `IF`, `IFNULL`, `DATE_ADD`.

use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CaseWhen, DateTimeField, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArgumentList, FunctionArguments, Ident, Interval, ObjectName, ObjectNamePart, Value,
};

/// The expression that a call stands for; `None` for a plain function. Its name is in lower case.
pub fn rewritten(function: &mut Function) -> Option<Expr> {
    let [ObjectNamePart::Identifier(name)] = function.name.0.as_mut_slice() else {
        return None;
    };
    let count = positional(&function.args)?.len();
    match (name.value.as_str(), count) {
        ("if", 3) => {
            let [condition, yes, no] = take(&mut function.args)?;
            Some(Expr::Case {
                case_token: AttachedToken::empty(),
                end_token: AttachedToken::empty(),
                operand: None,
                conditions: vec![CaseWhen {
                    condition,
                    result: yes,
                }],
                else_result: Some(Box::new(no)),
            })
        }
        ("ucase", 1) => {
            *name = Ident::new("upper");
            None
        }
        ("lcase", 1) => {
            *name = Ident::new("lower");
            None
        }
        // Where a part begins: the part comes first here, second there.
        ("locate", 2) => {
            let [part, text] = take(&mut function.args)?;
            Some(call("strpos", vec![text, part]))
        }
        ("ifnull", 2) => {
            *name = Ident::new("coalesce");
            None
        }
        ("date_add", 2) => shifted(&mut function.args, BinaryOperator::Plus, DateTimeField::Day),
        ("date_sub", 2) => shifted(&mut function.args, BinaryOperator::Minus, DateTimeField::Day),
        _ => None,
    }
}

/// A call of a function by name.
pub fn call(name: &str, arguments: Vec<Expr>) -> Expr {
    Expr::Function(Function {
        name: ObjectName::from(vec![Ident::new(name)]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList {
            duplicate_treatment: None,
            args: arguments
                .into_iter()
                .map(|e| FunctionArg::Unnamed(FunctionArgExpr::Expr(e)))
                .collect(),
            clauses: Vec::new(),
        }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    })
}

fn positional(arguments: &FunctionArguments) -> Option<Vec<&Expr>> {
    let FunctionArguments::List(list) = arguments else {
        return None;
    };
    list.args
        .iter()
        .map(|arg| match arg {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
            _ => None,
        })
        .collect()
}

fn take<const N: usize>(arguments: &mut FunctionArguments) -> Option<[Expr; N]> {
    let exprs: Vec<Expr> = positional(arguments)?.into_iter().cloned().collect();
    exprs.try_into().ok()
}

/// `time ± interval`; a bare number counts `unit`s.
fn shifted(arguments: &mut FunctionArguments, op: BinaryOperator, unit: DateTimeField) -> Option<Expr> {
    let [time, amount] = take(arguments)?;
    let amount = match amount {
        interval @ Expr::Interval(_) => interval,
        number => Expr::Interval(Interval {
            value: Box::new(number),
            leading_field: Some(unit),
            leading_precision: None,
            last_field: None,
            fractional_seconds_precision: None,
        }),
    };
    let time = match &time {
        Expr::Value(value) if matches!(value.value, Value::SingleQuotedString(_)) => Expr::Cast {
            kind: datafusion::sql::sqlparser::ast::CastKind::Cast,
            expr: Box::new(time),
            data_type: datafusion::sql::sqlparser::ast::DataType::Timestamp(
                Some(0),
                datafusion::sql::sqlparser::ast::TimezoneInfo::None,
            ),
            array: false,
            format: None,
        },
        _ => time,
    };
    Some(Expr::BinaryOp {
        left: Box::new(time),
        op,
        right: Box::new(amount),
    })
}
