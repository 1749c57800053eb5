"""English sentences of ours that are told in another language by their templates, as `{path} is new in this change.`.

What a program of others says (click) and what is stored as an English sentence (`stored.po`) has no code. Nothing is
decided by what a template finds: a sentence that fits none is told as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

_BLANK = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Template:
    """A sentence with a blank for each part that varies; each but the last takes as little as it can.

    Titles and messages come from repositories under review, so nothing is tried twice: a pattern with several blanks
    would be, on a text that is built for it.
    """

    text: str

    @cached_property
    def _pieces(self) -> list[str]:
        """The words, and between them the names of the blanks."""
        return _BLANK.split(self.text)

    def parts(self, sentence: str) -> Mapping[str, str] | None:
        """What stands in the blanks; None where the sentence is another one."""
        first, last = self._pieces[0], self._pieces[-1]
        names, between = self._pieces[1::2], self._pieces[2:-1:2]
        if not names:
            return {} if sentence == self.text else None
        if not (sentence.startswith(first) and sentence.endswith(last)):
            return None
        rest, parts = sentence[len(first) : len(sentence) - len(last)], []
        for words in between:
            end = rest.find(words, 1)
            if end < 0:
                return None
            parts.append(rest[:end])
            rest = rest[end + len(words) :]
        return dict(zip(names, (*parts, rest), strict=True)) if rest else None


def first_fitting(
    sentence: str, templates: Iterable[Template]
) -> tuple[Template, Mapping[str, str]] | None:
    """The first of the templates that fits, with what stands in its blanks."""
    fitting = ((template, template.parts(sentence)) for template in templates)
    return next(((template, parts) for template, parts in fitting if parts is not None), None)
