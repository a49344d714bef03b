"""Addresses of approvals, policies, tools, jobs and disclosures, below ``/api/v1/``."""

from django.urls import URLPattern, path

from agents.api import ApprovalsView, ApprovalView, JobCancelView, JobsView, JobView, PoliciesView, ToolsView
from agents.approvals.tool_approvals import ToolApprovalManager
from agents.disclosures.api import DisclosuresView, SharingView


def addresses(manager: ToolApprovalManager) -> list[URLPattern]:
    """``manager`` is that of the process, which its turns wait at."""
    return [
        path("approvals", ApprovalsView.as_view()),
        path("approvals/<uuid:approval>", ApprovalView.as_view(manager=manager)),
        path("policies", PoliciesView.as_view()),
        path("tools", ToolsView.as_view()),
        path("jobs", JobsView.as_view()),
        path("jobs/<uuid:job>", JobView.as_view()),
        path("jobs/<uuid:job>/cancel", JobCancelView.as_view()),
        path("disclosures", DisclosuresView.as_view()),
        path("sharing", SharingView.as_view()),
    ]
