"""Readings and dives as HTML for notebooks: the content with its evidence marked. Only masked text is shown, all of it escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape as escaped
from typing import TYPE_CHECKING

from . import _sonometer
from .errors import SonometerError

if TYPE_CHECKING:
    from ._sonometer import Dive, Reading, Session, StageCard
    from .diving import Totals, Verdict
    from .model import Evidence, Stretch

_MOST_SEGMENTS = 200
_MOST_CHARACTERS = 20_000

# What would take over a page, as in those of the command: controls, and what turns the direction of writing.
_UNSAFE: dict[int, str] = {code: chr(0x2400 + code) for code in range(0x20) if code != 0x0A}
_UNSAFE |= {0x09: " ", 0x0D: "", 0x7F: "\u2421"}
_UNSAFE |= dict.fromkeys((*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd")

# A notebook may follow the system, or have a theme of its own: Jupyter says so by an attribute, VS Code by a class.
_LIGHT = "--ink:#1f2328;--dim:#59636e;--line:#d1d9e0;--back:#f6f8fa;--mark:88%;--text:25%"
_DARK = "--ink:#e6edf3;--dim:#9198a1;--line:#3d444d;--back:#151b23;--mark:24%;--text:82%"
_STYLE = f"""<style>
.sonometer{{{_LIGHT};color:var(--ink);font:14px/1.6 system-ui,sans-serif;max-width:60em}}
@media (prefers-color-scheme:dark){{.sonometer{{{_DARK}}}}}
[data-jp-theme-light="true"] .sonometer,.vscode-light .sonometer{{{_LIGHT}}}
[data-jp-theme-light="false"] .sonometer,.vscode-dark .sonometer{{{_DARK}}}
.sonometer .dim{{color:var(--dim)}}
.sonometer .turn{{display:grid;grid-template-columns:minmax(0,8em) minmax(0,1fr);gap:.75em;}}
.sonometer .turn,.sonometer .text{{padding:.25em 0;border-top:1px solid var(--line)}}
.sonometer .turn>*{{overflow-wrap:anywhere}}
.sonometer .said{{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext}}
.sonometer mark{{background:hsl(var(--hue) 75% var(--mark));color:hsl(var(--hue) 60% var(--text));border-radius:3px;padding:0 2px}}
.sonometer .keys{{display:flex;flex-wrap:wrap;gap:.5em;padding:.5em 0}}
</style>"""


def escape(text: str) -> str:
    """Foreign text in a page: no markup, no characters that steer."""
    return escaped(text.translate(_UNSAFE))


def reading(reading: Reading) -> str:
    """A reading with its head, its content and its triggered metamarkers."""
    target, evidence = reading.target, reading.evidence
    keys = list(dict.fromkeys(found.metamarker for found in evidence))
    hues = _hues({marker.label: marker.effect for marker in target.metamarkers}, keys)
    # What could not be measured has no score to look at.
    score = f"score <strong>{reading.score:g}</strong> " if reading.score is not None else ""
    meaning = f'<div class="dim">{escape(target.score_meaning)}</div>' if reading.score is not None else ""
    parts = [
        _STYLE,
        '<div class="sonometer">',
        f"<div><strong>{escape(target.name)}</strong> "
        f'<span class="dim">{escape(target.id)}@{escape(target.version)}</span> {score}'
        f'<span class="dim">fidelity {reading.fidelity.index:g}</span></div>{meaning}',
    ]
    if not reading.sufficient:
        parts.append('<div class="dim">The content lacks sufficient signal.</div>')
    roles = _shown_roles(reading)
    segments = reading.interaction.segments
    turns = ((segment.role and roles[segment.role], at) for at, segment in enumerate(segments))
    parts += _turns(((role, reading.masked_characters(at)) for role, at in turns), len(segments), evidence, hues)
    parts.append(_legend(reading.resonance, hues))
    parts.append("</div>")
    return "".join(parts)


def _turns(
    turns: Iterable[tuple[str | None, Sequence[str]]], count: int, evidence: Sequence[Evidence], hues: Mapping[str, int]
) -> list[str]:
    """Turns by their roles and by what is shown for each character, as far as they fit on a page, with their evidence marked."""
    spans: dict[int, list[tuple[int, int, str]]] = {}
    for found in evidence:
        places: tuple[Evidence | Stretch, ...] = (found, *found.joined)
        for place in places:
            spans.setdefault(place.segment, []).append((place.start, place.end, found.metamarker))
    parts: list[str] = []
    shown = 0
    for at, (role, text) in enumerate(turns):
        if at >= _MOST_SEGMENTS or shown > _MOST_CHARACTERS:
            break
        said = f'<span class="said" dir="auto">{_said(text, spans.get(at, []), hues, _MOST_CHARACTERS - shown)}</span>'
        shown += min(len(text), _MOST_CHARACTERS - shown) + 1
        if role is None:
            parts.append(f'<div class="text" dir="auto">{said}</div>')
        else:
            parts.append(f'<div class="turn"><span class="dim" dir="auto">{escape(role)}</span>{said}</div>')
    if len(parts) < count:
        parts.append(f'<div class="dim">… {count - len(parts)} more segments</div>')
    return parts


def _legend(resonance: Mapping[str, float], hues: Mapping[str, int]) -> str:
    """What the colours mean, with how strongly each metamarker sounds."""
    keys = "".join(f'<mark style="--hue:{hue}">{escape(key)} {resonance[key]:g}</mark>' for key, hue in hues.items())
    return f'<div class="keys">{keys}</div>' if keys else ""


def _shown_roles(reading: Reading) -> dict[str, str]:
    """What each role is called: by its name, or by its number where the name holds something that is masked."""
    return dict(_sonometer._shown_roles(reading))


def frame(page: str, height: str = "40em") -> str:
    """A page in a frame, so that its style stays its own. Nothing in it runs."""
    return f'<iframe srcdoc="{escaped(page)}" sandbox="" title="report" style="width:100%;height:{height};border:0"></iframe>'


def session(session: Session[Reading]) -> str:
    """What a session has found so far; of one that is over, or stands within a character, one line."""
    try:
        return reading(session.so_far())
    except SonometerError as error:
        return f'{_STYLE}<div class="sonometer"><div class="dim">{escape(repr(session))}: {escape(error.message)}</div></div>'


def dive(dive: Dive) -> str:
    """How a dive stands and what was said in it, with the evidence of the whole talk marked, masked where the protocols say so."""
    turns, evidence, effects, resonance = _sonometer._dive_talk(dive)
    hues = _hues(effects, list(dict.fromkeys(found.metamarker for found in evidence)))
    stage, verdict = dive.stage, dive.verdict
    facts = [f"seed {dive.seed}", f"ended by {dive.ended_by}" if dive.done else "goes on"]
    parts = _judged("would pass" if verdict.passed else "would fail", verdict, f"{stage.id}@{stage.version}", dive.totals, facts)
    parts += _turns(turns, len(turns), evidence, hues)
    parts += [_legend(resonance, hues), "</div>"]
    return "".join(parts)


def _judged(head: str, verdict: Verdict, whence: str, totals: Totals, more: Sequence[str]) -> list[str]:
    """The head of a dive and of its card: the verdict, the sums, what was reached and what was tripped. The box stays open."""
    turns = "1 turn" if totals.turns == 1 else f"{totals.turns} turns"
    facts = [turns, f"score {totals.score:g}", f"on target {totals.on_target:g}", f"{totals.ics} ICS", *more]
    parts = [
        _STYLE,
        '<div class="sonometer">',
        f'<div><strong>{head}</strong> {escape(verdict.reason)} <span class="dim">{escape(whence)}</span></div>',
        f'<div class="dim">{escape(", ".join(facts))}</div>',
    ]
    for sign, names in (("✓", verdict.checkpoints_hit), ("✗", verdict.flags_tripped)):
        parts += [f'<div class="text">{sign} {escape(name)}</div>' for name in names]
    return parts


def _hues(effects: Mapping[str, str], keys: Sequence[str]) -> dict[str, int]:
    """Cool hues are good news, warm ones bad, as in the terminal and in the pages of the command. In the order of `keys`."""
    good = [key for key in keys if effects[key] == "improves"]
    bad = [key for key in keys if effects[key] == "worsens"]
    cool = {key: 140 + at * 87 % 140 for at, key in enumerate(good)}
    both = cool | {key: (340 + at * 43 % 70) % 360 for at, key in enumerate(bad)}
    return {key: both[key] for key in keys}


def card(card: StageCard) -> str:
    """A card: the verdict, what was reached and tripped, and a row for each action."""
    verdict = card.verdict
    key = None if card.signature is None else "".join(card.signature.split(":")[1:2])
    facts = ["not signed" if key is None else f"signed by {key}"]
    whence = f"{card.stage.id}@{card.stage.version}, {card.dive_id}"
    parts = _judged("passed" if verdict.passed else "failed", verdict, whence, card.totals, facts)
    for turn, measured in enumerate(card.readings or (), 1):
        target = "on target" if measured.on_target else ""
        said = f'score {measured.score:g} <span class="dim">fidelity {measured.fidelity:g} {target}</span>'
        parts.append(f'<div class="turn"><span class="dim">{turn}</span><span>{said}</span></div>')
    parts.append("</div>")
    return "".join(parts)


def _said(text: Sequence[str], spans: Sequence[tuple[int, int, str]], hues: Mapping[str, int], room: int) -> str:
    """A segment, by what is shown for each character, cut where evidence begins or ends; what is too long for a page is left out."""
    end = min(len(text), room)
    begins: dict[int, list[str]] = {0: [], end: []}
    ends: dict[int, list[str]] = {}
    for start, stop, key in spans:
        if start < end:
            begins.setdefault(start, []).append(key)
            ends.setdefault(min(stop, end), []).append(key)
    cuts = sorted({*begins, *ends})
    open_keys: dict[str, int] = {}
    parts: list[str] = []
    for start, stop in zip(cuts, cuts[1:], strict=False):
        for key in ends.get(start, ()):
            open_keys[key] -= 1
            if not open_keys[key]:
                del open_keys[key]
        for key in begins.get(start, ()):
            open_keys[key] = open_keys.get(key, 0) + 1
        piece = escape("".join(text[start:stop]))
        if open_keys:
            first, title = next(iter(open_keys)), escape(", ".join(open_keys))
            piece = f'<mark style="--hue:{hues[first]}" title="{title}">{piece}</mark>'
        parts.append(piece)
    if end < len(text):
        parts.append(f'<span class="dim"> … {len(text) - end} more characters</span>')
    return "".join(parts)
