"""Readings: attributes, JSON, ledger, HTML, identity."""

import copy
import dataclasses
import decimal
import html.parser
import json
import pickle
import re
from typing import Any

import pytest
from conftest import CARD, KIND, TALK

import sonometer
from sonometer import InvalidRequestError, Metric, Sensor, WrongTypeError


def test_a_reading_holds_what_its_json_says(courtesy: Sensor) -> None:
    reading = courtesy.sense([*TALK, ("customer", "I would not say you are an idiot, but thanks a bunch.")])
    told = reading.to_dict(profile="discovery", offsets="chars")
    assert told == json.loads(reading.json(profile="discovery", offsets="chars"))
    assert told["score"] == reading.score
    assert told["resonance"] == dict(reading.resonance) and list(told["resonance"]) == list(reading.resonance)
    assert told["fidelity"]["index"] == reading.fidelity.index
    assert told["fidelity"]["sufficient"] is reading.sufficient is reading.fidelity.sufficient is True
    assert told["ics"]["consumed"] == reading.ics.consumed == len(reading.triggered)
    assert told["ics"]["sgm_version"] == reading.ics.sgm_version
    places = [(e["metamarker"], e["score"], e["source"], e["segment"], e["start"], e["end"]) for e in told["evidence"]]
    assert places == [(e.metamarker, e.score, e.source, e.segment, e.start, e.end) for e in reading.evidence]
    assert len(places) >= 5
    hints = [(w["metamarker"], w["proximity"], w["hint"]) for w in told["weak_signals"]]
    assert hints == [(w.metamarker, w.proximity, w.hint) for w in reading.weak_signals] and hints
    assert reading.triggered == tuple(m.label for m in reading.metamarkers if m.triggered)
    assert {m.label: m.resonance for m in reading.metamarkers} == dict(reading.resonance)
    assert bytes(reading) == reading.json().encode()


def test_places_are_code_points(courtesy: Sensor) -> None:
    content = "😀é" * 3000 + " Thank you so much for your help! " + "ü" * 600 + " Good morning."
    reading = courtesy.sense(content, ignore_fidelity=True)
    assert reading.evidence and reading.evidence[0].start > 6000
    for found in reading.evidence:
        assert content[found.start : found.end] == found.source
    starts = [e["start"] for e in reading.to_dict(offsets="chars")["evidence"]]
    assert starts == [e.start for e in reading.evidence]


def test_views_are_checked(courtesy: Sensor) -> None:
    reading = courtesy.sense(KIND)
    for wrong in ({"profile": "all"}, {"offsets": "chars32"}, {"flow": True}, {"temporal": True}, {"temporal": 60}):
        with pytest.raises(InvalidRequestError):
            reading.json(**wrong)
    with pytest.raises(WrongTypeError):
        reading.json(flow=7)  # type: ignore[arg-type]
    with pytest.raises(WrongTypeError):
        reading.json(temporal="60")  # type: ignore[arg-type]
    assert reading.json(flow=False, temporal=False) == reading.json()
    assert reading.signal is None and reading.actant_flow is None and reading.temporal is None


def on_sgm_15(sensor: Sensor) -> Sensor:
    return Sensor({**json.loads(sensor.source), "sgm": "1.5"})


def test_signal_flow_and_development_on_sgm_15(courtesy: Sensor) -> None:
    reading = on_sgm_15(courtesy).sense(TALK)
    told = reading.to_dict(flow=True, temporal=True)
    signal, flow, temporal = reading.signal, reading.actant_flow, reading.temporal
    assert signal is not None and flow is not None and temporal is not None
    assert told["signal"] == dataclasses.asdict(signal)
    assert told["actant_flow"]["balance"] == flow.balance and told["actant_flow"]["direction"] == flow.direction
    assert tuple(told["actant_flow"]["primary_driven"]) == flow.primary_driven
    assert flow.primary.role == "agent" and flow.primary.words > 0 and flow.markers
    assert told["temporal"] == {"trend": temporal.trend, "phase_shifts": temporal.phase_shifts}
    turned = reading.flow_from("customer")
    assert turned is not None and turned.primary.role == "customer"
    assert reading.to_dict(flow="customer")["actant_flow"]["balance"] == turned.balance
    timed = on_sgm_15(courtesy).sense([(turn[0], turn[1], at) for at, turn in enumerate(TALK)])
    by = timed.temporal_by(decimal.Decimal("0.5"))
    assert by is not None and by.window == "0.5 seconds" and by.levels
    with pytest.raises(InvalidRequestError):
        reading.temporal_by(0)
    with pytest.raises(InvalidRequestError):
        reading.json(temporal=0)
    assert all(e.actant in {"agent", "customer"} for e in reading.evidence)


def test_insufficient_content_is_a_reading_that_says_so(courtesy: Sensor) -> None:
    reading = courtesy.sense("Thanks")
    assert not reading.sufficient and reading.score is None and reading.evidence == () == reading.triggered
    assert "insufficient" in repr(reading) and "lacks sufficient signal" in reading._repr_html_()
    assert courtesy.fidelity("Thanks") == reading.fidelity
    assert courtesy.sense("Thanks", ignore_fidelity=True).evidence


def test_the_price(courtesy: Sensor) -> None:
    free, paid = courtesy.sense(KIND), courtesy.sense(KIND, usd_per_ics=0.01)
    assert free.ics.cost_usd == 0 and paid.ics.cost_usd == pytest.approx(0.02) and free != paid
    assert paid.to_dict()["ics"]["cost_usd"] == paid.ics.cost_usd
    with pytest.raises(WrongTypeError, match="the price of an ICS is a str"):
        courtesy.sense(KIND, usd_per_ics="cheap")  # type: ignore[arg-type]
    with pytest.raises(InvalidRequestError, match="must not be below 0") as told:
        courtesy.sense(KIND, usd_per_ics=-0.01)
    assert told.value.place == "usd_per_ics"


def test_masks_hide_everywhere(private: Sensor) -> None:
    reading = private.sense(CARD)
    assert reading.evidence[0].source == "**** **** **** 1111"
    assert reading.masked == (CARD.replace("4111 1111 1111 1111", "**** **** **** 1111"),)
    assert CARD[reading.evidence[0].start : reading.evidence[0].end] == "4111 1111 1111 1111"
    for shown in (reading.json(profile="detailed"), reading._repr_html_(), reading.explain(), repr(reading), reading.ledger_json()):
        assert "4111 1111" not in shown
    assert "**** 1111" in reading._repr_html_()


def test_the_ledger_adds_up(courtesy: Sensor) -> None:
    reading = courtesy.sense(TALK)
    ledger, told = reading.ledger, json.loads(reading.ledger_json())
    assert ledger.score == reading.score == told["score"]["value"]
    assert [m.label for m in ledger.markers] == list(reading.resonance)
    contents = [segment.content for segment in reading.interaction.segments]
    matches = [match for marker in ledger.markers for match in marker.matches]
    assert len(matches) >= 5
    for match in matches:
        assert contents[match.segment][match.start : match.end] == match.source
    for marker, entry in zip(ledger.markers, told["markers"], strict=True):
        assert marker.activation == entry["activation"] == reading.resonance[marker.label]
        assert [match.contribution for match in marker.matches] == [match["contribution"] for match in entry["matches"]]
    counts, counted = ledger.counts, told["fidelity"]
    assert (counts.words, counts.words_needed) == tuple(counted["words"].values())
    assert counts.language == counted["language"]["code"] == "en"
    assert counts.function_words is not None and counts.foreign_words is not None
    share = (4 * counts.function_words + 6 - 6 * counts.foreign_words) / counts.words
    assert ledger.clarity == counts.readable / (counts.words + counts.noise) * max(0.01, min(1, share)) == 1
    text = reading.explain()
    assert f"readable {counts.words} ÷ ({counts.words} words + 0 noise)" in text
    assert "gratitude" in text and all(match.line in text for match in matches)


class Words(html.parser.HTMLParser):
    """The text and the marks of a page; fails on tags that nobody closes."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.marked: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data
            if "mark" in self.open:
                self.marked.append(data)


def page(text: str) -> Words:
    words = Words()
    words.feed(text)
    words.close()
    assert words.open == []
    return words


def test_html_marks_evidence_and_escapes_everything(courtesy: Sensor) -> None:
    said = "<script>alert('x')</script> Good morning & thank you so much 😀 for <b>your</b> help!"
    reading = courtesy.sense([("<i>agent</i>", said)])
    shown = reading._repr_html_()
    assert "<script" not in shown and "<b>" not in shown and "<i>" not in shown
    words = page(shown)
    assert said in words.text and "<i>agent</i>" in words.text
    assert {"Good morning", "thank you"} <= set(words.marked) or any("thank you" in mark for mark in words.marked)
    assert "prefers-color-scheme:dark" in shown and "data-jp-theme-light" in shown


def test_html_says_no_score_where_there_is_none(courtesy: Sensor) -> None:
    html = courtesy.sense("Hm.")._repr_html_()
    assert "lacks sufficient signal" in html and "score" not in html
    assert "score" in courtesy.sense(KIND)._repr_html_()


# One marker of each pole, found by its own word.
POLES = {
    "sonometer": 1, "id": "poles", "version": "1.0", "taxonomy": "Signal", "fidelity": {"sufficient": 0},
    "markers": [
        {"label": "plus", "strong": "plus", "hit": "plus", "pole": "for"},
        {"label": "minus", "strong": "minus", "hit": "minus", "pole": "against"},
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("score", "better", "effects"),
    [
        ("mean", "higher", ["improves", "worsens"]),
        ("mean", "lower", ["worsens", "improves"]),
        ("risk", "higher", ["improves", "worsens"]),
        ("any", "lower", ["worsens", "improves"]),
    ],
)
def test_colours_say_which_evidence_is_good_news(score: str, better: str, effects: list[str]) -> None:
    target = Sensor({**POLES, "score": score, "better": better})
    assert [marker.effect for marker in target.metamarkers] == effects
    html = target.sense("plus, minus")._repr_html_()
    hues = dict(zip(("plus", "minus"), (int(hue) for hue in re.findall(r'--hue:(\d+)" title', html)), strict=True))
    for label, effect in zip(("plus", "minus"), effects, strict=True):
        assert (140 <= hues[label] < 280) == (effect == "improves"), (label, hues)
    # A risk is never green, though its pole is `for` where the file says nothing.
    risk = Sensor({**POLES, "markers": POLES["markers"][:1], "score": "risk"})  # type: ignore[index]
    assert [marker.effect for marker in risk.metamarkers] == ["worsens"] and "--hue:340" in risk.sense("plus")._repr_html_()


def test_what_is_foreign_neither_turns_nor_covers_a_page() -> None:
    target = Sensor({**POLES, "markers": POLES["markers"][:1]})  # type: ignore[index]
    turns = [{"role": "\u05e9\u05dc", "content": "plus \u202eevil\u202c\tand\r\nmore \x1b[1m"}, {"role": "a" * 90, "content": "plus"}]
    html = target.sense({"segments": turns})._repr_html_()
    said = 'title="plus">plus</mark> \ufffdevil\ufffd and\nmore \u241b[1m</span>'
    assert said in html, html
    # Each has a direction of its own, and no role runs into what is said.
    assert html.count('dir="auto"') == 4 and ".turn>*{overflow-wrap:anywhere}" in html


def test_many_metamarkers_have_colours_that_differ() -> None:
    words = ["anna", "bert", "carl", "dora", "emil", "frieda", "gustav", "hans"]
    markers = [{"label": word, "strong": word, "hit": word, "pole": "for"} for word in words]
    html = Sensor({**POLES, "markers": markers}).sense(" ".join(words))._repr_html_()
    hues = sorted(int(hue) for hue in re.findall(r'--hue:(\d+)" title', html))
    assert len(hues) == 8 and min(b - a for a, b in zip(hues, hues[1:], strict=False)) > 10, hues


def test_a_score_has_its_meaning_beside_it(courtesy: Sensor, private: Sensor) -> None:
    meaning = "score 1 = no risk found, 0 = a critical risk found; higher is better"
    assert private.score_meaning == meaning
    reading = private.sense(CARD)
    assert meaning in page(reading._repr_html_()).text and meaning in reading.explain()
    assert "(1 = no risk found, 0 = a critical risk found; higher is better)" in repr(reading)
    assert "is better" not in repr(courtesy.sense("Hm.")) and "is better" not in courtesy.sense("Hm.")._repr_html_()
    assert Metric("reply-quality").score_meaning.startswith("score = the weighted mean of courtesy, ")


def test_html_of_a_novel_stays_a_page(courtesy: Sensor) -> None:
    shown = courtesy.sense("Thank you so much for your help! " * 20_000)._repr_html_()
    assert len(shown) < 500_000 and "more characters" in page(shown).text
    many = courtesy.sense([("agent", "Thank you so much for your help!")] * 5_000)._repr_html_()
    assert len(many) < 500_000 and "more segments" in page(many).text


def test_html_of_compositions() -> None:
    reading = Metric("reply-quality").sense(KIND)
    assert any("thank you" in mark for mark in page(reading._repr_html_()).marked)


def test_readings_are_equal_where_they_measure_the_same(courtesy: Sensor) -> None:
    one, same, other = courtesy.sense(KIND), Sensor("courtesy@1.0").sense(KIND), courtesy.sense(KIND + " Bye.")
    assert one == same and hash(one) == hash(same) and one is not same
    assert one != other and one != KIND and len({one, same, other}) == 2
    assert one != courtesy.sense(KIND, ignore_fidelity=True)
    assert one.evidence is one.evidence and one.evidence == same.evidence
    assert len(set(one.evidence)) == len(one.evidence)


def test_readings_are_frozen(courtesy: Sensor) -> None:
    reading = courtesy.sense(KIND)
    with pytest.raises(TypeError):
        reading.resonance["gratitude"] = 0  # type: ignore[index]
    for change in ("clear", "pop", "popitem", "setdefault", "update", "__delitem__", "__ior__"):
        with pytest.raises(TypeError, match="cannot be changed; copy it by dict"):
            getattr(reading.resonance, change)("gratitude")
    with pytest.raises(AttributeError):
        reading.score = 0  # type: ignore[misc]
    with pytest.raises(AttributeError):
        reading.evidence[0].score = 0  # type: ignore[misc]
    with pytest.raises(TypeError):
        sonometer.Reading()


@pytest.mark.parametrize("name", ["courtesy", "reply-quality", "service-call", "assistant-reply"])
def test_everything_can_be_pickled_and_copied(name: str) -> None:
    target = sonometer.load(name)
    reading = target.sense(KIND, usd_per_ics=0.5) if name != "service-call" else target.sense(TALK, usd_per_ics=0.5)
    comparison = target.compare(reading.interaction, reading.interaction.with_label("x"))
    for thing in (target, reading, comparison, *reading.evidence, reading.fidelity):
        back = pickle.loads(pickle.dumps(thing))
        assert back == thing and type(back) is type(thing) and hash(back) == hash(thing)
        assert copy.deepcopy(thing) == thing == copy.copy(thing)
    back = pickle.loads(pickle.dumps(reading))
    assert back.json(profile="detailed") == reading.json(profile="detailed")
    assert back.ics == reading.ics and back.ics.cost_usd > 0
    assert target.estimate(2000, "transcript" if name == "service-call" else "text") == pickle.loads(
        pickle.dumps(target)
    ).estimate(2000, "transcript" if name == "service-call" else "text")


def test_many_readings_share_their_sensor_in_a_pickle(courtesy: Sensor) -> None:
    readings = courtesy.batch([KIND + str(number) for number in range(50)])
    data = pickle.dumps(readings)
    assert len(data) < len(courtesy.source.encode()) + 50 * 400
    back = pickle.loads(data)
    assert back == readings and back[0].target is back[49].target


def test_mappings_are_pickled_copied_hashed_and_written_as_json(courtesy: Sensor) -> None:
    comparison, stage = courtesy.compare(KIND, f"{KIND} Bye."), sonometer.Stage("billing-dispute")
    step = stage.open(seed=7).act("I am really sorry that you have to call about this a third time.")
    mappings: list[Any] = [courtesy.sense(KIND).resonance, comparison.a.resonance, comparison.shifts, stage.walkthroughs, step.resonance]
    for mapping in (*mappings, comparison.a):
        assert pickle.loads(pickle.dumps(mapping)) == mapping == copy.copy(mapping) == copy.deepcopy(mapping)
        assert hash(mapping) == hash(pickle.loads(pickle.dumps(mapping)))
    assert json.loads(json.dumps(mappings[0])) == dict(mappings[0])
    assert dataclasses.asdict(comparison.a)["resonance"] == comparison.a.resonance


def test_readings_that_are_pickled_one_by_one_have_one_sensor(courtesy: Sensor) -> None:
    # As they come from other processes.
    sent = [pickle.dumps(courtesy.sense(KIND + str(number))) for number in range(50)]
    back = [pickle.loads(data) for data in sent]
    assert len({id(reading.target) for reading in back}) == 1
    assert len(pickle.dumps(back)) < len(courtesy.source.encode()) + 50 * 400


def test_equal_targets_are_in_a_pickle_once() -> None:
    for name in ("courtesy", "reply-quality"):
        readings = [sonometer.load(name).sense(KIND + str(number)) for number in range(3)]
        comparisons = [sonometer.load(name).compare(KIND, KIND) for _ in range(3)]
        for several in (readings, comparisons):
            assert len(pickle.dumps(several)) < 1.1 * len(pickle.dumps(several[0]))
            assert pickle.loads(pickle.dumps(several)) == several


def test_a_reading_of_another_engine_is_not_quietly_another(courtesy: Sensor) -> None:
    restore, parts = courtesy.sense(KIND).__reduce__()
    assert restore(*parts) == courtesy.sense(KIND)
    with pytest.raises(InvalidRequestError, match="which might measure differently; sense the interaction again"):
        restore(*parts[:4], "sonometer 0.0.0", *parts[5:])
    restore, parts = courtesy.compare(KIND, KIND).__reduce__()
    assert restore(*parts) == courtesy.compare(KIND, KIND)
    with pytest.raises(InvalidRequestError, match="which might measure differently; compare the interactions again"):
        restore(*parts[:5], "sonometer 0.0.0")


def test_errors_can_be_pickled() -> None:
    with pytest.raises(sonometer.InvalidProtocolError) as raised:
        Sensor("sonometer: 1\n")
    back = pickle.loads(pickle.dumps(raised.value))
    assert type(back) is sonometer.InvalidProtocolError
    assert (str(back), back.place, back.fix, back.diagnostics) == (
        str(raised.value),
        raised.value.place,
        raised.value.fix,
        raised.value.diagnostics,
    )


def test_comparisons(courtesy: Sensor) -> None:
    plain = sonometer.Interaction("Tell me the version of the app you use now.", label="before")
    comparison = courtesy.compare(plain, "Could you please tell me the version? Thank you so much!")
    told = comparison.to_dict()
    assert told["delta"]["score_change"] == comparison.score_change > 0
    assert comparison.direction == "improvement" == told["delta"]["direction"]
    assert (comparison.a.label, comparison.b.label) == ("before", "b")
    assert told["interaction_b"]["score"] == comparison.b.score
    assert told["delta"]["resonance_shifts"]["gratitude"] == dataclasses.asdict(comparison.shifts["gratitude"])
    assert comparison.ics.consumed == comparison.a.triggered + comparison.b.triggered
    assert bytes(comparison) == comparison.json().encode()
    with pytest.raises(sonometer.InsufficientSignalError) as raised:
        courtesy.compare(plain, "Hm.")
    assert (raised.value.code, raised.value.place) == ("insufficient_signal", "interaction_b")
    with pytest.raises(WrongTypeError) as wrong:
        courtesy.compare(plain, [("agent", 7)])
    assert wrong.value.place == "interaction_b.segments[0].content"


def test_estimates(courtesy: Sensor) -> None:
    estimate = courtesy.estimate(2_000, usd_per_ics=2)
    told = estimate.to_dict()
    assert told["estimated_ics"] == {"min": estimate.min, "max": estimate.max, "typical": estimate.typical}
    assert told["estimated_cost_usd"]["max"] == estimate.max * 2
    assert Metric("reply-quality").estimate(2_000).max >= estimate.max
    with pytest.raises(InvalidRequestError):
        courtesy.estimate(10, "smell")  # type: ignore[arg-type]
    with pytest.raises(InvalidRequestError, match="^`length` is -1; give 0 or more"):
        courtesy.estimate(-1)


MAIL = "Write to ann@example.com or bob@example.com, not to Ann@Example.com, and thank you for all of it."


def test_masks_are_of_the_kind_that_a_call_asks_for(private: Sensor) -> None:
    key = b"a key of the caller's own"
    assert private.mask(MAIL, mask="label")[:43] == "Write to <EMAIL_ADDRESS> or <EMAIL_ADDRESS>"
    numbered = private.sense(MAIL, mask="numbered")
    assert [e.source for e in numbered.evidence] == ["<EMAIL_ADDRESS_1>", "<EMAIL_ADDRESS_2>", "<EMAIL_ADDRESS_1>"]
    assert numbered != private.sense(MAIL) and numbered == private.sense(MAIL, mask="numbered")
    # Places remain those of the content as it came in, and notebooks show what stands for it.
    first = numbered.evidence[0]
    assert MAIL[first.start : first.end] == "ann@example.com"
    html = numbered._repr_html_()
    assert ">&lt;EMAIL_ADDRESS_1&gt;</mark> or <mark" in html and "example" not in html
    keyed = private.mask(MAIL, mask="keyed", mask_key=key)
    assert keyed.startswith("Write to <EMAIL_ADDRESS_fce01866fcfa> or ")
    assert "".join(private.guard([MAIL[:20], MAIL[20:]], mask="keyed", mask_key=key)) == keyed
    assert private.batch([MAIL], mask="remove")[0].masked == next(private.map([MAIL], mask="remove")).masked
    assert private.mask(MAIL, mask="remove").startswith("Write to  or , not")


def test_only_texts_are_masked_as_texts(private: Sensor) -> None:
    for odd, fix in (([("agent", CARD)], r"`sense\(…\)\.masked` has the text of each turn"), (None, "the value is missing"), (float("nan"), "the value is missing")):
        with pytest.raises(WrongTypeError, match=fix) as caught:
            private.mask(odd)  # type: ignore[arg-type]
        assert caught.value.place == "text"


def test_a_target_that_masks_nothing_is_no_mask(courtesy: Sensor) -> None:
    with pytest.warns(UserWarning, match="masks nothing: none of its markers has the key `mask`"):
        assert courtesy.mask(CARD) == CARD


def test_masks_that_are_none_and_keys_that_are_missing_are_refused(private: Sensor) -> None:
    for options, place in [
        ({"mask": "labels"}, "mask"),
        ({"mask": "keyed"}, "mask_key"),
        ({"mask": "keyed", "mask_key": b"short"}, "mask_key"),
    ]:
        with pytest.raises(InvalidRequestError) as told:
            private.sense(MAIL, **options)  # type: ignore[arg-type]
        assert told.value.place == place and "short" not in str(told.value)
    with pytest.raises(WrongTypeError, match=r"a key of masks is bytes, not .*; write b") as told_type:
        private.mask(MAIL, mask="keyed", mask_key="a key of the caller's own")  # type: ignore[arg-type]
    assert told_type.value.place == "mask_key" and "caller" not in str(told_type.value)
    reading = private.sense(MAIL, mask="keyed", mask_key=b"a key of the caller's own")
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(reading)
    again = pickle.loads(pickle.dumps(private.sense(MAIL, mask="label")))
    assert again == private.sense(MAIL, mask="label") and again.masked[0].startswith("Write to <EMAIL_ADDRESS>")


def test_notebooks_mask_letters_apart(private: Sensor) -> None:
    html = private.sense("Jose\u0301 wrote: my card is 4111 1111 1111 1111, thank you for all of it.")._repr_html_()
    assert "my card is <mark" in html and ">**** **** **** 1111</mark>, thank you" in html
