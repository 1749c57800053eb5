"""A made-up provider, as somebody would add it: a wire protocol here, and its row for the catalogue."""

from __future__ import annotations

from shared.models.steps import Usage
from shared.providers.catalogue import ProviderType, Service
from shared.providers.options import HttpOptions
from workers.providers.calls import Completion, Finish, ProviderCall
from workers.providers.http.converse import Dialect, Quirks, completion_of
from workers.providers.http.events import cut_off
from workers.providers.http.payload import Payload, text
from workers.providers.options import model_of


class EchoOptions(HttpOptions):
    """`volume` is harmless, `mirror` is another address that it calls."""

    volume: int = 1
    mirror: str | None = None

    harmless = HttpOptions.harmless | {"volume"}


ROW = ProviderType(
    name="echo",
    module="tests.support.echo_provider",
    summary="a service that repeats what it is asked",
    options=EchoOptions,
    address="https://echo.example/v1",
    key_variables=("ECHO_KEY",),
    key_header="x-echo-key",
    services=(Service("echo", "echo-large"),),
)


def _body(call: ProviderCall, options: EchoOptions, quirks: Quirks) -> Payload:
    del quirks
    return {"model": model_of(call), "say": call.as_text, "volume": options.volume}


def read(payload: Payload, call: ProviderCall) -> Completion:
    """The echo."""
    said = text(payload.get("said"))
    usage = Usage(input_tokens=len(call.user), output_tokens=len(said))
    return completion_of(ROW, call, said, Finish.STOP, "", usage)


class EchoStream:
    """It has no stream."""

    def __init__(self, call: ProviderCall) -> None:
        self._call = call

    def feed(self, event: Payload) -> str:
        """Nothing comes in pieces."""
        return text(event.get("said"))

    def completion(self) -> Completion:
        """Never whole."""
        raise cut_off(self._call.participant.name)


DIALECT = Dialect(
    row=ROW,
    options=EchoOptions,
    path=lambda _: "/echo",
    body=_body,
    read=read,
    reader=EchoStream,
)
complete, structured = DIALECT.complete, DIALECT.structured
