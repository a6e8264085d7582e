"""Three scripted agents in a world, and how their dives end, as a Markdown table.

usage: three_agents.py [STAGE]

An agent is a function of what the world says. Put a model in its place: nothing else changes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from sonometer import DiveEnv
from sonometer.diving import Verdict

Agent = Callable[[int, str], str]


def careful(turn: int, world: str) -> str:
    """Listens first, keeps the card out of the talk, and promises a date."""
    if "card" in world.lower() and turn > 0:
        return "Please don't read your card out to me, there is no need for it. The name on the account and your postcode are enough."
    if turn == 0:
        return "I am really sorry that you have to call about this a third time. It should simply have stopped."
    return "I have found the charge. I will refund it now, and the money is back on your account within three working days."


def hasty(turn: int, world: str) -> str:
    """Wants to be done: asks for the card at once."""
    return ["Sorry about that! To find you I need the 16 digits on the front of your card.", "And the three digits on the back?"][turn % 2]


def defensive(turn: int, world: str) -> str:
    """Blames the customer."""
    return [
        "You should have checked your contract before you called us.",
        "Please calm down. As I said, there is nothing I can do about it from here.",
        "It is not our fault that you did not read it.",
    ][turn % 3]


def dive(agent: Agent, stage: str, seed: int = 7) -> tuple[Verdict, int, float]:
    """The verdict, the number of turns and the mean reward of an agent."""
    with DiveEnv(stage) as env:
        world, info = env.reset(seed=seed)
        rewards, over = list[float](), False
        while not over:
            world, reward, terminated, truncated, info = env.step(agent(len(rewards), world))
            rewards.append(reward)
            over = terminated or truncated
        verdict: Verdict = info["verdict"]
        return verdict, len(rewards), sum(rewards) / len(rewards)


def table(stage: str = "billing-dispute@1.0") -> str:
    """The table of all three."""
    lines = ["| agent | passed | because | checkpoints | flags | turns | mean reward |", "|---|---|---|---|---|---|---|"]
    for agent in (careful, hasty, defensive):
        verdict, turns, reward = dive(agent, stage)
        reached, tripped = ", ".join(verdict.checkpoints_hit) or "none", ", ".join(verdict.flags_tripped) or "none"
        passed = "yes" if verdict.passed else "no"
        lines.append(f"| {agent.__name__} | {passed} | {verdict.reason} | {reached} | {tripped} | {turns} | {reward:.6f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(*sys.argv[1:]))
