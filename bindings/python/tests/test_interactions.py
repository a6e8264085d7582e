"""The shapes of interactions, and what is none."""

import collections
import contextlib
import copy
import datetime
import decimal
import fractions
import io
import json
import pathlib
import pickle
import types
import warnings
from typing import Any

import pytest
from conftest import TALK

from sonometer import Interaction, InvalidRequestError, PayloadTooLargeError, Sensor, SonometerError, WrongTypeError
from sonometer.chats import read_messages
from sonometer.model import Segment


def test_all_shapes_of_a_transcript_are_the_same() -> None:
    rows: list[tuple[str | float, ...]] = [("agent", "Hello 😀."), ("customer", "Hi.", 2.5)]
    dicts: list[dict[str, Any]] = [{"role": "agent", "content": "Hello 😀."}, {"role": "customer", "content": "Hi.", "timestamp": 2.5}]
    shapes = [
        Interaction(rows),
        Interaction(tuple(rows)),
        Interaction([list(row) for row in rows]),  # type: ignore[misc]
        Interaction([Segment("agent", "Hello 😀."), Segment("customer", "Hi.", 2.5)]),
        Interaction(dicts),
        Interaction([rows[0], dicts[1]]),
        Interaction([types.MappingProxyType(row) for row in dicts]),
        Interaction({"segments": dicts}),
        Interaction(collections.OrderedDict(segments=dicts, type="transcript")),
        Interaction.from_json(json.dumps({"segments": dicts})),
        Interaction.from_json(json.dumps({"segments": dicts}, ensure_ascii=False).encode()),
    ]
    assert len(set(shapes)) == 1
    assert shapes[0].segments == (Segment("agent", "Hello 😀.", None), Segment("customer", "Hi.", 2.5))
    assert shapes[0].modality == "transcript" and shapes[0].content is None


def test_a_text() -> None:
    text = Interaction("Hello.", label="before")
    assert (text.modality, text.content, text.label) == ("text", "Hello.", "before")
    assert text == Interaction({"content": "Hello.", "label": "before"}) != Interaction("Hello.")
    assert text.segments == (Segment(None, "Hello."),)
    assert Interaction("Hello.").with_label("before") == text
    assert repr(Interaction("a" * 100)) == f"Interaction('{'a' * 60}…')"
    assert repr(Interaction(TALK)).endswith("… 3 segments])")


@pytest.mark.parametrize(
    ("seconds", "read"),
    [(2, 2.0), (2.5, 2.5), (decimal.Decimal("0.000001"), 1e-6), (-3, -3.0), (1.7e9, 1.7e9), (1e-9, 0.0), (None, None)],
)
def test_timestamps(seconds: float | decimal.Decimal | None, read: float | None) -> None:
    assert Interaction([("agent", "Hi.", seconds)]).segments[0].timestamp == read


@pytest.mark.parametrize(
    ("interaction", "place", "kind"),
    [
        ([], "segments", InvalidRequestError),
        ([("agent",)], "segments[0]", InvalidRequestError),
        ([("agent", "a", 1, 2)], "segments[0]", InvalidRequestError),
        ([("agent", "a"), ("", "b")], "segments[1].role", InvalidRequestError),
        ([("agent", None)], "segments[0].content", WrongTypeError),
        ([(None, "a")], "segments[0].role", WrongTypeError),
        ([("agent", "a"), "b"], "segments[1]", WrongTypeError),
        (("agent", "a"), "segments[0]", WrongTypeError),
        ([("agent", "a", "soon")], "segments[0].timestamp", WrongTypeError),
        ([("agent", "a", True)], "segments[0].timestamp", WrongTypeError),
        ([("agent", "a", float("nan"))], "segments[0].timestamp", InvalidRequestError),
        ([("agent", "a", float("inf"))], "segments[0].timestamp", InvalidRequestError),
        ([("agent", "a", 10**13)], "segments[0].timestamp", InvalidRequestError),
        ([("agent", "a", 10**60)], "segments[0].timestamp", InvalidRequestError),
        ([{"role": "agent"}], "segments[0].content", InvalidRequestError),
        ([("agent", "a"), {"role": "agent", "content": "a", "x": 1}], "segments[1].x", InvalidRequestError),
        ([{"role": "agent", "content": {"a"}}], "segments[0].content", WrongTypeError),
        ({"content": "a", "segments": []}, "segments", InvalidRequestError),
        ({"contents": "a"}, "contents", InvalidRequestError),
        ({}, "", InvalidRequestError),
        ({"content": 7}, "content", InvalidRequestError),
        (b"bytes", "interaction", WrongTypeError),
        (None, "interaction", WrongTypeError),
        (7, "interaction", WrongTypeError),
        (iter([("agent", "a")]), "interaction", WrongTypeError),
    ],
)
def test_what_is_none_is_refused_with_its_place(
    interaction: object, place: str, kind: type[SonometerError], courtesy: Sensor
) -> None:
    with pytest.raises(kind) as raised:
        courtesy.sense(interaction)  # type: ignore[arg-type]
    error = raised.value
    assert (error.place, error.code) == (place, "invalid_request")
    assert error.message and (not place or error.details["place"] == place)
    assert isinstance(error, ValueError)


@pytest.mark.parametrize(
    ("interaction", "place"),
    [
        ("a\ud800b", "content"),
        ([("agent", "ok"), ("agent", "\udfff")], "segments[1].content"),
        ([("\ud800", "ok")], "segments[0].role"),
        ({"content": "\ud83d"}, "content"),
        ([{"role": "agent", "content": "\ud83d"}], "segments[0].content"),
        ({"\ud83d": "a"}, ""),
    ],
)
def test_lone_surrogates_are_refused_not_replaced(interaction: object, place: str, courtesy: Sensor) -> None:
    with pytest.raises(InvalidRequestError, match="lone surrogate at character") as raised:
        courtesy.sense(interaction)  # type: ignore[arg-type]
    assert raised.value.place == place and "surrogatepass" in raised.value.fix


@pytest.mark.parametrize(
    ("interaction", "named", "place"),
    [
        (None, "None is not an interaction: the value is missing; remove it", "interactions[1]"),
        (float("nan"), "nan is not an interaction: the value is missing; remove it", "interactions[1]"),
        ([("agent", None)], "the content is None", "interactions[1].segments[0].content"),
        ([("agent", float("nan"))], "the content is nan", "interactions[1].segments[0].content"),
        ([None], "None is not a segment", "interactions[1].segments[0]"),
        ([{"role": "user", "content": None}], "`content` is None, not a str", "interactions[1].segments[0].content"),
        ({"content": None}, "`content` is None, not a str", "interactions[1].content"),
    ],
)
def test_what_is_missing_is_called_as_in_python(interaction: object, named: str, place: str, courtesy: Sensor) -> None:
    with pytest.raises(InvalidRequestError) as raised:
        courtesy.batch(["Thank you so much for your help!", interaction])  # type: ignore[list-item]
    assert raised.value.message.startswith(named) and raised.value.place == place


def test_a_time_that_is_none_is_no_time(courtesy: Sensor) -> None:
    said = {"role": "agent", "content": "Thank you so much for your help!"}
    assert courtesy.sense([said | {"timestamp": None}]).json() == courtesy.sense([said]).json()


CHATS = json.loads((pathlib.Path(__file__).resolve().parents[3] / "fixtures" / "chat" / "messages.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CHATS, ids=[case["name"] for case in CHATS])
def test_messages_of_chat_interfaces_are_turns(case: dict[str, Any], courtesy: Sensor) -> None:
    messages = case["messages"]
    if "error" in case:
        with pytest.raises(InvalidRequestError) as raised:
            courtesy.sense(messages)
        assert (raised.value.place, raised.value.message) == (f"segments{case['error']}", case["message"])
        return
    talk = Interaction(messages)
    assert [[segment.role, segment.content] for segment in talk.segments] == case["turns"]
    session, stream = courtesy.session(), courtesy.stream(messages)
    for message in messages:
        session.push_segment(message)
    assert len(list(stream)) == len(messages) + 1
    assert session.finish() == stream.reading == courtesy.sense(talk)


FORMS = json.loads((pathlib.Path(__file__).resolve().parents[3] / "fixtures" / "chat" / "forms.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", FORMS, ids=[case["name"] for case in FORMS])
def test_chats_of_every_form(case: dict[str, Any]) -> None:
    for messages in (case["json"], json.dumps(case["json"]), json.dumps(case["json"]).encode()):
        if "error" in case:
            with pytest.raises(InvalidRequestError) as raised:
                read_messages(messages, form=case.get("named"))
            assert (raised.value.place, raised.value.message) == (case["error"], case["message"])
            continue
        read = read_messages(messages, form=case.get("named"))
        timed = [
            [*segment[:2], place] if segment.timestamp is None else [*segment[:2], place, segment.timestamp]
            for segment, place in zip(read.interaction.segments, read.places, strict=True)
        ]
        assert (read.form, timed) == (case["form"], case["turns"])
        # `json.dumps` puts a space after each colon and comma, and objects (such as arguments of a tool) are compared as JSON text.
        apart = [[found.kind, found.name, _dense(found.text), found.place] for found in read.apart]
        assert apart == [[kind, name, _dense(text), place] for kind, name, text, place in case["apart"]]
        assert list(read.notices) == case["notices"]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert Interaction.from_messages(messages, form=case.get("named")) == read.interaction
        assert [str(warning.message) for warning in caught] == case["notices"]


def _dense(text: str) -> str:
    return text.replace('": ', '":').replace('", "', '","')


def test_objects_of_pydantic_are_messages() -> None:
    class Message:
        def model_dump(self, *, mode: str, exclude_none: bool) -> dict[str, Any]:
            assert (mode, exclude_none) == ("json", True)
            return {"type": "human", "content": "Hi!"}

    assert read_messages([Message()]).interaction == Interaction([("user", "Hi!")])


def test_one_message_and_a_whole_answer_are_chats() -> None:
    said = {"role": "assistant", "content": "Hi!"}
    expected = Interaction([("assistant", "Hi!")])
    answer = {"choices": [{"index": 0, "message": said}]}
    of_anthropic = {"id": "m", "type": "message", "role": "assistant", "content": [{"type": "text", "text": "Hi!"}]}

    class Answer:
        def __init__(self, held: dict[str, Any]) -> None:
            self.held = held

        def model_dump(self, **_options: object) -> dict[str, Any]:
            return self.held

    for chat in (said, answer, of_anthropic, {"type": "ai", "content": "Hi!"}):
        assert read_messages(Answer(chat)).interaction == expected, chat
        assert read_messages([Answer(said)]).interaction == expected
    assert read_messages(said).interaction == read_messages(answer).interaction == read_messages(of_anthropic).interaction == expected
    with pytest.raises(InvalidRequestError, match="expected a list of messages"):
        read_messages({"content": "Hi!"})
    with pytest.raises(InvalidRequestError, match="lone surrogate"):
        Interaction.from_messages([{"role": "user", "content": "Hi."}], form="\ud800")  # type: ignore[arg-type]
    with pytest.raises(InvalidRequestError, match="a whole number is too large to write as JSON"):
        Interaction.from_messages([{"role": "user", "content": 10**5000}])
    with pytest.raises(WrongTypeError, match="`form` is an int; give its name"):
        read_messages([said], form=7)  # type: ignore[arg-type]


def test_a_chat_that_contains_itself_is_refused() -> None:
    messages: list[Any] = []
    messages.append(messages)
    with pytest.raises(InvalidRequestError, match="contains itself") as told:
        read_messages(messages)
    assert told.value.place == "messages"


def test_json_is_read_strictly() -> None:
    for text in ("", "[1]", '{"content": "a", "content": "b"}', '{"content": "a"} x', "{'content': 'a'}", b"\xff{}"):
        with pytest.raises(InvalidRequestError):
            Interaction.from_json(text)
    with pytest.raises(WrongTypeError, match="a dict is not JSON text"):
        Interaction.from_json({"content": "a"})  # type: ignore[arg-type]


def test_every_character_passes_unchanged(courtesy: Sensor) -> None:
    text = "\ufeff\0\x01\x1f\"\\/é\u0301\u200d😀\u2028\u2029\r\n\t"
    for interaction in (Interaction(text), Interaction({"content": text}), Interaction.from_json(json.dumps({"content": text}))):
        assert interaction.content == text
        assert courtesy.sense(interaction).interaction.content == text


def test_a_huge_input_is_an_error_not_a_crash(courtesy: Sensor) -> None:
    with pytest.raises(PayloadTooLargeError) as raised:
        courtesy.sense("a" * ((64 << 20) + 1))
    assert raised.value.code == "payload_too_large"


def test_interactions_are_copied_and_pickled_to_the_last_digit() -> None:
    exact = Interaction([("agent", "a\0b", decimal.Decimal("9007199254.740993")), ("b", "", None)], label="x")
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        back = pickle.loads(pickle.dumps(exact, protocol))
        assert back == exact and hash(back) == hash(exact) and back.label == "x"
    assert copy.copy(exact) is exact and copy.deepcopy(exact) is exact
    empty = Interaction("")
    assert pickle.loads(pickle.dumps(empty)) == empty and empty.modality == "text"


@pytest.mark.parametrize(
    ("chat", "place"),
    [
        ([{"id": "1", "role": "user", "parts": [{"type": "text", "text": "Hi!"}]}], "segments[0].parts"),
        ([{"role": "user", "parts": [{"text": "Hi!"}]}], "segments[0].parts"),
        ([{"from": "human", "value": "Hi!"}], "segments[0].from"),
        ([{"type": "human", "data": {"content": "Hi!"}}], "segments[0].data"),
        ({"messages": [{"role": "user", "content": "Hi!"}]}, "messages"),
        ({"contents": [{"role": "user", "parts": [{"text": "Hi!"}]}]}, "contents"),
    ],
)
def test_a_chat_of_another_program_is_pointed_to_its_reader(chat: Any, place: str, courtesy: Sensor) -> None:
    with pytest.raises(InvalidRequestError) as raised:
        courtesy.sense(chat)
    assert raised.value.place == place
    assert raised.value.fix == "read a chat as other programs write it by Interaction.from_messages(…)"
    assert "did you mean" not in str(raised.value) and "known keys" not in str(raised.value)
    assert Interaction.from_messages(chat).segments[0].content == "Hi!"
    if isinstance(chat, list):
        with pytest.raises(InvalidRequestError, match="from_messages"):
            courtesy.session().push_segment(chat[0])


def test_what_is_no_chat_of_another_program_is_not_pointed_there(courtesy: Sensor) -> None:
    cases: list[tuple[Any, str]] = [
        ([{"role": "user", "contnt": "Hi!"}], "did you mean `content`"),
        ({"segments": [{"role": "user"}]}, "it must be a text"),
        ({"text": "Hi!"}, "did you mean `content`"),
        ([{"role": "user", "content": "Hi!", "mood": 7}], 'from_messages(messages, form="openai")'),
    ]
    for talk, fix in cases:
        with pytest.raises(InvalidRequestError) as raised:
            courtesy.sense(talk)
        assert fix in str(raised.value), talk
        assert ("from_messages" in str(raised.value)) == ("from_messages" in fix), talk
    with pytest.raises(WrongTypeError, match="a Message is not a segment; read a chat"):
        courtesy.sense([Message()])  # type: ignore[list-item]
    with pytest.raises(WrongTypeError, match="a Message is not an interaction; read a chat"):
        courtesy.sense(Message())  # type: ignore[arg-type]


class Message:
    """As messages of `openai` are objects of pydantic."""

    def model_dump(self, **_options: object) -> dict[str, str]:
        return {"role": "user", "content": "Hi!"}


def test_numbers_of_other_libraries_are_seconds() -> None:
    expected = Sensor("courtesy@1.0").sense([{"role": "agent", "content": "Thank you so much for it.", "timestamp": 3}])
    numbers: list[Any] = [decimal.Decimal("3"), fractions.Fraction(3)]
    with contextlib.suppress(ImportError):
        import numpy

        numbers += [numpy.int64(3), numpy.uint8(3), numpy.float32(3)]
    for number in numbers:
        turn = {"role": "agent", "content": "Thank you so much for it.", "timestamp": number}
        for own in (turn, ("agent", turn["content"], number)):
            assert Sensor("courtesy@1.0").sense([own]) == expected, number
    # With more digits than a float has.
    exact = decimal.Decimal("1234567890123.000001")
    by_key = Interaction([{"role": "agent", "content": "Hello.", "timestamp": exact}])
    assert by_key == Interaction([("agent", "Hello.", exact)]) != Interaction([("agent", "Hello.", 1234567890123)])


def test_what_stands_for_an_interaction_is_said_with_what_to_do(tmp_path: pathlib.Path) -> None:
    wrong: list[tuple[Any, str]] = [
        (Sensor("courtesy@1.0").sense("Hello."), "give its `interaction`"),
        (["Thank you!", "Hello."], "give (role, content) for each turn; for many texts use `batch`"),
        (("agent", "Hello."), "give (role, content) for each turn; for many texts use `batch`"),
        ((turn for turn in [("agent", "Hello.")]), "for many interactions use `batch`"),
        (tmp_path / "talk.txt", "read a file by sonometer.extract(path), and measure what it gives"),
        (io.StringIO("Hello."), "read a file by sonometer.extract(path), and measure what it gives"),
        ([("agent", "Hello.", datetime.timedelta(seconds=3))], "give its seconds: value.total_seconds()"),
    ]
    for odd, fix in wrong:
        with pytest.raises(WrongTypeError) as told:
            Interaction(odd)
        assert told.value.message.endswith(fix)


def test_moments_are_refused_with_what_to_give() -> None:
    moment = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    turns: tuple[Any, ...] = (("agent", "Hello.", moment), {"role": "agent", "content": "Hello.", "timestamp": moment})
    for turn in turns:
        with pytest.raises(WrongTypeError, match=r"give (a str, or )?seconds, such as time\.timestamp\(\)") as caught:
            Interaction([turn])
        assert caught.value.place == "segments[0].timestamp"
    with pytest.raises(InvalidRequestError, match="give a finite number, or None where it is missing"):
        Interaction([("agent", "Hello.", float("nan"))])
    for odd in (float("nan"), decimal.Decimal("inf"), decimal.Decimal("nan")):
        with pytest.raises(InvalidRequestError, match="give a finite number, or None where it is missing"):
            Interaction([{"role": "agent", "content": "Hello.", "timestamp": odd}])
