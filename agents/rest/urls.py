"""The addresses of approvals, policies, tools, jobs, disclosures, usage and vectors."""

from collections.abc import Callable
from uuid import UUID

from django.urls import URLPattern, path

from agents.permissions.approvals.service import ApprovalService
from agents.permissions.quotas import QuotaService
from agents.rest.approvals import ApprovalsView, ApprovalView, PoliciesView, ToolsView
from agents.rest.disclosures import DisclosuresView, SharingView
from agents.rest.jobs import JobCancelView, JobsView, JobView
from agents.rest.usage import UsageView
from agents.rest.vectors import Embedding, EmbedView


def addresses(approvals: ApprovalService, quotas: QuotaService) -> list[URLPattern]:
    """Addresses below ``/api/v1/``. ``approvals`` and ``quotas`` are the ones that the turns of this process use."""
    return [
        path("approvals", ApprovalsView.as_view()),
        path("approvals/<uuid:approval>", ApprovalView.as_view(approvals=approvals)),
        path("policies", PoliciesView.as_view()),
        path("tools", ToolsView.as_view()),
        path("jobs", JobsView.as_view()),
        path("jobs/<uuid:job>", JobView.as_view()),
        path("jobs/<uuid:job>/cancel", JobCancelView.as_view()),
        path("disclosures", DisclosuresView.as_view()),
        path("sharing", SharingView.as_view()),
        path("usage", UsageView.as_view(quotas=quotas)),
    ]


def storage_addresses(embedding: Embedding, *, wait_s: Callable[[UUID], float]) -> list[URLPattern]:
    """Addresses below ``/api/v1/storage/``. ``wait_s`` as of ``EmbedView``."""
    return [path("vectors/embed", EmbedView.as_view(embedding=embedding, wait_s=wait_s))]
