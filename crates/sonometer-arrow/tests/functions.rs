//! Functions of SQL say what columns say; without the engine that runs queries.
#![cfg(feature = "datafusion")]

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Int64Array, LargeStringArray, StringArray, StringViewArray};
use arrow_schema::{DataType, Field, FieldRef};
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::{ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF};
use sonometer::{Error, Instrument, Protocol, Sensor};
use sonometer_arrow::{Column, Frame, functions};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const SOURCE: &str = r#"
sonometer: 1
id: desk
version: "1"
taxonomy: Signal
language: en
score: any
markers:
  - {label: gratitude, strong: "thank you"}
  - {label: secret, strong: "code (1|2|3)", mask: stars}
"#;

fn desk() -> Instrument {
    Instrument::from(Sensor::new(Protocol::read(SOURCE).expect("is sound").0).expect("compiles"))
}

fn found(name: &str) -> std::result::Result<Instrument, Error> {
    match name {
        "desk" => Ok(desk()),
        _ if name.starts_with("desk-") => Ok(desk()),
        _ => Err(Error::invalid("target", format!("there is no `{name}`"))),
    }
}

fn of(functions: &[ScalarUDF], name: &str) -> ScalarUDF {
    let function =
        functions.iter().find(|own| own.name() == name || own.aliases().iter().any(|one| one == name));
    function.expect("is there").clone()
}

/// Plans and runs a function, as a query does.
fn say(function: &ScalarUDF, target: ColumnarValue, content: ColumnarValue) -> Result<ColumnarValue> {
    let rows = match &content {
        ColumnarValue::Array(array) => array.len(),
        ColumnarValue::Scalar(_) => 1,
    };
    let fields: Vec<FieldRef> =
        [&target, &content].iter().map(|one| Field::new("", one.data_type(), true).into()).collect();
    let types: Vec<DataType> = fields.iter().map(|field| field.data_type().clone()).collect();
    function.coerce_types(&types)?;
    let scalar = match &target {
        ColumnarValue::Scalar(value) => Some(value.clone()),
        ColumnarValue::Array(_) => None,
    };
    let planned = ReturnFieldArgs { arg_fields: &fields, scalar_arguments: &[scalar.as_ref(), None] };
    let return_field = function.return_field_from_args(planned)?;
    let said = function.invoke_with_args(ScalarFunctionArgs {
        args: vec![target, content],
        arg_fields: fields,
        number_rows: rows,
        return_field: Arc::clone(&return_field),
        config_options: Arc::default(),
    })?;
    assert_eq!(&said.data_type(), return_field.data_type(), "the type is that of the plan");
    Ok(said)
}

fn named(name: &str) -> ColumnarValue {
    ColumnarValue::Scalar(ScalarValue::Utf8(Some(name.to_owned())))
}

fn array(said: ColumnarValue) -> ArrayRef {
    said.into_array(1).expect("is an array")
}

fn texts() -> StringArray {
    StringArray::from(vec![
        Some("Thank you so much for all of the help with this order, code 1."),
        None,
        Some("Nothing of the sort was said here by anybody at all, as far as we know."),
    ])
}

#[test]
fn they_say_what_a_frame_says() {
    let functions = functions(found);
    let asked = [
        Column::Score,
        Column::Sufficient,
        Column::Fidelity,
        Column::Resonance,
        Column::Triggered,
        Column::Evidence,
    ];
    let frame = Frame::new(&desk()).columns(asked).sense(&texts()).expect("are texts");
    let contents: [ArrayRef; 3] = [
        Arc::new(texts()),
        Arc::new(LargeStringArray::from_iter(texts().iter())),
        Arc::new(StringViewArray::from_iter(texts().iter())),
    ];
    for content in contents {
        let sensed = array(
            say(&of(&functions, "sense"), named("desk"), ColumnarValue::Array(Arc::clone(&content)))
                .expect("senses"),
        );
        let sensed = sensed.as_struct();
        for field in frame.schema_ref().fields() {
            let own = sensed.column_by_name(field.name()).expect("is there");
            assert_eq!(own, frame.column_by_name(field.name()).expect("is there"), "{}", field.name());
        }
        for (function, column) in [("score", "score"), ("fidelity", "fidelity")] {
            let said =
                say(&of(&functions, function), named("desk"), ColumnarValue::Array(Arc::clone(&content)));
            assert_eq!(&array(said.expect("senses")), frame.column_by_name(column).expect("is there"));
        }
        let masked = say(&of(&functions, "mask"), named("desk"), ColumnarValue::Array(content));
        let masked = array(masked.expect("masks"));
        assert_eq!(
            masked.as_string::<i32>().value(0),
            "Thank you so much for all of the help with this order, **** *."
        );
        assert!(masked.is_null(1));
    }
    let frame = frame.column(0).as_primitive::<Float64Type>();
    let one = ColumnarValue::Scalar(ScalarValue::Utf8View(Some(texts().value(0).to_owned())));
    let said = say(&of(&functions, "score"), named("desk"), one).expect("senses");
    assert!(
        matches!(said, ColumnarValue::Scalar(ScalarValue::Float64(Some(score))) if score == frame.value(0))
    );
}

#[test]
fn a_target_is_compiled_once_and_they_are_bounded() {
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    let functions = functions(move |name| {
        counter.fetch_add(1, Ordering::SeqCst);
        found(name)
    });
    let ask =
        |name: &str| say(&of(&functions, "score"), named(name), ColumnarValue::Array(Arc::new(texts())));
    for _ in 0..3 {
        ask("desk").expect("senses");
        say(&of(&functions, "sense"), named("desk"), ColumnarValue::Array(Arc::new(texts())))
            .expect("senses");
    }
    assert_eq!(count.load(Ordering::SeqCst), 1);
    for number in 1..64 {
        ask(&format!("desk-{number}")).expect("senses");
    }
    let told = ask("desk-64").expect_err("is one too many").to_string();
    assert!(told.contains("`desk-64` would be target 65 of this session; use 64 or fewer"), "{told}");
    ask("desk").expect("is there still");
}

#[test]
fn what_is_wrong_is_said_with_what_to_write() {
    let functions = functions(found);
    let column = || ColumnarValue::Array(Arc::new(texts()) as ArrayRef);
    for (target, content, part) in [
        (named("nope"), column(), "there is no `nope`"),
        (
            column(),
            column(),
            "the first argument of `sense` is the name of a target, written out; write sense('courtesy', text)",
        ),
        (
            named("desk"),
            ColumnarValue::Array(Arc::new(Int64Array::from(vec![1])) as ArrayRef),
            "the second argument of `sense` is `Int64`; wanted are text",
        ),
    ] {
        let told = say(&of(&functions, "sense"), target, content).expect_err("is wrong").to_string();
        assert!(told.contains(part), "{told}");
    }
    let told = of(&functions, "masked").coerce_types(&[DataType::Utf8]).expect_err("is too few").to_string();
    assert!(told.contains("`masked` takes a target and a column, and has 1 arguments"), "{told}");
}
