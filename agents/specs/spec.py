"""The base of every tool: one declaration from which schema, validation and construction follow."""

from enum import StrEnum
from typing import Any, ClassVar, Protocol, Self, dataclass_transform

from pydantic import BaseModel, JsonValue, ValidationError

from agents.adapters.base import ToolSchema
from agents.calls import Table
from agents.context import CallContext
from agents.errors import ModelRetry, SpecError
from agents.specs import declaration, registry
from agents.specs.route import ABSENT, REQUIRED, Route


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
        cls.tool_name = known_as or declaration.snake_case(cls.__name__)
        cls.routes = declaration.routes_of(cls)
        if abstract:
            return
        cls.tool_description = declaration.description_of(cls)
        declaration.check(cls)
        cls.execution = cls._checked_execution()
        cls.arguments_model = declaration.arguments_model(cls)
        if known_as is None:
            registry.register(cls)

    def __init__(self, **values: Any) -> None:
        """Raises ``TypeError`` for an unknown or missing parameter and ``ModelRetry`` for a wrong value."""
        needed = {route.name for route in self.routes.values() if route.shown and route.default is REQUIRED}
        if values.keys() - self.routes.keys() or needed - values.keys():
            raise TypeError(f"{type(self).__name__}() takes {sorted(self.routes)} and needs {sorted(needed)}.")
        shown = {name: value for name, value in values.items() if self.routes[name].shown}
        try:
            self._take(self.arguments_model.model_validate(shown))
        except ValidationError as error:
            raise ModelRetry(declaration.correction(type(self), error)) from None
        for name in values.keys() - shown.keys():
            setattr(self, name, values[name])

    @classmethod
    def from_arguments(cls, arguments: str, context: CallContext) -> Self:
        """The tool for a caller's JSON text. Raises ``ModelRetry`` that says how the arguments are wrong."""
        spec = cls.__new__(cls)
        try:
            spec._take(cls.arguments_model.model_validate_json(arguments or "{}"))  # noqa: SLF001 - its own instance
        except ValidationError as error:
            raise ModelRetry(declaration.correction(cls, error)) from None
        for route in cls.routes.values():
            if not route.shown:
                setattr(spec, route.name, getattr(context, route.name))
        return spec

    @classmethod
    def schema(cls) -> ToolSchema:
        """What a model sees of this tool."""
        parameters = cls.arguments_model.model_json_schema(schema_generator=declaration.PlainSchema)
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
