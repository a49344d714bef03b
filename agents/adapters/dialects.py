"""How servers with OpenAI's API differ from OpenAI and from each other. Pure.

The hosts of providers are known. The server at any other address is asked once. docs/models.md has the table.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit

from agents.addresses import is_this_machine


class DialectName(StrEnum):
    """The dialects, by their names in settings."""

    OPENAI = "openai"
    AZURE = "azure"
    GEMINI = "gemini"
    MISTRAL = "mistral"
    OPENROUTER = "openrouter"
    OLLAMA = "ollama"
    LLAMA_CPP = "llama_cpp"
    VLLM = "vllm"
    LM_STUDIO = "lm_studio"
    COMPATIBLE = "compatible"
    """Any other server."""


class Api(StrEnum):
    """The APIs of models: two of OpenAI's, and Anthropic's."""

    CHAT_COMPLETIONS = "chat_completions"
    RESPONSES = "responses"
    ANTHROPIC = "anthropic"


class Effort(StrEnum):
    """How much a reasoning model thinks. Not every model accepts every value."""

    NONE = "none"
    MINIMAL = "minimal"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    XHIGH = "xhigh"
    MAX = "max"


class CallRequirement(StrEnum):
    """How a request says that the model must call a tool."""

    CHOICE = "choice"
    """By ``tool_choice``."""
    SCHEMA = "schema"
    """By a schema of the answer, so that the answer is a call as text."""


HOSTED_FIRST_BYTE_S: Final = 120.0
LOCAL_FIRST_BYTE_S: Final = 900.0
"""Without a GPU, a model reads about twenty tokens a second, and a request has thousands."""
HOSTED_STALL_S: Final = 60.0
LOCAL_STALL_S: Final = 300.0
"""Answers pause while the server reads the request of another turn, or one for a summary."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Dialect:
    """What one kind of server accepts and sends.

    ``returned`` are the fields of its messages that it wants back in later rounds of tools. ``local`` is whether it
    usually runs on the user's own machine, which may be slow.
    """

    name: DialectName
    local: bool = False
    api: Api = Api.CHAT_COMPLETIONS
    """The API that is used unless a setting says otherwise."""
    limit_field: str = "max_completion_tokens"
    counts_on_request: bool = True
    """Whether it counts tokens only if ``stream_options`` asks for it."""
    stores_unless_told: bool = False
    """Whether it stores requests unless ``store`` is false."""
    has_schemas: bool = True
    has_tool_choice: bool = True
    """Whether it knows ``tool_choice``. Any other server is sent no tools if the model must answer."""
    requires_calls: CallRequirement | None = None
    """How all its models are told that they must call a tool; None if some may refuse such a request."""
    alternating: bool = False
    """Whether templates of its models refuse roles that do not alternate, and system messages after the first."""
    short_call_ids: bool = False
    """Whether the ids of calls must be nine letters or digits."""
    effort_in_object: bool = False
    """Whether the effort is in ``reasoning.effort`` instead of ``reasoning_effort``."""
    returned: frozenset[str] = frozenset()
    signed_calls: bool = False
    """Whether each call's ``extra_content`` must come back."""
    tells_progress: bool = False
    """Whether it reports how much it has read if ``return_progress`` asks for it."""

    @property
    def first_byte_s(self) -> float:
        """How long it may take until it begins to answer, in seconds."""
        return LOCAL_FIRST_BYTE_S if self.local else HOSTED_FIRST_BYTE_S

    @property
    def stall_s(self) -> float:
        """How long an answer that has begun may stall, in seconds."""
        return LOCAL_STALL_S if self.local else HOSTED_STALL_S


def _local(name: DialectName, *, returned: frozenset[str], has_tool_choice: bool = True,
           requires_calls: CallRequirement | None = CallRequirement.CHOICE,
           tells_progress: bool = False) -> Dialect:  # fmt: skip
    # Old versions of all of them ignore ``max_completion_tokens``, and the templates of many models are strict.
    return Dialect(
        name=name,
        local=True,
        limit_field="max_tokens",
        alternating=True,
        returned=returned,
        has_tool_choice=has_tool_choice,
        requires_calls=requires_calls,
        tells_progress=tells_progress,
    )


DIALECTS: Final[Mapping[DialectName, Dialect]] = {
    dialect.name: dialect
    for dialect in (
        Dialect(
            name=DialectName.OPENAI, api=Api.RESPONSES, stores_unless_told=True, requires_calls=CallRequirement.CHOICE
        ),
        Dialect(name=DialectName.AZURE),
        Dialect(name=DialectName.GEMINI, signed_calls=True, requires_calls=CallRequirement.CHOICE),
        Dialect(
            name=DialectName.MISTRAL,
            limit_field="max_tokens",
            counts_on_request=False,
            alternating=True,
            short_call_ids=True,
            requires_calls=CallRequirement.CHOICE,
        ),
        Dialect(
            name=DialectName.OPENROUTER,
            limit_field="max_tokens",
            effort_in_object=True,
            returned=frozenset({"reasoning_details"}),
        ),
        _local(DialectName.OLLAMA, returned=frozenset({"reasoning"}), has_tool_choice=False, requires_calls=None),
        # Its ``required`` lets models that have no format of their own for calls write any text first, but not end
        # without a call, so they never end.
        _local(
            DialectName.LLAMA_CPP,
            returned=frozenset({"reasoning_content"}),
            requires_calls=CallRequirement.SCHEMA,
            tells_progress=True,
        ),
        _local(DialectName.VLLM, returned=frozenset({"reasoning", "reasoning_content"})),
        _local(DialectName.LM_STUDIO, returned=frozenset({"reasoning_content"})),
        Dialect(name=DialectName.COMPATIBLE, returned=frozenset({"reasoning_content"})),
    )
}

_HOSTS: Final[Mapping[str, DialectName]] = {
    "api.openai.com": DialectName.OPENAI,
    "openai.azure.com": DialectName.AZURE,
    "services.ai.azure.com": DialectName.AZURE,
    "cognitiveservices.azure.com": DialectName.AZURE,
    "generativelanguage.googleapis.com": DialectName.GEMINI,
    "aiplatform.googleapis.com": DialectName.GEMINI,
    "api.mistral.ai": DialectName.MISTRAL,
    "openrouter.ai": DialectName.OPENROUTER,
}
_OWNERS: Final[Mapping[str, DialectName]] = {
    "vllm": DialectName.VLLM,
    "llamacpp": DialectName.LLAMA_CPP,
    "library": DialectName.OLLAMA,
    "organization_owner": DialectName.LM_STUDIO,
    "organization-owner": DialectName.LM_STUDIO,
}
"""Dialects by what a server names as the owner of its models."""


def dialect_of_host(base_url: str) -> Dialect | None:
    """The dialect of a provider's address; None for any other address."""
    host = (urlsplit(base_url).hostname or "").casefold()
    known = (name for end, name in _HOSTS.items() if host == end or host.endswith((f".{end}", f"-{end}")))
    name = next(known, None)
    return None if name is None else DIALECTS[name]


def compatible_dialect(base_url: str) -> Dialect:
    """The dialect of an unknown server. At a loopback address, it runs on the user's own machine."""
    return replace(DIALECTS[DialectName.COMPATIBLE], local=is_this_machine(urlsplit(base_url).hostname))


def dialect_of_models(listed: object) -> Dialect | None:
    """The dialect of a server, by its answer to ``GET …/models``; None if that does not show it."""
    return next((DIALECTS[_OWNERS[owner]] for owner in _owners(listed) if owner in _OWNERS), None)


def _owners(listed: object) -> Iterator[str]:
    models = listed.get("data") if isinstance(listed, dict) else None
    for model in models if isinstance(models, list) else []:
        owner = model.get("owned_by") if isinstance(model, dict) else None
        if isinstance(owner, str):
            yield owner.casefold()
