"""A review as a comment: links, suggestions, nobody's markup, and no more than a host takes."""

from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from orchestrator.core.forges import PublishedCommit
from orchestrator.presentation.formats.markdown import render
from orchestrator.presentation.formats.posting import MOST_CHARACTERS
from orchestrator.presentation.formats.suggestions import suggested_lines
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.presentation.report import RunReport
from orchestrator.subjects.publication import project_page
from shared.models.findings import Place, Position, Stance
from shared.models.outcomes import Verdict
from tests.support.reports import make_finding, make_report

COMMIT = "0123456789" * 4
HOSTILE = "![x](http://evil/a) <img src=x onerror=y> [l](http://evil) @somebody #12 </details> www.evil.com"


def seen(report: RunReport, project: str = "https://github.com/acme/shop") -> RunReport:
    published = PublishedCommit(project=project, commit=COMMIT)
    spec = report.spec.model_copy(update={"labels": {"published": published.model_dump()}})
    return replace(report, run=replace(report.run, spec=spec.model_dump(mode="json")))


@pytest.mark.parametrize(
    ("project", "address"),
    [
        ("https://github.com/a/b", f"https://github.com/a/b/blob/{COMMIT}/app.py#L9"),
        ("https://gitlab.com/a/c/b", f"https://gitlab.com/a/c/b/-/blob/{COMMIT}/app.py#L9"),
        ("https://codeberg.org/a/b", f"https://codeberg.org/a/b/src/commit/{COMMIT}/app.py#L9"),
        ("https://bitbucket.org/a/b", f"https://bitbucket.org/a/b/src/{COMMIT}/app.py#lines-9"),
    ],
)
def test_a_place_leads_to_its_line_where_the_commit_can_be_seen(project: str, address: str):
    report = make_report(verdict=Verdict.NEEDS_FIX, findings=(make_finding(),))
    assert f"[<code>app.py:9</code>]({address})" in render(seen(report, project), ENGLISH)
    assert "](" not in render(report, ENGLISH)
    assert "](" not in render(seen(report, "https://example.org/a/b"), ENGLISH)


def test_a_path_cannot_leave_its_link():
    place = Place(path="a) [x](http://evil/) (<b>.py", line=1)
    text = render(
        seen(make_report(verdict=Verdict.NEEDS_FIX, findings=(make_finding(place=place),))), ENGLISH
    )
    links = [token for token in tokens(text) if token.type == "link_open"]
    assert links
    assert all(str(link.attrs["href"]).startswith("https://github.com/acme/") for link in links)


@pytest.mark.parametrize(
    ("address", "page"),
    [
        ("https://github.com/acme/shop.git", "https://github.com/acme/shop"),
        ("https://user:secret@github.com/acme/shop", "https://github.com/acme/shop"),
        ("git@github.com:acme/shop.git", "https://github.com/acme/shop"),
        ("ssh://git@gitlab.com:22/group/sub/shop.git", "https://gitlab.com/group/sub/shop"),
        ("https://example.org/acme/shop", None),
        ("/srv/git/shop.git", None),
        ("https://github.com/acme/shop) [x](http://evil", None),
        ("", None),
    ],
)
def test_a_remote_of_a_known_host_has_a_page_without_its_password(address: str, page: str | None):
    assert project_page(address) == page


def patch(*rows: str) -> str:
    old, new = (sum(row[0] != sign for row in rows) for sign in "+-")
    return "\n".join(("--- a/app.py", "+++ b/app.py", f"@@ -8,{old} +8,{new} @@", *rows, ""))


PATCH = patch(" a", "-bad", "+good", " c")


@pytest.mark.parametrize(
    ("text", "place", "lines"),
    [
        (PATCH, Place(path="app.py", line=9), "good\n"),
        (PATCH, Place(path="app.py", line=8), None),
        (PATCH, Place(path="app.py", line=9, end_line=10), None),
        (PATCH, Place(path="b.py", line=9), None),
        (patch(" a", "-bad", "+good", "+more", " c"), Place(path="app.py", line=9), "good\nmore\n"),
        (patch("-a", "-bad", "+good"), Place(path="app.py", line=8, end_line=9), "good\n"),
        (patch(" a", "-bad", "+good", "-c"), Place(path="app.py", line=9), None),
        (patch(" a", "+good"), Place(path="app.py", line=9), None),
        ("nonsense", Place(path="app.py", line=9), None),
    ],
)
def test_a_suggestion_replaces_exactly_the_lines_of_its_place(text, place, lines):
    assert suggested_lines(text, place) == lines


def with_fix(problem: str | None = None) -> RunReport:
    fix = {"findings": ["F1"], "patch": PATCH, "source": "claude", "problem": problem}
    detail = {"fixes": {"fixes": [fix], "patch": "" if problem else PATCH}}
    return make_report(verdict=Verdict.NEEDS_FIX, findings=(make_finding(),), detail=detail)


def test_only_a_patch_that_was_tried_and_fits_is_suggested():
    assert "```suggestion\ngood\n```" in render(with_fix(), ENGLISH)
    broken = render(with_fix("it does not apply"), ENGLISH)
    assert "suggestion\n" not in broken
    assert "cannot be used: it does not apply" in broken


def tokens(text: str):
    for token in MarkdownIt("commonmark", {"html": True}).enable("table").parse(text):
        yield token
        yield from token.children or ()


def test_dissent_is_quoted_and_nobodys_text_is_markup():
    finding = make_finding(
        title=HOSTILE,
        detail=HOSTILE,
        suggestion=HOSTILE,
        rule=HOSTILE,
        quote=f"```\n{HOSTILE}",
        stances={"bandit": Position.AGREE, "claude": Position.DISAGREE},
    )
    no = Stance(
        round=3,
        participant="claude",
        role="critique",
        finding="F1",
        position="disagree",
        reason=HOSTILE,
    )
    report = replace(make_report(verdict=Verdict.NEEDS_FIX, findings=(finding,)), ledger=(no,))
    text = render(report, ENGLISH)
    assert "**Against:** claude\n\n> " in text
    assert not [token for token in tokens(text) if token.type in ("image", "link_open")]
    html = "".join(token.content for token in tokens(text) if token.type.startswith("html"))
    assert "<img" not in html
    assert html.count("<details") == html.count("</details>")


def test_a_short_one_is_whole():
    report = make_report(verdict=Verdict.NEEDS_FIX, findings=(make_finding(),))
    assert "does not fit into a comment" not in render(report, ENGLISH)


@pytest.mark.parametrize(("findings", "size"), [(3, 60_000), (100, 4_000), (300, 300)])
def test_a_comment_is_never_longer_than_a_host_takes_and_says_what_is_missing(findings, size):
    found = tuple(
        make_finding(f"F{n}", title=f"Defect {n} of many", detail="many words " * (size // 10))
        for n in range(1, findings + 1)
    )
    detail = {"fixes": {"fixes": [], "patch": ""}}
    text = render(make_report(verdict=Verdict.NEEDS_FIX, findings=found, detail=detail), ENGLISH)
    assert len(text) <= MOST_CHARACTERS
    assert text.startswith("## ❌ NEEDS")
    assert "does not fit into a comment" in text
    assert "Defect 1 of many" in text
    assert text.count("<details") == text.count("</details>")
    assert (
        "does not fit into a comment" not in render(make_report(findings=found[:2]), ENGLISH)
        or size > 10_000
    )
