"""Messages that nobody of ours has written."""

from __future__ import annotations

import base64
import copy
import json
import zlib
from typing import Any

from shared.delivery.publishing import _message

TASK = "quorate.tool.run"


def good(
    task: str = TASK, queue: str = "quorate.tools", run: str = "rpoisoned99"
) -> dict[str, Any]:
    """An envelope as ours are, for a run that nobody knows."""
    payload = {"run": run} if task.endswith("advance") else {"run": run, "step": "s"}
    text = _message(task, "an-id", (), {"payload": payload}, {"queue": queue, "root_id": "r"})
    found: dict[str, Any] = json.loads(text)
    return found


def with_body(envelope: dict[str, Any], body: object) -> dict[str, Any]:
    """The same envelope around another body."""
    return {**envelope, "body": base64.b64encode(json.dumps(body).encode()).decode()}


def changed(envelope: dict[str, Any], *path: str, to: object = None, gone: bool = False) -> Any:
    """The same with one value changed."""
    found = copy.deepcopy(envelope)
    inner = found
    for key in path[:-1]:
        inner = inner[key]
    if gone:
        del inner[path[-1]]
    else:
        inner[path[-1]] = to
    return found


def poisons(task: str = TASK, queue: str = "quorate.tools") -> list[bytes]:
    """Everything that was ever tried, as it would lie in the list of `queue`."""
    ours = good(task, queue)
    payload = json.loads(base64.b64decode(ours["body"]))[1]["payload"]
    odd: list[object] = [None, 1, True, 1.5, "", "x", [], [1], {}, {"a": 1}]
    bodies: list[object] = [
        *odd,
        [[], {}, {}],
        [[], {"payload": None}, {}],
        [[], {"payload": {"run": 1}}, {}],
        [[], {"payload": {**payload, "more": 1}}, {}],
        [[], {"payload": {**payload, "run": "a\x00b"}}, {}],
        [[], {"payload": {**payload, "run": "\ud800"}}, {}],
        [[1], {"payload": payload}, {}],
        [[], {"payload": payload}, None],
        [[], {"payload": payload}, {"chord": 1}],
        [[], {"payload": payload}, {"chord": {"task": "x"}}],
        [[], {"payload": payload}, {"chain": [1]}],
        [[], {"payload": payload}, {"callbacks": [{"task": task}], "errbacks": 5}],
        [[], {"payload": {"__type__": "datetime", "__value__": []}}, {}],
        {"args": [], "kwargs": {}, "task": task, "id": 1},
    ]
    envelopes: list[object] = [*odd, *(with_body(ours, body) for body in bodies)]
    envelopes += [changed(ours, "body", to=value) for value in (*odd, "%%%", "é", "A", "/w==")]
    for name in ours:
        envelopes += [changed(ours, name, to=value) for value in (None, 1, [], "x", {"a": []})]
        envelopes.append(changed(ours, name, gone=True))
    for place in ("headers", "properties"):
        for name in ours[place]:
            envelopes += [changed(ours, place, name, to=v) for v in ([], {"a": 1}, -1, "\x00")]
    envelopes += [
        changed(ours, "headers", "compression", to="application/x-gzip"),
        changed(ours, "headers", "compression", to={}),
        changed(ours, "headers", "task", to="celery.map"),
        changed(ours, "headers", "task", to="os.system"),
        changed(ours, "headers", "eta", to="9999-12-31T23:59:59"),
        changed(ours, "headers", "timelimit", to=[0.001, 0.001]),
        changed(ours, "content-encoding", to="utf-16"),
        changed(ours, "content-type", to="application/x-python-serialize"),
        changed(ours, "properties", "delivery_info", to={"exchange": [], "routing_key": {}}),
    ]
    return [
        *(json.dumps(envelope).encode() for envelope in envelopes),
        b"[" * 5_000,
        b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
        b"9" * 5_000,
        b"\xff\xfe\x00",
        b"\x80\x04K\x01.",
        b"",
        b"x" * 3_000_000,
        json.dumps({**ours, "body": "A" * 3_000_000}).encode(),
        json.dumps(changed(ours, "headers", "deep", to=json.loads("[" * 400 + "]" * 400))).encode(),
        json.dumps(with_body(ours, json.loads("[" * 400 + "]" * 400))).encode(),
        zlib.compress(json.dumps(ours).encode()),
    ]
