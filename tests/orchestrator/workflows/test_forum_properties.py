"""The forum under everything that participants and orchestrator can do: it ends, and it is fair."""

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.replay.commands import Outcome, Turn
from orchestrator.workflows.forum.floor import choose, standings
from orchestrator.workflows.forum.options import ForumOptions
from orchestrator.workflows.forum.result import FloorRound, RecordedBid
from shared.models.outcomes import Ending, FailureKind, Verdict
from shared.models.steps import StepResult
from tests.support.question_panel import fail, give, hold, say, submitted
from tests.support.simulator import Simulation

NAMES = ("claude", "gemini", "codex", "qwen", "llama")
SPEECHES = (
    "A monolith first, because nothing else is small enough for three people.",
    "Modules inside one process, and a contract between them that a test holds.",
    "Two services from the start: billing must not fall over with the shop.",
    "I agree with what was said about modules.",
    "동의합니다. 모듈러 모놀리스가 좋겠습니다.",
)
NONSENSE = ("", "I do not REQUEST", "I RECOMMEND: one process", '{"action": "MAYBE"}', "🤷", "END:")
FAULTS = (FailureKind.TIMEOUT, FailureKind.UNPARSEABLE, FailureKind.REFUSAL, FailureKind.EMPTY)
DIAGRAM = {
    "": {"Committing", "RequestingFloor"},
    "Committing": {"RequestingFloor", "Closed"},
    "RequestingFloor": {"RequestingFloor", "Selecting", "Concluding", "Closed"},
    "Selecting": {"Speaking", "RequestingFloor", "Concluding", "Voting", "Closed"},
    "Speaking": {"RequestingFloor", "Concluding", "Closed"},
    "Concluding": {"Voting", "Closed"},
    "Voting": {"Closed"},
    "Closed": set(),
}

SEEDS = st.integers(0, 2**32)
OPTIONS = st.builds(
    ForumOptions,
    max_rounds=st.integers(1, 9),
    timeout_s=st.none() | st.floats(1, 600),
    patience=st.integers(1, 3),
    blind_opening=st.booleans(),
    anonymous=st.booleans(),
    ballot=st.booleans(),
    consensus=st.sampled_from([0.51, 0.7, 1.0]),
    quorum=st.none() | st.integers(1, 5),
)
MANY = st.integers(1, len(NAMES))


class Chance:
    """Participants and an orchestrator that do anything, each with habits of its own."""

    def __init__(self, seed: int, *, hard_stops: bool = True) -> None:
        self.seed = seed
        habits = Random(f"{seed}")
        self.asks = {name: habits.choice([0.05, 0.5, 1.0]) for name in NAMES}
        self.fails = habits.choice([0.0, 0.1, 0.5, 1.0])
        self.dead = habits.random() < 0.2
        self.favourite = habits.choice(NAMES)
        self.ends = habits.choice([0.0, 0.1, 0.5])
        self.hard_stops = hard_stops

    def __call__(self, step: Turn) -> StepResult:
        draw = Random(f"{self.seed}/{step.key}")
        if self.hard_stops and draw.random() < 0.01:
            return fail(draw.choice([FailureKind.OVER_BUDGET, FailureKind.DEADLINE]))
        if draw.random() < self.fails or (self.dead and step.role == "selection"):
            return fail(draw.choice(FAULTS))
        if draw.random() < 0.1:
            return say(step, draw.choice(NONSENSE))
        result = self._answer(step, draw)
        return result.model_copy(update={"elapsed_s": 20.0 * step.round})

    def _answer(self, step: Turn, draw: Random) -> StepResult:
        match step.role:
            case "bid":
                wants = draw.random() < self.asks[step.participant.name]
                return give(step, action="REQUEST" if wants else "PASS", reason="because")
            case "selection":
                if draw.random() < self.ends:
                    return give(step, action="END", conclusion="so be it")
                wish = draw.choice([self.favourite, *NAMES, "nobody"])
                return give(step, action="SELECT", speaker=wish)
            case "speech":
                return give(step, speech=draw.choice(SPEECHES))
            case "synthesis":
                return give(step, conclusion="so be it")
            case "ballot" if step.round == 0:
                return give(step, position=draw.choice(SPEECHES), confidence=draw.random())
            case "ballot":
                position = draw.choice(
                    ["agree", "agree", "agree", "partial", "disagree", "abstain"]
                )
                before = draw.choice(["agree", "disagree", "abstain", "who knows", None])
                return give(step, position=position, confidence=draw.random(), before=before)
        raise AssertionError(step.role)


def play(seed: int, many: int, options: ForumOptions, order: int = 0) -> tuple[Outcome, Simulation]:
    return hold(submitted("forum", options, names=NAMES[:many]), Chance(seed), order)


@settings(deadline=None, max_examples=40)
@given(SEEDS, MANY, OPTIONS)
def test_it_always_ends_within_its_bounds(seed: int, many: int, options: ForumOptions) -> None:
    outcome, run = play(seed, many, options)

    assert len(run.steps) <= options.max_rounds * (many + 2) + 1 + 2 * many
    assert {key for key in run.records if key == "ending"} == {"ending"}
    assert outcome.detail["stopped_by"] is not None
    for before, after in zip(["", *run.phases], [*run.phases, None], strict=True):
        assert after is None or after in DIAGRAM[before], (before, after)
    assert run.phases[-1] == "Closed"


@settings(deadline=None, max_examples=50)
@given(SEEDS, MANY, OPTIONS)
def test_the_floor_is_given_fairly(seed: int, many: int, options: ForumOptions) -> None:
    outcome, _ = play(seed, many, options)

    rounds: Any = outcome.detail["rounds"]
    last = None
    for one in rounds:
        asking = {bid["participant"] for bid in one["bids"] if bid["action"] == "REQUEST"}
        chosen = one["selected"]
        if chosen is None:
            continue
        assert chosen in asking or not asking
        assert chosen != last or asking <= {chosen}
        last = chosen


@settings(deadline=None, max_examples=100)
@given(st.integers(2, 6), st.integers(1, 4), st.integers(0, 5), SEEDS)
def test_nobody_starves_whatever_the_orchestrator_wishes(
    many: int, patience: int, favourite: int, seed: int
) -> None:
    names = [f"p{n}" for n in range(many)]
    draw = Random(seed)
    past: list[FloorRound] = []
    waited = dict.fromkeys(names, 0)
    for number in range(40):
        asked = tuple(
            RecordedBid(participant=name, action="REQUEST" if draw.random() < 0.9 else "PASS")
            for name in names
        )
        everybody = standings(names, past, asked)
        wish = names[favourite] if favourite < many else draw.choice(names)
        chosen = choose(everybody, wish, patience).speaker
        for one in asked:
            waited[one.participant] = waited[one.participant] + 1 if one.asks else 0
        waited[chosen] = 0
        assert max(waited.values()) <= patience + many - 1
        past.append(FloorRound(number=number, bids=asked, selected=chosen))


@settings(deadline=None, max_examples=40)
@given(SEEDS, MANY, OPTIONS, SEEDS, SEEDS)
def test_the_order_in_which_results_arrive_changes_nothing(
    seed: int, many: int, options: ForumOptions, one: int, other: int
) -> None:
    first, run = play(seed, many, options, one)
    second, again = play(seed, many, options, other)

    assert first == second
    assert run.stages == again.stages
    assert run.records == again.records


@settings(deadline=None, max_examples=50)
@given(SEEDS, st.integers(2, 5), OPTIONS)
def test_only_ballots_make_it_converged(seed: int, many: int, options: ForumOptions) -> None:
    outcome, _ = play(seed, many, options)

    agreement: Any = outcome.detail["agreement"]
    converged = outcome.ending is Ending.CONVERGED
    assert converged == bool(agreement and agreement["converged"])
    if converged:
        ballots: Any = outcome.detail["ballots"]
        agreeing = sum(one["position"] in ("agree", "partial") for one in ballots)
        assert agreeing >= 2
        assert 2 * agreeing >= many
    if outcome.verdict is Verdict.ANSWERED:
        assert outcome.detail["conclusion"]
        assert converged or not options.ballot


@settings(deadline=None, max_examples=40)
@given(SEEDS, st.integers(2, 5), OPTIONS, st.data())
def test_a_vote_that_goes_missing_never_makes_a_consensus(
    seed: int, many: int, options: ForumOptions, data: st.DataObject
) -> None:
    chance = Chance(seed, hard_stops=False)
    run = submitted("forum", options, names=NAMES[:many])
    before, _ = hold(run, chance)
    lost = data.draw(st.sets(st.sampled_from(NAMES[:many]), min_size=1))

    def losing(step: Turn) -> StepResult:
        gone = step.role == "ballot" and step.participant.name in lost
        return fail() if gone else chance(step)

    after, _ = hold(run, losing)

    assert before.ending is Ending.CONVERGED or after.ending is not Ending.CONVERGED
