"""What staff see of the accounts. Django finds the pages by importing this package."""

from accounts.admin import events, groups, tokens, users

__all__ = ["events", "groups", "tokens", "users"]
