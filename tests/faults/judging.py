"""Counts what was lost, duplicated or changed between the model and the device's screen and tables. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields

from device.frames import StreamBlock, StreamEnd, StreamText, TurnFrame, read_frame
from tests.faults.producing import Share, title, words


@dataclass(kw_only=True)
class Taken:
    """The answer to one turn as a device received it; ``complaint`` says why it broke off."""

    request_id: str
    frames: list[TurnFrame] = field(default_factory=list)
    complaint: str = ""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Counts that add up. ``wrong_…`` counts what is missing, duplicated, out of place or different."""

    turns: int = 0
    unfinished_turns: int = 0
    frames: int = 0
    wrong_frames: int = 0
    writes: int = 0
    wrong_writes: int = 0
    cuts: int = 0
    cuts_in_writes: int = 0
    """The cuts during which the server waited for the answer to a write."""
    connections: int = 0
    complaints: tuple[str, ...] = ()

    def __add__(self, other: "Outcome") -> "Outcome":
        return Outcome(**{each.name: getattr(self, each.name) + getattr(other, each.name) for each in fields(self)})


def judged_answer(share: Share, turn: int, taken: Taken, log: Sequence[str]) -> Outcome:
    """One turn's result: the received frames equal those of its log and what the model wrote."""
    end = taken.frames[-1] if taken.frames else None
    finished = isinstance(end, StreamEnd) and end.finish_reason == "done" and len(end.mutations) == share.writes
    return Outcome(
        turns=1,
        unfinished_turns=not finished,
        frames=len(taken.frames),
        wrong_frames=_differences(taken.frames, [read_frame(text) for text in log]) + _unlike_model(share, turn, taken),
        complaints=(f"turn {turn}: {taken.complaint}",) if taken.complaint else (),
    )


def judged_rows(share: Share, turns: Iterable[int], rows: Iterable[Mapping[str, object]]) -> Outcome:
    """One device's result: each row that a turn wrote is there exactly once, and no other rows."""
    found = Counter(str(row["title"]) for row in rows)
    wanted = [title(turn, write) for turn in turns for write in range(share.writes)]
    wrong = sum(found.pop(each, 0) != 1 for each in wanted)
    return Outcome(writes=len(wanted), wrong_writes=wrong + found.total())


def _unlike_model(share: Share, turn: int, taken: Taken) -> int:
    text = "".join(frame.chunk for frame in taken.frames if isinstance(frame, StreamText)).replace("\n\n", "")
    # The server names the rows at the end, since neither the message nor the answer does.
    text, *_ = text.partition("Also changed: ")
    rows = [frame.data["rows"] for frame in taken.frames if isinstance(frame, StreamBlock) and "rows" in frame.data]
    return (
        (text != "".join(words(turn, block) for block in range(0, share.blocks, 10)))
        + _differences(rows, [[[str(turn), str(block)]] for block in range(share.blocks) if block % 10])
        + _differences([frame.seq for frame in taken.frames], list(range(max(len(taken.frames), share.frames))))
    )


def _differences(found: Sequence[object], wanted: Sequence[object]) -> int:
    """The number of positions at which they differ, including those that only one of them has."""
    places = sum(one != other for one, other in zip(found, wanted, strict=False))
    return places + abs(len(found) - len(wanted))
