"""A service that repeats what it is asked, under its own key header."""

from __future__ import annotations

from shared.models.steps import Usage
from shared.providers.catalogue import provider_type
from shared.providers.options import OllamaOptions
from workers.providers.calls import Completion, Finish, ProviderCall
from workers.providers.http.converse import Dialect, Quirks, completion_of
from workers.providers.http.events import cut_off
from workers.providers.http.payload import Payload, text
from workers.providers.options import model_of

ROW = provider_type("echo")


def _body(call: ProviderCall, options: OllamaOptions, quirks: Quirks) -> Payload:
    del options, quirks
    return {"model": model_of(call), "say": call.as_text}


def read(payload: Payload, call: ProviderCall) -> Completion:
    """The echo."""
    said = text(payload.get("said"))
    usage = Usage(input_tokens=len(call.user), output_tokens=len(said))
    return completion_of(ROW, call, said, Finish.STOP, "", usage)


class EchoStream:
    """It sends everything in one piece."""

    def __init__(self, call: ProviderCall) -> None:
        self._call = call
        self._last: Payload | None = None

    def feed(self, event: Payload) -> str:
        """What has come."""
        self._last = event
        return text(event.get("said"))

    def completion(self) -> Completion:
        """The whole answer."""
        if self._last is None:
            raise cut_off(self._call.participant.name)
        return read(self._last, self._call)


DIALECT = Dialect(
    row=ROW,
    options=OllamaOptions,
    path=lambda _: "/echo",
    body=_body,
    read=read,
    reader=EchoStream,
)
complete, structured = DIALECT.complete, DIALECT.structured
