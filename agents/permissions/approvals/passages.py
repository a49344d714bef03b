"""What a model had read when it made its calls: each text with its provenance. Pure."""

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
_SHORTEST: Final = 12
"""From this number of characters on, the text of any other column may be more than a name or a state."""
_COMPARED_CHARACTERS: Final = 60
_BETWEEN: Final = re.compile(r"[\W_]+")
_MAX_COMPARED: Final = 1_000
"""How much of a row's text is compared to find its beginning in what the model read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """A text that is not the user's own, and the row that it belongs to, if any.

    ``is_beside``: it was sent with the user's message, as the viewed page is, and not read by a tool.
    """

    provenance: Provenance
    row_id: str = ""
    title: str = field(default="", repr=False)
    body: str = field(default="", repr=False)
    is_beside: bool = False

    @property
    def words(self) -> str:
        """The body, or else the title."""
        return self.body or self.title


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadSoFar:
    """What a model had read: ``said`` are the user's messages, ``named`` the ids of the rows in other texts.

    ``own`` is ``said`` without texts that the user has quoted in it. ``facts`` are the words of remembered facts by id,
    only from the tool that recalls them: ids of rows may come from an imported file, so they can be any text.
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
    """What the model of one run has read. It is computed once for each reply."""

    def __init__(self) -> None:
        self._conversation: Sequence[Message] = ()
        self._asked = 0
        self._replies = -1
        self._read = ReadSoFar()

    def follow(self, conversation: Sequence[Message]) -> None:
        """Use ``conversation`` from now on, which contains all that the user says, and grows."""
        self._conversation, self._asked, self._replies = conversation, len(conversation), -1

    @property
    def is_foreign(self) -> bool:
        """Whether any text is foreign, including those after the last reply."""
        told = (message for message in self._conversation if not isinstance(message, SystemMessage))
        return any(message.provenance is Provenance.FOREIGN for message in told)

    def so_far(self) -> ReadSoFar:
        """As ``read_before``."""
        replies = sum(isinstance(message, AssistantMessage) for message in self._conversation)
        if replies != self._replies:
            self._replies, self._read = replies, read_before(self._conversation, asked=self._asked)
        return self._read


def read_before(conversation: Sequence[Message], *, asked: int | None = None) -> ReadSoFar:
    """What the model had read when it wrote its last message in ``conversation``.

    Its own messages after the user's last one follow from that; earlier answers may repeat rows. The user's own words
    are only in the first ``asked`` messages: later user messages are the server's words, which may repeat the model's.
    """
    last = max((at for at, each in enumerate(conversation) if isinstance(each, AssistantMessage)), default=None)
    read = conversation[:last]
    own = {at: own_words(each.text) for at, each in enumerate(read) if _is_said(each)}
    said = [at for at in own if asked is None or at < asked]
    answered = max(said, default=0)
    # The first is the server's own.
    passages = [
        passage
        for at, each in enumerate(read[1:], 1)
        for passage in _passages(each, own.get(at, ""), is_earlier=at < answered)
    ]
    told = [message.text for message in read[1:] if not isinstance(message, AssistantMessage)]
    return ReadSoFar(
        said="\n".join(read[at].text for at in said),
        own="\n".join(own[at] for at in said),
        passages=passages,
        named=frozenset(row_id for each in told for row_id in ID_IN_TEXT.findall(each)),
        facts={text(row, "id"): text(row, "content") for row in _facts_in(read)},
    )


def _facts_in(read: Sequence[Message]) -> Iterator[Row]:
    for message in read:
        if isinstance(message, ToolMessage) and (facts := message.rows.get(FACTS)) is not None:
            yield from facts.rows


def _is_said(message: Message) -> bool:
    return isinstance(message, UserMessage) and message.provenance is Provenance.SAID


def _passages(message: Message, own: str, *, is_earlier: bool) -> Iterator[Passage]:
    """The texts in ``message``, of which ``own`` are the user's own words."""
    match message:
        case ToolMessage(rows=rows) if rows:
            told = _plain(message.text)
            yield from (_passage_of(row, told, message.provenance) for part in rows.values() for row in part.rows)
        case ToolMessage(ok=ok, provenance=provenance) if ok or provenance is not Provenance.SAID:
            yield from _in_lines(message)
        case UserMessage(provenance=provenance) if provenance is not Provenance.SAID:
            # Without the names of rows, which are no request.
            yield Passage(provenance=provenance, body=ROW_IN_TEXT.sub("", message.text), is_beside=True)
            if provenance is Provenance.FOREIGN:
                # The only foreign text may be the name of one of them.
                yield from (_titled(found, provenance) for found in ROW_IN_TEXT.finditer(message.text))
        case UserMessage(text=said, images=images):
            # A picture may contain anyone's words, too.
            if images or own != said:
                kept = frozenset(own.split("\n"))
                others = "\n".join(line for line in said.split("\n") if line not in kept)
                yield Passage(provenance=Provenance.READ, body=others)
        case AssistantMessage(provenance=Provenance.FOREIGN) if is_earlier:
            yield Passage(provenance=Provenance.FOREIGN, body=message.text)
        case AssistantMessage() | SystemMessage() if is_earlier and message.text.strip():
            # The user has seen it.
            yield Passage(provenance=Provenance.READ)


def _passage_of(row: Row, told: str, provenance: Provenance) -> Passage:
    bodies = (body for column, body in _texts(row) if column in _BODIES or len(body) >= _SHORTEST)
    # A list contains only the title.
    kept = [body for body in bodies if _plain(body[:_MAX_COMPARED])[:_COMPARED_CHARACTERS] in told]
    return Passage(provenance=provenance, row_id=text(row, "id"), title=title_of(row), body="\n".join(kept))


def _texts(row: Row) -> Iterator[tuple[str, str]]:
    """The texts of ``row`` by column, without its title and ids. A list of people becomes a text."""
    for column in (*_BODIES, *(each for each in row if each not in _BODIES)):
        if column not in ("title", "name", "id") and not column.endswith("Id") and (body := text(row, column)):
            yield column, body.strip('[]"') if column == "assignee" else body


def _titled(found: re.Match[str], provenance: Provenance) -> Passage:
    return Passage(provenance=provenance, row_id=found[3], title=json.loads(found[1]), is_beside=True)


def _in_lines(message: ToolMessage) -> Iterator[Passage]:
    """The passages of a result that has no rows as values, because a conversation keeps only its text."""
    found = list(_LINE.finditer(message.text))
    if not found:
        yield Passage(provenance=message.provenance, body=message.text)
        return
    ends = [each.start() for each in found[1:]] + [len(message.text)]
    for line, end in zip(found, ends, strict=True):
        title = json.loads(line[1])
        # The last row is followed by the server's own words about the cards.
        body = message.text[line.end() : end].strip().removesuffix(CARDS_SHOWN).strip()
        yield Passage(provenance=message.provenance, row_id=line[3], title=title, body=body)


def _plain(words: str) -> str:
    """Only the letters and digits: texts for the model are on one line, and may lack punctuation."""
    return _BETWEEN.sub("", words.replace("\\n", " "))
