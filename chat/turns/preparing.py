"""What a turn finds out before it asks the model: who answers, and what is remembered. Both at the same time."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from agents.engine.roster import AgentName
from agents.engine.router import classify_intent
from chat.turns.asking import Kit, Person
from memory.recall import Remembered


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """Who answers, and what of the memory goes along."""

    agent: AgentName
    remembered: Remembered


async def prepare(
    kit: Kit, person: Person, message: str, *, on_agent: Callable[[AgentName], None] | None = None
) -> Prepared:
    """Choose the agent for ``message`` while the memory is asked; ``on_agent`` is told as soon as it is chosen."""

    async def choose() -> AgentName:
        agent = await classify_intent(message, kit.adapter, language=person.language)
        if on_agent is not None:
            on_agent(agent)
        return agent

    if kit.memory is None:
        return Prepared(agent=await choose(), remembered=Remembered())
    async with asyncio.TaskGroup() as tasks:
        recalling = tasks.create_task(kit.memory.recall(person.user_id, message), name="recalling")
        agent = await choose()
    return Prepared(agent=agent, remembered=recalling.result())
