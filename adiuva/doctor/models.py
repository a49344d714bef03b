"""What the doctor finds about models: those that answer, and what makes vectors."""

import asyncio
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Final

import numpy as np
import psycopg
from django.db import connection

from accounts.database import DATABASE_ERRORS, in_database
from adiuva.doctor.findings import CONNECT_S, Finding, first_line, ok, problem, warning
from adiuva.wiring.model_roles import answering_models, small_model
from adiuva.wiring.models import models
from agents.adapters.base import ModelAdapter, ModelParams, ModelSize, UserMessage, whole_text
from agents.errors import ModelError
from memory.embedders.fallback import FallbackEmbedder
from memory.embedders.hashing import HashingEmbedder
from memory.errors import EmbeddingFailed
from memory.index import Embedder
from memory.models import MemoryAssociative

MODEL_S: Final = 60.0
"""The longest that a model may take."""


def model_findings(*, ask: bool) -> Iterator[Finding]:
    """Which models are configured, and whether they answer; with ``ask`` each is sent a request."""
    named = {model.name: model.model for model in answering_models()}
    if (small := small_model()) is not None:
        named[""] = small.model
    if not named:
        yield ok("No model is configured: the offline assistant answers.")
    elif ask:
        yield from asyncio.run(_asked(named))
    else:
        for model in dict.fromkeys(named.values()):
            yield ok(f"The model {model} is configured; --ask-model sends it a request.")


async def _asked(named: Mapping[str, str]) -> list[Finding]:
    """Whether each model answers: those that requests may choose by their names, and the small one (no name)."""
    chosen = models()
    try:
        sizes = {model.name: (model.adapter, ModelSize.LARGE) for model in chosen.catalogue.offered}
        asked = {**sizes, "": (chosen.adapter, ModelSize.SMALL)}
        return await asyncio.gather(*(_answer_of(model, *asked[name]) for name, model in named.items()))
    finally:
        await chosen.aclose()


async def _answer_of(model: str, adapter: ModelAdapter, size: ModelSize) -> Finding:
    began = time.perf_counter()
    # A model that reasons writes more than the word.
    params = ModelParams(size=size, language="en", now=datetime.now(UTC), max_tokens=1024)
    try:
        async with asyncio.timeout(MODEL_S - 1):
            await whole_text(adapter, [UserMessage(text="Answer with the word yes.")], params)
    except (ModelError, TimeoutError) as error:
        return problem(f"The model {model} does not answer: {first_line(error)}")
    return ok(f"The model {model} answers within {time.perf_counter() - began:.1f} s.")


def embedder_findings(*, ask: bool) -> Iterator[Finding]:
    """What makes vectors, and whether it does; with ``ask`` it is sent a word."""
    yield from asyncio.run(_embedder_findings(ask=ask))


async def _embedder_findings(*, ask: bool) -> list[Finding]:
    found: list[Finding] = []
    chosen = models()
    embedder = chosen.embedder
    try:
        if isinstance(embedder, HashingEmbedder):
            found.append(ok("Vectors are made by hashing, without a model."))
        elif ask:
            found.append(await _vector_of(embedder))
        else:
            found.append(ok(f"Vectors are made by {embedder.name}; --ask-model sends it a word."))
        # After the question, which may have shown that another one serves.
        stale = await in_database(_stale_vectors, embedder.name)
        if stale:
            found.append(
                warning(
                    f"Remembered texts have vectors of another model ({stale}) and are not found by their meaning: run "
                    "manage.py backfill_embeddings --model-changed."
                )
            )
    except (*DATABASE_ERRORS, psycopg.Error):
        pass  # what the examination of PostgreSQL says
    finally:
        await chosen.aclose()
    return found


async def _vector_of(embedder: Embedder) -> Finding:
    began = time.perf_counter()
    try:
        async with asyncio.timeout(MODEL_S - 1):
            [vector] = await embedder.embed(["ready"])
    except (EmbeddingFailed, TimeoutError) as error:
        return problem(f"No vectors can be made: {first_line(error)}")
    took_s = time.perf_counter() - began
    if isinstance(embedder, FallbackEmbedder) and embedder.name == HashingEmbedder.name:
        return ok("Vectors are made by hashing: the server has no model for them.")
    used = int(np.flatnonzero(vector)[-1]) + 1
    sentence = f"{embedder.name} makes a vector within {took_s:.1f} s"
    if used < embedder.dimensions:
        return warning(
            f"{sentence}, of {used} numbers, filled up to {embedder.dimensions}: "
            f"set OPENAI_EMBEDDING_DIMENSIONS to {used}, then make vectors again."
        )
    return ok(f"{sentence}, of {used} numbers.")


def _stale_vectors(embedder: str) -> int:
    """Raises ``psycopg.Error`` if there is no database or if it lacks the tables."""
    # By a connection of its own: Django's pool waits for one as long as the whole part may take.
    with psycopg.connect(**{**connection.get_connection_params(), "connect_timeout": CONNECT_S}) as session:
        session.execute("SELECT FROM memory_memoryassociative LIMIT 0")
    rows = MemoryAssociative.objects.filter(user__memory_enabled=True)
    return rows.exclude(embedding_model__in=("", embedder)).count()
