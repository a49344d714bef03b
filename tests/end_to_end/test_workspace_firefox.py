"""The first minutes of a new user in Firefox."""

import asyncio
import shutil
from typing import Final

import pytest

from tests.effort import LONG
from tests.forks import ROOT

_WORKSPACE: Final = ROOT / "clients/workspace"
_FIREFOX: Final = shutil.which("firefox-esr") or shutil.which("firefox")
_STORY_S: Final = 300

pytestmark = [
    pytest.mark.end_to_end,
    pytest.mark.browser,
    pytest.mark.skipif(not LONG, reason="takes longer: run it with ./dev test --long"),
    pytest.mark.skipif(_FIREFOX is None, reason="needs Firefox: apt-get install firefox-esr"),
    pytest.mark.skipif(
        not (_WORKSPACE / "node_modules/puppeteer-core").exists(),
        reason="needs puppeteer-core: run npm ci in clients/workspace, which needs Node",
    ),
]


async def test_first_minutes_in_firefox(offline: str) -> None:
    story = await asyncio.create_subprocess_exec(
        "node",
        str(_WORKSPACE / "test/first_minutes.firefox.mjs"),
        offline,
        str(_FIREFOX),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(_STORY_S):
        said, _ = await story.communicate()
    assert story.returncode == 0, said.decode()
    assert said.decode().splitlines()[-1] == "is offered backups as downloads"
