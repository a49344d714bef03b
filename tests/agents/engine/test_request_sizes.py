"""How much of each home request is instructions and tools, which a model reads every time."""

import json

import pytest

from agents.adapters.chat_request import tool_params
from agents.engine.executor import ToolExecutor
from agents.engine.roster import ROSTER, AgentName
from agents.prompts.names import PromptName
from agents.prompts.rendering import prompt_text, system_message
from agents.tools.context import CallContext

pytestmark = pytest.mark.contracts

CHARACTERS_OF_A_TOKEN = 4


@pytest.mark.parametrize(
    ("agent", "most"),
    [
        (AgentName.TASK_AGENT, 1_600),
        (AgentName.PROJECT_AGENT, 1_300),
        (AgentName.CHECKPOINT_AGENT, 1_200),
        (AgentName.NOTE_AGENT, 1_200),
        (AgentName.GENERAL_AGENT, 2_200),
    ],
)
def test_instructions_and_tools_stay_short(agent: AgentName, most: int, context: CallContext) -> None:
    profile = ROSTER[agent]
    assert profile.role is not None
    prompt = system_message(PromptName.HOME_SYSTEM, {"role": prompt_text(profile.role)}, language="en").text
    tools = tool_params(ToolExecutor(profile.tools, context, found=profile.found).schemas)

    sent = json.dumps([prompt, tools], ensure_ascii=False, separators=(",", ":"))

    assert len(sent) / CHARACTERS_OF_A_TOKEN <= most
