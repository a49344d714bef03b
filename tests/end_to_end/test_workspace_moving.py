"""Data that comes from other programs into the workspace and goes to them, and pictures in backups."""

import base64
import zipfile
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Browser, BrowserContext, Locator, Page, expect

from tests.effort import LONG
from tests.end_to_end.browsers import shares_browser
from tests.end_to_end.workspaces import EXPORTED, WorkspaceUser, profile

pytestmark = [pytest.mark.end_to_end, pytest.mark.browser, shares_browser]
only_long = pytest.mark.skipif(not LONG, reason="takes longer: run it with ./dev test --long")

PICTURE: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg=="
)
PASSPHRASE: Final = "correct horse battery staple"
FOLDER_PICKER: Final = (
    # The browser's own dialog cannot be operated: a folder of the page's own is as good.
    "window.showDirectoryPicker = async () =>"
    " (await navigator.storage.getDirectory()).getDirectoryHandle('Picked', { create: true });"
)
PATHS: Final = """async () => {
    const paths = async (folder, before) => {
        const found = [];
        for await (const [name, handle] of folder.entries()) {
            const path = `${before}${name}`;
            found.push(...(handle.kind === "directory" ? await paths(handle, `${path}/`) : [path]));
        }
        return found;
    };
    const root = await navigator.storage.getDirectory();
    return (await paths(await root.getDirectoryHandle("Picked"), "")).sort();
}"""
READ: Final = """async (name) => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('Picked');
    const bytes = await (await (await folder.getFileHandle(name)).getFile()).arrayBuffer();
    return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}"""


async def test_what_todoist_exported_is_shown_imported_and_undone(offline: str, browser: Browser) -> None:
    async with profile(browser, offline) as context:
        person = await signed_up(context)
        found = await person.choose_to_import(*sorted((EXPORTED / "todoist").iterdir()))
        await expect(found).to_contain_text("8 tasks, 1 project and 1 comment")
        await expect(found).to_contain_text("From Todoist")
        await expect(found).to_contain_text("1 is left out")
        await found.get_by_role("button", name="Import it").click()
        await expect(person.page.get_by_text("Imported: 8 tasks, 1 project and 1 comment.")).to_be_visible()

        await person.go_to("Tasks")
        await expect(person.page.get_by_role("link", name="Write the text of the front page")).to_be_visible()
        again = await person.choose_to_import(*sorted((EXPORTED / "todoist").iterdir()))
        await expect(again).to_contain_text("There is nothing new in it.")
        await again.get_by_role("button", name="Close").click()

        await person.go_to("History")
        await person.page.get_by_role("button", name="Undo: Added").click()
        await person.go_to("Tasks")
        await expect(person.page.get_by_role("link", name="Write the text of the front page")).to_have_count(0)
        assert (person.window.complaints, person.window.hosts) == ([], {offline})


async def test_vault_keeps_its_pictures_in_an_export_and_in_a_backup(
    offline: str, browser: Browser, tmp_path: Path
) -> None:
    vault = write_vault(tmp_path / "Vault")
    async with profile(browser, offline) as context:
        await context.add_init_script(FOLDER_PICKER)
        person = await signed_up(context)
        page = person.page
        found = await choose_folder(person, vault)
        await expect(found).to_contain_text("1 project, 2 notes and 1 picture")
        await found.get_by_role("button", name="Import it").click()
        await expect(page.get_by_text("Imported: 1 project and 2 notes.")).to_be_visible()
        await shows_picture(person)

        settings = await person.set_up("Data")
        async with page.expect_download() as coming:
            await settings.get_by_role("button", name="Download Markdown").click()
        exported = tmp_path / "export.zip"
        await (await coming.value).save_as(exported)
        with zipfile.ZipFile(exported) as archive:
            pictures = [name for name in archive.namelist() if name.startswith("attachments/")]
            assert [archive.read(name) for name in pictures] == [PICTURE]
            assert "[[Tulips]]" in archive.read("Garden/Pond.md").decode()

        await back_up(settings)
        [backup] = await page.evaluate(PATHS)
        file = tmp_path / backup
        file.write_bytes(base64.b64decode(await page.evaluate(READ, backup)))
        assert PICTURE not in file.read_bytes()
        await settings.get_by_role("button", name="Delete everything here…").click()
        await settings.get_by_role("button", name="Yes, delete all").click()
        await expect(settings.get_by_text("Everything here is deleted.")).to_be_visible()
        await restore(page, settings, file)
        await shows_picture(person)
        assert person.window.complaints == []


@only_long
@pytest.mark.parametrize("form", ["Markdown", "CSV", "ICS"])
async def test_export_is_imported_into_another_account(
    form: str, offline: str, browser: Browser, tmp_path: Path
) -> None:
    async with profile(browser, offline) as first, profile(browser, offline) as second:
        alice, bob = await signed_up(first), await signed_up(second)
        await alice.go_to("Home")
        await alice.load_examples()
        settings = await alice.set_up("Data")
        async with alice.page.expect_download() as coming:
            await settings.get_by_role("button", name=f"Download {form}").click()
        download = await coming.value
        file = tmp_path / download.suggested_filename
        await download.save_as(file)

        found = await bob.choose_to_import(file)
        rows = "12 tasks, 2 projects and 3 dates" if form == "ICS" else "12 tasks, 2 projects, 3 dates and 3 notes"
        await expect(found).to_contain_text(rows)
        await found.get_by_role("button", name="Import it").click()
        await expect(bob.page.get_by_text(f"Imported: {rows}.")).to_be_visible()
        await bob.go_to("Tasks")
        await expect(bob.page.get_by_role("link", name="Water the roses")).to_be_visible()
        await bob.go_to("Timeline")
        await expect(bob.page.get_by_text("Pond is filled").first).to_be_visible()


@only_long
async def test_export_into_a_folder_has_a_folder_for_each_project(offline: str, browser: Browser) -> None:
    async with profile(browser, offline) as context:
        await context.add_init_script(FOLDER_PICKER)
        person = await signed_up(context)
        await person.go_to("Home")
        await person.load_examples()
        settings = await person.set_up("Data")
        await settings.get_by_role("button", name="Into a folder…").click()
        await expect(settings.get_by_text("6 files are in the folder adiuva-")).to_be_visible()

        paths = [path.partition("/")[2] for path in await person.page.evaluate(PATHS)]
        assert paths == [
            "Garden/Garden.md",
            "Garden/Pond.md",
            "Ideas for the weekend.md",
            "Tasks.md",
            "Website/Tone of the texts.md",
            "Website/Website.md",
        ]


@only_long
@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("notion", "3 tasks, 1 project, 3 notes and 1 picture"),
        ("obsidian", "1 project, 3 notes and 2 pictures"),
        ("calendar", "1 task, 1 project and 12 dates"),
    ],
)
async def test_folder_of_another_program_is_understood(name: str, rows: str, offline: str, browser: Browser) -> None:
    async with profile(browser, offline) as context:
        person = await signed_up(context)
        # The exports are of 2026, and some of their dates are the next ones.
        await person.page.clock.install(time="2026-11-24T12:00:00+01:00")
        found = await choose_folder(person, EXPORTED / name)
        await expect(found).to_contain_text(rows)
        await found.get_by_role("button", name="Leave it").click()
        await expect(found).to_have_count(0)


@only_long
async def test_thousands_of_rows_say_how_far_they_are_and_are_undone(
    offline: str, browser: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "Many.csv"
    tasks = "".join(f"task,Task {number},4,1\n" for number in range(10_000))
    file.write_text(f"TYPE,CONTENT,PRIORITY,INDENT\n{tasks}")
    async with profile(browser, offline) as context:
        person = await signed_up(context)
        found = await person.choose_to_import(file)
        await expect(found).to_contain_text("10,000 tasks and 1 project")
        await found.get_by_role("button", name="Import it").click()
        await expect(person.page.get_by_role("progressbar")).to_be_visible()
        await expect(person.page.get_by_text("Imported: 10,000 tasks and 1 project.")).to_be_visible()
        await person.page.get_by_role("button", name="Undo the import").click()
        await expect(person.page.get_by_text("The import is undone.")).to_be_visible()
        again = await person.choose_to_import(file)
        await expect(again).to_contain_text("10,000 tasks and 1 project")


async def signed_up(context: BrowserContext) -> WorkspaceUser:
    person = await WorkspaceUser.at(context)
    await person.sign_up()
    await expect(person.page.get_by_role("button", name="Load example data")).to_be_visible()
    return person


async def choose_folder(person: WorkspaceUser, folder: Path) -> Locator:
    settings = await person.set_up("Data")
    async with person.page.expect_file_chooser() as coming:
        await settings.get_by_role("button", name="Choose a folder…").click()
    await (await coming.value).set_files(folder)
    return settings.get_by_role("group", name="Import this?")


async def shows_picture(person: WorkspaceUser) -> None:
    await person.go_to("Notes")
    await person.page.get_by_role("link", name="Pond").click()
    picture = person.page.locator("img.cm-picture")
    await expect(picture).to_be_visible()
    assert await picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") == PICTURE_WIDTH


PICTURE_WIDTH: Final = 2


async def back_up(settings: Locator) -> None:
    await settings.get_by_label("Passphrase, at least 12 characters").fill(PASSPHRASE)
    await settings.get_by_label("The same again").fill(PASSPHRASE)
    await settings.get_by_role("button", name="Choose the folder…").click()
    await expect(settings.get_by_text("The last backup: Today")).to_be_visible()


async def restore(page: Page, settings: Locator, file: Path) -> None:
    async with page.expect_file_chooser() as coming:
        await settings.get_by_role("button", name="Restore from a copy…").click()
    await (await coming.value).set_files(file)
    await settings.get_by_label(f"The passphrase of {file.name}").fill(PASSPHRASE)
    await settings.get_by_role("button", name="Open it").click()
    await expect(settings.get_by_role("group")).to_contain_text("2 notes and 1 picture")
    await settings.get_by_role("button", name="Restore it").click()
    await expect(settings.get_by_text("Restored: 1 project, 2 notes and 1 picture.")).to_be_visible()


def write_vault(folder: Path) -> Path:
    (folder / ".obsidian").mkdir(parents=True)
    (folder / ".obsidian/app.json").write_text("{}")
    (folder / "Garden").mkdir()
    (folder / "files").mkdir()
    (folder / "Garden/Pond.md").write_text("Next to the [[Tulips]].\n\n![[pond.png]]\n")
    (folder / "Garden/Tulips.md").write_text("In October.\n")
    (folder / "files/pond.png").write_bytes(PICTURE)
    return folder
