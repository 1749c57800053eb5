"""Tools as workers run them: loaded by their cards, given validated inputs, held to their replies and limits."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, cast

from pydantic import JsonValue, ValidationError

from shared.errors import ToolError
from shared.models.wire import ForeignWire, Wire
from shared.tools.card import ORDINARY, ToolCard, ToolLimits
from shared.tools.catalogue import find_card
from workers.tools.code_facts import CodeFacts, MemoryCodeFacts
from workers.tools.passages import MemoryPassages, PassageStore
from workers.tools.sandbox.sandbox import Countdown


class Documents(Protocol):
    """The content-addressed store, as a tool sees it."""

    def get(self, sha256: str) -> bytes:
        """The document of that hash; raises `ToolError` when there is none."""

    def put(self, data: bytes) -> str:
        """Store `data` and return its sha256 in hex; storing it twice is the same as once."""


class MemoryDocuments:
    """A `Documents` that lives as long as its process, for tests and for work without a database."""

    def __init__(self) -> None:
        self._data: dict[str, bytes] = {}

    def get(self, sha256: str) -> bytes:
        """The document of that hash; raises `ToolError` when there is none."""
        try:
            return self._data[sha256]
        except KeyError:
            raise ToolError("There is no document {sha256}.", sha256=sha256[:12]) from None

    def put(self, data: bytes) -> str:
        """Store `data` and return its sha256 in hex."""
        key = hashlib.sha256(data).hexdigest()
        self._data[key] = bytes(data)
        return key


@dataclass(frozen=True)
class ToolContext:
    """All that a tool may use besides its inputs. `deadline_s`: seconds that this run may take.

    `confirm` is called at the last moment before something of a person's is changed. It raises `ToolError` when the
    step was given to somebody else meanwhile, or its run was ended: what that one did may be undone by now.
    """

    documents: Documents
    deadline_s: float
    confirm: Callable[[], None] = lambda: None
    limits: ToolLimits = ORDINARY
    passages: PassageStore = field(default_factory=MemoryPassages)
    code: CodeFacts = field(default_factory=MemoryCodeFacts)

    def countdown(self) -> Countdown:
        """The time that is left from now on, with the limits of the tool's programs."""
        return Countdown(self.deadline_s, self.limits)


class Tool(Protocol):
    """A module that a card names. `inputs` is an instance of the card's model of that name."""

    def run(self, inputs: Any, context: ToolContext) -> ForeignWire:
        """Do the work once; the same inputs give the same reply.

        Raises `ToolError` for everything that can be expected, hostile documents included.
        """


def load(card: ToolCard) -> Tool:
    """The tool of a card; its module is imported on first use."""
    return cast(Tool, importlib.import_module(card.module))


def read_inputs(card: ToolCard, inputs: Mapping[str, JsonValue]) -> Wire:
    """The inputs as the tool's model; raises `ToolError` with the field that is wrong."""
    try:
        return card.inputs.model_validate(dict(inputs))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise ToolError(
            "What {name} is given is malformed at {field!r}: {why}.",
            name=card.name,
            field=field,
            why=first["msg"],
        ) from error


def run_tool(name: str, inputs: Mapping[str, JsonValue], context: ToolContext) -> ForeignWire:
    """Run the tool of that name within its card's limits. Raises `ToolError`."""
    card = find_card(name)
    reply = load(card).run(read_inputs(card, inputs), replace(context, limits=card.limits))
    assert isinstance(reply, card.reply)
    return reply
