"""Which never-shared rows the user's own words name: by id, by exact title, or by looking at them."""

import re

from agents.permissions.withholding import HiddenRow
from agents.scopes import AnyScope, viewed_row
from agents.tools.rows import text


def is_named(hidden: HiddenRow, *, said: str, scope: AnyScope | None) -> bool:
    """Whether ``said``, what the user wrote in this request, names the row, or it is the one in front of them.

    Case and white space make no difference to a title. A part of a longer word names nothing.
    """
    row_id = text(hidden.row, "id")
    title = text(hidden.row, "title") or text(hidden.row, "name")
    return viewed_row(scope) == (hidden.table, row_id) or any(_occurs(each, said) for each in (row_id, title))


def _occurs(name: str, said: str) -> bool:
    words = _plain(name)
    return bool(words) and re.search(rf"(?<![\w-]){re.escape(words)}(?![\w-])", _plain(said)) is not None


def _plain(words: str) -> str:
    return " ".join(words.split()).casefold()
