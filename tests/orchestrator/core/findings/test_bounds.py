"""How many findings of analysers a discussion takes in, and what is left out is counted."""

from __future__ import annotations

from orchestrator.core.findings.bounds import taken_in, unlisted_of
from orchestrator.core.findings.merging import Raised
from shared.models.coverage import ListedShare
from shared.models.findings import Place, RaisedFinding, Severity
from shared.models.panel import Participant
from shared.models.reply_bounds import MAX_CLAIMS, MAX_LISTED

RUFF = Participant(name="ruff", provider="rules", tool="ruff")
BANDIT = Participant(name="bandit", provider="rules", tool="bandit")
ADA = Participant(name="ada", provider="anthropic", model="claude")


def finding(line: int, severity: Severity = Severity.MINOR) -> RaisedFinding:
    return RaisedFinding(title="x", severity=severity, place=Place(path="a.py", line=line))


def raised(who: str, number: int, severity: Severity = Severity.MINOR) -> list[Raised]:
    return [Raised(who, 1, finding(line, severity)) for line in range(1, number + 1)]


def reply(number: int, unlisted: int = 0) -> dict[str, object]:
    coverage = {"unlisted": unlisted} if unlisted else {}
    findings = [finding(line).model_dump(mode="json") for line in range(1, number + 1)]
    return {"findings": findings, "coverage": coverage}


def test_a_panel_of_rules_takes_in_what_one_analyser_lists_the_gravest_first() -> None:
    claims = raised("ruff", MAX_LISTED) + raised("bandit", 5, Severity.MAJOR)
    kept = taken_in(claims, [RUFF, BANDIT])
    assert len(kept) == MAX_LISTED
    assert [claim.participant for claim in kept[-5:]] == ["bandit"] * 5
    assert kept == [claim for claim in claims if claim in kept]


def test_beside_models_each_analyser_has_as_many_as_a_model() -> None:
    claims = [*raised("ruff", 900), *raised("bandit", 3), *raised("ada", MAX_CLAIMS)]
    kept = taken_in(claims, [RUFF, BANDIT, ADA])
    counted = {name: sum(c.participant == name for c in kept) for name in ("ruff", "bandit", "ada")}
    assert counted == {"ruff": MAX_CLAIMS, "bandit": 3, "ada": MAX_CLAIMS}


def test_what_is_left_out_is_told_with_the_numbers() -> None:
    replies = {"ruff": reply(900), "bandit": reply(3)}
    assert unlisted_of(replies, [RUFF, BANDIT]) == {}
    assert unlisted_of(replies, [RUFF, BANDIT, ADA]) == {
        "ruff": ListedShare(found=900, listed=MAX_CLAIMS)
    }
    # What an analyser did not even list is counted besides.
    assert unlisted_of({"ruff": reply(MAX_LISTED, 250)}, [RUFF]) == {
        "ruff": ListedShare(found=MAX_LISTED + 250, listed=MAX_LISTED)
    }
