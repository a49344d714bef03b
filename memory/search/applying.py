"""Preferences that apply to a request, though it does not name them: “no gluten” to “where shall we eat”. Pure."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from memory.search.bm25 import Flags
from memory.search.index import ExchangeIndex
from memory.search.kinds import Kind
from memory.search.occasions import Occasion, occasions_of
from memory.search.persons import people_in
from memory.search.words import stem, words_of


class Applying(NamedTuple):
    """Which passages are preferences that may apply to a request: ``any`` may, and more so those ``on_occasion``.

    Those that are ``sufficient`` are told although nothing else has to do with the request.
    """

    any: Flags
    on_occasion: Flags
    sufficient: Flags


def applying(index: ExchangeIndex, request: str, *, is_near: bool, may_suffice: bool) -> Applying:
    """The preferences that may apply to ``request`` (as ``comparable``); none if that is empty.

    ``is_near`` is whether it has a little to do with anything in the index: else what it wants written, explained or
    calculated may be about anything in the world. Without ``may_suffice`` none are ``sufficient``.
    """
    none = np.zeros(len(index.passage_places()), np.bool_)
    if not request:
        return Applying(none, none, none)
    # What was removed is of no kind.
    preferences = index.kinds(Kind.CONSTRAINT)
    words = words_of(request)
    occasions = occasions_of(words, index.languages)
    on_occasion = preferences & index.having(_stems_of(occasions))
    people = people_in(words, index.is_name)
    of_person = preferences & index.having(stem(each, language) for each in people for language in index.languages)
    if not may_suffice:
        sufficient = none
    elif is_near:
        sufficient = on_occasion | of_person
    else:
        sufficient = of_person | preferences & index.having(_stems_of(_of_life(occasions)))
    return Applying(preferences, on_occasion, sufficient)


def stems_that_apply(request: str, languages: Iterable[str]) -> set[str]:
    """The stems of preferences that apply to ``request`` (as ``comparable``), whatever else it has to do with, if it is
    of one's own life; by the rules of each of ``languages``.
    """
    return _stems_of(_of_life(occasions_of(words_of(request), languages)))


def _of_life(occasions: Iterable[Occasion]) -> Iterator[Occasion]:
    return (occasion for occasion in occasions if occasion.is_of_life)


def _stems_of(occasions: Iterable[Occasion]) -> set[str]:
    return {stem for occasion in occasions for stem in occasion.preferences}
