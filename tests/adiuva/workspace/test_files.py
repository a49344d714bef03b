import gzip
import hashlib
from pathlib import Path

from adiuva.workspace.files import BUILT, FIRST, built_files
from tests.forks import ROOT

CLIENTS = ROOT / "clients"
FOLDERS = ("typescript/src", "workspace/public", "workspace/src")
FILES = ("workspace/index.html", "workspace/package-lock.json", "workspace/vite.config.ts")
SCRIPT_LIMIT = 300_000


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def sources() -> list[Path]:
    in_folders = [path for folder in FOLDERS for path in (CLIENTS / folder).rglob("*") if path.is_file()]
    return [*in_folders, *(CLIENTS / name for name in FILES)]


def fingerprint() -> str:
    named = sorted((path.relative_to(CLIENTS).as_posix(), path) for path in sources())
    return digest("".join(f"{name} {digest(path.read_bytes())}\n" for name, path in named).encode())


def test_built_files_are_those_of_the_sources() -> None:
    stale = "run npm run build in clients/workspace, and commit what it writes"
    assert (BUILT / "sources.sha256").read_text().strip() == fingerprint(), stale


def test_page_holds_no_script_and_no_style_of_its_own() -> None:
    page = built_files()[FIRST].content.decode()
    assert "<style" not in page
    assert " style=" not in page
    assert page.count("<script") == page.count("<script ") == page.count(' src="/app/') > 0


def test_scripts_of_the_first_page_are_small() -> None:
    scripts = [file for name, file in built_files().items() if name.endswith(".js")]
    assert sum(len(file.compressed or file.content) for file in scripts) < SCRIPT_LIMIT


def test_compressed_content_is_the_content() -> None:
    for file in built_files().values():
        assert file.compressed is None or gzip.decompress(file.compressed) == file.content
