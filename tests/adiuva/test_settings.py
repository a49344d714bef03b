import re

import pytest

from tests.forks import ROOT

pytestmark = pytest.mark.contracts

VARIABLE = r"(?:ADIUVA|ANTHROPIC|OPENAI|DATABASE|REDIS|LANGFUSE)_[A-Z_]+"


def documented() -> set[str]:
    rows = (ROOT / "docs" / "settings.md").read_text().splitlines()
    return {name for row in rows if row.startswith("| `") for name in re.findall(VARIABLE, row.split("|")[1])}


def test_every_variable_is_documented_and_every_documented_one_exists() -> None:
    modules = (ROOT / "adiuva" / name for name in ("settings.py", "rates_setting.py"))
    read = {variable for module in modules for variable in re.findall(rf'"({VARIABLE})"', module.read_text())}
    elsewhere = {"ADIUVA_TEST_DATA_DIR", "ADIUVA_EMAIL", "ADIUVA_PASSWORD", "ADIUVA_MCP_TOKEN"}
    assert documented() == read | elsewhere
