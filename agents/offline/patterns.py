"""The regular expressions in the files of grammars."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator

Pattern: TypeAlias = Annotated[
    str, BeforeValidator(lambda value: "|".join(value) if isinstance(value, list) else value)
]
"""A regular expression. In a grammar's file it can also be a list of alternatives."""


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """``pattern``, compiled to ignore case. A space in it matches any one white-space character."""
    return re.compile(pattern.replace(" ", r"\s"), re.IGNORECASE | re.DOTALL)


def filled(text: str, parts: Mapping[str, str]) -> str:
    """``text`` with ``parts`` in place of their names in braces."""
    for part, expression in parts.items():
        text = text.replace(f"{{{part}}}", expression)
    return text


def ungrouped(pattern: str) -> str:
    """``pattern`` with non-capturing groups, so that other patterns can contain it more than once."""
    return re.sub(r"\((?:\?P<\w+>|(?!\?))", "(?:", pattern)
