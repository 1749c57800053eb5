"""English that is left in what a Korean reader is shown."""

from __future__ import annotations

import re
from collections.abc import Collection

# Code, commands, quotations, addresses, paths, options and placeholders are the same in every language.
_NO_WORDS = re.compile(
    r"`[^`]*`|\"[^\"\n]*\"|'[^'\n]*'|\bquorate [a-z]+( \S+)*|https?://\S+|\S*[/\\=_@]\S*|-{1,2}\w[\w-]*|\$\S+"
    r"|\S+\.\w+\b"
)
_RUN = re.compile(r"\b[A-Za-z][a-z']*(?: [a-z']+){2,}\b")


def english_left(text: str, *, names: Collection[str] = ()) -> list[str]:
    """Runs of three or more English words, outside of code, quotations and paths; `names` are no English either.

    A list of names is no run: commas stand between them.
    """
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, "§")
    return [
        run.group() for line in text.splitlines() for run in _RUN.finditer(_NO_WORDS.sub("§", line))
    ]
