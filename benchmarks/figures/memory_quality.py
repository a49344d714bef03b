"""The share of the evidence for questions that the memory recalls, and the effect of each signal."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from typing import Final, cast

from benchmarks.environment import Environment
from benchmarks.memory_quality import ablations
from benchmarks.memory_quality.case_conversations import conversations_of, verdicts_of
from benchmarks.memory_quality.cases import (
    HELD_OUT,
    UNASKED,
    Case,
    Figures,
    figures_of,
    judged,
    read_cases,
    search_alone,
)
from benchmarks.memory_quality.conversations import Conversation, conversations_in
from benchmarks.memory_quality.model import SETTINGS
from benchmarks.memory_quality.replay import Answered, ask_all, replay
from benchmarks.processes import Server, run_inside
from benchmarks.tables import Bound, Figure
from memory.search.weights import WEIGHTS

TITLE: Final = "Quality of the memory"
_MIN_RECALL: Final = {"LoCoMo": 0.85, "BEAM": 0.68}
_TOKENS: Final = 1_500.0
_USERS: Final = "benchmarks.memory_quality.users"


def measure(environment: Environment) -> Iterator[Figure]:
    """The project's own cases, by the search alone and on a real server; then, with ``--data``, LoCoMo and BEAM."""
    cases = read_cases()
    yield from _own("search alone", _alone(cases))
    held_out = read_cases(HELD_OUT)
    yield from _own("held out, search alone", _alone(case for case in held_out if case.category != UNASKED))
    for figure in _own("held out, what applies unasked", _alone(case for case in held_out if case.category == UNASKED)):
        # These cases were written to be as hard as possible.
        yield replace(figure, bound=Bound.NONE, limit=None)
    own = _chosen(conversations_of(cases, datetime.now(UTC)), environment.sizes.conversations)
    yield from _own("without dates", figures_of(verdicts_of(cases, _asked(environment, own))), has_facts=True)
    if environment.conversations is None:
        environment.say("  LoCoMo and BEAM are left out: --data DIR names a folder with a copy of them")
        return
    conversations = _chosen(list(conversations_in(environment.conversations)), environment.sizes.conversations)
    answered = _asked(environment, conversations)
    for corpus in dict.fromkeys(conversation.corpus for conversation in conversations):
        yield from _of_corpus(corpus, [each for each in answered if each.conversation.corpus == corpus])
    yield from _ablations(environment, conversations)


def _alone(cases: Iterable[Case]) -> Figures:
    """The figures of the search alone."""
    return figures_of([judged(case, search_alone(case)) for case in cases])


def _chosen(conversations: Sequence[Conversation], most: int) -> list[Conversation]:
    """The first ``most`` of each corpus."""
    corpora = dict.fromkeys(conversation.corpus for conversation in conversations)
    return [each for corpus in corpora for each in [one for one in conversations if one.corpus == corpus][:most]]


def _own(how: str, figures: Figures, *, has_facts: bool = False) -> Iterator[Figure]:
    for name, value, bound, limit in _own_limits(figures, has_facts=has_facts):
        yield Figure(name=f"own cases, {how}: {name}", unit="", value=value, bound=bound, limit=limit)


def _own_limits(figures: Figures, *, has_facts: bool) -> Iterator[tuple[str, float, Bound, float | None]]:
    yield "share of the evidence", figures.evidence, Bound.LEAST, 0.9
    yield "unrelated questions with nothing", figures.unrelated_empty, Bound.LEAST, 0.95
    yield "related questions with nothing", figures.related_empty, Bound.VALUE, 0.02
    bound, limit = (Bound.VALUE, 0.0) if has_facts else (Bound.NONE, None)
    yield "superseded texts without a mark", figures.unmarked, bound, limit


def _asked(environment: Environment, conversations: Sequence[Conversation]) -> list[Answered]:
    """Replay the conversations on one server, set their times, and ask their questions on another server."""

    def serve(url: str) -> AbstractContextManager[Server]:
        return environment.server(memory=True, model_url=url, settings=SETTINGS)

    inside: Callable[..., object] = partial(run_inside, _USERS, data_dir=environment.data_dir)
    wait_until_idle = partial(inside, name="wait_until_idle")
    emails = asyncio.run(replay(conversations, serve, wait_until_idle, environment.say))
    times: Mapping[str, Sequence[int]] = {
        email: [round(turn.at.timestamp()) for turn in conversation.turns]
        for email, conversation in zip(emails, conversations, strict=True)
    }
    tokens = cast("list[str]", inside(name="set_times", times=times))
    return asyncio.run(ask_all(list(zip(conversations, tokens, strict=True)), serve, environment.say))


def _of_corpus(corpus: str, answered: Sequence[Answered]) -> Iterator[Figure]:
    tokens = [each.tokens for each in answered]
    empty = sum(not each.items for each in answered)
    yield Figure(
        name=f"{corpus}, share of the evidence",
        unit="",
        value=_share(each.recalled for each in answered),
        bound=Bound.LEAST,
        limit=_MIN_RECALL[corpus],
        spread=f"{len(answered)} questions, {empty} with nothing",
    )
    yield Figure(
        name=f"{corpus}, tokens of a question, most",
        unit="",
        value=max(tokens),
        bound=Bound.VALUE,
        limit=_TOKENS,
        spread=f"mean {sum(tokens) / len(tokens):,.0f}",
    )
    names = list(dict.fromkeys(each.conversation.name for each in answered))
    for half, chosen in (("first", names[::2]), ("other", names[1::2])):
        yield _part(f"{corpus}, {half} half", [each for each in answered if each.conversation.name in chosen])
    for kind in sorted({each.asked.kind for each in answered}):
        yield _part(f"{corpus}, {kind}", [each for each in answered if each.asked.kind == kind])


def _part(name: str, answered: Sequence[Answered]) -> Figure:
    pieces = sum(len(each.recalled) for each in answered)
    return Figure(
        name=name, unit="", value=_share(each.recalled for each in answered), spread=f"{pieces} pieces of evidence"
    )


def _ablations(environment: Environment, conversations: Sequence[Conversation]) -> Iterator[Figure]:
    """The search alone over the same exchanges, because turns on a server would take hours."""
    indexes = [(conversation, ablations.indexed(conversation)) for conversation in conversations]
    for name, weights in (("with all signals", WEIGHTS), *ablations.ablations()):
        environment.say(f"  the search alone, {name}")
        shares = {
            corpus: _share(
                chain.from_iterable(
                    ablations.evidence_recalled(conversation, index, weights)
                    for conversation, index in indexes
                    if conversation.corpus == corpus
                )
            )
            for corpus in dict.fromkeys(conversation.corpus for conversation in conversations)
        }
        label = name if weights is WEIGHTS else f"without {name.replace('_', ' ')}"
        for corpus, share in shares.items():
            yield Figure(name=f"{corpus}, search alone, {label}", unit="", value=share)


def _share(recalled: Iterable[Sequence[bool]]) -> float:
    pieces = [piece for question in recalled for piece in question]
    return sum(pieces) / max(len(pieces), 1)
