"""The turns by ``pydantic-ai``, streamed. A script of its own: see ``benchmarks.frameworks.processes``."""

# mypy: ignore-errors

import asyncio
import json
import sys
import time

import uvloop
from pydantic_ai import Agent, Tool
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


async def main(given):
    """CPU seconds a turn."""

    async def told(**_arguments):
        return given["told"]

    agent = Agent(
        OpenAIChatModel(given["model"], provider=OpenAIProvider(base_url=given["url"], api_key="none")),
        instructions=given["instructions"],
        tools=[
            Tool.from_schema(told, name=tool["name"], description=tool["description"], json_schema=tool["parameters"])
            for tool in given["tools"]
        ],
    )

    async def turn():
        async with agent.iter(given["message"]) as run:
            async for node in run:
                if Agent.is_model_request_node(node) or Agent.is_call_tools_node(node):
                    async with node.stream(run.ctx) as events:
                        async for _ in events:
                            pass
        assert run.result.output

    for _ in range(given["warm"]):
        await turn()
    before = time.process_time()
    for _ in range(given["turns"]):
        await turn()
    return (time.process_time() - before) / given["turns"]


with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
    print(json.dumps(runner.run(main(json.load(sys.stdin)))))
