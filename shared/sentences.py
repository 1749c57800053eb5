"""English sentences that remember what they were made of, so that a catalogue can tell them in another language.

An error's text is written where it is raised, as in every gettext program; its `msgid` is the template.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Self


class Sentence(str):
    """A text for people, made of a template as `str.format` reads it.

    `values` are what fills the template; a value may be a sentence or an error itself. Without values the template is
    the text as it stands, braces included.
    """

    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, /, **values: object) -> Self:
        """Raises KeyError where the template names a value that is missing."""
        text = super().__new__(cls, template.format(**values) if values else template)
        text.template = template
        text.values = values
        return text

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, object]]:
        """For copies and pickles."""
        return (self.template,), dict(self.values)

    @classmethod
    def joined(cls, separator: str, parts: Iterable[str]) -> Self:
        """Several sentences as one text, each of which keeps its own template."""
        values = {f"part{number}": part for number, part in enumerate(parts)}
        return cls(separator.join(f"{{{name}}}" for name in values), **values)


def parts_of(text: str) -> tuple[str, ...]:
    """The sentences that a text was joined of, or its lines."""
    values = tuple(getattr(text, "values", {}).items())
    if values and all(name == f"part{number}" for number, (name, _) in enumerate(values)):
        return tuple(str(part) if not isinstance(part, str) else part for _, part in values)
    return tuple(text.splitlines())
