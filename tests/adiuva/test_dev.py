import ast
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.forks import ROOT

LOCKS = ("requirements.lock", "requirements-dev.lock")


@pytest.fixture
def dev(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module, isolated from the developer's environment."""
    loader = importlib.machinery.SourceFileLoader("dev", str(ROOT / "dev"))
    spec = importlib.util.spec_from_loader("dev", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader.exec_module(module)
    for lock in LOCKS:
        (tmp_path / lock).write_text(f"# {lock}\n")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(module, "PYTHON", tmp_path / ".venv" / "bin" / "python")
    monkeypatch.setattr(module, "STAMP", tmp_path / ".venv" / "adiuva-stamp.json")
    return module


@pytest.fixture
def installs(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Records what ``install`` did: environments created and locks installed, in order. Nothing is downloaded."""
    done: list[str] = []

    def make() -> None:
        done.append("environment")
        dev.PYTHON.parent.mkdir(parents=True, exist_ok=True)
        dev.PYTHON.write_text("")

    monkeypatch.setattr(dev, "make_environment", make)
    monkeypatch.setattr(dev, "install_packages", lambda lock, held: done.append(lock))
    return done


def run_dev(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "dev", *arguments],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a copy of the script in which everything counts as installed for this Python."""
    shutil.copy(ROOT / "dev", tmp_path / "dev")
    for lock in LOCKS:
        (tmp_path / lock).write_text(f"# {lock}\n")
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    digest = hashlib.sha256((tmp_path / LOCKS[1]).read_bytes()).hexdigest()
    stamp = {"folder": str(tmp_path / ".venv"), "lock": LOCKS[1], "hash": digest}
    (tmp_path / ".venv" / "adiuva-stamp.json").write_text(json.dumps(stamp))
    return tmp_path


def test_packages_are_installed_once(dev: ModuleType, installs: list[str]) -> None:
    dev.install(dev.RUNTIME)
    dev.install(dev.RUNTIME)
    assert installs == ["environment", "requirements.lock"]


def test_development_environment_serves_the_runtime_too(dev: ModuleType, installs: list[str]) -> None:
    dev.install(dev.DEVELOPMENT)
    dev.install(dev.RUNTIME)
    assert installs == ["environment", "requirements-dev.lock"]


def test_runtime_environment_is_completed_for_development(dev: ModuleType, installs: list[str]) -> None:
    dev.install(dev.RUNTIME)
    dev.install(dev.DEVELOPMENT)
    assert installs == ["environment", "requirements.lock", "requirements-dev.lock"]


def test_changed_lock_is_installed_into_the_same_environment(dev: ModuleType, installs: list[str]) -> None:
    dev.install(dev.RUNTIME)
    (dev.ROOT / dev.RUNTIME).write_text("# changed\n")
    dev.install(dev.RUNTIME)
    assert installs == ["environment", "requirements.lock", "requirements.lock"]


def test_killed_install_is_repaired_from_the_ground(
    dev: ModuleType, installs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    dev.install(dev.RUNTIME)
    (dev.ROOT / dev.RUNTIME).write_text("# changed\n")

    def killed(_lock: str, _held: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(dev, "install_packages", killed)
        with pytest.raises(KeyboardInterrupt):
            dev.install(dev.RUNTIME)
    installs.clear()
    dev.install(dev.RUNTIME)
    assert installs == ["environment", "requirements.lock"]


def test_moved_or_broken_environment_is_made_again(dev: ModuleType, installs: list[str]) -> None:
    dev.install(dev.RUNTIME)
    dev.STAMP.write_text(json.dumps({**json.loads(dev.STAMP.read_text()), "folder": "/elsewhere"}))
    dev.install(dev.RUNTIME)
    dev.PYTHON.unlink()
    dev.install(dev.RUNTIME)
    dev.STAMP.write_text("{")
    dev.install(dev.RUNTIME)
    assert installs == ["environment", "requirements.lock"] * 4


def test_environment_of_another_folder_is_left_alone(
    dev: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    another = tmp_path / "another"
    another.mkdir()
    (another / "package").write_text("")
    dev.VENV.symlink_to(another)
    monkeypatch.setattr(dev.subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 0, b""))

    dev.make_environment()

    assert (another / "package").exists()
    assert not dev.VENV.is_symlink()


def test_node_packages_of_another_folder_are_left_alone(
    dev: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    another, client = tmp_path / "another", tmp_path / "client"
    another.mkdir()
    client.mkdir()
    (another / "package").write_text("")
    (client / "package-lock.json").write_text("{}")
    (client / "node_modules").symlink_to(another)
    monkeypatch.setattr(dev.shutil, "which", lambda name: name)
    # As npm does, before it installs anything.
    clean = "import pathlib; [each.unlink() for each in pathlib.Path('node_modules').glob('*')]"
    popen = subprocess.Popen
    monkeypatch.setattr(dev.subprocess, "Popen", lambda _, cwd: popen([sys.executable, "-c", clean], cwd=cwd))

    assert dev.install_node_packages([client]) == 0

    assert (another / "package").exists()


def test_python_without_venv_says_what_to_install(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dev.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit):
        dev.make_environment()
    assert (
        "its venv module is missing: install it (Debian and Ubuntu: sudo apt install python3."
        in capsys.readouterr().err
    )


def test_unsupported_python_starts_a_supported_one(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr(dev.sys, "version_info", (3, 9, 1))
    monkeypatch.setattr(
        dev.shutil, "which", lambda name: {"python3.12": "/bin/false", "python3.11": sys.executable}.get(name)
    )
    monkeypatch.setattr(dev.os, "execv", lambda program, arguments: started.append(program))
    with pytest.raises(SystemExit):  # only because the start is replaced here
        dev.use_supported_python()
    assert started == [sys.executable]


def test_old_python_can_read_the_script() -> None:
    ast.parse((ROOT / "dev").read_text(), feature_version=(3, 7))


def test_help_names_every_command(dev: ModuleType) -> None:
    shown = run_dev("help")
    assert shown.returncode == 0
    assert re.findall(r"^ *\./dev (\w+)", shown.stdout, re.MULTILINE) == list(dev.COMMANDS)
    wrong = run_dev("bake")
    assert (wrong.returncode, wrong.stdout, wrong.stderr) == (2, "", shown.stdout)


@pytest.mark.contracts
def test_readme_names_every_command(dev: ModuleType) -> None:
    table = (ROOT / "README.md").read_text().split("## Commands")[1]
    assert re.findall(r"^\| `\./dev (\w+)", table, re.MULTILINE) == list(dev.COMMANDS)


@pytest.mark.contracts
@pytest.mark.parametrize("name", LOCKS)
def test_lock_belongs_to_the_dependencies_and_names_no_address(name: str) -> None:
    lock = (ROOT / name).read_text()
    assert re.findall(r"://|^-|^\s+--(?!hash=sha256:[0-9a-f]{64}\b)", lock, re.MULTILINE) == []
    pins = re.findall(r"^[a-z0-9].*", lock, re.MULTILINE)
    assert [pin for pin in pins if not re.match(r"[a-z0-9-]+==\S+ .*\\$", pin)] == []


@pytest.mark.contracts
@pytest.mark.parametrize("name", LOCKS)
def test_lock_is_fresh(name: str, dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dev, "ROOT", ROOT)
    assert dev.is_fresh(name)


def test_lock_is_stale_when_a_dependency_changes(dev: ModuleType) -> None:
    text = (ROOT / "pyproject.toml").read_text()
    (dev.ROOT / "pyproject.toml").write_text(text)
    (dev.ROOT / dev.RUNTIME).write_text(dev.lock_header() + "\n")
    assert dev.is_fresh(dev.RUNTIME)
    (dev.ROOT / "pyproject.toml").write_text(text.replace('"numpy', '"numpy!=1", "numpy', 1))
    assert not dev.is_fresh(dev.RUNTIME)


def test_development_lock_has_the_runtimes_versions() -> None:
    runtime, development = (
        dict(re.findall(r"^([a-z0-9-]+)==(\S+)(?: ;.*)? \\$", (ROOT / name).read_text(), re.MULTILINE))
        for name in LOCKS
    )
    assert {name: development.get(name) for name in runtime} == runtime


SHOW = """
import os, sys
print(*sys.argv[1:], os.environ["ADIUVA_DEBUG"], sys.stdin.read())
sys.exit(7)
"""


@pytest.mark.parametrize(("given", "expected"), [({}, "1"), ({"ADIUVA_DEBUG": "0"}, "0")])
def test_manage_passes_arguments_input_and_exit_code_through(
    project: Path, tmp_path_factory: pytest.TempPathFactory, given: dict[str, str], expected: str
) -> None:
    (project / "manage.py").write_text(SHOW)
    kept = {name: value for name, value in os.environ.items() if name != "ADIUVA_DEBUG"}
    ran = subprocess.run(
        [sys.executable, project / "dev", "manage", "loaddata", "--format=json", "-"],
        cwd=tmp_path_factory.mktemp("elsewhere"),
        env={**kept, **given},
        input="[]",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (7, f"loaddata --format=json - {expected} []\n", "")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_chat_starts_with_any_stream_closed(project: Path, closed: str) -> None:
    (project / "device").mkdir()
    (project / "device" / "terminal.py").write_text("import sys\nsys.exit(7)\n")
    command = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, str(project / "dev"), "chat"]
    ran = subprocess.run(command, timeout=60, check=False)
    assert ran.returncode == 7


def test_generate_hands_its_arguments_on_and_its_exit_code_back(project: Path) -> None:
    (project / "tests").mkdir()
    (project / "tests" / "generated.py").write_text("import sys\nprint(sys.argv[1:])\nsys.exit(3)\n")
    ran = subprocess.run(
        [sys.executable, project / "dev", "generate", "--check"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (3, "['--check']\n"), ran


@pytest.mark.parametrize("failing", ["", "generated", "migrations"])
def test_lint_names_the_checks_that_failed(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], failing: str
) -> None:
    ran = []

    def passes(name: str, _check: list[str]) -> bool:
        ran.append(name)
        return name != failing

    monkeypatch.setattr(dev, "install", lambda lock: None)
    monkeypatch.setattr(dev, "passes", passes)
    monkeypatch.setattr(dev, "is_fresh", lambda lock: True)
    monkeypatch.setattr(dev.os, "chdir", lambda folder: None)
    monkeypatch.setattr(dev.os, "environ", {})

    assert dev.lint([]) == int(bool(failing))
    assert ran[0] == "generated"
    assert capsys.readouterr().out == (f"Failed: {failing}\n" if failing else "All checks passed.\n")


@pytest.mark.parametrize("extra", [[], ["-x"], ["--long"]])
def test_contracts_are_the_tests_with_that_mark(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, extra: list[str]
) -> None:
    folder = dev.ROOT / "tests" / "area"
    folder.mkdir(parents=True)
    (folder / "test_pages.py").write_text("@pytest.mark.contracts\ndef test_page() -> None: ...\n")
    (folder / "test_other.py").write_text("def test_other() -> None: ...\n")
    ran: list[str] = []

    def become(*arguments: str) -> None:
        ran.extend(arguments)
        raise SystemExit(0)

    monkeypatch.setattr(dev, "install", lambda lock: None)
    monkeypatch.setattr(dev, "become", become)
    monkeypatch.setattr(dev.os, "chdir", lambda folder: None)
    monkeypatch.setattr(dev.os, "environ", {})

    with pytest.raises(SystemExit):
        dev.test(["--contracts", *extra])
    passed_on = [argument for argument in extra if argument != "--long"]
    assert ran == ["-m", "pytest", "-q", "-m", "contracts", "tests/area/test_pages.py", *passed_on]
    assert ("ADIUVA_TEST_LONG" in dev.os.environ) is ("--long" in extra)


def test_client_says_that_it_needs_node(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dev.shutil, "which", lambda name: None)
    with pytest.raises(SystemExit) as ended:
        dev.client([])
    assert ended.value.code == 1


def test_client_is_installed_again_once_its_lock_changes(dev: ModuleType, tmp_path: Path) -> None:
    lock, written = tmp_path / "package-lock.json", tmp_path / "node_modules" / ".package-lock.json"
    lock.write_text("{}")
    assert not dev.is_client_installed(tmp_path)
    written.parent.mkdir()
    written.write_text("{}")
    os.utime(lock, (1, 1))
    assert dev.is_client_installed(tmp_path)
    os.utime(written, (0, 0))
    assert not dev.is_client_installed(tmp_path)


@pytest.mark.parametrize("first", [0, 1, -9])
@pytest.mark.parametrize("second", [0, 2, -9])
def test_all_tests_pass_when_those_with_and_without_django_do(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, first: int, second: int
) -> None:
    codes, ran = iter([first, second]), []

    def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        ran.append("no:django" in arguments)
        return subprocess.CompletedProcess(arguments, next(codes))

    monkeypatch.setattr(dev, "install", lambda lock: None)
    monkeypatch.setattr(dev, "run", run)
    monkeypatch.setattr(dev.os, "chdir", lambda folder: None)

    assert (dev.test([]), ran) == (int((first, second) != (0, 0)), [True, False])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["tests/device"], True),
        (["tests/device/test_store.py", "-k", "notes"], True),
        (["tests/device", "tests/chat"], False),
        (["-k", "notes"], False),
    ],
)
def test_the_devices_tests_alone_run_without_django(dev: ModuleType, arguments: list[str], expected: bool) -> None:
    assert dev.are_of_device(arguments) is expected


def test_bytecode_is_kept_in_any_environment(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert "PYTHONDONTWRITEBYTECODE" not in dev.environment()
