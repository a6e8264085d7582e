//! What a file holds, as Python's `Extract`.

use crate::failure::{Failure, Outcome};
use crate::interaction::{Interaction, hash};
use crate::number::{float, kind_of, whole};
use crate::offsets::{Rulers, byte};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;
use sonometer::Unit;
use sonometer_ingest::{Ingested, Place};
use std::hash::{DefaultHasher, Hasher};

/// What a file holds: what is sensed, and where in the file it stands. Immutable. `extract` gives it.
///
/// Every method that takes an interaction also takes an extract:
///
/// >>> import sonometer
/// >>> letter = sonometer.extract(b"Dear all,\n\nthank you so much for your help!\n", name="letter.txt")
/// >>> letter
/// Extract('text', Interaction('Dear all,\n\nthank you so much for your help!\n'))
/// >>> for found in sonometer.Sensor("courtesy@1.0").sense(letter).evidence:
/// ...     print(found.source, "|", letter.place(found))
/// Dear | line 1
/// thank you | line 3
#[pyclass(frozen, name = "Extract", module = "sonometer")]
pub(crate) struct Extract {
    pub(crate) read: Ingested,
    interaction: PyOnceLock<Py<Interaction>>,
    pieces: PyOnceLock<Py<PyTuple>>,
}

impl Extract {
    pub(crate) fn new(read: Ingested) -> Self {
        Self { read, interaction: PyOnceLock::new(), pieces: PyOnceLock::new() }
    }

    fn place_at(&self, turn: usize, point: usize, what: &str) -> Outcome<Place> {
        let turns = self.read.interaction.turns();
        let Some(content) = turns.get(turn).map(|turn| &*turn.content) else {
            let message = format!("there is no segment {turn} in {}", turns.len());
            return Err(Failure::invalid("segment", message, what));
        };
        let Some(at) = byte(content, point) else {
            let message = format!("segment {turn} has no character {point}");
            return Err(Failure::invalid("offset", message, what));
        };
        Ok(self.read.place(turn, at).unwrap_or_default())
    }
}

fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("sonometer.files")?.getattr(name)
}

/// `sonometer.files.Place`.
fn place_object<'py>(py: Python<'py>, place: &Place) -> PyResult<Bound<'py, PyAny>> {
    let time = |time: Option<i64>| time.map(|time| float(Unit(time)));
    let (sheet, cell, part, path) =
        (place.sheet.as_deref(), place.cell.as_deref(), place.part.as_deref(), place.path.as_deref());
    let Place { page, paragraph, table, line, message, channel, .. } = *place;
    let (from, until) = (time(place.time), time(place.until));
    let first = (page, paragraph, table, sheet, cell, line, message).into_pyobject(py)?;
    let rest = (from, until, channel, part, path, place.to_string()).into_pyobject(py)?;
    let all = first.as_sequence().concat(rest.as_sequence())?.to_tuple()?;
    class(py, "Place")?.call1(all)
}

/// Unpickles an extract.
#[pyfunction]
pub(crate) fn _restore_extract(kept: &str) -> PyResult<Extract> {
    Ok(Extract::new(Ingested::from_json(kept).map_err(Failure::from)?))
}

#[pymethods]
impl Extract {
    /// What is sensed.
    #[getter]
    fn interaction(&self, py: Python<'_>) -> PyResult<Py<Interaction>> {
        let made = self
            .interaction
            .get_or_try_init(py, || Py::new(py, Interaction { inner: self.read.interaction.clone() }))?;
        Ok(made.clone_ref(py))
    }

    /// What the file is, such as `pdf` or `vtt`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.read.kind.as_str()
    }

    /// What a person should know: what was left out, repaired or guessed. Empty for most files.
    #[getter]
    fn notes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        // The notes name options as the command has them.
        let spelt = |note: &String| {
            note.replace("`--quoted keep`", "`quoted=\"keep\"`").replace("`--sheet NAME`", "`sheet=`")
        };
        PyTuple::new(py, self.read.notes.iter().map(spelt).collect::<Vec<_>>())
    }

    /// The text: that of a document as it is sensed, that of a conversation in lines with roles.
    ///
    /// >>> import sonometer
    /// >>> sonometer.extract(b"agent: Good morning.\ncustomer: Hi!\n", turns=True).text
    /// 'agent: Good morning.\ncustomer: Hi!'
    #[getter]
    fn text(&self) -> String {
        let turns = self.read.interaction.turns().iter();
        let lines = turns.map(|turn| match &turn.role {
            Some(role) => format!("{role}: {}", turn.content),
            None => String::from(turn.content.clone()),
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Every stretch of the text with the place that it comes from, in order.
    #[getter]
    fn pieces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let made = self.pieces.get_or_try_init(py, || {
            let class = class(py, "Piece")?;
            let mut rulers = Rulers::of(self.read.interaction.turns());
            let pieces = self.read.map.pieces().iter().map(|piece| {
                let range = &piece.range;
                let (start, end) = (rulers.at(piece.turn, range.start), rulers.at(piece.turn, range.end));
                let sure = piece.confidence.map(|sure| float(Unit(sure)));
                class.call1((piece.turn, start, end, place_object(py, &piece.place)?, sure))
            });
            let pieces = pieces.collect::<PyResult<Vec<_>>>()?;
            PyResult::Ok(PyTuple::new(py, pieces)?.unbind())
        })?;
        Ok(made.bind(py).clone())
    }

    /// Of a recording: what it is, who heard the words, and the transcript; else None.
    #[getter]
    fn sound<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(sound) = &self.read.sound else { return Ok(None) };
        let (seconds, sure) = (float(sound.seconds), sound.transcript.confidence().map(float));
        let (transcript, heard_by) = (sound.transcript.to_json(), &sound.heard_by);
        class(py, "Sound")?
            .call1((&sound.shown, seconds, heard_by, sure, &sound.sha256, transcript))
            .map(Some)
    }

    /// Where in the file evidence stands, or the `offset`th character of a segment.
    ///
    /// >>> import sonometer
    /// >>> table = sonometer.extract(b"who,said\nagent,Good morning.\ncustomer,Hi!\n", kind="csv", column="said", role_column="who")
    /// >>> table.place(1, 0)
    /// Place(cell='B3', line=3)
    /// >>> str(table.place(1, 0))
    /// 'cell B3, line 3'
    #[pyo3(signature = (segment, /, offset = None))]
    fn place<'py>(
        &self,
        segment: &Bound<'py, PyAny>,
        offset: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = segment.py();
        let place = match offset {
            Some(offset) => {
                let (turn, point) =
                    (whole(segment, "segment", 0, usize::MAX)?, whole(offset, "offset", 0, usize::MAX)?);
                self.place_at(turn, point, "give a place in this extract")?
            }
            None => {
                let (turn, start) = (segment.getattr_opt("segment")?, segment.getattr_opt("start")?);
                let (Some(turn), Some(start)) = (turn, start) else {
                    let message = format!("{} is not evidence", kind_of(segment));
                    let fix = "give the evidence of a reading, or a segment and an offset";
                    return Err(Failure::wrong_type("segment", message, fix).into());
                };
                let (turn, point) =
                    (whole(&turn, "segment", 0, usize::MAX)?, whole(&start, "offset", 0, usize::MAX)?);
                self.place_at(turn, point, "give evidence of a reading of this extract")?
            }
        };
        place_object(py, &place)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let interaction = self.interaction(py)?.bind(py).repr()?;
        Ok(format!("Extract('{}', {})", self.kind(), interaction.to_string_lossy()))
    }

    fn __eq__(&self, other: PyRef<'_, Self>) -> bool {
        self.read == other.read
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        hash(&self.read.interaction, &mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let restore = py.import("sonometer._sonometer")?.getattr("_restore_extract")?;
        Ok((restore, (self.read.to_json(),)))
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }
}
