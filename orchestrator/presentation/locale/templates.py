"""English sentences of ours that are told in another language by their templates, as `{path} is new in this change.`.

What a program of others says (click) and what is stored as an English sentence (`stored.po`) has no code. Nothing is
decided by what a template finds: a sentence that fits none is told as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

_BLANK = re.compile(r"\\\{(\w+)\\\}")


@dataclass(frozen=True)
class Template:
    """A sentence with a blank for each part that varies; the first blank takes as little as it can."""

    text: str

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(_BLANK.sub(r"(?P<\1>.+?)", re.escape(self.text)), re.DOTALL)

    def parts(self, sentence: str) -> Mapping[str, str] | None:
        """What stands in the blanks; None where the sentence is another one."""
        found = self._pattern.fullmatch(sentence)
        return None if found is None else found.groupdict()


def first_fitting(
    sentence: str, templates: Iterable[Template]
) -> tuple[Template, Mapping[str, str]] | None:
    """The first of the templates that fits, with what stands in its blanks."""
    fitting = ((template, template.parts(sentence)) for template in templates)
    return next(((template, parts) for template, parts in fitting if parts is not None), None)
