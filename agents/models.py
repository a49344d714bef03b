"""Every model of the app, where Django looks for them; others import them from where they are defined."""

# ruff: noqa: F401 - imported for Django

from agents.dialogues.models import Dialogue
from agents.jobs.models import ToolJob, ToolJobStep
from agents.permissions.approvals.models import Approval, ToolPolicy
from agents.permissions.disclosures.models import Disclosure
from agents.permissions.quotas.models import UserQuota
from agents.permissions.sharing.models import SharingMarks
from agents.prompts.models import PromptChange, PromptSetting, PromptVersion
from agents.telemetry.models import TurnRecord, TurnTool
