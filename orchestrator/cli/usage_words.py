"""click's sentences on what was typed wrongly, in the reader's language: known by templates, told by `help.po`."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.presentation.locale.templates import Template, first_fitting

# In the order in which they are tried.
SENTENCES = (
    "{sentence} (`{command} --help` explains)",
    "Invalid value for {name}: {why}",
    "No such option {name}. (Did you mean one of: {near}?)",
    "No such option {name}. Did you mean {near}?",
    "No such option {name}.",
    "Missing argument {name}.",
    "Missing option {name}.",
    "Got unexpected extra argument ({name})",
    "Got unexpected extra arguments ({name})",
    "Option {name} requires an argument.",
    "{value} is not one of {choices}.",
    "{value} is not in the range {range}.",
    "{value} is not a valid {kind}.",
)
_SENTENCE = frozenset({"why", "sentence"})
"""What a template holds that is a sentence of its own."""


def in_language(sentence: str, texts: Mapping[str, str]) -> str:
    """The sentence in the words of `texts`; as it is where it fits no template, or nobody has put it into that."""
    fitting = first_fitting(sentence, (Template(text) for text in SENTENCES if text in texts))
    if fitting is None:
        return sentence
    template, found = fitting
    parts = {
        name: in_language(value, texts) if name in _SENTENCE else value
        for name, value in found.items()
    }
    return texts[template.text].format(**parts)
