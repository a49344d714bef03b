"""Columns that other apps add to the list of users: what they know of a user, as a figure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from django.contrib.admin import display
from django.db.models.expressions import Combinable

from accounts.models import User


@dataclass(frozen=True, kw_only=True, slots=True)
class UserColumn:
    """A column for staff with ``permission``.

    ``value`` makes an expression over users, such as a subquery, which the list reads for the shown rows only.
    ``shown`` writes it.
    """

    name: str
    title: str
    permission: str
    value: Callable[[], Combinable]
    shown: Callable[[Any], str]

    @property
    def cell(self) -> Callable[[User], str]:
        """As Django's list of rows takes it."""

        @display(description=self.title, ordering=self.name)
        def cell(user: User) -> str:
            return self.shown(getattr(user, self.name))

        return cell


USER_COLUMNS: Final[list[UserColumn]] = []
"""Those of all apps, which add theirs when their admin pages are imported."""
