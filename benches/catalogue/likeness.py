"""Folds by likeness, for the tables of the catalogue and of thresholds."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict

FOLDS = 5


def folds(texts: list[str], groups: list[str] | None = None) -> list[int]:
    """The fold of each text. Texts that share half of their runs of three words (Jaccard), or the group, are in one fold."""
    parent = list(range(len(texts)))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    if groups is not None:
        first: dict[str, int] = {}
        for number, group in enumerate(groups):
            parent[root(number)] = root(first.setdefault(group, number))
    else:
        runs = []
        for text in texts:
            words = re.findall(r"\w+", text.lower()) or [text]
            runs.append({" ".join(words[at : at + 3]) for at in range(max(1, len(words) - 2))})
        holders = defaultdict(list)
        for number, own in enumerate(runs):
            for run in own:
                holders[run].append(number)
        for number, own in enumerate(runs):
            shared: dict[int, int] = defaultdict(int)
            for run in own:
                # A run that stands in more than 200 texts says nothing of likeness, and would make this quadratic.
                if len(holders[run]) <= 200:
                    for other in holders[run]:
                        if other < number:
                            shared[other] += 1
            for other, count in shared.items():
                if 2 * count >= len(own) + len(runs[other]) - count:
                    # The first text is the root: sets of strings have another order in each run, and the root names the fold.
                    low, high = sorted((root(number), root(other)))
                    parent[high] = low
    key = lambda number: hashlib.sha256(texts[root(number)].encode()).digest()[0]
    return [key(number) % FOLDS for number in range(len(texts))]
