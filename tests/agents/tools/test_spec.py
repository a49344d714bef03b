from enum import StrEnum
from zoneinfo import ZoneInfo

import pytest

from agents.errors import ModelRetry, SpecError
from agents.tools.context import CallContext
from agents.tools.routes import ABSENT, Route
from agents.tools.rows import ToolResult
from agents.tools.spec import Agent, Execution, Risk, ToolSpec, registered_tools


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.tools.spec._tools", {})


def paint() -> type[ToolSpec]:
    class PaintFence(ToolSpec):
        """Paint a fence
        in a colour.

        Not for the model.
        """

        agent = Agent.TASKS
        risk = Risk.WRITE

        fence_id: str = Route.prompt("Which fence.")
        colour: Colour = Route.prompt("Which colour.", default=Colour.RED)
        coats: int = Route.prompt("How many coats.", default=ABSENT)
        helper: str | None = Route.prompt("Who helps.", default=ABSENT)
        timezone: ZoneInfo = Route.context(init=False)

        async def execute(self) -> ToolResult:
            return ToolResult(text=f"{self.fence_id} {self.colour} {self.given('coats', 'helper')}")

    return PaintFence


def test_schema_contains_only_prompt_routes() -> None:
    schema = paint().schema()

    assert (schema.name, schema.description) == ("paint_fence", "Paint a fence in a colour.")
    assert schema.parameters == {
        "$defs": {"Colour": {"enum": ["red", "blue"], "title": "Colour", "type": "string"}},
        "additionalProperties": False,
        "properties": {
            "fence_id": {"description": "Which fence.", "type": "string"},
            "colour": {"$ref": "#/$defs/Colour", "description": "Which colour."},
            "coats": {"description": "How many coats.", "type": "integer"},
            "helper": {"type": "string", "description": "Who helps."},
        },
        "required": ["fence_id"],
        "type": "object",
    }


async def test_values_come_from_arguments_and_context(context: CallContext) -> None:
    spec = paint().from_arguments('{"fence_id": "north", "colour": "blue", "helper": null}', context)

    assert await spec.execute() == ToolResult(text="north blue {'helper': None}")
    assert spec.colour is Colour.BLUE  # type: ignore[attr-defined]
    assert spec.timezone == context.timezone  # type: ignore[attr-defined]


async def test_constructor_converts_enum_value() -> None:
    spec = paint()(fence_id="south", colour="blue")

    assert spec.colour is Colour.BLUE  # type: ignore[attr-defined]
    assert spec.coats is ABSENT  # type: ignore[attr-defined]


def test_constructor_raises_type_error_for_missing_or_unknown_parameter() -> None:
    paint_fence = paint()

    with pytest.raises(TypeError):
        paint_fence(colour="blue")
    with pytest.raises(TypeError):
        paint_fence(fence_id="south", depth=3)


def test_constructor_raises_model_retry_for_invalid_value() -> None:
    with pytest.raises(ModelRetry):
        paint()(fence_id="south", colour="green")


@pytest.mark.parametrize(
    ("arguments", "mistake"),
    [
        ("{", "- Invalid JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        ('"north"', "- Input should be an object"),
        ("{}", "- fence_id: Field required"),
        ('{"fence_id": 7}', "- fence_id: Input should be a valid string"),
        ('{"fence_id": "n", "colour": "green"}', "- colour: Input should be 'red' or 'blue'"),
        ('{"fence_id": null}', "- fence_id: Field required"),
        (
            '{"fence_id": "n", "coats": "many"}',
            "- coats: Input should be a valid integer, unable to parse string as an integer",
        ),
        ('{"fence_id": "n", "shade": 1}', "- shade: Extra inputs are not permitted"),
        ('{"fence_id": "n", "color": "red"}', "- color: Extra inputs are not permitted. Did you mean colour?"),
    ],
)
def test_invalid_arguments_are_reported_with_parameters_of_tool(
    arguments: str, mistake: str, context: CallContext
) -> None:
    with pytest.raises(ModelRetry) as told:
        paint().from_arguments(arguments, context)

    assert str(told.value) == (
        "The arguments of paint_fence are not right:\n"
        f"{mistake}\n"
        "It takes: fence_id, colour?, coats?, helper?. Correct them and call it again."
    )


def test_route_on_class_is_its_declaration() -> None:
    route = vars(paint())["colour"]

    assert paint.__name__ == "paint"
    assert (route.name, route.description, route.default) == ("colour", "Which colour.", Colour.RED)


def test_unset_value_raises_spec_error() -> None:
    spec = paint()(fence_id="north")

    with pytest.raises(SpecError, match=r"PaintFence\.timezone has no value yet"):
        _ = spec.timezone  # type: ignore[attr-defined]


def test_routes_are_inherited_and_ordered_by_pos(context: CallContext) -> None:
    class Base(ToolSpec, abstract=True):
        agent = Agent.NOTES
        risk = Risk.READ
        first: str = Route.prompt("One.")

    class Derived(Base):
        """Do it."""

        second: str = Route.prompt("Two.", pos=0)

        async def execute(self) -> ToolResult:
            return ToolResult(text=f"{self.first} {self.second}")

    assert list(Derived.schema().parameters["properties"]) == ["second", "first"]  # type: ignore[call-overload]


async def test_service_class_executes_spec_without_execute(context: CallContext) -> None:
    class Service:
        def __init__(self, *, word: str, language: str) -> None:
            self.words = f"{word} in {language}"

        async def execute(self) -> ToolResult:
            return ToolResult(text=self.words)

    class Say(ToolSpec):
        """Say it."""

        agent = Agent.NOTES
        risk = Risk.READ
        service_cls = Service
        word: str = Route.prompt("What.")
        language: str = Route.context(init=False)

    assert await Say.from_arguments('{"word": "hello"}', context).execute() == ToolResult(text="hello in en")


def test_duplicate_tool_name_is_refused() -> None:
    paint()
    with pytest.raises(SpecError, match="Two tools are named paint_fence"):
        paint()


def test_invalid_declaration_is_refused_at_class_creation() -> None:
    with pytest.raises(SpecError, match="no docstring"):

        class Silent(ToolSpec):
            agent = Agent.TASKS
            risk = Risk.READ

            async def execute(self) -> ToolResult:
                return ToolResult(text="")

    with pytest.raises(SpecError, match="does not say its risk"):

        class Careless(ToolSpec):
            """Do it."""

            agent = Agent.TASKS

            async def execute(self) -> ToolResult:
                return ToolResult(text="")

    with pytest.raises(SpecError, match=r"Vague\.what has no annotation"):

        class Vague(ToolSpec):
            """Do it."""

            agent = Agent.TASKS
            risk = Risk.READ
            what = Route.prompt("What.")

            async def execute(self) -> ToolResult:
                return ToolResult(text="")

    with pytest.raises(SpecError, match=r"Curious\.weather: the call context has no weather"):

        class Curious(ToolSpec):
            """Do it."""

            agent = Agent.TASKS
            risk = Risk.READ
            weather: str = Route.context(init=False)

            async def execute(self) -> ToolResult:
                return ToolResult(text="")

    with pytest.raises(SpecError, match="either an execute of its own or a service_cls"):

        class Idle(ToolSpec):
            """Do it."""

            agent = Agent.TASKS
            risk = Risk.READ

    with pytest.raises(SpecError, match=r"Lazy\.execution must be one of inline, queued"):

        class Lazy(ToolSpec):
            """Do it."""

            agent = Agent.TASKS
            risk = Risk.READ
            execution = "someday"  # type: ignore[assignment]

            async def execute(self) -> ToolResult:
                return ToolResult(text="")

    with pytest.raises(SpecError, match="would hide"):

        class Hiding(ToolSpec):
            """Do it."""

            agent = Agent.TASKS
            risk = Risk.READ
            label: str = Route.prompt("What.")  # type: ignore[misc]

            async def execute(self) -> ToolResult:
                return ToolResult(text="")


def test_variant_of_tool_may_share_its_name() -> None:
    class Sweep(ToolSpec):
        """Sweep the floor."""

        agent = Agent.TASKS
        risk = Risk.WRITE

        async def execute(self) -> ToolResult:
            return ToolResult(text="swept")

    class SweepHere(Sweep, known_as="sweep"):
        """Sweep the floor of this room."""

    assert (SweepHere.tool_name, SweepHere.schema().description) == ("sweep", "Sweep the floor of this room.")
    assert registered_tools()["sweep"] is Sweep


def test_tool_is_inline_by_default() -> None:
    class Rebuild(ToolSpec):
        """Rebuild the house."""

        agent = Agent.TASKS
        risk = Risk.WRITE
        execution = "queued"  # type: ignore[assignment]

        async def execute(self) -> ToolResult:
            return ToolResult(text="rebuilt")

    assert (paint().execution, Rebuild.execution) == (Execution.INLINE, Execution.QUEUED)
    assert isinstance(Rebuild.execution, Execution)
