"""Who may do something to whom. Staff cannot act on users with more permissions; only superusers give permissions."""

from django.contrib.auth.models import AnonymousUser, Permission
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import HttpRequest

from accounts.models import User


def actor_of(request: HttpRequest) -> User:
    """The member of staff who makes a request. Raises ``PermissionDenied`` if no one is signed in."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def may_touch(actor: User | AnonymousUser, subject: User | None) -> bool:
    """Whether ``subject`` has no permission that ``actor`` lacks, and which acting on them could give or take away."""
    if subject is None or actor.is_superuser or subject == actor:
        return True
    return not subject.is_superuser and permissions_of(subject) <= actor.get_all_permissions()


def permissions_of(user: User) -> set[str]:
    """Those given to ``user`` or to their groups, also while the account is inactive. Empty unless they are staff."""
    if not user.is_staff:
        return set()
    given = Permission.objects.filter(Q(user=user) | Q(group__user=user))
    return {".".join(each) for each in given.values_list("content_type__app_label", "codename")}
