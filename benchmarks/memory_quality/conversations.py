"""LoCoMo and BEAM as conversations with questions, read from a copy of them, and whether evidence is recalled.

LoCoMo: Maharana et al., ACL 2024. BEAM: Tavakoli et al., 2025. Neither is a part of this project.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

MESSAGE_CHARS: Final = 4_000
EVIDENCE_CHARS: Final = 300
MIN_SHARE: Final = 0.7
"""The share of the content words of a piece of evidence that one item must have."""
_WORD: Final = re.compile(r"[^\W_]+")
_MOST_COMMON: Final = {
    "en": frozenset(
        _WORD.findall(
            "the be to of and a in that have i it for not on with he as you do at this but his by from they we "
            "say her she or an will my one all would there their what so up out if about who get which go me when "
            "make can like time no just him know take people into year your good some could them see other than "
            "then now look only come its over think also back after use two how our work first well way even new "
            "want because any these give day most us is"
        )
    ),
    "it": frozenset(
        _WORD.findall(
            "di e il la che a in un per è una non sono si con da ho lo mi ma le hai i ti del ha cosa al se no come "
            "su questo gli più della ci sei so bene qui tutto era solo mio sì me nel quando te fatto alla dei fare "
            "va ne anche l o c tu lui perché essere dove chi molto così ora mia fa delle io stato tuo sia detto "
            "hanno tempo ancora dal due quello noi allora prima quella questa dire poi qualcosa proprio sempre "
            "lei stai niente nella abbiamo oh mai loro"
        )
    ),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One exchange of a conversation."""

    session: str
    message: str
    response: str
    at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidenceQuestion:
    """A question after the conversation, and what must be recalled for it."""

    text: str
    kind: str
    evidence: Sequence[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Conversation:
    """A conversation, and questions after it."""

    corpus: str
    name: str
    turns: Sequence[Turn]
    questions: Sequence[EvidenceQuestion]
    language: str = "en"


def conversations_in(folder: Path) -> Iterator[Conversation]:
    """All conversations below ``folder``: files ``locomo*.json``, and BEAM's ``chat.json`` with their questions."""
    for path in sorted(folder.rglob("locomo*.json")):
        for sample in json.loads(path.read_text()):
            yield _locomo(sample)
    for path in sorted(folder.rglob("chat.json"), key=lambda path: path.parent.name.zfill(4)):
        yield _beam(path)


def content_words(text: str, language: str = "en") -> frozenset[str]:
    """The words without the hundred most common ones of the language, English or Italian."""
    return frozenset(_WORD.findall(text.lower())) - _MOST_COMMON[language]


def is_recalled(evidence: str, items: Iterable[frozenset[str]], language: str = "en") -> bool:
    """Whether one of ``items``, given as their content words, has ``MIN_SHARE`` of the evidence's content words."""
    words = content_words(evidence, language)
    return any(len(words & item) >= MIN_SHARE * len(words) for item in items)


_KINDS: Final = {1: "several", 2: "when", 3: "inferred", 4: "single", 5: "adversarial"}


def _locomo(sample: Mapping[str, Any]) -> Conversation:
    talk, turns = sample["conversation"], list[Turn]()
    texts: dict[str, str] = {}
    numbers = sorted(int(key.removeprefix("session_")) for key in talk if re.fullmatch(r"session_\d+", key))
    for number in numbers:
        date = talk[f"session_{number}_date_time"]
        at = datetime.strptime(date, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        lines = talk[f"session_{number}"]
        texts |= {line["dia_id"]: line["text"] for line in lines}
        for index, (one, other) in enumerate(zip_longest(lines[::2], lines[1::2])):
            opening = f"({date})\n" if index == 0 else ""
            turns.append(
                Turn(
                    session=f"session {number}",
                    message=f"{opening}{one['speaker']}: {one['text']}",
                    response=f"{other['speaker']}: {other['text']}" if other else "",
                    at=at + timedelta(minutes=index),
                )
            )
    questions = [
        EvidenceQuestion(text=each["question"], kind=_KINDS[each["category"]], evidence=evidence)
        for each in sample["qa"]
        if (
            evidence := [
                texts[name] for part in each["evidence"] for name in re.findall(r"D\d+:\d+", part) if name in texts
            ]
        )
    ]
    return Conversation(corpus="LoCoMo", name=sample["sample_id"], turns=turns, questions=questions)


def _beam(path: Path) -> Conversation:
    turns: list[Turn] = []
    turn_of: dict[int, Turn] = {}
    at = datetime(2024, 1, 1, 9, tzinfo=UTC)
    for batch in json.loads(path.read_text()):
        for group in batch["turns"]:
            for ids, message, response in _exchanges(group):
                at += timedelta(minutes=5)
                turn = Turn(session=f"batch {batch['batch_number']}", message=message, response=response, at=at)
                turns.append(turn)
                turn_of |= dict.fromkeys(ids, turn)
        at += timedelta(days=7)
    asked = json.loads((path.parent / "probing_questions" / "probing_questions.json").read_text())
    questions = [
        EvidenceQuestion(text=each["question"], kind=kind, evidence=evidence)
        for kind, of_kind in asked.items()
        for each in of_kind
        if (evidence := _sources(each.get("source_chat_ids"), turn_of))
    ]
    return Conversation(corpus="BEAM", name=path.parent.name, turns=turns, questions=questions)


def _exchanges(group: Sequence[Mapping[str, Any]]) -> Iterator[tuple[list[int], str, str]]:
    """Each message of the user with the answers to it, and the ids of all of these."""
    ids: list[int] = []
    message, answers = "", list[str]()
    for line in group:
        if line["role"] == "user":
            if message:
                yield ids, message, "\n\n".join(answers)
            ids, message, answers = [], line["content"][:MESSAGE_CHARS], []
        else:
            answers.append(line["content"])
        ids.append(line["id"])
    if message:
        yield ids, message, "\n\n".join(answers)


def _sources(ids: object, turn_of: Mapping[int, Turn]) -> list[str]:
    """The evidence in the messages with these ``ids``: numbers, in lists and objects of any depth."""
    return list(dict.fromkeys(turn_of[each].message[:EVIDENCE_CHARS] for each in _numbers(ids) if each in turn_of))


def _numbers(value: object) -> Iterator[int]:
    match value:
        case int():
            yield value
        case Mapping():
            yield from _numbers(list(value.values()))
        case list():
            for part in value:
                yield from _numbers(part)
