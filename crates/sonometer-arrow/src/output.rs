//! Readings, appended to the builders of the columns that were asked for. No object is made for a row, a marker or a piece of evidence.

use crate::column::{Column, evidence_fields, flow_fields, ics_fields, signal_fields, temporal_fields};
use arrow_array::builder::{
    BooleanBuilder, Float64Builder, ListBuilder, StringBuilder, UInt32Builder, UInt64Builder,
};
use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::{NullBuffer, NullBufferBuilder, OffsetBuffer};
use arrow_schema::{DataType, Field};
use sonometer::{
    Columns, Fidelity, FlowOptions, Instrument, OffsetUnit, Profile, Reading, TemporalOptions, Unit, View,
};
use std::sync::Arc;

/// The float nearest to a number in millionths: one rounding, since both are exact below 2^53 millionths.
fn float(unit: Unit) -> f64 {
    unit.0 as f64 / 1e6
}

/// The column that is being built.
pub(crate) enum Output {
    Score(Float64Builder),
    Sufficient(BooleanBuilder),
    Fidelity(Float64Builder),
    Resonance(Vec<Float64Builder>, NullBufferBuilder),
    Triggered(ListBuilder<StringBuilder>),
    Evidence(Box<Evidence>),
    Signal(Float64Builder, Float64Builder, StringBuilder, NullBufferBuilder),
    Flow(StringBuilder, Float64Builder, [ListBuilder<StringBuilder>; 2], NullBufferBuilder),
    Temporal(StringBuilder, UInt64Builder, ListBuilder<Float64Builder>, NullBufferBuilder),
    Ics(UInt64Builder, Float64Builder, NullBufferBuilder),
    Json(StringBuilder),
}

/// Evidence of all rows: the places as the engine gives them, and beside each its metamarker and source.
pub(crate) struct Evidence {
    places: Columns,
    markers: StringBuilder,
    sources: StringBuilder,
    valid: NullBufferBuilder,
}

impl Output {
    pub(crate) fn new(column: Column, instrument: &Instrument, rows: usize, unit: OffsetUnit) -> Self {
        let numbers = || Float64Builder::with_capacity(rows);
        let valid = || NullBufferBuilder::new(rows);
        let texts = StringBuilder::new;
        let lists = || ListBuilder::new(StringBuilder::new());
        match column {
            Column::Score => Self::Score(numbers()),
            Column::Sufficient => Self::Sufficient(BooleanBuilder::with_capacity(rows)),
            Column::Fidelity => Self::Fidelity(numbers()),
            Column::Resonance => Self::Resonance(instrument.markers().map(|_| numbers()).collect(), valid()),
            Column::Triggered => Self::Triggered(lists()),
            Column::Evidence => Self::Evidence(Box::new(Evidence {
                places: Columns::new(unit),
                markers: texts(),
                sources: texts(),
                valid: valid(),
            })),
            Column::Signal => Self::Signal(numbers(), numbers(), texts(), valid()),
            Column::ActantFlow => Self::Flow(texts(), numbers(), [lists(), lists()], valid()),
            Column::Temporal => {
                Self::Temporal(texts(), UInt64Builder::new(), ListBuilder::new(numbers()), valid())
            }
            Column::Ics => Self::Ics(UInt64Builder::with_capacity(rows), numbers(), valid()),
            Column::Json => Self::Json(texts()),
        }
    }

    /// Adds a row without a reading.
    pub(crate) fn add_null(&mut self) {
        match self {
            Self::Score(numbers) | Self::Fidelity(numbers) => numbers.append_null(),
            Self::Sufficient(values) => values.append_null(),
            Self::Resonance(markers, valid) => {
                markers.iter_mut().for_each(Float64Builder::append_null);
                valid.append_null();
            }
            Self::Triggered(lists) => lists.append_null(),
            Self::Evidence(evidence) => {
                evidence.places.add_none();
                evidence.valid.append_null();
            }
            Self::Signal(spread, coherence, mode, valid) => {
                spread.append_null();
                coherence.append_null();
                mode.append_null();
                valid.append_null();
            }
            Self::Flow(direction, balance, driven, valid) => {
                direction.append_null();
                balance.append_null();
                driven.iter_mut().for_each(ListBuilder::append_null);
                valid.append_null();
            }
            Self::Temporal(trend, shifts, levels, valid) => {
                trend.append_null();
                shifts.append_null();
                levels.append_null();
                valid.append_null();
            }
            Self::Ics(consumed, cost, valid) => {
                consumed.append_null();
                cost.append_null();
                valid.append_null();
            }
            Self::Json(texts) => texts.append_null(),
        }
    }

    /// Adds what a reading says. What is insufficient has fidelity and nothing else.
    pub(crate) fn add(&mut self, reading: &Reading) {
        let fidelity = reading.fidelity();
        match self {
            Self::Score(numbers) => numbers.append_option(reading.score().map(float)),
            Self::Sufficient(values) => values.append_value(fidelity.sufficient),
            Self::Fidelity(numbers) => numbers.append_value(float(fidelity.index)),
            Self::Json(texts) => {
                texts.append_value(reading.to_json(View { profile: Profile::Detailed, ..View::default() }))
            }
            _ if !fidelity.sufficient => self.add_null(),
            Self::Resonance(markers, valid) => {
                for (numbers, (_, found)) in markers.iter_mut().zip(reading.resonance()) {
                    numbers.append_value(float(found.activation));
                }
                valid.append_non_null();
            }
            Self::Triggered(lists) => add_labels(lists, reading.triggered()),
            Self::Evidence(evidence) => {
                for found in reading.evidence() {
                    evidence.markers.append_value(found.metamarker);
                    evidence.sources.append_value(found.source);
                }
                evidence.places.add(reading);
                evidence.valid.append_non_null();
            }
            Self::Signal(spread, coherence, mode, valid) => {
                let Some(signal) = reading.signal() else { return self.add_null() };
                spread.append_value(float(signal.spread));
                coherence.append_value(float(signal.coherence));
                mode.append_option(signal.dominant_mode);
                valid.append_non_null();
            }
            Self::Flow(direction, balance, [primary, secondary], valid) => {
                let Some(flow) = reading.actant_flow(FlowOptions::default()) else { return self.add_null() };
                direction.append_value(flow.direction.as_str());
                balance.append_value(float(flow.balance));
                add_labels(primary, flow.primary_driven.into_iter());
                add_labels(secondary, flow.secondary_driven.into_iter());
                valid.append_non_null();
            }
            Self::Temporal(trend, shifts, levels, valid) => {
                let Some(temporal) = reading.temporal(TemporalOptions::default()) else {
                    return self.add_null();
                };
                trend.append_value(temporal.trend.as_str());
                shifts.append_value(temporal.phase_shifts);
                temporal.levels.iter().for_each(|level| levels.values().append_value(float(level.level)));
                levels.append(true);
                valid.append_non_null();
            }
            Self::Ics(consumed, cost, valid) => {
                let ics = reading.ics();
                consumed.append_value(ics.consumed);
                cost.append_value(float(ics.cost_usd));
                valid.append_non_null();
            }
        }
    }

    /// Bytes of the texts so far, of a column whose texts grow with what was said; labels of a row are few.
    pub(crate) fn text_bytes(&self) -> usize {
        match self {
            Self::Json(texts) => texts.values_slice().len(),
            Self::Evidence(evidence) => {
                evidence.markers.values_slice().len().max(evidence.sources.values_slice().len())
            }
            Self::Triggered(lists) => lists.values_ref().values_slice().len(),
            Self::Flow(_, _, driven, _) => {
                driven.iter().map(|lists| lists.values_ref().values_slice().len()).max().unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// Adds what only `fidelity` and `sufficient` are asked of.
    pub(crate) fn add_fidelity(&mut self, fidelity: &Fidelity) {
        match self {
            Self::Sufficient(values) => values.append_value(fidelity.sufficient),
            Self::Fidelity(numbers) => numbers.append_value(float(fidelity.index)),
            _ => self.add_null(),
        }
    }

    /// The column. `kind` is that of [`Column::data_type`].
    pub(crate) fn finish(self, kind: &DataType) -> ArrayRef {
        let fields = || match kind {
            DataType::Struct(fields) => fields.clone(),
            _ => Default::default(),
        };
        let of = |columns: Vec<ArrayRef>, mut valid: NullBufferBuilder, fields| -> ArrayRef {
            Arc::new(StructArray::new(fields, columns, valid.finish()))
        };
        match self {
            Self::Score(mut numbers) | Self::Fidelity(mut numbers) => Arc::new(numbers.finish()),
            Self::Sufficient(mut values) => Arc::new(values.finish()),
            Self::Resonance(markers, mut valid) => {
                let rows = valid.len();
                let columns: Vec<ArrayRef> =
                    markers.into_iter().map(|mut numbers| Arc::new(numbers.finish()) as ArrayRef).collect();
                // A protocol has at least one marker, but a struct without fields needs its length.
                let made = StructArray::try_new_with_length(fields(), columns, valid.finish(), rows);
                Arc::new(made.expect("one value a row in each field"))
            }
            Self::Triggered(mut lists) => Arc::new(lists.finish()),
            Self::Evidence(evidence) => Arc::new(evidence.finish()),
            Self::Signal(mut spread, mut coherence, mut mode, valid) => of(
                vec![Arc::new(spread.finish()), Arc::new(coherence.finish()), Arc::new(mode.finish())],
                valid,
                signal_fields(),
            ),
            Self::Flow(mut direction, mut balance, [mut primary, mut secondary], valid) => of(
                vec![
                    Arc::new(direction.finish()),
                    Arc::new(balance.finish()),
                    Arc::new(primary.finish()),
                    Arc::new(secondary.finish()),
                ],
                valid,
                flow_fields(),
            ),
            Self::Temporal(mut trend, mut shifts, mut levels, valid) => of(
                vec![Arc::new(trend.finish()), Arc::new(shifts.finish()), Arc::new(levels.finish())],
                valid,
                temporal_fields(),
            ),
            Self::Ics(mut consumed, mut cost, valid) => {
                of(vec![Arc::new(consumed.finish()), Arc::new(cost.finish())], valid, ics_fields())
            }
            Self::Json(mut texts) => Arc::new(texts.finish()),
        }
    }
}

impl Evidence {
    fn finish(mut self) -> ListArray {
        let places = self.places;
        let numbers = |values: Vec<u32>| -> ArrayRef {
            let mut builder = UInt32Builder::with_capacity(values.len());
            builder.append_slice(&values);
            Arc::new(builder.finish())
        };
        let scores: Vec<f64> = places.scores.iter().map(|&score| float(score)).collect();
        let mut of_scores = Float64Builder::with_capacity(scores.len());
        of_scores.append_slice(&scores);
        let lengths = places.bounds.windows(2).map(|pair| (pair[1] - pair[0]) as usize);
        let offsets = OffsetBuffer::from_lengths(lengths);
        let columns: Vec<ArrayRef> = vec![
            numbers(places.turns),
            numbers(places.starts),
            numbers(places.ends),
            Arc::new(self.markers.finish()),
            Arc::new(of_scores.finish()),
            Arc::new(self.sources.finish()),
        ];
        let pieces = StructArray::new(evidence_fields(), columns, None);
        let item = Field::new_list_field(DataType::Struct(evidence_fields()), true);
        let valid: Option<NullBuffer> = self.valid.finish();
        ListArray::new(item.into(), offsets, Arc::new(pieces), valid)
    }
}

fn add_labels<'l>(lists: &mut ListBuilder<StringBuilder>, labels: impl Iterator<Item = &'l str>) {
    labels.for_each(|label| lists.values().append_value(label));
    lists.append(true);
}
