"""The accounts' pages of the admin. Django finds them by importing this package."""

from accounts.admin import audit, groups, tokens, users

__all__ = ["audit", "groups", "tokens", "users"]
