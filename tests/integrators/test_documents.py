"""The OpenAPI document passes the usual linters."""

import json
from pathlib import Path

from tests.integrators.conftest import TOOLS, tool


def test_redocly_finds_no_error(documents: Path) -> None:
    told = tool("redocly", "lint", "--format=json", documents / "openapi.json", cwd=TOOLS)
    totals = json.loads(told[told.index("{") :])["totals"]

    assert totals["errors"] == 0


def test_spectral_finds_no_error(documents: Path) -> None:
    tool("spectral", "lint", "--fail-severity=error", documents / "openapi.json", cwd=TOOLS)
