"""The view of MCP Apps in a host built with the extension's SDK, in Chromium, under its strictest policy."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from playwright.async_api import Browser, FrameLocator, Route, expect

from agents.calls import Table
from agents.mcp.apps import VIEW
from agents.permissions.approvals.policies import Policies
from agents.permissions.models import Decision
from tests.agents.mcp.worlds import SAMS, World, headers, read_at, request, serving
from tests.end_to_end.browsers import Window, shares_browser, window
from tests.end_to_end.conftest import browser
from tests.integrators.conftest import TOOLS, tool

__all__ = ["browser"]
pytestmark = [pytest.mark.browser, shares_browser]

APPS: Final = TOOLS / "programs" / "mcp-apps"
HOST: Final = "https://host.example"
POLICY: Final = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "media-src 'self' data:; connect-src 'none'; frame-src 'self'; object-src 'none'; base-uri 'self'"
)
"""The default of the extension (2026-01-26) for a page that asks for nothing."""
DAY: Final = 86_400_000
MONDAY: Final = 1_774_857_600_000
"""30 March 2026, 10 in the morning in Rome."""
LONG_AGO: Final = 989_920_800_000
CONTEXT: Final = {"theme": "light", "locale": "en-GB", "timeZone": "Europe/Rome", "openLinks": True}


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The host's program in one file."""
    bundle = tmp_path_factory.mktemp("host") / "host.js"
    tool("esbuild", APPS / "host.js", "--bundle", "--format=esm", f"--outfile={bundle}", cwd=TOOLS)
    return bundle


@asynccontextmanager
async def opened(browser: Browser, host: Path) -> AsyncIterator[Window]:
    """A window with the host's page; no page of it reaches a server."""
    files = {
        f"{HOST}/": (APPS / "host.html", "text/html", {}),
        f"{HOST}/host.js": (host, "text/javascript", {}),
        "https://sandbox.example/": (APPS / "sandbox.html", "text/html", {"content-security-policy": POLICY}),
    }

    async def answer(route: Route) -> None:
        if route.request.url not in files:
            await route.abort()
            return
        file, kind, more = files[route.request.url]
        await route.fulfill(path=file, content_type=kind, headers={"content-type": kind, **more})

    async with window(browser, HOST) as opened_window:
        await opened_window.page.route("**/*", answer)
        await opened_window.page.goto("/")
        yield opened_window


async def results(world: World, tool: str, arguments: Mapping[str, object]) -> tuple[str, dict[str, Any]]:
    """The view, and the result of a call by a host of MCP Apps."""
    body = request("tools/call", name=tool, arguments=arguments)
    capabilities = body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]
    capabilities["extensions"][EXTENSION_ID] = {"mimeTypes": [APP_MIME_TYPE]}
    async with serving(world) as client:
        [view] = (await read_at(client, VIEW, token=SAMS))["result"]["contents"]
        answer = await client.post("/mcp", json=body, headers=headers("tools/call", tool, token=SAMS))
    return view["text"], answer.json()["result"]


async def shown(opened_window: Window, view: str, result: object, **changed: object) -> FrameLocator:
    """The view's frame once the host has given it the result."""
    page = opened_window.page
    await page.wait_for_function("window.show !== undefined")
    await page.evaluate(
        "([html, result, context]) => show(html, result, context)", [view, result, {**CONTEXT, **changed}]
    )
    return page.frame_locator("iframe").frame_locator("iframe")


def world() -> World:
    """An endpoint whose device has rows of every kind that the view shows."""
    made = World()
    assert made.client is not None
    rows = made.client.rows
    rows[Table.TASKS] += [
        {
            "id": "t1",
            "title": "Pay <b>the rent</b>",
            "status": "todo",
            "priority": "high",
            "dueDate": LONG_AGO,
        },
        {"id": "t2", "title": "Plan the garden party", "status": "in_progress", "assignee": '["Anna", "Bruno"]'},
        {"id": "t3", "title": "Buy milk", "status": "done", "priority": "low", "dueDate": LONG_AGO},
        {"id": "t4", "title": "Write to the landlord about the windows that do not close", "status": "todo"},
    ]
    rows[Table.CHECKPOINTS] += [
        {"id": "k2", "title": "Launch", "date": MONDAY + 30 * DAY, "projectId": "p1"},
        {"id": "k1", "title": "Beta", "date": MONDAY, "projectId": "p1"},
    ]
    rows[Table.TASK_COMMENTS].append(
        {"id": "c1", "taskId": "t1", "author": "Anna", "content": "By Friday, please", "createdAt": MONDAY}
    )
    return made


async def test_tasks_are_shown_as_chart_and_cards(browser: Browser, host: Path) -> None:
    async with opened(browser, host) as opened_window:
        view = await shown(opened_window, *await results(world(), "list_tasks", {}))
        cards = view.locator(".cards li")
        await expect(cards).to_have_count(4)
        # Text of the user is never interpreted as HTML.
        await expect(cards.first).to_contain_text("Pay <b>the rent</b>")
        await expect(cards.first.locator(".facts")).to_have_text("to do · high priority · 15 May 2001 · overdue")
        await expect(view.locator(".late")).to_have_count(1)
        await expect(cards.nth(1)).to_contain_text("in progress · Anna · Bruno")
        await expect(view.locator(".chart span")).to_have_text(["to do", "2", "in progress", "1", "done", "1"])
        await expect(view.locator("h2")).to_have_text("Tasks by status")
        told = await opened_window.page.evaluate("told")
        assert told["view"] == {"name": "adiuva", "version": "1"}
        assert told["sizes"] > 0
        assert opened_window.complaints == []
        assert opened_window.hosts == {HOST, "https://sandbox.example"}


async def test_checkpoints_are_shown_as_timeline_in_hosts_time_zone(browser: Browser, host: Path) -> None:
    async with opened(browser, host) as opened_window:
        view = await shown(opened_window, *await results(world(), "list_checkpoints", {}), theme="dark")
        await expect(view.locator(".timeline li")).to_have_text(["30 Mar 2026Beta", "29 Apr 2026Launch"])
        assert await view.locator("html").evaluate("page => getComputedStyle(page).colorScheme") == "dark"


async def test_comments_are_shown_as_table(browser: Browser, host: Path) -> None:
    async with opened(browser, host) as opened_window:
        view = await shown(opened_window, *await results(world(), "list_task_comments", {"task_id": "t1"}))
        await expect(view.locator("th")).to_have_text(["Author", "Comment", "Date"])
        await expect(view.locator("td").first).to_have_text("Anna")


async def test_open_question_is_shown_as_link(browser: Browser, host: Path) -> None:
    asked = World(asks=True, policies=Policies(tools={"delete_task": Decision.ASK}), client=world().client)
    async with opened(browser, host) as opened_window:
        view = await shown(opened_window, *await results(asked, "delete_task", {"task_id": "t1"}))
        await expect(view.get_by_role("button")).to_have_count(1)
        await view.get_by_role("button", name="Open Adiuva").click()
        await opened_window.page.wait_for_function("told.links.length === 1")
        assert await opened_window.page.evaluate("told.links") == ["http://localhost/app/"]


async def test_address_of_question_is_shown_if_host_opens_no_links(browser: Browser, host: Path) -> None:
    asked = World(asks=True, policies=Policies(tools={"delete_task": Decision.ASK}), client=world().client)
    async with opened(browser, host) as opened_window:
        given = await results(asked, "delete_task", {"task_id": "t1"})
        view = await shown(opened_window, *given, openLinks=False)
        await expect(view.locator(".question")).to_contain_text("http://localhost/app/")
        await expect(view.get_by_role("button")).to_have_count(0)


async def test_result_without_blocks_is_shown_as_text(browser: Browser, host: Path) -> None:
    async with opened(browser, host) as opened_window:
        view = await shown(opened_window, *await results(World(), "list_tasks", {}))
        await expect(view.locator("main")).to_have_text("Found no tasks.")


async def test_view_cannot_reach_network(browser: Browser, host: Path) -> None:
    """The frame enforces the policy."""
    async with opened(browser, host) as opened_window:
        view = await shown(opened_window, *await results(world(), "list_tasks", {}))
        tried = "() => fetch('https://host.example/host.js').then(() => 'reached', () => 'blocked')"
        assert await view.locator("html").evaluate(tried) == "blocked"
