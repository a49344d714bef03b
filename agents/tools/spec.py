"""How a tool is declared: one class, from which schema, validation and construction follow; and all tools by name.

A declaration is checked when the class is made, so that a wrong one stops the import, not a user's turn.
"""

import inspect
import re
from collections.abc import Sequence
from enum import Enum, StrEnum
from typing import Any, ClassVar, Final, Protocol, Self, cast, dataclass_transform, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, create_model
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from agents.adapters.base import ToolSchema
from agents.calls import Table
from agents.errors import ModelRetry, SpecError
from agents.tools.context import CallContext
from agents.tools.rows import ToolResult


class RouteKind(StrEnum):
    """Where a parameter's value comes from."""

    PROMPT = "prompt"
    CONTEXT = "context"
    ADAPTER = "adapter"
    SESSION = "session"


class _Marker(Enum):
    REQUIRED = "required"
    ABSENT = "absent"


REQUIRED: Final = _Marker.REQUIRED
ABSENT: Final = _Marker.ABSENT
"""The default of a parameter that may be left out and then has no value, which is not the same as null."""


class Route:
    """A parameter of a tool, as a descriptor: on the class the declaration, on an instance the value."""

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
        """A parameter of the model behind the tool, such as its temperature; filled from the caller's arguments."""
        return Route(RouteKind.ADAPTER, description=description, default=default)

    @staticmethod
    def session(*, description: str = "The conversation to go on with, as an earlier answer named it.") -> Any:
        """The conversation with the model behind the tool to continue; without it, a new one."""
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


class Agent(StrEnum):
    """The agent that a tool belongs to."""

    TASKS = "tasks"
    PROJECTS = "projects"
    CHECKPOINTS = "checkpoints"
    NOTES = "notes"
    SIDEBAR = "sidebar"
    ALL = "all"
    MODELS = "models"
    """No agent: only other programs may call it."""
    STAFF = "staff"
    """No agent: only staff may call it, with other programs."""


DOMAINS: Final = (Agent.TASKS, Agent.PROJECTS, Agent.CHECKPOINTS, Agent.NOTES)
"""The agents of one domain."""


class Risk(StrEnum):
    """What a tool may do to the user's data."""

    READ = "read"
    WRITE = "write"
    DESTRUCTIVE = "destructive"


class Execution(StrEnum):
    """Where a tool runs."""

    INLINE = "inline"
    """Within the turn that called it."""
    QUEUED = "queued"
    """As a job, which may take minutes and outlives the turn."""


class LocalService(Protocol):
    """Runs a tool of another class, with the tool's values as its own."""

    async def execute(self) -> ToolResult:
        """As ``ToolSpec.execute``."""


class _PlainSchema(GenerateJsonSchema):
    """JSON Schema without the titles that Pydantic makes of names: they are of no use to a model."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - Pydantic's signature
        return False


@dataclass_transform(kw_only_default=True, field_specifiers=(Route.prompt, Route.context, Route.adapter, Route.session))
class ToolSpec:
    """A tool. A subclass declares ``agent``, ``risk``, its parameters as routes, and how it runs.

    It defines ``execute``, or names a ``service_cls`` that runs it, which gets the caller's and the context's values as
    keywords. The docstring's first paragraph is the description that the model reads. A wrong declaration raises
    ``SpecError`` when the class is made; ``abstract=True`` makes a base for other tools. ``known_as`` names a tool that
    only one agent has: it is not registered, so that it may have the name of the general tool that it replaces there.
    """

    agent: ClassVar[Agent]
    domains: ClassVar[Sequence[Agent] | None] = None
    """The domain agents that have it, if not those that ``agent`` names."""
    risk: ClassVar[Risk]
    execution: ClassVar[Execution] = Execution.INLINE
    label: ClassVar[str] = ""
    """A phrase for the user while it runs, such as ``Looking up tasks``."""
    service_cls: ClassVar[type[LocalService] | None] = None
    changes: ClassVar[Table | None] = None
    """The client's table in which it changes a row, so that the user can see the row before it runs.

    Such a tool is tried first: it runs up to its first change, which is not made. So before that change it may only
    read from the client."""

    staff_only: ClassVar[bool] = False
    """Whether only staff may call it, over MCP."""

    tool_name: ClassVar[str]
    tool_description: ClassVar[str]
    routes: ClassVar[dict[str, Route]]
    arguments_model: ClassVar[type[BaseModel]]

    def __init_subclass__(cls, *, abstract: bool = False, known_as: str | None = None) -> None:
        super().__init_subclass__()
        cls.tool_name = known_as or _snake_case(cls.__name__)
        cls.routes = _routes_of(cls)
        if abstract:
            return
        cls.tool_description = _description_of(cls)
        _check(cls)
        cls.execution = cls._checked_execution()
        cls.arguments_model = _arguments_model(cls)
        if known_as is None:
            _register(cls)

    def __init__(self, **values: Any) -> None:
        """Raises ``TypeError`` for an unknown or missing parameter and ``ModelRetry`` for a wrong value."""
        needed = {route.name for route in self.routes.values() if route.shown and route.default is REQUIRED}
        if values.keys() - self.routes.keys() or needed - values.keys():
            raise TypeError(f"{type(self).__name__}() takes {sorted(self.routes)} and needs {sorted(needed)}.")
        shown = {name: value for name, value in values.items() if self.routes[name].shown}
        try:
            self._take(self.arguments_model.model_validate(shown))
        except ValidationError as error:
            raise ModelRetry(_correction(type(self), error)) from None
        for name in values.keys() - shown.keys():
            setattr(self, name, values[name])

    @classmethod
    def from_arguments(cls, arguments: str, context: CallContext) -> Self:
        """The tool with a caller's JSON text as arguments. Raises ``ModelRetry``, which says how they are wrong."""
        spec = cls.__new__(cls)
        try:
            spec._take(cls.arguments_model.model_validate_json(arguments or "{}"))  # noqa: SLF001 - its own instance
        except ValidationError as error:
            raise ModelRetry(_correction(cls, error)) from None
        for route in cls.routes.values():
            if not route.shown:
                setattr(spec, route.name, getattr(context, route.name))
        return spec

    @classmethod
    def is_for(cls, domain: Agent) -> bool:
        """Whether the agent of ``domain`` has this tool."""
        return cls.agent in (domain, Agent.ALL) if cls.domains is None else domain in cls.domains

    @classmethod
    def schema(cls) -> ToolSchema:
        """What a model sees of this tool."""
        parameters = cls.arguments_model.model_json_schema(schema_generator=_PlainSchema)
        parameters.pop("title", None)
        return ToolSchema(name=cls.tool_name, description=cls.tool_description, parameters=parameters)

    @property
    def arguments(self) -> dict[str, JsonValue]:
        """The caller's arguments, as JSON."""
        return self._arguments.model_dump(mode="json", exclude_unset=True)

    def given(self, *names: str) -> dict[str, Any]:
        """Those of the named parameters that the caller gave, including null."""
        return {name: getattr(self, name) for name in names if name in self._given}

    def columns(self, *names: str, **renamed: str) -> dict[str, Any]:
        """As ``given``, by the client's columns: ``due_date`` is ``dueDate``, unless ``renamed`` says otherwise."""
        return {renamed.get(name) or _camel_case(name): value for name, value in self.given(*names).items()}

    async def execute(self) -> ToolResult:
        """Run it. Raises ``ModelRetry`` or ``ToolFailed``."""
        assert self.service_cls is not None  # noqa: S101 - checked when the class was made
        values = {name: getattr(self, name) for name in self.routes}
        return await self.service_cls(
            **{name: value for name, value in values.items() if value is not ABSENT}
        ).execute()

    @classmethod
    def _checked_execution(cls) -> Execution:
        try:
            return Execution(cls.execution)
        except ValueError:
            raise SpecError(f"{cls.__name__}.execution must be one of {', '.join(Execution)}.") from None

    def _take(self, arguments: BaseModel) -> None:
        self._arguments = arguments
        self._given = frozenset(arguments.model_fields_set)
        for route in self.routes.values():
            if route.shown:
                given = route.name in self._given or route.default is not ABSENT
                setattr(self, route.name, getattr(arguments, route.name) if given else ABSENT)


_tools: Final[dict[str, type[ToolSpec]]] = {}


def registered_tools() -> dict[str, type[ToolSpec]]:
    """The registered tools by name, in the order of declaration."""
    return dict(_tools)


def unregister(name: str) -> None:
    """Remove a tool."""
    _tools.pop(name, None)


def _register(tool: type[ToolSpec]) -> None:
    """Raises ``SpecError`` when another tool has its name."""
    if tool.tool_name in _tools:
        raise SpecError(
            f"Two tools are named {tool.tool_name}: {_tools[tool.tool_name].__qualname__} and {tool.__qualname__}."
        )
    _tools[tool.tool_name] = tool


def _snake_case(name: str) -> str:
    """``ListTasks`` becomes ``list_tasks``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _camel_case(name: str) -> str:
    """``due_date`` becomes ``dueDate``."""
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def _routes_of(cls: type[ToolSpec]) -> dict[str, Route]:
    """The routes of ``cls`` and its bases: those with a ``pos`` first, the others in the order of declaration."""
    found: dict[str, Route] = {}
    for base in reversed(cls.__mro__):
        found.update({name: value for name, value in vars(base).items() if isinstance(value, Route)})
    return dict(sorted(found.items(), key=lambda entry: (entry[1].pos is None, entry[1].pos or 0)))


def _description_of(cls: type[ToolSpec]) -> str:
    """The first paragraph of the class's own docstring, on one line."""
    paragraph = inspect.cleandoc(vars(cls).get("__doc__") or "").split("\n\n")[0]
    return " ".join(paragraph.split())


def _check(cls: type[ToolSpec]) -> None:
    """Raises ``SpecError`` when the class cannot be a tool."""
    if not cls.tool_description:
        raise SpecError(f"{cls.__name__} has no docstring: the model would not know what it does.")
    for attribute in ("agent", "risk"):
        if not hasattr(cls, attribute):
            raise SpecError(f"{cls.__name__} does not say its {attribute}.")
    runs_itself = "execute" in {name for base in cls.__mro__[:-2] for name in vars(base)}
    if runs_itself is (cls.service_cls is not None):
        raise SpecError(f"{cls.__name__} needs either an execute of its own or a service_cls.")
    hints = get_type_hints(cls)
    for route in cls.routes.values():
        if route.name in _base_attributes(cls):
            raise SpecError(f"{cls.__name__}.{route.name} would hide what every tool has under that name.")
        if route.name not in hints:
            raise SpecError(f"{cls.__name__}.{route.name} has no annotation.")
        if route.kind is RouteKind.CONTEXT and route.name not in CallContext.__dataclass_fields__:
            raise SpecError(f"{cls.__name__}.{route.name}: the call context has no {route.name}.")


def _base_attributes(cls: type[ToolSpec]) -> set[str]:
    return set(dir(cls.__mro__[-2])) | set(cls.__mro__[-2].__annotations__)


def _arguments_model(cls: type[ToolSpec]) -> type[BaseModel]:
    """The Pydantic model of the arguments. Unknown ones are refused: ignoring one could lose a change."""
    hints = get_type_hints(cls, include_extras=True)
    fields: dict[str, Any] = {
        route.name: (hints[route.name], _field(route)) for route in cls.routes.values() if route.shown
    }
    model = create_model(cls.__name__, __config__=ConfigDict(extra="forbid", frozen=True), **fields)
    return cast("type[BaseModel]", model)


def _field(route: Route) -> Any:
    if route.default is REQUIRED:
        return Field(description=route.description)
    if route.default is None or route.default is ABSENT:
        return Field(default=None, description=route.description, json_schema_extra=_drop_default)
    return Field(default=route.default, description=route.description)


def _drop_default(schema: JsonSchemaValue) -> None:
    # With "default: null", a model would send null to a parameter that does not take it.
    schema.pop("default", None)


def _correction(cls: type[ToolSpec], error: ValidationError) -> str:
    """A line for each mistake in the arguments, in words that a model can act on."""
    mistakes = [_mistake(problem["loc"], problem["msg"]) for problem in error.errors(include_url=False)]
    takes = ", ".join(
        route.name if route.default is REQUIRED else f"{route.name}?" for route in cls.routes.values() if route.shown
    )
    return "\n".join(
        [
            f"The arguments of {cls.tool_name} are not right:",
            *mistakes,
            f"It takes: {takes or 'no arguments'}. Correct them and call it again.",
        ]
    )


def _mistake(path: tuple[int | str, ...], message: str) -> str:
    where = ".".join(str(step) for step in path)
    return f"- {where}: {message}" if where else f"- {message}"
