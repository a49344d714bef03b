"""Every model of the app, where Django looks for them; others import them from where they are defined."""

# ruff: noqa: F401 - imported for Django

from agents.dialogues.models import Dialogue
from agents.jobs.models import ToolJob, ToolJobStep
from agents.permissions.models import Approval, Disclosure, SharingMarks, ToolPolicy, UserQuota
from agents.prompts.models import PromptChange, PromptSetting, PromptVersion
from agents.telemetry.models import TurnRecord, TurnTool
