"""Whose request it is."""

from typing import cast

from rest_framework.request import Request

from accounts.models import User


def user_of(request: Request) -> User:
    """Who sends this request to a view that is for those who are signed in, as views are by default."""
    return cast("User", request.user)
