"""The user's decisions in the workspace's settings, and that they take effect."""

from collections.abc import Iterator

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.end_to_end.browsers import shares_browser
from tests.end_to_end.conftest import server
from tests.end_to_end.midnight import wait_for_a_new_day
from tests.end_to_end.workspaces import WorkspaceUser, newcomer, profile

pytestmark = [pytest.mark.end_to_end, pytest.mark.browser, shares_browser]


@pytest.fixture(scope="module")
def remembering(database_server: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server without a model, with memory and a quota."""
    with server(tmp_path_factory.mktemp("server"), ADIUVA_MEMORY="1", ADIUVA_DAILY_TURNS="20") as url:
        yield url


async def saved(page: Locator) -> None:
    await expect(page.get_by_role("status").filter(has_text="Saved.")).to_be_visible()


async def test_a_project_that_is_marked_is_held_back(remembering: str, browser: Browser) -> None:
    async with newcomer(browser, remembering) as person:
        await person.ask("Which tasks are due today?")
        await person.answered("Water the roses")

        settings = await person.set_up("Privacy")
        await expect(settings.get_by_role("link", name="Water the roses")).to_be_visible()
        await settings.get_by_label("Garden").check()
        await saved(settings)
        await person.page.reload()
        await expect(settings.get_by_label("Garden")).to_be_checked()
        await expect(settings.get_by_label("Website")).not_to_be_checked()

        await person.go_to("Home")
        await person.ask("Which tasks are due today?")
        await person.answered("Buy milk")
        await expect(person.answers).to_have_count(2)
        await expect(person.answers.last).not_to_contain_text("Water the roses")
        await person.go_to("Projects")
        await person.page.get_by_role("link", name="Garden").click()
        await expect(person.page.get_by_role("link", name="Never shared")).to_be_visible()


async def test_what_cannot_be_saved_stays_chosen(remembering: str, browser: Browser) -> None:
    async with newcomer(browser, remembering) as person:
        settings = await person.set_up("Privacy")
        garden = settings.get_by_label("Garden")
        await expect(garden).not_to_be_checked()
        await person.page.context.route("**/api/v1/sharing", lambda route: route.abort())

        await garden.check()
        await expect(settings.get_by_role("alert")).to_contain_text("Not saved: The server cannot be reached.")
        await expect(garden).to_be_checked()

        await person.page.context.unroute("**/api/v1/sharing")
        await settings.get_by_role("button", name="Try again").click()
        await saved(settings)
        await person.page.reload()
        await expect(garden).to_be_checked()


async def test_settings_are_there_when_the_server_is_not(remembering: str, browser: Browser) -> None:
    async with profile(browser, remembering, with_worker=True) as context:
        person = await WorkspaceUser.at(context)
        async with person.page.expect_event("requestfinished", lambda request: "/SettingsPage-" in request.url):
            await person.sign_up()
        await person.load_examples()
        await context.set_offline(True)

        settings = await person.set_up("Usage")
        await expect(settings.get_by_role("alert")).to_contain_text("The server cannot be reached.")
        await person.set_up("Appearance")
        await settings.get_by_role("radio", name="Dark").check()
        await expect(person.page.locator("html")).to_have_attribute("data-theme", "dark")


async def test_where_nothing_moves_what_is_said_for_a_while_still_passes(remembering: str, browser: Browser) -> None:
    async with newcomer(browser, remembering) as person:
        settings = await person.set_up("Appearance")
        lasting = "document.getAnimations().map(each => each.effect.getComputedTiming().activeDuration)"
        # The needle of the button that asks moves without end.
        await expect(person.page.get_by_role("button", name="Ask Adiuva")).to_be_visible()
        assert await person.page.evaluate(f"{lasting}.includes(Infinity)")
        await settings.get_by_role("radio", name="Nothing moves").check()
        assert await person.page.evaluate(f"{lasting}.filter(each => each > 0)") == []

        await person.set_up("Privacy")
        await settings.get_by_label("Garden").check()
        said = person.page.get_by_role("status").filter(has_text="Saved.").locator(".said")
        await expect(said).to_have_css("opacity", "0", timeout=20_000)


async def test_a_deletion_is_asked_about_done_or_refused_as_is_decided(remembering: str, browser: Browser) -> None:
    async with newcomer(browser, remembering) as person:
        question = person.page.get_by_role("region", name="May this be done?")
        deleting = person.page.get_by_role("group", name="Deleting")

        settings = await person.set_up("Permissions")
        await expect(deleting.get_by_role("radio", name="Asks first")).to_be_checked()
        await deleting.get_by_role("radio", name="Never").check()
        await saved(settings)
        await person.go_to("Home")
        await person.ask("Delete task “Buy milk”")
        await person.answered("Your settings do not allow this.")
        await expect(question).to_have_count(0)

        await person.set_up("Permissions")
        await settings.locator("summary", has_text="Tasks").click()
        await settings.get_by_label("Deleting a task").select_option("Asks first")
        await saved(settings)
        await person.go_to("Home")
        await person.ask("Delete task “Buy milk”")
        await question.get_by_role("button", name="No", exact=True).click()
        await person.is_over()

        await person.set_up("Permissions")
        await settings.locator("summary", has_text="Tasks").click()
        await settings.get_by_label("Deleting a task").select_option("Unasked")
        await saved(settings)
        await person.go_to("Home")
        await person.ask("Delete task “Buy milk”")
        await person.answered("I deleted the task “Buy milk”.")
        await expect(question).to_have_count(0)


async def test_what_is_remembered_is_corrected_and_forgotten(remembering: str, browser: Browser) -> None:
    wait_for_a_new_day()
    async with newcomer(browser, remembering) as person:
        await person.ask("Which tasks are due today?")
        await person.answered("Buy milk")

        settings = await person.set_up("Memory")
        await settings.get_by_label("What about").fill("favourite tea")
        await settings.get_by_label("What to remember").fill("Assam")
        await settings.get_by_role("button", name="Remember", exact=True).click()
        await settings.get_by_role("button", name="Correct favourite tea").click()
        await settings.get_by_label("favourite tea", exact=True).fill("Darjeeling")
        await settings.get_by_role("button", name="Save").click()
        await expect(settings.get_by_text("Darjeeling")).to_be_visible()
        await settings.get_by_role("button", name="Forget favourite tea").click()
        await settings.get_by_role("button", name="Keep it").click()
        await expect(settings.get_by_text("Darjeeling")).to_be_visible()
        await settings.get_by_role("button", name="Forget favourite tea").click()
        await settings.get_by_role("button", name="Yes, forget it").click()
        await expect(settings.get_by_text("Darjeeling")).to_have_count(0)

        happened = settings.get_by_role("region", name="Conversations").get_by_role("listitem")
        await expect(happened).to_have_count(1)
        await happened.get_by_role("button", name="Forget").click()
        await happened.get_by_role("button", name="Yes, forget it").click()
        await expect(happened).to_have_count(0)
        await person.page.reload()
        await expect(settings.get_by_role("region", name="Conversations")).to_contain_text("Nothing yet.")

        await person.set_up("Usage")
        await expect(settings.get_by_text("1 of 20")).to_be_visible()


async def test_another_device_is_signed_out_and_may_come_back_with_its_data(remembering: str, browser: Browser) -> None:
    async with profile(browser, remembering) as first, profile(browser, remembering) as second:
        person, other = await WorkspaceUser.at(first), await WorkspaceUser.at(second)
        email = await person.sign_up()
        await expect(person.page.get_by_role("button", name="Load example data")).to_be_visible()
        await other.sign_in(email)
        await other.load_examples()
        their = await other.set_up("Account")
        await expect(their.get_by_text("Connected", exact=True)).to_be_visible()

        mine = await person.set_up("Account")
        devices = _devices(mine)
        await expect(devices).to_have_count(2)
        await expect(devices.first).to_contain_text("This browser")
        await expect(mine.get_by_text("Online", exact=True)).to_have_count(2)
        await devices.last.get_by_role("button", name="Sign out").click()
        await devices.last.get_by_role("button", name="Yes, sign it out").click()

        await expect(devices).to_have_count(1)
        await expect(their.get_by_text("Connected", exact=True)).to_have_count(0)
        await expect(mine.get_by_text("Connected", exact=True)).to_be_visible()

        await their.get_by_role("button", name="Sign out", exact=True).click()
        await other.sign_in(email)
        await other.go_to("Tasks")
        await expect(other.page.get_by_text("Water the roses")).to_be_visible()
        again = await other.set_up("Account")
        await expect(again.get_by_text("Connected", exact=True)).to_be_visible()
        await expect(_devices(again)).to_have_count(2)


def _devices(settings: Locator) -> Locator:
    """The rows of the section about devices."""
    heading = settings.page.get_by_role("heading", name="Devices", exact=True)
    return settings.locator("section").filter(has=heading).get_by_role("listitem")
