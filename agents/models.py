"""All models of the app, for Django. Other modules import them from the modules that define them."""

# ruff: noqa: F401 - imported for Django

from agents.dialogues.models import Dialogue
from agents.jobs.models import ToolJob, ToolJobStep
from agents.permissions.models import Approval, Disclosure, SharingMarks, ToolPolicy, UserQuota
from agents.prompts.models import PromptChange, PromptSetting, PromptVersion
from agents.telemetry.models import TurnRecord, TurnTool
