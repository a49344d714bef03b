"""Everything that is generated and committed: how to tell whether it is stale, and how to make it again.

``./dev generate`` runs this module: it makes what is stale, in order, and exits with 1 if something cannot be made.
With ``--check`` it changes nothing, needs no Node, and exits with 1 if anything is stale.

A section of a document is generated if it is between ``<!-- generated: NAME -->`` and ``<!-- end -->``, with a function
for NAME in ``SECTIONS``.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()  # the tools' modules need models

from accounts.translations import LOCALE
from agents.engine.roster import SIDEBAR  # registers the tools of all agents
from agents.mcp.exposure import exposed_tools, group_scopes, scopes_needed
from agents.requests import RequestKind
from agents.tools.models import ChatWithModel
from agents.tools.routes import REQUIRED
from agents.tools.spec import Agent, Execution, ToolSpec, registered_tools
from chat.protocol.schema import REF_TEMPLATE, frame_definitions, json_schema
from memory.search.lexicon import PATH as LEXICON
from tests import catalogues, lexicon
from tests.chat.protocol.protocol_types import declarations

ROOT: Final = Path(__file__).resolve().parent.parent
CLIENTS: Final = ROOT / "clients"
FRAME_SCHEMA: Final = CLIENTS / "typescript" / "frames.schema.json"
FRAME_TYPES: Final = CLIENTS / "typescript" / "src" / "protocol" / "frames.ts"
WORKSPACE: Final = ROOT / "adiuva" / "workspace" / "built"
_SECTION: Final = re.compile(r"(<!-- generated: (\w+) -->)(.*?)(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class Artifact:
    """A generated file or folder. ``problems`` are sentences, none if it is fresh.

    ``make`` may raise ``SystemExit`` with a sentence. It may leave problems, such as a text without a translation.
    """

    path: Path
    problems: Callable[[], Sequence[str]]
    make: Callable[[], object]

    @property
    def name(self) -> str:
        return _name(self.path)


def artifacts() -> Iterator[Artifact]:
    """All artifacts, each after those that it is made from."""
    yield Artifact(path=LEXICON, problems=lexicon.stale, make=lexicon.update)
    yield _text(FRAME_SCHEMA, lambda: json.dumps(json_schema(), indent=2, sort_keys=True) + "\n")
    yield _built(FRAME_TYPES, types_are_fresh, lambda: _npm("generate", CLIENTS / "typescript"))
    for page in documents():
        yield _text(page, lambda page=page: rewritten(page.read_text(encoding="utf-8")))  # type: ignore[misc]
    yield Artifact(path=LOCALE, problems=catalogues.stale, make=catalogues.update)
    yield _built(WORKSPACE, workspace_is_fresh, lambda: _npm("build", CLIENTS / "workspace"))


def problems() -> list[str]:
    """A sentence for each thing that is stale."""
    return [problem for artifact in artifacts() for problem in artifact.problems()]


def types_are_fresh() -> bool:
    """Whether the TypeScript types name the digest of the present schema."""
    first = FRAME_TYPES.read_text(encoding="utf-8").partition("\n")[0]
    return f"SHA-256 {_digest(FRAME_SCHEMA.read_bytes())})" in first


def workspace_is_fresh() -> bool:
    """Whether the built workspace names the digest of its present sources."""
    return (WORKSPACE / "sources.sha256").read_text(encoding="utf-8").strip() == workspace_fingerprint()


def workspace_fingerprint() -> str:
    """As ``clients/workspace/scripts/fingerprint.mjs`` computes it."""
    folders = [CLIENTS / folder for folder in ("typescript/src", "workspace/public", "workspace/src")]
    files = [CLIENTS / "workspace" / name for name in ("index.html", "package-lock.json", "vite.config.ts")]
    files += [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    named = sorted((path.relative_to(CLIENTS).as_posix(), path) for path in files)
    return _digest("".join(f"{name} {_digest(path.read_bytes())}\n" for name, path in named).encode())


# Documents


def documents() -> list[Path]:
    """The documents with a generated section."""
    pages = [*sorted((ROOT / "docs").glob("*.md")), *sorted(ROOT.glob("*.md"))]
    return [page for page in pages if _SECTION.search(page.read_text(encoding="utf-8"))]


def rewritten(page: str) -> str:
    """``page`` with its generated sections as they are now. Raises ``KeyError`` for an unknown section."""
    return _SECTION.sub(lambda section: f"{section[1]}{SECTIONS[section[2]]()}{section[4]}", page)


def frame_types() -> str:
    return f"\n\n```ts\n{declarations(frame_definitions(REF_TEMPLATE))}```\n\n"


def tools_table() -> str:
    """A row for each tool, grouped by agent in the order of ``Agent``."""
    rows = ["| agent | tool | arguments | risk |", "|---|---|---|---|"]
    for agent in Agent:
        tools = [*SIDEBAR.tools] if agent is Agent.SIDEBAR else _registered(agent)
        for number, tool in enumerate(tools):
            named = "" if number else f"{agent.value} "
            rows.append(f"| {named}| `{tool.tool_name}` | {_arguments(tool)}| {tool.risk.value} |")
    return "\n\n" + "\n".join(rows) + "\n\n"


def _registered(agent: Agent) -> list[type[ToolSpec]]:
    tools = [tool for tool in registered_tools().values() if tool.agent is agent]
    return sorted(tools, key=lambda tool: tool.execution is Execution.QUEUED)


def _arguments(tool: type[ToolSpec]) -> str:
    shown = {name: route for name, route in tool.routes.items() if route.shown}
    named = ", ".join(name if route.default is REQUIRED else f"{name}?" for name, route in shown.items())
    return named and f"{named} "


def token_scopes() -> str:
    """A row for each scope of a personal token, with the tools that need it."""
    tools = [*exposed_tools(staff=True), ChatWithModel]
    needing = {
        scope: [_shown(tool) for tool in tools if scope in scopes_needed(tool)] for scope in group_scopes(staff=True)
    }
    rows = [f"| `{scope}` | {', '.join(names)} |" for scope, names in needing.items()]
    return "\n\n" + "\n".join(["| scope | tools that need it |", "|---|---|", *rows]) + "\n\n"


def _shown(tool: type[ToolSpec]) -> str:
    return "`chat_with_…`" if tool is ChatWithModel else f"`{tool.tool_name}`"


def request_kinds() -> str:
    return ", ".join(f"`{kind.value}`" for kind in RequestKind)


SECTIONS: Final[dict[str, Callable[[], str]]] = {
    "frames": frame_types,
    "tools": tools_table,
    "request_kinds": request_kinds,
    "token_scopes": token_scopes,
}


# Making


def _text(path: Path, wanted: Callable[[], str]) -> Artifact:
    def is_fresh() -> bool:
        return path.exists() and path.read_text(encoding="utf-8") == wanted()

    return _built(path, is_fresh, lambda: path.write_text(wanted(), encoding="utf-8"))


def _built(path: Path, is_fresh: Callable[[], bool], make: Callable[[], object]) -> Artifact:
    def problems() -> Sequence[str]:
        return [] if is_fresh() else [f"{_name(path)} is stale: run ./dev generate."]

    return Artifact(path=path, problems=problems, make=make)


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _npm(script: str, package: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit(f"{package.relative_to(ROOT)} is built with Node: install Node 20.19 or newer and npm.")
    for command in ([sys.executable, str(ROOT / "dev"), "setup"], [npm, "run", "--silent", script]):
        ran = subprocess.run(command, cwd=package, check=False)
        if ran.returncode != 0:
            raise SystemExit(ran.returncode)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def main(arguments: Sequence[str]) -> int:
    if "--check" not in arguments:
        make_stale()
    found = problems()
    sys.stderr.writelines(f"{problem}\n" for problem in found)
    return 1 if found else 0


def make_stale() -> None:
    """Make what is stale. Each artifact is checked after those before it are made: they may make it stale."""
    for artifact in artifacts():
        if artifact.problems():
            sys.stdout.write(f"Making {artifact.name}…\n")
            sys.stdout.flush()
            artifact.make()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
