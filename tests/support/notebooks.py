"""Jupyter notebooks as the tools write them: each source line on a line of its own."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pydantic import JsonValue

KERNEL: dict[str, JsonValue] = {"display_name": "Python 3", "language": "python", "name": "python3"}


def cell(kind: str, source: str, printed: Sequence[str] = (), number: int = 1) -> JsonValue:
    """A cell of that kind; code with what it printed."""
    common: dict[str, JsonValue] = {
        "cell_type": kind,
        "id": f"c{number}",
        "metadata": {},
        "source": [*source.splitlines(keepends=True)],
    }
    if kind != "code":
        return common
    output: JsonValue = {"name": "stdout", "output_type": "stream", "text": [*printed]}
    return dict(
        sorted(
            {**common, "execution_count": number, "outputs": [output] if printed else []}.items()
        )
    )


def notebook(*cells: JsonValue, language: str = "python") -> str:
    """The file."""
    kernel: dict[str, JsonValue] = {**KERNEL, "language": language}
    content = {
        "cells": [*cells],
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
