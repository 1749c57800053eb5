"""Money as people read it: what is unknown is said, and is never zero."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.core.discussion.estimate import Estimate, Range
from orchestrator.core.lines import plain
from orchestrator.presentation.formats.text import result_lines
from orchestrator.presentation.json_rows import dumps
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.money import (
    dollars,
    estimate_json,
    estimate_lines,
    spending_table,
    spent,
)
from shared.models.rows import UsageRow
from shared.models.run import Budget, RunSpec
from shared.store.spending import Spending
from tests.support.reports import make_report

FOUND = Estimate(
    Range(4, 9), Range(12_000, 60_000), Range(1_000, 13_500), Range(0.01, 0.25), ("local",)
)


def spec(**changes: object) -> RunSpec:
    return make_report().spec.model_copy(update=changes)


def estimated(found: Estimate | None, **changes: object) -> str:
    return plain(estimate_lines(found, spec(**changes), "a change"))


@pytest.mark.parametrize(
    ("usd", "shown"),
    [
        (0.0, "$0.00"),
        (0.00001, "<$0.0001"),
        (0.0001, "$0.0001"),
        (0.01234, "$0.0123"),
        (1.005, "$1.00"),
        (1234.5, "$1,234.50"),
    ],
)
def test_dollars_are_exact_enough_and_something_is_never_shown_as_nothing(
    usd: float, shown: str
) -> None:
    assert dollars(usd) == shown


@pytest.mark.parametrize(
    ("usage", "said"),
    [
        (UsageRow(0, 0, 0, 0, None, 0), ""),
        (UsageRow(3, 0, 0, 0, 0.0, 0), ""),
        (
            UsageRow(5, 12_000, 340, 0, 0.0123, 0),
            "Used: 5 calls, 12,000 tokens in, 340 out, $0.0123\n",
        ),
        (
            UsageRow(5, 12_000, 340, 0, 0.0123, 2),
            "Used: 5 calls, 12,000 tokens in, 340 out, $0.0123 and 2 calls of unknown price\n",
        ),
        (UsageRow(1, 10, 3, 0, None, 1), "Used: 1 call, 10 tokens in, 3 out, cost unknown\n"),
        (UsageRow(1, 0, 0, 0, None, 1), "Used: 1 call, cost unknown\n"),
        (UsageRow(3, 10, 3, 0, 0.0, 1), "Used: 3 calls, 10 tokens in, 3 out, cost unknown\n"),
        (UsageRow(2, 10, 3, 0, 0.0, 0), "Used: 2 calls, 10 tokens in, 3 out, $0.00\n"),
    ],
)
def test_what_a_run_used_is_one_line_and_none_without_models(usage: UsageRow, said: str) -> None:
    assert plain(spent(usage, ENGLISH)) == said
    text = plain(result_lines(replace(make_report(), usage=usage), words=ENGLISH, max_findings=5))
    assert (said in text) if said else ("Used:" not in text)


def test_the_line_is_korean_where_the_run_is() -> None:
    said = plain(spent(UsageRow(5, 12_000, 340, 0, 0.0123, 2), Translator("ko")))
    assert (
        said
        == "사용량: 호출 5회, 입력 12,000토큰, 출력 340토큰, $0.0123 가격을 모르는 호출 2회 별도\n"
    )


def test_spending_names_unknown_prices_and_has_a_sum() -> None:
    rows = [
        Spending("claude", 3, 3_000, 200, 50, 0.5, 1, 0),
        Spending("local", 2, 100, 20, 0, None, 2, 1),
    ]
    total = Spending("", 5, 3_100, 220, 50, 0.5, 3, 1)
    head, claude, local, last, note = plain(spending_table("participant", rows, total)).splitlines()
    assert head.split("  ")[0] == "participant"
    assert claude.split() == ["claude", "3", "3,000", "50", "200", "$0.5000", "1", "calls"]
    assert local.split() == ["local", "2", "100", "0", "20", "unknown", "2", "calls"]
    assert last.split() == ["total", "5", "3,100", "50", "220", "$0.5000", "3", "calls"]
    assert note == "tokens of 1 calls are unknown and not in the sums"


def test_spending_is_told_in_korean() -> None:
    rows = [Spending("local", 2, 100, 20, 0, None, 2, 1)]
    said = plain(
        spending_table("participant", rows, replace(rows[0], key=""), Translator("ko"))
    ).splitlines()
    assert said == [
        "참가자  호출  입력 토큰  캐시  출력 토큰  비용        가격 모름",
        "local   2     100        0     20         알 수 없음  호출 2회",
        "합계    2     100        0     20         알 수 없음  호출 2회",
        "호출 1회의 토큰 수는 알 수 없어 합계에서 제외",
    ]


def test_nothing_spent_is_said() -> None:
    nothing = Spending("", 0, 0, 0, 0, None, 0, 0)
    assert plain(spending_table("day", [], nothing)) == "nothing was spent\n"
    assert plain(spending_table("day", [], None)) == "nothing was spent\n"


def test_an_estimate_is_a_range_and_names_whose_price_is_unknown() -> None:
    assert estimated(FOUND).splitlines() == [
        "Estimate for a change; nothing was started",
        "  calls: 4 to 9",
        "  tokens in: 12,000 to 60,000",
        "  tokens out: 1,000 to 13,500",
        "  cost: $0.0100 to $0.2500",
        "  ⚠ unknown price, not in the cost: local",
    ]


def test_a_cost_that_nobody_knows_is_unknown_and_not_nothing() -> None:
    said = estimated(replace(FOUND, cost_usd=None))
    assert "  cost: unknown\n" in said
    assert "$" not in said
    assert estimate_json(replace(FOUND, cost_usd=None), spec())["estimate"]["cost_usd"] is None


def test_an_estimate_beside_a_limit_says_what_will_not_be_asked() -> None:
    low, high = (estimated(FOUND, budget=Budget(max_usd=usd)) for usd in (0.1, 0.3))
    assert "over the limit of $0.10:" in low
    assert "over the limit" not in high
    assert "a participant without a known price is not asked: local" in high


def test_an_estimate_says_that_reuse_makes_it_less_and_what_cannot_be_foreseen() -> None:
    assert "reused" in estimated(FOUND, reuse=True)
    assert "reused" not in estimated(FOUND)
    assert "cannot be estimated" in estimated(None)
    assert '"estimate": null' in dumps(estimate_json(None, spec()))
    assert "비용: $0.0100 ~ $0.2500" in estimated(FOUND, language="ko")
