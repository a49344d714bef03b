"""The OpenAPI document is accurate, and the page that shows it loads nothing from other servers."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.validation import validate_schema
from jsonschema import Draft202012Validator
from pytest_django import Settings

from accounts.rest.problems import KINDS
from adiuva.urls import Addresses
from tests.chat.http import CHAT, rest, sign_in
from tests.chat.sockets import Server

pytestmark = pytest.mark.contracts

ROOT = Path(__file__).parents[3]

SCHEMA, DOCS, ERRORS = "/api/v1/schema", "/api/v1/docs/", "/api/v1/docs/errors"
METHODS = ("get", "post", "put", "patch", "delete")


@pytest.fixture
async def document() -> dict[str, Any]:
    async with rest(Server(), None) as anonymous:
        response = await anonymous.get(SCHEMA)
    assert (response.status_code, response.headers["content-type"]) == (200, "application/json")
    found: dict[str, Any] = response.json()
    return found


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                yield f"{method} {path}", item[method]


def schema_of_body(document: dict[str, Any], operation: dict[str, Any]) -> dict[str, Any]:
    reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    schema: dict[str, Any] = document["components"]["schemas"][reference.rpartition("/")[2]]
    return schema


def routes(patterns: list[URLPattern | URLResolver], before: str = "/") -> Iterator[str]:
    for pattern in patterns:
        path = before + re.sub(r"<\w+:(\w+)>", r"{\1}", str(pattern.pattern))
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, path)
        else:
            yield path


def examples(content: dict[str, Any]) -> Iterator[object]:
    if "example" in content:
        yield content["example"]
    yield from (example["value"] for example in content.get("examples", {}).values())


async def test_the_document_is_valid_and_complete(document: dict[str, Any]) -> None:
    validate_schema(document)
    assert not GENERATOR_STATS, "the generator of the document warns of something"
    addresses = {path for path in routes(Addresses(Server().services).urlpatterns) if path.startswith("/api/")}

    assert document["paths"].keys() == addresses - {DOCS, DOCS.rstrip("/"), ERRORS}
    assert document["openapi"] == "3.1.0"


async def test_every_operation_is_described(document: dict[str, Any]) -> None:
    ids = [operation["operationId"] for _, operation in operations(document)]
    assert len(ids) == len(set(ids)) > 0
    for name, operation in operations(document):
        assert {*operation} >= {"summary", "description", "tags"}, name
        assert all(response.get("description") for response in operation["responses"].values()), name
        if "requestBody" in operation:
            types = ["image/png", "image/jpeg", "image/webp"] if name.endswith("/images") else ["application/json"]
            assert [*operation["requestBody"]["content"]] == types, name
            assert {*operation["responses"]} >= {"400", "413", "415"}, name
        secured = operation.get("security") == [{"accessToken": []}]
        assert secured is ("401" in operation["responses"]) or "refresh" in json.dumps(operation).lower(), name


async def test_every_error_has_the_one_shape(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        for status, response in operation["responses"].items():
            if status >= "4":
                [(media_type, content)] = response["content"].items()
                assert media_type == "application/problem+json", (name, status)
                assert content["schema"] == {"$ref": "#/components/schemas/Error"}, (name, status)
    error = document["components"]["schemas"]["Error"]
    standard = ["type", "title", "status", "detail"]
    assert [*error["properties"]] == [*standard, "code", "message", "details"]
    assert error["required"] == sorted([*standard, "code", "message"])


async def test_every_example_is_one_of_its_schema(document: dict[str, Any]) -> None:
    checked = 0
    for name, operation in operations(document):
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        for content in (content for body in bodies for content in body.get("content", {}).values()):
            validator = Draft202012Validator({**content["schema"], "components": document["components"]})
            for example in examples(content):
                assert not [*validator.iter_errors(example)], (name, example)
                checked += 1
    assert checked > 30


async def test_every_code_is_explained_where_the_type_of_a_problem_leads(document: dict[str, Any]) -> None:
    codes = {
        example["code"]
        for _, operation in operations(document)
        for response in operation["responses"].values()
        for content in response.get("content", {}).values()
        for example in examples(content)
        if isinstance(example, dict) and "code" in example
    }
    assert codes
    assert codes <= KINDS.keys()
    async with rest(Server(), None) as anonymous:
        page = await anonymous.get(ERRORS)
    assert re.findall(r'<dt id="(\w+)">', page.text) == sorted(KINDS)
    assert "unsafe" not in page.headers["content-security-policy"]
    documents = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("rest.md", "accounts.md"))
    assert [code for code in KINDS if f"`{code}`" not in documents] == []


async def test_every_list_has_the_one_shape(document: dict[str, Any]) -> None:
    lists = {name: each for name, each in operations(document) if each["operationId"].startswith("list")}
    assert len(lists) >= 12
    for name, operation in lists.items():
        reference = operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
        schema = document["components"]["schemas"][reference.rpartition("/")[2]]
        assert {"results", "next"} <= schema["properties"].keys(), name
        assert {"results", "next"} <= {*schema["required"]}, name


async def test_bodies_name_all_their_fields_and_require_none_that_has_a_default(document: dict[str, Any]) -> None:
    question = document["components"]["schemas"]["ChatQuestionRequest"]
    assert question["required"] == ["message"]
    assert question["additionalProperties"] is False
    assert [name for name, field in question["properties"].items() if "default" in field] == []


async def test_changes_require_the_fields_that_the_server_requires(document: dict[str, Any]) -> None:
    required = {
        operation["operationId"]: schema_of_body(document, operation).get("required", [])
        for name, operation in operations(document)
        if name.startswith("patch ")
    }

    assert required == {
        "changeAccount": [],
        "renamePasskey": ["name"],
        "changeAssociativeMemory": ["content"],
        "changeEpisodicMemory": ["summary"],
        "changeProactiveMemory": [],
    }


@pytest.mark.parametrize(
    "operation_id", ["eraseAccount", "changePassword", "wipeMemory", "getPasskeyRegistrationOptions"]
)
async def test_a_confirmation_has_a_password_or_a_passkey_and_not_both(
    document: dict[str, Any], operation_id: str
) -> None:
    [operation] = [each for _, each in operations(document) if each["operationId"] == operation_id]
    validator = Draft202012Validator({**schema_of_body(document, operation), "components": document["components"]})
    password = {"password": "correct horse battery staple"}
    answered = {"clientDataJSON": "e30", "authenticatorData": "AA", "signature": "AA"}
    passkey = {"passkey": {"id": "AA", "rawId": "AA", "type": "public-key", "response": answered}}
    rest = {"new_password": "another fine passphrase"} if operation_id == "changePassword" else {}

    fits = [validator.is_valid({**rest, **given}) for given in (password, passkey, {**password, **passkey}, {})]

    assert fits == [True, True, False, False]


async def test_texts_have_no_null_character_and_are_not_blank(document: dict[str, Any]) -> None:
    fields = document["components"]["schemas"]["LoginRequest"]["properties"]
    # Python's classes of ASCII come closest to those of ECMAScript, which JSON Schema has.
    allowed = {
        name: [char for char in map(chr, range(0x86)) if re.search(fields[name]["pattern"], char, re.ASCII)]
        for name in ("email", "password")
    }
    assert allowed["email"] == [char for char in map(chr, range(0x86)) if char.strip() and char != "\0"]
    # The spaces of a password belong to it.
    assert allowed["password"] == [char for char in map(chr, range(0x86)) if char != "\0"]
    assert re.search(fields["email"]["pattern"], "a\0b") is None


async def test_servers_tags_and_headers_are_declared(document: dict[str, Any]) -> None:
    assert document["servers"] == [{"url": "/", "description": "This server."}]
    declared = [tag["name"] for tag in document["tags"]]
    assert {tag for _, operation in operations(document) for tag in operation["tags"]} == {*declared}
    limited = document["paths"]["/api/v1/auth/me"]["get"]["responses"]
    assert {"RateLimit", "RateLimit-Policy", "ETag"} == limited["200"]["headers"].keys()
    assert "Retry-After" in limited["429"]["headers"]


async def test_the_page_holds_no_outside_address_and_no_script_of_its_own() -> None:
    async with rest(Server(), None) as anonymous:
        page = await anonymous.get(DOCS)
        assert page.status_code == 200
        assert re.findall(r"(?:https?:)?//\S+", page.text) == []
        assert re.findall(r"<script(?! src=)|<style|\son\w+=|\sstyle=", page.text) == []
        assert 'data-document="/api/v1/schema"' in page.text
        policy = page.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert policy.startswith("default-src 'none'; script-src 'self';")

        linked = re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text)
        assert len(linked) == 5
        for address in linked:
            assert (await anonymous.get(address)).status_code == 200, address
        assert (await anonymous.options(DOCS)).status_code == 405
        assert (await anonymous.get("/api/v1/docs")).headers["location"] == DOCS


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("address", ["/api/v1/nothing", "/api/v1/jobs/nothing", "/api/v2/chat", "/api/"])
async def test_what_is_not_there_is_an_error_in_the_one_shape(
    settings: Settings, debug: bool, method: str, address: str
) -> None:
    settings.DEBUG = debug
    async with rest(Server(), None) as anonymous:
        response = await anonymous.request(method, address)

    assert (response.status_code, response.json()["code"]) == (404, "not_found")
    assert response.headers["content-type"] == "application/problem+json"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("address", "methods"),
    [(SCHEMA, "GET, HEAD, OPTIONS"), ("/api/v1/auth/me", "GET, PATCH, DELETE, HEAD, OPTIONS"), (CHAT, "POST, OPTIONS")],
)
async def test_options_are_the_methods_and_nothing_of_the_code(address: str, methods: str) -> None:
    async with rest(Server(), (await sign_in()).alice) as client:
        response = await client.options(address)

    assert (response.status_code, response.headers["allow"], response.content) == (200, methods, b"")
