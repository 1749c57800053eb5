"""What a message must look like. Anybody who can write to the broker can put anything into a queue.

What is not exactly one of our wake-up calls is refused before Celery or the pool see it: they read headers and embedded
signatures without asking what they are, and an error there ends the process or keeps a prefetch slot.
"""

from __future__ import annotations

import traceback
from base64 import b64decode
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from kombu.exceptions import DecodeError
from kombu.message import Message
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from shared.delivery.contracts import PAYLOADS, QUEUES, TASK_TURN, TurnName

# Ours have 2 kB and a dozen brackets; a tracer may add headers.
MAX_BYTES = 64 * 1024
MAX_BRACKETS = 256
_BUILT_IN = "celery."

Name = Annotated[str, Field(max_length=255)]
M = TypeVar("M", bound=BaseModel)


class Refused(Exception):
    """A message that is not ours; the argument says why, without its text."""


class _Checked(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, hide_input_in_errors=True)


class _DeliveryInfo(_Checked):
    exchange: Name = ""
    routing_key: Name | None = None


class _Properties(_Checked):
    delivery_info: _DeliveryInfo
    body_encoding: Literal["base64"]
    priority: Annotated[int, Field(ge=0, le=9)] | None = None
    correlation_id: Name | None = None
    reply_to: Name | None = None


class _Headers(_Checked):
    compression: None = None


class _Envelope(_Checked):
    """A message of kombu's virtual transports."""

    body: str
    content_type: Name = Field(alias="content-type")
    content_encoding: Name = Field(alias="content-encoding")
    headers: _Headers
    properties: _Properties


class _TaskHeaders(_Checked):
    """Celery's protocol 2, as far as Quorate uses it: no delays, time limits, retries or stamps."""

    task: Name
    id: Name
    root_id: Name | None = None
    parent_id: Name | None = None
    group: Name | None = None
    group_index: int | None = None
    shadow: TurnName | None = None
    eta: None = None
    expires: None = None
    retries: Literal[0] | None = None
    timelimit: Annotated[list[None], Field(max_length=2)] | None = None
    argsrepr: str | None = None
    kwargsrepr: str | None = None
    origin: Name | None = None
    ignore_result: bool | None = None
    replaced_task_nesting: int | None = None
    stamped_headers: None = None
    stamps: Annotated[dict[str, Any], Field(max_length=0)] | None = None


class _Options(BaseModel):
    """What the embedded `advance` is published with."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    queue: Literal[QUEUES]  # type: ignore[valid-type]
    task_id: Name | None = None
    root_id: Name | None = None
    parent_id: Name | None = None
    group_id: Name | None = None
    group_index: int | None = None
    reply_to: Name | None = None
    ignore_result: Literal[True]
    argsrepr: str | None = None
    kwargsrepr: str | None = None
    priority: Annotated[int, Field(ge=0, le=9)] | None = None


class _Signature(_Checked):
    task: Name
    args: list[Any]
    kwargs: dict[str, Any]
    options: _Options
    subtask_type: None = None
    immutable: Literal[True]


class _Embedded(_Checked):
    callbacks: None = None
    errbacks: None = None
    chain: Annotated[list[_Signature], Field(max_length=1)] | None = None
    chord: _Signature | None = None

    @property
    def signatures(self) -> tuple[_Signature, ...]:
        """What is to be called afterwards."""
        chord = () if self.chord is None else (self.chord,)
        return (*(self.chain or ()), *chord)


class _Body(_Checked):
    args: list[Any]
    kwargs: dict[str, Any]
    embedded: _Embedded


def parse(text: bytes, limit: int = MAX_BYTES) -> object:
    """What lay in a Redis list. Raises `Refused`."""
    _check_size(text, limit)
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise Refused("not JSON") from error


def check_envelope(message: object) -> None:
    """Raise `Refused` unless kombu can make a message of it."""
    _check(_Envelope, message)


@dataclass
class TakenMessage:
    """A message of a Redis list as Celery's `Request` reads it; kombu's own needs a channel."""

    headers: dict[str, Any]
    properties: dict[str, Any]
    content_type: str
    content_encoding: str
    body: bytes
    payload: Any
    delivery_info: dict[str, str]


def read(text: bytes, queue: str) -> TakenMessage:
    """What lay in a queue's list. Raises `Refused` unless it is a message with a body of JSON."""
    content: Any = parse(text)
    check_envelope(content)
    try:
        body = b64decode(content["body"])
        payload = from_json(body)
    except ValueError as error:
        raise Refused("its body is not JSON") from error
    return TakenMessage(
        headers=content["headers"],
        properties=content["properties"],
        content_type=content["content-type"],
        content_encoding=content["content-encoding"],
        body=body,
        payload=payload,
        delivery_info={"exchange": "", "routing_key": queue},
    )


def check_task(tasks: Container[str], message: Message | TakenMessage) -> None:
    """Raise `Refused` unless it asks, in Celery's protocol 2, for one of `tasks` with its own arguments."""
    if (message.content_type, message.content_encoding) != ("application/json", "utf-8"):
        raise Refused("not JSON in UTF-8")
    headers = _check(_TaskHeaders, message.headers)
    task = headers.task
    if task not in tasks or task.startswith(_BUILT_IN):
        raise Refused("unknown task")
    if headers.shadow is not None and task != TASK_TURN:
        raise Refused("shown under a name that is not its own")
    call = _call(message)
    _check_arguments(task, call.args, call.kwargs)
    for signature in call.embedded.signatures:
        if signature.task not in PAYLOADS and signature.task not in tasks:
            raise Refused("unknown task in its canvas")
        _check_arguments(signature.task, signature.args, signature.kwargs)


def _call(message: Message | TakenMessage) -> _Body:
    body: Any = message.body
    if not isinstance(body, str | bytes | bytearray | memoryview):
        raise Refused("its body is no text")
    _check_size(body.encode() if isinstance(body, str) else bytes(body))
    try:
        content: Any = message.payload
    except (ValueError, DecodeError) as error:
        raise Refused("its body is not JSON") from error
    if not isinstance(content, list) or len(content) != len(_Body.model_fields):
        raise Refused("its body is no call of a task")
    return _check(_Body, dict(zip(_Body.model_fields, content, strict=True)))


def where(error: Exception) -> str:
    """Why, for the log: the kind and the place of an error without its words, which may hold the message's text."""
    if isinstance(error, Refused):
        return str(error)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"


def _check_size(text: bytes, limit: int = MAX_BYTES) -> None:
    if len(text) > limit:
        raise Refused(f"larger than {limit} bytes")
    if text.count(b"[") + text.count(b"{") > MAX_BRACKETS:
        raise Refused("nested too deeply")


def _check_arguments(task: str, args: list[Any], kwargs: dict[str, Any]) -> None:
    model = PAYLOADS.get(task)
    if model is None:
        return
    if args or kwargs.keys() != {"payload"}:
        raise Refused("wrong arguments")
    _check(model, kwargs["payload"])


def _check(model: type[M], value: object) -> M:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        # A place names our own fields; what is one too many has a stranger's name.
        inner = first["loc"] if first["type"] != "extra_forbidden" else first["loc"][:-1]
        place = ".".join(str(part) for part in (model.__name__.strip("_"), *inner))
        raise Refused(f"{place}: {first['type']}") from error
