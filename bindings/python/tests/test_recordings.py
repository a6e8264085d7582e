"""Recordings: words from a transcript or a recogniser, in Python or beside it."""

import copy
import hashlib
import json
import pathlib
import pickle
import shutil
import sys
import threading
import wave
from typing import Any

import pytest

import sonometer
from sonometer import InvalidRequestError, Sensor, SonometerError, WrongTypeError, extract
from sonometer.files import Place, Sound

AUDIO = pathlib.Path(__file__).parents[3] / "fixtures" / "audio"
TALK = AUDIO.parent / "documents" / "talk.vtt"
SIDES = ["agent", "customer"]


def segments_of(side: str) -> list[dict[str, Any]]:
    """What one side of the call says, as a recogniser would tell it."""
    said = []
    for block in (AUDIO / "call.vtt").read_text().split("\n\n")[1:]:
        times, words = block.strip().split("\n")
        start, end = (sum(float(part) * unit for part, unit in zip(time.split(":"), (3600, 60, 1), strict=True)) for time in times.split(" --> "))
        if words.startswith(f"<v {side}>"):
            said.append({"start": start, "end": end, "text": words.split(">", 1)[1].removesuffix("</v>")})
    return said


def knowing(wav: str, *, channel: int | None, seconds: float, language: str | None) -> dict[str, Any]:
    """A recogniser that knows what is said, and looks whether it gets what it is promised."""
    with wave.open(wav) as sound:
        assert (sound.getnchannels(), sound.getsampwidth(), sound.getframerate()) == (1, 2, 16000)
        assert abs(sound.getnframes() / 16000 - seconds) < 0.1
    assert channel in (1, 2) and language == "en"
    return {"segments": segments_of(SIDES[channel - 1])}


def test_a_recording_by_its_transcript(courtesy: Sensor) -> None:
    call = extract(AUDIO / "call.mp3", transcript=AUDIO / "call.vtt")
    assert call.kind == "audio" and call.interaction.modality == "audio" and call.interaction.content is None
    sound = call.sound
    assert isinstance(sound, Sound)
    assert sound.shown.startswith("mp3, ") and sound.heard_by == "transcript" and sound.confidence is None
    assert 33 < sound.seconds < 40
    assert sound.sha256 == hashlib.sha256(sound.transcript.encode()).hexdigest()
    assert len(json.loads(sound.transcript)["segments"]) == 4
    # Kept and given again it gives the same.
    again = extract((AUDIO / "call.mp3").read_bytes(), transcript=sound.transcript.encode())
    assert again == call and again.sound == sound
    kept = pickle.loads(pickle.dumps(call))
    assert kept == call and kept.sound == sound
    place = call.place(1, 0)
    assert (place.time, place.until) == (10.0, 19.0) and str(place) == "00:00:10–00:00:19"
    said = extract(AUDIO / "call.mp3", transcript=AUDIO / "call.vtt", modality="transcript")
    assert courtesy.sense(said).evidence == courtesy.sense(extract(TALK)).evidence
    with pytest.raises(InvalidRequestError, match="not audio"):
        courtesy.sense(call)
    assert Sensor("affect@1.5").sense(call).evidence


def test_a_recording_by_a_recogniser_in_python() -> None:
    affect, callers = Sensor("affect@1.5"), set[int]()

    def heard(wav: str, **named: Any) -> dict[str, Any]:
        callers.add(threading.get_ident())
        return knowing(wav, **named)

    call = extract(AUDIO / "call.mp3", transcriber=heard, channels=SIDES, language="en")
    given = extract(AUDIO / "call.mp3", transcript=AUDIO / "call.vtt")
    assert affect.sense(call).json() == affect.sense(given).json()
    assert call.sound is not None and call.sound.heard_by == "heard"
    assert call.place(1, 0) == Place(time=10.0, until=19.0, channel=2)
    assert callers == {threading.get_ident()}


@pytest.mark.parametrize(
    "given",
    [
        {"segments": [{"start": 0.5, "end": 2, "text": "Thank you so much!", "confidence": 0.75}]},
        '[{"start": 0.5, "end": 2, "text": "Thank you so much!", "confidence": 0.75}]',
        b'{"segments": [{"start": 0.5, "end": 2, "text": "Thank you so much!", "confidence": 0.75}]}',
        "WEBVTT\n\n00:00.500 --> 00:02.000\nThank you so much!\n",
        bytearray(b"1\n00:00:00,500 --> 00:00:02,000\nThank you so much!\n"),
    ],
    ids=["dict", "str", "bytes", "WebVTT", "SubRip"],
)
def test_what_a_recogniser_may_give(given: Any) -> None:
    read = extract(AUDIO / "sentence.opus", transcriber=lambda wav, **_: given)
    assert read.text == "speaker: Thank you so much!" and str(read.place(0, 0)) == "00:00:00.5–00:00:02"
    assert read.sound is not None and read.sound.shown == "opus, 48000 Hz, 1 channel"
    assert read.sound.confidence == read.pieces[0].confidence == (None if "-->" in str(given) else 0.75)
    # How sure the recogniser is weighs in clarity, also of a copy.
    affect = Sensor("affect@1.5")
    for other in (copy.copy(read.interaction), pickle.loads(pickle.dumps(read.interaction))):
        assert other == read.interaction and affect.fidelity(other) == affect.fidelity(read)


class Strange(BaseException):
    """No `Exception`: still somebody else's, and handed on."""


@pytest.mark.parametrize("error", [ConnectionError("gone"), Strange(), KeyboardInterrupt(), SystemExit(3), RecursionError()], ids=repr)
def test_exceptions_of_a_recogniser_pass_unharmed(error: BaseException) -> None:
    def broken(wav: str, **_: object) -> str:
        raise error

    with pytest.raises(type(error)) as raised:
        extract(AUDIO / "sentence.wav", transcriber=broken)
    assert raised.value is error


def test_what_a_recogniser_may_not_give() -> None:
    for given in (None, 7, [], object(), {"segments": [object()]}, {1: 2}):
        with pytest.raises(WrongTypeError) as raised:
            extract(AUDIO / "sentence.wav", transcriber=lambda wav, given=given, **_: given)
        assert raised.value.place.startswith("transcriber")
    for text, reason in (("no transcript", "transcriber"), ('{"segments": 7}', "transcriber"), ("", "no_text"), ("WEBVTT\n", "no_text")):
        with pytest.raises(InvalidRequestError) as refused:
            extract(AUDIO / "sentence.wav", transcriber=lambda wav, text=text, **_: text)
        assert refused.value.reason == reason, refused.value
    with pytest.raises(TypeError):
        extract(AUDIO / "sentence.wav", transcriber=lambda: "")
    with pytest.raises(SonometerError):
        extract(AUDIO / "sentence.wav", transcriber=lambda wav, **_: "\ud800")


def test_a_recording_by_a_command(tmp_path: pathlib.Path) -> None:
    script = tmp_path / "recognise.py"
    script.write_text("import sys, wave\nwave.open(sys.argv[1])\nprint('WEBVTT\\n\\n00:00.500 --> 00:02.000\\nThank you!')\n")
    line = f"'{sys.executable}' '{script}' {{wav}}"
    for more in ({}, {"transcriber_seconds": 50}, {"apart": False}):
        read = extract(AUDIO / "sentence.flac", transcriber=line, **more)
        assert read.text == "speaker: Thank you!" and read.sound is not None
        assert read.sound.heard_by == pathlib.Path(sys.executable).name
    script.write_text("import sys\nsys.exit('no model')\n")
    with pytest.raises(InvalidRequestError, match="no model") as raised:
        extract(AUDIO / "sentence.flac", transcriber=line)
    assert raised.value.reason == "transcriber"
    script.write_text("import time\ntime.sleep(60)\n")
    with pytest.raises(InvalidRequestError, match="longer than 1 seconds"):
        extract(AUDIO / "sentence.flac", transcriber=line, transcriber_seconds=1)
    with pytest.raises(InvalidRequestError, match="cannot be started"):
        extract(AUDIO / "sentence.flac", transcriber="/nonexistent/asr {wav}")


@pytest.mark.skipif(shutil.which("pocketsphinx_continuous") is None, reason="pocketsphinx is not installed")
def test_a_recording_by_pocketsphinx() -> None:
    read = extract(AUDIO / "sentence.wav", transcriber="pocketsphinx", transcriber_seconds=500)
    assert read.sound is not None and read.sound.heard_by == "pocketsphinx" and read.sound.confidence is not None


def test_speakers_and_channels() -> None:
    both = "WEBVTT\n\n00:00.000 --> 00:09.000\nGood morning.\n\n00:10.000 --> 00:19.000\nHi.\n"
    rttm = b"SPEAKER call 1 0 9 <NA> <NA> ann <NA> <NA>\nSPEAKER call 1 10 9 <NA> <NA> bo <NA> <NA>\n"
    read = extract(AUDIO / "call.mp3", transcriber=lambda wav, **_: both, speakers=rttm, roles={"ann": "agent"})
    assert [segment.role for segment in read.interaction.segments] == ["agent", "bo"]
    asked = []

    def heard(wav: str, *, channel: int | None, **_: object) -> str:
        asked.append(channel)
        return both

    extract(AUDIO / "call.mp3", transcriber=heard, channels="mixed")
    assert asked == [None]
    with pytest.raises(InvalidRequestError, match="2 channels, but 1 are named") as raised:
        extract(AUDIO / "call.mp3", transcriber=heard, channels=["agent"])
    assert raised.value.reason == "hint"


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ({}, ""),
        ({"transcript": b"WEBVTT\n", "transcriber": "asr {wav}"}, "transcriber"),
        ({"transcriber": "asr"}, "transcriber"),
        ({"transcriber": 7}, "transcriber"),
        ({"transcriber": print, "transcriber_seconds": 7}, "transcriber_seconds"),
        ({"transcript": AUDIO / "call.vtt", "language": "en"}, "language"),
        ({"transcript": AUDIO / "call.vtt", "channels": "agent,customer"}, "channels"),
        ({"transcript": AUDIO / "call.vtt", "channels": [" "]}, "channels[0]"),
        ({"transcript": AUDIO / "call.vtt", "channels": [7]}, "channels[0]"),
        ({"transcript": AUDIO / "call.vtt", "channels": []}, "channels"),
        ({"transcript": 7}, "transcript"),
        ({"transcript": AUDIO / "call.vtt", "speakers": 7}, "speakers"),
        ({"transcript": AUDIO / "call.vtt", "turns": True}, ""),
    ],
)
def test_what_does_not_fit_is_told(wrong: dict[str, Any], place: str) -> None:
    with pytest.raises(InvalidRequestError) as raised:
        extract(AUDIO / "call.mp3", **wrong)
    assert raised.value.place == place, raised.value
    with pytest.raises(FileNotFoundError):
        extract(AUDIO / "call.mp3", transcript="nowhere.vtt")


def test_recordings_that_are_broken() -> None:
    for name in ("call.mp3", "sentence.m4a", "sentence.webm", "sentence.flac"):
        whole = (AUDIO / name).read_bytes()
        noise = bytearray(whole)
        noise[64:] = bytes((at * 7919) % 251 for at in range(len(whole) - 64))
        for apart in (True, False):
            with pytest.raises(SonometerError) as raised:
                extract(bytes(noise), transcript=AUDIO / "call.vtt", kind="audio", apart=apart)
            assert not isinstance(raised.value, sonometer.InternalError) and raised.value.reason
