"""How a tool is declared: one class, from which schema, validation and construction follow; and all tools by name.

A declaration is checked when the class is made, so that a wrong one stops the import, not a user's turn.
"""

import inspect
import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any, ClassVar, Final, Protocol, Self, dataclass_transform, get_args, get_type_hints

from pydantic import BaseModel, BeforeValidator, Field, JsonValue, ValidationError, create_model
from pydantic.alias_generators import to_camel

from agents.adapters.base import ToolSchema
from agents.calls import Table
from agents.errors import ModelRetry, SpecError
from agents.tools.arguments import PlainSchema, is_placeholder, null_in
from agents.tools.context import CallContext
from agents.tools.model_calls import Arguments, like, read_arguments, with_project_in_name
from agents.tools.routes import ABSENT, REQUIRED, Route
from agents.tools.rows import ToolResult


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
    PROGRAMS = "programs"
    """No agent: what other programs need to work with the others."""
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
    """Runs a tool of another class: it is made with the values of that tool's parameters."""

    async def execute(self) -> ToolResult:
        """As ``ToolSpec.execute``."""


class MadeUp(Protocol):
    """Says whether the user has used no word of ``name``.

    With ``whole``, they must have used all of its words. With ``there_is``, a row has this name, and they may also have
    pointed at it.
    """

    def __call__(self, name: str, /, *, whole: bool = False, there_is: bool = False) -> bool: ...


def is_placeholder_name(name: str, /, *, whole: bool = False, there_is: bool = False) -> bool:  # noqa: ARG001
    """The ``MadeUp`` of a call that no conversation leads to: only placeholders are made up."""
    return not there_is and is_placeholder(name)


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """The row that a queued tool is about, and the columns in which it ``replaces`` the text by what a model writes."""

    table: Table
    row_id: str
    replaces: Sequence[str] = ()


@dataclass_transform(kw_only_default=True, field_specifiers=(Route.prompt, Route.context, Route.adapter, Route.session))
class ToolSpec:
    """A tool. A subclass declares ``agent``, ``risk``, its parameters as routes, and how it runs.

    It defines ``execute``, or names a ``service_cls`` that runs it, which gets the caller's and the context's values as
    keywords. The docstring's first paragraph is the description that the model reads. A wrong declaration raises
    ``SpecError`` when the class is made; ``abstract=True`` makes a base for other tools. A tool that has
    its name from ``known_as`` is not registered: only some agents have it, in place of the registered one, if any.
    """

    agent: ClassVar[Agent]
    domains: ClassVar[Sequence[Agent] | None] = None
    """The domain agents that have it, if not those that ``agent`` names."""
    risk: ClassVar[Risk]
    execution: ClassVar[Execution] = Execution.INLINE
    label: ClassVar[str] = ""
    """What the user sees while it runs, such as ``Looking up tasks``."""
    service_cls: ClassVar[type[LocalService] | None] = None
    changes: ClassVar[Table | None] = None
    """The client's table in which it changes a row, so that the user can see the row before it runs.

    For that it is tried first: it runs up to its first change, which is not made. So before that change it may only
    read from the client."""

    @property
    def target(self) -> "Target | None":
        """The row that a job of this tool is about. Such a tool is not tried, because it would ask a model first."""
        return None

    overwrites: ClassVar[bool] = False
    """Whether what it writes replaces something, rather than adding to it."""

    outlives: ClassVar[Sequence[str]] = ()
    """The parameters whose texts are kept beyond the conversation, or sent elsewhere."""
    asked_by: ClassVar[Sequence[str]] = ()
    """Words of which the user must have used one, besides those of ``outlives``. Empty: the texts alone are enough."""

    @property
    def is_bounded(self) -> bool:
        """Whether it reads only the page that the user looks at, or nothing of theirs."""
        return False

    group: ClassVar[str] = ""
    """The group whose scope a personal token needs for it (``mcp/exposure.py``); empty for that of ``agent``."""
    further_scopes: ClassVar[Sequence[str]] = ()
    """Scopes that a token also needs, such as ``notes:read``, because the tool works with rows of other groups."""
    staff_only: ClassVar[bool] = False
    """Whether only staff may call it, over MCP."""

    tool_name: ClassVar[str]
    tool_description: ClassVar[str]
    routes: ClassVar[dict[str, Route]]
    arguments_model: ClassVar[type[BaseModel]]
    _row: ClassVar[str]
    """The parameter with the row that has to be named; empty if there is none."""
    _reads_one_row: ClassVar[bool]
    """Whether it only reads one row, which has to be named, so that arguments that it does not know can be ignored."""

    def __init_subclass__(cls, *, abstract: bool = False, known_as: str | None = None) -> None:
        super().__init_subclass__()
        # In snake case: ListTasks becomes list_tasks.
        cls.tool_name = known_as or re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        cls.routes = _routes_of(cls)
        if abstract:
            return
        own_paragraph = inspect.cleandoc(vars(cls).get("__doc__") or "").split("\n\n")[0]
        cls.tool_description = " ".join(own_paragraph.split())
        _check(cls)
        cls.arguments_model = _arguments_model(cls)
        needed = [route for route in cls.routes.values() if route.shown and route.default is REQUIRED]
        cls._row = next((route.name for route in needed if route.names is not None), "")
        cls._reads_one_row = cls.risk is Risk.READ and bool(cls._row)
        if known_as is None:
            if other := _tools.get(cls.tool_name):
                raise SpecError(f"Two tools are named {cls.tool_name}: {other.__qualname__} and {cls.__qualname__}.")
            _tools[cls.tool_name] = cls

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
            parameters = cls.arguments_model.model_fields
            given = with_project_in_name(read_arguments(arguments, parameters), parameters, cls._row)
            if cls._reads_one_row:
                given = {name: value for name, value in given.items() if name in parameters}
            spec._take(cls.arguments_model.model_validate(given))  # noqa: SLF001 - its own instance
        except ValueError as error:
            raise ModelRetry(_correction(cls, error), correctable=True) from None
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
        """What a caller sees of this tool."""
        parameters = cls.arguments_model.model_json_schema(schema_generator=PlainSchema)
        parameters.pop("title", None)
        for route in cls.routes.values():
            if not route.told:
                del parameters["properties"][route.name]
        return ToolSchema(name=cls.tool_name, description=cls.tool_description, parameters=parameters)

    @cached_property
    def arguments(self) -> Mapping[str, JsonValue]:
        """The caller's arguments, as JSON."""
        return self._arguments.model_dump(mode="json", exclude_unset=True)

    @property
    def lasting_arguments(self) -> Mapping[str, JsonValue]:
        """``arguments`` and what else the page and the conversation decide, for the registered tool of this name."""
        return self.arguments

    def given(self, *names: str) -> dict[str, Any]:
        """Those of the named parameters that the caller gave, including null."""
        return {name: getattr(self, name) for name in names if name in self._arguments.model_fields_set}

    def columns(self, *names: str, **renamed: str) -> dict[str, Any]:
        """``given`` with the client's names of columns: ``due_date`` is ``dueDate``, unless ``renamed`` has another."""
        return {renamed.get(name) or to_camel(name): value for name, value in self.given(*names).items()}

    def naming(self) -> Mapping[str, Table]:
        """The parameters that name a row, with its table."""
        return {name: route.names for name, route in self.routes.items() if route.names is not None}

    def leave_out(self, names: Collection[str]) -> None:
        """Remove the arguments ``names``, none of which is required."""
        given = self._arguments.model_dump(exclude_unset=True)
        self._take(self.arguments_model.model_validate({k: v for k, v in given.items() if k not in names}))

    def put(self, values: Mapping[str, JsonValue]) -> None:
        """Set the arguments of these names to ``values``."""
        self._take(self.arguments_model.model_validate({**self._arguments.model_dump(exclude_unset=True), **values}))

    async def name_rows(
        self,
        row_id: Callable[[Table, str], Awaitable[str]],
        *,
        is_made_up: MadeUp = is_placeholder_name,
    ) -> None:
        """Replace the names of rows by the ids that ``row_id`` returns. Raises as it does.

        Optional arguments are removed if they name no row and are ``is_made_up``, such as placeholders. So are those
        that say to what a new row belongs, if the user has not named it: models fill in what they have read before.
        """
        naming, unnamed = self.naming(), set[str]()
        names = {name: said for name, said in self.given(*naming).items() if isinstance(said, str) and said}
        if not names:
            return
        given = self._arguments.model_dump(exclude_unset=True)
        for name, said in names.items():
            table, optional = naming[name], self.routes[name].default is not REQUIRED
            try:
                given[name] = await row_id(table, said)
                if optional and self.risk is Risk.WRITE and not self.overwrites and is_made_up(said, there_is=True):
                    unnamed.add(name)
            except ModelRetry as error:
                if not optional:
                    raise
                if self.risk is Risk.READ and any(given[other] == said for other in given if other != name):
                    # Small models give the name of a person as that of a project, too.
                    unnamed.add(name)
                    continue
                if self.risk is Risk.READ and (elsewhere := await self._named_elsewhere(said, names, row_id)):
                    given |= elsewhere
                    unnamed.add(name)
                    continue
                # A search for what is not even like a row's name finds nothing in any case.
                is_unlike = not error.correctable
                is_invented = is_made_up(said, whole=is_unlike and self.risk is Risk.READ) or (
                    # A row stays where it is unless the user speaks of a place.
                    is_unlike and self.overwrites and is_made_up(said, whole=True, there_is=True)
                )
                if not is_invented:
                    hint = f"Leave {name} out if the user did not name one."
                    raise ModelRetry(f"{error}\n{hint}", correctable=True) from None
                unnamed.add(name)
        self._take(self.arguments_model.model_validate({k: v for k, v in given.items() if k not in unnamed}))

    async def _named_elsewhere(
        self, said: str, names: Collection[str], row_id: Callable[[Table, str], Awaitable[str]]
    ) -> Mapping[str, str]:
        """The parameter for rows of the kind that ``said`` names, with the row's id, if it is not one of ``names``.

        Small models give the title of a task as that of its project. A single word is rather a person.
        """
        if len(said.split()) == 1:
            return {}
        for name, table in self.naming().items():
            if name not in names:
                with suppress(ModelRetry):
                    return {name: await row_id(table, said)}
        return {}

    async def execute(self) -> ToolResult:
        """Run it. Raises ``ModelRetry`` or ``ToolFailed``."""
        assert self.service_cls is not None  # noqa: S101 - checked when the class was made
        values = {name: value for name in self.routes if (value := getattr(self, name)) is not ABSENT}
        return await self.service_cls(**values).execute()

    def _take(self, arguments: BaseModel) -> None:
        self._arguments = arguments
        given, own = arguments.model_fields_set, vars(self)
        own.pop("arguments", None)  # cached from the previous ones
        for name, value in vars(arguments).items():
            # What the route's ``__set__`` would do, without a call for each.
            own[name] = value if name in given or self.routes[name].default is not ABSENT else ABSENT


_tools: Final[dict[str, type[ToolSpec]]] = {}


def registered_tools() -> dict[str, type[ToolSpec]]:
    """The registered tools by name, in the order of declaration."""
    return dict(_tools)


def unregister(name: str) -> None:
    """Remove a tool."""
    _tools.pop(name, None)


def _routes_of(cls: type[ToolSpec]) -> dict[str, Route]:
    """The routes of ``cls`` and its bases: those with a ``pos`` first, the others in the order of declaration."""
    found: dict[str, Route] = {}
    for base in reversed(cls.__mro__):
        found.update({name: value for name, value in vars(base).items() if isinstance(value, Route)})
    return dict(sorted(found.items(), key=lambda entry: (entry[1].pos is None, entry[1].pos or 0)))


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
    try:
        cls.execution = Execution(cls.execution)
    except ValueError:
        raise SpecError(f"{cls.__name__}.execution must be one of {', '.join(Execution)}.") from None
    base, hints = cls.__mro__[-2], get_type_hints(cls)
    for route in cls.routes.values():
        if route.name in {*dir(base), *base.__annotations__}:
            raise SpecError(f"{cls.__name__}.{route.name} would hide what every tool has under that name.")
        if route.name not in hints:
            raise SpecError(f"{cls.__name__}.{route.name} has no annotation.")
        if not route.shown and route.name not in CallContext.__dataclass_fields__:
            raise SpecError(f"{cls.__name__}.{route.name}: the call context has no {route.name}.")


def _arguments_model(cls: type[ToolSpec]) -> type[BaseModel]:
    """The Pydantic model of the arguments. Unknown ones are refused: ignoring one could lose a change."""
    hints = get_type_hints(cls, include_extras=True)
    fields: dict[str, Any] = {}
    for route in cls.routes.values():
        if route.shown:
            default = ... if route.default is REQUIRED else None if route.default is ABSENT else route.default
            hint = hints[route.name]
            if type(None) in get_args(hint):
                hint = Annotated[hint, BeforeValidator(null_in)]
            fields[route.name] = (hint, Field(default=default, description=route.description or None))
    return create_model(cls.__name__, __base__=Arguments, **fields)


def _correction(cls: type[ToolSpec], error: ValueError) -> str:
    """A line for each mistake in the arguments, in words that a model can act on."""
    lines = [f"The arguments of {cls.tool_name} are not right:"]
    for problem in error.errors(include_url=False) if isinstance(error, ValidationError) else ():
        where = ".".join(map(str, problem["loc"]))
        hint = like(where, cls.arguments_model.model_fields) if problem["type"] == "extra_forbidden" else ""
        lines.append(f"- {where}: {problem['msg']}{hint and f'.{hint}'}")
    if not isinstance(error, ValidationError):
        lines.append(f"- {error}")
    takes = ", ".join(
        route.name if route.default is REQUIRED else f"{route.name}?" for route in cls.routes.values() if route.shown
    )
    return "\n".join([*lines, f"It takes: {takes or 'no arguments'}. Correct them and call it again."])
