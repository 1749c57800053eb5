"""The values of Kubernetes' `kind: Secret`: base64 or plain, under names of any kind."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shared.text.masking.checks import stands_for_another

_KIND = re.compile(
    r"""^[+-]?[ \t]{0,40}+kind:[ \t]*+["']?secret["']?[ \t\r]*+$|"kind"\s{0,9}+:\s{0,9}+"secret\"""",
    re.MULTILINE | re.IGNORECASE,
)
_DOCUMENT_ENDS = re.compile(r"^[+-]?---[ \t\r]*$", re.MULTILINE)
# The lines below `data:` that stand further to the right, or are empty.
_BLOCK = re.compile(
    r"^([+-]?[ \t]{0,40})(?:data|stringData):[ \t\r]*+\n((?:\1[ \t]++[^\n]*+(?:\n|\Z)|[+-]?[ \t\r]*+\n)*+)",
    re.MULTILINE,
)
_ENTRY = re.compile(
    r"""^[+-]?[ \t]++["']?[\w.-]{1,80}+["']?:[ \t]++["']?([^\s"'|>{}]{4,4000}+)["']?[ \t\r]*+$""",
    re.MULTILINE,
)
_JSON_BLOCK = re.compile(r'"(?:data|stringData)"\s{0,9}+:\s{0,9}+\{([^{}]{0,20000}+)\}')
_JSON_ENTRY = re.compile(r'"[\w.-]{1,80}+"\s{0,9}+:\s{0,9}+"([^"\s]{4,4000}+)"')


def find_manifest_values(text: str, lowered: str) -> Iterator[tuple[int, int]]:
    """Spans of what a manifest of a secret holds below `data` and `stringData`."""
    if not _may_hold(lowered) or _KIND.search(text) is None:
        return
    start = 0
    for end in (*(found.start() for found in _DOCUMENT_ENDS.finditer(text)), len(text)):
        if _KIND.search(text, start, end) is not None:
            yield from _values(_BLOCK, 2, _ENTRY, text, start, end)
            yield from _values(_JSON_BLOCK, 1, _JSON_ENTRY, text, start, end)
        start = end


def _may_hold(lowered: str) -> bool:
    return "kind" in lowered and "secret" in lowered and "data" in lowered


def _values(
    block: re.Pattern[str], group: int, entry: re.Pattern[str], text: str, start: int, end: int
) -> Iterator[tuple[int, int]]:
    for lines in block.finditer(text, start, end):
        for found in entry.finditer(text, *lines.span(group)):
            if not stands_for_another(found[1]):
                yield found.span(1)
