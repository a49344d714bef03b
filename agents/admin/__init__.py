"""The admin pages of the assistant: states, times and figures. Django registers them by importing this package."""

from agents.admin import jobs, permissions, prompts, support, turns, usage

__all__ = ["jobs", "permissions", "prompts", "support", "turns", "usage"]
