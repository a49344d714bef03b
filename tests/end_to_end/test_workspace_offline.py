"""The workspace without its server, its new versions, and a second browser."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Page, expect

from tests.adiuva.servers import lines_until_ready, reserved_port, serving
from tests.databases import fresh_database
from tests.end_to_end.browsers import shares_browser
from tests.end_to_end.conftest import environment
from tests.end_to_end.workspaces import WorkspaceUser, newcomer, newcomer_at, profile
from tests.faults.proxy import fault_proxy
from tests.forks import Fork

pytestmark = [pytest.mark.end_to_end, pytest.mark.browser, shares_browser]

CACHED = "navigator.serviceWorker.ready.then(() => new Promise((resolve) => { const look = () => \
navigator.serviceWorker.controller ? resolve() : setTimeout(look, 20); look(); }))"
REGISTERED = "navigator.serviceWorker.register = () => navigator.serviceWorker.getRegistration()"


async def test_workspace_works_without_its_server_and_sends_later_what_was_asked(
    database_server: None, browser: Browser, tmp_path: Path
) -> None:
    with fresh_database() as database, reserved_port() as port:
        variables = environment(database, tmp_path / "server")
        with started(variables, port=port) as (process, url):
            async with newcomer(browser, url, with_worker=True) as person:
                page = person.page
                await page.evaluate(CACHED)
                process.kill()
                process.wait(30)

                await page.reload()
                await person.go_to("Tasks")
                await page.get_by_role("checkbox", name="Done: Buy milk").click()
                await expect(page.get_by_role("link", name="Buy milk")).to_have_count(0)
                await page.goto("/app/settings/appearance")
                await expect(page.get_by_role("radio", name="Dark")).to_be_attached()

                await person.go_to("Home")
                await person.ask("Create a task called “Buy bread”")
                await expect(page.get_by_text("Waiting", exact=True)).to_be_visible()
                await person.ask("Which tasks are called bread?")
                await expect(page.get_by_text("Waiting", exact=True)).to_have_count(2)
                await page.reload()
                await expect(page.get_by_text("Waiting", exact=True)).to_have_count(2)
                await expect(page.get_by_text("Thinking…")).to_have_count(0)

                with started(variables, port=port):
                    await expect(person.answers).to_have_count(2)
                    await expect(page.get_by_text("Waiting", exact=True)).to_have_count(0)
                    await expect(person.answers.first).to_contain_text("I created the task “Buy bread”.")
                    await page.reload()
                    await expect(person.answers).to_have_count(2)
                    await person.go_to("Tasks")
                    await expect(page.get_by_role("link", name="Buy bread")).to_have_count(1)


async def test_question_waits_at_once_when_the_network_is_gone(offline: str, browser: Browser) -> None:
    """The server is not heard of for a minute then, but the browser knows."""
    async with profile(browser, offline, with_worker=True) as context:
        person = await newcomer_at(context)
        page = person.page
        await page.evaluate(CACHED)
        await expect(page.get_by_role("button", name="Try now")).to_have_count(0)
        await context.set_offline(True)
        await expect(page.get_by_role("button", name="Try now")).to_be_visible()
        await person.ask("Which tasks are due today?")
        await expect(page.get_by_text("Waiting", exact=True)).to_be_visible()
        await page.reload()
        await expect(page.get_by_text("Waiting", exact=True)).to_be_visible()
        await context.set_offline(False)
        await person.answered("Buy milk")
        await expect(page.get_by_text("Waiting", exact=True)).to_have_count(0)


async def test_question_over_a_dead_connection_outlives_a_reload_and_is_answered_once(
    offline: str, browser: Browser
) -> None:
    """The browser takes the connection for alive for more than a minute."""
    async with (
        fault_proxy(urlsplit(offline).port or 0) as proxy,
        newcomer(browser, f"http://127.0.0.1:{proxy.port}", with_worker=True) as person,
    ):
        page = person.page
        await expect(page.get_by_role("button", name="Try now")).to_have_count(0)
        await page.evaluate(CACHED)
        proxy.forget()
        await person.ask("Create a task called “Buy bread”")
        await expect(page.get_by_text("Thinking…")).to_be_visible()
        await page.goto("about:blank")
        proxy.cut()
        await page.goto("/app/")
        await person.answered("I created the task “Buy bread”.")
        await expect(person.answers).to_have_count(1)
        await expect(page.get_by_text("Waiting", exact=True)).to_have_count(0)
        await person.go_to("Tasks")
        await expect(page.get_by_role("link", name="Buy bread")).to_have_count(1)


async def test_new_version_announces_itself_and_is_used_when_the_user_wants(offline: str, browser: Browser) -> None:
    async with newcomer(browser, offline, with_worker=True) as person:
        await person.page.evaluate(CACHED)
        await another_version(person.page)

        notice = person.page.get_by_role("status").filter(has_text="A new version of Adiuva is ready.")
        # A real new version has the same address, so that its page finds it registered.
        await person.page.add_init_script(REGISTERED)
        async with person.page.expect_event("load"):
            await notice.get_by_role("button", name="Use it now").click()
        used = await person.page.evaluate("navigator.serviceWorker.controller.scriptURL")
        assert used.endswith("?another")
        await expect(notice).to_have_count(0)
        assert person.window.complaints == []


async def test_workspace_can_be_installed_and_asks_to_keep_its_data(offline: str, browser: Browser) -> None:
    async with profile(browser, offline, with_worker=True) as context:
        await context.add_init_script(
            "navigator.storage.persist = async () => { globalThis.isAskedToKeep = true; return true; }"
        )
        person = await newcomer_at(context)
        await person.page.evaluate(CACHED)
        assert await person.page.evaluate("globalThis.isAskedToKeep")
        devtools = await context.new_cdp_session(person.page)
        assert (await devtools.send("Page.getAppManifest"))["errors"] == []
        found = (await devtools.send("Page.getInstallabilityErrors"))["installabilityErrors"]
        # The tests' windows are those that the browser calls incognito.
        assert [each["errorId"] for each in found if each["errorId"] != "in-incognito"] == []


async def test_second_browser_says_where_the_data_is(offline: str, browser: Browser) -> None:
    async with profile(browser, offline) as context, profile(browser, offline) as elsewhere:
        first = await WorkspaceUser.at(context)
        email = await first.sign_up()
        await first.load_examples()
        second = await WorkspaceUser.at(elsewhere)
        await second.sign_in(email)

        place = second.page.get_by_role("region", name="Your data on other devices")
        await expect(place.get_by_text("Chrome on Linux, connected now")).to_be_visible()
        await expect(first.page.get_by_role("region", name="Your data on other devices")).to_have_count(0)
        await place.get_by_role("link", name="Restore from a copy…").click()
        await expect(second.page.get_by_role("button", name="Restore from a copy…")).to_be_visible()


async def another_version(page: Page) -> None:
    """Install the service worker under another address, as a browser does with one that has changed."""
    beside = await page.context.new_page()
    # A page without the workspace's policy.
    await beside.goto("/api/v1/nothing")
    await beside.evaluate("navigator.serviceWorker.register('/app/service-worker.js?another')")
    await beside.close()


@contextmanager
def started(variables: dict[str, str], *, port: int) -> Iterator[tuple[Fork, str]]:
    """A server process; killed at the end."""
    with serving("--port", str(port), env={**os.environ, **variables}) as process:
        yield process, lines_until_ready(process)[1]
