"""docs/integrating.md names the versions that the locks pin."""

import json
import re
from pathlib import Path

import pytest

from tests.forks import ROOT

pytestmark = pytest.mark.contracts


def pinned() -> dict[str, str]:
    """The versions of all packages that a lock pins; those of integrators win."""
    found = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", (ROOT / "requirements-dev.lock").read_text(), re.MULTILINE))
    for package in ("typescript", "integrators"):
        lock = json.loads((ROOT / "clients" / package / "package-lock.json").read_text())
        found |= {
            path.rpartition("node_modules/")[2]: entry["version"]
            for path, entry in lock["packages"].items()
            if path.count("node_modules/") == 1
        }
    return found


def test_documented_versions_equal_pinned_ones() -> None:
    document = Path(ROOT / "docs" / "integrating.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[^|]+`) \| ([\d., ]+) \|", document, re.MULTILINE)
    tried = {
        name: version
        for names, versions in rows
        for name, version in zip(re.findall(r"`([^`]+)`", names), versions.split(", "), strict=True)
    }

    assert len(tried) >= 15
    assert {name: pinned()[name] for name in tried} == tried
