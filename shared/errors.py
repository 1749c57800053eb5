"""Every expected error of Quorate, as one tree that says whose fault it is.

    QuorateError
    ├── UserError                what was typed or configured is wrong           exit 2
    │   ├── ConfigurationError   a configuration file, option or preset
    │   │   └── UnknownParticipant   nobody is called so here
    │   ├── NotAllowed           only a person at the terminal, or another role, may ask for it
    │   ├── SubjectError         the thing to be reviewed (repository, diff, ...)
    │   └── UnknownRun           no run, step, decision, batch, schedule, ... of that name
    ├── DecisionConflict         the decision has another answer, or changed     exit 6
    ├── CredentialsRejected      a key is missing or refused                     exit 4
    ├── EnvironmentFault         server, disk, permission, missing program       exit 5
    ├── ProviderError            a participant could not answer (see FailureKind)
    │   └── NotYet               the call may not be made now; its turn is given back
    ├── ToolError                a tool run could not do its work
    └── ReplayMismatch           a journal that its workflow no longer explains (run is parked)   exit 3

Anything else that escapes is a bug (exit 70). An error's text is a whole sentence for its reader: what is
wrong, where, and what to do. It is a template with its values, by which readers of other languages are told it in
theirs (docs/design/notices.md).
"""

from __future__ import annotations

from enum import StrEnum

from shared.models.notices import Notice
from shared.models.outcomes import FailureKind
from shared.sentences import Sentence


class QuorateError(Exception):
    """The root of the expected errors; `exit_code` is what the command line ends with.

    `sentence` is a template that `values` fill, or a text as it is.
    """

    exit_code = 70

    def __init__(self, sentence: str = "", /, **values: object) -> None:
        made = isinstance(sentence, Sentence)
        self.sentence = sentence if made else Sentence(sentence, **values)
        super().__init__(self.sentence)


class UserError(QuorateError):
    """The user's input cannot be used; nothing was started."""

    exit_code = 2


class ConfigurationError(UserError):
    """A configuration file, an option or a preset is malformed or names something unknown."""


class UnknownParticipant(ConfigurationError):
    """A name of a participant that nobody has here."""


class NotAllowed(UserError):
    """What was asked for is more than whoever asks may have; nothing was started."""


class SubjectError(UserError):
    """What should be worked on is missing, empty, too large or not readable."""


class UnknownRun(UserError):
    """No run, step or decision is known under that name, or no batch, schedule, webhook or token."""


class DecisionConflict(QuorateError):
    """The decision was answered otherwise, has expired, or shows something else by now."""

    exit_code = 6


class CredentialsRejected(QuorateError):
    """A key is missing, or its provider refused it."""

    exit_code = 4


class EnvironmentFault(QuorateError):
    """The machine, a server, the disk or a permission stands in the way."""

    exit_code = 5


class Scope(StrEnum):
    """What a provider's failure says beyond its own call.

    `account`: as its kind says, the provider may be down or the key refused for everybody; `call`: nothing, another
    model of the same account may answer; `nobody`: nobody was asked (no key here, no such name, nobody listens).
    """

    ACCOUNT = "account"
    CALL = "call"
    NOBODY = "nobody"


class ProviderError(QuorateError):
    """A participant's provider did not give a usable answer.

    `kind` is the typed outcome, `retry_after_s` what the provider asked for (seconds), `retryable` says
    whether the same call may succeed later. `charged`: the answer is lost and may have been paid for nevertheless
    (None: unknown to the code that raised it). `scope`: what it says about the provider's account.
    `notice`: the same as the message for people, where it is a sentence of ours; the message is for logs.
    """

    exit_code = 3

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        retryable: bool = False,
        retry_after_s: float | None = None,
        charged: bool | None = None,
        scope: Scope = Scope.ACCOUNT,
        notice: Notice | None = None,
    ) -> None:
        super().__init__(message)
        self.notice = notice
        self.scope = scope
        self.charged = charged
        self.kind = kind
        self.retryable = retryable
        self.retry_after_s = retry_after_s


class NotYet(ProviderError):
    """A call may not be made before `retry_after_s`; nothing was asked of its provider for that.

    `counted` says whether the wait uses up one of the step's attempts: waiting for one's turn does not, waiting for a
    provider that is down does. `reminds`: the one who is waited for should hear that the time is nearly over.
    """

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        retry_after_s: float,
        counted: bool = False,
        reminds: bool = False,
        notice: Notice | None = None,
    ) -> None:
        super().__init__(kind, message, retryable=True, retry_after_s=retry_after_s, notice=notice)
        self.counted = counted
        self.reminds = reminds


class ToolError(QuorateError):
    """A tool run could not do its work; the message says why."""

    exit_code = 3


class ReplayMismatch(QuorateError):
    """The journal holds a step that the workflow does not ask for, or asks for otherwise."""

    exit_code = 3
