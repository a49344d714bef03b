"""The briefs as prompts: in the user's language, with the user's rows."""

from dataclasses import replace
from typing import Any

import mcp_types
import pytest

from agents.calls import Table
from agents.mcp.prompts import PROMPTS
from agents.permissions.sharing import Marks
from tests.agents.mcp import worlds
from tests.agents.mcp.worlds import ALICE, ALICES, SAMS, World, answered, completed, prompted, serving

TASK = {"type": "ref/prompt", "name": "task_brief"}


@pytest.fixture
def world() -> World:
    """An endpoint whose device has tasks, two of them with the same title."""
    world = World()
    assert world.client is not None
    rows = world.client.rows
    rows[Table.PROJECTS].append({"id": "p1", "name": "Website", "status": "active", "aiSummary": "It goes well."})
    rows[Table.TASKS] += [
        {"id": "t1", "title": "Pay the rent", "status": "todo", "projectId": "p1", "dueDate": 1774710000000},
        {"id": "t2", "title": "Buy milk", "status": "todo", "projectId": None},
        {"id": "t3", "title": "Buy milk", "status": "done", "projectId": None},
    ]
    return world


def text_of(answer: dict[str, Any]) -> str:
    [message] = answer["result"]["messages"]
    assert message["role"] == "user"
    text: str = message["content"]["text"]
    return text


async def test_prompts_are_listed_in_users_language(world: World) -> None:
    async with serving(world) as client:
        italian = (await answered(client, "prompts/list"))["result"]["prompts"]
        english = (await answered(client, "prompts/list", token=SAMS))["result"]["prompts"]
    assert [each["name"] for each in italian] == [prompt.name for prompt in PROMPTS]
    assert [each["title"] for each in english] == [prompt.title for prompt in PROMPTS]
    assert italian[0]["title"] == "Riepilogo di una giornata"
    assert {each["name"]: each["arguments"] for each in english}["task_brief"] == [
        {"name": "task", "description": "The task, by its title or id.", "required": True}
    ]


async def test_daily_brief_contains_request_and_rows(world: World) -> None:
    async with serving(world) as client:
        text = text_of(await prompted(client, "daily_brief", {}))
    assert text.startswith("Scrivi il riepilogo della giornata")
    assert "2026-03-29" in text
    assert "== Due that day ==" in text
    assert "[id t1]" in text
    assert ("mcp: tests", Table.TASKS, "t1") in world.disclosures.listed


@pytest.mark.parametrize("said", ["t1", "Pay the rent", "pay the RENT!"])
async def test_row_is_found_by_id_or_title(world: World, said: str) -> None:
    async with serving(world) as client:
        text = text_of(await prompted(client, "task_brief", {"task": said}))
    assert '== The task ==\n"Pay the rent"' in text


async def test_weekly_review_and_project_summary_contain_their_rows(world: World) -> None:
    async with serving(world) as client:
        week = text_of(await prompted(client, "weekly_review", {}))
        project = text_of(await prompted(client, "project_summary", {"project": "website"}))
    assert "== Due today and in the seven days after ==" in week
    assert "It goes well." in project


@pytest.mark.parametrize(
    ("prompt", "arguments", "said"),
    [
        ("daily_brief", {"date": "soon"}, "write it as"),
        ("daily_brief", {"date": "0001-01-01"}, "write it as"),
        ("task_brief", {}, "needs the argument task"),
        ("task_brief", {"task": "Fly"}, "no task with this id or title"),
        ("task_brief", {"task": "Buy milk"}, "give the id"),
        ("project_summary", {"project": "Fly"}, "no project"),
        ("sonnet", {}, "no prompt named"),
    ],
)
async def test_invalid_arguments_get_json_rpc_error(
    world: World, prompt: str, arguments: dict[str, str], said: str
) -> None:
    async with serving(world) as client:
        error = (await prompted(client, prompt, arguments))["error"]
    assert error["code"] == mcp_types.INVALID_PARAMS
    assert said in error["message"]


async def test_completion_offers_titles_or_ids_of_equal_titles(world: World) -> None:
    async with serving(world) as client:
        found = [(await completed(client, TASK, "task", said))["result"]["completion"] for said in ("rent", "")]
        other = (await completed(client, {"type": "ref/prompt", "name": "daily_brief"}, "date", "2"))["result"]
    assert [each["values"] for each in found] == [["Pay the rent"], ["Pay the rent", "t2", "t3"]]
    assert other["completion"]["values"] == []


async def test_prompts_contain_no_hidden_rows(world: World) -> None:
    world.marks.held = Marks(projects=frozenset({"p1"}))
    async with serving(world) as client:
        text = text_of(await prompted(client, "daily_brief", {}))
        hidden = (await prompted(client, "task_brief", {"task": "t1"}))["error"]
        unknown = (await prompted(client, "task_brief", {"task": "zz"}))["error"]
        found = (await completed(client, TASK, "task", "rent"))["result"]["completion"]
    assert ("rent" in text, hidden, found["total"]) == (False, unknown, 0)


async def test_prompt_requires_scopes_of_all_its_tables(world: World) -> None:
    token = f"{ALICES}/tasks:read,projects:read,checkpoints:read"
    async with serving(world) as client:
        listed = (await answered(client, "prompts/list", token=token))["result"]["prompts"]
        error = (await prompted(client, "daily_brief", {}, token=token))["error"]
    assert [each["name"] for each in listed] == ["weekly_review"]
    assert error["data"] == {"code": "insufficient_scope", "missing": ["notes:read"]}


async def test_language_without_catalogue_falls_back_to_english(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worlds, "ALICE", replace(ALICE, language="fr"))
    async with serving(world) as client:
        assert text_of(await prompted(client, "weekly_review", {})).startswith("Write the review of my week")
