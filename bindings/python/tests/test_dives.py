"""Stages and dives: what they hold, that they are the same everywhere, and what can be done wrong with them."""

import copy
import json
import os
import pathlib
import pickle
import subprocess
import sys
import threading
import time
from typing import Any

import pytest
from test_misuse import ODD, tried

import sonometer
from sonometer import (
    ActionTooLongError,
    CardMismatchError,
    Dive,
    DiveClosedError,
    InvalidProtocolError,
    InvalidRequestError,
    Stage,
    TargetNotFoundError,
    WrongTypeError,
    diving,
)

PORTER = """\
sonometer: 1
id: porter
version: "1.0"
status: published
taxonomy: Good_Practice
language: en
fidelity: {words: 4, sufficient: 0.4}
markers:
  - label: thanks
    negation: drop
    clear: |
      (thank you|thanks) (for|so|very)
    hit: |
      Thank you so much.
  - label: bribe
    pole: against
    strong: |
      here (is|are) ..4.. (euros|dollars|coins)
    hit: |
      Here are ten euros for you.
"""

DOOR = """\
sonometer_stage: 1
id: door
version: "1.0"
protocol: porter@1.0
objective: Get through the door, politely.
envelope: {max_turns: 4, max_action_chars: 100}
vars: {mood: 1 in 0..3}
lists: {weather: [rain, snow]}
start: hall
scenes:
  hall:
    world: "A porter stands at the door, out of the {weather}."
    do:
      - when: fired(thanks)
        set: mood + 1
        go: through
        world: "He smiles."
      - otherwise: stay
        set: mood - 1
        world: ["He looks at you.", "He waits."]
  through:
    end: true
    world: "You are through."
checkpoints: {inside: reached(through)}
flags:
  bribed: {when: fired(bribe), end: true}
walkthroughs:
  polite: {expect: pass, say: ["Good evening, thank you so much for waiting."]}
  silence: {expect: fail, say: [".", "."]}
  parrot: {expect: fail, say: [thanks door polite]}
"""

POLITE = "Good evening, thank you so much for waiting."


@pytest.fixture(scope="module")
def door() -> Stage:
    return Stage(DOOR, shelf=[PORTER])


def dived(stage: Stage, actions: list[str], seed: int = 0) -> Dive:
    dive = stage.open(seed=seed)
    for action in actions:
        dive.act(action)
    return dive


def test_a_stage_says_what_it_is(door: Stage) -> None:
    assert (door.id, door.version, door.name, door.status, door.roles) == ("door", "1.0", "door", "draft", ("agent", "world"))
    assert door.objective == "Get through the door, politely." and door.description == ""
    assert door.envelope == diving.Envelope(max_turns=4, ics_budget=200, max_action_chars=100, share_scorecard=True)
    assert door.rules == diving.Rules(
        checkpoints=(diving.Checkpoint("inside", "reached(through)"),),
        flags=(diving.Flag("bribed", "fired(bribe)", True),),
        on_target=door.rules.on_target,
        passes="all(checkpoints) and none(flags)",
    )
    porter = sonometer.Sensor(PORTER)
    assert door.target.protocols == (diving.Stamp("porter", "1.0", porter.digest),)
    assert (door.target.kind, door.target.id, door.target.digest) == ("protocol", "porter", porter.digest)
    assert list(door.walkthroughs) == ["polite", "silence", "parrot"]
    assert door.walkthroughs["polite"] == diving.Walkthrough("polite", 0, True, None, (POLITE,))
    assert door.digest.startswith("sha256:") and door.warnings == ()
    assert bytes(door).decode() == door.json() and door.to_dict()["id"] == "door"
    with pytest.raises(TypeError):
        door.walkthroughs["more"] = door.walkthroughs["polite"]  # type: ignore[index]


def test_whatever_names_a_stage_gives_it(door: Stage, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "door.yaml").write_text(DOOR)
    (tmp_path / "porter.yaml").write_text(PORTER)
    monkeypatch.chdir(tmp_path)
    read = [Stage("door.yaml"), Stage(tmp_path / "door.yaml"), Stage(str(tmp_path / "door.yaml"))]
    read += [Stage(source, shelf=[PORTER]) for source in (DOOR, door.json(), door.to_dict(), door)]
    read += [Stage(DOOR, shelf=shelf) for shelf in ([tmp_path], [sonometer.Sensor(PORTER)], iter(["porter.yaml"]))]
    read += [Stage(DOOR, shelf=[PORTER], catalog=False)]
    for stage in read:
        assert stage == door and hash(stage) == hash(door) and stage.json() == door.json()
    assert Stage("billing-dispute") == Stage("billing-dispute@1.0") != door
    assert [entry.id for entry in sonometer.stages()] == ["agent-phishing", "billing-dispute", "drinking-less"]
    assert {entry.kind for entry in sonometer.stages()} == {"stage"}
    assert Stage(sonometer.stages()[1].source) == Stage("billing-dispute")


def test_what_is_no_stage_is_told_with_its_place(tmp_path: pathlib.Path) -> None:
    with pytest.raises(TargetNotFoundError, match="did you mean `billing-dispute`") as missing:
        Stage("billing-dispute-2")
    assert missing.value.place == "stage"
    with pytest.raises(TargetNotFoundError) as missing:
        Stage(DOOR)
    assert missing.value.place == "protocol"
    with pytest.raises(TargetNotFoundError):
        Stage("billing-dispute", catalog=False)
    with pytest.raises(TargetNotFoundError, match="it is a stage; use sonometer.Stage"):
        sonometer.load("billing-dispute")
    with pytest.raises(InvalidProtocolError) as wrong:
        Stage(DOOR.replace("fired(thanks)", "fired(thank)"), shelf=[PORTER])
    assert (wrong.value.place, wrong.value.fix) == ("line 14, column 21", "did you mean `thanks`")
    found = wrong.value.diagnostics[0]
    assert DOOR.replace("fired(thanks)", "fired(thank)")[found.start : found.end] == "thank"
    with pytest.raises(FileNotFoundError):
        Stage(tmp_path / "none.yaml")
    with pytest.raises(WrongTypeError, match="an int is not a stage"):
        Stage(7)  # type: ignore[arg-type]
    with pytest.raises(InvalidProtocolError) as wrong:
        Stage(DOOR, shelf=[PORTER, "sonometer: 1\n"])
    assert wrong.value.place == "shelf[1], line 1, column 1"
    with pytest.raises(WrongTypeError, match="the shelf is a str"):
        Stage(DOOR, shelf=PORTER)


def test_check_runs_the_walkthroughs(tmp_path: pathlib.Path) -> None:
    (tmp_path / "porter.yaml").write_text(PORTER)
    (tmp_path / "door.yaml").write_text(DOOR)
    assert sonometer.check(tmp_path / "door.yaml") == ()
    stage = Stage("billing-dispute")
    readies: list[Any] = [stage, stage.json(), stage.to_dict()]
    for ready in readies:
        assert sonometer.check(ready) == ()
    (tmp_path / "door.yaml").write_text(DOOR.replace("parrot: {expect: fail", "parrot: {expect: pass"))
    assert [found.code for found in sonometer.check(tmp_path / "door.yaml")] == ["SM0655", "SM0656"]
    (tmp_path / "door.yaml").write_text(DOOR.replace("go: through", "go: nowhere"))
    assert [found.severity for found in sonometer.check(tmp_path / "door.yaml")][0] == "error"


@pytest.mark.parametrize("name", [entry.id for entry in sonometer.stages()])
def test_the_walkthroughs_of_the_stages_that_ship_end_as_they_say(name: str) -> None:
    stage = Stage(name)
    for walk in stage.walkthroughs.values():
        dive = stage.open(seed=walk.seed)
        for action in walk.say:
            if not dive.done:
                dive.act(action)
        assert dive.close().passed == walk.passes, walk.name
        assert walk.reason in (None, dive.verdict.reason), walk.name


def test_a_step_says_what_its_json_says(door: Stage) -> None:
    dive = door.open(seed=3)
    assert dive.observation.world == "A porter stands at the door, out of the snow." and not dive.done
    step = dive.act("Here are ten euros for you, my friend.")
    told = step.to_dict()
    assert told["observation"] == step.observation.to_dict() == {"world": step.observation.world, "turn": 1, "done": True}
    reading = {"score": step.score, "on_target": step.on_target, "fidelity": step.fidelity, "ics": step.ics}
    assert told["reading"] == reading and json.loads(step.log_line)["reading"] == reading
    totals = step.totals
    assert told["totals"] == {"turns": totals.turns, "score": totals.score, "on_target": totals.on_target, "ics": totals.ics}
    assert (step.checkpoints, step.flags, step.triggered, step.done) == ((), ("bribed",), ("bribe",), True)
    assert step.resonance["bribe"] > 0 == step.resonance["thanks"]
    (found,) = step.evidence
    assert (found.role, found.segment, found.source) == ("agent", 1, "Here are ten euros")
    assert dive.actions[0][found.start : found.end] == found.source
    assert '"source":"Here are ten euros"' in step.reading_json()
    assert dive.ended_by == "flag" and dive.verdict == diving.Verdict(False, "flag_tripped", (), ("bribed",))
    again = dived(door, [], seed=3).act("Here are ten euros for you, my friend.")
    assert again == step and hash(again) == hash(step) and pickle.loads(pickle.dumps(step)) == step
    with pytest.raises(AttributeError):
        step.score = 1.0  # type: ignore[misc]


def test_what_is_refused_changes_nothing(door: Stage) -> None:
    dive = door.open()
    before = dive.save()
    with pytest.raises(ActionTooLongError, match="101 characters, but the limit of the stage is 100") as long:
        dive.act("😀" * 101)
    assert (long.value.code, long.value.place) == ("action_too_long", "action")
    assert long.value.fix == "shorten it" and dive.save() == before
    for wrong in (None, 7, b"Hello.", ["Hello."]):
        with pytest.raises(WrongTypeError) as odd:
            dive.act(wrong)  # type: ignore[arg-type]
        assert odd.value.place == "action"
    with pytest.raises(InvalidRequestError, match="lone surrogate"):
        dive.act("\ud800")
    with pytest.raises(ActionTooLongError):
        dive.act("x" * 50_000_000)
    assert dive.save() == before and dive.turn == 0
    dive.act("😀" * 100)
    dive.act(POLITE)
    with pytest.raises(DiveClosedError) as closed:
        dive.act("Hello?")
    assert (closed.value.code, closed.value.place, isinstance(closed.value, RuntimeError)) == ("dive_closed", "action", True)
    assert dive.turn == 2 and dive.close().passed


def test_seeds(door: Stage) -> None:
    class Seven:
        def __index__(self) -> int:
            return 7

    assert door.open().seed == 0 and door.open(seed=Seven()).seed == 7
    assert door.open(seed=2**53 - 1).seed == 2**53 - 1
    assert {door.open(seed=seed).observation.world[-5:] for seed in range(20)} == {"rain.", "snow."}
    for wrong in (-1, 2**53, 10**5000):
        with pytest.raises(InvalidRequestError, match="give a whole number from 0 to 9007199254740991") as beyond:
            door.open(seed=wrong)
        assert beyond.value.place == "seed"
    odd: Any
    for odd in (True, 1.0, "7", b"7", [7]):
        with pytest.raises(WrongTypeError):
            door.open(seed=odd)


def test_a_dive_goes_on_from_its_text(door: Stage) -> None:
    whole, dive = door.open(seed=5), door.open(seed=5)
    for action in ["Hm.", "Well then.", POLITE]:
        whole.act(action)
        dive = door.resume(dive.save())
        dive.act(action)
    assert dive.close().json() == whole.close().json()
    assert dive.log() == whole.log() and dive.save() == whole.save()
    assert door.resume(dive.save()).log() == whole.log() != ""
    assert door.open().log() == ""


def test_a_saved_text_that_was_changed_is_found_out(door: Stage) -> None:
    saved = dived(door, ["Hm.", "Well then."], seed=5).save()
    places = {
        saved[:-1]: "",
        saved.replace('"seed":5', '"seed":-5'): "seed",
        saved.replace('"scene":"hall"', '"scene":"attic"'): "scene",
        saved.replace('"turns_here":2', '"turns_here":2.5'): "turns_here",
        saved.replace('"mood":0', '"mood":9'): "vars.mood",
        saved.replace(door.digest, "sha256:" + "0" * 64): "stage",
        "": "",
        "[]": "",
    }
    for text, place in places.items():
        with pytest.raises(CardMismatchError) as wrong:
            door.resume(text)
        assert wrong.value.place == place and wrong.value.code == "card_mismatch", text
    # What was said is bound by the chain alone.
    resumed = door.resume(saved.replace("Hm.", "Ha."))
    with pytest.raises(CardMismatchError, match="does not match its actions"):
        resumed.log()
    with pytest.raises(CardMismatchError, match="another stage"):
        Stage("billing-dispute").resume(saved)


def test_stages_and_dives_are_copied_and_pickled(door: Stage) -> None:
    for stage in (door, Stage("billing-dispute"), Stage(DOOR.replace("protocol: porter@1.0", "metric: alone"), shelf=[
        PORTER, 'sonometer_metric: 1\nid: alone\nversion: "1.0"\ncomponents: [{protocol: porter}]\n'])):
        again = pickle.loads(pickle.dumps(stage))
        assert again == stage and again.target == stage.target and copy.copy(stage) is stage is copy.deepcopy(stage)
        dive = dived(stage, ["Hm."], seed=11)
        twins = [copy.copy(dive), copy.deepcopy(dive), *(pickle.loads(pickle.dumps(dive, p)) for p in range(pickle.HIGHEST_PROTOCOL + 1))]
        dive.act("Something else.")
        for twin in twins:
            assert twin.turn == 1
            twin.act("Something else.")
            assert (twin.chain, twin.log(), twin.save()) == (dive.chain, dive.log(), dive.save())


def test_a_stage_is_pickled_with_the_lists_of_its_protocols() -> None:
    named = PORTER.replace("markers:", "list_files: {name: names.txt}\nmarkers:").replace("(for|so|very)", "@name").replace("so much", "Anna")
    porter = sonometer.Sensor.from_source(named, files={"names.txt": "Anna\nBert"})
    stage = Stage(DOOR, shelf=[porter])
    dive = dived(stage, ["Thank you Bert."], seed=3)
    again = pickle.loads(pickle.dumps(dive))
    assert again.stage == stage and again.chain == dive.chain and again.log() == dive.log()


def test_what_is_ready_brings_what_it_names() -> None:
    stage = Stage(DOOR, shelf=[PORTER])
    assert Stage(stage) == stage
    metric = sonometer.Metric('sonometer_metric: 1\nid: alone\nversion: "1.0"\ncomponents: [{protocol: porter}]\n', shelf=[PORTER])
    assert sonometer.Metric(metric) == sonometer.load(metric) == metric


def test_many_dives_share_their_stage_in_a_pickle() -> None:
    dives = [Stage("billing-dispute").open(seed=seed) for seed in range(20)]
    assert len(pickle.dumps(dives)) < 2 * len(pickle.dumps(dives[0]))
    back = [pickle.loads(pickle.dumps(dive)) for dive in dives]
    assert len({id(dive.stage) for dive in back}) == 1 and [dive.seed for dive in back] == list(range(20))


def test_threads_dive_in_one_stage(door: Stage) -> None:
    expected = dived(door, ["Hm.", POLITE], seed=9).close().json()
    barrier, cards = threading.Barrier(8), list[str]()

    def work() -> None:
        barrier.wait()
        for _ in range(20):
            cards.append(dived(door, ["Hm.", POLITE], seed=9).close().json())

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert cards == [expected] * 160


def test_threads_share_a_dive() -> None:
    stage = Stage(DOOR.replace("max_turns: 4", "max_turns: 100"), shelf=[PORTER])
    dive, barrier, outcomes = stage.open(), threading.Barrier(8), list[str]()

    def work() -> None:
        barrier.wait()
        for _ in range(20):
            try:
                outcomes.append(f"turn {dive.act('Well, that is how it is.').observation.turn}")
            except DiveClosedError as error:
                outcomes.append(error.code)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert sorted(outcomes) == sorted([f"turn {turn}" for turn in range(1, 101)] + ["dive_closed"] * 60)
    assert dive.ended_by == "max_turns"
    dive.close().replay(dive.log(), stage=stage)


def test_other_threads_run_while_an_action_is_sensed() -> None:
    stage = Stage(DOOR.replace("max_turns: 4, max_action_chars: 100", "max_turns: 200, max_action_chars: 20000"), shelf=[PORTER])
    ticks, most, done = 0, 0, threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    # The talk grows, and with it what each action takes.
    dive = stage.open()
    while most < 4 and not dive.done:
        before = ticks
        dive.act("Well, that is how it is with you. " * 580)
        most = max(most, ticks - before)
    done.set()
    thread.join()
    assert most >= 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_dive_goes_on_in_a_process_that_was_forked() -> None:
    # In a process of its own: pytest's threads and a fork do not mix.
    program = """
import os, sonometer
dive = sonometer.Stage("billing-dispute").open(seed=7)
dive.act("I am so sorry about this.")
child = os.fork()
dive.act("Please don't read me your card, the name is enough.")
if child == 0:
    print(dive.chain, flush=True)
    os._exit(0)
os.waitpid(child, 0)
print(dive.chain)
"""
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=120, check=True)
    child, parent = ran.stdout.split()
    assert child == parent


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: type(odd).__name__)
def test_anything_in_any_place_gives_a_result_or_an_exception(odd: Any, door: Stage) -> None:
    tried(lambda: Stage(odd))
    tried(lambda: Stage(DOOR, shelf=odd))
    tried(lambda: Stage(DOOR, shelf=[odd]))
    tried(lambda: Stage(DOOR, catalog=odd))
    tried(lambda: door.open(seed=odd))
    tried(lambda: door.resume(odd))
    tried(lambda: door.open().act(odd))
    for name in ("dive_id", "agent", "summary"):
        tried(lambda name=name: door.open().close(**{name: odd}))  # type: ignore[misc]
    for of in (sonometer._sonometer._restore_stage, sonometer._sonometer._restore_dive):
        tried(lambda of=of: of(odd, odd))  # type: ignore[misc]
    assert door != odd and door.open() != odd


def test_a_dive_is_made_by_a_stage_alone() -> None:
    for of in (Dive, sonometer.StageCard):
        with pytest.raises(TypeError):
            of()


def test_reprs(door: Stage) -> None:
    assert repr(door) == "Stage('door@1.0')"
    dive = dived(door, [POLITE], seed=4)
    assert repr(dive) == "<Dive 'door@1.0' seed=4 turn=1 ended_by='scene'>"
    assert repr(door.open()) == "<Dive 'door@1.0' seed=0 turn=0>"
