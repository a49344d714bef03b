"""From a model's text, as it arrives, to the parts of an answer.

A user is never shown JSON, thoughts, calls or ids: blocks are made (``blocks.py``), other JSON is told in words, and
the rest is left out.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from accounts.translations import gettext_noop, translations
from agents.engine.model_text import ModelText
from agents.tools.rows import title_of
from chat.formatters.blocks import (
    UTC,
    BlockPart,
    BlockType,
    Entity,
    Part,
    RowId,
    RowSource,
    TextPart,
    cards_of,
    make_block,
    no_rows,
    no_short_ids,
)
from chat.formatters.ids import IdFilter
from chat.formatters.json_stream import TEXT
from chat.formatters.naming import named_rows
from chat.formatters.reader import BlockReader, FencedBlock, Piece, SkippedBlock, Unreadable, WholeBlock
from chat.formatters.repair import in_words, meant_type, mended
from chat.formatters.tables import TableFilter

_NAME: Final = re.compile(r"[a-z][a-z_]{0,31}")
_TYPES: Final = frozenset(BlockType)
_FULL_ID: Final = len("f4ef33bb-4add-58ef-8bfb-0e3731f9bb2f")
_CANNOT_SHOW: Final[Mapping[str | None, str]] = {
    BlockType.CHART: gettext_noop("A chart belongs here, but it cannot be drawn."),
    BlockType.TABLE: gettext_noop("A table belongs here, but it cannot be shown."),
    BlockType.TIMELINE: gettext_noop("A timeline belongs here, but it cannot be shown."),
}
_LISTED: Final[Mapping[str, str]] = {BlockType.TIMELINE: "checkpoints", BlockType.ENTITY_REF: "ids"}
"""What an array is in a fence of that name."""
_NOTHING: Final = gettext_noop("There is nothing to show.")
_CANNOT_READ: Final = gettext_noop("The answer cannot be shown: the model did not write it as it should have.")


_BRACKET: Final = re.compile(r"[{\[]")
_UNQUOTED: Final = re.compile(
    r"""\s*\{\s*"type"\s*:\s*"text"\s*,\s*"(?:content|text)"\s*:\s*"?(?P<text>[^"{}\[\]]+)"?[\s}\]`]*""", re.DOTALL
)
"""A text block whose text lacks a quote."""


class _Sentence(TextPart):
    """Text of the formatter's own, after which a paragraph ends."""


class Formatter:
    """``on_invalid`` gets a sentence for the log about each block that is not shown: its type and the reason only.

    ``rows`` gives what the turn's tools have returned so far. Without ``shows_blocks`` there is only text, and blocks
    are in words. Sentences of the formatter's own are in ``language``, dates without a zone in ``timezone``. Ids are
    left out of the text; ``row_id`` knows the short ones.

    The joined text of the parts, and the order of the blocks in it, do not depend on how the model's text was cut.
    Nothing is inserted between two messages. A message with JSON that cannot be shown says so.
    """

    def __init__(
        self,
        on_invalid: Callable[[str], None],
        *,
        rows: RowSource = no_rows,
        shows_blocks: bool = True,
        language: str = "en",
        timezone: ZoneInfo = UTC,
        row_id: RowId = no_short_ids,
    ) -> None:
        self._on_invalid = on_invalid
        self._rows = rows
        self._shows_blocks = shows_blocks
        self._language = language
        self._timezone = timezone
        self._row_id = row_id
        self._written = False
        self._ids = IdFilter(self._title)
        self._tables = TableFilter(self._title)
        self._reader = BlockReader()
        self._said: list[str] = []
        self._referred = False
        self._begin_message()

    def feed(self, text: str) -> list[Part]:
        """The parts that ``text`` completes."""
        self._written = self._written or bool(text.strip())
        return [part for said in self._meant_for_user.feed(text) for part in self._parts(self._reader.feed(str(said)))]

    def end_message(self) -> list[Part]:
        """The last parts of one message. What is fed next begins a new one."""
        if not self._written:
            return []
        parts = [part for said in self._meant_for_user.end() for part in self._parts(self._reader.feed(str(said)))]
        parts += self._parts(self._reader.end_message())
        parts += self._placed([TextPart(text=self._rest())])
        if self._shows_blocks:
            parts += self._placed(self._sentence(_CANNOT_SHOW[kind]) for kind in self._broken if kind in _CANNOT_SHOW)
        if self._written and not self._shown:
            parts += self._placed([self._sentence(_CANNOT_READ if self._broken else _NOTHING)])
        self._begin_message()
        return parts

    def cards(self, changed: Sequence[str]) -> list[Part]:
        """The rows that the messages so far name by their titles, and those with the ids ``changed``, as blocks.

        None if the model has written an ``entity_ref`` itself. A project counts only where nothing else is named.
        """
        if not self._shows_blocks or self._referred:
            return []
        found = {entity: named_rows("".join(self._said), self._rows(entity), changed) for entity in Entity}
        if any(rows for entity, rows in found.items() if entity is not Entity.PROJECT):
            del found[Entity.PROJECT]
        return [cards_of(entity, rows) for entity, rows in found.items() if rows]

    def _title(self, short: str) -> str | None:
        """What the row with the ``short`` id is called: None if there is no such row, empty if it is not known.

        An id in full is one of the rows that the tools have returned.
        """
        is_full = len(short) == _FULL_ID
        row_id = short if is_full else self._row_id(short)
        if row_id is None:
            return None
        rows = (row for entity in Entity for row in self._rows(entity))
        return next((title_of(row) for row in rows if row.get("id") == row_id), None if is_full else "")

    def _begin_message(self) -> None:
        self._meant_for_user = ModelText(())
        self._shown = False
        """Whether the message has shown anything."""
        self._written = False
        """Whether the model has written anything."""
        self._broken: dict[str | None, None] = {}
        """The types of the broken blocks."""
        self._line_ended, self._apart = True, False

    def _parts(self, pieces: Sequence[Piece]) -> list[Part]:
        return self._placed(part for piece in pieces for part in self._found(piece))

    def _found(self, piece: Piece) -> Iterator[Part]:
        if isinstance(piece, str):
            yield TextPart(text=self._ids.feed(self._tables.feed(piece)))
        else:
            yield TextPart(text=self._rest())
            part = self._part(piece)
            if part is not None:
                yield part

    def _rest(self) -> str:
        """The text that is held back, because no more text follows."""
        return self._ids.feed(self._tables.flush()) + self._ids.flush()

    def _placed(self, found: Iterable[Part]) -> list[Part]:
        """The parts, with a paragraph's end after each sentence of the formatter's own."""
        parts: list[Part] = []
        for part in found:
            if isinstance(part, BlockPart):
                self._shown = self._line_ended = True
                self._apart = False
                self._referred |= part.block_type is BlockType.ENTITY_REF
                parts.append(part)
            elif part.text:
                if self._apart:
                    parts.append(TextPart(text="\n" if part.text[0] == "\n" else "\n\n"))
                self._shown = self._shown or not part.text.isspace()
                self._line_ended, self._apart = part.text.endswith("\n"), isinstance(part, _Sentence)
                self._said.append(part.text)
                parts.append(TextPart(text=part.text))
        return parts

    def _part(self, piece: WholeBlock | FencedBlock | SkippedBlock | Unreadable) -> Part | None:
        match piece:
            case WholeBlock(type=name, source=source):
                value = mended(source)
                return self._not_shown(name, "it cannot be read") if value is None else self._value(value, name)
            case FencedBlock(name=name, source=source):
                return self._fence(name, source)
            case SkippedBlock(type=name, reason=reason):
                self._log(name, reason)
                self._broken[name] = None
                return None
            case Unreadable(source=source):
                return self._mend(source)

    def _mend(self, source: str) -> Part | None:
        """What the broken block of a message comes to, as far as it can be read and nothing of it has been shown."""
        if len(self._broken) != 1:
            return None
        value = mended(source)
        text = _UNQUOTED.fullmatch(source)
        if value is None and text is None:
            return None
        self._broken.clear()
        return TextPart(text=text["text"]) if text else self._value(value, None)

    def _fence(self, name: str, source: str) -> Part | None:
        """The block of a fence, whose name says the type that its JSON may leave out."""
        value, begin = mended(source), _BRACKET.search(source)
        if value is None and begin is not None:
            # What comes after the fence's name belongs to no block.
            value = mended(source[begin.start() :])
        kind = meant_type({"type": name})
        if value is None:
            # A table may be markdown.
            return _Sentence(text=source) if "|" in source else self._not_shown(kind, "it is not JSON")
        if isinstance(value, list):
            value = {_LISTED.get(kind, "data"): value}
        return self._value({"type": kind, **value} if isinstance(value, dict) else value, kind)

    def _value(self, value: JsonValue, said: str | None) -> Part | None:
        """The part that JSON comes to: a block, or words. ``said`` is the type that the model gave it."""
        kind = meant_type(value) if isinstance(value, dict) else ""
        if isinstance(value, dict) and kind in _TYPES and self._shows_blocks:
            part = make_block(BlockType(kind), value, self._rows, self._timezone, self._row_id)
            return part if isinstance(part, BlockPart) else self._not_shown(kind, part.reason)
        words = in_words(value)
        if said not in (None, TEXT):
            self._log(said, "a popup shows text only" if kind in _TYPES else "there is no such type")
        elif not words:
            self._log(said, "there is nothing in it")
        if words.startswith("- "):
            return _Sentence(text=words if self._line_ended else f"\n\n{words}")
        return TextPart(text=words) if words else None

    def _not_shown(self, name: str | None, reason: str) -> TextPart | None:
        self._log(name, reason)
        sentence = _CANNOT_SHOW.get(name)
        return None if sentence is None or not self._shows_blocks else self._sentence(sentence)

    def _sentence(self, sentence: str) -> TextPart:
        text = translations(self._language).gettext(sentence)
        return _Sentence(text=text if self._line_ended else f"\n\n{text}")

    def _log(self, name: str | None, reason: str) -> None:
        # A type that is no plain name may be any text of the model.
        name = name if name and _NAME.fullmatch(name) else "nameless"
        self._on_invalid(f"Skipped a block ({name}): {reason}.")
