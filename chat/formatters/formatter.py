"""Turns a model's text, while it arrives, into the parts of an answer.

JSON becomes blocks (``blocks.py``), or text if it is not a block. Thoughts, calls and ids are removed.
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
from chat.formatters.repair import as_markdown, intended_type, listed_rows, repaired_value
from chat.formatters.tables import TableFilter

_NAME: Final = re.compile(r"[a-z][a-z_]{0,31}")
_TYPES: Final = frozenset(BlockType)
_FULL_ID: Final = len("f4ef33bb-4add-58ef-8bfb-0e3731f9bb2f")
_CANNOT_SHOW: Final[Mapping[str | None, str]] = {
    BlockType.CHART: gettext_noop("A chart belongs here, but it cannot be drawn."),
    BlockType.TABLE: gettext_noop("A table belongs here, but it cannot be shown."),
    BlockType.TIMELINE: gettext_noop("A timeline belongs here, but it cannot be shown."),
}
_ARRAY_FIELDS: Final[Mapping[str, str]] = {BlockType.TIMELINE: "checkpoints", BlockType.ENTITY_REF: "ids"}
"""The field that an array is, in a fence with the name of the block."""
_NOTHING: Final = gettext_noop("There is nothing to show.")
_CANNOT_READ: Final = gettext_noop("The answer cannot be shown: the model did not write it as it should have.")
_BRACKET: Final = re.compile(r"[{\[]")
_UNQUOTED: Final = re.compile(
    r"""\s*\{\s*"type"\s*:\s*"text"\s*,\s*"(?:content|text)"\s*:\s*"?(?P<text>[^"{}\[\]]+)"?[\s}\]`]*""", re.DOTALL
)
"""A text block with a missing quote."""


class _Paragraph(TextPart):
    """A paragraph that the formatter composes. The text after it begins a new one."""


class Formatter:
    """``on_invalid`` gets a sentence for the log about each block that is not shown, without words of the model.

    ``rows`` returns the rows that the turn's tools have returned so far. Without ``shows_blocks``, blocks become text.
    The formatter's own sentences are in ``language``, and dates without a time zone in ``timezone``. Ids are removed
    from the text; ``row_id`` resolves short ones.

    The joined text of the parts, and the positions of blocks in it, do not depend on how the model's text was cut.
    Nothing is inserted between two messages. A sentence reports each chart, table or timeline that cannot be shown, and
    a message of which nothing can be shown.
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
        self._texts: list[str] = []
        self._has_cards = False
        """Whether the model has written an ``entity_ref``."""
        self._begin_message()

    def feed(self, text: str) -> list[Part]:
        """The parts that ``text`` completes."""
        self._written = self._written or bool(text.strip())
        return [part for piece in self._model_text.feed(text) for part in self._parts(self._reader.feed(str(piece)))]

    def end_message(self) -> list[Part]:
        """The last parts of the message. The next text begins a new message."""
        if not self._written:
            return []
        parts = [part for piece in self._model_text.end() for part in self._parts(self._reader.feed(str(piece)))]
        parts += self._parts(self._reader.end_message())
        parts += self._separated([TextPart(text=self._rest())])
        if self._shows_blocks:
            sentences = (self._paragraph(_CANNOT_SHOW[kind]) for kind in self._broken if kind in _CANNOT_SHOW)
            parts += self._separated(sentences)
        if not self._shown:
            parts += self._separated([self._paragraph(_CANNOT_READ if self._broken else _NOTHING)])
        self._begin_message()
        return parts

    def cards(self, changed: Sequence[str]) -> list[Part]:
        """Blocks of the rows that the messages so far name by their titles, and of those with the ids ``changed``.

        Empty if the model has written an ``entity_ref`` itself. Projects are left out if there are other rows.
        """
        if not self._shows_blocks or self._has_cards:
            return []
        named = {entity: named_rows("".join(self._texts), self._rows(entity), changed) for entity in Entity}
        if any(rows for entity, rows in named.items() if entity is not Entity.PROJECT):
            del named[Entity.PROJECT]
        return [cards_of(entity, rows) for entity, rows in named.items() if rows]

    def _title(self, row_id: str) -> str | None:
        """The title of the row with a short or full id: None if there is no such row, "" if its title is unknown.

        A row with a full id must be one that the tools have returned.
        """
        is_full = len(row_id) == _FULL_ID
        full_id = row_id if is_full else self._row_id(row_id)
        if full_id is None:
            return None
        rows = (row for entity in Entity for row in self._rows(entity))
        return next((title_of(row) for row in rows if row.get("id") == full_id), None if is_full else "")

    def _begin_message(self) -> None:
        self._model_text = ModelText(())
        self._shown = False
        """Whether the message has shown anything."""
        self._written = False
        """Whether the model has written anything."""
        self._broken: dict[str | None, None] = {}
        """The types of the broken blocks."""
        self._line_ended, self._paragraph_ended = True, False

    def _parts(self, pieces: Sequence[Piece]) -> list[Part]:
        return self._separated(part for piece in pieces for part in self._parts_of(piece))

    def _parts_of(self, piece: Piece) -> Iterator[Part]:
        if isinstance(piece, str):
            yield TextPart(text=self._ids.feed(self._tables.feed(piece)))
        else:
            yield TextPart(text=self._rest())
            part = self._part(piece)
            if part is not None:
                yield part

    def _rest(self) -> str:
        """The text that the filters hold back."""
        return self._ids.feed(self._tables.flush()) + self._ids.flush()

    def _separated(self, found: Iterable[Part]) -> list[Part]:
        """The parts, with an empty line between a ``_Paragraph`` and the text after it."""
        parts: list[Part] = []
        for part in found:
            if isinstance(part, BlockPart):
                self._shown = self._line_ended = True
                self._paragraph_ended = False
                self._has_cards |= part.block_type is BlockType.ENTITY_REF
                parts.append(part)
            elif part.text:
                if self._paragraph_ended:
                    parts.append(TextPart(text="\n" if part.text[0] == "\n" else "\n\n"))
                self._shown = self._shown or not part.text.isspace()
                self._line_ended, self._paragraph_ended = part.text.endswith("\n"), isinstance(part, _Paragraph)
                self._texts.append(part.text)
                parts.append(TextPart(text=part.text))
        return parts

    def _part(self, piece: WholeBlock | FencedBlock | SkippedBlock | Unreadable) -> Part | None:
        match piece:
            case WholeBlock(type=name, source=source):
                value = repaired_value(source)
                return self._not_shown(name, "it cannot be read") if value is None else self._value(value, name)
            case FencedBlock(name=name, source=source):
                return self._fence(name, source)
            case SkippedBlock(type=name, reason=reason):
                self._log(name, reason)
                self._broken[name] = None
                return None
            case Unreadable(source=source):
                return self._repaired(source)

    def _repaired(self, source: str) -> Part | None:
        """The part that the only broken block of a message becomes, if it can be repaired."""
        if len(self._broken) != 1:
            return None
        value = repaired_value(source)
        text = _UNQUOTED.fullmatch(source)
        if value is None and text is None:
            return None
        self._broken.clear()
        return TextPart(text=text["text"]) if text else self._value(value, None)

    def _fence(self, name: str, source: str) -> Part | None:
        """The block in a fence. The name of the fence is its type if the JSON has none."""
        kind = intended_type({"type": name})
        value: JsonValue = listed_rows(source) if kind == BlockType.TIMELINE else None
        value = value or repaired_value(source)
        if value is None and (begin := _BRACKET.search(source)) is not None:
            # Any text between the fence's name and the JSON is ignored.
            value = repaired_value(source[begin.start() :])
        if value is None:
            # A table may be markdown.
            return _Paragraph(text=source) if "|" in source else self._not_shown(kind, "it is not JSON")
        if isinstance(value, list):
            value = {_ARRAY_FIELDS.get(kind, "data"): value}
        return self._value({"type": kind, **value} if isinstance(value, dict) else value, kind)

    def _value(self, value: JsonValue, given_type: str | None) -> Part | None:
        """The part that JSON becomes: a block, or text. ``given_type`` is the type that the model wrote."""
        kind = intended_type(value) if isinstance(value, dict) else ""
        if isinstance(value, dict) and kind in _TYPES and self._shows_blocks:
            part = make_block(BlockType(kind), value, self._rows, self._timezone, self._row_id)
            return part if isinstance(part, BlockPart) else self._not_shown(kind, part.reason)
        text = as_markdown(value)
        if given_type not in (None, TEXT):
            self._log(given_type, "a popup shows text only" if kind in _TYPES else "there is no such type")
        elif not text:
            self._log(given_type, "there is nothing in it")
        if text.startswith("- "):
            return _Paragraph(text=text if self._line_ended else f"\n\n{text}")
        return TextPart(text=text) if text else None

    def _not_shown(self, name: str | None, reason: str) -> TextPart | None:
        self._log(name, reason)
        sentence = _CANNOT_SHOW.get(name)
        return None if sentence is None or not self._shows_blocks else self._paragraph(sentence)

    def _paragraph(self, sentence: str) -> TextPart:
        text = translations(self._language).gettext(sentence)
        return _Paragraph(text=text if self._line_ended else f"\n\n{text}")

    def _log(self, name: str | None, reason: str) -> None:
        # A type that is not a plain name may be any text of the model.
        name = name if name and _NAME.fullmatch(name) else "nameless"
        self._on_invalid(f"Skipped a block ({name}): {reason}.")
