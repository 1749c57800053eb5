"""The person's own sentence in a request, without what is only shown: what others wrote orders nothing.

A pasted ticket, log or answer may say anything, also what sounds like an order. What is recognised as shown: fenced and
indented blocks, quoted lines, blocks between tags, quotations of several words, and all that follows on words like "it
says:"; and what only programs write: lines of logs and of test reports, diffs, what a shell was told and answered, the
heads of commits, and a mail from its head on. Any other text that was pasted looks like the person's own. Each pattern
takes time in proportion to the text, whatever it says.
"""

from __future__ import annotations

import re
import textwrap

_SHOWN = "◇"
_MOST_LETTERS = 20_000
_FENCES = re.compile(
    r"^[ \t]*(?P<fence>```|~~~|\"\"\"|''')[^\n]*\n.*?(?:^[ \t]*(?P=fence)|\Z)", re.M | re.S
)
_TAGGED = re.compile(
    r"^[ \t]*<(?P<tag>[a-z][\w-]*)(?: [^<>]*)?>[ \t]*\n.*?(?:</(?P=tag)>|\Z)"
    r"|<(?P<inner>[a-z][\w-]*)>.{0,1000}?</(?P=inner)>",
    re.I | re.S | re.M,
)
_QUOTED_LINES = re.compile(r"^[ \t]*(?:>|[|│] ).*$", re.M)
_MAIL = re.compile(
    r"^(?:From|To|Cc|Subject|Date|Sent|보낸 ?사람|받는 ?사람|제목|날짜)[ \t]*:[ \t].*\n"
    r"(?:From|To|Cc|Subject|Date|Sent|보낸 ?사람|받는 ?사람|제목|날짜)[ \t]*:[ \t].*",
    re.M,
)
"""Two lines of a mail's head; what follows them is the mail."""
_DIFF = re.compile(
    r"^(?:diff --git .*|--- \S.*\n\+\+\+ \S.*|@@ -\d+(?:,\d+)? \+\d.*)$"
    r"(?:\n(?:[ +@\\-]|index [0-9a-f]|(?:new|deleted) file mode |rename |similarity ).*)*",
    re.M,
)
_SHELL = re.compile(r"^(?:[\w.-]+@[\w.:~/-]+)?\$ \S.*(?:\n.*\S.*)*", re.M)
"""A prompt with a command, and what stands below up to an empty line."""
_PROGRAM_LINES = re.compile(
    r"""^[ \t]*(?:[\[(]?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d | [\[(]?\d\d:\d\d:\d\d[\]). ,]
    | [A-Z][a-z]{2}[ ]{1,2}\d{1,2}[ ]\d\d:\d\d:\d\d[ ]
    | \[(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\][:\s] | (?:DEBUG|INFO|WARNING|ERROR|CRITICAL):[\w.]+:
    | [=_*-]{4,}[ ].*[=_*-]{4,} | (?:FAILED|PASSED|SKIPPED|ERROR)[ ]\S+::\S+ | E[ ]{3,}
    | commit[ ][0-9a-f]{7,64}\b | Author:[ ].*<.*> | [<=>]{7}(?:[ ]|$)).*$""",
    re.M | re.X,
)
"""Lines that only programs write: of a log, of a report of tests, of the history, of a conflict."""
_INDENTED = re.compile(r"(?:\A|(?<=\n\n)|(?<=:\n))(?:(?: {4}|\t)[^\n]*(?:\n|\Z)|\n(?= {4}|\t))+")
_SAID = re.compile(
    r"""(?:\b(?:says?|said|reads?|wrote|writes|written|states?|tells?(?: (?:me|us))?|repl(?:y|ies|ied)|answers?|answered
    |responds?|responded|prints?|printed|shows?|outputs?|reported|logged|complains?)(?:[ ](?:this|that|so))?
    |(?:라고|다고)(?:\s\S+)? | (?:나와|나옵|나온|뜨|뜹|떠|떴|출력|적혀|적힌|쓰여|말|답)[가-힣]*)[ \t]*[:：]""",
    re.X | re.I,
)
"""What follows in the line, and in all lines below, is what somebody says."""
_ANNOUNCED = re.compile(r"^(?P<words>.*)[:：][ \t]*$", re.M)
_SHOWN_THINGS = re.compile(
    r"""(?:\b(?:errors?|exceptions?|messages?|output|logs?|traceback|stack ?trace|response|answer|reply|text|quote
    |comments?|tickets?|issue|e-?mail|mail|report|prompt|transcript)|(?:로그|메시지|에러|오류|내용|원문|티켓|이슈|댓글|메일|문구)[가-힣]*)\s*$""",
    re.X | re.I,
)
_DEFINITE = re.compile(r"\b(?:this|the|its?|my|our|following|full|whole|here|see)\b|[가-힣]", re.I)
# An apostrophe between letters ends no quotation.
_QUOTATIONS = re.compile(
    r"\"[^\"]*\"|“[^“”]*”|[「『][^「」『』]*[」』]"
    r"|(?<!\w)'(?:[^']|(?<=[a-z])'(?=[a-z]))*'(?![a-z0-9])|‘(?:[^‘’]|(?<=[a-z])’(?=[a-z]))*’(?![a-z0-9])",
    re.I,
)
_SEVERAL_WORDS = re.compile(r"\w\W*\s\W*\w")


def own_words(request: str) -> str:
    """The request with a mark in place of everything that is shown in it."""
    return _own(request, quotations=False)


def own_lines(request: str) -> str:
    """The same with the quotations that stand in the person's own lines: a title that is to be used, say."""
    return _own(request, quotations=True)


def _own(request: str, *, quotations: bool) -> str:
    text = textwrap.dedent(request[:_MOST_LETTERS])
    if mail := _MAIL.search(text):
        text = f"{text[: mail.start()]}{_SHOWN}\n"
    for shown in (_FENCES, _TAGGED, _DIFF, _SHELL, _PROGRAM_LINES, _QUOTED_LINES, _INDENTED):
        text = shown.sub(f"{_SHOWN}\n", text)
    if not quotations:
        text = _QUOTATIONS.sub(_quotation, text)
    end = _introduction(text)
    return text if end is None else f"{text[:end]} {_SHOWN}"


def _quotation(match: re.Match[str]) -> str:
    """One word between quotation marks is a name, several are a text."""
    quoted = match.group()
    return _SHOWN if _SEVERAL_WORDS.search(quoted[1:-1]) else quoted


def _introduction(text: str) -> int | None:
    """Where the words end that introduce somebody else's text."""
    ends = [match.end() for match in [_SAID.search(text)] if match]
    ends += [match.end() for match in _ANNOUNCED.finditer(text) if _announces(match["words"])]
    return min(ends, default=None)


def _announces(words: str) -> bool:
    """Whether a line that ends with a colon names a text: "the log:", "Output:"; not "do this:"."""
    shown = _SHOWN_THINGS.search(words)
    return shown is not None and (
        not words[: shown.start()].strip() or bool(_DEFINITE.search(words))
    )
