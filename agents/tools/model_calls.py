"""Reading a model's calls as they were meant: broken JSON, misspelled names. Pure.

Only what has a single meaning is read. JSON that is cut off is refused, because a part of the arguments may be missing.
"""

import ast
import json
import re
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from difflib import get_close_matches
from types import UnionType
from typing import Any, ClassVar, Final, Literal, Union, get_args, get_origin

import json5
from pydantic import BaseModel, ConfigDict, JsonValue, model_validator

from agents.tools.arguments import null_in

MAX_BROKEN_CHARACTERS: Final = 16_384
"""The longest text that is read as something else than JSON, because those parsers take microseconds per character."""
_FENCE: Final = re.compile(r"```\w*\s*(.*?)\s*```", re.DOTALL)
_NOT_A_LETTER: Final = re.compile(r"[^a-z0-9]")
_HALF_ESCAPED: Final = re.compile(r"\\u[dD][89a-fA-F]")
_NOT_SENDABLE: Final = re.compile(r"[^A-Za-z0-9_-]")
_PROJECT: Final = "project_id"
_ID: Final = re.compile(r"\W*(?:[a-z]{1,2}\d+|[0-9a-f]{8}-[0-9a-f-]{27})\W*", re.IGNORECASE)
_MAX_NAME_CHARS: Final = 64
_WRAPPERS: Final = ("arguments", "parameters")
_MAX_LIKE: Final = 3


class Arguments(BaseModel):
    """The arguments of a tool. Unknown ones are refused: ignoring one could lose a change.

    Numbers, flags and lists may be given as text. Null for a parameter that takes no null is left out.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    _accepted: ClassVar[Mapping[str, tuple[object, ...]]] = {}
    """The types that each parameter accepts. Analysing an annotation takes longer than validating a value."""

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        super().__pydantic_init_subclass__(**options)
        cls._accepted = {name: _kinds(field.annotation) for name, field in cls.model_fields.items()}

    @model_validator(mode="before")
    @classmethod
    def _read(cls, given: object) -> object:
        if not isinstance(given, dict):
            return given
        kinds = cls._accepted
        read = {name: _as_one_of(kinds.get(name, ()), value) for name, value in given.items()}
        return {name: value for name, value in read.items() if value is not None or type(None) in kinds.get(name, ())}


def read_arguments(text: str, parameters: Collection[str]) -> dict[str, JsonValue]:
    """The object in ``text``, for a tool with ``parameters``. Raises ``ValueError``, which says what is wrong.

    Takes JSON, JSON5 and Python's literals, in a fenced block, as JSON in a string, and within the whole call. A lone
    surrogate is U+FFFD.
    """
    value = _value(text)
    if isinstance(value, str):
        with suppress(ValueError):
            value = _value(value)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError("Input should be an object")  # noqa: TRY004 - a mistake of the model
    if _HALF_ESCAPED.search(text):
        value = _with_whole_characters(value)
    for name in _WRAPPERS:
        inside = value.get(name)
        if name not in parameters and value.keys() <= {name, "name", "type"} and isinstance(inside, dict):
            return inside
    return value


def with_project_in_name(
    given: Mapping[str, JsonValue], parameters: Collection[str], row: str
) -> Mapping[str, JsonValue]:
    """``given`` with a project that no parameter takes in the name of the row, the parameter ``row``.

    Small models copy both from the user's message. The project must not be ignored, because other projects may have a
    row of this name. The resolver of names knows “Draft (Garden)”.
    """
    name, project = given.get(row), given.get(_PROJECT)
    if _PROJECT in parameters or not (isinstance(name, str) and isinstance(project, str)):
        return given
    if not name.strip() or not project.strip() or any(map(_ID.fullmatch, (name, project))):
        return given
    return {each: value for each, value in given.items() if each != _PROJECT} | {row: f"{name} ({project})"}


def as_object(text: str) -> str:
    """``text`` if it is a JSON object, else the object that is read in it, or ``{}``."""
    with suppress(ValueError, RecursionError):
        if isinstance(json.loads(text, parse_constant=_refused), dict):
            return text
    with suppress(ValueError):
        return json.dumps(read_arguments(text, _WRAPPERS), ensure_ascii=False)
    return "{}"


def find_name(said: str, names: Collection[str]) -> str | None:
    """The one of ``names`` that ``said`` means; None if unclear. Ignores case, punctuation and a part before a dot."""
    if said in names:
        return said
    plain = _plain(said.rpartition(".")[2])
    found = [name for name in names if _plain(name) == plain]
    return found[0] if len(found) == 1 else None


def sendable_name(said: str) -> str:
    """``said``, which no tool has as its name, in the form that the APIs of models accept in a later request."""
    return _NOT_SENDABLE.sub("_", said)[:_MAX_NAME_CHARS] or "unnamed"


def like(said: str, names: Collection[str]) -> str:
    """`` Did you mean a or b?``; empty if none of ``names`` is similar to ``said``."""
    found = get_close_matches(said.lower(), names, n=_MAX_LIKE)
    return f" Did you mean {' or '.join(found)}?" if found else ""


def _with_whole_characters(value: dict[str, JsonValue]) -> dict[str, JsonValue]:
    written = json.dumps(value, ensure_ascii=False).encode("utf-16-le", "surrogatepass")
    whole: dict[str, JsonValue] = json.loads(written.decode("utf-16-le", "replace"))
    return whole


def _value(text: str) -> JsonValue:
    text = text.strip()
    if fenced := _FENCE.fullmatch(text):
        text = fenced[1]
    if not text:
        return None
    try:
        # Not strict, because models break lines within texts.
        return _loads(text)
    except (ValueError, RecursionError) as error:
        problem = str(error)
    for parse in _PARSERS if len(text) <= MAX_BROKEN_CHARACTERS else ():
        try:
            value: JsonValue = parse(text)
            json.dumps(value, allow_nan=False)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            continue
        return value
    raise ValueError(f"Invalid JSON: {problem}")


def _loads(text: str) -> JsonValue:
    value: JsonValue = _JSON.decode(text)
    return value


def _refused(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON")


# ``json.loads`` would create a decoder for each text.
_JSON: Final = json.JSONDecoder(strict=False, parse_constant=_refused)

_PARSERS: Final[tuple[Callable[[str], JsonValue], ...]] = (json5.loads, ast.literal_eval)


def _kinds(annotation: object) -> tuple[object, ...]:
    """The types that a parameter accepts, and the values of a literal."""
    if get_origin(annotation) not in (Union, UnionType, Literal):
        return (annotation,)
    return tuple(kind for part in get_args(annotation) for kind in _kinds(part))


def _as_one_of(kinds: Collection[object], value: JsonValue) -> object:
    """``value`` as a list of texts, a flag or None, if a model has sent a text or a boolean for it."""
    if str not in kinds and null_in(value) is None:
        return None
    if isinstance(value, str) and list[str] in kinds:
        with suppress(ValueError):
            listed = _loads(value)
            return listed if isinstance(listed, list) else [value]
        return [value]
    if isinstance(value, str | bool) and 0 in kinds and 1 in kinds:
        return {"0": 0, "false": 0, "1": 1, "true": 1}.get(str(value).lower(), value)
    return value


def _plain(name: str) -> str:
    return _NOT_A_LETTER.sub("", name.lower())
