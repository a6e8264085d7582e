"""Guards for clients of language models: requests are masked before they leave, answers before they arrive, in this process.

import openai, sonometer

client = sonometer.guard(openai.OpenAI(), mask="personal-data", placeholders=True)

The work is done by the same code as in `sonometer proxy`; docs/proxy.md says what is guarded, what is refused and what the settings mean.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from ._sonometer import ModelGuard, Target
from .errors import InvalidRequestError, SonometerError, WrongTypeError, _kind

if TYPE_CHECKING:
    from typing import Unpack

__all__ = ["Settings", "guard", "guarded_http_client", "open_guard"]

_C = TypeVar("_C")

# What some keys of rules can be.
_WORDS = {"action": ("sense", "mask", "replace", "block", "tag"), "on": ("request", "response", "both")}
# A client over a connection that stays open would pass the guard by: it is sent to a name that can never be reached.
_NOWHERE = "wss://connections-that-stay-open-are-not-guarded.invalid"


class Settings(typing.TypedDict, total=False):
    """What a guard does; each key as in `[guard]` of docs/proxy.md, where the defaults are those that refuse."""

    placeholders: bool
    """Masks of requests are numbered (`<EMAIL_ADDRESS_1>`), and restored in the answer."""
    unknown: Literal["block", "drop", "pass"]
    """Types of events, items, parts and blocks that the guard does not know."""
    media: Literal["block", "pass"]
    """Images, audio and files, which cannot be masked."""
    logprobs: Literal["block", "drop", "pass"]
    """Log probabilities, which repeat the text."""
    thinking: Literal["check", "pass", "block"]
    """Signed thinking, which must not be changed."""
    numbers: Literal["block", "nines"]
    """Numbers of tool arguments in which a mask finds something."""
    schema: Literal["block", "pass"]
    """Tool arguments and structured answers that do not fit the schema of the request once they are masked."""
    final_event: bool
    """Whether streams end with the counts."""
    limits: Mapping[str, int]
    """The most bytes that are read and held."""
    rules: Iterable[Mapping[str, Any]]
    """More rules, after the masks; `target` may be an object, too."""


def open_guard(
    policy: str | os.PathLike[str] | Mapping[str, Any] | ModelGuard | None = None,
    /,
    *,
    mask: str | Target[Any] | Iterable[str | Target[Any]] | None = None,
    on: Literal["request", "response", "both"] = "both",
    show: Literal["stars", "last4", "label", "numbered", "remove"] | None = None,
    **settings: Unpack[Settings],
) -> ModelGuard:
    """A guard from a policy: the path of a TOML file as `sonometer proxy --config` reads it, a dict of the same keys, or settings.

    `mask` names protocols, metrics or blueprints whose masks apply, `on` the direction, and `show` how masked places are shown.
    Without any of these, `personal-data` is masked in both directions. A policy without rules is refused.

    >>> from sonometer.guarding import open_guard
    >>> open_guard(mask="personal-data", placeholders=True).route("POST", "/v1/chat/completions")
    'chat'
    >>> open_guard(mask="personal-dat")
    Traceback (most recent call last):
      ...
    sonometer.errors.TargetNotFoundError: the catalogue has no protocol, metric or blueprint `personal-dat`; did you mean `personal-data`?
    """
    if isinstance(policy, ModelGuard):
        if mask is not None or on != "both" or show is not None or settings:
            fix = "give either a ModelGuard or settings"
            raise InvalidRequestError(f"a guard that is open cannot be changed; {fix}", place="policy", fix=fix)
        return policy
    if unknown := [key for key in settings if key not in Settings.__annotations__]:
        fix = f"the settings are {', '.join(['mask', 'on', 'show', *Settings.__annotations__])}"
        raise InvalidRequestError(f"unknown setting `{unknown[0]}`; {fix}", place=unknown[0], fix=fix)
    _check({"on": on, "show": show} | settings)
    whole: dict[str, Any] = {} if policy is None else _read(policy)
    own = settings.pop("rules", None)
    rules = _rules(whole.get("rules", ()), "policy.rules")
    names = ["personal-data"] if mask is None and policy is None and own is None else mask
    if names is None and (on != "both" or show is not None):
        key, written = ("on", "on") if on != "both" else ("show", "mask")
        fix = f"give `mask` too, or write `{written}` into the rules"
        raise InvalidRequestError(f"`{key}` is about what `mask` names, and there is none; {fix}", place=key, fix=fix)
    targets_of_mask = _targets(names)
    if names is not None and not targets_of_mask:
        fix = 'name what masks, such as mask="personal-data", or leave `mask` out'
        raise InvalidRequestError(f"`mask` is empty, so nothing would be masked; {fix}", place="mask", fix=fix)
    first = len(rules)
    for target in targets_of_mask:
        rules.append({"action": "mask", "target": target, "on": on} | ({} if show is None else {"mask": show}))
    before_own = len(rules)
    rules.extend(_rules(own or (), "rules"))
    targets: dict[str, Target[Any]] = {}
    for rule in rules:
        if isinstance(named := rule.get("target"), Target):
            rule["target"] = _name(named, targets)
    whole |= settings | {"rules": rules}
    try:
        # Lone surrogates are found here, and not by a reader who knows no Python.
        text = json.dumps(whole, ensure_ascii=False).encode().decode()
    except (TypeError, ValueError) as error:
        fix = "give texts, numbers, lists and dicts"
        raise WrongTypeError(f"the policy cannot be written as JSON ({error}); {fix}", place="policy", fix=fix) from None
    try:
        opened = ModelGuard(text, targets)
    except SonometerError as error:
        error.place = _given(error.place, first, len(targets_of_mask), isinstance(names, (str, Target)), before_own)
        raise
    if not rules:
        # As the proxy does: a guard that does nothing would be taken for one that guards.
        fix = 'name what masks, such as mask="personal-data", or give rules'
        raise InvalidRequestError(f"the policy has no rules, so nothing would be masked; {fix}", place="policy" if own is None else "rules", fix=fix)
    return opened


def _check(settings: Mapping[str, Any]) -> None:
    """Whether each setting is what it can be: the reader of policies knows them as JSON, which nobody has written here."""
    if not isinstance(show := settings.get("show"), (str, type(None))):
        fix = "give 'stars', 'last4', 'label', 'numbered' or 'remove'"
        raise WrongTypeError(f"`show` is {_kind(show)}; {fix}", place="show", fix=fix)
    words = {"on": _WORDS["on"], "show": None, "limits": None, "rules": None} | {
        key: typing.get_args(hint) for key, hint in typing.get_type_hints(Settings).items() if key not in ("limits", "rules")
    }
    for key, value in settings.items():
        known = words[key]
        if known is None:
            if key == "limits":
                _check_limits(value)
            continue
        fix = "give " + (", ".join(repr(word) for word in known[:-1]) + f" or {known[-1]!r}" if known else "True or False")
        if not isinstance(value, str if known else bool):
            raise WrongTypeError(f"`{key}` is {_kind(value)}; {fix}", place=key, fix=fix)
        if known and value not in known:
            raise InvalidRequestError(f"`{key}` is {value!r}; {fix}", place=key, fix=fix)


def _check_limits(limits: Any) -> None:
    known: dict[str, int] = json.loads(ModelGuard("{}").policy)["limits"]
    fix = f"the limits are {', '.join(known)}"
    if not isinstance(limits, Mapping):
        raise WrongTypeError(f"`limits` is {_kind(limits)}; give a dict; {fix}", place="limits", fix=fix)
    for key, value in limits.items():
        if key not in known:
            raise InvalidRequestError(f"unknown limit `{key}`; {fix}", place=f"limits.{key}", fix=fix)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            fix = "give a whole number, 0 or more"
            raise InvalidRequestError(f"`{key}` is {value!r}; {fix}", place=f"limits.{key}", fix=fix)


def _given(place: str, first: int, count: int, is_one: bool, own: int) -> str:
    """The place of an error in what was given: `mask` and `rules` become rules of the policy, behind its own."""
    found = re.fullmatch(r"rules\[(\d+)\](?:\.(.*))?", place)
    if found is None:
        return place
    at, key = int(found[1]), found[2] or ""
    if first <= at < first + count:
        return {"mask": "show", "on": "on"}.get(key, "mask" if is_one else f"mask[{at - first}]")
    return f"rules[{at - own}]{key and '.' + key}" if at >= own else f"policy.{place}"


def _read(policy: str | os.PathLike[str] | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(policy, Mapping):
        return dict(policy)
    if not isinstance(policy, (str, os.PathLike)):
        fix = "give the path of a TOML file or a dict; what masks is named by `mask`"
        raise WrongTypeError(f"{_kind(policy)} is no policy; {fix}", place="policy", fix=fix)
    try:
        whole = tomllib.loads(Path(policy).read_text(encoding="utf-8"))
    except FileNotFoundError:
        if not (isinstance(policy, str) and re.fullmatch(r"[\w-]+(@[\w.]+)?", policy)):
            raise
        fix = f"to mask by what is called so, write mask={policy!r}"
        raise InvalidRequestError(f"there is no file `{policy}`; {fix}", place="policy", fix=fix) from None
    # Of TOML, and of bytes that are no UTF-8.
    except ValueError as error:
        raise InvalidRequestError(f"{os.fspath(policy)} is not TOML: {error}", place="policy") from None
    guard: dict[str, Any] = whole.get("guard", whole)
    if not isinstance(guard, dict):
        raise InvalidRequestError(f"`guard` in {os.fspath(policy)} is no table; begin it with [guard]", place="policy")
    return guard


def _rules(rules: Any, place: str) -> list[dict[str, Any]]:
    """A copy of rules, which the guard may change."""
    fix = 'write [{"action": "mask", "target": "personal-data"}]'
    if isinstance(rules, (str, Mapping)) or not isinstance(rules, Iterable):
        raise WrongTypeError(f"a list of rules is needed, not {_kind(rules)}; {fix}", place=place, fix=fix)
    copied = []
    for at, rule in enumerate(rules):
        if not isinstance(rule, Mapping):
            raise WrongTypeError(f"a rule is a dict, not {_kind(rule)}; {fix}", place=f"{place}[{at}]", fix=fix)
        for key, words in _WORDS.items():
            if key in rule and rule[key] not in words:
                known = ", ".join(repr(word) for word in words[:-1]) + f" or {words[-1]!r}"
                raise InvalidRequestError(f"`{key}` is {rule[key]!r}; write {known}", place=f"{place}[{at}].{key}", fix=f"write {known}")
        for key in ("action", "target"):
            if key not in rule:
                raise InvalidRequestError(f"the rule has no `{key}`; {fix}", place=f"{place}[{at}]", fix=fix)
        copied.append(dict(rule))
    return copied


def _targets(names: Any) -> list[str | Target[Any]]:
    if names is None or isinstance(names, (str, Target)):
        return [] if names is None else [names]
    all_of_them = list(names) if isinstance(names, Iterable) else [names]
    for at, name in enumerate(all_of_them):
        if not isinstance(name, (str, Target)):
            fix = 'give a name, such as mask="personal-data", a target, or a list of these'
            place = f"mask[{at}]" if isinstance(names, Iterable) else "mask"
            raise WrongTypeError(f"{_kind(name)} is nothing that masks; {fix}", place=place, fix=fix)
    return all_of_them


def _name(target: Target[Any], targets: dict[str, Target[Any]]) -> str:
    """The name by which the rules know an object."""
    name = f"{target.id}@{target.version}"
    while targets.setdefault(name, target) is not target:
        name += "'"
    return name


def guard(
    client: _C,
    policy: str | os.PathLike[str] | Mapping[str, Any] | ModelGuard | None = None,
    /,
    *,
    mask: str | Target[Any] | Iterable[str | Target[Any]] | None = None,
    on: Literal["request", "response", "both"] = "both",
    show: Literal["stars", "last4", "label", "numbered", "remove"] | None = None,
    **settings: Unpack[Settings],
) -> _C:
    """A copy of a client of `openai` or `anthropic` whose requests and answers pass a guard. It shares the connections of the client.

    The arguments are those of `open_guard`. What is refused raises the client's own errors: `BadRequestError` for a request or a whole
    answer that a `block` rule refuses, `InternalServerError` or `APIError` for an answer that cannot be read or shown; no text is in them.
    A stream that such a rule refuses ends without an error, with `content_filter` or `refusal` as its reason. Connections that stay open
    (`realtime`) are not guarded and cannot be opened by the copy.

    client = sonometer.guard(openai.OpenAI(), mask="personal-data", placeholders=True)
    """
    opened = open_guard(policy, mask=mask, on=on, show=show, **settings)
    with_options: Any = getattr(client, "with_options", None)
    inner: Any = getattr(client, "_client", None)
    if with_options is None or inner is None:
        fix = "give a client of openai or anthropic" + (f", such as {client.__name__}()" if isinstance(client, type) else "")
        raise WrongTypeError(f"{_kind(client)} is no client that can be guarded; {fix}", place="client", fix=fix)
    copy: Any = with_options(http_client=guarded_http_client(inner, opened))
    if hasattr(copy, "websocket_base_url"):
        copy.websocket_base_url = _NOWHERE
    guarded: _C = copy
    return guarded


def guarded_http_client(client: Any, guard: ModelGuard, /) -> Any:
    """A client of `httpx` or `httpx2` that guards what it sends and hands it to `client`, sync or async as it is.

    For packages that take an `http_client`. Closing it closes `client`.
    """
    from . import _guard_http

    if not isinstance(guard, ModelGuard):
        fix = "open one by sonometer.guarding.open_guard"
        raise WrongTypeError(f"{_kind(guard)} is no ModelGuard; {fix}", place="guard", fix=fix)
    return _guard_http.wrapped(client, guard)
