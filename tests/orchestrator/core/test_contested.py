"""What a round is about: open points, and for the author everything that it has not answered."""

from orchestrator.core.discussion.contested import agenda, settled_line, unanswered
from shared.models.assessment import Assessment, ConvergenceMetrics, Recommendation
from shared.models.findings import Finding, FindingStatus, Position, Severity, Stance


def finding(identity: str, status: FindingStatus = FindingStatus.ACCEPTED) -> Finding:
    return Finding(
        id=identity,
        title=identity,
        detail="",
        severity=Severity.MAJOR,
        category="general",
        raised_by=("ada",),
        raised_in_round=1,
        status=status,
    )


def assessed(*open_findings: str) -> Assessment:
    metrics = ConvergenceMetrics(
        detector="stance",
        agreement_ratio=0.5,
        avg_stability=None,
        overall_score=0.5,
        recommendation=Recommendation.CONTINUE,
    )
    return Assessment(
        round=1, metrics=metrics, answered=2, expected=2, quorum=2, open_findings=open_findings
    )


def line(finding: str, role: str, who: str = "eve") -> Stance:
    return Stance(round=2, participant=who, role=role, finding=finding, position=Position.AGREE)


BOTH = (finding("F1"), finding("F2", FindingStatus.CONTESTED))


def test_open_points_are_debated_and_settled_ones_are_named_in_a_line():
    points = agenda(BOTH, assessed("F2"))
    assert [one.id for one in points.contested] == ["F2"]
    assert settled_line(points) == "F1 accepted"


def test_when_nothing_is_open_the_round_confirms_everything():
    for assessment in (None, assessed()):
        points = agenda(BOTH, assessment)
        assert points.contested == BOTH
        assert settled_line(points) == ""


def test_what_the_author_has_not_answered_is_debated_though_all_critics_agree_on_it():
    due = unanswered(BOTH, [line("F2", "rebuttal"), line("F1", "critique", "bob")])
    assert due == {"F1"}
    assert agenda(BOTH, assessed("F2"), due).contested == BOTH
