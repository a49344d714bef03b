"""Every error of the agents.

AgentError
├── ModelError                      the model did not give an answer
│   ├── ModelUnavailable            not reachable, overloaded, timed out: a retry may help
│   │   └── Unrecorded              the disclosure could not be recorded, so the request was not sent
│   ├── ModelRefused                it would not answer this request
│   ├── ModelIncapable              it does not support a parameter of the request; carries the parameter
│   └── ModelBroken                 its answer is incomplete or cannot be used
├── ToolError                       the model reads the message; never ends the turn
│   ├── ModelRetry                  the arguments are wrong; the message says how to correct them
│   └── ToolFailed                  a retry will not help
│       ├── TooManyJobs             the user has the maximum number of jobs that wait or run, so none was begun
│       └── TooManyQuestions        the user has the maximum number of open questions of programs, so none was added
├── ClientError                     a call into the client's database got no usable answer
│   ├── ClientRefused               the client answered with an error
│   │   └── Withheld                the user never shares this, so it was not read
│   ├── ClientSilent                no answer in time: the outcome of a write is unknown
│   └── ClientAbsent                no device is connected
├── ApprovalError                   the user's answer cannot be accepted
│   ├── UnknownApproval             this user has no question with this id
│   └── ApprovalSettled             it was answered before, or has expired; carries its state
├── JobError                        a job cannot be continued or stopped
│   ├── UnknownJob                  this user has no job with this id
│   ├── JobOver                     it has ended; carries its state
│   ├── JobLost                     another worker may run it now, it was ended, or its user was erased: stop working
│   └── JobUnreadable               its stored data cannot be decrypted; a retry will not help
├── PromptError                     a prompt cannot be read or changed
│   ├── PromptSourceAway            Langfuse is unavailable
│   ├── PromptUnusable              Langfuse's text of a prompt cannot be used
│   ├── PromptRefused               the text is not valid for the prompt; carries the problems
│   └── PromptChanged               it was changed in the meantime
├── ImageError                      a message cannot have this image
│   ├── ImageRefused                the file cannot be sent; the message says why
│   ├── ImageGone                   the user has no image with this id, or it has expired
│   └── ImagesUnavailable           images can be neither stored nor read at the moment
├── UnknownModel                    no model has the name in a request; carries the existing names
├── NoMcpServer                     the address does not answer like Adiuva's MCP server
├── QuotaExceeded                   the user's quota for today is used up; carries the allowance
└── SpecError                       a tool is declared wrongly (raised at import)
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agents.allowances import Allowance


class AgentError(Exception):
    """The assistant could not do this."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class ModelError(AgentError):
    """The model did not give an answer."""

    retryable = False


class ModelUnavailable(ModelError):
    """The model cannot be reached right now."""

    retryable = True


class Unrecorded(ModelUnavailable):
    """The rows that the model would be sent could not be recorded, so it was not asked."""


class ModelRefused(ModelError):
    """The model would not answer this request."""


class ModelIncapable(ModelError):
    """The model does not take a parameter of the request."""

    def __init__(self, model: str, parameter: str) -> None:
        super().__init__(f"The model {model} does not take this {parameter}.")
        self.model, self.parameter = model, parameter


class ModelBroken(ModelError):
    """The model's answer broke off or could not be read."""

    retryable = True


class ToolError(AgentError):
    """The tool did not do what was asked."""


class ModelRetry(ToolError):
    """The arguments are wrong. With ``correctable``, the message says how to correct them.

    ``choices`` are the rows that the user may have meant, as texts for the user.
    """

    def __init__(self, message: str = "", *, correctable: bool = False, choices: "Sequence[str]" = ()) -> None:
        super().__init__(message)
        self.correctable = correctable
        self.choices = choices


class ToolFailed(ToolError):
    """The tool cannot do this."""


class TooManyJobs(ToolFailed):
    """The user has the maximum number of jobs that wait or run."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"Nothing was begun: at most {limit} jobs of the user may wait or run at the same time. Tell the user that "
            "it can begin once one of them has ended or was cancelled."
        )


class TooManyQuestions(ToolFailed):
    """The user has the maximum number of open questions of programs."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"This needs the user's approval, and they were not asked: {limit} questions of programs wait for them "
            "already. Nothing was changed. Tell the user to answer those first, or try again in five minutes."
        )


class ClientError(AgentError):
    """The device gave no usable answer."""


class ClientRefused(ClientError):
    """The device answered with an error."""


class Withheld(ClientRefused):
    """The user never shares this with a model."""


class ClientSilent(ClientError):
    """The device did not answer in time."""


class ClientAbsent(ClientError):
    """No device is connected."""


class ApprovalError(AgentError):
    """The answer cannot be accepted."""


class UnknownApproval(ApprovalError):
    """There is no such approval."""


class ApprovalSettled(ApprovalError):
    """The question is no longer open."""

    def __init__(self, state: str) -> None:
        super().__init__(f"This question is no longer open: it is {state}.")
        self.state = state


class JobError(AgentError):
    """The job cannot be continued."""


class UnknownJob(JobError):
    """There is no such job."""


class JobOver(JobError):
    """The job has ended."""

    def __init__(self, state: str) -> None:
        super().__init__(f"This job has ended: it is {state}.")
        self.state = state


class JobLost(JobError):
    """This worker no longer holds the job."""


class JobUnreadable(JobError):
    """The stored data of the job cannot be decrypted."""


class PromptError(AgentError):
    """A prompt cannot be read or changed."""


class PromptSourceAway(PromptError):
    """Langfuse cannot be reached right now."""


class PromptUnusable(PromptError):
    """Langfuse's text of this prompt cannot be used."""


class PromptRefused(PromptError):
    """This text is not valid for the prompt."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


class PromptChanged(PromptError):
    """Another user has changed this prompt since you opened the page. Check the text that is in force now."""


class QuotaExceeded(AgentError):
    """The user's quota for today is used up."""

    def __init__(self, allowance: "Allowance") -> None:
        super().__init__(allowance.sentence)
        self.allowance = allowance


class UnknownModel(AgentError):
    """There is no model with this name."""

    def __init__(self, names: "Sequence[str]") -> None:
        choice = f"Choose one of {', '.join(names)}, or none." if names else "Choose none: there is only one."
        super().__init__(f"There is no model with this name. {choice}")
        self.names = names


class SpecError(AgentError):
    """A tool is declared wrongly."""


class ImageError(AgentError):
    """The image cannot be sent."""


class ImageRefused(ImageError):
    """This is not an image that can be sent."""


class ImageGone(ImageError):
    """The server no longer has this image, which it keeps for ten minutes. Send it again."""


class ImagesUnavailable(ImageError):
    """The server cannot accept images right now. Try again in a moment."""


class NoMcpServer(AgentError):
    """There is no MCP server."""
