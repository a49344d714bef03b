"""Where a tool's parameter gets its value from: the descriptor that tools are declared with."""

from enum import Enum, StrEnum
from typing import Any, Final

from agents.errors import SpecError


class RouteKind(StrEnum):
    """Who fills a parameter."""

    PROMPT = "prompt"
    CONTEXT = "context"
    ADAPTER = "adapter"
    SESSION = "session"


class _Marker(Enum):
    REQUIRED = "required"
    ABSENT = "absent"


REQUIRED: Final = _Marker.REQUIRED
ABSENT: Final = _Marker.ABSENT
"""The default of a parameter that may be left out and has no value then; an explicit null is something else."""


class Route:
    """One parameter of a tool. On the class it is the declaration, on an instance the value."""

    def __init__(
        self,
        kind: RouteKind,
        *,
        description: str = "",
        default: object = REQUIRED,
        pos: int | None = None,
    ) -> None:
        self.kind = kind
        self.description = description
        self.default = default
        self.pos = pos
        self.name = ""

    # The static methods return Any, as `dataclasses.field` does, so that `title: str = Route.prompt(…)` type-checks.

    @staticmethod
    def prompt(description: str, *, default: Any = REQUIRED, pos: int | None = None) -> Any:
        """Filled from the caller's arguments and shown to the model; ``pos`` orders the parameters.

        With ``default=ABSENT`` the parameter may be left out, which is not the same as giving null.
        """
        return Route(RouteKind.PROMPT, description=description, default=default, pos=pos)

    @staticmethod
    def context(*, init: bool = True) -> Any:  # noqa: ARG004 - read by type checkers
        """Filled from the field of the same name of the ``CallContext``; never shown to the model.

        ``init`` is for type checkers: whether the constructor takes it, which it does at run time, for tests.
        """
        return Route(RouteKind.CONTEXT)

    @staticmethod
    def adapter(*, description: str, default: Any = None) -> Any:
        """A parameter of the model behind the tool, such as its temperature; the caller gives it, shown to them."""
        return Route(RouteKind.ADAPTER, description=description, default=default)

    @staticmethod
    def session(*, description: str = "The conversation to go on with, as an earlier answer named it.") -> Any:
        """The conversation with the model behind the tool that the caller wants to go on with; a new one without."""
        return Route(RouteKind.SESSION, description=description, default=None)

    @property
    def shown(self) -> bool:
        """Whether the caller gives the value."""
        return self.kind is not RouteKind.CONTEXT

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
