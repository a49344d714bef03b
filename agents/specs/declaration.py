"""What a tool's class says of itself: its routes, its description, the model of its arguments.

Everything here runs when the class is made, so that a wrong declaration stops the import, not a user's turn.
"""

import inspect
import re
from typing import TYPE_CHECKING, Any, cast, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from agents.context import CallContext
from agents.errors import SpecError
from agents.specs.route import ABSENT, REQUIRED, Route, RouteKind

if TYPE_CHECKING:
    from agents.specs.spec import ToolSpec


class PlainSchema(GenerateJsonSchema):
    """JSON Schema without the titles that Pydantic makes of names: they tell a model nothing."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - Pydantic's signature
        return False


def snake_case(name: str) -> str:
    """``ListTasks`` becomes ``list_tasks``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def routes_of(cls: type["ToolSpec"]) -> dict[str, Route]:
    """The routes of ``cls`` and its bases: those with a ``pos`` first, the others as they were declared."""
    found: dict[str, Route] = {}
    for base in reversed(cls.__mro__):
        found.update({name: value for name, value in vars(base).items() if isinstance(value, Route)})
    return dict(sorted(found.items(), key=lambda entry: (entry[1].pos is None, entry[1].pos or 0)))


def description_of(cls: type["ToolSpec"]) -> str:
    """The first paragraph of the class's own docstring, on one line."""
    paragraph = inspect.cleandoc(vars(cls).get("__doc__") or "").split("\n\n")[0]
    return " ".join(paragraph.split())


def check(cls: type["ToolSpec"]) -> None:
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


def _base_attributes(cls: type["ToolSpec"]) -> set[str]:
    return set(dir(cls.__mro__[-2])) | set(cls.__mro__[-2].__annotations__)


def arguments_model(cls: type["ToolSpec"]) -> type[BaseModel]:
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


def correction(cls: type["ToolSpec"], error: ValidationError) -> str:
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
