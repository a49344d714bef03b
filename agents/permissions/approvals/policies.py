"""Policies: a user's decisions about tools and about risks, and the defaults."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final
from uuid import UUID

from django.db import transaction

from accounts.database import in_database
from accounts.locks import lock_user
from accounts.statements import Found, run_statement
from agents.permissions.models import Decision, ToolPolicy
from agents.tools.spec import Risk

DEFAULTS: Final[Mapping[Risk, Decision]] = MappingProxyType(
    {Risk.READ: Decision.AUTO, Risk.WRITE: Decision.AUTO, Risk.DESTRUCTIVE: Decision.ASK}
)
_POLICIES_OF: Final = "SELECT risk, tool, decision, remembered FROM agents_toolpolicy WHERE user_id = %s"


@dataclass(frozen=True, kw_only=True, slots=True)
class Policies:
    """A user's decisions. ``remembered`` names the tools whose decision comes from an answer."""

    risks: Mapping[Risk, Decision] = field(default_factory=lambda: DEFAULTS)
    tools: Mapping[str, Decision] = field(default_factory=dict)
    remembered: frozenset[str] = frozenset()

    def decision(self, tool: str, risk: Risk) -> Decision:
        """The decision about ``tool``, or about its risk if there is none."""
        return self.about(tool, risk) or self.risks[risk]

    def about(self, tool: str, risk: Risk, *, after_foreign: bool = False) -> Decision | None:
        """The decision about ``tool`` alone, if any.

        A remembered answer never lets a destructive call run without asking, even if the tool was not destructive when
        the answer was given. Nor does it let any call after foreign text run without asking.
        """
        decided = self.tools.get(tool)
        if decided is Decision.AUTO and tool in self.remembered and (after_foreign or risk is Risk.DESTRUCTIVE):
            return None
        return decided


async def read_policies(user_id: UUID) -> Policies:
    """As ``policies_of``, in a thread."""
    return await in_database(policies_of, user_id)


def policies_of(user_id: UUID) -> Policies:
    """The user's decisions, and the defaults for the other risks."""
    return policies_in(run_statement(_POLICIES_OF, [user_id]))


def policies_in(rows: Found) -> Policies:
    """The decisions in ``rows``. Each row has a risk or a tool, the decision, and whether it is remembered."""
    return Policies(
        risks={**DEFAULTS, **{Risk(risk): Decision(decision) for risk, _, decision, _ in rows if risk}},
        tools={tool: Decision(decision) for _, tool, decision, _ in rows if tool},
        remembered=frozenset(tool for _, tool, _, remembered in rows if tool and remembered),
    )


def replace_policies(user_id: UUID, *, risks: Mapping[Risk, Decision], tools: Mapping[str, Decision]) -> None:
    """Replace all of the user's decisions. A risk that is not in ``risks`` gets its default."""
    with transaction.atomic():
        # Serializes concurrent changes of one user's policies.
        lock_user(user_id)
        ToolPolicy.objects.for_user(user_id).delete()
        ToolPolicy.objects.bulk_create(
            [
                *(ToolPolicy(user_id=user_id, risk=risk, decision=decision) for risk, decision in risks.items()),
                *(ToolPolicy(user_id=user_id, tool=tool, decision=decision) for tool, decision in tools.items()),
            ]
        )


def remember_answer(user_id: UUID, tool: str, risk: Risk, *, approved: bool) -> bool:
    """Store an answer as the policy for ``tool``. For a destructive tool, do nothing and return False."""
    if risk is Risk.DESTRUCTIVE:
        return False
    with transaction.atomic():
        lock_user(user_id)
        ToolPolicy.objects.update_or_create(
            user_id=user_id,
            tool=tool,
            defaults={"decision": Decision.AUTO if approved else Decision.DENY, "remembered": True},
        )
    return True
