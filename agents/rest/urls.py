"""Addresses of approvals, policies, tools, jobs, disclosures and usage, below ``/api/v1/``."""

from django.urls import URLPattern, path

from agents.permissions.approvals.tool_approvals import ToolApprovalManager
from agents.permissions.quotas.keeper import QuotaKeeper
from agents.rest.api import ApprovalsView, ApprovalView, JobCancelView, JobsView, JobView, PoliciesView, ToolsView
from agents.rest.disclosures.api import DisclosuresView, SharingView
from agents.rest.usage import UsageView


def addresses(manager: ToolApprovalManager, quotas: QuotaKeeper) -> list[URLPattern]:
    """``manager`` and ``quotas`` are those of the process, which its turns wait at and are held to."""
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
        path("usage", UsageView.as_view(quotas=quotas)),
    ]
