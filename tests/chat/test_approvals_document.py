"""The frames and figures in the page about approvals are valid."""

import json
import re
from pathlib import Path

import pytest

from agents.permissions.approvals import consent
from agents.permissions.approvals.policies import DEFAULTS
from agents.permissions.approvals.repository import _MAX_SHOWN_CHARS
from agents.permissions.approvals.service import LIFETIME_S, POLL_S
from agents.permissions.models import ApprovalState, Decision
from chat.protocol.frames.codec import CLIENT_FRAMES, SERVER_FRAMES, encode

pytestmark = pytest.mark.contracts

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "approvals.md").read_text(encoding="utf-8")


def test_the_question_on_the_page_is_written_as_the_server_writes_it() -> None:
    shown, _ = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)

    assert json.loads(encode(SERVER_FRAMES.validate_json(shown))) == json.loads(shown)


def test_the_answer_on_the_page_is_a_frame() -> None:
    _, answer = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)

    assert CLIENT_FRAMES.validate_json(answer).type == "approval_response"


def test_defaults_and_states_are_those_of_the_code() -> None:
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| `(\w+)`", PAGE, re.MULTILINE)

    assert dict(rows) == {risk.value: decision.value for risk, decision in DEFAULTS.items()}
    named = PAGE.split("An approval has a `state`: ")[1].split(";")[0]
    assert re.findall(r"`(\w+)`", named) == [state.value for state in ApprovalState]
    assert [decision for decision in Decision if f"`{decision.value}`" not in PAGE] == []


@pytest.mark.parametrize(
    ("words", "figure"),
    [
        ("has five minutes", LIFETIME_S == 5 * 60),
        ("looks at its row every two seconds", POLL_S == 2),
        ("three times at most", consent.MAX_QUESTIONS == 3),
        ("more than 10,000 characters is cut", _MAX_SHOWN_CHARS == 10_000),
    ],
)
def test_figures_are_those_of_the_code(words: str, figure: bool) -> None:
    assert words in " ".join(PAGE.split())
    assert figure


def test_every_module_that_the_page_names_is_there() -> None:
    table = PAGE.split("## For developers")[1]
    modules = re.findall(r"`((?:agents|chat)/(?:\w+/)*\w+\.py)`", table)

    assert len(modules) >= 5
    assert [module for module in modules if not (ROOT / module).exists()] == []
