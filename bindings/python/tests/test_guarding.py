"""Guards of language models without any package of a provider; with them they run in `bindings/python/evals/run`."""

import copy
import json
import pathlib
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import sonometer
from sonometer import Exchange, InvalidRequestError, ModelGuard, SonometerError, TargetNotFoundError, WrongTypeError
from sonometer._guard_json import begin, ended, pushed, shown
from sonometer.guarding import open_guard

CHAT = "/v1/chat/completions"
MAIL = "ann@example.org"
# The letters of the address stand nowhere else in the texts.
SECRET = "Her address is zqx.zq@zqx.org, the one of the farm. Call in the evening."
MASKED = "Her address is ***.**@***.***, the one of the farm. Call in the evening."


def body(text: str, **more: Any) -> bytes:
    return json.dumps({"model": "m", "messages": [{"role": "user", "content": text}], **more}).encode()


def asked(guard: ModelGuard, text: str = "Hi", **more: Any) -> Exchange:
    exchange = guard.request("POST", CHAT, body(text, **more))
    assert exchange is not None
    return exchange


def chunk(delta: dict[str, Any], reason: str | None = None) -> bytes:
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}).encode() + b"\n\n"


def stream(texts: Iterable[str], arguments: Iterable[str] = ()) -> bytes:
    calls = ({"tool_calls": [{"index": 0, "function": {"name": "send", "arguments": part}}]} for part in arguments)
    return b"".join([*(chunk({"content": text}) for text in texts), *map(chunk, calls), chunk({}, "stop"), b"data: [DONE]\n\n"])


def held(frames: bytes) -> tuple[str, str]:
    """What a client has put together of whole events: the text and the arguments."""
    text = arguments = ""
    for frame in frames.split(b"\n\n")[:-1]:
        if frame.startswith(b"data: {"):
            delta = json.loads(frame[6:])["choices"][0]["delta"]
            text += delta.get("content") or ""
            arguments += "".join(call["function"].get("arguments", "") for call in delta.get("tool_calls", ()))
    return text, arguments


def test_requests_are_masked_and_answers_restored() -> None:
    exchange = asked(open_guard(placeholders=True), f"I am {MAIL}, not bob@example.net.")
    assert json.loads(exchange.body)["messages"][0]["content"] == "I am <EMAIL_ADDRESS_1>, not <EMAIL_ADDRESS_2>."
    assert exchange.blocked is None and exchange.refusal is None and exchange.form == "chat" and not exchange.is_stream
    status, answer = exchange.response(200, b'{"choices":[{"message":{"role":"assistant","content":"Hello <EMAIL_ADDRESS_1>"}}]}')
    assert status == 200 and json.loads(answer)["choices"][0]["message"]["content"] == f"Hello {MAIL}"
    assert exchange.counts == {"masked_request": 2, "masked_answer": 0, "restored": 1, "unknown": 0, "ended": 0}
    assert dict(exchange.headers)["x-sonometer-masked"] == "request=2, answer=0, restored=1"
    # What needs no change is the same object.
    plain = body("Hi")
    same = open_guard().request("POST", CHAT, plain)
    assert same is not None and same.body is plain


@pytest.mark.parametrize("size", [1, 3, 8, 1000])
def test_a_placeholder_that_is_cut_comes_back_whole(size: int) -> None:
    text, arguments = "I wrote to <EMAIL_ADDRESS_1> and asked.", '{"to":"<EMAIL_ADDRESS_1>"}'
    parts = [text[at : at + size] for at in range(0, len(text), size)]
    frames = stream(parts, [arguments[at : at + size] for at in range(0, len(arguments), size)])
    for piece in (1, 7, len(frames)):
        exchange, came = asked(open_guard(placeholders=True), f"Write to {MAIL}", stream=True), b""
        for at in range(0, len(frames), piece):
            came += exchange.feed(frames[at : at + piece])
            assert "<" not in "".join(held(came))
        came += exchange.finish()
        assert held(came) == (f"I wrote to {MAIL} and asked.", f'{{"to":"{MAIL}"}}')
        assert came.endswith(b"data: [DONE]\n\n") and exchange.blocked is None


def test_no_letter_of_what_is_masked_is_ever_shown() -> None:
    guard = open_guard(mask="personal-data")
    for size in (1, 2, 5, 100):
        frames = stream(SECRET[at : at + size] for at in range(0, len(SECRET), size))
        for cut in range(1, len(frames), 1 if size == 100 else 97):
            exchange, came = asked(guard, stream=True), b""
            for part in (frames[:cut], frames[cut:]):
                came += exchange.feed(part)
                assert not set("zqx") & set(held(came)[0])
            came += exchange.finish()
            assert held(came)[0] == MASKED


def test_a_conversation_goes_on_by_the_id_of_its_last_answer() -> None:
    guard, path = open_guard(placeholders=True), "/v1/responses"

    def answer(name: str, text: str) -> bytes:
        content = [{"type": "output_text", "text": text}]
        return json.dumps({"id": name, "output": [{"type": "message", "role": "assistant", "content": content}]}).encode()

    first = guard.request("POST", path, json.dumps({"input": f"I am {MAIL}"}).encode())
    assert first is not None and first.response(200, answer("r1", "Hello <EMAIL_ADDRESS_1>"))[0] == 200
    second = guard.request("POST", path, json.dumps({"input": "Who?", "previous_response_id": "r1"}).encode())
    assert second is not None and second.blocked is None
    assert f"You are {MAIL}".encode() in second.response(200, answer("r2", "You are <EMAIL_ADDRESS_1>"))[1]
    # Another guard has not seen the answer.
    other = open_guard(placeholders=True).request("POST", path, json.dumps({"input": "Who?", "previous_response_id": "r1"}).encode())
    assert other is not None and other.blocked is not None and other.blocked[0] == "no_table"


def test_a_stored_answer_is_restored_by_its_id() -> None:
    guard, path = open_guard(placeholders=True), "/v1/responses"
    output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "You are <EMAIL_ADDRESS_1>"}]}]
    stored = json.dumps({"id": "r1", "status": "completed", "output": output}).encode()
    queued = json.dumps({"id": "r1", "status": "queued", "output": []}).encode()
    first = guard.request("POST", path, json.dumps({"input": f"I am {MAIL}", "background": True}).encode())
    assert first is not None and first.response(200, queued)[0] == 200
    later = guard.request("GET", f"{path}/r1", b"")
    assert later is not None and later.blocked is None and later.body == b""
    assert f"You are {MAIL}".encode() in later.response(200, stored)[1]
    # Another guard has not seen the request.
    other = open_guard(placeholders=True).request("GET", f"{path}/r1", b"")
    assert other is not None and other.blocked is not None and other.blocked[0] == "no_table"
    assert guard.request("DELETE", f"{path}/r1", b"") is None


def test_a_method_that_needs_no_body_carries_none_past_the_guard() -> None:
    guard = open_guard(mask="personal-data")
    for method, path in [("DELETE", "/v1/responses/r1"), ("OPTIONS", "/v1/messages")]:
        refused = guard.request(method, path, b"{}")
        assert refused is not None and refused.blocked is not None
        assert refused.blocked[0] == "unreadable" and f"`{method}` with a body" in refused.blocked[1], refused.blocked
        assert guard.request(method, path, b"") is None
    assert guard.request("DELETE", "/v1/files/f1", b"{}") is None


def test_a_conversation_goes_on_by_its_sealed_summary() -> None:
    guard, path = open_guard(placeholders=True), "/v1/responses"
    summary = {"id": "c", "type": "compaction", "encrypted_content": "AAAA"}

    def asked_by(guard: ModelGuard) -> Exchange:
        exchange = guard.request("POST", path, json.dumps({"input": [summary, {"role": "user", "content": "Who?"}]}).encode())
        assert exchange is not None
        return exchange

    first = guard.request("POST", path, json.dumps({"input": f"I am {MAIL}", "stream": True}).encode())
    assert first is not None and asked_by(guard).blocked is not None, "no answer has come"
    created = {"type": "response.created", "response": {"id": "r1", "output": []}}
    done = {"type": "response.output_item.done", "output_index": 0, "item": summary}
    for event in (created, done):
        assert first.feed(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
    second = asked_by(guard)
    assert second.blocked is None
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "You are <EMAIL_ADDRESS_1>"}]}
    assert f"You are {MAIL}".encode() in second.response(200, json.dumps({"id": "r2", "output": [said]}).encode())[1]
    other = asked_by(open_guard(placeholders=True)).blocked
    assert other is not None and other[0] == "no_table" and "the guard that saw the answer with it" in other[1]


def test_refusals_have_the_form_of_the_provider_and_no_text() -> None:
    guard = open_guard()
    image = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": f"data:{MAIL}"}}]}
    exchange = guard.request("POST", CHAT, json.dumps({"messages": [image]}).encode())
    assert exchange is not None and exchange.blocked is not None and exchange.blocked[0] == "unmaskable" and exchange.body == b""
    assert exchange.refusal is not None and exchange.refusal[0] == 400 and MAIL.encode() not in exchange.refusal[1]
    assert json.loads(exchange.refusal[1])["error"]["type"] == "invalid_request_error"
    # Nothing comes out of a request that was refused.
    assert exchange.feed(stream(["Hi"])) == b"" and exchange.finish() == b"" and exchange.is_over
    assert exchange.response(200, b"{}") == exchange.refusal
    message = guard.request("POST", "/v1/messages", b"no JSON")
    assert message is not None and message.refusal is not None and json.loads(message.refusal[1])["type"] == "error"
    apart = guard.request("GET", "/v1/responses/r1/input_items", b"")
    assert apart is not None and apart.blocked is not None and apart.blocked[0] == "unknown_type"
    assert guard.request("GET", "/v1/models", b"") is None and guard.route("GET", "/v1/models") is None
    assert open_guard(unknown="pass").request("GET", "/v1/responses/r1/input_items", b"") is None


def test_a_stream_that_cannot_be_read_ends_with_an_error() -> None:
    frames = stream([SECRET])
    exchange = asked(open_guard(), stream=True)
    came = exchange.feed(frames[: len(frames) // 2]) + exchange.finish()
    assert exchange.blocked is not None and exchange.blocked[0] == "cut" and exchange.is_over
    assert b'"error"' in came and b"zqx" not in came and exchange.feed(frames) == b""
    exchange = asked(open_guard(), stream=True)
    came = exchange.feed(chunk({"new_kind": {"text": "zqx"}}))
    assert exchange.blocked is not None and exchange.blocked[0] == "unknown_type" and b"zqx" not in came
    exchange = asked(open_guard())
    assert exchange.refuse("unreadable", "a compressed answer")[0] == 502
    with pytest.raises(InvalidRequestError, match="kind"):
        exchange.refuse("why", "not")


def flower(word: str, version: str) -> sonometer.Sensor:
    marker = {"label": "code", "strong": word, "mask": "all", "hit": word}
    source = {"sonometer": 1, "id": "code", "version": version, "taxonomy": "Signal", "markers": [marker]}
    return sonometer.Sensor(source)


def test_policies(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "guard.toml"
    path.write_text('listen = "127.0.0.1:1"\n[guard]\nplaceholders = true\n[[guard.rules]]\naction = "mask"\ntarget = "personal-data"\n')
    guard = open_guard(path)
    assert guard.digest == open_guard(mask="personal-data", placeholders=True).digest == open_guard(guard).digest
    assert guard.digest != open_guard(mask="personal-data").digest and copy.deepcopy(guard) is guard
    assert json.loads(guard.policy)["limits"]["lanes"] == 256
    one_way = asked(open_guard(mask="personal-data", on="request", show="label"), MAIL)
    assert b"<EMAIL_ADDRESS>" in one_way.body and not one_way.guards_answers
    # Objects, also such that share an id.
    first, second, third = (flower(word, version) for word, version in (("tulip", "1"), ("daffodil", "2"), ("rose", "1")))
    both = asked(open_guard(mask=[first, second]), "tulip and daffodil")
    assert b"tulip" not in both.body and b"daffodil" not in both.body
    with pytest.raises(InvalidRequestError, match="two different protocols are both `code@1`"):
        open_guard(mask=[first, third])
    rules = open_guard(rules=[{"action": "block", "target": first}])
    assert (blocked := asked(rules, "tulip").blocked) is not None and blocked[0] == "rule"


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(TargetNotFoundError, match="did you mean `personal-data`"):
        open_guard(mask="personal-dat")
    with pytest.raises(InvalidRequestError, match="unknown field `maks`"):
        open_guard({"maks": "personal-data"})
    with pytest.raises(InvalidRequestError, match="unknown setting `maks`; the settings are mask, on, show, placeholders"):
        open_guard(maks="personal-data")  # type: ignore[call-arg]
    with pytest.raises(InvalidRequestError, match="ModelGuard or settings"):
        open_guard(open_guard(), placeholders=True)
    with pytest.raises(InvalidRequestError, match="masks nothing"):
        open_guard(mask="courtesy@1.0")
    with pytest.raises(WrongTypeError, match="cannot be written as JSON"):
        open_guard({"rules": [{"action": "mask", "target": object()}]})
    with pytest.raises(WrongTypeError, match="`show` is a bool; give 'stars', 'last4'"):
        open_guard(mask="personal-data", show=True)  # type: ignore[arg-type]
    with pytest.raises(WrongTypeError, match="the policy cannot be written as JSON .*surrogates not allowed"):
        open_guard(mask="\ud800")
    with pytest.raises(WrongTypeError, match=r"give a client of openai or anthropic, such as Client\(\)"):
        sonometer.guard(type("Client", (), {}))
    with pytest.raises(WrongTypeError, match="client of openai or anthropic"):
        sonometer.guard(object())
    with pytest.raises(WrongTypeError, match="a str is no ModelGuard"):
        sonometer.guarding.guarded_http_client(object(), "personal-data")  # type: ignore[arg-type]


def test_what_masks_would_ask_for_is_not_ignored_without_them() -> None:
    policy = {"rules": [{"action": "mask", "target": "personal-data"}]}
    for settings in ({"on": "request"}, {"show": "label"}):
        place = next(iter(settings))
        for given, more in ((policy, {}), (None, policy)):
            with pytest.raises(InvalidRequestError, match="give `mask` too") as told:
                open_guard(given, **settings, **more)  # type: ignore[arg-type]
            assert told.value.place == place
        with pytest.raises(InvalidRequestError, match="ModelGuard or settings"):
            open_guard(open_guard(), **settings)  # type: ignore[arg-type]
        # Alone they are about what is masked where nothing is named.
        assert len(json.loads(open_guard(**settings).policy)["rules"]) == 1  # type: ignore[arg-type]


def test_policies_of_a_wrong_shape_are_named(tmp_path: pathlib.Path) -> None:
    rule = {"action": "mask", "target": "personal-data"}
    wrong: tuple[tuple[Callable[[], object], str], ...] = (
        (lambda: open_guard(mask=5), "mask"),  # type: ignore[arg-type]
        (lambda: open_guard(mask=["personal-data", 5]), "mask[1]"),  # type: ignore[list-item]
        (lambda: open_guard(rules=rule), "rules"),  # type: ignore[arg-type]
        (lambda: open_guard(rules=["personal-data"]), "rules[0]"),  # type: ignore[list-item]
        (lambda: open_guard({"rules": 5}), "policy.rules"),
        (lambda: open_guard({"rules": [rule, "x"]}), "policy.rules[1]"),
        (lambda: open_guard(["personal-data"]), "policy"),  # type: ignore[arg-type]
    )
    for work, place in wrong:
        with pytest.raises(WrongTypeError) as told:
            work()
        assert told.value.place == place
        assert "a int" not in str(told.value)
    with pytest.raises(InvalidRequestError, match="`mask` is empty, so nothing would be masked"):
        open_guard({"rules": [rule]}, mask=[])
    with pytest.raises(InvalidRequestError, match="write mask='personal-data'"):
        open_guard("personal-data")
    with pytest.raises(FileNotFoundError, match="nothing.toml"):
        open_guard("nothing.toml")
    path = tmp_path / "guard.toml"
    for written in (b"guard = 5", b"\xff"):
        path.write_bytes(written)
        with pytest.raises(InvalidRequestError, match="guard.toml"):
            open_guard(path)


def test_glue_without_http() -> None:
    """What LiteLLM and LangChain use."""
    guard = open_guard(placeholders=True)
    exchange, masked = begin(guard, "chat", {"messages": [{"role": "user", "content": MAIL}]})
    assert masked["messages"][0]["content"] == "<EMAIL_ADDRESS_1>"
    events: list[Any] = []
    for part in ("To <EMAIL_", "ADDRESS_1>, now. \ud83d"):
        events += pushed(exchange, {"choices": [{"index": 0, "delta": {"content": part}}]})
    events += ended(exchange, b"data: [DONE]\n\n")
    assert "".join(event["choices"][0]["delta"]["content"] for event in events) == f"To {MAIL}, now. \ud83d"
    exchange, _ = begin(guard, "chat", {"messages": []})
    answer = {"choices": [{"message": {"role": "assistant", "content": "Hi"}}]}
    assert shown(exchange, answer) is answer
    with pytest.raises(sonometer.BlockedError) as refused:
        begin(guard, "chat", {"messages": [{"role": "user", "content": object()}]})
    assert (refused.value.kind, refused.value.status_code, refused.value.code) == ("unreadable", 400, "blocked")
    exchange, _ = begin(guard, "chat", {"messages": []})
    with pytest.raises(sonometer.BlockedError, match="unknown_type"):
        list(pushed(exchange, {"choices": [{"index": 0, "delta": {"new_kind": "zqx"}}]}))
    with pytest.raises(sonometer.BlockedError, match="unknown_type"):
        list(ended(exchange))


def test_threads_share_a_guard() -> None:
    guard = open_guard(placeholders=True)

    def work(number: int) -> bool:
        mail = f"user{number}@example.org"
        exchange = asked(guard, f"Write to {mail}. " + "And wait. " * 500)
        status, answer = exchange.response(200, b'{"choices":[{"message":{"role":"assistant","content":"<EMAIL_ADDRESS_1>"}}]}')
        return status == 200 and mail.encode() in answer

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(64)))


@pytest.mark.parametrize(
    ("call", "place", "message"),
    [
        (lambda: open_guard(placeholders="yes"), "placeholders", "`placeholders` is a str; give True or False"),  # type: ignore[arg-type]
        (lambda: open_guard(unknown="skip"), "unknown", "`unknown` is 'skip'; give 'block', 'drop' or 'pass'"),  # type: ignore[arg-type]
        (lambda: open_guard(on="answer"), "on", "`on` is 'answer'; give 'request', 'response' or 'both'"),  # type: ignore[arg-type]
        (lambda: open_guard(media=None), "media", "`media` is None; give 'block' or 'pass'"),  # type: ignore[arg-type]
        (lambda: open_guard(mask="courtesy"), "mask", "masks nothing"),
        (lambda: open_guard(mask=["personal-data", "courtesi"]), "mask[1]", "did you mean `courtesy`"),
        (lambda: open_guard(show="xx"), "show", "cannot be `xx`"),  # type: ignore[arg-type]
        (lambda: open_guard(rules=[{"action": "hide", "target": "refusal"}]), "rules[0].action", "write 'sense', 'mask'"),
        (lambda: open_guard(mask="personal-data", rules=[{"action": "mask"}]), "rules[0]", "the rule has no `target`"),
        (lambda: open_guard(mask="personal-data", rules=[{"action": "mask", "target": "courtesi"}]), "rules[0].target", "did you mean"),
        (lambda: open_guard({"rules": [{"action": "mask", "target": "courtesi"}]}), "policy.rules[0].target", "did you mean"),
        (lambda: open_guard(limits={"body": 1}), "limits.body", "unknown limit `body`; the limits are frame_bytes"),
        (lambda: open_guard(limits={"body_bytes": -1}), "limits.body_bytes", "give a whole number, 0 or more"),
        (lambda: open_guard(limits=5), "limits", "`limits` is an int; give a dict"),  # type: ignore[arg-type]
        # What the proxy refuses as well: nothing would be masked.
        (lambda: open_guard({"placeholders": True}), "policy", 'nothing would be masked; name what masks, such as mask="personal-data"'),
        (lambda: open_guard({}), "policy", "the policy has no rules"),
        (lambda: open_guard(rules=[]), "rules", "the policy has no rules"),
    ],
)
def test_what_is_wrong_with_a_setting_is_told_by_its_name(call: Any, place: str, message: str) -> None:
    with pytest.raises(SonometerError) as raised:
        call()
    assert raised.value.place == place and message in str(raised.value), raised.value
    assert "line 1 column" not in str(raised.value)


def test_modules_are_there_or_say_how_they_are_imported() -> None:
    """In a process of its own: here they are imported."""
    program = """
import sonometer
assert sonometer.guarding.open_guard(mask="personal-data").route("POST", "/v1/messages") == "messages"
for name in ("evals", "polars"):
    try:
        getattr(sonometer, name)
    except AttributeError as error:
        assert f"write `import sonometer.{name}`" in str(error), error
    else:
        raise AssertionError(name)
for name in ("nowhere", "_nowhere", "guarding.nowhere", ""):
    assert not hasattr(sonometer, name), name
"""
    subprocess.run([sys.executable, "-c", program], check=True)
