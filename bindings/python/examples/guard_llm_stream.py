"""Guards the stream of a language model: nothing private is shown, and a reply that goes wrong is stopped.

The model here is a list of tokens; any iterable or async iterable of text does.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable

from sonometer import Sensor

REPLY = (
    "Thank", " you", " for", " waiting", ".", " The", " card", " on", " file", " is", " 4111", " 11", "11", " 1111", " 1111",
    ",", " it", " was", " charged", " today", ".", " You", " can", " reach", " Jane", " at", " jane", ".doe", "@example", ".com",
    ".", " Anything", " else", "?",
)  # fmt: skip


async def model(tokens: tuple[str, ...] = REPLY) -> AsyncIterator[str]:
    """Tokens as they would come from afar."""
    for token in tokens:
        await asyncio.sleep(0)
        yield token


async def show(tokens: AsyncIterator[str], most: int = 2) -> tuple[str, bool]:
    """What a person may see, and whether the reply was let through to its end: it is stopped beyond `most` masks."""
    guard, shown, masks = Sensor("personal-data@1.0").guard(tokens), "", 0
    async for text in guard:
        shown += text
        # The step that the text came with: what was found in it, each once.
        if guard.step is not None:
            masks += sum(event.event == "mask" for event in guard.step.events)
        if masks > most:
            return shown, False
    return shown, True


def show_now(tokens: Iterable[str]) -> str:
    """The same without waiting, for a model that gives its tokens to an ordinary loop: what a person may see."""
    shown = ""
    for text in Sensor("personal-data@1.0").guard(tokens):
        shown += text
    return shown


if __name__ == "__main__":
    text, complete = asyncio.run(show(model()))
    print(text)
    print("complete" if complete else "stopped")
    print(show_now(REPLY))
