"""Fixtures of what integrators use: a running server, its documents, and the packed TypeScript client.

``./dev integrators`` runs these tests; it installs the tools that ``clients/integrators/package-lock.json`` pins.
"""

import json
import os
import subprocess
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.end_to_end.conftest import Account, register, server
from tests.forks import ROOT

TOOLS: Final = ROOT / "clients" / "integrators"
CLIENT: Final = ROOT / "clients" / "typescript"
WAIT_S: Final = 120
_QUIET: Final = {
    "NO_UPDATE_NOTIFIER": "1",
    "REDOCLY_TELEMETRY": "off",
    "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true",
}
"""Disables update checks and telemetry of the tools."""


def run(command: Sequence[str | Path], *, cwd: Path, **env: str) -> str:
    """The standard output of a program, which must succeed."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={
            **os.environ,
            "NO_UPDATE_NOTIFIER": "1",
            "REDOCLY_TELEMETRY": "off",
            "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true",
        }
        | env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}"
    return done.stdout


def tool(name: str, *arguments: str | Path, cwd: Path) -> str:
    """The output of one of the pinned tools."""
    return run([TOOLS / "node_modules" / ".bin" / name, *arguments], cwd=cwd)


def last_line(output: str) -> dict[str, Any]:
    """What a program printed last, as JSON."""
    told: dict[str, Any] = json.loads(output.strip().splitlines()[-1])
    return told


@pytest.fixture(scope="session")
def address(database_server: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server without a model."""
    with server(tmp_path_factory.mktemp("server")) as address:
        yield address


@pytest.fixture
def account(address: str) -> Account:
    return register(address)


@pytest.fixture(scope="session")
def documents(address: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``openapi.json`` and ``frames.json``, as the server gives them to anyone."""
    folder = tmp_path_factory.mktemp("documents")
    for name, path in (("openapi", "schema"), ("frames", "ws/schema.json")):
        (folder / f"{name}.json").write_bytes(httpx.get(f"{address}/api/v1/{path}", timeout=WAIT_S).content)
    return folder


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The TypeScript client as npm packs it."""
    folder = tmp_path_factory.mktemp("package")
    run(["npm", "pack", "--pack-destination", folder], cwd=CLIENT)
    [packed] = folder.glob("*.tgz")
    return packed


@pytest.fixture(scope="session")
def project(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A separate project with the packed client and its peers."""
    folder = tmp_path_factory.mktemp("project")
    modules = folder / "node_modules"
    for name in ("@noble/hashes", "@types", "better-sqlite3", "drizzle-orm", "react", "ws"):
        (modules / name).parent.mkdir(parents=True, exist_ok=True)
        (modules / name).symlink_to(CLIENT / "node_modules" / name)
    # better-sqlite3 finds its own parts beside the place that the link leads to.
    with tarfile.open(package) as packed:
        packed.extractall(folder, filter="data")
    (modules / "@adiuva").mkdir()
    (folder / "package").rename(modules / "@adiuva" / "client")
    (folder / "package.json").write_text('{"type": "module"}')
    return folder
