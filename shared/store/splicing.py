"""JSON objects for statements, into which goes what is JSON already, as it is."""

from __future__ import annotations

from typing import Any

from pydantic_core import to_json


def spliced(fields: dict[str, Any], **written: str) -> str:
    """An object of JSON with `fields`, which are not empty, and with what is `written` as JSON already."""
    more = "".join(f', "{name}": {text}' for name, text in written.items())
    return f"{to_json(fields).decode()[:-1]}{more}}}"
