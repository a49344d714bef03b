"""The admin pages of the assistant: states, times and figures. Django registers them by importing this package."""

from agents.admin import approvals, disclosures, jobs, policies, prompts, quotas, turns

__all__ = ["approvals", "disclosures", "jobs", "policies", "prompts", "quotas", "turns"]
