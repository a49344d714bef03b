"""The texts that a model had read when it made its calls, each with its provenance. Pure."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.adapters.base import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage
from agents.calls import Row
from agents.provenance import Provenance
from agents.tools.recollection import FACTS
from agents.tools.rows import CARDS_SHOWN, ID_IN_TEXT, ROW_IN_TEXT, text, title_of
from memory.speech import own_words

_LINE: Final = re.compile(f"^(?:- )?{ROW_IN_TEXT.pattern}", re.MULTILINE)
_BODIES: Final = ("content", "body", "description", "aiSummary", "value", "summary")
_MIN_BODY_CHARS: Final = 12
"""Shorter texts in other columns are probably names or states."""
_COMPARED_CHARS: Final = 60
"""The number of letters and digits by which a row's text is found in the text that the model read."""
_COMPARED_FROM_CHARS: Final = 1_000
"""The beginning of a row's text from which these are taken."""
_NO_ALPHANUMERICS: Final = re.compile(r"[\W_]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """A text that is not the user's own, and the row that it belongs to, if any.

    ``is_beside``: it was sent with the user's message, like the viewed page, and not read by a tool.
    """

    provenance: Provenance
    row_id: str = ""
    title: str = field(default="", repr=False)
    body: str = field(default="", repr=False)
    is_beside: bool = False

    @property
    def words(self) -> str:
        """The body, or the title if there is none."""
        return self.body or self.title


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadSoFar:
    """What a model had read. ``said`` are the user's messages, and ``named`` the ids of the rows in other texts.

    ``own`` is ``said`` without quoted texts. ``facts`` are the words of remembered facts by id, only from the tool that
    recalls them: the ids of rows may come from an imported file, so they can be any text.
    """

    said: str = field(default="", repr=False)
    own: str = field(default="", repr=False)
    passages: Sequence[Passage] = ()
    named: frozenset[str] = frozenset()
    facts: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def provenance(self) -> Provenance:
        """The highest provenance of all texts."""
        return max((passage.provenance for passage in self.passages), default=Provenance.SAID)


class Reading:
    """What the model of one run has read. It is computed once for each of its replies."""

    def __init__(self) -> None:
        self._conversation: Sequence[Message] = ()
        self._asked = 0
        self._replies = -1
        self._read = ReadSoFar()

    def follow(self, conversation: Sequence[Message]) -> None:
        """Read ``conversation`` from now on. It contains all of the user's messages, and grows."""
        self._conversation, self._asked, self._replies = conversation, len(conversation), -1

    @property
    def is_foreign(self) -> bool:
        """Whether any text is foreign, including texts after the last reply."""
        messages = (message for message in self._conversation if not isinstance(message, SystemMessage))
        return any(message.provenance is Provenance.FOREIGN for message in messages)

    def so_far(self) -> ReadSoFar:
        """As ``read_before``."""
        replies = sum(isinstance(message, AssistantMessage) for message in self._conversation)
        if replies != self._replies:
            self._replies, self._read = replies, read_before(self._conversation, asked=self._asked)
        return self._read


def read_before(conversation: Sequence[Message], *, asked: int | None = None) -> ReadSoFar:
    """What the model had read when it wrote its last message in ``conversation``.

    The model's messages after the user's last one are left out, because they follow from the other texts. Its earlier
    answers may repeat rows. The user's own words are only in the first ``asked`` messages: later user messages are from
    the server, and may repeat the model's words.
    """
    last = max((at for at, each in enumerate(conversation) if isinstance(each, AssistantMessage)), default=None)
    read = conversation[:last]
    own = {at: own_words(each.text) for at, each in enumerate(read) if _is_said(each)}
    said = [at for at in own if asked is None or at < asked]
    answered = max(said, default=0)
    # The first message is the system prompt.
    passages = [
        passage
        for at, each in enumerate(read[1:], 1)
        for passage in _passages(each, own.get(at, ""), is_earlier=at < answered)
    ]
    texts = [message.text for message in read[1:] if not isinstance(message, AssistantMessage)]
    return ReadSoFar(
        said="\n".join(read[at].text for at in said),
        own="\n".join(own[at] for at in said),
        passages=passages,
        named=frozenset(row_id for each in texts for row_id in ID_IN_TEXT.findall(each)),
        facts={text(row, "id"): text(row, "content") for row in _facts_in(read)},
    )


def _facts_in(read: Sequence[Message]) -> Iterator[Row]:
    for message in read:
        if isinstance(message, ToolMessage) and (facts := message.rows.get(FACTS)) is not None:
            yield from facts.rows


def _is_said(message: Message) -> bool:
    return isinstance(message, UserMessage) and message.provenance is Provenance.SAID


def _passages(message: Message, own: str, *, is_earlier: bool) -> Iterator[Passage]:
    """The texts in ``message`` other than ``own``, the user's own words."""
    match message:
        case ToolMessage(rows=rows) if rows:
            shown = _alphanumerics(message.text)
            yield from (_passage_of(row, shown, message.provenance) for part in rows.values() for row in part.rows)
        case ToolMessage(ok=ok, provenance=provenance) if ok or provenance is not Provenance.SAID:
            yield from _in_lines(message)
        case UserMessage(provenance=provenance) if provenance is not Provenance.SAID:
            # Without the names of rows, which request nothing.
            yield Passage(provenance=provenance, body=ROW_IN_TEXT.sub("", message.text), is_beside=True)
            if provenance is Provenance.FOREIGN:
                # The foreign text may be just the name of a row.
                yield from (_titled(found, provenance) for found in ROW_IN_TEXT.finditer(message.text))
        case UserMessage(text=said, images=images):
            # Images can contain other people's words, too.
            if images or own != said:
                own_lines = frozenset(own.split("\n"))
                others = "\n".join(line for line in said.split("\n") if line not in own_lines)
                yield Passage(provenance=Provenance.READ, body=others)
        case AssistantMessage(provenance=Provenance.FOREIGN) if is_earlier:
            yield Passage(provenance=Provenance.FOREIGN, body=message.text)
        case AssistantMessage() | SystemMessage() if is_earlier and message.text.strip():
            # Without its text, which the user has seen.
            yield Passage(provenance=Provenance.READ)


def _passage_of(row: Row, shown: str, provenance: Provenance) -> Passage:
    bodies = (body for column, body in _texts(row) if column in _BODIES or len(body) >= _MIN_BODY_CHARS)
    # A list contains only the title.
    read = [body for body in bodies if _alphanumerics(body[:_COMPARED_FROM_CHARS])[:_COMPARED_CHARS] in shown]
    return Passage(provenance=provenance, row_id=text(row, "id"), title=title_of(row), body="\n".join(read))


def _texts(row: Row) -> Iterator[tuple[str, str]]:
    """The texts of ``row`` by column, without its title and ids. A list of people becomes a text."""
    for column in (*_BODIES, *(each for each in row if each not in _BODIES)):
        if column not in ("title", "name", "id") and not column.endswith("Id") and (body := text(row, column)):
            yield column, body.strip('[]"') if column == "assignee" else body


def _titled(found: re.Match[str], provenance: Provenance) -> Passage:
    return Passage(provenance=provenance, row_id=found[3], title=json.loads(found[1]), is_beside=True)


def _in_lines(message: ToolMessage) -> Iterator[Passage]:
    """The passages of a result without rows as values: a conversation keeps only the text of results."""
    lines = list(_LINE.finditer(message.text))
    if not lines:
        yield Passage(provenance=message.provenance, body=message.text)
        return
    ends = [each.start() for each in lines[1:]] + [len(message.text)]
    for line, end in zip(lines, ends, strict=True):
        title = json.loads(line[1])
        # The server's sentence about the cards can follow the last row.
        body = message.text[line.end() : end].strip().removesuffix(CARDS_SHOWN).strip()
        yield Passage(provenance=message.provenance, row_id=line[3], title=title, body=body)


def _alphanumerics(words: str) -> str:
    """The letters and digits. Texts for the model are on one line, and may lack punctuation."""
    return _NO_ALPHANUMERICS.sub("", words.replace("\\n", " "))
