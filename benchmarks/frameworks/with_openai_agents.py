"""The turns by ``openai-agents``, streamed. A script of its own: see ``benchmarks.frameworks.processes``."""

# mypy: ignore-errors
# ruff: noqa: I001 (this `agents` is the framework's, not ours)

import asyncio
import json
import sys
import time

import uvloop
from agents import Agent, FunctionTool, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI


async def main(given):
    """CPU seconds a turn."""
    set_tracing_disabled(True)

    async def told(_context, _arguments):
        return given["told"]

    agent = Agent(
        name="assistant",
        instructions=given["instructions"],
        model=OpenAIChatCompletionsModel(given["model"], AsyncOpenAI(api_key="none", base_url=given["url"])),
        tools=[
            FunctionTool(
                name=tool["name"],
                description=tool["description"],
                params_json_schema=tool["parameters"],
                on_invoke_tool=told,
                strict_json_schema=False,
            )
            for tool in given["tools"]
        ],
    )

    async def turn():
        result = Runner.run_streamed(agent, given["message"])
        async for _ in result.stream_events():
            pass
        assert result.final_output

    for _ in range(given["warm"]):
        await turn()
    before = time.process_time()
    for _ in range(given["turns"]):
        await turn()
    return (time.process_time() - before) / given["turns"]


with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
    print(json.dumps(runner.run(main(json.load(sys.stdin)))))
