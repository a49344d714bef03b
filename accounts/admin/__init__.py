"""The accounts' pages of the admin. Django finds them by importing this package."""

from accounts.admin import audit, tokens, users

__all__ = ["audit", "tokens", "users"]
