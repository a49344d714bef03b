"""Addresses of approvals and policies, below ``/api/v1/``."""

from django.urls import URLPattern, path

from agents.api import ApprovalsView, ApprovalView, PoliciesView
from agents.approvals import ToolApprovalManager


def addresses(manager: ToolApprovalManager) -> list[URLPattern]:
    """``manager`` is that of the process, which its turns wait at."""
    return [
        path("approvals", ApprovalsView.as_view()),
        path("approvals/<uuid:approval>", ApprovalView.as_view(manager=manager)),
        path("policies", PoliciesView.as_view()),
    ]
