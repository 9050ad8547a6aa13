//! Functions with Doris' results, where DataFusion lacks them or gives others.

mod binary;
mod bitmaps;
mod cast;
mod nested;
mod numbers;
mod session;
mod text;
pub(super) mod time;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::RangeInclusive;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef, Int64Array, StringArray};
use arrow_schema::{DataType, FieldRef};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TypeSignature,
    Volatility,
};

use crate::sql::types::type_of_field;
use crate::values::cast_array;
use crate::values::types::DorisType;
use crate::values::zone::Zone;

/// What functions know of the session and the statement they run in.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// Zone of the session.
    pub zone: Zone,
    /// When the statement began, microseconds of the epoch.
    pub now_micros: i64,
    /// Chosen database.
    pub database: Option<String>,
    /// Account.
    pub user: String,
    /// Connection id.
    pub connection: u64,
    /// Version text.
    pub version: String,
}

/// All scalar functions, bound to a statement.
pub fn scalar(surroundings: &Arc<Surroundings>) -> Vec<ScalarUDF> {
    [
        binary::FUNCTIONS,
        bitmaps::FUNCTIONS,
        cast::FUNCTIONS,
        nested::FUNCTIONS,
        numbers::FUNCTIONS,
        session::FUNCTIONS,
        text::FUNCTIONS,
        time::FUNCTIONS,
    ]
    .into_iter()
    .flatten()
    .map(|definition| ScalarUDF::from(Function::new(definition, surroundings)))
    .collect()
}

/// A function: its names, its type, its work.
pub(super) struct Definition {
    /// Names in lower case, the first is the main one.
    names: &'static [&'static str],
    /// Fewest and most arguments.
    arguments: RangeInclusive<usize>,
    returns: fn(&Arguments<'_>) -> Result<DorisType>,
    run: fn(&Call<'_>) -> Result<ArrayRef>,
}

impl Definition {
    const fn new(
        names: &'static [&'static str],
        arguments: RangeInclusive<usize>,
        returns: fn(&Arguments<'_>) -> Result<DorisType>,
        run: fn(&Call<'_>) -> Result<ArrayRef>,
    ) -> Self {
        Self {
            names,
            arguments,
            returns,
            run,
        }
    }
}

/// Types of the arguments, and values of those that are constant.
pub(super) struct Arguments<'a> {
    /// Types.
    pub types: Vec<DorisType>,
    /// Constants.
    pub constants: &'a [Option<&'a ScalarValue>],
}

impl Arguments<'_> {
    /// Text of a constant argument.
    pub fn text(&self, index: usize) -> Option<String> {
        self.constants
            .get(index)
            .copied()
            .flatten()?
            .try_as_str()
            .flatten()
            .map(ToString::to_string)
    }

    /// A constant integer argument.
    pub fn integer(&self, index: usize) -> Option<i64> {
        let value = self.constants.get(index).copied().flatten()?;
        match value.cast_to(&DataType::Int64).ok()? {
            ScalarValue::Int64(number) => number,
            _ => None,
        }
    }
}

/// One call over a batch.
pub(super) struct Call<'a> {
    /// Arguments, as long as the batch.
    pub args: Vec<ArrayRef>,
    /// Their types.
    pub types: Vec<DorisType>,
    /// Rows of the batch.
    pub rows: usize,
    /// Type to give.
    pub returns: DorisType,
    /// Session and statement.
    pub surroundings: &'a Surroundings,
}

impl Call<'_> {
    /// An argument in the stored form of a type; what does not fit is NULL.
    pub fn arg(&self, index: usize, doris_type: &DorisType) -> Result<ArrayRef> {
        cast_array(
            &self.types[index],
            doris_type,
            &self.args[index],
            &self.surroundings.zone,
            false,
        )
        .map_err(|e| DataFusionError::Execution(e.message))
    }

    /// An argument as text.
    pub fn texts(&self, index: usize) -> Result<StringArray> {
        Ok(self.arg(index, &DorisType::String)?.as_string::<i32>().clone())
    }

    /// An argument as integers.
    pub fn integers(&self, index: usize) -> Result<Int64Array> {
        Ok(self
            .arg(index, &DorisType::BigInt)?
            .as_primitive::<Int64Type>()
            .clone())
    }

    /// An argument as microseconds of the wall clock.
    pub fn micros(&self, index: usize) -> Result<Vec<Option<i64>>> {
        let array = self.arg(index, &DorisType::DateTime(6))?;
        Ok(array.as_primitive::<TimestampMicrosecondType>().iter().collect())
    }
}

/// A definition bound to a statement.
struct Function {
    definition: &'static Definition,
    aliases: Vec<String>,
    signature: Signature,
    surroundings: Arc<Surroundings>,
}

impl Function {
    fn new(definition: &'static Definition, surroundings: &Arc<Surroundings>) -> Self {
        Self {
            definition,
            aliases: definition.names[1..].iter().map(ToString::to_string).collect(),
            // `random` and the like are DataFusion's; ours depend on their arguments and the statement only.
            signature: Signature::one_of(
                vec![TypeSignature::Nullary, TypeSignature::VariadicAny],
                Volatility::Immutable,
            ),
            surroundings: Arc::clone(surroundings),
        }
    }

    fn check(&self, given: usize) -> Result<()> {
        if self.definition.arguments.contains(&given) {
            return Ok(());
        }
        Err(DataFusionError::Plan(format!(
            "Can not found function '{}' which has {given} arity",
            self.definition.names[0]
        )))
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.definition.names[0])
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.definition.names[0] == other.definition.names[0]
            && Arc::ptr_eq(&self.surroundings, &other.surroundings)
    }
}

impl Eq for Function {}

impl Hash for Function {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.definition.names[0].hash(state);
    }
}

impl ScalarUDFImpl for Function {
    fn name(&self) -> &str {
        self.definition.names[0]
    }

    fn aliases(&self) -> &[String] {
        &self.aliases
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Err(DataFusionError::Internal("the type depends on the fields".into()))
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        self.check(args.arg_fields.len())?;
        let types = args.arg_fields.iter().map(|f| type_of_field(f)).collect();
        let doris_type = (self.definition.returns)(&Arguments {
            types,
            constants: args.scalar_arguments,
        })?;
        Ok(Arc::new(doris_type.compute_field(self.name(), true)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let constant = args.args.iter().all(|a| matches!(a, ColumnarValue::Scalar(_)));
        let rows = if constant { 1 } else { args.number_rows };
        let arrays = args
            .args
            .iter()
            .map(|a| a.to_array(rows))
            .collect::<Result<Vec<_>>>()?;
        let call = Call {
            args: arrays,
            types: args.arg_fields.iter().map(|f| type_of_field(f)).collect(),
            rows,
            returns: type_of_field(&args.return_field),
            surroundings: &self.surroundings,
        };
        let out = (self.definition.run)(&call)?;
        let out = crate::values::to_compute(&call.returns, &out);
        let out = match out.data_type() == args.return_field.data_type() {
            true => out,
            false => arrow_cast::cast(&out, args.return_field.data_type())?,
        };
        if constant {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&out, 0)?));
        }
        debug_assert_eq!(out.len(), rows);
        Ok(ColumnarValue::Array(out))
    }
}
