"""Stack traces of many languages, and compilers' messages, found in what a program wrote.

A form says how a frame looks and where its error's name stands: below the frames (Python) or above them (all others).
Frames are kept with the innermost last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from shared.models.agent import LocatedError, StackFrame
from shared.patterns import regex
from workers.tools.agent.repository_paths import RepositoryPaths

LONGEST_LINE = 600
MOST_LINES = 20_000
MOST_FRAMES = 100
MOST_MESSAGE = 1000
ABOVE = 12  # lines between an error's name and its first frame: messages may have several

_JVM = (".java", ".kt", ".kts", ".scala", ".groovy")
_NAME = r"[A-Za-z_$][\w.$]*(?:::\w+)*"


@dataclass(frozen=True)
class TraceForm:
    """How a language writes a trace: a frame, and the line with the error's kind and message above the first one.

    `caused` begins the trace of what caused the one above it.
    """

    frame: re.Pattern[str]
    head: re.Pattern[str]
    between: re.Pattern[str]
    caused: re.Pattern[str] | None = None


_FORMS = (
    TraceForm(  # Java, Kotlin, Scala, Groovy
        regex(
            r"^\s*at (?:[\w.@-]+/)*(?P<function>[\w.$<>]+)"
            r"\((?P<path>[\w$-]+\.(?:java|kts?|scala|groovy)):(?P<line>\d+)\)"
        ),
        regex(
            r'^(?:Exception in thread "[^"]*" |\s*Caused by: |\S+ )?'
            r"(?P<kind>(?:[a-z_]\w*\.)+[A-Z][\w$]*)(?:: (?P<message>.*))?$"
        ),
        regex(r"^\s*(?:at |\.\.\. \d+ (?:more|common))"),
        regex(r"^\s*Caused by: "),
    ),
    TraceForm(  # C#, F#
        regex(r"^\s+at (?P<function>[^(]+)(?:\(.*\))? in (?P<path>.+):line (?P<line>\d+)\s*$"),
        regex(
            r"^(?:Unhandled [Ee]xception[.:] )?(?: ---> )?"
            r"(?P<kind>(?:[A-Z]\w*\.)+\w+(?:Exception|Error))(?:: (?P<message>.*))?$"
        ),
        regex(r"^\s+(?:at |--- End of)"),
    ),
    TraceForm(  # Node and browsers
        regex(
            r"^\s+at (?:async )?(?:(?P<function>[^()]+?) \()?"
            r"(?P<path>(?:file://|webpack[\w-]*:)?[^\s()]*?):(?P<line>\d+):\d+\)?\s*[,{]?$"
        ),
        regex(
            r"^(?:\s*\[cause\]: )?(?:Uncaught )?(?:\[\w+\] )?"
            r"(?P<kind>[A-Z]\w*(?:Error|Exception)|Error)(?: \[\w+\])?(?:: (?P<message>.*))?$"
        ),
        regex(r"^\s+at "),
        regex(r"^\s*\[cause\]: "),
    ),
    TraceForm(  # what node --test writes of a failure as TAP
        regex(
            r"^\s+(?:async )?(?P<function>[\w.$<>\[\] ]{1,80}) "
            r"\((?P<path>(?:file://|node:)?[^\s()]+?):(?P<line>\d+):\d+\)$"
        ),
        regex(r"^\s+name: '(?P<kind>[A-Z]\w*)'(?P<message>)$"),
        regex(r"(?!)"),
    ),
    TraceForm(  # Python's faulthandler, after the dots of pytest's progress
        regex(r'^\s+File "(?P<path>[^"]+)", line (?P<line>\d+) in (?P<function>.+)$'),
        regex(r"^[.sxXFE]*(?P<kind>Timeout|Fatal Python error)(?:: | )(?P<message>.*)$"),
        regex(r"(?!)"),
    ),
    TraceForm(  # Go
        regex(r"^\t(?P<path>\S.*\.go):(?P<line>\d+)(?: \+0x[0-9a-f]+)?$"),
        regex(r"^(?P<kind>panic|fatal error): (?P<message>.*)$"),
        regex(r"^\S.*\(.*\)$|^created by |^\t|^goroutine |^\s*$|^\[signal "),
    ),
    TraceForm(  # Ruby: the innermost frame has the error's name
        regex(
            r"^\s*(?:from |\d+: from )?(?P<path>[^\s:]+\.rb):(?P<line>\d+):in [`'](?P<function>[^']*)'"
        ),
        regex(r"^[^\s:]+\.rb:\d+:in [`'][^']*': (?P<message>.*) \((?P<kind>[A-Z][\w:]*)\)$"),
        regex(r"^\s*(?:from |\d+: from )"),
    ),
    TraceForm(  # PHP
        regex(r"^\s*#\d+ (?P<path>/?\S+\.php)\((?P<line>\d+)\): (?P<function>[^(]*)"),
        regex(r"^(?:PHP )?Fatal error:\s+Uncaught (?P<kind>[\w\\]+): (?P<message>.*?) in \S+:\d+$"),
        regex(r"^\s*#\d+ |^Stack trace:"),
    ),
)
_RUST = regex(
    r"^thread '.*' (?:\(\d+\) )?panicked at (?:'(?P<message>.*)', )?(?P<path>[^:\s']+\.rs):(?P<line>\d+):\d+:?$"
)
_RUST_FRAME = regex(r"^\s+at (?P<path>\S+\.rs):(?P<line>\d+)(?::\d+)?$")
_RUST_ERROR = regex(r"^error(?:\[(?P<kind>E\d+)\])?: (?P<message>.*)$")
_RUST_PLACE = regex(r"^\s*--> (?P<path>[^:]+):(?P<line>\d+):\d+$")
_COMPILER = regex(
    r"^(?P<path>(?:[A-Za-z]:)?[^\s:()][^:()]*?\.\w{1,8})"
    r"(?:\((?P<line>\d+)(?:,\d+)*\)|:(?P<line2>\d+)(?::\d+)?):? ?(?:- )?"
    r"(?P<level>fatal error|error|ERROR|warning|note|info)?(?: (?P<kind>[A-Z]+\d+))?:? (?P<message>\S.*)$"
)
_QUIET = frozenset({"warning", "note", "info"})

_PYTHON_BEGIN = regex(r"^(?:Exception Group )?Traceback \(most recent call last\):$")
_PYTHON_FRAME = regex(r'^\s*File "(?P<path>[^"]+)", line (?P<line>\d+)(?:, in (?P<function>.+))?$')
_PYTHON_HEAD = regex(rf"^(?P<kind>{_NAME})(?:: (?P<message>.*))?$")
_PYTHON_GROUP = regex(r"^\s*(?:\| |\+ (?=Exception Group)|\|$|\+-\+-+ \d+ -+|\+-+$)")
_PYTHON_CHAIN = regex(r"^(?:The above exception was|During handling of the above exception)")
_PYTEST = regex(
    rf"^(?P<path>[^\s:]+\.py):(?P<line>\d+): ?(?:in (?P<function>\S+)|(?P<kind>{_NAME}))?$"
)
_PYTEST_SAYS = regex(r"^E\s{2,}(?P<text>\S.*)$")


@dataclass
class _Trace:
    """An error as it is read; `frames` have the innermost last. `joins`: it belongs to the one before."""

    kind: str = ""
    message: str = ""
    frames: list[StackFrame] = field(default_factory=list)
    joins: bool = False

    def add(self, match: re.Match[str], *, first: bool = False) -> None:
        found = match.groupdict()
        line = found.get("line") or found.get("line2")
        if line is None or len(line) > 8 or len(self.frames) >= MOST_FRAMES:
            return
        frame = StackFrame(function=found.get("function") or "", path=found["path"], line=int(line))
        self.frames.insert(0 if first else len(self.frames), frame)

    def name(self, match: re.Match[str]) -> None:
        self.kind, self.message = match["kind"], match["message"] or ""


def located_errors(text: str, paths: RepositoryPaths) -> tuple[LocatedError, ...]:
    """The errors that a text tells of, in its order, with what caused each as its innermost frames."""
    lines = [line[:LONGEST_LINE] for line in text.splitlines()[-MOST_LINES:]]
    traces = [*_python(lines), *_by_form(lines), *_rust(lines)] or list(_compiler(lines))
    joined: list[_Trace] = []
    for trace in traces:
        if trace.joins and joined:
            # The frames of a cause are the inner ones: that is where to look first.
            joined[-1].frames += trace.frames
        else:
            joined.append(trace)
    return tuple(dict.fromkeys(_located(trace, paths) for trace in joined if trace.frames))


def _located(trace: _Trace, paths: RepositoryPaths) -> LocatedError:
    frames = (
        frame.model_copy(update={"place": paths.place(frame.path, frame.line)})
        for frame in trace.frames
    )
    return LocatedError(
        kind=trace.kind, message=trace.message.strip()[:MOST_MESSAGE], frames=tuple(frames)
    )


# ---- Python: the error stands below its frames, and what caused it above them ----------------------


def _python(lines: Sequence[str]) -> Iterator[_Trace]:
    chain: list[_Trace] = []
    trace: _Trace | None = None
    linked = False
    for raw in lines:
        line = _PYTHON_GROUP.sub("", raw, count=1)
        grouped = line != raw
        if _PYTHON_CHAIN.match(line):
            linked = True
        elif _PYTHON_BEGIN.match(line.strip()):
            if chain and not linked and not grouped:
                yield from _outermost_first(chain)
                chain = []
            trace, linked = _Trace(), False
        elif trace is not None:
            trace = _python_line(line, trace, chain)
    yield from _outermost_first(chain)
    yield from _pytest(lines)


def _python_line(line: str, trace: _Trace, chain: list[_Trace]) -> _Trace | None:
    """Take a line below a header; None when the trace has ended."""
    if frame := _PYTHON_FRAME.match(line):
        trace.add(frame)
        return trace
    if not line or line[0].isspace():
        return trace
    if head := _PYTHON_HEAD.match(line):
        trace.name(head)
        chain.append(trace)
    return None


def _outermost_first(chain: list[_Trace]) -> Iterator[_Trace]:
    """A cause stands above what it led to, and a group above what is in it."""
    is_group = bool(chain) and chain[0].kind.endswith("ExceptionGroup")
    for number, trace in enumerate(chain if is_group else reversed(chain)):
        yield replace(trace, joins=number > 0)


def _pytest(lines: Sequence[str]) -> Iterator[_Trace]:
    trace = _Trace()
    for line in lines:
        if (says := _PYTEST_SAYS.match(line)) and not trace.message:
            trace.message = says["text"]
        elif place := _PYTEST.match(line):
            trace.add(place)
            if place["kind"]:
                yield replace(trace, kind=place["kind"])
                trace = _Trace()
        elif line.startswith(("____", "====")):
            if trace.frames:
                yield _named_by_message(trace)
            trace = _Trace()


def _named_by_message(trace: _Trace) -> _Trace:
    head = _PYTHON_HEAD.match(trace.message)
    if head is not None:
        trace.kind, trace.message = head["kind"], head["message"] or ""
    return trace


# ---- the others: the error stands above its frames, the innermost first -------------------------------


def _by_form(lines: Sequence[str]) -> Iterator[_Trace]:
    done = 0
    at = 0
    while at < len(lines):
        form = next((form for form in _FORMS if form.frame.match(lines[at])), None)
        if form is None:
            at += 1
            continue
        trace = _Trace(joins=False)
        above = _head(form, lines, done, at)
        if above is not None:
            head = form.head.match(lines[above])
            trace.joins = form.caused is not None and bool(form.caused.match(lines[above]))
            if head is not None:
                trace.name(head)
        at = _take_frames(form, lines, at, trace)
        done = at
        if above is not None or len(trace.frames) > 1:
            yield trace


def _head(form: TraceForm, lines: Sequence[str], done: int, at: int) -> int | None:
    """The line above the first frame that names the error; Ruby's is that frame's own."""
    candidates = range(at, max(done - 1, at - ABOVE, -1), -1)
    return next((number for number in candidates if form.head.match(lines[number])), None)


def _take_frames(form: TraceForm, lines: Sequence[str], at: int, trace: _Trace) -> int:
    while at < len(lines):
        if frame := form.frame.match(lines[at]):
            trace.add(frame, first=True)
        elif not form.between.match(lines[at]):
            break
        at += 1
    return at


def _rust(lines: Sequence[str]) -> Iterator[_Trace]:
    trace: _Trace | None = None
    for number, line in enumerate(lines):
        if panic := _RUST.match(line):
            following = lines[number + 1 : number + 2]
            trace = _Trace("panic", panic["message"] or (following[0] if following else ""))
            trace.add(panic)
            yield trace
        elif error := _RUST_ERROR.match(line):
            trace = _Trace(error["kind"] or "error", error["message"])
            yield trace
        elif trace is not None and (place := _RUST_PLACE.match(line) or _RUST_FRAME.match(line)):
            trace.add(place, first=True)


def _compiler(lines: Sequence[str]) -> Iterator[_Trace]:
    for line in lines:
        match = _COMPILER.match(line)
        if match is not None and match["level"] not in _QUIET:
            trace = _Trace(match["kind"] or "error", match["message"])
            trace.add(match)
            yield trace
