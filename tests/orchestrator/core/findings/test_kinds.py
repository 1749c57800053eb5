"""One defect that several analysers and reviewers name in words of their own is one finding."""

from __future__ import annotations

from itertools import permutations

import pytest

from orchestrator.core.findings.kinds import kind_of_rule
from orchestrator.core.findings.merging import Raised, absorb
from shared.models.findings import Place, RaisedFinding, Severity


def raised(
    who: str, title: str, line: int, rule: str | None = None, path: str = "app.py", **more: object
) -> Raised:
    place = Place(path=path, line=line)
    return Raised(who, 1, RaisedFinding(title=title, place=place, rule=rule, **more))


def merged(*claims: Raised) -> list[set[str]]:
    """Who raised each finding."""
    return [set(finding.raised_by) for finding in absorb(claims).findings]


EXCEPT = (
    raised("ruff", "Do not use bare `except` (E722)", 5, "ruff/E722"),
    raised("bandit", "Try, Except, Pass detected. (B110)", 5, "bandit/B110"),
)
SECRET = (
    raised("ruff", "Possible hardcoded password (S105)", 3, "ruff/S105"),
    raised("bandit", "Possible hardcoded password: 'x' (B105)", 3, "bandit/B105"),
    raised("diffcheck", "A secret is committed", 3, "diffcheck/secret", severity="CRITICAL"),
)
PICKLE = (
    raised("bandit", "Consider possible security implications.", 1, "bandit/B403"),
    raised("bandit", "Pickle can be unsafe. (B301)", 40, "bandit/B301", severity="MAJOR"),
)


@pytest.mark.parametrize("claims", [EXCEPT, SECRET, PICKLE], ids=["except", "secret", "pickle"])
def test_rules_that_say_one_thing_are_one_finding_with_all_of_them(claims: tuple[Raised, ...]):
    for order in permutations(claims):
        (finding,) = absorb(order).findings
        assert set(finding.every_rule) == {claim.finding.rule for claim in claims}
        assert finding.rule == finding.every_rule[0]
    assert finding.severity is min(
        (claim.finding.severity for claim in claims), key=lambda each: each.rank
    )


def test_a_warned_import_stands_at_its_use():
    (finding,) = absorb(PICKLE).findings
    assert finding.place == Place(path="app.py", line=40)
    assert len(absorb(PICKLE[:1]).findings) == 1
    elsewhere = raised("bandit", "Pickle (B301)", 40, "bandit/B301", path="other.py")
    assert len(absorb((PICKLE[0], elsewhere)).findings) == 2


def test_a_reviewer_who_names_the_kind_joins_the_rules_also_a_line_off():
    reviewer = raised("ada", "Errors are swallowed silently", 6)
    assert merged(*EXCEPT, reviewer) == [{"ruff", "bandit", "ada"}]
    assert len(merged(*EXCEPT, raised("ada", "The loop never ends", 5))) == 2


def test_two_reviewers_name_one_kind_on_one_line_in_different_words():
    first = raised("ada", "SQL injection through the user's name", 14)
    other = raised("bert", "User input is concatenated into the SQL query", 14)
    assert merged(first, other) == [{"ada", "bert"}]
    assert len(merged(first, raised("bert", other.finding.title, 15))) == 2


def test_one_list_may_name_a_kind_twice():
    first = raised("ada", "eval runs the discount", 8)
    assert len(merged(first, raised("ada", "eval of the rate", 8))) == 2


def test_two_sites_of_one_rule_stay_two_findings():
    sites = [raised("bandit", "Try, Except, Pass detected.", n, "bandit/B110") for n in (5, 9)]
    near = [raised("ruff", "Do not use bare `except`", n, "ruff/E722") for n in (5, 9)]
    assert merged(*sites, *near) == [{"bandit", "ruff"}, {"bandit", "ruff"}]


def test_rules_of_two_kinds_on_one_line_stay_two_findings():
    claims = (raised("ruff", "Unused (F401)", 1, "ruff/F401"), PICKLE[0])
    assert len(absorb(claims).findings) == 2


def test_opposites_of_one_kind_are_not_one():
    claims = (
        raised("ada", "The SQL injection is prevented here", 5),
        raised("bert", "The SQL injection is not prevented here", 5),
    )
    assert len(absorb(claims).findings) == 2


@pytest.mark.parametrize(
    ("rule", "other"),
    [
        ("ruff/S608", "bandit/B608"),
        ("mypy/arg-type", "pyright/reportArgumentType"),
        ("ruff/F821", "mypy/name-defined"),
        ("gosec/G101", "gitleaks/generic-api-key"),
        ("complexity/cyclomatic", "ruff/C901"),
        ("eslint/no-eval", "semgrep/javascript.browser.security.eval-detected"),
    ],
)
def test_rules_of_different_analysers_are_of_one_kind(rule: str, other: str):
    assert kind_of_rule(rule) == kind_of_rule(other) is not None


def test_a_joined_finding_keeps_the_rules_of_all_rounds():
    known = absorb(EXCEPT[:1]).findings
    (finding,) = absorb(EXCEPT[1:], known).findings
    assert finding.every_rule == ("ruff/E722", "bandit/B110")
    assert finding.severity is Severity.MINOR


def test_each_name_of_a_line_is_a_finding_of_its_own_whoever_names_it():
    ruff = [
        raised("ruff", f"`os.{n}` imported but unused", 1, "ruff/F401") for n in ("path", "walk")
    ]
    assert merged(*ruff) == [{"ruff"}, {"ruff"}]
    pylint = [
        raised("pylint", f"Unused {n} imported from os", 1, "pylint/W0611")
        for n in ("walk", "path")
    ]
    for order in permutations((*ruff, *pylint)):
        assert merged(*order) == [{"ruff", "pylint"}, {"ruff", "pylint"}]
    assert merged(ruff[0], pylint[0]) == [{"ruff"}, {"pylint"}]


@pytest.mark.parametrize(
    ("rule", "other", "messages"),
    [
        ("ruff/F821", "mypy/name-defined", ("Undefined name `{}`", 'Name "{}" is not defined')),
        ("mypy/attr-defined", "pyright/reportAttributeAccessIssue",
         ('"A" has no attribute "{}"', 'Cannot access attribute "{}" for class "A"')),
    ],
)  # fmt: skip
def test_two_analysers_name_two_things_on_one_line(
    rule: str, other: str, messages: tuple[str, str]
):
    claims = [
        raised(tool.partition("/")[0], message.format(name), 3, tool)
        for tool, message in zip((rule, other), messages, strict=True)
        for name in ("one_thing", "other_thing")
    ]
    tools = {claim.participant for claim in claims}
    for order in permutations(claims):
        assert merged(*order) == [tools, tools]


def test_two_secrets_of_a_line_are_two_and_another_tools_word_for_one_joins_it():
    mine = [
        raised("bandit", f"Possible hardcoded password: '{n}' (B106)", 6, "bandit/B106")
        for n in "ab"
    ]
    assert merged(*mine) == [{"bandit"}, {"bandit"}]
    theirs = raised("ruff", 'Possible hardcoded password assigned to: "key"', 6, "ruff/S106")
    assert merged(mine[0], theirs) == [{"bandit", "ruff"}]


def test_two_defects_of_a_kind_on_one_line_are_paired_by_their_words():
    said = ("argument 1 to call has type int", "argument 2 to log has type bytes")
    claims = [raised("mypy", text, 4, "mypy/arg-type") for text in said]
    claims += [raised("pyright", text, 4, "pyright/reportArgumentType") for text in reversed(said)]
    for order in permutations(claims):
        homes = absorb(order).findings
        assert sorted(finding.title for finding in homes) == sorted(said)
        assert all(set(finding.raised_by) == {"mypy", "pyright"} for finding in homes)


EVAL = "    return eval(request.args['q'])"


@pytest.mark.parametrize(
    "title",
    [
        "User input reaches eval",
        "Arbitrary code execution through the query parameter",
        "RCE: untrusted expressions are evaluated",
        "Remote code execution",
        "The request's text is executed as code: it evaluates any string",
        "사용자 입력으로 임의 코드 실행 가능",
    ],
)
def test_a_construct_and_what_comes_of_it_are_one_defect_where_the_line_has_one(title: str):
    ruled = raised("bandit", "Use of possibly insecure function", 3, "bandit/B307", quote=EVAL)
    named = raised("ada", "eval of a query parameter", 3, quote=EVAL)
    said = raised("bert", title, 3, quote=EVAL)
    for order in permutations((ruled, named, said)):
        assert merged(*order) == [{"bandit", "ada", "bert"}]


@pytest.mark.parametrize(
    ("first", "second", "quote"),
    [
        ("eval of a query parameter", "The key q may be missing: KeyError", EVAL),
        ("eval of a query parameter", "The result is returned without escaping (XSS)", EVAL),
        ("eval of a query parameter", "No timeout: code may run for ever", EVAL),
        ("eval of a query parameter", "The user gets a wrong status code", EVAL),
        ("eval of a query parameter", "Runs without input from the user: q is None", EVAL),
        ("eval of text", "Arbitrary commands may be run", "run(eval(text), shell=True)"),
        ("shell=True with a variable", "Arbitrary code execution", "run(eval(text), shell=True)"),
    ],
)
def test_two_defects_of_one_line_stay_two(first: str, second: str, quote: str):
    claims = (raised("ada", first, 3, quote=quote), raised("bert", second, 3, quote=quote))
    assert merged(*claims) == [{"ada"}, {"bert"}]


def test_what_comes_of_a_line_says_nothing_about_another_line_or_without_a_quotation():
    named = raised("ada", "eval of a query parameter", 3, quote=EVAL)
    far = raised("bert", "Arbitrary code execution", 9, quote="exec(text)")
    bare = raised("cleo", "Arbitrary code execution", 3)
    assert merged(named, far) == [{"ada"}, {"bert"}]
    assert merged(named, bare) == [{"ada"}, {"cleo"}]
