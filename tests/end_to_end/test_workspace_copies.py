"""All data of a browser: downloaded, deleted, restored there and in another one."""

import base64
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, CDPSession, Locator, Page, expect

from tests.end_to_end.browsers import shares_browser, until_true
from tests.end_to_end.workspaces import WorkspaceUser, newcomer, newcomer_at, profile

pytestmark = [pytest.mark.end_to_end, pytest.mark.browser, shares_browser]


async def download(person: WorkspaceUser, folder: Path) -> Path:
    """The file that the browser saves."""
    settings = await person.set_up("Data")
    async with person.page.expect_download() as coming:
        await settings.get_by_role("button", name="Download a copy").click()
    copy = await coming.value
    file = folder / copy.suggested_filename
    await copy.save_as(file)
    await expect(settings.get_by_text(f"The browser saves it as {copy.suggested_filename}.")).to_be_visible()
    return file


async def choose(page: Page, file: Path) -> Locator:
    """Choose a file on the page; return the confirmation dialog."""
    async with page.expect_file_chooser() as coming:
        await page.get_by_role("button", name="Restore from a copy…").click()
    await (await coming.value).set_files(file)
    return page.get_by_role("group", name=f"Restore from {file.name}?")


async def delete_all(settings: Locator) -> None:
    await settings.get_by_role("button", name="Delete everything here…").click()
    await settings.get_by_role("button", name="Yes, delete all").click()
    await expect(settings.get_by_text("Everything here is deleted.")).to_be_visible()


async def finds_everything(person: WorkspaceUser) -> None:
    """The examples on every page, the conversation on Home, and an answer from the rows."""
    page = person.page
    await person.go_to("Tasks")
    await expect(page.get_by_role("link", name="Water the roses")).to_be_visible()
    await person.go_to("Projects")
    await expect(page.get_by_role("link", name="Garden")).to_be_visible()
    await person.go_to("Notes")
    await expect(page.get_by_text("Ideas for the weekend")).to_be_visible()
    await person.go_to("Timeline")
    await expect(page.get_by_text("Pond is filled").first).to_be_visible()
    await person.go_to("Home")
    chats = page.get_by_role("region", name="Chats")
    await chats.get_by_role("button", name="Which tasks are due today?").click()
    await expect(person.answers.first).to_contain_text("Water the roses")
    await person.ask("What's overdue?")
    await person.answered("You have 1 overdue task.")


async def test_what_was_downloaded_is_restored_after_everything_was_deleted(
    offline: str, browser: Browser, tmp_path: Path
) -> None:
    async with newcomer(browser, offline) as person:
        await person.ask("Which tasks are due today?")
        await person.answered("Water the roses")
        file = await download(person, tmp_path)
        held: dict[str, Any] = json.loads(file.read_text())
        assert (held["format"], held["version"]) == ("adiuva-copy", 1)
        counts = {table: len(rows) for table, rows in held["rows"].items()}
        assert counts == {
            "tasks": 12,
            "projects": 2,
            "checkpoints": 3,
            "notes": 3,
            "taskComments": 0,
            "clients": 0,
            "ai_chat_sessions": 1,
            "ai_chat_messages": 2,
        }

        settings = await person.set_up("Data")
        await delete_all(settings)
        await person.go_to("Home")
        await expect(person.answers).to_have_count(0)
        await person.go_to("Tasks")
        await expect(person.page.get_by_role("link", name="Water the roses")).to_have_count(0)
        await person.page.reload()
        await expect(person.page.get_by_role("button", name="New task").first).to_be_visible()
        await expect(person.page.get_by_role("link", name="Water the roses")).to_have_count(0)
        await person.set_up("Data")
        nothing = json.loads((await download(person, tmp_path / "after")).read_text())
        assert [rows for rows in nothing["rows"].values() if rows] == []

        question = await choose(person.page, file)
        await expect(question).to_contain_text("12 tasks, 2 projects, 3 checkpoints, 3 notes and 1 conversation")
        await expect(question).to_contain_text("None of it is here yet.")
        await question.get_by_role("button", name="Restore it").click()
        await expect(settings.get_by_text("Restored: 12 tasks, 2 projects")).to_be_visible()
        await finds_everything(person)
        assert person.window.complaints == []


async def test_rows_that_are_here_are_replaced_where_a_tab_shows_them(
    offline: str, browser: Browser, tmp_path: Path
) -> None:
    async with newcomer(browser, offline) as person:
        file = await download(person, tmp_path)
        held = json.loads(file.read_text())
        for task in held["rows"]["tasks"]:
            task["title"] = f"{task['title']} again"
        file.write_text(json.dumps(held))
        other = await WorkspaceUser.at(person.page.context)
        await other.go_to("Tasks")
        await expect(other.page.get_by_role("link", name="Buy milk", exact=True)).to_be_visible()

        question = await choose(person.page, file)
        await expect(question).to_contain_text("All of them are here already and would be replaced.")
        await question.get_by_role("button", name="Restore it").click()

        await expect(other.page.get_by_role("link", name="Buy milk again", exact=True)).to_be_visible()
        await expect(other.page.get_by_role("link", name="Buy milk", exact=True)).to_have_count(0)


async def test_file_that_is_no_whole_copy_changes_nothing(offline: str, browser: Browser, tmp_path: Path) -> None:
    async with newcomer(browser, offline) as person:
        file = await download(person, tmp_path)
        held = json.loads(file.read_text())
        settings = await person.set_up("Data")
        await delete_all(settings)

        async def refused(text: str, sentence: str) -> None:
            file.write_text(text)
            question = await choose(person.page, file)
            await expect(settings.get_by_role("alert")).to_have_text(sentence)
            await expect(question).to_have_count(0)

        await refused('{"todo": ["milk"]}', "This file is no copy of Adiuva’s data.")
        await refused(json.dumps(held)[:-9], "This file is no copy of Adiuva’s data, or not all of one.")
        newer = (
            "This copy was made by a newer version of Adiuva. Restore it with that one, or bring this one up to date."
        )
        await refused(json.dumps({**held, "version": 2}), newer)
        held["rows"]["notes"][1]["updatedAt"] = "now"
        moment = 'updatedAt must be a whole number of milliseconds, not "now".'
        await refused(json.dumps(held), f"This copy is broken: notes, row 2: {moment}")
        await person.go_to("Tasks")
        await expect(person.page.get_by_role("link", name="Water the roses")).to_have_count(0)


async def test_copy_is_restored_into_another_account_in_another_browser(
    offline: str, browser: Browser, tmp_path: Path
) -> None:
    async with profile(browser, offline) as first, profile(browser, offline) as second:
        alice, bob = await WorkspaceUser.at(first), await WorkspaceUser.at(second)
        await alice.sign_up()
        await alice.load_examples()
        await alice.ask("Which tasks are due today?")
        await alice.answered("Water the roses")
        file = await download(alice, tmp_path)

        await bob.sign_up()
        settings = await bob.set_up("Data")
        question = await choose(bob.page, file)
        await question.get_by_role("button", name="Restore it").click()
        await expect(settings.get_by_text("Restored: 12 tasks, 2 projects")).to_be_visible()

        await finds_everything(bob)


async def test_thousands_of_rows_are_restored_while_the_page_goes_on(
    offline: str, browser: Browser, tmp_path: Path
) -> None:
    async with newcomer(browser, offline) as person:
        file = await download(person, tmp_path)
        held = json.loads(file.read_text())
        [some, *_] = held["rows"]["tasks"]
        held["rows"]["tasks"] = [{**some, "id": f"t{index}", "title": f"Task {index}"} for index in range(10_000)]
        file.write_text(json.dumps(held))
        question = await choose(person.page, file)
        await expect(question).to_contain_text("10,000 tasks")
        counting = await _working_time(person.page)
        before = await _worked_s(counting)

        await question.get_by_role("button", name="Restore it").click()
        await expect(person.page.get_by_text("Restored: 10,000 tasks")).to_be_visible()

        # No single task can block the page for longer than its tasks take in total.
        assert await _worked_s(counting) - before < _BUSY_S


_BUSY_S = 1.0


async def _working_time(page: Page) -> CDPSession:
    """Measure from now on how long the page's main thread works; waiting for a busy machine does not count."""
    session = await page.context.new_cdp_session(page)
    await session.send("Performance.enable", {"timeDomain": "threadTicks"})
    return session


async def _worked_s(counting: CDPSession) -> float:
    counted = (await counting.send("Performance.getMetrics"))["metrics"]
    return next(float(each["value"]) for each in counted if each["name"] == "TaskDuration")


async def test_backups_are_made_by_themselves_and_restored_with_their_passphrase(
    offline: str, browser: Browser, tmp_path: Path
) -> None:
    async with profile(browser, offline) as context:
        # The browser's own dialog cannot be operated: a folder of the page's own is as good.
        await context.add_init_script(
            "window.showDirectoryPicker = async () =>"
            " (await navigator.storage.getDirectory()).getDirectoryHandle('Backups', { create: true });"
        )
        person = await newcomer_at(context)
        settings = await person.set_up("Data")
        await settings.get_by_label("Passphrase, at least 12 characters").fill(PASSPHRASE)
        await settings.get_by_label("The same again").fill(PASSPHRASE)
        await settings.get_by_role("button", name="Choose the folder…").click()
        await expect(settings.get_by_text("Every day, into the folder “Backups”.")).to_be_visible()
        await expect(settings.get_by_text("The last backup: Today")).to_be_visible()
        [first] = await in_folder(person.page)

        await person.page.clock.install(time=datetime.now(UTC) + timedelta(days=2))
        await person.page.reload()
        await person.page.clock.run_for(5_000)
        await until_true(person.page, f"({FOLDER}).then((names) => names.length === 2)")
        assert first in await in_folder(person.page)

        file = tmp_path / first
        file.write_bytes(base64.b64decode(await person.page.evaluate(READ, first)))
        assert b"Buy milk" not in file.read_bytes()
        await delete_all(settings)
        async with person.page.expect_file_chooser() as coming:
            await person.page.get_by_role("button", name="Restore from a copy…").click()
        await (await coming.value).set_files(file)
        passphrase = settings.get_by_label(f"The passphrase of {first}")
        await passphrase.fill("not the passphrase")
        await settings.get_by_role("button", name="Open it").click()
        await expect(settings.get_by_role("alert")).to_have_text("This is not the passphrase of this backup.")
        await passphrase.fill(PASSPHRASE)
        await settings.get_by_role("button", name="Open it").click()
        await settings.get_by_role("button", name="Restore it").click()
        await expect(settings.get_by_text("Restored: 12 tasks")).to_be_visible()
        assert person.window.complaints == []


PASSPHRASE = "correct horse battery staple"
FOLDER = """navigator.storage.getDirectory()
    .then((root) => root.getDirectoryHandle('Backups')).then((folder) => Array.fromAsync(folder.keys()))"""
READ = """async (name) => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('Backups');
    const bytes = await (await (await folder.getFileHandle(name)).getFile()).arrayBuffer();
    return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}"""


async def in_folder(page: Page) -> list[str]:
    names: list[str] = await page.evaluate(FOLDER)
    return names
