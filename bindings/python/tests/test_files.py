"""Files as interactions: what they hold, where it stands, and what harmful ones come to."""

import copy
import io
import os
import pathlib
import pickle
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

import sonometer
from sonometer import Extract, Interaction, InvalidRequestError, PayloadTooLargeError, Sensor, SonometerError, WrongTypeError, extract
from sonometer.files import Piece, Place

DOCUMENTS = pathlib.Path(__file__).parents[3] / "fixtures" / "documents"
TALKS: list[tuple[str, dict[str, Any]]] = [
    ("talk-messages.json", {}),
    ("talk.vtt", {}),
    ("talk-whatsapp.txt", {}),
    ("talk-timed.txt", {}),
    ("talk-speech.json", {"roles": {"speaker-0": "agent", "speaker-1": "customer"}}),
    ("talk.mbox", {}),
    ("talk.docx", {"turns": True}),
    ("talk.pdf", {"turns": True}),
    ("visits.xlsx", {"column": "said", "role_column": "who"}),
    ("sources/visits.csv", {"column": "B", "role_column": "who"}),
]


@pytest.mark.parametrize(("name", "hints"), TALKS, ids=lambda value: value if isinstance(value, str) else "")
def test_one_conversation_gives_the_same_evidence_in_every_form(name: str, hints: dict[str, Any], courtesy: Sensor) -> None:
    expected = courtesy.sense(extract(DOCUMENTS / "talk.json"))
    read = extract(DOCUMENTS / name, **hints)
    reading = courtesy.sense(read)
    assert len(expected.evidence) >= 5
    assert reading.json(offsets="chars") == expected.json(offsets="chars")
    assert courtesy.sense(read.interaction).json() == reading.json()
    # From bytes, and as a str, it is the same.
    assert extract((DOCUMENTS / name).read_bytes(), name=name, **hints) == extract(str(DOCUMENTS / name), **hints) == read
    places = {str(read.place(found)) for found in reading.evidence}
    assert len(places) >= 3 and "" not in places


def test_everything_that_takes_an_interaction_takes_an_extract(courtesy: Sensor) -> None:
    talk = extract(DOCUMENTS / "talk.docx", turns=True)
    plain = talk.interaction
    assert isinstance(plain, Interaction) and plain.modality == "transcript" and talk.interaction is plain
    assert courtesy.fidelity(talk) == courtesy.fidelity(plain)
    assert courtesy.batch([talk, plain]) == [courtesy.sense(plain)] * 2
    assert courtesy.compare(talk, plain).score_change == 0
    assert Interaction(talk) == plain
    assert talk.text.splitlines()[0] == "agent: Good morning, thank you for calling the ferry office. How can I help?"


def test_places_of_a_report() -> None:
    affect = Sensor("affect")
    for name in ("report.docx", "report.odt", "report.rtf"):
        report = extract(DOCUMENTS / name)
        reading = affect.sense(report)
        places = {found.source: report.place(found) for found in reading.evidence}
        assert places["furious"].table == 1 and places["furious"].cell == "B2"
        assert str(places["furious"]) == "table 1, cell B2"
        content = report.interaction.content
        assert content is not None and report.interaction.modality == "document" and report.text == content
        for found in reading.evidence:
            assert content[found.start : found.end] == found.source
        # Chinese and Arabic stand before it: characters are counted, not bytes.
        at = content.index("The second page is about")
        assert len(content[:at].encode()) > at
        assert report.place(0, at) != report.place(0, 0) == Place(paragraph=1)
        for piece in report.pieces:
            assert isinstance(piece, Piece)
            assert report.place(piece.segment, piece.start) == piece.place
            assert piece.end == piece.start or report.place(piece.segment, piece.end - 1) == piece.place
        assert report.pieces[-1].end <= len(content) == report.pieces[-1].start + len(content[report.pieces[-1].start :])
    pages = extract(DOCUMENTS / "report.pdf")
    content = pages.interaction.content
    assert content is not None
    assert pages.place(0, content.index("The second page is about")).page == 2


def test_places_of_tables_captions_and_lines() -> None:
    table = extract(DOCUMENTS / "visits.xlsx", column="said")
    assert table.place(0, 0) == Place(sheet="visits", cell="B2") and str(table.place(0, 0)) == "visits!B2"
    captions = extract(DOCUMENTS / "talk.vtt")
    assert [captions.place(turn, 0).time for turn in range(4)] == [segment.timestamp for segment in captions.interaction.segments]
    lines = extract("😀 one\nzwei ü\n\n三\n".encode())
    assert [lines.place(0, offset).line for offset in range(15)] == [1] * 6 + [2] * 7 + [3, 4]
    assert lines.place(0, len(lines.text)).line == 5
    messages = extract(DOCUMENTS / "talk.mbox")
    assert [messages.place(turn, 0).message for turn in range(4)] == [1, 2, 3, 4]
    assert extract(DOCUMENTS / "talk.json").place(2, 3) == Place(path="segments[2].content")


def test_places_that_are_none(courtesy: Sensor) -> None:
    lines = extract(b"one\ntwo\n")
    wrong: list[tuple[tuple[Any, ...], type[Exception]]] = [
        ((1, 0), InvalidRequestError),
        ((0, 9), InvalidRequestError),
        ((0, -1), InvalidRequestError),
        ((-1, 0), InvalidRequestError),
        ((2**70, 0), InvalidRequestError),
        ((0, 1.5), WrongTypeError),
        ((True, 0), WrongTypeError),
        (("0", 0), WrongTypeError),
        ((0,), WrongTypeError),
        ((None,), WrongTypeError),
        ((), TypeError),
    ]
    for arguments, error in wrong:
        with pytest.raises(error):
            lines.place(*arguments)
    other = courtesy.sense([("agent", "Hello."), ("customer", "Thank you so much for your help!")])
    with pytest.raises(InvalidRequestError, match="evidence of a reading of this extract"):
        lines.place(other.evidence[-1])


def test_hints() -> None:
    chat = b"1/5/24, 10:00 - Ann Lee: Good morning.\n1/5/24, 10:01 - Bo: Hi!\n"
    roles = [segment.role for segment in extract(chat, roles={"ann lee": "agent", "Bo": "customer"}).interaction.segments]
    assert roles == ["agent", "customer"]
    letter = b"From: a@b.c\nTo: d@e.f\nMIME-Version: 1.0\n\nYes.\n\n> Will you?\n"
    assert "Will you?" not in extract(letter).text and "Will you?" in extract(letter, quoted="keep").text
    assert extract(letter).notes == ('left out 1 quoted line; to keep it, use `quoted="keep"`',)
    assert extract(b"# Title\n\nText.\n").kind == "text" and extract(b"# Title\n\nText.\n", name="a.md").kind == "markdown"
    assert extract(DOCUMENTS / "report.docx", modality="text").interaction.modality == "text"
    assert Sensor("courtesy@1.0").sense(extract(DOCUMENTS / "report.docx", modality="text")).evidence
    with pytest.raises(InvalidRequestError, match="document"):
        Sensor("courtesy@1.0").sense(extract(DOCUMENTS / "report.docx"))
    assert extract("Grüße".encode("utf-16")).text == "Grüße"
    wrong: list[tuple[str, Any]] = [
        ("kind", "doc"),
        ("quoted", "perhaps"),
        ("modality", "audio"),
        ("roles", {"Ann": ""}),
        ("column", "A"),
        ("sheet", "x"),
        ("transcript", b"WEBVTT\n"),
        ("transcriber", "asr {wav}"),
        ("channels", ["a"]),
        ("speakers", b""),
        ("language", "en"),
        ("seconds", 0),
        ("seconds", 10**8),
    ]
    for key, value in wrong:
        with pytest.raises(InvalidRequestError) as raised:
            extract(b"agent: Hi.\n", **{key: value})
        assert raised.value.place == key or f"`{key}`" in raised.value.message
    for key in ("turns", "modality", "roles"):
        value = {"turns": True, "modality": "text", "roles": {"a": "b"}}[key]
        with pytest.raises(InvalidRequestError, match=f"`{key}` does not apply to interactions in JSON"):
            extract(b'{"content": "Hi."}', **{key: value})  # type: ignore[arg-type]


def test_an_extract_is_a_value() -> None:
    one, other = extract(b"Hi.\n"), extract(b"Hi.\n", name="x.txt")
    assert one == other and hash(one) == hash(other) and one != extract(b"Hi!\n") and one != "Hi.\n"
    assert copy.copy(one) is one and copy.deepcopy([one])[0] is one
    assert repr(one) == "Extract('text', Interaction('Hi.\\n'))"
    assert one.sound is None and one.notes == ()
    with pytest.raises(AttributeError):
        one.kind = "pdf"  # type: ignore[misc]
    with pytest.raises(TypeError):
        Extract()
    for name in ("report.docx", "talk.mbox", "talk.json", "visits.xlsx"):
        read = extract(DOCUMENTS / name)
        again = pickle.loads(pickle.dumps(read))
        assert again == read and again.pieces == read.pieces and again.notes == read.notes
    for wrong in ("", "{}", "\0"):
        with pytest.raises(InvalidRequestError, match="not a saved extract"):
            sonometer._sonometer._restore_extract(wrong)
    document = extract(b"<!DOCTYPE html><p>Thank you!</p>").interaction
    assert document.modality == "document" and document.content == "Thank you!"
    assert copy.deepcopy(document) == pickle.loads(pickle.dumps(document)) == document


def archive(**parts: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in parts.items():
            made.writestr(name, text)
    return file.getvalue()


def docx(body: str) -> bytes:
    return archive(**{"[Content_Types].xml": "<Types/>", "word/document.xml": body})


SOUND = docx("<w:document><w:body><w:p><w:r><w:t>x</w:t></w:r></w:p></w:body></w:document>")
OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512)
HOSTILE: list[tuple[str, bytes, set[str]]] = [
    ("nothing", b"", {"no_text"}),
    ("white space", b" \n\t ", {"no_text"}),
    ("bytes", b"\0\1\2\3\4", {"unsupported"}),
    ("a lone surrogate", b"\xff\xfe\x00\xd8a\0", {"broken"}),
    ("a picture", b"\x89PNG\r\n\x1a\n", {"unsupported"}),
    ("a program", b"\x7fELF\2\1", {"unsupported"}),
    ("a plain archive", archive(a="x"), {"unsupported"}),
    ("a document cut off", SOUND[:-30], {"broken"}),
    ("an archive of noise", b"PK\3\4word/document.xml" + b"\7" * 200, {"broken"}),
    ("a bomb", docx("<w:document>" + " " * (300 << 20) + "</w:document>"), {"too_large"}),
    ("entities", docx('<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><w:document>&b;</w:document>'), {"broken"}),
    ("entities from outside", docx('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><w:document>&a;</w:document>'), {"broken"}),
    ("deep XML", docx("<w:p>" * 100_000 + "</w:p>" * 100_000), {"too_large"}),
    ("crossed tags", docx("<w:document><w:p></w:document></w:p>"), {"broken"}),
    ("a locked document", OLD + "EncryptedPackage".encode("utf-16-le"), {"encrypted"}),
    ("an old document", OLD + "WordDocument".encode("utf-16-le"), {"unsupported"}),
    ("a locked mail", b"From: a@b.c\nTo: d@e.f\nMIME-Version: 1.0\nContent-Type: multipart/encrypted; boundary=x\n\n--x\n\n--x--\n", {"encrypted"}),
    ("deep RTF", rb"{\rtf1 " + b"{" * 100_000, {"too_large"}),
    ("a PDF of noise", b"%PDF-1.7\n\x01\x02\x03", {"broken", "no_text"}),
    ("a PDF cut off", b"%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>", {"broken", "no_text"}),
    ("captions at no time", b"WEBVTT\n\nnow --> then\nHi\n", {"broken"}),
    ("lines of interactions", b'{"content": "a"}\n{"content": "b"}\n', {"unsupported"}),
    ("a recording without words", b"RIFF\0\0\0\0WAVEfmt ", {"unsupported"}),
]


@pytest.mark.parametrize("apart", [True, False], ids=["apart", "here"])
@pytest.mark.parametrize(("file", "reasons"), [case[1:] for case in HOSTILE], ids=[case[0] for case in HOSTILE])
def test_harmful_files_end_in_a_clear_error(file: bytes, reasons: set[str], apart: bool, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SonometerError) as raised:
        extract(file, apart=apart)
    error = raised.value
    assert error.reason in reasons and error.details["reason"] == error.reason, error
    assert isinstance(error, PayloadTooLargeError if error.reason == "too_large" else InvalidRequestError)
    assert len(error.message) > 20 and "panicked" not in capfd.readouterr().err


def test_limits_of_the_process_apart() -> None:
    # Two million paragraphs, which no machine counts in little memory; a fast one may count too many of them within a second.
    big = b"<!DOCTYPE html>" + b"<p>word <b>more</b></p>" * 2_000_000
    with pytest.raises(PayloadTooLargeError) as raised:
        extract(big, memory_bytes=200 << 20)
    assert raised.value.reason == "too_costly" and "209715200 bytes" in raised.value.message
    with pytest.raises(PayloadTooLargeError) as raised:
        extract(big, seconds=1, memory_bytes=1 << 32)
    assert raised.value.reason in ("too_costly", "too_large"), raised.value
    with pytest.raises(InvalidRequestError, match="remove one of them"):
        extract(b"Hi.", apart=False, seconds=5)
    assert extract(b"Hi.", seconds=5, memory_bytes=1 << 30).text == "Hi."


ODD: list[Any] = [None, 7, 1.5, 1j, True, (), [], {}, object(), int, memoryview(b"a"), io.BytesIO(b"a"), range(3)]


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: type(odd).__name__)
def test_what_is_no_file(odd: Any) -> None:
    with pytest.raises(WrongTypeError, match="give a path, or the bytes") as raised:
        extract(odd)
    assert raised.value.place == "source"
    audio = b"RIFF\0\0\0\0WAVEfmt "
    for key in ("name", "kind", "column", "sheet", "quoted", "roles", "modality", "transcript", "transcriber", "speakers", "channels", "language", "seconds"):
        # What is allowed there, or is somebody's callable.
        if odd is None or (key, odd) == ("roles", {}) or (key, odd) == ("seconds", 7) or callable(odd) or (key == "seconds" and odd is True):
            continue
        with pytest.raises((TypeError, SonometerError)) as refused:
            extract(audio, **{key: odd})
        assert not isinstance(refused.value, sonometer.InternalError)


def test_files_that_are_not_there(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError):
        extract(tmp_path / "none.pdf")
    with pytest.raises((IsADirectoryError, PermissionError)):
        extract(tmp_path)
    with pytest.raises(ValueError):
        extract("a\0b")
    odd = tmp_path / "ü 😀.txt"
    odd.write_text("agent: Hi.\n")
    assert extract(odd).text == extract(os.fsencode(odd).decode("utf-8")).text == "agent: Hi.\n"

    class Path:
        def __fspath__(self) -> bytes:
            return os.fsencode(odd)

    class Raising:
        def __fspath__(self) -> str:
            raise ConnectionError("gone")

    assert extract(Path()).kind == "text"
    with pytest.raises(ConnectionError):
        extract(Raising())


def test_bytes_that_change_meanwhile() -> None:
    file = bytearray(SOUND)
    assert extract(file).text == "x"
    file.clear()


def test_from_threads() -> None:
    wrong: list[BaseException] = []
    expected = extract(DOCUMENTS / "report.docx")
    barrier = threading.Barrier(8)

    def work() -> None:
        try:
            barrier.wait(60)
            for _ in range(3):
                assert extract(DOCUMENTS / "report.docx") == expected
                with pytest.raises(SonometerError):
                    extract(SOUND[:-30])
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert wrong == []


def ran(program: str, **options: Any) -> str:
    """What a program prints in an interpreter of its own."""
    arguments = [sys.executable, *options.pop("flags", ()), "-c", program]
    ended = subprocess.run(arguments, capture_output=True, text=True, timeout=120, **options)
    assert ended.returncode == 0, ended
    return str(ended.stdout).strip()


READ = f"import sonometer; print(sonometer.extract({str(DOCUMENTS / 'talk.docx')!r}, turns=True).place(0, 0))"


def test_however_the_package_was_found(tmp_path: pathlib.Path) -> None:
    folder = pathlib.Path(sonometer.__file__).parents[1]
    assert ran(READ) == "paragraph 1"
    # Neither site-packages nor PYTHONPATH, but a `sys.path` made by hand, and relative to a folder that is left.
    assert ran(f"import sys; sys.path.insert(0, {str(folder)!r}); {READ}", flags=["-S", "-I"]) == "paragraph 1"
    relative = f"import os, sys; sys.path.insert(0, {folder.name!r}); import sonometer; os.chdir({str(tmp_path)!r}); {READ}"
    assert ran(relative, flags=["-S"], cwd=folder.parent, env={}) == "paragraph 1"
    # What lies about is not run.
    (tmp_path / "importlib.py").write_text("raise SystemExit('mine')")
    assert ran(READ, cwd=tmp_path, flags=["-P"], env={**os.environ, "PYTHONSTARTUP": str(tmp_path / "importlib.py")}) == "paragraph 1"
    # Imported first in a thread, used in a fork.
    forked = f"import os, sonometer; {READ}; child = os.fork()\nif child == 0: {READ}\nelse: assert os.waitpid(child, 0)[1] == 0"
    assert ran(forked) == "paragraph 1\nparagraph 1"


@pytest.mark.parametrize(
    ("set_up", "why"),
    [
        ("sys.executable = ''", "is not set"),
        ("sys.executable = None", "is not set"),
        ("sys.executable = '/nonexistent/python'", "cannot read files"),
        ("sys.executable = '/bin/cat'", "does not answer"),
        ("sys.frozen = True", "is not a Python interpreter"),
    ],
)
def test_where_no_interpreter_can_be_started(set_up: str, why: str) -> None:
    program = f"""
import sys, sonometer
own = sys.executable
{set_up}
try:
    sonometer.extract({SOUND!r})
except sonometer.InternalError as error:
    print(error.reason, error)
print(sonometer.extract({SOUND!r}, apart=False).text, sonometer.extract(b"y").text)
import multiprocessing
if not hasattr(sys, "frozen"):
    multiprocessing.set_executable(own)
    print(sonometer.extract({SOUND!r}).text)
"""
    said = ran(program).splitlines()
    assert said[0].startswith("internal ") and why in said[0] and "apart=False" in said[0], said
    assert said[1:] == (["x y"] if "frozen" in set_up else ["x y", "x"])


def test_ctrl_c_ends_what_takes_long() -> None:
    program = """
import os, signal, sonometer, threading, time
# Also where this was started in the background by a shell that lets it ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begun = time.monotonic()
try:
    sonometer.extract(b"<!DOCTYPE html>" + b"<p>word <b>more</b></p>" * 2_800_000 + b"<p>" * 100)
except KeyboardInterrupt:
    print("interrupted")
except sonometer.SonometerError:
    # Refused before it was interrupted.
    time.sleep(3)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert ended.stdout.strip() == "interrupted" or "KeyboardInterrupt" in ended.stderr, ended


def test_calls() -> None:
    """None of the arguments is positional but the source."""
    call: Callable[..., Any] = extract
    for positional, named in (((), {}), ((b"a", "b"), {}), ((), {"source": b"a"}), ((b"a",), {"nam": "x"})):
        with pytest.raises(TypeError):
            call(*positional, **named)
