"""Tools that are models: each configured model becomes ``chat_with_<name>``, which other programs can call.

The assistant's own agents do not have them, because a model would pass on another model's answer without checking it.
"""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Annotated, ClassVar, Final, Self
from uuid import UUID

from pydantic import Field

from agents.adapters.base import Blueprint, ModelParams, Parameter, earlier, whole_text
from agents.errors import ModelRetry, ToolError, ToolFailed
from agents.tools.context import CallContext, Dialogues, Turn, Work
from agents.tools.routes import Route
from agents.tools.rows import ToolResult
from agents.tools.spec import Agent, Risk, ToolSpec, registered_tools, unregister

_HOTTEST: Final = 2
_PARAMETERS: Final[Mapping[Parameter, tuple[object, str]]] = MappingProxyType(
    {
        Parameter.TEMPERATURE: (
            Annotated[float, Field(ge=0, le=_HOTTEST)] | None,
            "How freely it chooses its words, from 0 to 2; its own default without.",
        ),
        Parameter.MAX_TOKENS: (Annotated[int, Field(ge=1)] | None, "How many tokens it may write at most."),
    }
)
"""The type and the description of each parameter."""


class ChatWithModel(ToolSpec, abstract=True):
    """A conversation with one model, which knows nothing of the user but what it is told here."""

    agent = Agent.MODELS
    risk = Risk.READ
    label = "Asking a model"
    outlives = ("prompt",)

    blueprint: ClassVar[Blueprint]

    prompt: str = Route.prompt("What to say to the model.")
    session: UUID | None = Route.session()
    language: str = Route.context(init=False)
    now: Callable[[], datetime] = Route.context(init=False)
    dialogues: Dialogues | None = Route.context(init=False)
    work: Work | None = Route.context(init=False)

    @classmethod
    def from_arguments(cls, arguments: str, context: CallContext) -> Self:
        """As ``ToolSpec.from_arguments``. The error for a parameter that this model does not take names both."""
        try:
            given = json.loads(arguments or "{}")
        except (ValueError, RecursionError):  # reported when the arguments are validated
            given = None
        for parameter in Parameter if isinstance(given, dict) else ():
            if parameter in given and parameter not in cls.routes:
                raise ModelRetry(f"{cls.blueprint.model} takes no {parameter}: leave it out.")
        return super().from_arguments(arguments, context)

    async def execute(self) -> ToolResult:
        model, kept = self.blueprint.name, self.dialogues
        if self.session is not None and kept is None:
            raise ToolFailed("No sessions are kept here: leave the session out.")
        asked = Turn(role="user", content=self.prompt)

        async def answered() -> str:
            before = () if kept is None or self.session is None else await kept.turns(self.session, model)
            chosen = {parameter.value: getattr(self, parameter) for parameter in self.blueprint.parameters}
            params = ModelParams(language=self.language, now=self.now(), **chosen)
            return await whole_text(self.blueprint.adapter, earlier((*before, asked)), params)

        answer = await self._once("model's answer", answered)
        if kept is None:
            return ToolResult(text=answer, foreign=True)

        async def added() -> str:
            return str(await kept.add(self.session, model, (asked, Turn(role="assistant", content=answer))))

        try:
            session = await self._once("session", added)
        except ToolError as error:  # the answer exists, and was paid for
            return ToolResult(text=f"{answer}\n\n[This could not be kept as a session. {error}]", foreign=True)
        return ToolResult(text=f"{answer}\n\n[session: {session}]", foreign=True)

    async def _once(self, step: str, words: Callable[[], Awaitable[str]]) -> str:
        """The result of ``words``. In a job, this is the result of an earlier run, if there was one."""
        return await words() if self.work is None else await self.work.once(step, words)


def publish(blueprints: Iterable[Blueprint]) -> list[type[ChatWithModel]]:
    """Register a tool for each of ``blueprints``, in place of those of earlier calls.

    Raises ``SpecError`` if two have the same name.
    """
    for name, tool in registered_tools().items():
        if issubclass(tool, ChatWithModel):
            unregister(name)
    return [_tool(blueprint) for blueprint in blueprints]


def _tool(blueprint: Blueprint) -> type[ChatWithModel]:
    taken = [parameter for parameter in Parameter if parameter in blueprint.parameters]
    return type(
        # Its snake case is the tool's name, so the blueprint's underscores and digits are kept.
        f"ChatWith_{blueprint.name}",
        (ChatWithModel,),
        {
            "__doc__": f"Talk with the model {blueprint.model}. {blueprint.description}".strip(),
            "__module__": __name__,
            "__annotations__": {parameter.value: _PARAMETERS[parameter][0] for parameter in taken},
            "blueprint": blueprint,
            **{parameter.value: Route.adapter(description=_PARAMETERS[parameter][1]) for parameter in taken},
        },
    )
