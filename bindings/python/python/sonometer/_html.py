"""Readings as HTML for notebooks: the content with its evidence marked. Only masked text is shown, all of it escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from . import _sonometer
from .errors import SonometerError

if TYPE_CHECKING:
    from ._sonometer import Dive, Reading, Session, StageCard
    from .model import Evidence, Marker

_MOST_SEGMENTS = 200
_MOST_CHARACTERS = 20_000

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
.sonometer .said{{white-space:pre-wrap;overflow-wrap:anywhere}}
.sonometer mark{{background:hsl(var(--hue) 75% var(--mark));color:hsl(var(--hue) 60% var(--text));border-radius:3px;padding:0 2px}}
.sonometer .keys{{display:flex;flex-wrap:wrap;gap:.5em;padding:.5em 0}}
</style>"""


def reading(reading: Reading) -> str:
    """A reading with its head, its content and its triggered metamarkers."""
    target, evidence = reading.target, reading.evidence
    keys = list(dict.fromkeys(found.metamarker for found in evidence))
    hues = _hues(target.metamarkers, keys)
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
    by_segment: dict[int, list[Evidence]] = {}
    for found in evidence:
        by_segment.setdefault(found.segment, []).append(found)
        for stretch in found.joined:
            by_segment.setdefault(stretch.segment, []).append(found)
    segments = reading.interaction.segments
    roles = _shown_roles(reading)
    shown = 0
    for at, segment in enumerate(segments[:_MOST_SEGMENTS]):
        if shown > _MOST_CHARACTERS:
            break
        masked = reading.masked_characters(at)
        said = _said(masked, at, by_segment.get(at, []), hues, _MOST_CHARACTERS - shown)
        shown += min(len(masked), _MOST_CHARACTERS - shown) + 1
        said = f'<span class="said">{said}</span>'
        if segment.role is None:
            parts.append(f'<div class="text">{said}</div>')
        else:
            parts.append(f'<div class="turn"><span class="dim">{escape(roles[segment.role])}</span>{said}</div>')
    else:
        at = min(len(segments), _MOST_SEGMENTS)
    if at < len(segments):
        parts.append(f'<div class="dim">… {len(segments) - at} more segments</div>')
    if keys:
        legend = (f'<mark style="--hue:{hues[key]}">{escape(key)} {reading.resonance[key]:g}</mark>' for key in keys)
        parts.append(f'<div class="keys">{"".join(legend)}</div>')
    parts.append("</div>")
    return "".join(parts)


def _shown_roles(reading: Reading) -> dict[str, str]:
    """What each role is called: by its name, or by its number where the name holds something that is masked."""
    return dict(_sonometer._shown_roles(reading))


def frame(page: str, height: str = "40em") -> str:
    """A page in a frame, so that its style stays its own. Nothing in it runs."""
    return f'<iframe srcdoc="{escape(page)}" sandbox="" title="report" style="width:100%;height:{height};border:0"></iframe>'


def session(session: Session[Reading]) -> str:
    """What a session has found so far; of one that is over, or stands within a character, one line."""
    try:
        return reading(session.so_far())
    except SonometerError as error:
        return f'{_STYLE}<div class="sonometer"><div class="dim">{escape(repr(session))}: {escape(error.message)}</div></div>'


def dive(dive: Dive) -> str:
    """How a dive stands: whether it would pass, what was reached and tripped, and its sums."""
    stage, verdict, totals = dive.stage, dive.verdict, dive.totals
    state = f"ended by {dive.ended_by}" if dive.done else "goes on"
    facts = [f"{totals.turns} turns", f"score {totals.score:g}", f"on target {totals.on_target:g}", f"{totals.ics} ICS"]
    facts += [f"seed {dive.seed}", state]
    parts = [
        _STYLE,
        '<div class="sonometer">',
        f"<div><strong>{'would pass' if verdict.passed else 'would fail'}</strong> {escape(verdict.reason)} "
        f'<span class="dim">{escape(stage.id)}@{escape(stage.version)}</span></div>',
        f'<div class="dim">{escape(", ".join(facts))}</div>',
    ]
    for sign, names in (("✓", verdict.checkpoints_hit), ("✗", verdict.flags_tripped)):
        parts += [f'<div class="text">{sign} {escape(name)}</div>' for name in names]
    parts.append("</div>")
    return "".join(parts)


def _hues(markers: Sequence[Marker], keys: Sequence[str]) -> dict[str, int]:
    """Cool hues are good news, warm ones bad, as in the terminal and in the pages of the command."""
    effects = {marker.label: marker.effect for marker in markers}
    good = [key for key in keys if effects[key] == "improves"]
    bad = [key for key in keys if effects[key] == "worsens"]
    cool = {key: 140 + at * 47 % 140 for at, key in enumerate(good)}
    return cool | {key: (340 + at * 23 % 70) % 360 for at, key in enumerate(bad)}


def card(card: StageCard) -> str:
    """A card: the verdict, what was reached and tripped, and a row for each action."""
    verdict, totals = card.verdict, card.totals
    facts = [f"{totals.turns} turns", f"score {totals.score:g}", f"on target {totals.on_target:g}", f"{totals.ics} ICS"]
    key = None if card.signature is None else "".join(card.signature.split(":")[1:2])
    facts.append("not signed" if key is None else f"signed by {key}")
    parts = [
        _STYLE,
        '<div class="sonometer">',
        f"<div><strong>{'passed' if verdict.passed else 'failed'}</strong> {escape(verdict.reason)} "
        f'<span class="dim">{escape(card.stage.id)}@{escape(card.stage.version)}, {escape(card.dive_id)}</span></div>',
        f'<div class="dim">{escape(", ".join(facts))}</div>',
    ]
    for sign, names in (("✓", verdict.checkpoints_hit), ("✗", verdict.flags_tripped)):
        parts += [f'<div class="text">{sign} {escape(name)}</div>' for name in names]
    for turn, measured in enumerate(card.readings or (), 1):
        target = "on target" if measured.on_target else ""
        said = f'score {measured.score:g} <span class="dim">fidelity {measured.fidelity:g} {target}</span>'
        parts.append(f'<div class="turn"><span class="dim">{turn}</span><span>{said}</span></div>')
    parts.append("</div>")
    return "".join(parts)


def _said(text: Sequence[str], segment: int, evidence: Sequence[Evidence], hues: dict[str, int], room: int) -> str:
    """A segment, by what is shown for each character, cut where evidence begins or ends; what is too long for a page is left out."""
    end = min(len(text), room)
    spans: list[tuple[int, int, str]] = []
    for found in evidence:
        if found.segment == segment:
            spans.append((found.start, found.end, found.metamarker))
        spans += [(s.start, s.end, found.metamarker) for s in found.joined if s.segment == segment]
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
