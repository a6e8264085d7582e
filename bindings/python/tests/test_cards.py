"""Cards and keys: the same bytes, no change unseen, no secret shown. The message for each changed place is in the vectors."""

import base64
import copy
import gc
import json
import pathlib
import pickle
from typing import Any

import pytest
from test_dives import DOOR, POLITE, PORTER, dived
from test_misuse import ODD, tried

from sonometer import (
    CardMismatchError,
    InvalidKeyError,
    SigningKey,
    SonometerError,
    Stage,
    StageCard,
    TargetNotFoundError,
    WrongTypeError,
    diving,
)

SECRET = bytes(range(200, 232))
KEY = SigningKey(SECRET)
OTHER = SigningKey(SECRET[::-1])


@pytest.fixture(scope="module")
def door() -> Stage:
    return Stage(DOOR, shelf=[PORTER])


@pytest.fixture(scope="module")
def card(door: Stage) -> StageCard:
    dive = dived(door, ["Hm.", POLITE], seed=3)
    return dive.close(dive_id="dive 1", agent=("kelp", "0.3"), summary='All "well".\n')


def test_a_card_says_what_its_json_says(card: StageCard, door: Stage) -> None:
    told = card.to_dict()
    assert (card.dive_id, card.agent, card.attempt, card.summary) == ("dive 1", ("kelp", "0.3"), None, 'All "well".\n')
    assert card.agent is not None and card.agent.version == told["agent"]["version"]
    assert card.stage == diving.Stamp("door", "1.0", door.digest) and card.target == door.target
    assert card.bounds == door.envelope and (card.mode, card.access_mode) == ("practice", "free")
    assert (card.seed, card.seed_source, card.signature, card.passed) == (3, "caller", None, True)
    assert card.chain == told["chain"] and card.engine == told["engine"]
    assert card.totals.turns == 2 and card.score == card.totals.score == told["totals"]["score"]
    assert card.readings is not None and [one.score for one in card.readings] == [one["score"] for one in told["readings"]]
    assert card.verdict == diving.Verdict(True, "passed", ("inside",), ())
    assert bytes(card).decode() == card.json() == json.dumps(told, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    assert repr(card) == f"<StageCard 'dive 1' passed turns=2 score={card.score}>"


def test_a_closing_says_whose_dive_it_was(door: Stage) -> None:
    dive = door.open(seed=8)
    assert dive.close().dive_id == "door-8" and dive.close().agent is None and dive.close() == dive.close()
    for given in ("kelp", ("kelp",), ("kelp", None), diving.Agent("kelp")):
        assert dive.close(agent=given).agent == diving.Agent("kelp", None)
    odd: Any
    for odd in (7, (), ("a", "b", "c"), (None, "1"), (7, "1"), ["kelp"], {"id": "kelp"}):
        with pytest.raises(WrongTypeError, match=r"give its id as a str, or \(id, version\)"):
            dive.close(agent=odd)
    for odd in (7, b"x", ["x"]):
        with pytest.raises(TypeError):
            dive.close(summary=odd)
        with pytest.raises(TypeError):
            dive.close(dive_id=odd)


def test_the_same_card_and_key_give_the_same_bytes(card: StageCard) -> None:
    signed = card.sign(KEY)
    assert signed.json() == card.sign(SigningKey(SECRET.hex())).json() == signed.sign(OTHER).sign(KEY).json()
    assert card.signature is None and signed.signature is not None and signed.signature.startswith(f"ed25519:{KEY.id}:")
    for again in (StageCard.read(signed.json()), StageCard.read(bytes(signed)), StageCard.read(bytearray(bytes(signed)))):
        assert again == signed != card and hash(again) == hash(signed) and again.json() == signed.json()
    assert pickle.loads(pickle.dumps(signed)) == signed and copy.copy(signed) is signed is copy.deepcopy(signed)


def test_signatures(card: StageCard) -> None:
    signed = card.sign(KEY)
    for keys in (KEY.public_key, f"# ours\n{OTHER.public_key}\n{KEY.public_key}\n", [OTHER.public_key, KEY.public_key], KEY.public_key.encode()):
        signed.verify(keys)
    for wrong, keys in ((card, KEY.public_key), (signed, OTHER.public_key), (signed, [OTHER.public_key])):
        with pytest.raises(CardMismatchError) as told:
            wrong.verify(keys)
        assert (told.value.code, told.value.place) == ("card_mismatch", "signature")
    changed = StageCard.read(signed.json().replace("dive 1", "dive 2"))
    with pytest.raises(CardMismatchError, match="changed after it was signed"):
        changed.verify(KEY.public_key)
    with pytest.raises(InvalidKeyError) as bad:
        signed.verify(f"{KEY.public_key}\nzz")
    assert (bad.value.code, bad.value.place, isinstance(bad.value, ValueError)) == ("invalid_key", "line 2", True)
    with pytest.raises(InvalidKeyError) as bad:
        signed.verify([KEY.public_key, "zz"])
    assert bad.value.place == "keys[1], line 1"
    none: str | list[str]
    for none in ("", [], "# none\n"):
        with pytest.raises(InvalidKeyError, match="there is no key"):
            signed.verify(none)
    odd: Any
    for odd in (7, None, [7], {KEY.public_key: 1}, KEY):
        with pytest.raises(WrongTypeError):
            signed.verify(odd)


def test_replaying(card: StageCard, door: Stage, tmp_path: pathlib.Path) -> None:
    log = dived(door, ["Hm.", POLITE], seed=3).log()
    (tmp_path / "door.yaml").write_text(DOOR)
    (tmp_path / "porter.yaml").write_text(PORTER)
    for stage in (door, tmp_path / "door.yaml", str(tmp_path / "door.yaml")):
        for said in (log, log.encode(), ["Hm.", POLITE], iter(["Hm.", POLITE])):
            card.replay(said, stage=stage)
    with pytest.raises(CardMismatchError) as wrong:
        card.replay(log.replace("Hm.", "Ha."), stage=door)
    assert wrong.value.place == "step 1"
    with pytest.raises(CardMismatchError) as wrong:
        card.replay(["Ha.", POLITE], stage=door)
    assert wrong.value.place == "chain"
    with pytest.raises(CardMismatchError) as wrong:
        card.replay("Hm.", stage=door)
    assert wrong.value.place == "line 1"
    with pytest.raises(CardMismatchError) as wrong:
        card.replay(b"\xff", stage=door)
    assert wrong.value.place == "log"
    with pytest.raises(TargetNotFoundError, match="the catalogue has no stage `door`"):
        card.replay(log)
    with pytest.raises(CardMismatchError) as wrong:
        card.replay(log, stage="billing-dispute")
    assert wrong.value.place == "stage.id"
    odd: Any
    for odd in (7, None, [7], [b"Hm."], {"Hm.": 1}):
        with pytest.raises(WrongTypeError, match="is not a log"):
            card.replay(odd, stage=door)
    shipped = dived(Stage("billing-dispute"), ["Hello."], seed=1)
    shipped.close().replay(shipped.log())


def test_no_byte_of_a_signed_card_can_be_changed(card: StageCard) -> None:
    text = card.sign(KEY).json()
    for at in range(0, len(text), 3):
        changed = text[:at] + ("7" if text[at] != "7" else "8") + text[at + 1 :]
        with pytest.raises(CardMismatchError) as wrong:
            StageCard.read(changed).verify(KEY.public_key)
        assert wrong.value.place != "", changed
    for cut in ("", text[:1], text[:-1]):
        with pytest.raises(CardMismatchError):
            StageCard.read(cut)


def test_what_is_no_card_is_told_with_its_place(card: StageCard) -> None:
    for text, place in (("{}", "sonometer_stagecard"), (card.json().replace('"turns":2', '"turns":3'), "totals.turns"), (b"\xff", "card")):
        with pytest.raises(CardMismatchError) as wrong:
            StageCard.read(text)
        assert wrong.value.place == place
    for text, shown in (
        ("{}", "`sonometer_stagecard` is missing; give the JSON of a card, unchanged, as `StageCard.json` writes it (at sonometer_stagecard)"),
        ("[]", "the JSON is a list, not a map; give the JSON of a card, unchanged, as `StageCard.json` writes it"),
    ):
        with pytest.raises(CardMismatchError) as wrong:
            StageCard.read(text)
        assert str(wrong.value) == shown
    with pytest.raises(CardMismatchError, match=r"^`action` is missing \(at line 1: action\)"):
        card.replay('{"world": "Hm."}')
    with pytest.raises(InvalidKeyError, match="^line 1 is not a signing key: 64 hexadecimal digits; `sonometer dive keygen` makes one"):
        SigningKey("x")
    for huge in ("[" * 1_000_000, "x" * 50_000_000, '{"a":' * 100_000):
        with pytest.raises(CardMismatchError):
            StageCard.read(huge)


def test_exports(card: StageCard) -> None:
    statement = json.loads(card.statement())
    assert statement["predicate"] == card.to_dict() and card.chain.endswith(statement["subject"][0]["digest"]["sha256"])
    envelope = json.loads(card.envelope(KEY))
    assert base64.b64decode(envelope["payload"]).decode() == card.statement()
    assert envelope["signatures"][0]["keyid"] == KEY.id


def test_keys() -> None:
    text = f"# The secret key {KEY.id}\n\n{SECRET.hex()}\n"
    for key in (SigningKey(text), SigningKey(SECRET.hex().upper()), SigningKey(bytearray(SECRET))):
        assert (key.id, key.public_key) == (KEY.id, KEY.public_key)
    # RFC 8032, section 7.1, test 1.
    known = SigningKey("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    assert known.public_key == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"


def test_a_secret_is_never_shown() -> None:
    shown = [repr(KEY), str(KEY), format(KEY), repr(vars(SigningKey)), KEY.id, KEY.public_key]
    shown += [repr(getattr(KEY, name)) for name in dir(KEY) if name not in ("__class__", "__doc__")]
    wrong: list[Any] = [SECRET[:-1], SECRET + b"\x00", SECRET.hex()[:-1], SECRET.hex() * 2, f"{SECRET.hex()}\n{SECRET.hex()}", f"{SECRET.hex()}\ud800"]
    for secret in (*wrong, 7, None, list(SECRET), memoryview(SECRET)):
        with pytest.raises(SonometerError) as told:
            SigningKey(secret)
        shown += [str(told.value), repr(told.value), repr(told.value.details), repr(told.value.__cause__), repr(told.value.__context__)]
    with pytest.raises(WrongTypeError, match="cannot be pickled") as told:
        pickle.dumps(KEY)
    shown.append(str(told.value))
    assert copy.copy(KEY) is KEY is copy.deepcopy(KEY)
    for text in shown:
        assert SECRET.hex()[:16] not in text.lower() and repr(SECRET)[2:30] not in text, text
    assert not any(SECRET in held for held in gc.get_referents(KEY) if isinstance(held, bytes))


def test_a_card_in_a_notebook(door: Stage) -> None:
    dive = dived(door, ["Here are ten euros for you, <b>friend</b>."])
    html = dive.close(dive_id="<script>alert(1)</script>").sign(KEY)._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html
    assert "failed" in html and "flag_tripped" in html and "✗ bribed" in html and KEY.id in html
    # What stands for a signature may be anything in a card that was only read.
    odd = dive.close().json().replace('"sonometer_stagecard"', '"signature":"<i>","sonometer_stagecard"')
    assert "<i>" not in StageCard.read(odd)._repr_html_()


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: type(odd).__name__)
def test_anything_in_any_place_gives_a_result_or_an_exception(odd: Any, card: StageCard, door: Stage) -> None:
    tried(lambda: StageCard.read(odd))
    tried(lambda: SigningKey(odd))
    tried(lambda: card.sign(odd))
    tried(lambda: card.envelope(odd))
    tried(lambda: card.verify(odd))
    tried(lambda: card.verify([odd]))
    tried(lambda: card.replay(odd, stage=door))
    tried(lambda: card.replay([odd], stage=door))
    tried(lambda: card.replay(["Hm."], stage=odd))
    assert card != odd
