"""What the benchmarks' model says: plans, chosen by a word in the user's message. Pure."""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from benchmarks.job_scripts import answer_about_jobs
from tests.model_server.scripts import DONE, Chunk, Raw, calls, usage, wants

SENTENCE: Final = "The fence is painted, the milk is bought, and nothing else is due before Friday. "
_NEVER_S: Final = 3600.0
ROWS: Final[Sequence[Mapping[str, object]]] = [
    {"id": f"task-{number}", "title": f"Task number {number}", "status": "todo", "priority": "medium"}
    for number in range(20)
]
"""What a device answers to ``select``, and what a tool written by hand has at once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """One turn: the calls of each tool round, then an answer of ``pieces`` pieces, ``pause_s`` seconds apart."""

    rounds: Sequence[Sequence[Mapping[str, Any]]] = ()
    pieces: int = 40
    pause_s: float = 0.0
    piece: str = ""
    ends_stamped: bool = False
    """Whether its last piece, as its first, says when it was written."""

    def answer(self) -> Iterator[str]:
        """The pieces; words of about a token where the plan says nothing else."""
        words = re.findall(r"\S+ ", SENTENCE)
        for number in range(self.pieces):
            yield self.piece or words[number % len(words)]


def _list(call_id: str = "a") -> Mapping[str, Any]:
    return wants("list_tasks", call_id, status="todo")


def _create(call_id: str) -> Mapping[str, Any]:
    return wants("create_task", call_id, title="Paint the fence", priority="high", description=SENTENCE)


def _describe(call_id: str, number: int) -> Mapping[str, Any]:
    task_id = ROWS[number % len(ROWS)]["id"]
    return wants("update_task", call_id, task_id=task_id, description=f"{SENTENCE}{call_id}")


_TURN = ((_list("a"), wants("list_projects", "b")), (_create("c"),))
_CHAIN = 40

PLANS: Final = {
    "words": Plan(pause_s=0.01),
    "turn": Plan(rounds=_TURN, pieces=200),
    "paced": Plan(rounds=_TURN, pieces=200, pause_s=0.005),
    "three": Plan(rounds=((_list(),), (_create("b"),), (_list("c"),))),
    "writes": Plan(rounds=(tuple(_create(f"w{number}") for number in range(_CHAIN)),), pieces=1),
    "changes": Plan(rounds=(tuple(_describe(f"u{number}", number) for number in range(_CHAIN)),), pieces=1),
    "reads": Plan(
        # Adjacent reads are sent together, so there is a write between two.
        rounds=(tuple(make(f"r{n}") for n in range(_CHAIN // 2) for make in (_list, _create)),),
        pieces=1,
    ),
    "review": Plan(rounds=((wants("weekly_review", "a"),),), pieces=1),
    "stamped": Plan(pause_s=0.01, ends_stamped=True),
    "said": Plan(),
    "long": Plan(pieces=64, piece=(SENTENCE * 300)[:16384]),
}


def message(plan: str) -> str:
    """What a person writes so that the model follows ``plan``, and no model is needed to choose the agent."""
    return f"Update my tasks, plan {plan}."


def plan_of(asked: str) -> Plan:
    """The plan that ``message`` named. Raises ``KeyError``."""
    return PLANS[asked.partition(", plan ")[2].rstrip(".")]


def stamp_in(text: str) -> int | None:
    """When the answer that ``text`` begins was begun (ns of the monotonic clock, which all processes share)."""
    found = re.match(r"\s*Stamp (\d+)\.", text)
    return int(found[1]) if found else None


def stamped() -> bytes:
    """The first piece of an answer, encoded: it says when."""
    return Chunk({"role": "assistant", "content": f"Stamp {time.monotonic_ns()}. "}).encoded()


Piece = bytes | Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Said:
    """One response of the model: its pieces, encoded once for all, the pause before the first and before each other."""

    pieces: Sequence[Piece]
    pause_s: float = 0.0
    before_s: float = 0.0


def response(body: Mapping[str, Any]) -> Said:
    """What the model says to a request: the next round of calls, or the answer."""
    messages = body["messages"]
    asked = next(str(each["content"]) for each in reversed(messages) if each["role"] == "user")
    done = sum(1 for each in messages if each["role"] == "assistant" and each.get("tool_calls"))
    job = answer_about_jobs(asked, done)
    if job is None:
        return _response(asked, done)
    steps, before_s = job
    return Said([step.encoded() for step in steps if isinstance(step, Chunk | Raw)], before_s=before_s)


@cache
def _response(asked: str, done: int) -> Said:
    if asked.startswith("{"):
        return _SUMMARY
    plan = plan_of(asked)
    if done < len(plan.rounds):
        # Cut as models cut arguments, yet with all of it in one packet: the calls are not what is measured.
        steps = calls(*(dict(call) for call in plan.rounds[done]), cut=16)
        return Said([b"".join(step.encoded() for step in steps if isinstance(step, Chunk)) + _END])
    pieces = [Chunk({"content": piece}).encoded() for piece in plan.answer()]
    last = Chunk({}, "stop").encoded() + _END
    return Said([stamped, *pieces, *([stamped] if plan.ends_stamped else []), last], plan.pause_s)


_END: Final = usage().encoded() + DONE.encoded()
_SUMMARY: Final = Said(
    [Chunk({"content": "The user asked for the tasks."}).encoded(), Chunk({}, "stop").encoded() + _END]
)
"""To a request for a summary, whose message is a JSON object."""


def pause_before_vectors(texts: Sequence[str]) -> float:
    """The seconds after which vectors are answered: a text may name them in milliseconds, or say never."""
    named = re.search(r"vector after (\d+|never)", " ".join(texts))
    if named is None:
        return 0.0
    return _NEVER_S if named[1] == "never" else int(named[1]) / 1000
