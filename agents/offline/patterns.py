"""Regular expressions as the files of grammars have them."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator

Pattern: TypeAlias = Annotated[str, BeforeValidator(lambda said: "|".join(said) if isinstance(said, list) else said)]
"""A regular expression; in a grammar's file also a list of its alternatives."""


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """``pattern`` for any case; a space in it matches any one white-space character."""
    return re.compile(pattern.replace(" ", r"\s"), re.IGNORECASE | re.DOTALL)


def filled(text: str, parts: Mapping[str, str]) -> str:
    """``text`` with ``parts`` in place of their names in braces."""
    for part, expression in parts.items():
        text = text.replace(f"{{{part}}}", expression)
    return text


def ungrouped(pattern: str) -> str:
    """``pattern`` with groups that capture nothing, so that other patterns can contain it more than once."""
    return re.sub(r"\((?:\?P<\w+>|(?!\?))", "(?:", pattern)
