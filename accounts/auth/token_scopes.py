"""What a personal token may do: words as in OAuth (RFC 6749, 3.3), such as ``tasks:read``.

``read`` and ``write`` hold for all that is the user's own, ``tasks:read`` for one group. Writing does not include
reading, so that a program that only adds tasks need not see any. What staff may see of others needs ``staff:read``
itself. Which groups there are is up to the packages above, which register them.
"""

from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import Final, Protocol

from django.core.exceptions import ValidationError


class Access(StrEnum):
    """What a scope is for. Alone it is a scope for all groups but ``STAFF``."""

    READ = "read"
    WRITE = "write"


STAFF: Final = "staff"
"""The group of what is not the user's own."""


class GroupScopes(Protocol):
    """The scopes of single groups that a user may give a token."""

    def __call__(self, *, staff: bool) -> Sequence[str]: ...


_registered: Final[list[GroupScopes]] = []


def register(scopes: GroupScopes) -> GroupScopes:
    """Let tokens have these scopes, too. For ``ready()``."""
    _registered.append(scopes)
    return scopes


def group_scope(group: str, access: Access) -> str:
    """The scope for one group."""
    return f"{group}:{access}"


def known_scopes(*, staff: bool) -> list[str]:
    """All scopes that a user may give a token, those for all groups first."""
    return [*Access, *(scope for scopes in _registered for scope in scopes(staff=staff))]


def checked_scopes(asked: Collection[str], *, staff: bool) -> list[str]:
    """``asked``, each once, in the order of ``known_scopes``.

    Raises Django's ``ValidationError`` for ``scopes``, with the known ones, if it is empty or one is unknown.
    """
    known = known_scopes(staff=staff)
    unknown = [scope for scope in asked if scope not in known]
    if unknown or not asked:
        wrong = f"There is no scope {', '.join(map(repr, unknown))}." if unknown else "A token needs a scope."
        raise ValidationError({"scopes": [f"{wrong} The scopes are: {', '.join(known)}."]})
    return [scope for scope in known if scope in asked]


def missing_scopes(given: Collection[str], needed: Sequence[str]) -> list[str]:
    """Those of ``needed`` that neither ``given`` names nor a scope for all groups covers."""
    return [scope for scope in needed if scope not in given and (is_for_staff(scope) or _access(scope) not in given)]


def is_for_staff(scope: str) -> bool:
    """Whether it is about what is not the user's own."""
    return scope.startswith(f"{STAFF}:")


def _access(scope: str) -> str:
    return scope.rpartition(":")[2]
