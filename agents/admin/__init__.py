"""What staff see of the assistant: states, times and figures. Django finds the pages by importing this package."""

from agents.admin import approvals, disclosures, jobs, policies, prompts, quotas, turns

__all__ = ["approvals", "disclosures", "jobs", "policies", "prompts", "quotas", "turns"]
