"""Every reader of strangers' texts by name."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from orchestrator.core.consensus.detectors.acts import act_of
from orchestrator.core.consensus.detectors.korean import read_korean
from orchestrator.core.consensus.detectors.options import known_options
from orchestrator.core.consensus.detectors.wordings import says_the_same
from orchestrator.core.discussion.spoken import reply_of
from orchestrator.core.findings.cues import count_cues, prose
from orchestrator.core.findings.likeness import letters, similarity
from orchestrator.core.findings.polarity import opposed
from orchestrator.core.findings.quotations import normalised, quoted_in
from orchestrator.core.findings.sameness import ComparableClaim, same_defect
from orchestrator.core.lines import block, clean, exact
from orchestrator.presentation.formats.markdown_text import escape, fenced, inline
from orchestrator.presentation.formats.markdown_text import prose as markdown_prose
from orchestrator.presentation.wrapping import filled, folded, head, tail, wrapped
from orchestrator.settings.prompt_files import blanks
from shared.errors import ProviderError, QuorateError
from shared.git.hunks import changed_ranges
from shared.git.patch import parse_patch
from shared.models.replies import REPLY_MODELS
from shared.models.sections import says_nothing
from shared.providers.scripts import load_script
from shared.text.bounded_json import loads
from shared.text.masking.mask import mask
from shared.text.rendering import fenced as fenced_prompt
from shared.text.rendering import visible
from shared.text.toml_bounds import check_toml
from workers.limits.headers import seconds_until
from workers.providers.coding_cli.outputs import read_claude, read_codex, read_gemini
from workers.providers.coding_cli.stream_parser import JsonLinesParser, parse_claude_event
from workers.providers.http.events import json_line_payloads, sse_payloads
from workers.providers.http.statuses import meaning_of, one_line, read_error
from workers.tools.analysers.data_parsers import first_error
from workers.tools.analysers.edits import file_patch
from workers.tools.analysers.linechecks import LINE_CHECKS
from workers.tools.fixes.patches import parse as parse_fix
from workers.turns.canary import Canary
from workers.turns.replies import parse

CHUNK = 4096
_NOW = datetime(2026, 1, 1, tzinfo=UTC)
MARKER = "k3j9q8x7w2m5"
Read = Callable[[str], object]

_number = iter(range(1 << 62))


def _fresh(text: str) -> str:
    """The text with an end of its own, for readers that remember what they have read."""
    return f"{text} {next(_number)}"


def _halves(compare: Callable[[str, str], object]) -> Read:
    """A comparison as a reader: of the text and the text turned round."""
    return lambda text: compare(_fresh(text), text[::-1])


def _chunks(text: str) -> Iterator[bytes]:
    data = text.encode("utf-8", "replace")
    return (data[at : at + CHUNK] for at in range(0, len(data), CHUNK))


def _stream(frames: Callable[..., Iterator[object]]) -> Read:
    return lambda text: list(frames(_chunks(text), "x"))


def _line_ear(text: str) -> object:
    parser = JsonLinesParser(lambda _: None, parse_claude_event)
    return [parser.take(chunk) for chunk in _chunks(text)] + [parser.end()]


def _diff(text: str) -> object:
    patches = parse_patch(text.encode("utf-8", "replace"))
    return [changed_ranges(patch.hunks) for patch in patches]


def _error(text: str) -> object:
    error = read_error(text.encode("utf-8", "replace"))
    return [meaning_of(status, error) for status in (400, 403, 413, 429, 500)], one_line(text)


def _lines_of(text: str) -> object:
    return [check.find(text) for check in LINE_CHECKS]


def _script(suffix: str) -> Read:
    def read(text: str) -> object:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"script{suffix}"
            file.write_text(text, encoding="utf-8", errors="replace")
            return load_script(file)

    return read


def _claims(one: str, other: str) -> object:
    first, second = (ComparableClaim(text, text, None, None, None) for text in (one, other))
    return same_defect(first, second)


def _toml(text: str) -> object:
    check_toml(text)
    return first_error("a.toml", text)


_CANARY = Canary.of("a secret of this run")
_SPOKEN = ("answer", "ranking", "ballot", "argument", "bid")

READERS: dict[str, Read] = {
    **{
        f"reply: {name}": partial(parse, reply_model=name)
        for name in (
            "critique.review",
            "critique.red-team",
            *(n for n in REPLY_MODELS if n in _SPOKEN),
        )
    },
    "reply of a person": lambda text: reply_of(text, "critique.review"),
    "bounded JSON": loads,
    "server-sent events": _stream(sse_payloads),
    "JSON lines": _stream(json_line_payloads),
    "error bodies": _error,
    "retry-after": lambda text: seconds_until(text, _NOW),
    "claude": read_claude,
    "gemini": read_gemini,
    "codex": read_codex,
    "an agent's events": _line_ear,
    "script (YAML)": _script(".yaml"),
    "diff": _diff,
    "fix": lambda text: parse_fix(text, {"a.py"}),
    "patch of a file": lambda text: file_patch("a.py", text, text[: len(text) // 2]),
    "TOML, before": check_toml,
    "TOML": _toml,
    "JSON": partial(first_error, "a.json"),
    "lines of a change": _lines_of,
    "masking": mask,
    "canary": _CANARY.obeyed,
    "prompt's fence": lambda text: fenced_prompt(text, "x", MARKER),
    "prompt, visible": visible,
    "prompt file": blanks,
    "terminal": lambda text: (clean(text), block(text), exact(text)),
    "wrapping": lambda text: (wrapped(text, 80), tail(text, 80, 20), head(text, 80, 20)),
    "folding": lambda text: folded(block(text), 80),
    "filling": lambda text: filled(text, 80),
    "Markdown, inline": lambda text: (escape(text), inline(text)),
    "Markdown, prose": markdown_prose,
    "Markdown, fenced": fenced,
    "prose": prose,
    "cues": lambda text: count_cues(_fresh(text)),
    "letters": letters,
    "similarity": _halves(similarity),
    "wordings": _halves(says_the_same),
    "acts": lambda text: act_of(_fresh(text), text[: len(text) // 2]),
    "options": lambda text: known_options([text]),
    "Korean": read_korean,
    "polarity": _halves(opposed),
    "claims": _halves(_claims),
    "quotation": lambda text: (
        normalised(text),
        quoted_in(text[: len(text) // 2], [text, text[::-1]]),
    ),
    "says nothing": says_nothing,
}

# PyYAML takes a hundred times as long as the others, and a script is its owner's file.
SMALLER = {"script (YAML)": 500}


def read_quietly(read: Read, text: str) -> None:
    """Read it; that it is refused is no fault."""
    with suppress(ProviderError, QuorateError, ValueError, RecursionError):
        read(text)
