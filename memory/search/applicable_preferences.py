"""Preferences that apply to a request without sharing a word with it: “no gluten” to “where shall we eat”. Pure."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from memory.search.bm25 import Flags
from memory.search.index import ExchangeIndex
from memory.search.kinds import Kind
from memory.search.occasions import Occasion, occasions_of
from memory.search.persons import people_in
from memory.search.words import stem, words_of


class ApplicablePreferences(NamedTuple):
    """For each passage, whether it is a preference that applies to a request: on ``any`` occasion, or ``on_occasion``,
    one that the request is about.

    ``sufficient`` ones are recalled even if nothing else is relevant to the request.
    """

    any: Flags
    on_occasion: Flags
    sufficient: Flags


def applicable_preferences(
    index: ExchangeIndex, request: str, *, is_near: bool, may_suffice: bool
) -> ApplicablePreferences:
    """The preferences that apply to ``request`` (as ``comparable``); none if that is empty.

    ``is_near``: whether the request is nearly relevant to the index. If not, a request for a text, an explanation or a
    calculation may be about anything in the world, so its occasion makes no preference ``sufficient``. Without
    ``may_suffice``, none is.
    """
    none = np.zeros(len(index.passage_exchanges()), np.bool_)
    if not request:
        return ApplicablePreferences(none, none, none)
    # Removed passages have no kinds.
    preferences = index.of_kind(Kind.CONSTRAINT)
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
        sufficient = of_person | preferences & index.having(_stems_of(_of_own_life(occasions)))
    return ApplicablePreferences(preferences, on_occasion, sufficient)


def applicable_stems(request: str, languages: Iterable[str]) -> set[str]:
    """The stems of preferences that apply to ``request`` (as ``comparable``) because it belongs to an occasion of one's
    own life; by the rules of each of ``languages``.
    """
    return _stems_of(_of_own_life(occasions_of(words_of(request), languages)))


def _of_own_life(occasions: Iterable[Occasion]) -> Iterator[Occasion]:
    return (occasion for occasion in occasions if occasion.is_of_own_life)


def _stems_of(occasions: Iterable[Occasion]) -> set[str]:
    return {stem for occasion in occasions for stem in occasion.preferences}
