"""The ledger of a reading as a text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._sonometer import Reading
    from .model import Counts, Ledger, LedgerMarker, LedgerMatch


def explain(reading: Reading) -> str:
    """Every metamarker that something was found of, with all matches and why they count or not; of a metric or a blueprint its parts first,
    then each of its protocols."""
    target, ledgers = reading.target, reading.ledgers
    lines = [f"{target.name} ({target.id}@{target.version})"]
    if not reading.parts:
        (ledger,) = ledgers.values()
        return "\n".join(lines + _ledger(ledger, target.score_meaning))
    lines += _score(reading.score, target.kind, target.score_meaning)
    for part in reading.parts:
        complement = ", complement" if part.complement else ""
        score = "none" if part.score is None else _number(part.score)
        lines.append(f"    {part.kind} {part.id}@{part.version}: {score} (weight {_number(part.weight)}{complement})")
    for name, ledger in ledgers.items():
        lines += ["", name, *_ledger(ledger, "")]
    return "\n".join(lines)


def _ledger(ledger: Ledger, meaning: str) -> list[str]:
    lines = [
        *_score(ledger.score, ledger.score_kind, meaning),
        f"fidelity {_number(ledger.index)} = density {_number(ledger.density)} × clarity {_number(ledger.clarity)}, "
        f"sufficient from {_number(ledger.sufficient_from)}",
        *_counted(ledger.counts),
    ]
    for marker in ledger.markers:
        if marker.matches or marker.activation > 0:
            lines += ["", _head(marker), *(_match(match) for match in marker.matches)]
    silent = [marker.label for marker in ledger.markers if not marker.matches and marker.activation == 0]
    if silent:
        lines += ["", "nothing of " + ", ".join(silent)]
    return lines


def _score(score: float | None, kind: str, meaning: str) -> list[str]:
    if score is None:
        return [f"score none, the content is insufficient ({kind})"]
    return [f"score {_number(score)} ({kind})", *([f"  {meaning}"] if meaning else [])]


def _counted(counts: Counts) -> list[str]:
    """Density and clarity as sums to check."""
    if counts.words == 0:
        return ["density and clarity: no words"]
    needs = [f"{counts.words} words ÷ {counts.words_needed}", f"{counts.turns} turns ÷ {counts.turns_needed}"]
    needs += [f"{words} words by {role} ÷ {needed}" for role, (words, needed) in counts.roles.items()]
    clarity = f"readable {_number(counts.readable)} ÷ ({counts.words} words + {counts.noise} noise)"
    if counts.language is not None:
        told = f"4·{counts.function_words} + 6 − 6·{counts.foreign_words}"
        clarity += f" × max(0.01, min(1, ({told}) ÷ {counts.words}))"
    return [f"density = min(1, {', '.join(needs)})", f"clarity = {clarity}"]


def _head(marker: LedgerMarker) -> str:
    sign = "●" if marker.triggered else "○"
    pole = " against" if marker.pole == "against" else ""
    return (
        f"{sign} {marker.label}{pole}: activation {_number(marker.activation)} of evidence {_number(marker.evidence)} "
        f"(half {_number(marker.half)}, trigger {_number(marker.trigger)}, weight {marker.weight})"
    )


def _match(match: LedgerMatch) -> str:
    source = match.source.replace("\n", " ⏎ ")
    notes = [f"failed {name}" for name in match.failed] + [f"lacks {name}" for name in match.lacks]
    if match.unfolded:
        notes.append("unfolded")
    note = f" ({', '.join(notes)})" if notes else ""
    place = f"[{match.segment}:{match.start}–{match.end}]"
    return f"    {_number(match.contribution):>8}  “{source}” {place} by {match.list}: {match.line}{note}"


def _number(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".")
