import pytest

from agents.engine.roster import ROSTER
from agents.prompts.names import PromptName
from agents.prompts.overrides import differences, preview


def marked(before: str, after: str) -> list[str]:
    return [f"{line.mark}{line.text}" for line in differences(before, after)]


def test_changes_are_marked_and_distant_lines_omitted() -> None:
    before = "\n".join("abcdefghij")
    assert marked(before, before.replace("i", "I")) == ["@…", "g", "h", "-i", "+I", "j"]
    assert marked(before, before.replace("a", "-- A")) == ["-a", "+-- A", "b", "c"]
    assert marked(before, before) == []


def test_roles_are_those_of_agents() -> None:
    assert {profile.role for profile in ROSTER.values()} == {name for name in PromptName if name.is_role}


@pytest.mark.parametrize(
    ("name", "end"),
    [
        (PromptName.NOTE_AGENT_SYSTEM, "Be kind."),
        (PromptName.SUMMARY_SYSTEM, "Be kind.\n\nThe user's language is English (en). Answer in it."),
    ],
)
def test_preview_is_what_model_gets(name: PromptName, end: str) -> None:
    assert preview(name, "Be kind.") == end
