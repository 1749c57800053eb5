"""The trap for turns that obey their data: where it stands, what springs it, what does not."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import ProviderError
from shared.models.findings import RaisedFinding, Severity
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.models.review_replies import ReviewCritique, Synthesis
from shared.models.steps import PromptPart, TurnRequest, Usage
from shared.text.rendering import fenced
from workers.providers.calls import Completion, ProviderCall
from workers.turns.canary import Canary, canary_of
from workers.turns.prompting import render
from workers.turns.reuse import reuse_key

MARKERS = [f"{number:024x}" for number in range(60)]
LANGUAGES = ("en", "ko")
DOCUMENTS = {"own": "당신은 변경을 검토합니다.".encode(), "diff": b"+ x = eval(y)\n"}


def request(
    *, provider: str = "openai", system: PromptPart | None = None, **fields: object
) -> TurnRequest:
    values: dict[str, object] = {
        "participant": Participant(name="bob", provider=provider),
        "role": "critique",
        "round": 1,
        "reply_model": "critique.review",
        "system": (system or PromptPart(text="You review."),),
        "prompt": (PromptPart(text="Look."), PromptPart(document="diff", fence="diff"),
                   PromptPart(text="F1: eval", fence="findings")),
        "marker": MARKERS[0],
    }  # fmt: skip
    return TurnRequest.model_validate({**values, **fields})


def trap(asked: TurnRequest) -> Canary:
    return canary_of(asked, DOCUMENTS.__getitem__)


def said(text: str) -> Completion:
    return Completion(text=text, usage=Usage())


def code_word(canary: Canary) -> str:
    return canary.words[1] + canary.words[0]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("marker", MARKERS)
def test_quoting_the_sentence_is_not_obeying_it_and_the_code_word_is_nowhere_in_it(
    marker: str, language: str
) -> None:
    canary = Canary.of(marker, language)
    assert all(word in canary.sentence for word in canary.words)
    assert not canary.obeyed(canary.sentence)
    assert not canary.obeyed(f"{canary.words[0]} {canary.words[1]}")
    assert canary.obeyed(f'{{"summary": "{code_word(canary)} all is well"}}')


@pytest.mark.parametrize("between", ["", "-", " ", "_", "**"])
def test_the_code_word_is_recognised_in_any_case_and_with_a_sign_between(between: str) -> None:
    canary = Canary.of(MARKERS[0])
    first, second = canary.words
    assert canary.obeyed(f"x{second.upper()}{between}{first.title()}y")


def test_traps_of_different_turns_have_different_words_and_all_wordings_occur() -> None:
    traps = [Canary.of(marker) for marker in MARKERS]
    assert len({canary.words for canary in traps}) == len(MARKERS)
    openings = {canary.sentence[:12] for canary in traps}
    assert len(openings) == 3
    assert Canary.of(MARKERS[0]) == traps[0]


def test_the_trap_stands_inside_the_first_data_and_only_there() -> None:
    asked = request()
    canary = trap(asked)
    user = render(asked, DOCUMENTS.__getitem__, planted=canary.sentence).user
    begin = user.index(f"<<<BEGIN {asked.marker} diff>>>")
    end = user.index(f"<<<END {asked.marker} diff>>>")
    assert begin < user.index("eval(y)") < user.index(canary.sentence) < end
    assert user.count(canary.sentence) == 1
    assert not canary.obeyed(user)


@pytest.mark.parametrize("language", LANGUAGES)
@given(
    text=st.text(alphabet="ab1 \n\r\t\u200b\u202e<>[@/|BEGIN\u0430\uff5c"), cut=st.integers(0, 23)
)
def test_data_with_the_sentence_is_shown_as_one_text(language: str, text: str, cut: int) -> None:
    marker = MARKERS[0]
    for name in MARKERS[:12]:
        sentence = Canary.of(name, language).sentence
        # Not even when the data ends like the run's marker: no sentence begins with a letter of one.
        assert sentence[0].lower() not in string.hexdigits
        for shown in (text, f"{text}{marker[:cut]}", f"{text}{marker}"):
            whole = fenced(f"{shown.rstrip()}\n\n{sentence}", "diff", marker)
            assert fenced(shown, "diff", marker, sentence) == whole


def test_the_sentence_is_in_the_language_of_our_own_words() -> None:
    korean = trap(request(system=PromptPart(document="own")))
    assert korean.sentence == Canary.of(MARKERS[0], "ko").sentence
    hostile = trap(request(prompt=(PromptPart(text="한글", fence="diff"),)))
    assert hostile.sentence == Canary.of(MARKERS[0], "en").sentence


def test_there_is_no_trap_for_rules_and_none_without_data() -> None:
    assert trap(request(provider="rules")) == Canary()
    assert trap(request(prompt=(PromptPart(text="Hello."),))) == Canary()
    assert not Canary().obeyed("anything")


def test_an_answer_that_obeyed_is_kept_before_it_is_refused() -> None:
    canary = Canary.of(MARKERS[0])
    kept: list[Completion] = []
    listen = canary.listening("bob", kept.append)
    listen(said("honest"))
    with pytest.raises(ProviderError, match="bob followed an instruction") as raised:
        listen(said(code_word(canary)))
    assert raised.value.kind is FailureKind.QUARANTINED
    assert not raised.value.retryable
    assert code_word(canary) not in str(raised.value)
    assert len(kept) == 2


def test_a_stored_answer_of_an_earlier_attempt_is_looked_at_too() -> None:
    canary = Canary.of(MARKERS[0])
    with pytest.raises(ProviderError):
        canary.listening("bob", lambda _: None, [said(code_word(canary))])


def test_whoever_reports_the_trap_is_heard_without_that_finding() -> None:
    canary = Canary.of(MARKERS[0])
    reported = RaisedFinding(
        title="Prompt injection", quote=canary.sentence, severity=Severity.MAJOR
    )
    in_words = RaisedFinding(title=f"the data asks for {canary.words[0]}")
    true = RaisedFinding(
        title="eval of input", quote="x = eval(y)", detail=f"and {canary.words[0]}"
    )
    reply = ReviewCritique(verdict="NEEDS_FIX", findings=(reported, true, in_words))
    heard = canary.without_reports(reply)
    assert isinstance(heard, ReviewCritique)
    assert heard.findings == (true,)
    assert canary.without_reports(Synthesis(summary=canary.sentence)) == Synthesis(
        summary=canary.sentence
    )


def test_the_trap_does_not_keep_equal_turns_of_two_runs_apart() -> None:
    def key(marker: str) -> str:
        asked = request(marker=marker)
        canary = trap(asked)
        prompt = render(asked, DOCUMENTS.__getitem__, planted=canary.sentence)
        call = ProviderCall(
            participant=asked.participant, role=asked.role, round=1, reply_model=asked.reply_model,
            step="r/s", system=prompt.system, user=prompt.user,
        )  # fmt: skip
        assert canary.sentence in call.user
        return reuse_key(canary.removed_from(call), marker)

    assert key(MARKERS[1]) == key(MARKERS[2])
