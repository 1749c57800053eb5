"""Every provider through real workers against somebody else's mock: faults end typed, nothing is paid twice."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import yaml

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from tests.fixtures.instance import CommandLine, make_repository
from tests.support.aimock import Aimock, missing
from workers.providers.calls import Finish, ProviderCall
from workers.providers.registry import load_provider
from workers.turns.replies import schema_of

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.needs_npm,
    pytest.mark.timeout(300),
    pytest.mark.skipif(missing() is not None, reason=missing() or ""),
]

# What each provider appends to the mock's address.
PROVIDERS = {
    "openai": "/v1",
    "openai-responses": "/v1",
    "anthropic": "",
    "gemini": "/v1beta",
    "ollama": "",
}
# Fits every reply model of the review.
REPLY = json.dumps({"verdict": "APPROVED", "summary": "Nothing to object to in this change."})
ANSWER: dict[str, Any] = {"content": REPLY}
TURN_S = 8.0


def _error(status: int, kind: str, message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind}, "status": status, **more}


@dataclass(frozen=True)
class Fault:
    """What the mock does: the first answer, all later ones (None: as the first), and a fault at any rate.

    `outcome` is the failure kind that the turn must end with (None: a reply), `paid` how many whole answers the mock
    may have given for it, `most` how many calls there may be at most.
    """

    first: dict[str, Any]
    later: dict[str, Any] | None = None
    chaos: dict[str, Any] | None = None
    outcome: FailureKind | None = None
    paid: int = 1
    most: int = 1


SLOW_DOWN = _error(429, "rate_limit_error", "slow down", retryAfter=1)
BROKEN = _error(500, "server_error", "boom")
FAULTS = {
    "ok": Fault(ANSWER),
    "429-once": Fault(SLOW_DOWN, ANSWER, most=2),
    "500-once": Fault(BROKEN, ANSWER, most=2),
    "429": Fault(SLOW_DOWN, outcome=FailureKind.RATE_LIMITED, paid=0, most=40),
    "500": Fault(BROKEN, outcome=FailureKind.OVERLOADED, paid=0, most=9),
    "401": Fault(
        _error(401, "authentication_error", "invalid x-api-key"),
        outcome=FailureKind.CREDENTIALS, paid=0,
    ),
    "404": Fault(
        _error(404, "not_found_error", "model: no such model"),
        outcome=FailureKind.UNKNOWN_MODEL, paid=0,
    ),
    "truncated": Fault(
        {"content": REPLY[:20], "finishReason": "length"}, outcome=FailureKind.TRUNCATED
    ),
    "empty": Fault({"content": ""}, outcome=FailureKind.EMPTY),
    # The second paid call is the one repair.
    "prose": Fault(
        {"content": "I would rather not say it in JSON."},
        outcome=FailureKind.UNPARSEABLE, paid=2, most=2,
    ),
    "prose-once": Fault({"content": "Let me think first."}, ANSWER, paid=2, most=2),
    # An answer that was lost may have been paid: it is asked for once more, and no third time.
    "malformed": Fault(
        ANSWER, chaos={"malformedRate": 1}, outcome=FailureKind.UNPARSEABLE, paid=0, most=2
    ),
    "disconnect": Fault(
        ANSWER, chaos={"disconnectRate": 1}, outcome=FailureKind.UNREACHABLE, paid=0, most=2
    ),
    "slow": Fault(ANSWER, chaos={"latencyMs": 20_000}, outcome=FailureKind.TIMEOUT),
}  # fmt: skip


# aimock lets these protocols say neither why a responses answer is incomplete nor that an Ollama one is cut off: there
# half an object is an answer that cannot be used, which is asked for once more.
FAULTS_OF: dict[tuple[str, str], Fault] = {
    (provider, "truncated"): Fault(
        {"content": REPLY[:20], "finishReason": "length"},
        outcome=FailureKind.UNPARSEABLE,
        paid=2,
        most=2,
    )
    for provider in ("openai-responses", "ollama")
}


def name_of(provider: str, fault: str) -> str:
    return f"{provider}.{fault}"


def fixtures() -> Iterator[dict[str, Any]]:
    """A model a provider and fault: the mock answers by the model's name."""
    for provider in PROVIDERS:
        for name, fault in FAULTS.items():
            match = {"model": name_of(provider, name)}
            chaos = {} if fault.chaos is None else {"chaos": fault.chaos}
            if fault.later is not None:
                yield {"match": {**match, "sequenceIndex": 0}, "response": fault.first, **chaos}
            yield {"match": match, "response": fault.later or fault.first, **chaos}
        # For streams; a chunk is 20 characters.
        match = {"model": name_of(provider, "cut")}
        yield {"match": match, "response": ANSWER, "truncateAfterChunks": 3, "disconnectAfterMs": 0}


@pytest.fixture(scope="module")
def aimock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aimock]:
    with Aimock(tmp_path_factory.mktemp("aimock"), [*fixtures()]) as server:
        yield server


def configuration(aimock: Aimock) -> dict[str, Any]:
    """A participant a provider and fault, each with an account of its own: no breaker ends another's turn."""
    providers = {
        name_of(provider, fault): {
            "type": provider,
            "model": name_of(provider, fault),
            "base_url": aimock.url + path,
            "account": f"{provider}-{fault}",
            "timeout": TURN_S,
        }
        for provider, path in PROVIDERS.items()
        for fault in FAULTS
    }
    return {"providers": providers, "participants": [*providers], "gate": {"quorum": 1}}


@pytest.fixture(scope="module")
def reviewed(
    live: CommandLine, aimock: Aimock, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """One review whose critics are every provider with every fault, through the real processes."""
    folder = tmp_path_factory.mktemp("review")
    file = folder / "config.yaml"
    file.write_text(yaml.safe_dump(configuration(aimock)), encoding="utf-8")
    repository = make_repository(folder / "repository")
    done = live(
        *("review", "--config", str(file), "--panel", "author=rules,chair=rules"),
        *("--panel", ",".join(configuration(aimock)["participants"])),
        *("--rounds", "1", "--decide", "skip", "--json"),
        cwd=repository,
        timeout_s=280,
    )
    assert done.stdout, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def critiques(reviewed: dict[str, Any]) -> dict[str, dict[str, Any]]:
    stage = next(r for r in reviewed["rounds"] if r["stage"].startswith("critique"))
    return {step["participant"]: step for step in stage["steps"]}


def test_the_run_ends_and_no_turn_is_left_open(reviewed: dict[str, Any]) -> None:
    assert reviewed["run"]["status"] == "completed"
    steps = critiques(reviewed)
    assert len(steps) == len(PROVIDERS) * len(FAULTS)
    assert {step["status"] for step in steps.values()} == {"done", "failed"}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_of_every_provider_ends_typed_and_is_paid_once(
    reviewed: dict[str, Any], aimock: Aimock, provider: str, fault: str
) -> None:
    expected = FAULTS_OF.get((provider, fault), FAULTS[fault])
    step = critiques(reviewed)[name_of(provider, fault)]
    if expected.outcome is None:
        assert step["status"] == "done", step["failure"]
        assert step["reply"]["verdict"] == "APPROVED"
    else:
        assert step["failure"]["kind"] == expected.outcome, step
        assert step["failure"]["message"]
        assert "\n" not in step["failure"]["message"]
    calls = aimock.calls(name_of(provider, fault))
    paid = [call for call in calls if call.status == 200 and call.fault is None]
    assert len(paid) <= expected.paid, calls
    assert len(calls) <= expected.most, calls


def test_every_call_that_may_have_been_paid_is_counted_and_a_lost_one_is_not_free(
    live: CommandLine, reviewed: dict[str, Any], aimock: Aimock
) -> None:
    shown = live("cost", "--run", reviewed["run"]["id"], "--by", "participant", "--json").stdout
    counted = {row["key"]: row for row in json.loads(shown)["spending"]}
    # A call that was given up has no status in its journal.
    given_up = {name_of(provider, "slow"): 1 for provider in PROVIDERS}
    seen = Counter(call.model for call in aimock.calls() if call.status in (0, 200))
    assert {name: row["calls"] for name, row in counted.items()} == given_up | seen
    for provider in PROVIDERS:
        for fault in ("malformed", "disconnect", "slow"):
            row = counted[name_of(provider, fault)]
            assert row["unknown_tokens"] == row["calls"], row


def test_the_witness_saw_every_provider_by_its_own_protocol(
    reviewed: dict[str, Any], aimock: Aimock
) -> None:
    seen = Counter(
        (call.model.rpartition(".")[0], call.path.split("?")[0]) for call in aimock.calls()
    )
    paths = {provider: {path for who, path in seen if who == provider} for provider in PROVIDERS}
    assert paths["openai"] == {"/v1/chat/completions"}
    assert paths["openai-responses"] == {"/v1/responses"}
    assert paths["anthropic"] == {"/v1/messages"}
    assert all(path.endswith(":generateContent") for path in paths["gemini"])
    assert paths["ollama"] == {"/api/chat"}


# ---- streams: a worker streams when somebody watches, so they are asked for here ----------------


def stream(aimock: Aimock, provider: str, fault: str) -> tuple[Any, list[str]]:
    pieces: list[str] = []
    call = ProviderCall(
        participant=Participant(
            name="streamed",
            provider=provider,
            model=name_of(provider, fault),
            options={"base_url": aimock.url + PROVIDERS[provider]},
        ),
        role="critique",
        round=1,
        reply_model="critique.review",
        step="r/s",
        system="You review.",
        user="A change.",
        reply_schema=schema_of("critique.review"),
        deadline_s=TURN_S,
        watch=pieces.append,
    )
    return load_provider(provider).complete(call, threading.Event()), pieces


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_stream_brings_the_same_text_in_pieces(aimock: Aimock, provider: str) -> None:
    completion, pieces = stream(aimock, provider, "ok")
    assert completion.text == "".join(pieces) == REPLY
    assert completion.finish_reason is Finish.STOP
    assert len(pieces) > 1


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("fault", "kinds"),
    [
        ("cut", {FailureKind.UNREACHABLE, FailureKind.UNPARSEABLE}),
        ("disconnect", {FailureKind.UNREACHABLE}),
        ("malformed", {FailureKind.UNPARSEABLE}),
        ("500", {FailureKind.OVERLOADED}),
        ("429", {FailureKind.RATE_LIMITED}),
    ],
)
def test_a_stream_that_breaks_is_a_typed_failure_and_no_short_text(
    aimock: Aimock, provider: str, fault: str, kinds: set[FailureKind]
) -> None:
    with pytest.raises(ProviderError) as raised:
        stream(aimock, provider, fault)
    assert raised.value.kind in kinds


def test_a_truncated_stream_says_so(aimock: Aimock) -> None:
    able = [provider for provider in PROVIDERS if (provider, "truncated") not in FAULTS_OF]
    finishes = {p: stream(aimock, p, "truncated")[0].finish_reason for p in able}
    assert set(finishes.values()) == {Finish.LENGTH}, finishes
