"""The base of every tool: one declaration from which schema, validation and construction follow; and all tools by name.

A declaration is checked when the class is made, so that a wrong one stops the import, not a user's turn.
"""

import inspect
import re
from enum import StrEnum
from typing import Any, ClassVar, Final, Protocol, Self, cast, dataclass_transform, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, create_model
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from agents.adapters.base import ToolSchema
from agents.calls import Table
from agents.errors import ModelRetry, SpecError
from agents.tools.context import CallContext
from agents.tools.spec.route import ABSENT, REQUIRED, Route, RouteKind


class Agent(StrEnum):
    """Which agent a tool belongs to; some belong to all."""

    TASKS = "tasks"
    PROJECTS = "projects"
    CHECKPOINTS = "checkpoints"
    NOTES = "notes"
    SIDEBAR = "sidebar"
    ALL = "all"
    MODELS = "models"
    """None of ours: what other programs alone may call."""
    STAFF = "staff"
    """None of ours either: what staff may call by other programs."""


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
    """As a job of its own, which may take minutes and outlives the turn."""


class LocalService(Protocol):
    """Anything that runs a tool here: the tool's values in, text for the model out; it has no model fields."""

    async def execute(self) -> str:
        """The text for the model. Raises ``ModelRetry`` or ``ToolFailed``."""


class _PlainSchema(GenerateJsonSchema):
    """JSON Schema without the titles that Pydantic makes of names: they tell a model nothing."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - Pydantic's signature
        return False


@dataclass_transform(kw_only_default=True, field_specifiers=(Route.prompt, Route.context, Route.adapter, Route.session))
class ToolSpec:
    """A tool. A subclass declares ``agent``, ``risk``, its parameters as routes, and how it runs.

    One that defines ``execute`` is its own service. One with ``service_cls`` is run by that class, which is made with
    the caller's and the context's values as keywords. The docstring's first paragraph is what the model reads. A
    wrong declaration raises ``SpecError`` when the class is made; ``abstract=True`` makes a base for other tools.
    ``known_as`` names a tool that one agent alone has: it is not registered, so that it may bear the name of the
    general tool whose place it takes there.
    """

    agent: ClassVar[Agent]
    risk: ClassVar[Risk]
    execution: ClassVar[Execution] = Execution.INLINE
    label: ClassVar[str] = ""
    """What a person reads while it runs, such as ``Looking up tasks``."""
    service_cls: ClassVar[type[LocalService] | None] = None
    changes: ClassVar[Table | None] = None
    """The client's table in which it changes a row, so that the user can be shown the row before it runs.

    Such a tool is tried out first: it runs up to its first change, which is not made. So it may do nothing before that
    change but read from the client."""

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
        """The tool for a caller's JSON text. Raises ``ModelRetry`` that says how the arguments are wrong."""
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
    def schema(cls) -> ToolSchema:
        """What a model sees of this tool."""
        parameters = cls.arguments_model.model_json_schema(schema_generator=_PlainSchema)
        parameters.pop("title", None)
        return ToolSchema(name=cls.tool_name, description=cls.tool_description, parameters=parameters)

    @property
    def arguments(self) -> dict[str, JsonValue]:
        """What the caller gave, as JSON."""
        return self._arguments.model_dump(mode="json", exclude_unset=True)

    def given(self, *names: str) -> dict[str, Any]:
        """Those of the named parameters that the caller gave, null included."""
        return {name: getattr(self, name) for name in names if name in self._given}

    async def execute(self) -> str:
        """The text for the model. Raises ``ModelRetry`` or ``ToolFailed``."""
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
    """The declared tools by name, in the order in which they were declared."""
    return dict(_tools)


def unregister(name: str) -> None:
    """Take a tool out again."""
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


def _routes_of(cls: type[ToolSpec]) -> dict[str, Route]:
    """The routes of ``cls`` and its bases: those with a ``pos`` first, the others as they were declared."""
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
    """The Pydantic model of what the caller gives. Unknown arguments are refused: ignoring one could lose a change."""
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
    # "default: null" beside a type that takes no null would invite the model to send one.
    schema.pop("default", None)


def _correction(cls: type[ToolSpec], error: ValidationError) -> str:
    """What is wrong with the arguments, one line a mistake, in words that a model can act on."""
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
