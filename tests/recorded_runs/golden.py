"""What recorded runs show and ask, as it was accepted: `golden/`, one file a workflow.

Other than the recordings these change when wording or the JSON report does. `QUORATE_TEST_UPDATE_SNAPSHOTS=1 pytest
tests/recorded_runs` accepts what is there now.
"""

from __future__ import annotations

import json
import lzma
import os
from collections.abc import Mapping
from difflib import unified_diff
from functools import cache
from itertools import islice
from pathlib import Path

from tests.support.snapshots import UPDATE

MOST_LINES = 60
FOLDER = Path(__file__).parent / "golden"
Shown = Mapping[str, Mapping[str, str]]
"""By run, then by form."""


def path_of(workflow: str) -> Path:
    """The file of a workflow's runs."""
    return FOLDER / f"{workflow}.json.xz"


@cache
def golden(workflow: str) -> Shown:
    """What was accepted."""
    found: Shown = json.loads(lzma.decompress(path_of(workflow).read_bytes()))
    return found


def check_golden(workflow: str, shown: Shown) -> None:
    """Everything is as it was accepted. Raises AssertionError with the first run and form that is not."""
    if os.environ.get(UPDATE) == "1":
        FOLDER.mkdir(exist_ok=True)
        content = json.dumps(shown, ensure_ascii=False, sort_keys=True).encode()
        path_of(workflow).write_bytes(lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))
        golden.cache_clear()
    accepted = golden(workflow)
    assert accepted.keys() == shown.keys()
    for run, forms in accepted.items():
        assert forms.keys() == shown[run].keys()
        for form, text in forms.items():
            assert shown[run][form] == text, _difference(run, form, text, shown[run][form])


def _difference(run: str, form: str, accepted: str, shown: str) -> str:
    """What a person wants to see before accepting it."""
    before, after = accepted.splitlines(), shown.splitlines()
    lines = islice(unified_diff(before, after, "accepted", "shown", lineterm=""), MOST_LINES)
    return "\n".join((f"{run} in {form} differs: {UPDATE}=1 accepts what is there now", *lines))
