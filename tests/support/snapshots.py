"""Rendered prompts beside the tests: a change of wording is seen in review.

`QUORATE_TEST_UPDATE_SNAPSHOTS=1 pytest <file>` writes them anew.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from orchestrator.core.replay.commands import Prompt
from shared.models.steps import PromptPart

UPDATE = "QUORATE_TEST_UPDATE_SNAPSHOTS"


def rendered(prompt: Prompt) -> str:
    """Both halves as Markdown; data stands between its fences."""
    halves = (("system", prompt.system), ("user", prompt.user))
    return "\n\n".join(f"### {name}\n\n" + "\n\n".join(map(_part, parts)) for name, parts in halves)


def _part(part: PromptPart) -> str:
    text = part.text if part.text is not None else f"(document {part.document})"
    return text if part.fence is None else f"<<<{part.fence}>>>\n{text}\n<<<end>>>"


def check_snapshot(file: Path, prompts: Mapping[str, Prompt]) -> None:
    """The prompts are as they were written down. Raises AssertionError with the file's name."""
    text = (
        "\n\n".join(f"## {name}\n\n{rendered(prompt)}" for name, prompt in prompts.items()) + "\n"
    )
    check_text(file, text)


def check_text(file: Path, text: str) -> None:
    """The text is as it was written down. Raises AssertionError with the file's name."""
    if os.environ.get(UPDATE) == "1":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8"), (
        f"{file.name} differs: {UPDATE}=1 writes it anew"
    )
