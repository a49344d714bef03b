"""How the class of a tool declares its parameters. Pure."""

import re
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from agents.calls import Table
from agents.errors import SpecError


class _Marker(Enum):
    REQUIRED = "required"
    ABSENT = "absent"


REQUIRED: Final = _Marker.REQUIRED
ABSENT: Final = _Marker.ABSENT
"""The default of a parameter that may be left out and then has no value, which is not the same as null."""


_NAMING: Final = "Id or exact title."


@dataclass(eq=False, kw_only=True)
class Route:
    """A parameter of a tool, as a descriptor: on the class the declaration, on an instance the value.

    ``shown`` is whether the caller gives the value. The other fields are as for ``Route.prompt``.
    """

    shown: bool = True
    description: str = ""
    default: object = REQUIRED
    pos: int | None = None
    names: Table | None = None
    told: bool = True
    founded: re.Pattern[str] | None = None
    cleared: re.Pattern[str] | None = None
    is_date: bool = False
    own_words: bool = False
    mentioned: bool = False
    name: str = ""

    # The static methods return Any, as `dataclasses.field` does, so that `title: str = Route.prompt(…)` type-checks.

    @staticmethod
    def prompt(
        description: str = "",
        *,
        default: Any = REQUIRED,
        pos: int | None = None,
        names: Table | None = None,
        told: bool = True,
        founded: re.Pattern[str] | None = None,
        cleared: re.Pattern[str] | None = None,
        is_date: bool = False,
        own_words: bool = False,
        mentioned: bool = False,
    ) -> Any:
        """A value from the caller's arguments, which the model is shown. ``pos`` orders the parameters.

        ``description`` is for what the name does not say. A model reads it in each request, so every word counts. With
        ``default=ABSENT`` the parameter may be left out, which is not the same as giving null. A parameter that
        ``names`` a row of a table accepts the row's id or exact title, and has the id when the tool runs.

        The other options exist because small models give a value to each parameter that they see. A parameter that is
        not ``told`` is accepted, but is not in the schema. The value of one that is ``founded`` on words is dropped if
        nothing that the model has read contains any of them; for a text with ``own_words``, it is enough if the user
        said a word of it that no other parameter has. An empty value may also rest on the words by which the parameter
        is ``cleared``. A parameter that ``is_date`` is compared with the day that the user names. The value of one that
        must be ``mentioned`` is dropped if no message contains a word of it.
        """
        if names is not None and not description:
            description = _NAMING
        return Route(
            description=description,
            default=default,
            pos=pos,
            names=names,
            told=told,
            founded=founded,
            cleared=cleared,
            is_date=is_date,
            own_words=own_words,
            mentioned=mentioned,
        )

    @staticmethod
    def context(*, init: bool = True) -> Any:  # noqa: ARG004 - read by type checkers
        """The value of the field with the same name in the ``CallContext``, which the model is not shown.

        ``init`` is only for type checkers: with ``init=False``, the constructor does not accept the parameter. At run
        time it does, for tests.
        """
        return Route(shown=False)

    @staticmethod
    def adapter(*, description: str, default: Any = None) -> Any:
        """A parameter of the model behind the tool, such as its temperature, from the caller's arguments."""
        return Route(description=description, default=default)

    @staticmethod
    def session() -> Any:
        """The conversation to continue with the model behind the tool. Without it, a new one begins."""
        return Route(description="The conversation to go on with, as an earlier answer named it.", default=None)

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object | None, owner: type) -> Any:
        if instance is None:
            return self
        try:
            return vars(instance)[self.name]
        except KeyError:
            raise SpecError(f"{owner.__name__}.{self.name} has no value yet.") from None

    def __set__(self, instance: object, value: object) -> None:
        vars(instance)[self.name] = value
