"""What axe-core finds on a page. It comes with the workspace's own packages (``npm ci`` in ``clients/workspace``)."""

from collections.abc import Mapping
from typing import Any, Final

import pytest
from playwright.async_api import Page

from tests.forks import ROOT

SCRIPT: Final = ROOT / "clients/workspace/node_modules/axe-core/axe.min.js"
GRAVE: Final = frozenset({"serious", "critical"})

needs_axe = pytest.mark.skipif(
    not SCRIPT.exists(), reason="needs axe-core: run npm ci in clients/workspace, which needs Node"
)


async def findings(page: Page) -> list[str]:
    """The grave faults of the page as it is now: a line for each rule, with the elements that violate it."""
    # Evaluated as developer tools do, so the page's policy does not block it.
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(SCRIPT.read_text())
    # What it would load again is only for rules that are experimental, or about audio and video, which there are not.
    found = await page.evaluate("axe.run(document, { resultTypes: ['violations'], preload: false })")
    return [_line(each) for each in found["violations"] if each["impact"] in GRAVE]


def _line(violation: Mapping[str, Any]) -> str:
    where = ", ".join(" ".join(map(str, node["target"])) for node in violation["nodes"])
    return f"{violation['impact']}: {violation['id']} ({violation['help']}) at {where}"
