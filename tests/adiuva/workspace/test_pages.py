import gzip
import hashlib
import json
import re

import httpx
import pytest
from django.core.handlers.asgi import ASGIHandler

from adiuva.workspace.pages import BUILT, FIRST, built_files
from tests.generated import workspace_fingerprint
from tests.workspace_scripts import first_scripts

PAGE = built_files()[FIRST].content


async def ask(method: str, address: str, **headers: str) -> httpx.Response:
    transport = httpx.ASGITransport(ASGIHandler())  # type: ignore[arg-type] # Django's own types
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        return await client.request(method, address, headers=headers)


@pytest.mark.parametrize("address", ["/app/", "/app/tasks", "/app/projects/some-id", "/app/sign-in"])
async def test_every_address_is_the_one_page(address: str) -> None:
    answer = await ask("GET", address)
    assert (answer.status_code, answer.content) == (200, PAGE)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"


async def test_address_without_its_slash_leads_to_the_page() -> None:
    assert (await ask("GET", "/app")).headers["location"] == "/app/"


@pytest.mark.parametrize("address", ["/app/", "/app/assets/{script}"])
async def test_policy_allows_no_script_but_our_files(address: str) -> None:
    answer = await ask("GET", address.format(script=script()))
    policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self' 'wasm-unsafe-eval'"
    assert policy["style-src"] == "'self'"
    assert policy["img-src"] == "'self' data:"
    assert policy["connect-src"] == "'self'"
    assert "unsafe-inline" not in answer.headers["content-security-policy"]


async def test_script_is_compressed_on_request_and_cached_for_good() -> None:
    plain = await ask("GET", f"/app/assets/{script()}", **{"accept-encoding": "identity"})
    small = await ask("GET", f"/app/assets/{script()}", **{"accept-encoding": "gzip, br"})
    assert small.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert small.content == plain.content
    assert plain.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert plain.headers["content-type"] == "text/javascript; charset=utf-8"


@pytest.mark.parametrize("known", ["{}", "W/{}", '"other", {}', "*"])
async def test_file_that_the_browser_has_is_not_sent_again(known: str) -> None:
    answer = await ask("GET", "/app/")
    again = await ask("GET", "/app/", **{"if-none-match": known.format(answer.headers["etag"])})
    assert (again.status_code, again.content) == (304, b"")


async def test_file_that_has_changed_is_sent_again() -> None:
    assert (await ask("GET", "/app/", **{"if-none-match": 'W/"other"'})).content == PAGE


async def test_asset_that_is_not_there_is_not_found() -> None:
    assert (await ask("GET", "/app/assets/gone.js")).status_code == 404


async def test_page_is_only_read() -> None:
    assert (await ask("HEAD", "/app/")).status_code == 200
    assert (await ask("POST", "/app/")).status_code in {403, 405}


async def test_service_worker_is_asked_for_anew_and_knows_every_file() -> None:
    answer = await ask("GET", "/app/service-worker.js")
    assert answer.headers["cache-control"] == "no-cache"
    files = json.loads(re.search(r"^const FILES = (.*);$", answer.text, re.MULTILINE)[1])  # type: ignore[index]
    known = {name: file for name, file in built_files().items() if name not in {"service-worker.js", "sources.sha256"}}
    assert files == {f"/app/{name}": hashlib.sha256(file.content).hexdigest() for name, file in known.items()}


async def test_manifest_names_icons_that_there_are() -> None:
    answer = await ask("GET", "/app/manifest.webmanifest")
    assert answer.headers["content-type"] == "application/manifest+json"
    assert {icon["src"] for icon in answer.json()["icons"]} <= set(built_files())


def script() -> str:
    found = re.search(rb'src="/app/assets/([^"]+\.js)"', PAGE)
    assert found is not None
    return found[1].decode()


SCRIPT_LIMIT = 250_000


@pytest.mark.contracts
def test_built_files_are_those_of_the_sources() -> None:
    assert (BUILT / "sources.sha256").read_text().strip() == workspace_fingerprint(), "run ./dev generate"


def test_page_holds_no_script_and_no_style_of_its_own() -> None:
    page = built_files()[FIRST].content.decode()
    assert "<style" not in page
    assert " style=" not in page
    assert page.count("<script") == page.count("<script ") == page.count(' src="/app/') > 0


def test_scripts_of_the_first_page_are_small() -> None:
    first = first_scripts()
    assert len(first) > 2
    scripts = [file for name, file in built_files().items() if name.removeprefix("assets/") in first]
    assert sum(len(file.compressed or file.content) for file in scripts) < SCRIPT_LIMIT


@pytest.mark.parametrize("name", ["Drawing-", "Highlighted-", "Rendered-", "SettingsPage-", "read_worker-"])
def test_large_parts_are_fetched_later(name: str) -> None:
    assert any(each.removeprefix("assets/").startswith(name) for each in built_files())
    assert not any(each.startswith(name) for each in first_scripts())


def test_page_for_developers_is_not_built() -> None:
    assert not any("PartsPage" in name for name in built_files())
    assert not any(b"Every part in every state" in file.content for file in built_files().values())


def test_compressed_content_is_the_content() -> None:
    for file in built_files().values():
        assert file.compressed is None or gzip.decompress(file.compressed) == file.content
