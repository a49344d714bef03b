"""Langfuse as a source: the real SDK over HTTP against a server with every known fault."""

from collections.abc import Callable, Iterator

import httpx
import pytest

from agents.errors import PromptSourceAway, PromptUnusable
from agents.prompts.langfuse import MAX_ANSWER_BYTES, LangfusePrompts, _Bounded
from agents.prompts.source import SourceText
from tests.langfuse_server.http import Response, Route
from tests.langfuse_server.server import PUBLIC_KEY, Fault, LangfuseServer

TEXT = "Write one sentence."


def test_text_is_fetched_by_name_and_label(source: LangfusePrompts, langfuse_server: LangfuseServer) -> None:
    langfuse_server.prompts.put("summary_system", "Write none.")
    langfuse_server.prompts.put("summary_system", TEXT)
    langfuse_server.prompts.put("summary_system", "Not yet.", label="staging")

    assert source.fetch("summary_system") == SourceText(text=TEXT, version=2)
    [request] = langfuse_server.requests
    assert (request.path, dict(request.query)) == ("/api/public/v2/prompts/summary_system", {"label": "production"})


def test_prompt_without_label_is_missing(source: LangfusePrompts, langfuse_server: LangfuseServer) -> None:
    langfuse_server.prompts.put("summary_system", TEXT, label="staging")
    assert source.fetch("summary_system") is None


@pytest.mark.parametrize(
    "body", [b'{"message":"no Route matched with those values"}', b'{"detail":"Not Found"}', b"[]"]
)
def test_not_found_of_another_server_is_not_missing_prompt(
    source: LangfusePrompts, langfuse_server: LangfuseServer, body: bytes
) -> None:
    langfuse_server.routes.clear()
    langfuse_server.routes.append(_everything(Response(status=404, body=body)))
    with pytest.raises(
        PromptSourceAway, match=r"^Langfuse does not know this address \(404\): is LANGFUSE_HOST right\?$"
    ):
        source.fetch("summary_system")


def test_chat_prompt_is_unusable(source: LangfusePrompts, langfuse_server: LangfuseServer) -> None:
    langfuse_server.prompts.put("summary_system", [{"role": "system", "content": TEXT}], kind="chat")
    with pytest.raises(PromptUnusable, match=r"^It is a chat prompt, and has to be a text prompt\.$"):
        source.fetch("summary_system")


@pytest.mark.parametrize(
    ("fault", "error", "sentence"),
    [
        (Fault.DOWN, PromptSourceAway, "Langfuse cannot be reached."),
        (Fault.SLOW, PromptSourceAway, "Langfuse does not answer in time."),
        (Fault.ERROR, PromptSourceAway, "Langfuse answers with an error (500)."),
        (Fault.GARBAGE, PromptUnusable, "Langfuse's answer cannot be read."),
        (Fault.EMPTY, PromptUnusable, "Langfuse's answer cannot be read."),
    ],
)
@pytest.mark.parametrize(
    "call",
    [
        lambda source: source.fetch("summary_system"),
        lambda source: source.names(),
        lambda source: source.create("summary_system", TEXT, label="production"),
    ],
)
def test_every_fault_is_reported_in_plain_words_after_one_attempt(
    source: LangfusePrompts,
    impatient: LangfusePrompts,
    langfuse_server: LangfuseServer,
    fault: Fault,
    error: type[Exception],
    sentence: str,
    call: Callable[[LangfusePrompts], object],
) -> None:
    langfuse_server.fault = fault
    with pytest.raises(error) as raised:
        call(impatient if fault is Fault.SLOW else source)

    assert str(raised.value) == sentence
    assert len(langfuse_server.requests) == 1


@pytest.mark.parametrize("body", [b"{}", b"[]", b"null", b'{"type":"text","prompt":7}', b"[" * 200_000])
def test_json_without_prompt_is_unusable(source: LangfusePrompts, langfuse_server: LangfuseServer, body: bytes) -> None:
    langfuse_server.routes.clear()
    langfuse_server.routes.append(_everything(Response(body=body)))
    with pytest.raises(PromptUnusable):
        source.fetch("summary_system")


def test_endless_answer_is_abandoned(source: LangfusePrompts, langfuse_server: LangfuseServer) -> None:
    langfuse_server.routes.clear()
    langfuse_server.routes.append(_everything(Response(body=b"x" * (MAX_ANSWER_BYTES + 1))))
    with pytest.raises(PromptSourceAway):
        source.fetch("summary_system")


def test_trickling_answer_times_out() -> None:
    times = iter([0.0, 1.0, 2.0, 3.0])
    transport = _Bounded(_Trickling(), seconds=1.5, clock=lambda: next(times))
    with httpx.Client(transport=transport) as client, pytest.raises(httpx.ReadTimeout):
        client.get("http://langfuse.example")


def test_wrong_keys_are_reported(langfuse_server: LangfuseServer) -> None:
    source = LangfusePrompts(public_key=PUBLIC_KEY, secret_key="wrong", host=langfuse_server.url, label="production")
    with pytest.raises(PromptSourceAway, match=r"^Langfuse does not accept the keys \(401\)\.$"):
        source.fetch("summary_system")
    source.close()


def test_names_are_collected_from_every_page(source: LangfusePrompts, langfuse_server: LangfuseServer) -> None:
    langfuse_server.prompts.page_size = 2
    for name in "abcde":
        langfuse_server.prompts.put(name, TEXT, label="any")
    assert source.names() == frozenset("abcde")


def test_created_prompt_can_be_fetched(source: LangfusePrompts, langfuse_server: LangfuseServer) -> None:
    source.create("summary_system", TEXT, label="production")
    assert source.fetch("summary_system") == SourceText(text=TEXT, version=1)


class _Trickling(httpx.BaseTransport):
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, stream=_Drops())


class _Drops(httpx.SyncByteStream):
    def __iter__(self) -> Iterator[bytes]:
        while True:
            yield b"."


def _everything(response: Response) -> Route:
    return Route("GET", ".*", lambda request: response)
