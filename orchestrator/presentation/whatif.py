"""`quorate replay`: what is stored beside what would be, as text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from orchestrator.core.findings.pairing import Pair
from orchestrator.core.findings.verdict import GateOutcome
from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.tables import table
from orchestrator.whatif.changes import Change
from orchestrator.whatif.replaying import Check, Difference, MissingStep, State, Variant, WhatIf
from orchestrator.whatif.results import ENDING, RunResult
from shared.models.assessment import Assessment
from shared.models.findings import Finding
from shared.models.notices import Notice, is_notice
from shared.models.rows import RunRow
from shared.text.amounts import dollars

ARROW = " → "
NONE = "-"
SHOWN_DIFFERENCES = 20
_WIDEST_VALUE = 40
_PATH_HEADS = ("head_path", "head_stored", "head_now")


# ---- the check ----------------------------------------------------------------------------------


def check_lines(
    run: RunRow, check: Check, remark: Notice | None, words: Translator = ENGLISH
) -> list[Line]:
    """Whether this code repeats what is stored, and where not."""
    result = check.stored
    stored = [
        words.message("rounds", n=result.rounds_held),
        words.message("held_findings", n=len(result.findings)),
    ]
    if result.verdict is not None:
        stored.append(words.message("held_verdict", verdict=result.verdict))
    lines = [] if remark is None else [line(Span(words.translate(remark), Style.DIM))]
    if check.same:
        so_far = words.message("so_far") if result.so_far else ""
        same = Span(words.message("same"), Style.GOOD)
        return [*lines, line(same, f"{so_far}: {', '.join(stored)} ({run.id})")]
    places = len(check.differences)
    head = line(
        Span(words.message("differs"), Style.BAD),
        f"{words.message('differs_in', n=places)} ({run.id})",
    )
    shown = check.differences[:SHOWN_DIFFERENCES]
    rows = [(difference.where, *_values(difference, words)) for difference in shown]
    lines += [head, *table(tuple(map(words.message, _PATH_HEADS)), rows)]
    if places > len(shown):
        more = words.message("more_places", n=places - len(shown))
        lines.append(line(Span(more, Style.DIM)))
    return lines


def _values(difference: Difference, words: Translator) -> tuple[str, str]:
    """Both values; only what says that something whole is there or missing is a sentence of ours."""
    word = f"was_{difference.stored}"
    if words.knows(word) and is_notice(difference.now):
        return words.message(word), _value(words.translate(difference.now))
    return _value(difference.stored), _value(difference.now)


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _WIDEST_VALUE else text[: _WIDEST_VALUE - 1] + "…"


# ---- one variant --------------------------------------------------------------------------------


def variant_lines(
    run: RunRow, stored: RunResult, variant: Variant, words: Translator = ENGLISH
) -> list[Line]:
    """One variant: rounds, findings and conclusion as they were and as they would be."""
    head = line(
        Span(words.message("what_if", changes=shown(variant.changes, words)), Style.STRONG),
        Span(f" · {run.id} {words.run_title(run.title, run.workflow)}", Style.DIM),
    )
    return [
        head,
        *_rounds(stored, variant.result, words),
        *_findings(variant.findings, words),
        *_conclusion(stored, variant.result, words),
        *_consequences(variant, words),
    ]


def shown(changes: Sequence[Change], words: Translator = ENGLISH) -> str:
    """The changes as they were typed."""
    return " ".join(change.shown for change in changes) or words.message("nothing_changed")


_ROUND_HEADS = (
    *("head_round", "head_agreement", "head_stability"),
    *("head_score", "head_recommendation", "head_ending"),
)


def _rounds(stored: RunResult, would: RunResult, words: Translator) -> list[Line]:
    keys = list(dict.fromkeys((*would.rounds, *stored.rounds)))
    if not keys:
        return []
    rows = []
    for key in keys:
        was = figures_of(stored.rounds.get(key), words)
        now = figures_of(would.rounds.get(key), words)
        name = round_name(key, words)
        if now is None:
            rows.append((name, *(was or ()), f"({words.message('not_held')})"))
        else:
            rows.append((name, *(_both(a, b) for a, b in zip(was or now, now, strict=True)), ""))
    return table((*map(words.message, _ROUND_HEADS), ""), rows)


def round_name(key: str, words: Translator) -> str:
    """A round by its key; the vote after the last one has no number."""
    return words.message("vote_at_the_end") if key == ENDING else key


def figures_of(figures: Assessment | None, words: Translator) -> tuple[str, ...] | None:
    """Agreement, stability, score, recommendation and ending of a round, as they are shown."""
    if figures is None:
        return None
    metrics = figures.metrics
    return (
        f"{metrics.agreement_ratio:.2f}",
        NONE if metrics.avg_stability is None else f"{metrics.avg_stability:.2f}",
        f"{metrics.overall_score:.2f}",
        how(metrics.recommendation, words),
        how(figures.ending, words),
    )


def how(ending: str | None, words: Translator) -> str:
    """A recommendation or an ending in a word."""
    return NONE if ending is None else words.message(f"how_{ending}")


def _both(was: str, now: str) -> str:
    return was if was == now else f"{was}{ARROW}{now}"


def _findings(pairs: Sequence[Pair], words: Translator) -> list[Line]:
    rows = [row for pair in pairs if (row := changed(pair, words)) is not None]
    if not rows:
        return []
    return [
        line(Span(words.message("findings_that_change"), Style.STRONG)),
        *table(("", words.message("head_was_would"), ""), rows),
    ]


def changed(pair: Pair, words: Translator = ENGLISH) -> tuple[str, str, str] | None:
    """What becomes of a finding: its id, what it was and would be, and its title; None when it stays as it is."""
    was, now = _status(pair.first, words), _status(pair.second, words)
    finding = pair.second or pair.first
    if was == now or finding is None:
        return None
    return finding.id, f"{was}{ARROW}{now}", words.finding(finding).title


def _status(finding: Finding | None, words: Translator) -> str:
    missing = words.message("not_raised")
    return missing if finding is None else weighed(finding)


def weighed(finding: Finding) -> str:
    """Severity and status; a position in a debate (P1) has no severity of its own."""
    status = str(finding.status)
    return status if finding.id.startswith("P") else f"{finding.severity} {status}"


def _conclusion(stored: RunResult, would: RunResult, words: Translator) -> list[Line]:
    so_far = words.message("so_far") if would.so_far else ""
    lines = [
        _concluded(
            "head_ending", how(stored.ending, words), how(would.ending, words), so_far, words
        ),
        _concluded("head_verdict", _word(stored.verdict), _word(would.verdict), so_far, words),
    ]
    gates = stored.gate.outcome, would.gate.outcome
    if any(outcome is not GateOutcome.NOT_SET for outcome in gates):
        was, now = (gate_word(outcome, words) for outcome in gates)
        why = "" if now == NONE else f" ({words.translate(would.gate.reason)})"
        lines.append(_concluded("head_gate", was, now, why, words))
    votes = () if would.so_far else dict.fromkeys((*stored.votes, *would.votes))
    for name in votes:
        was, now = (_vote(result.votes.get(name), words) for result in (stored, would))
        lines.append(_concluded(f"vote_{name}", was, now, "", words))
    return lines


def _concluded(code: str, was: str, now: str, remark: str, words: Translator) -> Line:
    head = words.word(code, code.removeprefix("vote_"))
    value = Span(_both(was, now), Style.PLAIN if was == now else Style.STRONG)
    return line(f"{head}: ", value, *((Span(remark, Style.DIM),) if remark and now != NONE else ()))


def _word(value: str | None) -> str:
    return NONE if value is None else str(value)


def gate_word(outcome: GateOutcome, words: Translator) -> str:
    """What a gate says, in a word; nothing where none was set."""
    return NONE if outcome is GateOutcome.NOT_SET else words.message(f"gate_is_{outcome.value}")


def _vote(value: Any, words: Translator) -> str:
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, dict):
        parts = (f"{key} {_vote(value[key], words)}" for key in sorted(value))
        return ", ".join(parts) or NONE
    if isinstance(value, bool):
        return words.message("is_true" if value else "is_false")
    return _word(value)


def _consequences(variant: Variant, words: Translator) -> list[Line]:
    lines = []
    if variant.needs:
        named = ", ".join(_need(step, words) for step in variant.needs)
        lines.append(line(Span(words.message("would_continue", steps=named), Style.WARNING)))
    elif variant.state is State.WAITS:
        lines.append(line(words.message("would_wait")))
    elif variant.state is State.OPEN:
        lines.append(line(words.message("under_way")))
    if variant.not_needed:
        keys = ", ".join(step.key for step in variant.not_needed)
        lines.append(line(words.message("not_needed", steps=keys, saved=saved(variant, words))))
    if variant.not_reached:
        keys = ", ".join(step.key for step in variant.not_reached)
        lines.append(line(Span(words.message("not_reached", steps=keys), Style.DIM)))
    if variant.shown_otherwise:
        keys = ", ".join(variant.shown_otherwise)
        lines.append(line(Span(words.message("shown_otherwise", steps=keys), Style.DIM)))
    return lines


def _need(step: MissingStep, words: Translator) -> str:
    if step.recorded_as is None:
        return step.key
    role, _, number = step.recorded_as.rpartition(" after round ")
    return words.message("recorded_as", key=step.key, role=words.role(role), n=number)


def saved(variant: Variant, words: Translator = ENGLISH) -> str:
    """What the steps that would not have been asked for took."""
    tokens = sum(step.tokens or 0 for step in variant.not_needed)
    parts = [dollars(variant.saved_usd)]
    if variant.saved_unknown:
        parts.append(words.message("saved_unpriced", n=variant.saved_unknown))
    if tokens:
        parts.append(words.message("tokens", n=tokens))
    return ", ".join(parts)


# ---- several variants ---------------------------------------------------------------------------

_HEADS = (
    *("head_held", "head_agreement", "head_stability", "head_score"),
    *("head_ending", "head_verdict", "head_gate", "head_findings", "head_then"),
)


def sweep_lines(run: RunRow, computed: WhatIf, words: Translator = ENGLISH) -> list[Line]:
    """One row a variant under the stored result; what changes is what a reader compares."""
    variants = computed.variants
    names = list(dict.fromkeys(c.name for variant in variants for c in variant.changes))
    outcomes = [(*_row(variant.result, words), _then(variant, words)) for variant in variants]
    stored = (*_row(computed.stored, words), "")
    first = (words.message("head_stored"), *("" for _ in names[1:]), *stored)
    rows = [
        (*_typed(variant, names), *row) for variant, row in zip(variants, outcomes, strict=True)
    ]
    heads = (*names, *map(words.message, _HEADS))
    head, top, *lines = table(*_without_empty(heads, [first, *rows]))
    # What comes out as it is stored steps back, so that one sees where it turns.
    shown = (
        _dimmed(row) if outcome == stored else row
        for row, outcome in zip(lines, outcomes, strict=True)
    )
    title = line(Span(f"{run.id} {words.run_title(run.title, run.workflow)}", Style.DIM))
    return [title, head, top, *shown, *_remarks(variants, outcomes.count(stored), words)]


def _dimmed(row: Line) -> Line:
    return tuple(Span(span.text, Style.DIM) for span in row)


def _remarks(variants: Sequence[Variant], alike: int, words: Translator) -> Iterator[Line]:
    if alike:
        yield line(Span(words.message("as_stored", n=alike, of=len(variants)), Style.DIM))
    if any(variant.shown_otherwise for variant in variants):
        yield line(Span(words.message("shown_otherwise_sweep"), Style.DIM))


def _typed(variant: Variant, names: Sequence[str]) -> Iterator[str]:
    """The variant's values as they were typed."""
    values = {change.name: change.shown.partition("=")[2] for change in variant.changes}
    return (values.get(name, "") for name in names)


def _without_empty(
    heads: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """The table without the columns in which nobody has anything."""
    kept = [n for n in range(len(heads)) if any(row[n] not in ("", NONE) for row in rows)]
    return [heads[n] for n in kept], [[row[n] for n in kept] for row in rows]


def _row(result: RunResult, words: Translator) -> tuple[str, ...]:
    last = list(result.rounds.values())[-1:]
    figures = (figures_of(last[0], words) if last else None) or (NONE,) * 5
    return (
        str(result.rounds_held),
        *figures[:3],
        how(result.ending, words),
        _word(result.verdict),
        gate_word(result.gate.outcome, words),
        f"{len(result.standing)}/{len(result.findings)}" if result.findings else NONE,
    )


def _then(variant: Variant, words: Translator) -> str:
    parts = []
    if variant.needs:
        more = "" if len(variant.needs) == 1 else f" +{len(variant.needs) - 1}"
        parts.append(words.message("then_needs", key=variant.needs[0].key, more=more))
    if variant.not_needed:
        n = len(variant.not_needed)
        parts.append(words.message("then_spare", n=n, saved=saved(variant, words)))
    return "; ".join(parts)
