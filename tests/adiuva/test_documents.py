"""Links of documents lead somewhere, and the pages for newcomers name files and things that exist."""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.forks import ROOT

pytestmark = pytest.mark.contracts

DOCS = ROOT / "docs"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.glob("*.md"))]
OURS = {"accounts", "adiuva", "agents", "benchmarks", "chat", "clients", "deploy", "device", "docs", "memory", "tests"}
WALKS = [DOCS / f"first-{what}.md" for what in ("tool", "request-kind", "encrypted-table")]
MADE = {
    "agents/prompts/instructions.py",
    "agents/prompts/texts/rewrite_system.md",
    "agents/rest/instructions.py",
    "chat/turns/rewriting.py",
    "tests/agents/prompts/test_instructions.py",
    "tests/chat/turns/test_rewriting.py",
}
"""What the walks create."""
MADE_NAMES = {"Instructions", "RewriteRequest", "RewriteTurn"}


def paths_in(page: Path) -> list[str]:
    """The files and folders that the page names in backticks."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.findall(r"`((?:\w+/)+(?:[\w.]+\.\w+)?)`", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_named_files_exist(page: Path) -> None:
    ours = [path for path in paths_in(page) if path.split("/")[0] in OURS]
    assert [path for path in ours if path not in MADE and not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_named_tests_exist(page: Path) -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page.read_text(encoding="utf-8"))
    assert [f"{path}::{name}" for path, name in named if f"def {name}(" not in (ROOT / path).read_text()] == []


def imports_in(page: Path) -> Iterator[tuple[str, str]]:
    """Module and name of each import in the page's Python."""
    for code in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        if not code.startswith(" "):  # else it is a part of something
            for node in ast.walk(ast.parse(code)):
                if isinstance(node, ast.ImportFrom):
                    yield from ((str(node.module), alias.name) for alias in node.names)


@pytest.mark.parametrize("page", WALKS, ids=lambda page: page.stem)
def test_imports_of_a_walk_exist(page: Path) -> None:
    made = {path.removesuffix(".py").replace("/", ".") for path in MADE}
    wanted = [(module, name) for module, name in imports_in(page) if module not in made and name not in MADE_NAMES]

    assert wanted
    assert [each for each in wanted if not hasattr(importlib.import_module(each[0]), each[1])] == []


def anchors_of(page: Path) -> set[str]:
    """The anchors of the page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for link in re.findall(r"\]\((?!\w+:)([^)\s]+)\)", page.read_text(encoding="utf-8")):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (anchor and anchor not in anchors_of(target)):
            broken.append(link)
    assert broken == []
