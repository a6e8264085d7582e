//! Functions of SQL for DataFusion: `sense('courtesy', text)` and others.

use crate::column::Column;
use crate::frame::Frame;
use arrow_array::{Array, ArrayRef, StructArray, new_empty_array};
use arrow_schema::{DataType, Field, FieldRef};
use datafusion_common::{Result, ScalarValue, plan_datafusion_err, plan_err};
use datafusion_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use sonometer::{Error, Instrument};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

/// Targets that one set of functions compiles; a sensor may hold some MB.
const MOST_TARGETS: usize = 64;

/// The columns of the struct that `sense` gives, before `error`.
const SENSED: [Column; 6] = [
    Column::Score,
    Column::Sufficient,
    Column::Fidelity,
    Column::Resonance,
    Column::Triggered,
    Column::Evidence,
];

/// Finds the instrument that a name in a query stands for.
pub type FindTarget = dyn Fn(&str) -> std::result::Result<Instrument, Error> + Send + Sync;

/// The functions of SQL, to be registered in a session. The first argument of each is the name of a target, written out; the second a
/// column of texts, or of conversations as `list<struct<role, content, timestamp?>>`.
///
/// - `sense`: a struct of `score`, `sufficient`, `fidelity`, `resonance`, `triggered`, `evidence` and `error`, with the types of [`Column`];
/// - `score`: `double`, null where the content is insufficient;
/// - `fidelity`: `double`, the fidelity index, at a fraction of the cost;
/// - `masked`, also `mask`: the column with what the target masks hidden.
///
/// Rows that are no interactions are null, and `error` says why. `find` is asked once for each name, and for 64 names at most.
pub fn functions(
    find: impl Fn(&str) -> std::result::Result<Instrument, Error> + Send + Sync + 'static,
) -> Vec<ScalarUDF> {
    let targets = Arc::new(Targets { find: Box::new(find), found: Mutex::default() });
    let of = |kind| ScalarUDF::new_from_impl(Function::new(kind, Arc::clone(&targets)));
    [Kind::Sense, Kind::Score, Kind::Fidelity, Kind::Masked].into_iter().map(of).collect()
}

/// The instruments of all functions of a set.
struct Targets {
    find: Box<FindTarget>,
    found: Mutex<Vec<(String, Instrument)>>,
}

impl Targets {
    fn get(&self, name: &str) -> Result<Instrument> {
        // Held while one is compiled, so that two who ask for it wait for one.
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, instrument)) = found.iter().find(|(own, _)| own == name) {
            return Ok(instrument.clone());
        }
        if found.len() >= MOST_TARGETS {
            return plan_err!(
                "`{name}` would be target {} of this session; use {MOST_TARGETS} or fewer",
                found.len() + 1
            );
        }
        let instrument = (self.find)(name).map_err(|error| plan_datafusion_err!("{}", error.message))?;
        found.push((name.to_owned(), instrument.clone()));
        Ok(instrument)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Sense,
    Score,
    Fidelity,
    Masked,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Sense => "sense",
            Self::Score => "score",
            Self::Fidelity => "fidelity",
            Self::Masked => "masked",
        }
    }

    fn frame(self, instrument: &Instrument) -> Frame {
        let columns = match self {
            Self::Sense => &SENSED[..],
            Self::Score | Self::Masked => &[Column::Score],
            Self::Fidelity => &[Column::Fidelity],
        };
        Frame::new(instrument).columns(columns.iter().copied())
    }

    /// What it says of a column.
    fn column(self, frame: &Frame, content: &dyn Array) -> std::result::Result<ArrayRef, Error> {
        match self {
            Self::Masked => frame.mask(content),
            Self::Sense => frame.sense(content).map(|rows| Arc::new(StructArray::from(rows)) as ArrayRef),
            Self::Score | Self::Fidelity => frame.sense(content).map(|rows| Arc::clone(rows.column(0))),
        }
    }
}

struct Function {
    kind: Kind,
    targets: Arc<Targets>,
    signature: Signature,
    aliases: Vec<String>,
}

impl Function {
    fn new(kind: Kind, targets: Arc<Targets>) -> Self {
        let aliases = if kind == Kind::Masked { vec!["mask".to_owned()] } else { Vec::new() };
        Self { kind, targets, signature: Signature::user_defined(Volatility::Immutable), aliases }
    }

    fn target(&self, name: Option<&ScalarValue>) -> Result<Frame> {
        let name = name.and_then(|name| name.try_as_str().flatten());
        let Some(name) = name else {
            let own = self.kind.name();
            return plan_err!(
                "the first argument of `{own}` is the name of a target, written out; write {own}('courtesy', text)"
            );
        };
        Ok(self.kind.frame(&self.targets.get(name)?))
    }

    fn told(&self, error: &Error) -> datafusion_common::DataFusionError {
        let own = self.kind.name();
        match error.message.strip_prefix("the column is") {
            Some(rest) => plan_datafusion_err!("the second argument of `{own}` is{rest}"),
            None => plan_datafusion_err!("`{own}`: {}", error.message),
        }
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && Arc::ptr_eq(&self.targets, &other.targets)
    }
}

impl Eq for Function {}

impl Hash for Function {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kind.hash(state);
    }
}

impl ScalarUDFImpl for Function {
    fn name(&self) -> &str {
        self.kind.name()
    }

    fn aliases(&self) -> &[String] {
        &self.aliases
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Columns are taken as they are: no type is changed for them.
    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        if types.len() != 2 {
            let own = self.kind.name();
            return plan_err!(
                "`{own}` takes a target and a column, and has {} arguments; write {own}('courtesy', text)",
                types.len()
            );
        }
        Ok(types.to_vec())
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        plan_err!("the type of `{}` hangs on its target", self.kind.name())
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let frame = self.target(arguments.scalar_arguments.first().copied().flatten())?;
        let Some(content) = arguments.arg_fields.get(1) else { return plan_err!("a column is missing") };
        let none = self.kind.column(&frame, &new_empty_array(content.data_type()));
        let kind = none.map_err(|error| self.told(&error))?.data_type().clone();
        Ok(Field::new(self.kind.name(), kind, true).into())
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [target, content] = &arguments.args[..] else { return plan_err!("a column is missing") };
        let frame = match target {
            ColumnarValue::Scalar(name) => self.target(Some(name))?,
            ColumnarValue::Array(_) => self.target(None)?,
        };
        let say = |content: &ArrayRef| self.kind.column(&frame, content).map_err(|error| self.told(&error));
        Ok(match content {
            ColumnarValue::Array(array) => ColumnarValue::Array(say(array)?),
            ColumnarValue::Scalar(one) => {
                let said = say(&one.to_array_of_size(1)?)?;
                ColumnarValue::Scalar(ScalarValue::try_from_array(&said, 0)?)
            }
        })
    }
}
