"""What counts as a reply: tolerant in form, strict in substance."""

from __future__ import annotations

import json
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from shared.errors import ProviderError
from shared.models.findings import Position, Severity
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.models.replies import REPLY_MODELS
from shared.models.review_replies import FixProposal, ReviewCritique, Synthesis
from shared.models.steps import Usage
from tests.workers.providers.calls import call_of
from workers.providers.calls import Cancelled, Completion, Finish, ProviderCall
from workers.turns.replies import ReplyProblem, obtain, parse, schema_of

GOOD = '{"verdict": "APPROVED", "summary": "fine"}'


def critique(text: str) -> ReviewCritique:
    reply = parse(text, "critique.review")
    assert isinstance(reply, ReviewCritique), reply
    return reply


def problem(text: str, reply_model: str = "critique.review") -> str:
    found = parse(text, reply_model)
    assert isinstance(found, ReplyProblem), found
    return found.message


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\ufeff  {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"Here is my review {{as asked}}:\n\n```\n{GOOD}\n```\nI hope it {{helps}}.",
        f"<think>should I say {{'verdict': 1}} or not</think>\n{GOOD}",
        '{"verdict": "APPROVED", "summary": "fine",}',
        '{"verdict": "APPROVED", "summary": "fine", "findings": [],\n}',
        '{"verdict": "approved", "summary": "fine"}',
        '{"verdict": " Approved ", "summary": "fine", "findings": null, "unknown": {"a": 1}}',
        f"[{GOOD}]",
        f"{GOOD}\n\nAgain, in short:\n{GOOD}",
    ],
)
def test_the_form_may_be_careless(text: str) -> None:
    assert critique(text) == ReviewCritique(verdict="APPROVED", summary="fine")


def test_fixed_words_nan_nulls_and_lone_texts_are_forgiven() -> None:
    reply = critique(
        """{"verdict": "needs-fix", "points_of_agreement": "the tests are good",
        "findings": [{"title": "t", "severity": "critical", "confidence": NaN, "detail": null,
                      "place": {"path": "a.py", "line": 3, "end_line": null}}],
        "stances": [{"finding": "F1", "position": "Agree", "reason": "says \\"it is {so}\\""}]}"""
    )
    assert reply.verdict == "NEEDS_FIX"
    assert reply.points_of_agreement == ("the tests are good",)
    assert reply.findings[0].severity is Severity.CRITICAL
    assert reply.findings[0].confidence is None
    assert reply.stances[0].position is Position.AGREE
    assert reply.stances[0].reason == 'says "it is {so}"'


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no JSON object"),
        ("approve this", "no JSON object"),
        ("VERDICT: APPROVED", "no JSON object"),
        ("APPROVED {}", "none of the fields"),
        ('"APPROVED"', "no JSON object"),
        ("[]", "no JSON object"),
        ('{"summary": "fine"}', "`verdict`"),
        ('{"verdict": null}', "`verdict`"),
        ('{"verdict": ""}', "`verdict`"),
        ('{"verdict": "LGTM"}', "`verdict`"),
        ('{"verdict": "APPROVED or NEEDS_FIX"}', "`verdict`"),
        ('{"verdict": ["APPROVED"]}', "`verdict`"),
        ('{"verdict": true}', "`verdict`"),
        ('{"verdict": "NEEDS_FIX", "verdict": "APPROVED"}', "stands twice"),
        ('{"verdict": "APPROVED"} or {"verdict": "NEEDS_FIX"}', "several different objects"),
        ('{"verdict": "APPROVED", "findings": [{"title": "a"', "cut off"),
        ('{"reply": {"verdict": "APPROVED"}}', "none of the fields"),
        ('{"verdict": "APPROVED", "findings": [{"title": "a", "severity": "HIGH"}]}', "severity"),
        ('{"verdict": "APPROVED", "findings": [{"title": ""}]}', "title"),
        ('{"verdict": "APPROVED", "findings": {"title": "a"}}', "findings"),
        ("{" * 100_000, "no JSON object"),
        ('{"a":' * 100_000, "cut off"),
        ('{"verdict": "APPROVED", "summary": ' + "[" * 5000 + "]" * 5000 + "}", "no JSON object"),
        ('{"verdict": "APPROVED", "n": ' + "9" * 5000 + "}", "no JSON object"),
    ],
)
def test_what_is_missing_wrong_or_double_is_no_reply(text: str, complaint: str) -> None:
    assert complaint in problem(text)


def test_a_model_whose_fields_all_have_defaults_still_needs_one_of_them() -> None:
    assert "none of the fields" in problem('{"answer": "no fixes"}', "fix")
    assert parse('{"fixes": []}', "fix") == FixProposal()


def test_what_no_store_can_hold_is_replaced() -> None:
    reply = parse('{"summary": "a\\u0000b\\ud800c"}', "synthesis")
    assert reply == Synthesis(summary="a\ufffdb\ufffdc")


def test_a_very_long_answer_is_judged_without_being_read() -> None:
    assert "characters" in problem("x" * 4_000_001)


def test_hostile_texts_take_linear_time() -> None:
    began = time.process_time()  # other processes of the machine do not count
    for text in ('{"' * 200_000, '{"a"}' * 50_000, '{"a' + "\\" * 500_000, ", " * 500_000 + "}"):
        assert isinstance(parse(text, "critique.review"), ReplyProblem)
    assert time.process_time() - began < 10


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ('{"verdict": "ACCEPT"} or {"verdict": "revise", "findings": [7]}', "challenge"),
        ('{"action": "END", "conclusion": "it is"}, or {"action": "select"}', "selection"),
        (
            '{"verdict": "NEEDS_FIX", "findings": [{"severity": "LOUD"}]} {"verdict": "APPROVED"}',
            "critique.review",
        ),
    ],
)
def test_another_choice_counts_also_in_an_object_that_is_no_reply(text: str, model: str) -> None:
    problem = parse(text, model)
    assert isinstance(problem, ReplyProblem), problem
    assert "several different objects" in problem.message


@given(st.text() | json_values.map(json.dumps), st.sampled_from(sorted(REPLY_MODELS)))
def test_any_text_is_a_reply_or_a_problem_and_never_an_error(text: str, name: str) -> None:
    assert isinstance(parse(text, name), ReplyProblem | REPLY_MODELS[name])


@given(st.text(), st.text(alphabet='{}[]",: \n'))
def test_prose_around_a_reply_never_changes_its_verdict(before: str, after: str) -> None:
    found = parse(f"{before.replace('{', '')}\n{GOOD}\n{after.replace('{', '')}", "critique.review")
    if isinstance(found, ReviewCritique):
        assert found.verdict == "APPROVED"


@pytest.mark.parametrize("name", sorted(REPLY_MODELS))
def test_every_reply_model_has_a_strict_schema(name: str) -> None:
    schema = schema_of(name)
    assert schema.name.replace("_", "").isalnum()
    text = json.dumps(schema.strict)
    assert not {"default", "title", "minLength", "maximum"} & _keywords(schema.strict)
    for closed in _objects(schema.strict):
        assert closed["additionalProperties"] is False
        properties = closed["properties"]
        assert isinstance(properties, dict)
        assert closed["required"] == list(properties)
    assert "$ref" not in text or "$defs" in text


def _objects(value: JsonValue) -> list[dict[str, JsonValue]]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    found = [found for part in inner for found in _objects(part)]
    return [value, *found] if isinstance(value, dict) and value.get("type") == "object" else found


def _keywords(value: JsonValue, *, names: bool = False) -> set[str]:
    if isinstance(value, list):
        return set().union(*(_keywords(part) for part in value))
    if not isinstance(value, dict):
        return set()
    below = (_keywords(inner, names=key in ("properties", "$defs")) for key, inner in value.items())
    return set().union(*below) | (set() if names else value.keys())


def test_a_finding_called_title_keeps_its_title_field() -> None:
    raised = schema_of("critique.review").strict["$defs"]
    assert isinstance(raised, dict)
    assert "title" in raised["RaisedFinding"]["properties"]  # type: ignore[index,operator,call-overload]


class Speaker:
    """A provider that gives ready completions and remembers its calls."""

    def __init__(self, *completions: Completion) -> None:
        self.left = list(completions)
        self.calls: list[ProviderCall] = []

    def complete(self, call: ProviderCall, cancel: Cancelled) -> Completion:
        self.calls.append(call)
        return self.left.pop(0)

    def structured(self, participant: Participant) -> bool:
        return False


def said(text: str, finish: Finish = Finish.STOP) -> Completion:
    return Completion(text=text, usage=Usage(output_tokens=1), finish_reason=finish)


def test_the_repair_quotes_the_answer_and_the_objection() -> None:
    speaker = Speaker(said('{"verdict": "LGTM"}'), said(GOOD))
    got = obtain(speaker, call_of(), threading.Event(), lambda _: None)
    assert got.repaired
    first, second = speaker.calls
    assert first.number == 1
    assert second.number == 2
    assert [message.role for message in second.messages] == ["user", "assistant", "user"]
    assert second.messages[1].text == '{"verdict": "LGTM"}'
    assert "`verdict`" in second.messages[2].text
    assert second.deadline_s <= first.deadline_s


def test_there_is_at_most_one_repair() -> None:
    speaker = Speaker(said("no"), said("no"), said(GOOD))
    with pytest.raises(ProviderError, match="twice") as caught:
        obtain(speaker, call_of(), threading.Event(), lambda _: None)
    assert caught.value.kind is FailureKind.UNPARSEABLE
    assert len(speaker.calls) == 2


@pytest.mark.parametrize(
    ("completion", "kind"),
    [
        (said(""), FailureKind.EMPTY),
        (said(" \n "), FailureKind.EMPTY),
        (said(GOOD, Finish.LENGTH), FailureKind.TRUNCATED),
        (said(GOOD, Finish.REFUSAL), FailureKind.REFUSAL),
    ],
)
def test_an_unusable_answer_is_stored_before_it_is_judged_and_not_repaired(
    completion: Completion, kind: FailureKind
) -> None:
    stored: list[Completion] = []
    speaker = Speaker(completion, said(GOOD))
    with pytest.raises(ProviderError) as caught:
        obtain(speaker, call_of(), threading.Event(), stored.append)
    assert caught.value.kind is kind
    assert stored == [completion]


def test_without_time_left_there_is_no_repair() -> None:
    class Slow(Speaker):
        def complete(self, call: ProviderCall, cancel: Cancelled) -> Completion:
            time.sleep(call.deadline_s + 0.01)
            return super().complete(call, cancel)

    speaker = Slow(said("no"), said(GOOD))
    with pytest.raises(ProviderError, match="no time was left") as caught:
        obtain(speaker, call_of(deadline_s=0.02), threading.Event(), lambda _: None)
    assert caught.value.kind is FailureKind.UNPARSEABLE


def test_a_failure_to_store_stops_the_turn_before_the_answer_is_used() -> None:
    def full(_: Completion) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        obtain(Speaker(said(GOOD)), call_of(), threading.Event(), full)
