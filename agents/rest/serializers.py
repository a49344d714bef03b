"""The shapes of ``/api/v1/approvals``, ``/policies``, ``/tools`` and ``/jobs``."""

from collections.abc import Mapping

from rest_framework import serializers

from agents.jobs.models import JobState
from agents.permissions.approvals.models import ApprovalState, Decision
from agents.permissions.approvals.tool_approvals import TurnFate
from agents.tools.spec.tool import Agent, Risk, registered_tools

MAX_REASON_CHARS = 2000
_STATES = [state.value for state in ApprovalState]
_JOB_STATES = [state.value for state in JobState]
_AGENTS = [agent.value for agent in Agent]
_RISKS = [risk.value for risk in Risk]
_DECISIONS = [decision.value for decision in Decision]


class PreviewSerializer(serializers.Serializer[object]):
    """A row as it is and as it would be; null where there is none."""

    before = serializers.DictField(allow_null=True)
    after = serializers.DictField(allow_null=True)


class ApprovalSerializer(serializers.Serializer[object]):
    """A question that was put to the user before a tool ran, and where it stands."""

    id = serializers.UUIDField()
    request_id = serializers.CharField(help_text="The request in which the tool was to run.")
    session_id = serializers.CharField(allow_blank=True)
    tool = serializers.CharField()
    risk = serializers.ChoiceField(choices=_RISKS)
    arguments = serializers.DictField()
    summary = serializers.CharField(help_text="What the tool would do, in a sentence for a person.")
    preview = PreviewSerializer(allow_null=True)
    state = serializers.ChoiceField(choices=_STATES)
    ran = serializers.BooleanField(help_text="Whether the tool was run by this approval.")
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    answered_at = serializers.DateTimeField(allow_null=True)


class ApprovalPageSerializer(serializers.Serializer[object]):
    """A page of approvals: those that wait for an answer first, then the newest."""

    count = serializers.IntegerField(help_text="How many there are in all.")
    results = ApprovalSerializer(many=True)


class PageSerializer(serializers.Serializer[object]):
    """Which page of a list."""

    limit = serializers.IntegerField(default=20, min_value=1, max_value=100, help_text="How many, at most 100.")
    offset = serializers.IntegerField(default=0, min_value=0, max_value=1_000_000, help_text="How many to pass over.")


class AnswerSerializer(serializers.Serializer[object]):
    """The user's answer."""

    approved = serializers.BooleanField()
    reason = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=MAX_REASON_CHARS, help_text="Told to the assistant."
    )
    remember = serializers.BooleanField(
        required=False,
        default=False,
        help_text="Let it hold for every later call of the tool; never a destructive one.",
    )


class AnsweredSerializer(serializers.Serializer[object]):
    """What became of an answer."""

    id = serializers.UUIDField()
    state = serializers.ChoiceField(choices=_STATES)
    turn = serializers.ChoiceField(
        choices=[fate.value for fate in TurnFate],
        help_text="`waiting`: the request goes on. `queued`: it has ended, and the tool "
        "runs as a job. `gone`: it has ended, and nothing runs by this approval.",
    )
    remembered = serializers.BooleanField()
    message = serializers.CharField(help_text="The same in a sentence for a person.")


class RisksSerializer(serializers.Serializer[object]):
    """A decision for each risk."""

    read = serializers.ChoiceField(choices=_DECISIONS)
    write = serializers.ChoiceField(choices=_DECISIONS)
    destructive = serializers.ChoiceField(choices=_DECISIONS)


class PoliciesSerializer(serializers.Serializer[object]):
    """What runs unasked (`auto`), asks first (`ask`) or never runs (`deny`). A tool's own decision wins."""

    risks = RisksSerializer()
    tools = serializers.DictField(child=serializers.ChoiceField(choices=_DECISIONS), help_text="By the name of a tool.")

    def validate_tools(self, tools: Mapping[str, str]) -> Mapping[str, str]:
        unknown = sorted(tools.keys() - registered_tools().keys())
        if unknown:
            raise serializers.ValidationError({name: ["There is no such tool."] for name in unknown})
        return tools


class ToolSerializer(serializers.Serializer[object]):
    """Something that the assistant can do."""

    name = serializers.CharField(help_text="As policies name it.")
    agent = serializers.ChoiceField(choices=_AGENTS, help_text="What it is about; `all`: everything.")
    risk = serializers.ChoiceField(choices=_RISKS)
    label = serializers.CharField(  # type: ignore[assignment] # a field's own label is no serializer's
        help_text="What it does, for a person."
    )
    description = serializers.CharField(help_text="What the model is told of it.")


class JobsQuerySerializer(PageSerializer):
    """Which page of which jobs."""

    state = serializers.ChoiceField(choices=_JOB_STATES, required=False, help_text="Only jobs that stand there.")


class JobSerializer(serializers.Serializer[object]):
    """A tool run that goes on after its request has ended, and where it stands."""

    id = serializers.UUIDField()
    request_id = serializers.CharField(help_text="The request in which the tool was called.")
    session_id = serializers.CharField(allow_blank=True)
    device_id = serializers.CharField(allow_blank=True, help_text="The device in whose database it runs.")
    tool = serializers.CharField()
    label = serializers.CharField(  # type: ignore[assignment] # a field's own label is no serializer's
        allow_blank=True, help_text="What it does at the moment, for a person."
    )
    state = serializers.ChoiceField(choices=_JOB_STATES)
    fraction = serializers.FloatField(allow_null=True, min_value=0, max_value=1, help_text="How much of it is done.")
    cancel_requested = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    delivered_at = serializers.DateTimeField(allow_null=True, help_text="When its device said that it knows.")


class JobPageSerializer(serializers.Serializer[object]):
    """A page of jobs, the newest first."""

    count = serializers.IntegerField(help_text="How many there are in all.")
    results = JobSerializer(many=True)


class JobDetailSerializer(JobSerializer):
    """A job with what it was to do and what came of it."""

    arguments = serializers.DictField(allow_null=True)
    response = serializers.CharField(allow_null=True, allow_blank=True, help_text="The answer, once it is done.")
    failure = serializers.CharField(allow_null=True, allow_blank=True, help_text="Why it has failed.")
    unreadable = serializers.BooleanField(help_text="The server cannot open the texts of this job; they are null.")


class JobCancelledSerializer(serializers.Serializer[object]):
    """What became of cancelling."""

    id = serializers.UUIDField()
    state = serializers.ChoiceField(
        choices=[JobState.CANCELLED.value, JobState.RUNNING.value],
        help_text="`running`: it is asked to stop. It may be done first, and is `cancelled` otherwise.",
    )
    message = serializers.CharField(help_text="The same in a sentence for a person.")
