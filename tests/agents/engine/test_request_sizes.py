"""Limits on the size of instructions and tools, which are part of every request."""

import json

import pytest

from agents.adapters.chat_request import tool_params
from agents.engine.executor import ToolExecutor
from agents.engine.roster import ROSTER, SIDEBAR, AgentName, AgentProfile
from agents.prompts.names import PromptName
from agents.prompts.rendering import prompt_text, system_message
from agents.tools.context import CallContext

pytestmark = pytest.mark.contracts

CHARACTERS_OF_A_TOKEN = 4


@pytest.mark.parametrize(
    ("profile", "most"),
    [
        (ROSTER[AgentName.TASK_AGENT], 1_350),
        (ROSTER[AgentName.PROJECT_AGENT], 1_150),
        (ROSTER[AgentName.CHECKPOINT_AGENT], 1_000),
        (ROSTER[AgentName.NOTE_AGENT], 1_100),
        (ROSTER[AgentName.GENERAL_AGENT], 1_900),
        (SIDEBAR, 1_400),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_instructions_and_tools_stay_short(profile: AgentProfile, most: int, context: CallContext) -> None:
    name = PromptName.HOME_SYSTEM if profile.role else PromptName.CONTEXTUAL_SYSTEM
    prompt = system_message(name, {"role": prompt_text(profile.role) if profile.role else ""}, language="en").text
    tools = tool_params(ToolExecutor(profile.tools, context, found=profile.found).schemas)

    sent = json.dumps([prompt, tools], ensure_ascii=False, separators=(",", ":"))

    assert len(sent) / CHARACTERS_OF_A_TOKEN <= most
