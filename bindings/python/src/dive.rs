//! Dives: one run through a stage, as Python's `Dive`.

use crate::argument;
use crate::card::StageCard;
use crate::failure::{Failure, Outcome};
use crate::held::{Held, Words};
use crate::model;
use crate::number::{float, kind_of};
use crate::stage::Stage;
use crate::target::shared;
use crate::value::text;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use sonometer::stage::{Agent, Closing, Observation, Step, Totals, Verdict};
use sonometer::{Error, Interaction, OffsetUnit, SenseOptions, View};

const WORDS: Words = Words {
    gone: ["the dive is lost: the engine failed in it", "open a new one, or resume from what was saved"],
    left_behind: [
        "another thread was using the dive when this process was forked",
        "after the fork, resume it from what was saved",
    ],
};

/// One run through a stage: it takes actions, answers them, and ends with a card. `Stage.open` makes it.
///
/// >>> from sonometer import Stage
/// >>> stage = Stage("billing-dispute")
/// >>> walk = stage.walkthroughs["reference"]
/// >>> dive = stage.open(seed=walk.seed)
/// >>> for action in walk.say:
/// ...     step = dive.act(action)
/// >>> step.observation.world
/// 'All right. If that is how it goes, we are good. Thanks for not making me do it a fourth time.'
/// >>> dive.done, dive.close().passed
/// (True, True)
/// >>> dive.act("And one more thing.")
/// Traceback (most recent call last):
///   ...
/// sonometer.errors.DiveClosedError: the dive has ended; close it to get its card (at action)
#[pyclass(frozen, name = "Dive", module = "sonometer")]
pub(crate) struct Dive {
    stage: Py<Stage>,
    held: Held<Run>,
}

/// A dive with the lines of its log.
#[derive(Clone)]
struct Run {
    dive: sonometer::stage::Dive,
    /// None where the dive was resumed: its text has no lines, they follow from the actions.
    log: Option<Vec<String>>,
}

impl Dive {
    pub(crate) fn new(
        stage: &Bound<'_, Stage>,
        dive: sonometer::stage::Dive,
        log: Option<Vec<String>>,
    ) -> Self {
        Self { stage: stage.clone().unbind(), held: Held::new(Run { dive, log }, &WORDS) }
    }

    /// Looks at the dive.
    fn look<R: Send>(
        &self,
        py: Python<'_>,
        look: impl FnOnce(&sonometer::stage::Dive) -> R + Send,
    ) -> PyResult<R> {
        Ok(self.held.with(py, false, |run| Ok(look(&run.dive)))?)
    }
}

impl Run {
    /// The log; that of a resumed dive is worked out from its actions.
    fn log(&mut self) -> Result<&[String], Failure> {
        if self.log.is_none() {
            let mut again = self.dive.world().open(self.dive.seed());
            let mut lines = Vec::new();
            for action in self.dive.actions() {
                let step = again.act(action)?;
                lines.push(step.log_line(action, &again.chain()));
            }
            if again.chain() != self.dive.chain() {
                let message = "the saved dive does not match its actions; it was changed";
                return Err(sonometer::stage::Mismatch::new("chain", message).into());
            }
            self.log = Some(lines);
        }
        Ok(self.log.as_deref().unwrap_or_default())
    }
}

/// A class of `sonometer.diving`.
pub(crate) fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("sonometer.diving")?.getattr(name)
}

/// `sonometer.diving.Totals`.
pub(crate) fn totals_object(py: Python<'_>, totals: Totals) -> PyResult<Bound<'_, PyAny>> {
    let Totals { turns, score, on_target, ics } = totals;
    class(py, "Totals")?.call1((turns, float(score), float(on_target), ics))
}

/// `sonometer.diving.Verdict`.
pub(crate) fn verdict_object<'py>(py: Python<'py>, verdict: &Verdict) -> PyResult<Bound<'py, PyAny>> {
    let Verdict { passed, reason, checkpoints_hit, flags_tripped } = verdict;
    let (hit, tripped) = (PyTuple::new(py, checkpoints_hit)?, PyTuple::new(py, flags_tripped)?);
    class(py, "Verdict")?.call1((*passed, reason.as_str(), hit, tripped))
}

fn observation_object<'py>(py: Python<'py>, seen: &Observation) -> PyResult<Bound<'py, PyAny>> {
    class(py, "Observation")?.call1((&seen.world, seen.turn, seen.done, seen.to_json()))
}

/// `sonometer.diving.DiveStep`.
fn step_object<'py>(py: Python<'py>, step: Step, line: &str) -> PyResult<Bound<'py, PyAny>> {
    let parts = PyDict::new(py);
    parts.set_item("observation", observation_object(py, &step.observation)?)?;
    parts.set_item("score", float(step.measured.score))?;
    parts.set_item("on_target", step.measured.on_target)?;
    parts.set_item("fidelity", float(step.measured.fidelity))?;
    parts.set_item("ics", step.measured.ics)?;
    parts.set_item("checkpoints", PyTuple::new(py, &step.checkpoints)?)?;
    parts.set_item("flags", PyTuple::new(py, &step.flags)?)?;
    parts.set_item("totals", totals_object(py, step.totals)?)?;
    parts.set_item("log_line", line)?;
    parts.set_item("_json", step.to_json())?;
    let view = View { offsets: Some(OffsetUnit::Chars), ..View::default() };
    let sensed = step.sensed;
    parts.set_item("_sensed", sensed.to_json(view))?;
    let names = model::names(py, sensed.instrument())?;
    parts.set_item("evidence", model::evidence(&names, &sensed)?)?;
    parts.set_item("metamarkers", model::metamarkers(&names, &sensed)?)?;
    class(py, "DiveStep")?.call((), Some(&parts))
}

/// Whose dive it was: an id, or an id with a version.
fn agent(value: &Bound<'_, PyAny>) -> Outcome<Agent> {
    if let Ok(id) = value.cast::<PyString>() {
        return Ok(Agent { id: text(id, "agent")?.to_owned(), version: None });
    }
    let wrong = || {
        let message = format!("the agent is {}", kind_of(value));
        Failure::wrong_type("agent", message, "give its id as a str, or (id, version)")
    };
    let parts = value.cast::<PyTuple>().map_err(|_| wrong())?;
    let part = |at: usize, place: &str| -> Outcome<Option<String>> {
        match parts.get_item(at) {
            Ok(part) if part.is_none() => Ok(None),
            Ok(part) => Ok(Some(text(part.cast::<PyString>().map_err(|_| wrong())?, place)?.to_owned())),
            Err(_) => Ok(None),
        }
    };
    let id = part(0, "agent.id")?.filter(|_| parts.len() <= 2).ok_or_else(wrong)?;
    Ok(Agent { id, version: part(1, "agent.version")? })
}

#[pymethods]
impl Dive {
    /// The stage that is dived.
    #[getter]
    fn stage<'py>(&self, py: Python<'py>) -> Bound<'py, Stage> {
        self.stage.bind(py).clone()
    }

    /// Its seed, 0 to 2^53 − 1.
    #[getter]
    fn seed(&self, py: Python<'_>) -> PyResult<u64> {
        self.look(py, sonometer::stage::Dive::seed)
    }

    /// What the world has shown last.
    #[getter]
    fn observation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        observation_object(py, &self.look(py, sonometer::stage::Dive::observation)?)
    }

    /// How many actions there were.
    #[getter]
    fn turn(&self, py: Python<'_>) -> PyResult<u32> {
        self.look(py, sonometer::stage::Dive::turn)
    }

    /// Whether the world has ended.
    #[getter]
    fn done(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.ended_by(py)?.is_some())
    }

    /// Why the world has ended: `scene`, `flag`, `max_turns` or `ics_budget`; None as long as it goes on.
    #[getter]
    fn ended_by(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        self.look(py, sonometer::stage::Dive::ended_by)
    }

    /// The head of the hash chain over actions and readings, as 64 hexadecimal digits.
    #[getter]
    fn chain(&self, py: Python<'_>) -> PyResult<String> {
        self.look(py, sonometer::stage::Dive::chain)
    }

    /// The actions so far.
    #[getter]
    fn actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let actions = self.look(py, |dive| dive.actions().map(str::to_owned).collect::<Vec<_>>())?;
        PyTuple::new(py, actions)
    }

    /// The sums so far.
    #[getter]
    fn totals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        totals_object(py, self.look(py, sonometer::stage::Dive::totals)?)
    }

    /// How the dive would be judged if it were closed now.
    #[getter]
    fn verdict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        verdict_object(py, &self.look(py, sonometer::stage::Dive::verdict)?)
    }

    /// Takes one action: senses it in the conversation so far, moves the world, and gives its answer.
    ///
    /// A world that has ended takes none (`DiveClosedError`), and none that is too long (`ActionTooLongError`); the dive is
    /// then as it was.
    #[pyo3(signature = (action, /))]
    fn act<'py>(&self, action: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = action.py();
        let Ok(action) = action.cast::<PyString>() else {
            let message = format!("the action is {}", kind_of(action));
            return Err(Failure::wrong_type("action", message, "give the text as a str").into());
        };
        let action = text(action, "action")?;
        let taken = self.held.with(py, true, |run| {
            Ok(run.dive.act(action).map(|step| {
                let line = step.log_line(action, &run.dive.chain());
                run.log.iter_mut().for_each(|log| log.push(line.clone()));
                (step, line)
            }))
        })?;
        let (step, line) = taken.map_err(Failure::from)?;
        step_object(py, step, &line)
    }

    /// The log: every action with what came of it, a line of JSON each. The card can be computed again from it.
    fn log(&self, py: Python<'_>) -> PyResult<String> {
        let written = self.held.with(py, true, |run| {
            Ok::<_, Error>(run.log().map(|lines| lines.iter().map(|line| format!("{line}\n")).collect()))
        })?;
        Ok(written?)
    }

    /// The whole dive as a text, from which `Stage.resume` goes on: kept after every action it survives the process. It
    /// holds what the world knows; keep it from the agent.
    fn save(&self, py: Python<'_>) -> PyResult<String> {
        self.look(py, sonometer::stage::Dive::to_json)
    }

    /// Closes the dive: its card, unsigned. The dive is as it was, so that the same words give the same card again.
    ///
    /// `dive_id` is what the dive is known by, without it stage and seed; `agent` the tag of who dived, `"kelp"` or
    /// `("kelp", "0.3")`; `summary` a note.
    ///
    /// >>> from sonometer import Stage
    /// >>> card = Stage("billing-dispute").open(seed=7).close(agent=("kelp", "0.3"))
    /// >>> card.dive_id, card.agent, card.verdict.reason
    /// ('billing-dispute-7', Agent(id='kelp', version='0.3'), 'closed_early')
    #[pyo3(signature = (*, dive_id = None, agent = None, summary = None))]
    fn close(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::dive_id)] dive_id: Option<&str>,
        agent: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::summary)] summary: Option<&str>,
    ) -> PyResult<StageCard> {
        let agent = agent.map(self::agent).transpose()?;
        let card = self.look(py, |dive| {
            let usual = || format!("{}-{}", dive.world().stage().id, dive.seed());
            let closing = Closing {
                agent,
                summary: summary.map(str::to_owned),
                ..Closing::practice(dive_id.map_or_else(usual, str::to_owned))
            };
            dive.close(&closing)
        })?;
        Ok(StageCard::new(card))
    }

    /// A dive that goes its own way from here.
    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        let run = self.held.with(py, false, |run| Ok(run.clone()))?;
        Ok(Self { stage: self.stage.clone_ref(py), held: Held::new(run, &WORDS) })
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.__copy__(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("sonometer._sonometer")?.getattr("_restore_dive")?;
        let stage = shared(self.stage(py).into_any())?;
        Ok((restore, (stage, self.save(py)?).into_pyobject(py)?))
    }

    /// For notebooks: how it stands, and what was said, masked where the protocols mask.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("sonometer._html")?.call_method1("dive", (slf,))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let stage = self.stage.get().world.stage();
        let name = PyString::new(py, &format!("{}@{}", stage.id, stage.version));
        let name = name.repr()?.to_string_lossy().into_owned();
        let (seed, turn) = (self.seed(py)?, self.turn(py)?);
        let ended = self.ended_by(py)?.map_or_else(String::new, |by| format!(" ended_by='{by}'"));
        Ok(format!("<Dive {name} seed={seed} turn={turn}{ended}>"))
    }
}

/// What was said in a dive, for notebooks: each turn with its role and what is shown for each character, the evidence of the whole talk,
/// the effect of each metamarker, and how strongly each sounds.
#[pyfunction]
pub(crate) fn _dive_talk<'py>(dive: &Bound<'py, Dive>) -> PyResult<Bound<'py, PyTuple>> {
    let py = dive.py();
    let talk = dive.get().look(py, |dive| dive.talk().to_vec())?;
    let instrument = dive.get().stage.get().world.instrument();
    let sensed = py.detach(|| {
        let talk = Interaction::transcript(talk)?;
        instrument.sense_with(&talk, SenseOptions::default())
    });
    let sensed = sensed.map_err(Failure::from)?;
    let roles = sonometer_report::Roles::of(&sensed);
    let turn = |(at, turn): (usize, &sonometer::Turn)| {
        let role = turn.role.as_deref().map(|role| roles.shown(role));
        (role, PyTuple::new(py, sensed.masked_characters(at))?).into_pyobject(py)
    };
    let turns = sensed.interaction().turns().iter().enumerate().map(turn);
    let turns = PyTuple::new(py, turns.collect::<PyResult<Vec<_>>>()?)?;
    let names = model::names(py, instrument)?;
    let (effects, resonance) = (PyDict::new(py), PyDict::new(py));
    for ((key, _), effect) in instrument.markers().zip(instrument.effects()) {
        effects.set_item(key, effect.as_str())?;
    }
    for (key, came_to) in sensed.resonance() {
        resonance.set_item(key, float(came_to.activation))?;
    }
    (turns, model::evidence(&names, &sensed)?, effects, resonance).into_pyobject(py)
}

/// Unpickles a dive.
#[pyfunction]
pub(crate) fn _restore_dive(stage: &Bound<'_, Stage>, saved: &str) -> PyResult<Dive> {
    let dive = stage.get().world.resume(saved).map_err(Failure::from)?;
    Ok(Dive::new(stage, dive, None))
}
