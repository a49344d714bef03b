"""Every error of the agents.

AgentError
├── ModelError                      the model did not give an answer
│   ├── ModelUnavailable            not reachable, overloaded, out of time: asking again may help
│   │   └── Unrecorded              the disclosure could not be recorded, so it was not asked
│   ├── ModelRefused                it would not answer this request
│   ├── ModelIncapable              it does not take a parameter of the request; carries which
│   └── ModelBroken                 it answered something that cannot be used, or broke off
├── ToolError                       the model reads the message; never ends the turn
│   ├── ModelRetry                  the arguments are wrong; the message says how to correct them
│   └── ToolFailed                  it will not work; final
│       ├── TooManyJobs             as many jobs of the user are under way as may be, so none was begun
│       └── TooManyQuestions        as many questions of programs wait for the user as may be, so none was added
├── ClientError                     a call into the client's database got no usable answer
│   ├── ClientRefused               the client answered with an error
│   │   └── Withheld                the user never shares this, so it was not read
│   ├── ClientSilent                no answer in time: what a write did is unknown
│   └── ClientAbsent                no device is connected
├── ApprovalError                   the user's answer cannot be accepted
│   ├── UnknownApproval             this user has no question with this id
│   └── ApprovalSettled             it was answered before, or its time is over; carries its state
├── JobError                        a job cannot be gone on with, or be stopped
│   ├── UnknownJob                  this user has no job under this id
│   ├── JobOver                     it has ended before; carries how
│   ├── JobLost                     another may run it by now, it was ended, or its user is gone: stop working on it
│   └── JobUnreadable               what was written down of it cannot be opened, and trying again will not help
├── PromptError                     a prompt cannot be read or changed
│   ├── PromptSourceAway            Langfuse is unavailable
│   ├── PromptUnusable              Langfuse's text of a prompt cannot be used
│   ├── PromptRefused               the text is not valid for the prompt; carries why
│   └── PromptChanged               it was changed in the meantime
├── ImageError                      a message cannot have this image
│   ├── ImageRefused                the file is not one that may be sent; says why
│   ├── ImageGone                   no image of the user's has this id any more
│   └── ImagesUnavailable           images can be neither kept nor read right now
├── UnknownModel                    no model has the name that a request chose; carries those that there are
├── NoMcpServer                     the address does not answer as an MCP server of ours does
├── QuotaExceeded                   the user has nothing left today; carries the allowance
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
    """What the model would be sent could not be written down, so it was not asked."""


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
    """The arguments are not right. With ``correctable`` the message says which would be.

    ``choices`` are what the user may have meant, in their own words.
    """

    def __init__(self, message: str = "", *, correctable: bool = False, choices: "Sequence[str]" = ()) -> None:
        super().__init__(message)
        self.correctable = correctable
        self.choices = choices


class ToolFailed(ToolError):
    """The tool cannot do this."""


class TooManyJobs(ToolFailed):
    """As many jobs of the user are under way as may be."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"Nothing was begun: as many jobs of the user wait or run as may at a time ({most}). Tell the user that it "
            "can begin once one of them has ended or was cancelled."
        )


class TooManyQuestions(ToolFailed):
    """As many questions of programs wait for the user as may."""

    def __init__(self, most: int) -> None:
        super().__init__(
            "This needs the user's approval, and they were not asked: as many questions of programs as may wait for "
            f"them ({most}). Nothing was changed. Tell the user to answer those first, or try again in five minutes."
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
    """The answer cannot be taken."""


class UnknownApproval(ApprovalError):
    """There is no such approval."""


class ApprovalSettled(ApprovalError):
    """The question is not open any more."""

    def __init__(self, state: str) -> None:
        super().__init__(f"This question is not open any more: it is {state}.")
        self.state = state


class JobError(AgentError):
    """The job cannot be gone on with."""


class UnknownJob(JobError):
    """There is no such job."""


class JobOver(JobError):
    """The job has ended."""

    def __init__(self, state: str) -> None:
        super().__init__(f"This job has ended: it is {state}.")
        self.state = state


class JobLost(JobError):
    """The job is not this run's any more."""


class JobUnreadable(JobError):
    """What is kept of the job cannot be opened."""


class PromptError(AgentError):
    """A prompt cannot be read or changed."""


class PromptSourceAway(PromptError):
    """Langfuse cannot be asked right now."""


class PromptUnusable(PromptError):
    """Langfuse's text of this prompt cannot be used."""


class PromptRefused(PromptError):
    """This cannot be the text of the prompt."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


class PromptChanged(PromptError):
    """Another user has changed this prompt since you opened the page. Check the text that is in force now."""


class QuotaExceeded(AgentError):
    """What the user may use today is used up."""

    def __init__(self, allowance: "Allowance") -> None:
        super().__init__(allowance.sentence)
        self.allowance = allowance


class UnknownModel(AgentError):
    """There is no model with this name."""

    def __init__(self, names: "Sequence[str]") -> None:
        choice = f"Choose one of {', '.join(names)}, or none." if names else "Choose none: there is one only."
        super().__init__(f"There is no model with this name. {choice}")
        self.names = names


class SpecError(AgentError):
    """A tool is declared wrongly."""


class ImageError(AgentError):
    """The image cannot be sent."""


class ImageRefused(ImageError):
    """This is no image that can be sent."""


class ImageGone(ImageError):
    """The image is not here any more: it is kept for ten minutes. Send it again."""


class ImagesUnavailable(ImageError):
    """The server can take no images right now. Try again in a moment."""


class NoMcpServer(AgentError):
    """There is no MCP server."""
