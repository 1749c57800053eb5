"""`quorate replay`: what is stored beside what would be, as text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from orchestrator.core.document import Line, Span, Style, line
from orchestrator.core.findings.pairing import Pair
from orchestrator.core.findings.verdict import GateOutcome
from orchestrator.core.views.context import dollars
from orchestrator.presentation.locale.words import count, knows, role_word, say, told
from orchestrator.presentation.tables import table
from orchestrator.whatif.changes import Change
from orchestrator.whatif.replaying import Check, Difference, MissingStep, State, Variant, WhatIf
from orchestrator.whatif.results import ENDING, RunResult
from shared.models.assessment import Assessment
from shared.models.findings import Finding
from shared.models.notices import Notice, is_notice
from shared.models.rows import RunRow

ARROW = " → "
NONE = "-"
SHOWN_DIFFERENCES = 20
_WIDEST_VALUE = 40


# ---- the check ----------------------------------------------------------------------------------


def check_lines(
    run: RunRow, check: Check, remark: Notice | None, language: str = "en"
) -> list[Line]:
    """Whether this code repeats what is stored, and where not."""
    picture = check.stored
    stored = [
        count("rounds", language, picture.rounds_held),
        count("held_findings", language, len(picture.findings)),
    ]
    if picture.verdict is not None:
        stored.append(say("held_verdict", language, verdict=picture.verdict))
    lines = [] if remark is None else [line(Span(told(remark, language), Style.DIM))]
    if check.same:
        so_far = say("so_far", language) if picture.so_far else ""
        same = Span(say("same", language), Style.GOOD)
        return [*lines, line(same, f"{so_far}: {', '.join(stored)} ({run.id})")]
    places = len(check.differences)
    head = line(
        Span(say("differs", language), Style.BAD),
        f"{count('differs_in', language, places)} ({run.id})",
    )
    shown = check.differences[:SHOWN_DIFFERENCES]
    rows = [(one.where, *_values(one, language)) for one in shown]
    lines += [head, *table(_heads(("path", "stored", "now"), language), rows)]
    if places > len(shown):
        more = say("more_places", language, n=places - len(shown))
        lines.append(line(Span(more, Style.DIM)))
    return lines


def _heads(names: Sequence[str], language: str) -> tuple[str, ...]:
    return tuple(say(f"head_{name}", language) for name in names)


def _values(one: Difference, language: str) -> tuple[str, str]:
    """Both values; only what says that something whole is there or missing is a sentence of ours."""
    word = f"was_{one.stored}"
    if knows(word) and is_notice(one.now):
        return say(word, language), _value(told(one.now, language))
    return _value(one.stored), _value(one.now)


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _WIDEST_VALUE else text[: _WIDEST_VALUE - 1] + "…"


# ---- one variant --------------------------------------------------------------------------------


def variant_lines(
    run: RunRow, stored: RunResult, variant: Variant, language: str = "en"
) -> list[Line]:
    """One variant: rounds, findings and conclusion as they were and as they would be."""
    head = line(
        Span(say("what_if", language, changes=shown(variant.changes, language)), Style.STRONG),
        Span(f" · {run.id} {run.title}", Style.DIM),
    )
    return [
        head,
        *_rounds(stored, variant.picture, language),
        *_findings(variant.findings, language),
        *_conclusion(stored, variant.picture, language),
        *_consequences(variant, language),
    ]


def shown(changes: Sequence[Change], language: str = "en") -> str:
    """The changes as they were typed."""
    return " ".join(change.shown for change in changes) or say("nothing_changed", language)


_ROUND_HEADS = ("round", "agreement", "stability", "score", "recommendation", "ending")


def _rounds(stored: RunResult, would: RunResult, language: str) -> list[Line]:
    keys = list(dict.fromkeys((*would.rounds, *stored.rounds)))
    if not keys:
        return []
    rows = []
    for key in keys:
        was = _figures(stored.rounds.get(key), language)
        now = _figures(would.rounds.get(key), language)
        name = round_name(key, language)
        if now is None:
            rows.append((name, *(was or ()), f"({say('not_held', language)})"))
        else:
            rows.append((name, *(_both(a, b) for a, b in zip(was or now, now, strict=True)), ""))
    return table((*_heads(_ROUND_HEADS, language), ""), rows)


def round_name(key: str, language: str) -> str:
    """A round by its key; the vote after the last one has no number."""
    return say("vote_at_the_end", language) if key == ENDING else key


def _figures(one: Assessment | None, language: str) -> tuple[str, ...] | None:
    if one is None:
        return None
    metrics = one.metrics
    return (
        f"{metrics.agreement_ratio:.2f}",
        NONE if metrics.avg_stability is None else f"{metrics.avg_stability:.2f}",
        f"{metrics.overall_score:.2f}",
        how(metrics.recommendation, language),
        how(one.ending, language),
    )


def how(ending: str | None, language: str) -> str:
    """A recommendation or an ending in a word."""
    return NONE if ending is None else say(f"how_{ending}", language)


def _both(was: str, now: str) -> str:
    return was if was == now else f"{was}{ARROW}{now}"


def _findings(pairs: Sequence[Pair], language: str) -> list[Line]:
    rows = [row for pair in pairs if (row := changed(pair, language)) is not None]
    if not rows:
        return []
    return [
        line(Span(say("findings_that_change", language), Style.STRONG)),
        *table(("", say("head_was_would", language), ""), rows),
    ]


def changed(pair: Pair, language: str = "en") -> tuple[str, str, str] | None:
    """What becomes of a finding: its id, what it was and would be, and its title; None when it stays as it is."""
    was, now = _status(pair.first, language), _status(pair.second, language)
    one = pair.second or pair.first
    if was == now or one is None:
        return None
    return one.id, f"{was}{ARROW}{now}", one.title


def _status(finding: Finding | None, language: str) -> str:
    missing = say("not_raised", language)
    return missing if finding is None else weighed(finding)


def weighed(finding: Finding) -> str:
    """Severity and status; a position in a debate (P1) has no severity of its own."""
    status = str(finding.status)
    return status if finding.id.startswith("P") else f"{finding.severity} {status}"


def _conclusion(stored: RunResult, would: RunResult, language: str) -> list[Line]:
    rows = [
        ("ending", how(stored.ending, language), how(would.ending, language)),
        ("verdict", _word(stored.verdict), _word(would.verdict)),
    ]
    if {stored.gate.outcome, would.gate.outcome} != {GateOutcome.NOT_SET}:
        rows.append(("gate", _gate(stored, language), _gate(would, language)))
    votes = () if would.so_far else dict.fromkeys((*stored.votes, *would.votes))
    for name in votes:
        was, now = stored.votes.get(name), would.votes.get(name)
        rows.append((name, _vote(was, language), _vote(now, language)))
    so_far = Span(say("so_far", language), Style.DIM)
    lines = []
    for name, was, now in rows:
        style = Style.PLAIN if was == now else Style.STRONG
        parts: list[str | Span] = [
            Span(f"{_name(name, language)}: "),
            Span(_both(was, now), style),
        ]
        if would.so_far and name in ("ending", "verdict") and now != NONE:
            parts.append(so_far)
        if name == "gate" and would.gate.outcome is not GateOutcome.NOT_SET:
            parts.append(Span(f" ({told(would.gate.reason, language)})", Style.DIM))
        lines.append(line(*parts))
    return lines


def _word(value: str | None) -> str:
    return NONE if value is None else str(value)


def _name(name: str, language: str) -> str:
    known = (word for word in (f"vote_{name}", f"head_{name}") if knows(word))
    word = next(known, None)
    return name if word is None else say(word, language)


def _gate(picture: RunResult, language: str) -> str:
    return gate_word(picture.gate.outcome, language)


def gate_word(outcome: GateOutcome, language: str) -> str:
    """What a gate says, in a word; nothing where none was set."""
    return NONE if outcome is GateOutcome.NOT_SET else say(f"gate_is_{outcome.value}", language)


def _vote(value: Any, language: str) -> str:
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, dict):
        parts = (f"{key} {_vote(value[key], language)}" for key in sorted(value))
        return ", ".join(parts) or NONE
    if isinstance(value, bool):
        return say("is_true" if value else "is_false", language)
    return _word(value)


def _consequences(variant: Variant, language: str) -> list[Line]:
    lines = []
    if variant.needs:
        named = ", ".join(_need(one, language) for one in variant.needs)
        lines.append(line(Span(say("would_continue", language, steps=named), Style.WARNING)))
    elif variant.state is State.WAITS:
        lines.append(line(say("would_wait", language)))
    elif variant.state is State.OPEN:
        lines.append(line(say("under_way", language)))
    if variant.not_needed:
        keys = ", ".join(one.key for one in variant.not_needed)
        lines.append(line(say("not_needed", language, steps=keys, saved=saved(variant, language))))
    if variant.not_reached:
        keys = ", ".join(one.key for one in variant.not_reached)
        lines.append(line(Span(say("not_reached", language, steps=keys), Style.DIM)))
    if variant.shown_otherwise:
        keys = ", ".join(variant.shown_otherwise)
        lines.append(line(Span(say("shown_otherwise", language, steps=keys), Style.DIM)))
    return lines


def _need(one: MissingStep, language: str) -> str:
    if one.recorded_as is None:
        return one.key
    role, _, number = one.recorded_as.rpartition(" after round ")
    return say("recorded_as", language, key=one.key, role=role_word(role, language), n=number)


def saved(variant: Variant, language: str = "en") -> str:
    """What the steps that would not have been asked for took."""
    tokens = sum(one.tokens or 0 for one in variant.not_needed)
    parts = [dollars(variant.saved_usd)]
    if variant.saved_unknown:
        parts.append(say("saved_unpriced", language, n=variant.saved_unknown))
    if tokens:
        parts.append(say("tokens", language, n=tokens))
    return ", ".join(parts)


# ---- several variants ---------------------------------------------------------------------------

_HEADS = ("held", "agreement", "stability", "score", "ending", "verdict", "gate", "findings")


def sweep_lines(run: RunRow, found: WhatIf, language: str = "en") -> list[Line]:
    """One row a variant under the stored result; what changes is what a reader compares."""
    names = list(dict.fromkeys(c.name for one in found.variants for c in one.changes))
    stored = say("head_stored", language)
    rows = [(stored, *("" for _ in names[1:]), *_row(found.stored, language), "")]
    for one in found.variants:
        values = {change.name: change.shown.partition("=")[2] for change in one.changes}
        typed = (values.get(name, "") for name in names)
        rows.append((*typed, *_row(one.picture, language), _then(one, language)))
    told = table(*_without_empty((*names, *_heads((*_HEADS, "then"), language)), rows))
    # What comes out as it is stored steps back, so that one sees where it turns.
    same = [row[len(names) :] == rows[0][len(names) :] for row in rows]
    head = line(Span(f"{run.id} {run.title}", Style.DIM))
    lines = [
        head,
        *(
            _dimmed(one) if dim else one
            for one, dim in zip(told, [False, False, *same[1:]], strict=True)
        ),
    ]
    if any(same[1:]):
        alike = sum(same[1:])
        lines.append(line(Span(say("as_stored", language, n=alike, of=len(same) - 1), Style.DIM)))
    if any(one.shown_otherwise for one in found.variants):
        lines.append(line(Span(say("shown_otherwise_sweep", language), Style.DIM)))
    return lines


def _dimmed(one: Line) -> Line:
    return tuple(Span(span.text, Style.DIM) for span in one)


def _without_empty(
    heads: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """The table without the columns in which nobody has anything."""
    kept = [n for n in range(len(heads)) if any(row[n] not in ("", NONE) for row in rows)]
    return [heads[n] for n in kept], [[row[n] for n in kept] for row in rows]


def _row(picture: RunResult, language: str) -> tuple[str, ...]:
    last = list(picture.rounds.values())[-1:]
    figures = (_figures(last[0], language) if last else None) or (NONE,) * 5
    return (
        str(picture.rounds_held),
        *figures[:3],
        how(picture.ending, language),
        _word(picture.verdict),
        _gate(picture, language),
        f"{len(picture.standing)}/{len(picture.findings)}" if picture.findings else NONE,
    )


def _then(variant: Variant, language: str) -> str:
    said = []
    if variant.needs:
        more = "" if len(variant.needs) == 1 else f" +{len(variant.needs) - 1}"
        said.append(say("then_needs", language, key=variant.needs[0].key, more=more))
    if variant.not_needed:
        n = len(variant.not_needed)
        said.append(say("then_spare", language, n=n, saved=saved(variant, language)))
    return "; ".join(said)
