"""What the doctor finds: sentences with a verdict, and the judgments that several parts share."""

import re
import socket
import ssl
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from ipaddress import ip_address
from typing import Final
from urllib.parse import unquote, urlsplit

from django.conf import settings

CONNECT_S: Final = 3
_CLOCK_S: Final = 2.0
"""A larger difference between clocks is a warning; one of ``_CLOCK_PROBLEM_S`` ends leases early or late."""
_CLOCK_PROBLEM_S: Final = 30.0
_DISK: Final = 1024 * 2**20
"""Less free disk space is a warning; less than ``_DISK_PROBLEM`` may be used up by a single rotation of keys."""
_DISK_PROBLEM: Final = 100 * 2**20
_OLDEST_TRIED: Final = {"PostgreSQL": 16, "Redis": 7, "RabbitMQ": 3}
_MIN_SECRET_CHARS: Final = 4


class Verdict(StrEnum):
    """How bad a finding is. Only a problem keeps something from working."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence about one thing."""

    verdict: Verdict
    sentence: str


ok = partial(Finding, Verdict.OK)
warning = partial(Finding, Verdict.WARNING)
problem = partial(Finding, Verdict.PROBLEM)


def answering(name: str, version: str, where: str, began: float, *, encrypted: bool) -> Finding:
    """That ``name`` answers since ``began`` (``perf_counter``); a warning if its version was never tried."""
    took_ms = round((time.perf_counter() - began) * 1000)
    sentence = f"{name} {version} answers {where}, {'with' if encrypted else 'without'} TLS, after {took_ms} ms"
    major = re.match(r"\d+", version)
    if major is not None and int(major[0]) < _OLDEST_TRIED[name]:
        return warning(f"{sentence}; the oldest version tried is {_OLDEST_TRIED[name]}.")
    return ok(f"{sentence}.")


def disk(name: str, free_bytes: int) -> Finding:
    """Whether ``name`` has room to write: without it every change fails."""
    sentence = f"{name} has {free_bytes // 2**20:,} MiB of free disk space."
    if free_bytes < _DISK_PROBLEM:
        return problem(sentence)
    return warning(sentence) if free_bytes < _DISK else ok(sentence)


def exposed(name: str, host: str, *, encrypted: bool, checked: bool = True) -> Iterator[Finding]:
    """A warning if the connection crosses networks of others and can be read, or be taken over, there."""
    try:
        address = ip_address(host or "127.0.0.1")
    except ValueError:
        address = ip_address(socket.getaddrinfo(host, None)[0][4][0])
    if not address.is_global or (encrypted and checked):
        return
    lack = "whose certificate is not checked" if encrypted else "that is not encrypted"
    yield warning(f"{name} is reached at a public address ({address}) by a connection {lack}.")


def clock(name: str, there_s: float, began_s: float) -> Finding:
    """``there_s`` was read between ``began_s`` and now. All three by the wall clock."""
    ended_s = time.time()
    apart_s = max(began_s - there_s, there_s - ended_s, 0.0)
    if apart_s <= _CLOCK_S:
        return ok(f"The clocks of {name} and of this machine agree.")
    found = problem if apart_s > _CLOCK_PROBLEM_S else warning
    return found(f"The clocks of {name} and of this machine differ by {apart_s:.0f} s: let both be set by NTP.")


def first_line(error: BaseException) -> str:
    """The first line of what the error says, as a sentence."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is refused ({error.verify_message})."
    line = next(iter(str(error).strip().splitlines()), "") or type(error).__name__
    return line if line.endswith(".") else f"{line}."


def without_secrets(sentence: str) -> str:
    """``sentence`` without anything that settings keep secret."""
    for secret in sorted(_secrets(), key=len, reverse=True):
        sentence = sentence.replace(secret, "…")
    return sentence


def _secrets() -> set[str]:
    urls: Sequence[str] = (settings.DATABASE_URL, settings.REDIS_URL, settings.AMQP_URL)
    passwords = [urlsplit(url).password or "" for url in urls]
    server = settings.MAIL_SERVER
    keys = [model.api_key or "" for model in settings.MODELS]
    found = {
        *(*urls, *passwords, *map(unquote, passwords), *settings.MASTER_KEYS.split(","), *keys),
        *(settings.SECRET_KEY, settings.METRICS_TOKEN, settings.LANGFUSE_SECRET_KEY),
        *(settings.OPENAI_API_KEY, settings.OPENAI_SMALL_API_KEY, settings.OPENAI_EMBEDDING_API_KEY),
        settings.ANTHROPIC_API_KEY,
        server.password if server is not None else "",
    }
    return {secret for secret in found if len(secret) >= _MIN_SECRET_CHARS}
