"""When two turns are the same turn, and the answer that the store has for one."""

from __future__ import annotations

import functools
import hashlib
import json

from shared.providers.limits import OPTIONS
from shared.providers.options import HEADER_OPTIONS, KEY_OPTIONS
from shared.store.database import Database
from shared.store.reuse import find_answer
from workers.providers.calls import Completion, ProviderCall
from workers.turns.replies import ReplyProblem, parse, schema_of

VERSION = 1
# Options that say how a provider is reached, paid or called, not what it is asked.
_NOT_ASKED = frozenset(
    {*OPTIONS, "price", "headers", "cache", "batch", *KEY_OPTIONS, *HEADER_OPTIONS}
)


def reuse_key(call: ProviderCall, marker: str) -> str:
    """The same for calls that do not differ in anything that a model sees.

    Provider, model, options, temperature, length, the form of the reply, and both rendered texts without the run's
    own `marker`. Names, roles and rounds count as far as the prompt tells of them; a repair does not count.
    """
    participant = call.participant
    before = {
        "provider": participant.provider,
        "model": participant.model,
        "options": {k: v for k, v in participant.options.items() if k not in _NOT_ASKED},
        "max_output_tokens": call.max_output_tokens,
        "reply_model": call.reply_model,
    }
    after = {
        "v": VERSION,
        "temperature": call.temperature,
        "system": _without(call.system, marker),
        "user": _without(call.user, marker),
    }
    # One object with its names in order, as it has been hashed since version 1; the schema's text is made once.
    schema = "null" if call.reply_schema is None else _schema(call.reply_model)
    canonical = f'{_canonical(before)[:-1]},"schema":{schema},{_canonical(after)[1:]}'
    return hashlib.sha256(canonical.encode("utf-8", "replace")).hexdigest()


_canonical = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode


@functools.cache
def _schema(reply_model: str) -> str:
    return _canonical(schema_of(reply_model).strict)


def _without(text: str, marker: str) -> str:
    return text.replace(marker, "") if marker else text


def earlier_answer(database: Database, key: str, reply_model: str) -> Completion | None:
    """A stored answer to the same turn that still makes a reply; failures are never among them."""
    content = database.run(lambda connection: find_answer(connection, key))
    if content is None:
        return None
    try:
        completion = Completion.unpacked(content)
    except (ValueError, KeyError):
        return None
    return None if isinstance(parse(completion.text, reply_model), ReplyProblem) else completion
