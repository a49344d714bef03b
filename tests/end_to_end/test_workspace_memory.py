"""What is remembered is seen under the answers, with why, and is gone once it is forgotten."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.end_to_end.axe import findings, needs_axe
from tests.end_to_end.browsers import shares_browser
from tests.end_to_end.test_memory import ServerWithMemory, remembering_server
from tests.end_to_end.workspaces import WorkspaceUser, profile

pytestmark = [pytest.mark.end_to_end, pytest.mark.browser, shares_browser]


def told(server: ServerWithMemory) -> str:
    """What the model was told for the last answer."""
    return str(next(request.messages for request in reversed(server.model.requests) if request.tools))


async def remembered(person: WorkspaceUser) -> Locator:
    """What was remembered for the last answer, opened."""
    await person.answers.last.get_by_role("button", name="Remembered").click()
    return person.answers.last.get_by_role("list", name="Remembered").get_by_role("listitem")


@needs_axe
async def test_what_is_remembered_is_seen_and_forgotten_where_it_is_used(
    database_server: None, browser: Browser, tmp_path: Path
) -> None:
    with remembering_server(tmp_path) as server:
        async with profile(browser, server.url) as context:
            person = await WorkspaceUser.at(context)
            await person.sign_up()
            new_chat = person.page.get_by_role("button", name="New chat")
            await person.ask("My dentist is called Bruni.")
            await person.answered("Noted.")
            await expect(person.answers.last.get_by_role("button", name="Remembered")).to_have_count(0)
            await person.ask("I changed my mind: my dentist is called Landi now.")
            await person.answered("Noted.")

            await new_chat.click()
            await person.ask("What is my dentist called?")
            await person.answered("Noted.")
            assert "Landi" in told(server)
            landi = (await remembered(person)).filter(has_text="Landi").first
            await expect(landi).to_contain_text("Found because of the words")
            assert "Bruni" not in told(server)

            facts = (await person.set_up("Memory")).get_by_role("region", name="Facts").get_by_role("listitem")
            bruni = facts.filter(has_text="Bruni").filter(has_text="No longer true since")
            await expect(bruni.get_by_role("button", name="Restore")).to_be_visible()
            await person.go_to("Home")
            landi = (await remembered(person)).filter(has_text="Landi").first
            await landi.get_by_role("button", name="Forget").click()
            assert await findings(person.page) == []
            await landi.get_by_role("button", name="Yes, forget it").click()
            await expect(person.answers.last).to_contain_text("Forgotten.")
            await person.page.reload()
            items = await remembered(person)
            await expect(items.filter(has_text="Forgotten.")).not_to_have_count(0)
            await expect(items.filter(has_text="Landi")).to_have_count(0)

            await new_chat.click()
            await person.ask("What is my dentist called now?")
            await person.answered("Noted.")
            assert "Landi" not in told(server)
            await expect((await remembered(person)).filter(has_text="Landi")).to_have_count(0)
            assert person.window.complaints == []
