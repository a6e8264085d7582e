//! Columns hold what each row gives alone, whatever form the column has and however it is cut.

use arrow_array::builder::{
    Float64Builder, ListBuilder, StringBuilder, StringDictionaryBuilder, StructBuilder,
};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, Int64Array, LargeStringArray, NullArray, RecordBatch, StringArray, StringViewArray,
    StructArray,
};
use arrow_schema::{DataType, Field};
use arrow_select::concat::concat_batches;
use sonometer::{Instrument, Interaction, OffsetUnit, Profile, Protocol, Sensor, Turn, Unit, View};
use sonometer_arrow::{BadRows, Column, Frame, GROUP, Input};
use std::sync::Arc;

const SOURCE: &str = r#"
sonometer: 1
sgm: "1.5"
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

fn texts() -> Vec<Option<String>> {
    let said = [
        Some("Thank you so much, ägain, for all of the help with this order."),
        None,
        Some(""),
        Some("Nothing of the sort was said here by anybody at all, as far as we know."),
        Some("The 日本 code 2 is what you asked for, and thank you, thank you for that."),
    ];
    (0..400).map(|row| said[row % said.len()].map(|text| text.repeat(row % 3 + 1))).collect()
}

fn all(instrument: &Instrument) -> Frame {
    Frame::new(instrument).columns(Column::ALL)
}

#[test]
fn a_row_says_what_its_text_says_alone() {
    let desk = desk();
    let texts = texts();
    let found = all(&desk).sense(&StringArray::from(texts.clone())).expect("texts");
    let column = |name: &str| found.column_by_name(name).unwrap_or_else(|| panic!("{name}"));
    let view = View { profile: Profile::Detailed, ..View::default() };
    let mut triggered = 0;
    for (row, text) in texts.iter().enumerate() {
        let Some(text) = text else {
            assert!(found.columns().iter().all(|column| column.is_null(row)), "row {row}");
            continue;
        };
        let reading = desk.sense(&Interaction::text(text).expect("a text")).expect("is sensed");
        assert_eq!(column("json").as_string::<i32>().value(row), reading.to_json(view));
        let scores = column("score").as_primitive::<Float64Type>();
        let score = scores.is_valid(row).then(|| Unit::parse(&scores.value(row).to_string())).flatten();
        assert_eq!(score, reading.score());
        assert_eq!(column("sufficient").as_boolean().value(row), reading.fidelity().sufficient);
        assert!(column("error").is_null(row));
        if !reading.fidelity().sufficient {
            for name in
                ["score", "resonance", "triggered", "evidence", "signal", "actant_flow", "temporal", "ics"]
            {
                assert!(column(name).is_null(row), "{name} of row {row}");
            }
            continue;
        }
        let labels = column("triggered").as_list::<i32>().value(row);
        let labels: Vec<&str> = labels.as_string::<i32>().iter().flatten().collect();
        assert_eq!(labels, reading.triggered().collect::<Vec<_>>());
        triggered += labels.len();
        let ics = column("ics").as_struct().column(0).as_primitive::<UInt64Type>();
        assert_eq!(ics.value(row), labels.len() as u64);
        for (at, (_, marker)) in reading.resonance().enumerate() {
            let numbers = column("resonance").as_struct().column(at).as_primitive::<Float64Type>();
            assert_eq!(numbers.value(row), marker.activation.0 as f64 / 1e6);
        }
        let pieces = column("evidence").as_list::<i32>().value(row);
        let pieces = pieces.as_struct();
        assert_eq!(pieces.len(), reading.evidence().count());
        let place = |name: &str, at: usize| {
            pieces.column_by_name(name).expect("is there").as_primitive::<UInt32Type>().value(at) as usize
        };
        for (at, found) in reading.evidence().enumerate() {
            let source = pieces.column_by_name("source").expect("is there").as_string::<i32>();
            assert_eq!(source.value(at), found.source);
            let part: String =
                text.chars().skip(place("start", at)).take(place("end", at) - place("start", at)).collect();
            assert_eq!(part, text[found.range.clone()], "places count code points");
            assert_eq!(place("turn", at), 0);
        }
    }
    assert!(triggered > 100);
}

#[test]
fn the_form_of_a_column_changes_nothing() {
    let desk = desk();
    let texts = texts();
    let wanted = all(&desk).sense(&StringArray::from(texts.clone())).expect("texts");
    let mut dictionary = StringDictionaryBuilder::<Int32Type>::new();
    texts.iter().for_each(|text| dictionary.append_option(text.as_deref()));
    let view: StringViewArray = texts.iter().map(Option::as_deref).collect();
    let forms: [ArrayRef; 3] =
        [Arc::new(LargeStringArray::from(texts.clone())), Arc::new(view), Arc::new(dictionary.finish())];
    for form in forms {
        assert_eq!(all(&desk).sense(&form).expect("texts"), wanted, "{}", form.data_type());
        // Slices keep an offset into what they were cut from.
        for size in [1, 7, 64, 399] {
            let cut = (0..form.len()).step_by(size).map(|from| form.slice(from, size.min(form.len() - from)));
            let parts: Vec<RecordBatch> = cut.map(|part| all(&desk).sense(&part).expect("texts")).collect();
            assert_eq!(concat_batches(&wanted.schema(), &parts).expect("of one schema"), wanted);
        }
    }
}

#[test]
fn a_dictionary_without_texts_has_no_texts() {
    let desk = desk();
    for rows in [0, 2] {
        let mut dictionary = StringDictionaryBuilder::<Int32Type>::new();
        (0..rows).for_each(|_| dictionary.append_null());
        let wanted = all(&desk).sense(&StringArray::new_null(rows)).expect("texts");
        assert_eq!(all(&desk).sense(&dictionary.finish()).expect("texts"), wanted);
    }
}

#[cfg(feature = "parallel")]
#[test]
fn the_number_of_threads_changes_nothing() {
    let (desk, texts) = (desk(), StringArray::from(texts()));
    let of = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| all(&desk).sense(&texts).expect("texts"))
    };
    assert_eq!(of(1), of(5));
}

type Said<'t> = (Option<&'t str>, Option<&'t str>, Option<f64>);

fn talks(rows: &[Option<&[Said<'_>]>]) -> ArrayRef {
    let fields = vec![
        Field::new("role", DataType::Utf8, true),
        Field::new("content", DataType::Utf8, true),
        Field::new("timestamp", DataType::Float64, true),
    ];
    let turns = StructBuilder::new(
        fields,
        vec![Box::new(StringBuilder::new()), Box::new(StringBuilder::new()), Box::new(Float64Builder::new())],
    );
    let mut lists = ListBuilder::new(turns);
    for row in rows {
        for (role, content, time) in row.unwrap_or_default() {
            let turn = lists.values();
            turn.field_builder::<StringBuilder>(0).expect("texts").append_option(*role);
            turn.field_builder::<StringBuilder>(1).expect("texts").append_option(*content);
            turn.field_builder::<Float64Builder>(2).expect("numbers").append_option(*time);
            turn.append(true);
        }
        lists.append(row.is_some());
    }
    Arc::new(lists.finish())
}

const TALK: &[Said<'_>] = &[
    (Some("agent"), Some("Hello, what can I do for you on this fine day, madam?"), Some(0.0)),
    (Some("customer"), Some("Thank you for asking; my code 3 does not work any more."), Some(2.5)),
    (Some("agent"), Some("I see, thank you. It works again from now on."), Some(61.000001)),
];

#[test]
fn conversations_are_read_with_their_roles_and_times() {
    let desk = desk();
    let column = talks(&[None, Some(TALK), Some(&TALK[..2])]);
    let found = all(&desk).sense(&column.slice(1, 2)).expect("talks");
    let turns = TALK.iter().map(|(role, content, time)| Turn {
        role: role.map(Into::into),
        content: content.unwrap_or_default().into(),
        timestamp: time.and_then(|time| Unit::parse(&time.to_string())),
    });
    let reading = desk.sense(&Interaction::transcript(turns.collect()).expect("a talk")).expect("is sensed");
    let view = View { profile: Profile::Detailed, ..View::default() };
    assert_eq!(
        found.column_by_name("json").expect("asked for").as_string::<i32>().value(0),
        reading.to_json(view)
    );
    let evidence = found.column_by_name("evidence").expect("asked for").as_list::<i32>().value(0);
    let turns = evidence.as_struct().column(0).as_primitive::<UInt32Type>();
    assert_eq!(turns.values().to_vec(), [1, 1, 2]);
    assert!(found.column_by_name("temporal").expect("asked for").is_valid(0));
}

#[test]
fn what_is_wrong_with_a_row_is_said_at_its_place_and_costs_the_others_nothing() {
    let desk = desk();
    let column =
        talks(&[Some(TALK), Some(&[]), Some(&[(None, Some("Hm."), None)]), Some(&[(Some("a"), None, None)])]);
    let found = Frame::new(&desk).sense(&column).expect("talks");
    let errors = found.column_by_name("error").expect("is there").as_string::<i32>();
    assert!(errors.is_null(0) && found.column(0).is_valid(0));
    assert!(errors.value(1).contains("segments"), "{}", errors.value(1));
    assert_eq!(
        errors.value(2),
        "segments[0].role: the turn has no `role` (it is null); say who speaks, `agent` for example"
    );
    assert_eq!(
        errors.value(3),
        "segments[0].content: the turn has no `content` (it is null); give what was said, or leave the turn out"
    );
    let refused = Frame::new(&desk).bad_rows(BadRows::Refuse).sense(&column).expect_err("has bad rows");
    assert!(refused.place.starts_with("rows[1]"), "{refused}");
    let json = StringArray::from(vec![Some(r#"{"content": "Thank you."}"#), Some("{"), None]);
    let found = Frame::new(&desk).input(Input::Json).sense(&json).expect("JSON");
    assert_eq!(found.column(2).null_count(), 2);
    assert!(found.column(2).is_valid(1));
}

#[test]
fn other_types_are_refused_with_what_is_wanted() {
    let refused = |column: &dyn Array| Frame::new(&desk()).sense(column).expect_err("holds no interactions");
    let numbers = refused(&Int64Array::from(vec![1]));
    assert_eq!(numbers.place, "column");
    assert!(numbers.message.starts_with("the column is `Int64`; wanted are text (`utf8`"), "{numbers}");
    assert!(numbers.message.ends_with("timestamp?>>`)"), "{numbers}");
    let bytes = refused(&arrow_array::BinaryArray::from(vec![b"Thank you".as_slice()]));
    assert!(bytes.message.starts_with("the column is `Binary`; wanted are text"), "{bytes}");
    assert!(bytes.message.ends_with("if they are text in UTF-8, cast it to `utf8` first"), "{bytes}");
    let turns = |name: &str| {
        let texts: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
        let field = |name| Arc::new(Field::new(name, DataType::Utf8, true));
        let turns = StructArray::from(vec![(field("role"), texts.clone()), (field(name), texts)]);
        let item = Arc::new(Field::new("item", turns.data_type().clone(), true));
        arrow_array::ListArray::new(
            item,
            arrow_buffer::OffsetBuffer::from_lengths([1]),
            Arc::new(turns),
            None,
        )
    };
    assert!(refused(&turns("text")).message.contains("`text`"));
    assert_eq!("scores".parse::<Column>().expect_err("no such column").place, "columns");
}

#[test]
fn no_rows_and_nulls_have_the_schema_too() {
    let desk = desk();
    let empty = all(&desk).sense(&StringArray::from(Vec::<&str>::new())).expect("no rows");
    assert_eq!((empty.num_rows(), empty.schema()), (0, all(&desk).schema()));
    let nulls = all(&desk).sense(&NullArray::new(3)).expect("nulls");
    assert!(nulls.columns().iter().all(|column| column.null_count() == 3));
    let schema = empty.schema();
    assert_eq!(schema.metadata()["sonometer.target"], "protocol desk@1");
    assert!(schema.metadata()["sonometer.protocols"].starts_with("desk@1 sha256:"));
    assert_eq!(schema.metadata()["sonometer.engine"], sonometer::fingerprint().to_string());
}

#[test]
fn fidelity_alone_is_that_of_the_reading() {
    let (desk, texts) = (desk(), StringArray::from(texts()));
    let columns = [Column::Fidelity, Column::Sufficient];
    let alone = Frame::new(&desk).columns(columns).sense(&texts).expect("texts");
    let beside =
        Frame::new(&desk).columns([columns[0], columns[1], Column::Score]).sense(&texts).expect("texts");
    assert_eq!(alone.columns()[..2], beside.columns()[..2]);
}

#[test]
fn a_masked_column_shows_nothing_that_is_masked() {
    let desk = desk();
    let masked = Frame::new(&desk).mask(&StringArray::from(texts())).expect("texts");
    let masked = masked.as_string::<i32>();
    assert!(masked.is_null(1) && masked.value(4).contains("日本 **** * is what"), "{}", masked.value(4));
    assert!(masked.iter().flatten().all(|text| !text.contains("code 2")));
    let column = talks(&[Some(TALK), None, Some(&[])]);
    let masked = Frame::new(&desk).mask(&column).expect("talks");
    let first = masked.as_list::<i32>().value(0);
    let contents = first.as_struct().column(1).as_string::<i32>();
    assert_eq!(contents.value(1), "Thank you for asking; my **** * does not work any more.");
    assert_eq!(first.as_struct().column(0).as_string::<i32>().value(1), "customer");
    assert!(masked.is_null(1) && masked.is_null(2), "what cannot be read is not shown");
    assert!(Frame::new(&desk).bad_rows(BadRows::Refuse).mask(&column).is_err());
    let bytes = all(&desk).offsets(OffsetUnit::Bytes).sense(&StringArray::from(texts())).expect("texts");
    let pieces = bytes.column_by_name("evidence").expect("asked for").as_list::<i32>().value(4);
    assert_eq!(
        pieces.as_struct().column_by_name("source").expect("is there").as_string::<i32>().value(0),
        "**** *"
    );
}

#[test]
fn a_part_of_a_column_reads_its_own_turns() {
    let desk = desk();
    let rows: Vec<Option<&[Said<'_>]>> =
        (0..200).map(|row| [None, Some(TALK), Some(&TALK[..2])][row % 3]).collect();
    let column = talks(&rows);
    let whole = all(&desk).sense(&column).expect("talks");
    for size in [1, 7, 64, 150] {
        let cut =
            (0..column.len()).step_by(size).map(|from| column.slice(from, size.min(column.len() - from)));
        let parts: Vec<RecordBatch> = cut.map(|part| all(&desk).sense(&part).expect("talks")).collect();
        assert_eq!(concat_batches(&whole.schema(), &parts).expect("of one schema"), whole);
    }
    let batches = all(&desk).sense_in_batches(&column).expect("talks");
    assert_eq!(batches, [whole]);
}

#[test]
fn one_thread_says_what_many_say() {
    let desk = desk();
    let rows: Vec<Option<&[Said<'_>]>> =
        (0..200).map(|row| [None, Some(TALK), Some(&[][..]), Some(&TALK[..2])][row % 4]).collect();
    let columns: [ArrayRef; 2] = [Arc::new(StringArray::from(texts())), talks(&rows)];
    for column in columns {
        let whole = all(&desk).sense(&column).expect("holds interactions");
        let alone = all(&desk).on_this_thread();
        assert_eq!(
            alone.sense_in_batches(&column).expect("holds interactions"),
            std::slice::from_ref(&whole)
        );
        assert_eq!(&alone.mask(&column).expect("masks"), &all(&desk).mask(&column).expect("masks"));
        // Those of fewer rows than a group, which no pool is asked for.
        let few = column.slice(3, GROUP - 5);
        assert_eq!(alone.sense(&few).expect("holds interactions"), whole.slice(3, GROUP - 5));
    }
    let bad = talks(&rows);
    let refused = |frame: Frame| frame.bad_rows(BadRows::Refuse).sense(&bad).expect_err("has bad rows");
    assert_eq!(refused(all(&desk).on_this_thread()).place, refused(all(&desk)).place);
}
