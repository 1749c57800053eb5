"""What is said of words that were typed wrongly, in the reader's language: known by templates, told by `help.po`.

click's sentences have no codes, and ours about mistyped commands (`default_command.py`) are made before `shared` is
known to be ours.
"""

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
    "No such command {name}. (Did you mean one of: {near}?)",
    "No such command {name}. Did you mean {near}?",
    "No such command {name}.",
    "Missing argument {name}.",
    "Missing option {name}.",
    "Got unexpected extra argument ({name})",
    "Got unexpected extra arguments ({name})",
    "Option {name} requires an argument.",
    "{value} is not one of {choices}.",
    "{value} is not in the range {range}.",
    "{value} is not a valid {kind}.",
    "There is a long dash where {option} was meant: type plain hyphens.",
    "{text} is a command in quotation marks: leave them out, or make it a sentence.",
    "{word} is a command, and its options come after it: {example}. {rest}",
    "There is no command {word}. {rest}",
    "{text} looks like a command and not like a subject. {rest}",
    "If it is the subject, make it a sentence in quotation marks.",
    "Did you mean {command}? {rest}",
    "{command} is a command of its own. {rest}",
    "{command} lists the commands. {rest}",
    "{option} asks what is written in it. {rest}",
    "To ask it as a question: {typed}, or put it in quotation marks.",
    "To ask it as a question: {typed}.",
    "{command} answers a decision",
    "{hint}. {rest}",
)
_SENTENCE = frozenset({"why", "sentence", "hint", "rest"})
"""What a template holds that is a sentence of its own."""


def in_language(sentence: str, texts: Mapping[str, str]) -> str:
    """The sentence in the words of `texts`; as it is where it fits no template, or nobody has put it into that."""
    if sentence in texts:
        return texts[sentence]
    fitting = first_fitting(sentence, (Template(text) for text in SENTENCES if text in texts))
    if fitting is None:
        return sentence
    template, found = fitting
    parts = {
        name: in_language(value, texts) if name in _SENTENCE else value
        for name, value in found.items()
    }
    return texts[template.text].format(**parts)
