"""Which keys the running workers were started with: marks, never the keys.

Workers outlive the shell that started them. A key that was set or changed since then is not theirs, and a turn would
fail for it: `worker_keys.py` sees to that.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path

from shared.instance import Instance


def write_marks(instance: Instance, environ: Mapping[str, str]) -> None:
    """Remember what the processes that have just been started can see."""
    salt = secrets.token_hex(16)
    # Of every variable: any of them can be named as api_key_env.
    marks = {name: _mark(salt, value) for name, value in environ.items()}
    file = _file(instance)
    scratch = file.with_name(f"{file.name}.{os.getpid()}")
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        json.dump({"salt": salt, "marks": marks}, stream)
    scratch.replace(file)


def unknown_keys(
    instance: Instance, environ: Mapping[str, str], wanted: Iterable[str]
) -> tuple[str, ...]:
    """Those of the `wanted` variables that are set here and that the workers do not have, or have otherwise."""
    try:
        known = json.loads(_file(instance).read_text(encoding="utf-8"))
        salt, marks = str(known["salt"]), dict(known["marks"])
    except (OSError, ValueError, KeyError, TypeError):
        return ()
    return tuple(
        name
        for name in dict.fromkeys(wanted)
        if environ.get(name)
        and not hmac.compare_digest(str(marks.get(name, "")), _mark(salt, environ[name]))
    )


def _mark(salt: str, value: str) -> str:
    return hmac.new(salt.encode(), value.encode(), hashlib.sha256).hexdigest()[:16]


def _file(instance: Instance) -> Path:
    return instance.state_dir / "keys.json"
