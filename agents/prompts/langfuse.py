"""Langfuse as a source of prompts, through the REST client of its SDK.

The SDK's ``Langfuse`` class is not used: it has a cache with its own threads, retries, logs every attempt, and shares
state with tracing under the same key. Here the caller stores the texts and retries.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import httpx
from langfuse.api import CreateTextPromptRequest, LangfuseAPI, NotFoundError, Prompt_Text
from langfuse.api.core import ApiError, RequestOptions

from agents.errors import PromptSourceAway, PromptUnusable
from agents.prompts.source import SourceText

TIMEOUT_S: Final = 5.0
MAX_ANSWER_BYTES: Final = 1024 * 1024
_ONCE: Final[RequestOptions] = {"max_retries": 0}
_MAX_PAGES: Final = 500
"""The number of pages of a list that are read at most."""


class LangfusePrompts:
    """The ``PromptSource`` of one project, with the versions that have ``label``."""

    def __init__(
        self, *, public_key: str, secret_key: str, host: str, label: str, timeout_s: float = TIMEOUT_S
    ) -> None:
        self._label = label
        self._client = httpx.Client(transport=_Bounded(httpx.HTTPTransport(), seconds=timeout_s), timeout=timeout_s)
        self._api = LangfuseAPI(
            base_url=host, username=public_key, password=secret_key, httpx_client=self._client, timeout=timeout_s
        )

    def fetch(self, name: str) -> SourceText | None:
        with _told():
            try:
                found = self._api.prompts.get(name, label=self._label, request_options=_ONCE)
            except NotFoundError as error:
                if not _is_langfuses(error):
                    raise
                return None
        if not isinstance(found, Prompt_Text):
            raise PromptUnusable("It is a chat prompt, and has to be a text prompt.")
        return SourceText(text=found.prompt, version=found.version)

    def names(self) -> frozenset[str]:
        found: set[str] = set()
        with _told():
            for page in range(1, _MAX_PAGES + 1):
                listed = self._api.prompts.list(page=page, limit=100, request_options=_ONCE)
                found.update(prompt.name for prompt in listed.data)
                if page >= listed.meta.total_pages or not listed.data:
                    break
        return frozenset(found)

    def create(self, name: str, text: str, *, label: str) -> None:
        with _told():
            self._api.prompts.create(
                request=CreateTextPromptRequest(name=name, prompt=text, labels=[label]), request_options=_ONCE
            )

    def close(self) -> None:
        self._client.close()


def _is_langfuses(error: NotFoundError) -> bool:
    """Whether Langfuse itself does not know the prompt: a proxy, or another server, says so of any address."""
    return isinstance(error.body, dict) and error.body.get("error") == "LangfuseNotFoundError"


@contextmanager
def _told() -> Iterator[None]:
    """Translates errors; Langfuse's own messages are not repeated."""
    try:
        yield
    except NotFoundError:
        raise PromptSourceAway("Langfuse does not know this address (404): is LANGFUSE_HOST right?") from None
    except ApiError as error:
        status = error.status_code
        if status in (401, 403):
            raise PromptSourceAway(f"Langfuse does not accept the keys ({status}).") from None
        if status is not None and status < httpx.codes.MULTIPLE_CHOICES:
            raise PromptUnusable("Langfuse's answer cannot be read.") from None
        raise PromptSourceAway(f"Langfuse answers with an error ({status}).") from None
    except httpx.TimeoutException:
        raise PromptSourceAway("Langfuse does not answer in time.") from None
    except httpx.HTTPError:
        raise PromptSourceAway("Langfuse cannot be reached.") from None
    except (ValueError, TypeError, RecursionError):
        raise PromptUnusable("Langfuse's answer cannot be read.") from None


class _Bounded(httpx.BaseTransport):
    """Limits the time and size of a whole answer; httpx limits only the time of a single read."""

    def __init__(
        self, transport: httpx.BaseTransport, *, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._transport, self._seconds, self._clock = transport, seconds, clock

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        until = self._clock() + self._seconds
        response = self._transport.handle_request(request)
        if isinstance(response.stream, httpx.SyncByteStream):  # always, in a synchronous client
            response.stream = _BoundedStream(response.stream, until=until, clock=self._clock)
        return response

    def close(self) -> None:
        self._transport.close()


class _BoundedStream(httpx.SyncByteStream):
    def __init__(self, stream: httpx.SyncByteStream, *, until: float, clock: Callable[[], float]) -> None:
        self._stream, self._until, self._clock = stream, until, clock

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for piece in self._stream:
            size += len(piece)
            if self._clock() > self._until:
                raise httpx.ReadTimeout("the answer takes too long")
            if size > MAX_ANSWER_BYTES:
                raise httpx.ReadError("the answer is too large")
            yield piece

    def close(self) -> None:
        self._stream.close()
